//! Asks the binaries about what was sampled, counted or traced: which functions, which loops, which lines.
//!
//! Only functions on some sample's stack, with counts worth it, or with traced operands are analysed, so the size of a binary does not
//! matter. The facts are stored with the run, because binaries are rebuilt and removed.

use crate::wanted::{Wanted, size_and_time};
use loopwright_binary::code::{analyze, analyze_unlisted};
use loopwright_binary::facts::{FunctionCode, ModuleFacts};
use loopwright_binary::image::{Image, Images, tables_of_32_bits};
use loopwright_binary::warning::Warning;
use loopwright_instrument::facts::{Counts, FunctionCounts};
use loopwright_instrument::traced::Patterns;
use loopwright_sample::recording::Recording;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one binary says about sampled functions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Described {
    /// Index into the recording's (the counts', the patterns') modules.
    pub position: u32,
    /// Distinguishes builds.
    pub identity: String,
    /// The module as a whole.
    pub facts: ModuleFacts,
    /// Functions; of a survey's, only those with self time carry a listing.
    pub functions: Vec<FunctionCode>,
    /// Functions that an earlier run has described, as far as the module as a whole depends on them.
    pub described_before: Vec<Before>,
}

/// What is left of a function that is not described again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// Its entry address.
    pub address: u64,
    /// Source files that its listing names.
    pub files: Vec<String>,
    /// Its compiler.
    pub producer: Option<String>,
    /// The folder it was compiled in.
    pub folder: Option<String>,
}

impl Described {
    /// Source files that listings name, of functions that were described before, too.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        let before = self.described_before.iter().flat_map(|before| &before.files);
        self.functions.iter().flat_map(|function| &function.files).chain(before)
    }

    /// Folders that the functions were compiled in.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let before = self.described_before.iter().filter_map(|before| before.folder.as_deref());
        let now = self.functions.iter().filter_map(|function| function.unit.as_ref());
        now.map(|unit| unit.directory.as_str()).chain(before)
    }

    /// What is known of functions whose listings exist already.
    fn listed(&self) -> impl Iterator<Item = Before> {
        let listed = self.functions.iter().filter(|function| !function.instructions.is_empty());
        let listed = listed.map(|function| Before {
            address: function.function.address,
            files: function.files.clone(),
            producer: function.producer.clone(),
            folder: function.unit.as_ref().map(|unit| unit.directory.clone()),
        });
        listed.chain(self.described_before.iter().cloned())
    }
}

/// Describes every sampled module. `progress` is called with functions done and known so far.
pub fn describe(
    recording: &Recording,
    images: &Images,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Described> {
    describe_wanted(&Wanted::of_survey(recording), &[], images, progress)
}

/// Describes the code that a run wants. What the descriptions `before` have listed is not described again.
pub fn describe_wanted(
    wanted: &[Wanted],
    before: &[&Described],
    images: &Images,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Described> {
    let tick = Ticker::new(progress);
    wanted.iter().map(|wanted| describe_module(wanted, before, images, &tick)).collect()
}

/// A function without loops is described when it executes more than this share of its module's instructions: the
/// counts know its name, and thousands of small ones would take longer than the program ran.
const WORTH_DESCRIBING: f64 = 0.001;

/// Where only what matters is described: functions that execute at least this share of the run's instructions, ...
const MATTERS: f64 = 0.001;

/// ... and up to this number with loops, those that execute most: small programs are described whole. Each takes about a
/// millisecond, so that all of them take a fraction of a second.
const DESCRIBED_ANYWAY: usize = 200;

/// Which counted functions are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All with loops, and those without that are worth it.
    All,
    /// Those that matter to the program's time.
    WhatMatters,
}

/// The counted functions to be described, by module, and what is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selected {
    pub(crate) functions: Vec<BTreeSet<u64>>,
    /// Functions with counted loops that are left out.
    pub omitted: usize,
    /// Their loops.
    pub omitted_loops: usize,
    /// The share of the counted instructions that they execute.
    pub omitted_share: f64,
}

/// Selects the counted functions to be described.
pub fn select(counts: &Counts, extent: Extent) -> Selected {
    let instructions = |function: &FunctionCounts| function.work.instructions;
    let of_module: Vec<u64> =
        counts.modules.iter().map(|module| module.functions.iter().map(instructions).sum()).collect();
    let whole: u64 = of_module.iter().sum();
    let mut selected =
        Selected { functions: vec![BTreeSet::new(); counts.modules.len()], ..Selected::default() };
    let mut with_loops: Vec<(usize, &FunctionCounts)> = Vec::new();
    for (at, module) in counts.modules.iter().enumerate() {
        for function in &module.functions {
            if !function.loops.is_empty() {
                with_loops.push((at, function));
            } else if instructions(function) as f64 > WORTH_DESCRIBING * of_module[at] as f64 {
                selected.functions[at].insert(function.address);
            }
        }
    }
    with_loops.sort_by_key(|(at, function)| (Reverse(instructions(function)), *at, function.address));
    let mut left_out = 0;
    for (rank, (at, function)) in with_loops.into_iter().enumerate() {
        let matters = instructions(function) as f64 >= MATTERS * whole as f64;
        if extent == Extent::All || matters || rank < DESCRIBED_ANYWAY {
            selected.functions[at].insert(function.address);
        } else {
            selected.omitted += 1;
            selected.omitted_loops += function.loops.len();
            left_out += instructions(function);
        }
    }
    selected.omitted_share = if whole == 0 { 0.0 } else { left_out as f64 / whole as f64 };
    selected
}

/// Describes counted functions of every module. What the descriptions `before` have listed is not described again.
pub fn describe_counted(
    counts: &Counts,
    selected: &Selected,
    before: &[&Described],
    images: &Images,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Described> {
    describe_wanted(&Wanted::of_counts(counts, selected), before, images, progress)
}

/// Describes the functions in which a tracing run saw loops or operands, those of loops around them, too. What the
/// descriptions `before` have listed is not described again.
pub fn describe_traced(
    patterns: &Patterns,
    before: &[&Described],
    images: &Images,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Described> {
    describe_wanted(&Wanted::of_patterns(patterns), before, images, progress)
}

/// Adds up what several threads have done.
struct Ticker<'a> {
    done: AtomicUsize,
    known: AtomicUsize,
    progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl<'a> Ticker<'a> {
    fn new(progress: &'a (dyn Fn(usize, usize) + Sync)) -> Self {
        Self { done: AtomicUsize::new(0), known: AtomicUsize::new(0), progress }
    }

    fn tick(&self, finished: usize, found: usize) {
        let done = self.done.fetch_add(finished, Ordering::Relaxed) + finished;
        let known = self.known.fetch_add(found, Ordering::Relaxed) + found;
        (self.progress)(done, known);
    }
}

fn describe_module(wanted: &Wanted, before: &[&Described], images: &Images, tick: &Ticker<'_>) -> Described {
    let (position, file, build_id) = (wanted.position, wanted.path.as_str(), wanted.build_id.as_deref());
    let operands = wanted.operands.as_slice();
    let nothing = |identity: String, warning: Warning| Described {
        position,
        identity,
        facts: ModuleFacts {
            path: file.to_owned(),
            build_id: build_id.map(str::to_owned),
            warnings: vec![warning],
            ..ModuleFacts::default()
        },
        functions: Vec::new(),
        described_before: Vec::new(),
    };
    let recorded = wanted.identity.clone();
    let path = Path::new(file);
    let image = match images.open(path) {
        Ok(image) => image,
        Err(error) => {
            let mut described = nothing(recorded, Warning::Unreadable(error.to_string()));
            if let Some((symbols, lines)) = tables_of_32_bits(path) {
                (described.facts.has_symbols, described.facts.has_lines) = (symbols, lines);
            }
            return described;
        }
    };
    // Not `describe`: the units of a large binary number thousands, and each function names its own.
    let mut facts = image.facts().clone();
    facts.path = file.to_owned();
    // The program may have been rebuilt while it ran, or since.
    if let (Some(ran), Some(found)) = (build_id, facts.build_id.as_deref())
        && ran != found
    {
        return nothing(recorded, Warning::Rebuilt { module: file.to_owned() });
    }
    let identity = facts.build_id.clone().unwrap_or_else(|| size_and_time(path));
    if build_id.is_none() && !recorded.is_empty() && recorded != identity {
        return nothing(recorded, Warning::Rebuilt { module: file.to_owned() });
    }

    let same = before.iter().filter(|module| module.identity == identity && module.facts.path == file);
    let mut listed: BTreeMap<u64, Before> =
        same.flat_map(|module| module.listed()).map(|before| (before.address, before)).collect();
    let mut described_before = Vec::new();
    let mut functions: BTreeMap<usize, bool> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for &address in &wanted.all {
        let Some(function) = image.function_at(address) else { continue };
        if seen.insert(function) {
            let entry = image.spans(function).next().map_or(address, |span| span.0);
            described_before.extend(listed.remove(&entry));
        }
        *functions.entry(function).or_default() |= wanted.leaves.contains(&address);
    }
    let entries: BTreeSet<u64> = described_before.iter().map(|before: &Before| before.address).collect();
    functions
        .retain(|&function, _| !image.spans(function).next().is_some_and(|span| entries.contains(&span.0)));
    tick.tick(0, functions.len());
    let (functions, failures) = analyse_functions(&image, functions, tick);
    let compilers = functions.iter().map(|code| code.producer.as_deref());
    facts.producers = producers(compilers.chain(described_before.iter().map(|b| b.producer.as_deref())));
    if !operands.is_empty() {
        facts.variables = image.variables(operands);
    }
    if let Some(first) = failures.first() {
        facts.warnings.push(Warning::NotAnalysed { functions: failures.len(), first: first.clone() });
    }
    Described { position, identity, facts, functions, described_before }
}

/// Analyses the wanted functions on all CPUs; functions are independent of each other.
fn analyse_functions(
    image: &Image,
    wanted: BTreeMap<usize, bool>,
    tick: &Ticker<'_>,
) -> (Vec<FunctionCode>, Vec<String>) {
    let wanted: Vec<(usize, bool)> = wanted.into_iter().collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Vec::with_capacity(wanted.len()), Vec::new()));
    let work = || {
        while let Some(&(function, listed)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = if listed { analyze(image, function) } else { analyze_unlisted(image, function) };
            let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match result {
                Ok(code) => results.0.push(code),
                Err(error) => results.1.push(error.to_string()),
            }
            drop(results);
            tick.tick(1, 0);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(wanted.len().max(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (mut functions, failures) = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    functions.sort_by_key(|code| code.function.address);
    (functions, failures)
}

/// Compilers with their flags that made the described functions, most frequent first.
fn producers<'a>(compilers: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for producer in compilers.flatten() {
        *counts.entry(producer).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    counts.into_iter().map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_binary::work::Work;
    use loopwright_instrument::facts::{LoopCounts, ModuleCounts};

    /// A function with `loops` loops that executes `instructions` instructions.
    fn counted(address: u64, loops: usize, instructions: u64) -> FunctionCounts {
        FunctionCounts {
            address,
            loops: vec![LoopCounts::default(); loops],
            work: Work { instructions, ..Work::default() },
            ..FunctionCounts::default()
        }
    }

    #[test]
    fn what_matters_is_described_and_the_rest_is_told() {
        let cold = DESCRIBED_ANYWAY as u64 + 10;
        let mut functions = vec![counted(1, 1, 1_000_000), counted(2, 0, 500_000), counted(3, 0, 1)];
        functions.extend((0..cold).map(|k| counted(100 + k, 2, 20)));
        let module = ModuleCounts { functions, ..ModuleCounts::default() };
        let counts = Counts { modules: vec![module], ..Counts::default() };
        let all = select(&counts, Extent::All);
        assert_eq!((all.functions[0].len() as u64, all.omitted), (cold + 2, 0));
        let some = select(&counts, Extent::WhatMatters);
        // Function 2 has no loops and executes enough, function 3 does not.
        assert!(some.functions[0].contains(&1) && some.functions[0].contains(&2));
        assert!(!some.functions[0].contains(&3));
        assert_eq!(some.functions[0].len(), DESCRIBED_ANYWAY + 1);
        assert_eq!((some.omitted, some.omitted_loops), (11, 22));
        assert!((some.omitted_share - 220.0 / (1_500_001.0 + 20.0 * cold as f64)).abs() < 1e-12);
        assert_eq!(select(&Counts::default(), Extent::WhatMatters), Selected::default());
    }
}
