//! The factor of a loop by what its lines do in one source iteration, by the text.
//!
//! There are four kinds of evidence, each for itself: how far the operands of a line move against how far its subscripts do, bytes stored
//! and loaded against those of its references, floating-point operations against its operators. Each has its own way to
//! mislead: a nest whose outer loop was unrolled into the inner one moves as one iteration and works as several; an
//! optimiser drops operators, shares loads between iterations and merges stores. It never adds any. So a factor counts
//! where two of them agree, none shows more, and distances and stores do not contradict.

use super::accesses::LineWork;
use super::evidence::{Profile, is_memory};
use super::{Answer, DISAGREE, Loops};
use loopwright_binary::facts::{LoopCode, SourceKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a machine loop does at one line in an iteration.
#[derive(Clone, Debug, Default)]
struct AtLine {
    /// Distances of loads and of stores.
    moves: [BTreeSet<u64>; 2],
    /// Bytes loaded and stored; nothing where some do not happen in each iteration.
    bytes: [Option<u64>; 2],
    /// Floating-point operations.
    operations: Option<u64>,
    /// Elements of packed integer arithmetic.
    integers: u64,
}

/// The factors that each kind of evidence shows.
#[derive(Clone, Debug, Default)]
struct Shown {
    moved: BTreeSet<u64>,
    stored: BTreeSet<u64>,
    loaded: BTreeSet<u64>,
    computed: BTreeSet<u64>,
    /// No smaller factor does as much work.
    least: u64,
}

impl AtLine {
    fn add(&mut self, other: &Self) {
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a + b);
        self.bytes = [sum(self.bytes[0], other.bytes[0]), sum(self.bytes[1], other.bytes[1])];
        self.operations = sum(self.operations, other.operations);
        self.integers += other.integers;
    }
}

impl Shown {
    /// What a machine loop does, against what the lines want.
    fn work(
        &mut self,
        wanted: &[&LineWork],
        at: &AtLine,
        straight: bool,
        plain: bool,
        packed: bool,
        bounds: bool,
    ) {
        for (store, done) in [false, true].into_iter().zip(at.bytes) {
            let accesses = || wanted.iter().flat_map(|work| work.of(store));
            // What stays where it is may be accessed once, before or after the loop.
            let moving = accesses().all(|access| access.moves != Some(0)) && accesses().next().is_some();
            let bytes: Option<u64> = wanted.iter().map(|work| work.bytes(store)).sum();
            let Some((bytes, done)) =
                bytes.zip(done).filter(|&(bytes, done)| moving && bytes > 0 && done > 0)
            else {
                continue;
            };
            if straight && done.is_multiple_of(bytes) {
                let shown = if store { &mut self.stored } else { &mut self.loaded };
                shown.insert(done / bytes);
            }
            // Vector code loads more than is used, and some of it twice.
            let most: Option<u64> = wanted.iter().map(|work| work.most_bytes(store)).sum();
            if let Some(most) = most.filter(|_| bounds && (store || straight && !packed)) {
                self.least = self.least.max(done.div_ceil(most));
            }
        }
        let operators: Option<u64> = wanted.iter().map(|work| work.operators).sum();
        let Some(operators) = operators.filter(|&operators| plain && operators > 0) else { return };
        if let Some(done) = at.operations.filter(|&done| done > 0) {
            if done.is_multiple_of(operators) {
                self.computed.insert(done / operators);
            }
            if bounds {
                self.least = self.least.max(done.div_ceil(operators));
            }
        } else if packed && at.integers > 0 && at.integers.is_multiple_of(operators) {
            self.computed.insert(at.integers / operators);
        }
    }
}

impl Loops<'_, '_> {
    /// Source iterations of one machine iteration, where the evidence suffices.
    pub(super) fn by_work(&self, code: &LoopCode, profile: &Profile) -> Answer<Option<u64>> {
        let shown = self.shown(code, profile)?;
        let sets = [&shown.moved, &shown.stored, &shown.loaded, &shown.computed];
        let mut known: BTreeMap<u64, usize> = BTreeMap::new();
        for factor in sets.iter().copied().flatten() {
            *known.entry(*factor).or_default() += 1;
        }
        let agreed = |&(_, &n): &(&u64, &usize)| n > 1;
        let mut agreeing = known.iter().filter(agreed).map(|(&factor, _)| factor);
        let (first, other) = (agreeing.next(), agreeing.next());
        let contradicts = |factor: u64| {
            let differs = |set: &BTreeSet<u64>| set.iter().any(|&shown| shown != factor);
            differs(&shown.moved) || shown.least > factor
        };
        match (first, other) {
            (Some(factor), None) if contradicts(factor) => Err(DISAGREE),
            (Some(_), Some(_)) => Err(DISAGREE),
            (factor, _) => Ok(factor),
        }
    }

    /// A factor that is known otherwise does at least the work that is seen.
    pub(super) fn is_enough(&self, code: &LoopCode, profile: &Profile, factor: u64) -> bool {
        self.shown(code, profile)
            .is_ok_and(|shown| shown.least <= factor && shown.moved.iter().all(|&moved| moved == factor))
    }

    /// The operands move as in `factor` iterations, and no work is seen that takes more of them.
    pub(super) fn moves_by(&self, code: &LoopCode, profile: &Profile, factor: u64) -> bool {
        self.shown(code, profile).is_ok_and(|shown| {
            shown.least <= factor && shown.moved.len() == 1 && shown.moved.contains(&factor)
        })
    }

    /// Some evidence shows this factor.
    pub(super) fn is_shown(&self, code: &LoopCode, profile: &Profile, factor: u64) -> bool {
        let shown = self.shown(code, profile).unwrap_or_default();
        [shown.moved, shown.stored, shown.loaded, shown.computed]
            .iter()
            .any(|set| set.len() == 1 && set.contains(&factor))
    }

    fn shown(&self, code: &LoopCode, profile: &Profile) -> Answer<Shown> {
        let mut shown = Shown::default();
        let Some((nest, written)) = self.written else { return Ok(shown) };
        let mut lines = self.at_lines(code, profile);
        // Of loops inside, what is done outside of them is what the compiler moved out of them, or left over.
        if !code.innermost {
            lines.retain(|line, _| !self.work.inner.contains(line));
        }
        for (line, at) in &lines {
            let Some(work) = self.work.lines.get(line) else { continue };
            for (store, moves) in [false, true].into_iter().zip(&at.moves) {
                shown.moved.extend(moved(work.of(store).map(|access| access.moves), moves)?);
            }
        }
        // The parts of a complex number take an operation each.
        let compound = self.question.function.unit.as_ref().and_then(|unit| unit.compound_numbers.as_ref());
        let plain = compound.is_some_and(|names| !nest.mentions(written, names));
        let straight = nest.is_straight(written);
        if !self.work.complete {
            for (line, at) in &lines {
                if let Some(work) = self.work.lines.get(line) {
                    shown.work(&[work], at, straight, plain, profile.is_packed(), false);
                }
            }
            return Ok(shown);
        }
        // Compilers give vectors that do the work of several lines the place of one: all lines are taken together. Of a loop
        // inside there are some if it was unrolled.
        let wanted = self
            .work
            .lines
            .iter()
            .filter(|(line, _)| !self.work.inner.contains(line) || lines.contains_key(line));
        let wanted: Vec<&LineWork> = wanted.map(|(_, work)| work).collect();
        let unknown =
            lines.keys().any(|line| self.work.inner.contains(line) && !self.work.lines.contains_key(line));
        if !unknown {
            let mut all = AtLine { bytes: [Some(0), Some(0)], operations: Some(0), ..AtLine::default() };
            for at in lines.values() {
                all.add(at);
            }
            shown.work(&wanted, &all, straight, plain, profile.is_packed(), true);
        }
        Ok(shown)
    }

    /// What a machine loop's own code does at the lines of the written loop.
    fn at_lines(&self, code: &LoopCode, profile: &Profile) -> BTreeMap<u32, AtLine> {
        let function = self.question.function;
        let depth = code.inlined_from.len() as u32;
        let mut lines: BTreeMap<u32, AtLine> = BTreeMap::new();
        // The loop's own places are in one file, which is that of its position.
        let places = || profile.operators.keys().filter_map(|key| function.places.get(key.0 as usize));
        let files: BTreeSet<u32> =
            places().filter(|place| place.depth == depth).map(|place| place.file).collect();
        let file = files.first().copied().filter(|_| files.len() == 1);
        let own = |place: u32| {
            let place = function.places.get(place as usize)?;
            (Some(place.file) == file && place.depth == depth).then_some(place.line)
        };
        for (key, amount) in &profile.operators {
            let Some(line) = own(key.0) else { continue };
            let fresh = || AtLine { bytes: [Some(0), Some(0)], operations: Some(0), ..AtLine::default() };
            let at = lines.entry(line).or_insert_with(fresh);
            let add =
                |sum: &mut Option<u64>| *sum = sum.filter(|_| !amount.conditional).map(|n| n + amount.amount);
            if is_memory(key.1) {
                add(&mut at.bytes[usize::from(key.1 == SourceKind::Store)]);
            } else if amount.floating {
                add(&mut at.operations);
            } else if amount.packed && !amount.conditional {
                at.integers += amount.amount;
            }
        }
        let places: BTreeMap<u64, u32> = function.operations.iter().map(|o| (o.address, o.place)).collect();
        for stride in code.strides.iter().filter(|stride| stride.bytes != 0) {
            let line = places.get(&stride.address).and_then(|&place| own(place));
            if let Some(at) = line.and_then(|line| lines.get_mut(&line)) {
                at.moves[usize::from(stride.store)].insert(stride.bytes.unsigned_abs());
            }
        }
        lines
    }
}

/// The one factor by which all operands move as references do.
fn moved(wanted: impl Iterator<Item = Option<u64>>, moves: &BTreeSet<u64>) -> Answer<Option<u64>> {
    let wanted: BTreeSet<Option<u64>> = wanted.filter(|&bytes| bytes != Some(0)).collect();
    if wanted.contains(&None) {
        // Operands that are not known may move, too: one distance of those that are must do.
        let mut known = wanted.iter().flatten();
        let (known, None) = (known.next(), known.next()) else { return Ok(None) };
        let one = moves.first().filter(|_| moves.len() == 1);
        let whole = known.zip(one).filter(|(known, one)| one.is_multiple_of(**known));
        return Ok(whole.map(|(known, one)| one / known));
    }
    let wanted: BTreeSet<u64> = wanted.into_iter().flatten().collect();
    let (Some(least), false) = (moves.first(), wanted.is_empty()) else { return Ok(None) };
    let fits = |factor: &u64| {
        moves.iter().all(|bytes| bytes.is_multiple_of(*factor) && wanted.contains(&(bytes / factor)))
    };
    let factors = wanted.iter().filter(|&&bytes| least.is_multiple_of(bytes)).map(|bytes| least / bytes);
    let factors: BTreeSet<u64> = factors.filter(fits).collect();
    match factors.len() {
        0 => Err(DISAGREE),
        1 => Ok(factors.first().copied()),
        _ => Ok(None),
    }
}
