//! The rules' view of an analysed program: lookups that several rules share, and the thresholds that
//! decide what is worth a word.
//!
//! Nothing here judges; a rule does. Evidence about *where* and *how hot* is stated here so that it is
//! alike everywhere.

use crate::evidence::Time;
use crate::libraries;
use crate::producer::Producer;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::Rule;
use loopwright_analysis::model::{
    AccessFacts, Analysis, FunctionFacts, LoopFacts, MachineFacts, ModuleSummary, Provenance,
};
use loopwright_analysis::place::{base_name, of_a_library};
use loopwright_binary::facts::{CarriedChain, Carrier, ChainKind, LoopRole, StaticStride};
use loopwright_costs::Core;
use loopwright_vocabulary::Language;
use std::path::Path;

/// Share of the time below which nothing is advised: even an endless gain there is worth less than 2 %,
/// which is the run-to-run spread of an unpinned program.
pub const MIN_SHARE: f64 = 0.02;
/// Samples below which a loop's share means nothing (a binomial share of 4 samples has an error of half).
pub const MIN_SAMPLES: u64 = 4;
/// Samples below which confidence is lowered: the share is known to about a fifth (1 / sqrt 25) only.
pub const FIRM_SAMPLES: u64 = 25;
/// Loops around a loop that are followed: more of them are damaged data.
const HIGHEST_NEST: usize = 16;

/// The program under advice.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The analysed program.
    pub analysis: &'a Analysis,
}

impl<'a> Facts<'a> {
    /// A view of `analysis`.
    pub fn new(analysis: &'a Analysis) -> Self {
        Self { analysis }
    }

    /// The description of the machine; absent where the survey has none.
    pub fn machine(&self) -> Option<&'a MachineFacts> {
        self.analysis.machine.as_ref()
    }

    /// The figures of its core, careful ones where it is unknown.
    pub fn core(&self) -> &'static Core {
        self.machine().map_or(Core::of(None), MachineFacts::core)
    }

    /// Loops worth looking at: enough time and enough samples, counted over the loop's group.
    pub fn hot_loops(&self) -> impl Iterator<Item = &'a LoopFacts> + use<'a, '_> {
        self.analysis
            .loops
            .iter()
            .filter(|l| l.group_share >= MIN_SHARE && self.group_samples(l) >= MIN_SAMPLES)
    }

    /// The pieces of a loop's source loop, the loop itself included.
    pub fn group(&self, of: &LoopFacts) -> impl Iterator<Item = &'a LoopFacts> + use<'a> {
        let group = of.group;
        self.analysis.loops.iter().filter(move |l| l.group == group)
    }

    /// Samples of the whole group.
    pub fn group_samples(&self, of: &LoopFacts) -> u64 {
        self.group(of).map(|l| l.samples).sum()
    }

    /// Whether this loop represents its group in advice: the body, the whole, or the hottest piece when there is
    /// neither (a version that the run-time checks chose). Rules are asked about these loops only.
    pub fn speaks_for_group(&self, of: &LoopFacts) -> bool {
        let rank = |l: &LoopFacts| match l.role {
            LoopRole::Body | LoopRole::Whole => 1,
            _ => 0,
        };
        let best = self.group(of).max_by(|a, b| {
            rank(a).cmp(&rank(b)).then(a.self_seconds.total_cmp(&b.self_seconds)).then(b.id.cmp(&a.id))
        });
        best.is_none_or(|best| best.id == of.id)
    }

    /// The loop right around a loop.
    pub fn around(&self, of: &LoopFacts) -> Option<&'a LoopFacts> {
        self.loop_by_id(of.parent?)
    }

    /// The loops around a loop, the nearest first.
    pub fn ancestors(&self, of: &LoopFacts) -> impl Iterator<Item = &'a LoopFacts> + use<'a> {
        let facts = *self;
        std::iter::successors(facts.around(of), move |l| facts.around(l)).take(HIGHEST_NEST)
    }

    /// The loop with this `id` in the analysis.
    pub fn loop_by_id(&self, id: u32) -> Option<&'a LoopFacts> {
        self.analysis.loops.iter().find(|l| l.id == id)
    }

    /// Share of the time inside the functions with such names, whoever called them.
    pub fn share_inside(&self, is_one: impl Fn(&str) -> bool) -> f64 {
        self.analysis.functions.iter().filter(|f| is_one(&f.function)).map(|f| f.self_share).sum()
    }

    /// The same as far as it can be a loop's own: others may call them too, but the loop has no more time below it than its total.
    pub fn share_called(&self, of: &LoopFacts, is_one: impl Fn(&str) -> bool) -> f64 {
        self.share_inside(is_one).min((of.total_share - of.self_share).max(0.0)).max(0.0)
    }

    /// Compiler and options of a loop's code: its own, or the module's when all of it was built alike.
    pub fn producer(&self, of: &'a LoopFacts) -> Option<Producer<'a>> {
        if let Some(own) = &of.producer {
            return Some(Producer::parse(own));
        }
        match self.module(of)?.producers.as_slice() {
            [only] => Some(Producer::parse(only)),
            _ => None,
        }
    }

    /// The module that holds a loop.
    pub fn module(&self, of: &LoopFacts) -> Option<&'a ModuleSummary> {
        self.analysis.modules.iter().find(|m| base_name(&m.path) == of.module)
    }

    /// Source language of a loop: from the producer, else from the file's extension.
    pub fn language(&self, of: &LoopFacts) -> Option<Language> {
        let said = self.producer(of).and_then(|producer| producer.language);
        said.or_else(|| Language::of_file(Path::new(of.file.as_deref()?)))
    }

    /// The user can rebuild this code: it is the program itself, or it has source lines and was not installed (debug
    /// packages give system libraries lines too).
    pub fn rebuildable(&self, of: &LoopFacts) -> bool {
        let module = self.module(of);
        let foreign = module.is_some_and(|m| {
            let name = base_name(&m.path);
            libraries::is_interpreter(name) || (!m.main_module && libraries::is_installed(&m.path))
        });
        !foreign && (of.main_module || of.file.is_some())
    }

    /// The loop is written in a source of the user's, or where that is not known: not in a library that came with a compiler.
    pub fn written_by_user(&self, of: &LoopFacts) -> bool {
        self.rebuildable(of) && !of.file.as_deref().is_some_and(of_a_library)
    }

    /// The code was built without optimisation, by its options or, where none are recorded, by its shape:
    /// every variable lives in memory, so a loop has no counter in a register.
    pub fn unoptimised(&self, of: &'a LoopFacts) -> bool {
        match self.producer(of).and_then(|p| p.optimisation()) {
            Some(level) => level == "0",
            None => unoptimised_shape(of) && self.file_is_unoptimised(of),
        }
    }

    /// The loops of a loop's file look unoptimised by their shape, as far as they take time: one file is compiled with one set
    /// of options, and a single loop may keep its counter in memory for other reasons (calls, too few registers).
    fn file_is_unoptimised(&self, of: &LoopFacts) -> bool {
        /// Of their time; peeled and cold loops may look otherwise.
        const NEARLY_ALL: f64 = 0.9;
        let together = self.analysis.loops.iter().filter(|l| l.module == of.module && l.file == of.file);
        let (mut alike, mut all) = (0.0, 0.0);
        for each in together {
            all += each.self_share;
            alike += if unoptimised_shape(each) { each.self_share } else { 0.0 };
        }
        alike >= NEARLY_ALL * all
    }

    /// The command that ran, for a `loopwright VERB --loops N -- COMMAND` line, quoted for a shell.
    fn command(&self) -> String {
        let words = self.analysis.program.command.iter().map(String::as_str);
        // Only a NUL cannot be quoted, and an argument cannot contain one.
        shlex::try_join(words).ok().filter(|line| !line.is_empty()).unwrap_or_else(|| "PROG ARGS".to_owned())
    }

    /// The collection that would show more about a loop: `map`, `dependencies` or `tripcounts`.
    pub fn collect(&self, verb: &str, of: &LoopFacts) -> String {
        format!("loopwright {verb} --loops {} -- {}", of.id, self.command())
    }

    /// The same with everything traced that the loop executes, not bursts of it.
    pub fn collect_all(&self, verb: &str, of: &LoopFacts) -> String {
        format!("loopwright {verb} --loops {} --exhaustive -- {}", of.id, self.command())
    }

    /// The command that collects the compilers' reports while the project is built; none for a program of Rust, whose compiler is not
    /// asked by it.
    pub fn build(&self) -> Option<&'static str> {
        (!self.is_of_rust()).then_some("loopwright build -- make")
    }

    /// The same where it would tell more of a loop than is known already: no compiler has reported on its source yet.
    pub fn build_for(&self, of: &LoopFacts) -> Option<&'static str> {
        self.build().filter(|_| !self.is_reported(of))
    }

    /// A compiler has reported on the source of a loop.
    pub fn is_reported(&self, of: &LoopFacts) -> bool {
        let same = self.analysis.loops.iter().filter(|other| other.file == of.file);
        let said = |other: &LoopFacts| {
            !other.compilers.is_empty() || other.why_not.iter().any(|why| why.compiler.is_some())
        };
        of.file.is_some() && same.into_iter().any(said)
    }

    /// The program itself is of Rust.
    pub fn is_of_rust(&self) -> bool {
        let mut own = self.analysis.modules.iter().filter(|m| m.main_module).flat_map(|m| &m.producers);
        own.next().is_some_and(|p| Producer::parse(p).language == Some(Language::Rust))
    }

    /// The loops of a function.
    pub fn loops_of(&self, function: &FunctionFacts) -> impl Iterator<Item = &'a LoopFacts> {
        let own = |l: &&LoopFacts| l.function == function.function && l.module == function.module;
        self.analysis.loops.iter().filter(own)
    }

    /// A recommendation about a loop, with its heat as first evidence.
    pub fn about_loop(&self, rule: &Rule, of: &LoopFacts) -> Recommendation {
        let samples = self.group_samples(of);
        let new = blank(rule).of_loop(of);
        let pieces = self.group(of).count();
        new.because(Provenance::Measured, Time::LoopShare { share: of.group_share, samples, pieces })
    }

    /// A recommendation about a module, with its heat as first evidence.
    pub fn about_module(&self, rule: &Rule, module: &ModuleSummary) -> Recommendation {
        let mut new = blank(rule);
        let name = base_name(&module.path);
        new.place = Some(name.to_owned());
        let heat = Time::ModuleShare { share: module.self_share, module: name.to_owned() };
        new.because(Provenance::Measured, heat)
    }

    /// A recommendation about the program.
    pub fn about_program(&self, rule: &Rule) -> Recommendation {
        blank(rule)
    }
}

/// A recommendation with nothing but the rule's metadata.
fn blank(rule: &Rule) -> Recommendation {
    Recommendation {
        tried: None,
        id: rule.id.to_owned(),
        rule: rule.id.to_owned(),
        title: rule.doc.title.to_owned(),
        loop_id: None,
        group: None,
        function: None,
        written_in: None,
        place: None,
        share: None,
        loop_gain: None,
        program_gain: None,
        confidence: Confidence::Medium,
        evidence: Vec::new(),
        how: How::default(),
        next: None,
        case: None,
        sources: rule.doc.sources().map(str::to_owned).collect(),
        places: Vec::new(),
        also: Vec::new(),
        modelled_gain: None,
        minor: false,
    }
}

/// Unoptimised by shape: the loop counts in memory, not in a register, and moves its variables all the time.
fn unoptimised_shape(of: &LoopFacts) -> bool {
    /// At -O0 every second instruction moves a variable between its stack slot and a register; a third leaves
    /// room for address arithmetic.
    const MEMORY_SHARE: f64 = 0.33;
    let counters = || of.chains.iter().filter(|c| c.kind == ChainKind::Induction);
    let memory = of.instruction_mix.load + of.instruction_mix.store;
    let in_memory = |c: &CarriedChain| matches!(c.carrier, Carrier::Memory(_));
    counters().next().is_some()
        && counters().all(in_memory)
        && f64::from(memory) >= MEMORY_SHARE * f64::from(of.instructions.max(1))
}

/// The stride of consecutive elements of `size` bytes per machine iteration of this loop.
pub fn unit_stride(facts: &LoopFacts, size: u32) -> u64 {
    let unroll = facts.vector.as_ref().map_or(1, |v| v.unroll.max(1));
    u64::from(size) * u64::from(unroll)
}

/// A store that follows its neighbour of the iteration before, upwards or downwards.
pub fn unit_strided_store(of: &LoopFacts, operand: &StaticStride) -> bool {
    operand.store && operand.bytes != 0 && operand.bytes.unsigned_abs() <= unit_stride(of, operand.size)
}

/// Loads from addresses that do not move, beside a store that moves.
pub fn reloads(of: &LoopFacts) -> usize {
    // An address that is computed anew from what was loaded has no stride in the code; a trace sees it move.
    let moves = |a: &AccessFacts| a.kind.writes() && a.machine_stride_bytes.is_some_and(|bytes| bytes != 0);
    let stores = of.strides.iter().any(|s| s.bytes != 0 && s.store) || of.access.iter().any(moves);
    if stores { of.strides.iter().filter(|s| s.bytes == 0 && !s.store).count() } else { 0 }
}

#[cfg(test)]
mod tests;
