//! Iterations of the loop as written, inferred from machine iterations and from the work that the code does for each place
//! in the source.
//!
//! Machine iterations are counted; how many source iterations one of them does is nowhere written down. It follows from
//! the operators that are executed in every iteration: a piece of the loop does their work `factor` times in one of its own.
//! One piece tells the unit: in a loop where some operator does its work for one element, one machine iteration is one of
//! the source. The others follow by the ratio of the same operators' work. Where no piece tells the unit (a loop that was
//! unrolled, without remainder), the source text does, and only if it leaves no doubt: the operators are written in this
//! loop and in none inside it, all that the loop assigns is seen in the code, and neither complex numbers nor vector types
//! give one operator several elements.
//!
//! What the compiler wrote as straight code is found by the same places, and counted by its blocks. All evidence of the
//! best kind at hand must agree. Else nothing is said, but why.

mod evidence;
mod text;

use super::merge::Executions;
use super::trips::Piece;
use crate::patterns::expression::{Language, Text};
use evidence::{Amount, Amounts, Key, Tier, amounts, element, gcd};
use loopwright_binary::facts::{FunctionCode, LoopCode, SourceKind};
use std::collections::{BTreeMap, BTreeSet};
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
pub struct Question<'a> {
    pub function: &'a FunctionCode,
    pub pieces: &'a [Piece<'a>],
    /// How often code was executed.
    pub executions: &'a Executions,
    /// Texts of source files.
    pub sources: &'a BTreeMap<String, String>,
}

type Answer<T> = Result<T, &'static str>;

const NO_LINES: &str = "no debug information says which code belongs to which line";
const NO_EVIDENCE: &str =
    "no operation that runs in every iteration shows how many of them the compiler put together";
const NO_UNIT: &str = "the compiler put several iterations together, and nothing shows how many";
const DISAGREE: &str =
    "the operations of the loop do not agree on how many iterations the compiler put together";
const MASKED: &str = "its vectors may be partly switched off by masks";
const STRAIGHT: &str = "iterations in straight code beside the loop cannot be told apart";
const UNCOUNTED: &str = "not all of its code was counted";

/// Infers the iterations of a written loop.
pub fn infer(question: &Question) -> Inferred {
    let pieces = question.pieces;
    let amounts: Vec<Amounts> = pieces.iter().map(|piece| amounts(question.function, piece.code)).collect();
    let factors = factors(question, &amounts);
    let mut inferred = Inferred { factors: vec![None; pieces.len()], ..Inferred::default() };
    let told = factors.and_then(|factors| {
        inferred.factors = factors.iter().map(|&factor| u32::try_from(factor).ok()).collect();
        let done = Done { question, amounts: &amounts, factors: &factors };
        inferred.iterations = done.by_piece()?;
        let (total, straight) = done.total(&inferred.iterations)?;
        inferred.straight = straight;
        inferred.inferred = straight > 0 || factors.iter().any(|&factor| factor != 1);
        Ok(total)
    });
    match told {
        Ok(total) => inferred.total = Some(total),
        Err(why) => inferred.unknown = Some(why.to_owned()),
    }
    inferred
}

/// Source iterations of one machine iteration, by piece.
fn factors(question: &Question, amounts: &[Amounts]) -> Answer<Vec<u64>> {
    let pieces = question.pieces;
    if pieces.iter().any(|piece| piece.code.location.is_none()) {
        return Err(NO_LINES);
    }
    let mut known: Vec<Option<u64>> =
        (pieces.iter().zip(amounts)).map(|(_, amounts)| is_one(amounts).then_some(1)).collect();
    if known.iter().all(Option::is_none) {
        let least = (0..pieces.len()).min_by_key(|&at| work(&amounts[at]));
        let Some(least) = least else { return Err(NO_EVIDENCE) };
        known[least] = Some(by_text(question, pieces[least].code, &amounts[least])?);
    }
    // From one piece to the next that shares its operators.
    while known.iter().any(Option::is_none) {
        let mut told = Vec::new();
        for open in (0..pieces.len()).filter(|&at| known[at].is_none()) {
            let units = (0..pieces.len()).filter_map(|at| Some((at, known[at]?)));
            let mut ratios = BTreeSet::new();
            for (unit, factor) in units {
                if let Some(told) = ratio(&amounts[unit], &amounts[open], factor)? {
                    ratios.insert(told);
                }
            }
            match ratios.len() {
                0 => {}
                1 => told.extend(ratios.first().map(|&factor| (open, factor))),
                _ => return Err(DISAGREE),
            }
        }
        if told.is_empty() {
            return Err(NO_UNIT);
        }
        for (open, factor) in told {
            known[open] = Some(factor);
        }
    }
    let factors: Vec<u64> = known.into_iter().flatten().collect();
    if amounts.iter().zip(&factors).any(|(amounts, &factor)| factor > 1 && is_masked(amounts)) {
        return Err(MASKED);
    }
    if factors.iter().any(|&factor| factor == 0 || factor > MOST) { Err(DISAGREE) } else { Ok(factors) }
}

/// All memory is accessed under masks: the last iteration may be done with some lanes.
fn is_masked(amounts: &Amounts) -> bool {
    let mut accesses =
        amounts.iter().filter(|(key, _)| matches!(key.1, SourceKind::Load | SourceKind::Store)).peekable();
    accesses.peek().is_some() && accesses.all(|(_, amount)| amount.masked)
}

/// The work of all operators that count, for choosing the piece that does least.
fn work(amounts: &Amounts) -> u64 {
    let tiers = amounts.iter().filter(|((_, kind), amount)| amount.tier(*kind) != Tier::Loads);
    tiers.map(|(_, amount)| amount.amount).sum()
}

/// Operators of a tier that run in every iteration.
fn of_tier(amounts: &Amounts, tier: Tier) -> impl Iterator<Item = (Key, &Amount)> {
    amounts
        .iter()
        .filter(move |((_, kind), amount)| !amount.conditional && amount.tier(*kind) == tier)
        .map(|(k, a)| (*k, a))
}

/// One machine iteration is one of the source: some operator works on one element.
///
/// Where integers and loads are all that there is, each must do so: both are shared between iterations.
fn is_one(amounts: &Amounts) -> bool {
    let elements = |(key, amount): (Key, &Amount)| match key.1 {
        SourceKind::Store | SourceKind::Load if amount.packed => None,
        SourceKind::Store | SourceKind::Load => Some(amount.instructions),
        _ => Some(amount.amount),
    };
    let better = of_tier(amounts, Tier::Arithmetic).chain(of_tier(amounts, Tier::Stores));
    let better: Vec<u64> = better.filter_map(elements).collect();
    if !better.is_empty() {
        return better.into_iter().fold(0, gcd) == 1;
    }
    let mut others =
        of_tier(amounts, Tier::Integers).chain(of_tier(amounts, Tier::Loads)).map(elements).peekable();
    others.peek().is_some() && others.all(|n| n == Some(1))
}

/// The factor of `open` from that of `unit`, by the best evidence that both share; all of it must agree.
fn ratio(unit: &Amounts, open: &Amounts, factor: u64) -> Answer<Option<u64>> {
    for tier in Tier::ALL {
        let mut told = None;
        for (key, one) in of_tier(unit, tier) {
            let Some(other) = open.get(&key).filter(|other| !other.conditional && other.tier(key.1) == tier)
            else {
                continue;
            };
            let product = other.amount.saturating_mul(factor);
            if !product.is_multiple_of(one.amount) || told.is_some_and(|told| told != product / one.amount) {
                return Err(DISAGREE);
            }
            told = Some(product / one.amount);
        }
        if told.is_some() {
            return Ok(told);
        }
    }
    Ok(None)
}

/// The factor of a piece whose code leaves it open, by the source text.
fn by_text(question: &Question, code: &LoopCode, amounts: &Amounts) -> Answer<u64> {
    let function = question.function;
    let unit = function.unit.as_ref();
    if unit.and_then(|unit| unit.compound_numbers) != Some(false) {
        return Err(NO_UNIT);
    }
    let location = code.location.as_ref().ok_or(NO_LINES)?;
    let text = question.sources.get(&location.file).ok_or(NO_UNIT)?;
    let text = Text::new(text, Language::of(unit.map(|unit| unit.language.as_str()), &location.file));
    let nest = Nest::new(&text);
    let written = nest.at(location.line).ok_or(NO_UNIT)?;
    let file = function.files.iter().position(|file| *file == location.file).ok_or(NO_UNIT)? as u32;
    let depth = code.inlined_from.len() as u32;
    let mut seen = BTreeSet::new();
    let mut told = BTreeSet::new();
    for (key, amount) in amounts {
        let place = function.places.get(key.0 as usize).ok_or(NO_UNIT)?;
        if place.file != file || place.depth != depth {
            continue;
        }
        if key.1 != SourceKind::Load {
            seen.insert((place.line, place.column));
        }
        let tier = amount.tier(key.1);
        if amount.conditional || tier == Tier::Loads || !nest.holds(written, place.line, place.column) {
            continue;
        }
        let Some(operators) = nest.operators(place.line, place.column, key.1) else { continue };
        let elements = match key.1 {
            SourceKind::Store => match element(function, *key) {
                Some(bytes) => amount.amount / bytes.max(1),
                None => continue,
            },
            _ => amount.amount,
        };
        if !elements.is_multiple_of(operators) {
            return Err(DISAGREE);
        }
        told.insert((tier, elements / operators));
    }
    let missing = |&(line, column): &(u32, u32)| {
        if nest.has_columns() {
            !seen.contains(&(line, column))
        } else {
            !seen.iter().any(|place| place.0 == line)
        }
    };
    if nest.assignments(written).iter().any(missing) {
        return Err(NO_UNIT);
    }
    let best = told.first().map(|&(tier, _)| tier).ok_or(NO_UNIT)?;
    let mut of_best = told.iter().filter(|told| told.0 == best || told.0 == Tier::Stores).map(|told| told.1);
    let first = of_best.next().ok_or(NO_UNIT)?;
    if of_best.all(|other| other == first) { Ok(first) } else { Err(DISAGREE) }
}

/// Adds up what was done.
struct Done<'a> {
    question: &'a Question<'a>,
    amounts: &'a [Amounts],
    factors: &'a [u64],
}

impl Done<'_> {
    /// Source iterations, by piece.
    fn by_piece(&self) -> Answer<Vec<u64>> {
        let pieces = self.question.pieces.iter().zip(self.factors);
        pieces
            .map(|(piece, &factor)| {
                let iterations = piece.iterations().ok_or(UNCOUNTED)?;
                // Copies of a loop with several exits do not all run in the last iteration.
                if factor > 1 && iterations > 0 && piece.code.exits > 1 {
                    return Err(DISAGREE);
                }
                Ok(iterations.saturating_mul(factor))
            })
            .collect()
    }

    /// All source iterations, and those in straight code.
    fn total(&self, by_piece: &[u64]) -> Answer<(u64, u64)> {
        let all: u64 = by_piece.iter().sum();
        // Statements that the compiler gave loops of their own are executed as often each.
        let parts = self.parts();
        let sums: BTreeSet<u64> = parts
            .iter()
            .map(|part| part.iter().map(|&at| by_piece[at]).sum())
            .filter(|&sum| sum > 0)
            .collect();
        let looped = match sums.len() {
            0 => 0,
            1 => sums.first().copied().unwrap_or(all),
            _ if parts.len() == 1 => all,
            _ => return Err(DISAGREE),
        };
        let straight = self.straight()?;
        Ok((looped + straight, straight))
    }

    /// Pieces that share operators, directly or through others.
    fn parts(&self) -> Vec<Vec<usize>> {
        let lines = |at: usize| -> BTreeSet<(u32, u32)> {
            let places =
                self.amounts[at].keys().filter_map(|key| self.question.function.places.get(key.0 as usize));
            places.map(|place| (place.chain, place.line)).collect()
        };
        let mut parts: Vec<(BTreeSet<(u32, u32)>, Vec<usize>)> = Vec::new();
        for at in 0..self.amounts.len() {
            let (mut own, mut members) = (lines(at), vec![at]);
            let (same, others): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|part| !part.0.is_disjoint(&own));
            for part in same {
                own.extend(part.0);
                members.extend(part.1);
            }
            parts = others;
            parts.push((own, members));
        }
        parts.into_iter().map(|part| part.1).collect()
    }

    /// Source iterations that code outside of the pieces does.
    fn straight(&self) -> Answer<u64> {
        let beside = self.beside()?;
        if beside.is_empty() {
            return Ok(0);
        }
        for tier in [Tier::Arithmetic, Tier::Stores, Tier::Integers] {
            let told = self.telling(tier);
            let told = told.iter().map(|(key, unit)| {
                unit.iterations(beside.iter().filter(|b| (b.place, b.kind) == *key).map(|b| b.amount).sum())
            });
            if let Some(told) = agreed(told)? {
                return Ok(told);
            }
        }
        // An arithmetic instruction may load what it works on: then the load has its place.
        let told = self.loaded().into_iter().map(|(line, unit)| {
            let loads =
                beside.iter().filter(|b| b.kind == SourceKind::Load && self.line(b.place) == Some(line));
            unit.iterations(loads.map(|b| b.amount).sum())
        });
        agreed(told)?.ok_or(STRAIGHT)
    }

    /// Operators that do the same in each source iteration of every piece.
    fn telling(&self, tier: Tier) -> BTreeMap<Key, Unit> {
        let mut units: BTreeMap<Key, Option<Unit>> = BTreeMap::new();
        for (amounts, &factor) in self.amounts.iter().zip(self.factors) {
            for (key, amount) in amounts.iter().filter(|(key, amount)| amount.tier(key.1) == tier) {
                let unit = Unit { amount: amount.amount, factor };
                let usual = !amount.conditional && !amount.accumulates;
                let known = units.entry(*key).or_insert(Some(unit));
                *known = known.filter(|known| usual && known.is(&unit));
            }
        }
        units.into_iter().filter_map(|(key, unit)| Some((key, unit?))).collect()
    }

    /// What each line loads in one source iteration, where every piece loads as much.
    fn loaded(&self) -> BTreeMap<(u32, u32), Unit> {
        let mut units: BTreeMap<(u32, u32), Option<Unit>> = BTreeMap::new();
        for (amounts, &factor) in self.amounts.iter().zip(self.factors) {
            let mut of_lines: BTreeMap<(u32, u32), (u64, bool)> = BTreeMap::new();
            for (key, amount) in amounts.iter().filter(|(key, _)| key.1 == SourceKind::Load) {
                let Some(line) = self.line(key.0) else { continue };
                let of_line = of_lines.entry(line).or_default();
                of_line.0 += amount.amount;
                of_line.1 |= amount.conditional;
            }
            for (line, (amount, conditional)) in of_lines {
                let unit = Unit { amount, factor };
                let known = units.entry(line).or_insert(Some(unit));
                *known = known.filter(|known| !conditional && known.is(&unit));
            }
        }
        units.into_iter().filter_map(|(line, unit)| Some((line, unit?))).collect()
    }

    fn line(&self, place: u32) -> Option<(u32, u32)> {
        self.question.function.places.get(place as usize).map(|place| (place.chain, place.line))
    }

    /// What code outside of the pieces did for their places.
    fn beside(&self) -> Answer<Vec<Beside>> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let own: BTreeSet<u32> = pieces.iter().map(|piece| piece.code.index).collect();
        let lines: BTreeSet<(u32, u32)> =
            self.amounts.iter().flat_map(Amounts::keys).filter_map(|key| self.line(key.0)).collect();
        let location = pieces.first().and_then(|piece| piece.code.location.as_ref());
        let mut beside = Vec::new();
        for operation in &function.operations {
            if operation.in_loop.is_some_and(|l| own.contains(&l))
                || self.line(operation.place).is_none_or(|line| !lines.contains(&line))
            {
                continue;
            }
            let around = |index: u32| pieces.iter().any(|piece| self.encloses(index, piece.code));
            // Another group of the same statement, in another copy of the loop around, counts for itself.
            let other = |index: u32| {
                let code = function.loops.get(index as usize);
                code.is_some_and(|code| code.location.as_ref() == location)
            };
            let executions = match self.question.executions.at(operation.address) {
                Some(executions) => executions,
                None if pieces.iter().all(|piece| piece.complete) => 0,
                None => return Err(UNCOUNTED),
            };
            if executions == 0 || operation.in_loop.is_some_and(other) {
                continue;
            }
            if operation.in_loop.is_some_and(|index| !around(index)) {
                // Inside of a loop of the body, or in a loop beside that shares a line.
                let inside = operation.in_loop.and_then(|index| function.loops.get(index as usize));
                if inside
                    .is_some_and(|inside| pieces.iter().any(|piece| self.encloses(piece.code.index, inside)))
                {
                    continue;
                }
                if !self
                    .amounts
                    .iter()
                    .any(|amounts| amounts.contains_key(&(operation.place, operation.kind)))
                {
                    continue;
                }
                return Err(STRAIGHT);
            }
            let amount = u64::from(operation.amount).saturating_mul(executions);
            beside.push(Beside { place: operation.place, kind: operation.kind, amount });
        }
        Ok(beside)
    }

    /// Loop `index` is around `code`.
    fn encloses(&self, index: u32, code: &LoopCode) -> bool {
        let loops = &self.question.function.loops;
        let mut around = code.parent;
        // A stored nest may be anything.
        for _ in 0..loops.len() {
            match around {
                Some(at) if at == index => return true,
                Some(at) => around = loops.get(at as usize).and_then(|l| l.parent),
                None => return false,
            }
        }
        false
    }
}

/// Work of a place beside the loop.
struct Beside {
    place: u32,
    kind: SourceKind,
    amount: u64,
}

/// What an operator does in some source iterations.
#[derive(Clone, Copy, Debug)]
struct Unit {
    amount: u64,
    factor: u64,
}

impl Unit {
    fn is(&self, other: &Self) -> bool {
        self.amount.saturating_mul(other.factor) == other.amount.saturating_mul(self.factor)
    }

    /// Source iterations that do so much; absent when they are not whole.
    fn iterations(&self, amount: u64) -> Option<u64> {
        let product = amount.saturating_mul(self.factor);
        (self.amount > 0 && product.is_multiple_of(self.amount)).then(|| product / self.amount)
    }
}

/// What all say; nothing when nothing says anything.
fn agreed(told: impl Iterator<Item = Option<u64>>) -> Answer<Option<u64>> {
    let mut common = None;
    for told in told {
        let told = told.ok_or(STRAIGHT)?;
        if common.is_some_and(|common| common != told) {
            return Err(STRAIGHT);
        }
        common = Some(told);
    }
    Ok(common)
}
