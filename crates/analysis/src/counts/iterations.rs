//! Iterations of the loop as written, inferred from machine iterations and from the work that the code does for each place
//! in the source.
//!
//! Machine iterations are counted; how many source iterations one of them does is not recorded. One piece shows
//! the unit: a scalar loop in which every operator works on one element does one source iteration in each of its own. The
//! others follow by ratio: of floating-point operations of each kind, of bytes stored, of the distance that operands move;
//! all that there are must agree. Where no piece shows the unit (a loop that was unrolled, without remainder), the source
//! text does ([`by_text`]), and only if it leaves no doubt; where nothing else shows anything, the steps of scalar loops'
//! counters do ([`by_steps`]). A loop that data ends tests once in each source iteration ([`by_ends`]), and a statement that
//! stores in each stores as many bytes as there are iterations, whatever became of the loop ([`by_stores`]); so does an
//! operand that each loads ([`by_loads`]), and the last test of a head passes before each ([`by_head`]). What the compiler
//! wrote as straight code is found by its places, and counted by its blocks. Else there is no number, but the reason why.

mod accesses;
mod bounds;
mod by_ends;
mod by_head;
mod by_loads;
mod by_steps;
mod by_stores;
mod by_text;
mod by_trips;
mod by_work;
mod declared;
mod evidence;
mod outer;
mod straight;
#[cfg(test)]
mod tests;
mod text;
mod variables;

use super::merge::Executions;
use super::trips::Piece;
use crate::patterns::expression::Grammar;
use accesses::Work;
use evidence::{Profile, is_memory, is_plain, line};
use loopwright_binary::facts::{FunctionCode, LoopCode, SourceKind};
use loopwright_stats::saturating_sum;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use text::Nest;

/// More source iterations in one machine iteration are no unrolling.
const MOST: u64 = 4096;

/// What is inferred of a written loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inferred {
    /// Source iterations of one machine iteration, by piece.
    pub factors: Vec<Option<u32>>,
    /// Source iterations, by piece.
    pub iterations: Vec<u64>,
    /// Source iterations in straight code.
    pub straight: u64,
    /// All of them; absent when something about them is not certain.
    pub total: Option<u64>,
    /// Some factor is not one, or straight code did some of the iterations.
    pub inferred: bool,
    /// Why there is no total.
    pub unknown: Option<String>,
}

/// A written loop in question.
pub struct Question<'a, 't> {
    pub function: &'a FunctionCode,
    pub pieces: &'a [Piece<'a>],
    /// How often code was executed.
    pub executions: &'a Executions,
    /// Texts of source files.
    pub texts: &'a Texts<'t>,
}

/// Source files, taken apart when they are first asked for.
#[derive(Default)]
pub struct Texts<'a> {
    sources: Option<&'a BTreeMap<String, String>>,
    nests: RefCell<BTreeMap<&'a str, Rc<Nest<'a>>>>,
}

impl<'a> Texts<'a> {
    pub fn new(sources: &'a BTreeMap<String, String>) -> Self {
        Self { sources: Some(sources), ..Self::default() }
    }

    fn nest(&self, file: &str, language: Option<&str>) -> Option<Rc<Nest<'a>>> {
        let (name, text) = self.sources?.get_key_value(file)?;
        let mut nests = self.nests.borrow_mut();
        Some(Rc::clone(
            nests.entry(name).or_insert_with(|| Rc::new(Nest::new(text, Grammar::of(language, name)))),
        ))
    }
}

type Answer<T> = Result<T, &'static str>;

const NO_LINES: &str = "no debug information shows which code belongs to which line";
const NO_TEXT: &str =
    "the compiler put several iterations together, and without the source text nothing shows how many";
const COMPOUND: &str =
    "the compiler put several iterations together, or the parts of complex numbers or vectors";
const STATEMENTS: &str = "the compiler put several iterations together, or several statements of one";
const NO_UNIT: &str = "the compiler put several iterations together, and nothing shows for certain how many";
const DISAGREE: &str =
    "the operations of the loop do not agree on how many iterations the compiler put together";
const MASKED: &str = "its vectors may be partly switched off by masks";
const EXITS: &str = "it is left in several places, so that its last iteration may be a part of one";
const STRAIGHT: &str = "iterations in straight code beside the loop cannot be distinguished";
const NESTED: &str = "machine loops inside each other have its place, and only one of them can be it";
const TRACELESS: &str =
    "iterations in which the loops inside do nothing may be left out by the compiler, and leave no trace";
const UNCOUNTED: &str = "not all of its code was counted";

/// Infers the iterations of a written loop.
pub fn infer(question: &Question) -> Inferred {
    let mut inferred = Inferred { factors: vec![None; question.pieces.len()], ..Inferred::default() };
    let location = question.pieces.first().and_then(|piece| piece.code.location.as_ref());
    let Some(location) = location else { return Inferred { unknown: Some(NO_LINES.to_owned()), ..inferred } };
    let language = question.function.unit.as_ref().map(|unit| unit.language.as_str());
    let nest = question.texts.nest(&location.file, language);
    let written = nest.as_deref().and_then(|nest| Some((nest, nest.at(location.line)?)));
    let loops = Loops {
        question,
        profiles: question.pieces.iter().map(|piece| Profile::new(question.function, piece.code)).collect(),
        written,
        work: written.map(|(nest, written)| nest.work(written)).unwrap_or_default(),
        depth: 0,
    };
    let by_stores = loops.by_stores();
    // What is inferred by bytes stored must not differ.
    let agrees = |total: u64| by_stores.as_ref().is_none_or(|stores| stores.total == Some(total));
    match loops.answer(&mut inferred) {
        Ok(total) if agrees(total) => inferred.total = Some(total),
        Ok(_) => inferred.unknown = Some(DISAGREE.to_owned()),
        Err(why) => match loops
            .by_trips()
            .or(by_stores)
            .or_else(|| loops.by_loads())
            .or_else(|| loops.by_head())
            .filter(|_| why != UNCOUNTED)
        {
            Some(otherwise) => inferred = otherwise,
            None => inferred.unknown = Some(why.to_owned()),
        },
    }
    inferred
}

/// The machine loops of a written loop.
struct Loops<'a, 't> {
    question: &'a Question<'a, 't>,
    profiles: Vec<Profile>,
    /// The text's loops, and which this one is.
    written: Option<(&'a Nest<'t>, usize)>,
    /// What its lines do in one iteration, by the text.
    work: Work,
    /// Loops around it that it was asked for.
    depth: usize,
}

impl Loops<'_, '_> {
    fn answer(&self, inferred: &mut Inferred) -> Answer<u64> {
        self.is_placed()?;
        self.leaves_traces()?;
        let factors = self.factors()?;
        inferred.factors = factors.iter().map(|&factor| u32::try_from(factor).ok()).collect();
        inferred.iterations = self.by_piece(&factors)?;
        let looped = self.together(&inferred.iterations)?;
        inferred.straight = self.straight(&factors)?;
        inferred.inferred = inferred.straight > 0 || factors.iter().any(|&factor| factor != 1);
        self.is_whole(looped + inferred.straight)
    }

    /// No machine loop inside a piece, or around it, has the place of this loop: of a loop that goes on in two ways, or that
    /// was blocked, there are two machine loops, and the position of an outer loop may be that of the inner one.
    fn is_placed(&self) -> Answer<()> {
        let same = |l: &LoopCode| {
            self.question.pieces.iter().any(|piece| {
                let other = piece.code;
                l.location == other.location
                    && l.inlined_from == other.inlined_from
                    && (self.encloses(l.index, other) || self.encloses(other.index, l))
            })
        };
        if self.question.function.loops.iter().any(same) { Err(NESTED) } else { Ok(()) }
    }

    /// Source iterations of one machine iteration, by piece.
    fn factors(&self) -> Answer<Vec<u64>> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let mut known = Vec::new();
        for (piece, profile) in pieces.iter().zip(&self.profiles) {
            let one = self.is_one(piece.code, profile)
                && (is_plain(function) || self.is_enough(piece.code, profile, 1));
            let one = one || self.ends_each(piece.code, profile);
            let known_otherwise =
                || self.fills(piece.code, profile).or_else(|| self.steps_once(piece.code, profile));
            known.push(match self.by_work(piece.code, profile) {
                _ if one => Some(1),
                Ok(None) => known_otherwise(),
                by_work => by_work?,
            });
        }
        if known.iter().all(Option::is_none) {
            let least = (0..pieces.len())
                .min_by_key(|&at| saturating_sum(self.profiles[at].totals(true).into_values()));
            let least = least.ok_or(NO_UNIT)?;
            known[least] = Some(by_text::factor(self, pieces[least].code, &self.profiles[least])?);
        }
        // From one piece to the next that does the same work.
        while known.iter().any(Option::is_none) {
            let mut shown = Vec::new();
            for open in (0..pieces.len()).filter(|&at| known[at].is_none()) {
                let mut ratios = BTreeSet::new();
                for (unit, factor) in (0..pieces.len()).filter_map(|at| Some((at, known[at]?))) {
                    let shown = ratio(function, &self.profiles[unit], &self.profiles[open], factor)?;
                    ratios.extend(shown.or_else(|| self.by_steps(unit, open, factor)));
                }
                match ratios.len() {
                    0 => {}
                    1 => shown.extend(ratios.first().map(|&factor| (open, factor))),
                    _ => return Err(DISAGREE),
                }
            }
            if shown.is_empty() {
                return Err(NO_UNIT);
            }
            for (open, factor) in shown {
                known[open] = Some(factor);
            }
        }
        let factors: Vec<u64> = known.into_iter().flatten().collect();
        if factors.iter().zip(&self.profiles).any(|(&factor, profile)| factor > 1 && profile.is_masked()) {
            return Err(MASKED);
        }
        let enough = |(at, &factor): (usize, &u64)| {
            is_plain(function) || self.is_enough(pieces[at].code, &self.profiles[at], factor)
        };
        if !factors.iter().enumerate().all(enough) {
            return Err(DISAGREE);
        }
        if factors.iter().any(|&factor| factor == 0 || factor > MOST) { Err(DISAGREE) } else { Ok(factors) }
    }

    /// Source iterations, by piece.
    fn by_piece(&self, factors: &[u64]) -> Answer<Vec<u64>> {
        // Between pieces of such a loop, a test of its head may follow an iteration without another one.
        let ran = self.question.pieces.iter().filter(|piece| piece.iterations() != Some(0)).count();
        if ran > 1 && self.written.is_some_and(|(nest, written)| nest.head_reads(written)) {
            return Err(EXITS);
        }
        let piece = |(piece, &factor): (&Piece, &u64)| {
            let iterations = piece.iterations().ok_or(UNCOUNTED)?;
            if factor > 1 && !self.in_whole(piece.code, iterations) {
                return Err(EXITS);
            }
            let simple = self.written.map(|(nest, written)| nest.has_simple_head(written));
            // A condition of several parts is left by each, unless all are one branch, which data before the loop decided,
            // too; of copies not all run in the last iteration.
            let joined = || {
                let reads = self.written.is_some_and(|(nest, written)| nest.head_reads(written));
                piece.code.exits == 1 && factor == 1 && reads && !is_plain(self.question.function)
            };
            let parts = simple == Some(false) && !joined()
                || piece.code.exits > 1 && (factor > 1 || simple.is_none());
            if iterations > 0 && (parts || !self.tests_before()) {
                return Err(EXITS);
            }
            Ok(iterations.saturating_mul(factor))
        };
        self.question.pieces.iter().zip(factors).map(piece).collect()
    }

    /// Everything that runs in each iteration was executed as often: the loop is not left amid copies of the body, with
    /// some of them done.
    fn in_whole(&self, code: &LoopCode, iterations: u64) -> bool {
        let operations = self.question.function.operations.iter();
        let mut own = operations.filter(|o| o.in_loop == Some(code.index) && o.always && self.in_body(o));
        own.all(|o| self.question.executions.at(o.address).is_none_or(|executions| executions == iterations))
    }

    /// What the loop's head loads is loaded before the first iteration, too: then what the loop itself tests are its
    /// iterations. Else it may test once more than it iterates.
    fn tests_before(&self) -> bool {
        let function = self.question.function;
        let Some((nest, written)) = self.written.filter(|_| !is_plain(function)) else { return true };
        let own: BTreeSet<u32> = self.question.pieces.iter().map(|piece| piece.code.index).collect();
        let mut inside = false;
        for operation in function.operations.iter().filter(|o| o.kind == SourceKind::Load) {
            let Some(place) = function.places.get(operation.place as usize) else { continue };
            if !nest.in_condition(written, place.line, place.column) {
                continue;
            }
            if operation.in_loop.is_none_or(|l| !own.contains(&l)) {
                return true;
            }
            inside = true;
        }
        !inside
    }

    /// Iterations of all pieces. Statements that the compiler gave loops of their own are executed as often each.
    fn together(&self, by_piece: &[u64]) -> Answer<u64> {
        let sum = |part: &Vec<usize>| part.iter().map(|&at| by_piece[at]).fold(0, u64::saturating_add);
        let sums: BTreeSet<u64> = self.parts().iter().map(sum).filter(|&sum| sum > 0).collect();
        match sums.len() {
            0 => Ok(0),
            1 => Ok(sums.first().copied().unwrap_or_default()),
            _ => Err(DISAGREE),
        }
    }

    /// Pieces that share lines, directly or through others.
    fn parts(&self) -> Vec<Vec<usize>> {
        /// Lines, and the pieces that share them.
        type Part = (BTreeSet<(u32, u32)>, Vec<usize>);
        let mut parts: Vec<Part> = Vec::new();
        for (at, profile) in self.profiles.iter().enumerate() {
            let lines = profile.operators.keys().filter_map(|key| line(self.question.function, key.0));
            let (mut own, mut members) = (lines.collect::<BTreeSet<_>>(), vec![at]);
            let (same, others): (Vec<_>, Vec<_>) = parts
                .into_iter()
                .partition(|part| !part.0.is_disjoint(&own) || part.0.is_empty() || own.is_empty());
            for part in same {
                own.extend(part.0);
                members.extend(part.1);
            }
            parts = others;
            parts.push((own, members));
        }
        parts.into_iter().map(|part| part.1).collect()
    }
}

/// The factor of `open` from that of `unit`: all that both show must agree; nothing when they share no evidence.
fn ratio(function: &FunctionCode, unit: &Profile, open: &Profile, factor: u64) -> Answer<Option<u64>> {
    let mut shown = BTreeSet::new();
    let mut compare = |one: u64, other: u64| {
        let product = other.saturating_mul(factor);
        if one == 0 || !product.is_multiple_of(one) {
            return Err(DISAGREE);
        }
        shown.insert(product / one);
        Ok(())
    };
    let (of_unit, of_open) = (unit.totals(true), open.totals(true));
    for (kind, &one) in &of_unit {
        if let Some(&other) = of_open.get(kind) {
            compare(one, other)?;
        }
    }
    let (of_unit, of_open) = (unit.strides(function), open.strides(function));
    for (line, &one) in &of_unit {
        if let Some(&other) = of_open.get(line) {
            compare(one, other)?;
        }
    }
    // Of a line where some operand moves in an unknown way, those of one place.
    let places = unit.operators.iter().filter(|(key, amount)| {
        let unknown = line(function, key.0).is_some_and(|line| !of_unit.contains_key(&(line, key.1)));
        unknown && is_memory(key.1) && amount.stride.is_some()
    });
    for (key, amount) in places {
        let other = open.operators.get(key).and_then(|other| other.stride);
        if let Some((one, other)) = amount.stride.zip(other) {
            compare(one, other)?;
        }
    }
    match shown.len() {
        0 => Ok(None),
        1 => Ok(shown.first().copied()),
        _ => Err(DISAGREE),
    }
}
