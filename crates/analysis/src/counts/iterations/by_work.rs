//! The factor of a loop by what its lines do in one source iteration, as the text says.
//!
//! Four things tell, each by itself: how far the operands of a line move against how far its subscripts do, bytes stored
//! and loaded against those of its references, floating-point operations against its operators. Each has its own way to
//! mislead: a nest whose outer loop was unrolled into the inner one moves as one iteration and works as several; an
//! optimiser drops operators, shares loads between iterations and merges stores. It never adds any. So a factor counts
//! where two that tell agree, no other tells more, and distances and stores do not contradict.

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
}

/// What tells the factor.
#[derive(Clone, Debug, Default)]
struct Told {
    moved: BTreeSet<u64>,
    stored: BTreeSet<u64>,
    loaded: BTreeSet<u64>,
    computed: BTreeSet<u64>,
    /// No smaller factor does as much work.
    least: u64,
}

impl Loops<'_, '_> {
    /// Source iterations of one machine iteration, where enough tells.
    pub(super) fn by_work(&self, code: &LoopCode, profile: &Profile) -> Answer<Option<u64>> {
        let told = self.told(code, profile)?;
        if std::env::var_os("DBG").is_some() {
            eprintln!("DBG {:?} told {told:?} lines {:?} work {:?}", code.location.as_ref().map(|l| l.line), self.at_lines(code, profile), self.work);
        }
        let sets = [&told.moved, &told.stored, &told.loaded, &told.computed];
        let mut known: BTreeMap<u64, usize> = BTreeMap::new();
        for factor in sets.iter().copied().flatten() {
            *known.entry(*factor).or_default() += 1;
        }
        let agreed = |&(_, &n): &(&u64, &usize)| n > 1;
        let mut agreeing = known.iter().filter(agreed).map(|(&factor, _)| factor);
        let (first, other) = (agreeing.next(), agreeing.next());
        let contradicts = |factor: u64| {
            let differs = |set: &BTreeSet<u64>| set.iter().any(|&told| told != factor);
            differs(&told.moved) || differs(&told.stored) || told.least > factor
        };
        match (first, other) {
            (Some(factor), None) if contradicts(factor) => Err(DISAGREE),
            (Some(_), Some(_)) => Err(DISAGREE),
            (factor, _) => Ok(factor),
        }
    }

    /// A factor that is known otherwise does at least the work that is seen.
    pub(super) fn is_enough(&self, code: &LoopCode, profile: &Profile, factor: u64) -> bool {
        self.told(code, profile).is_ok_and(|told| told.least <= factor && told.moved.iter().all(|&moved| moved == factor))
    }

    /// One thing at least tells this factor.
    pub(super) fn is_told(&self, code: &LoopCode, profile: &Profile, factor: u64) -> bool {
        let told = self.told(code, profile).unwrap_or_default();
        [told.moved, told.stored, told.loaded, told.computed].iter().any(|set| set.len() == 1 && set.contains(&factor))
    }

    fn told(&self, code: &LoopCode, profile: &Profile) -> Answer<Told> {
        let mut told = Told::default();
        let Some((nest, written)) = self.written else { return Ok(told) };
        let straight = nest.is_straight(written);
        for (line, at) in self.at_lines(code, profile) {
            let Some(work) = self.work.get(&line) else { continue };
            for (store, moves) in [false, true].into_iter().zip(&at.moves) {
                told.moved.extend(moved(work.of(store).map(|access| access.moves), moves)?);
            }
            for (store, done) in [false, true].into_iter().zip(at.bytes) {
                let done = done.filter(|&done| done > 0);
                // What stays where it is may be accessed once, before or after the loop.
                let moving = work.of(store).all(|access| access.moves.is_some_and(|moves| moves > 0));
                let Some((wanted, done)) = work.bytes(store).zip(done).filter(|(wanted, _)| moving && *wanted > 0)
                else {
                    continue;
                };
                if straight && done.is_multiple_of(wanted) {
                    let told = if store { &mut told.stored } else { &mut told.loaded };
                    told.insert(done / wanted);
                }
                // Vectors of operands with gaps load what nobody uses.
                let gapless = store || straight && work.of(false).all(|access| access.moves == access.bytes);
                if let Some(most) = work.most_bytes(store).filter(|_| gapless) {
                    told.least = told.least.max(done.div_ceil(most));
                }
            }
            if let Some((wanted, done)) = work.operators.zip(at.operations).filter(|&(wanted, done)| wanted > 0 && done > 0) {
                if done.is_multiple_of(wanted) {
                    told.computed.insert(done / wanted);
                }
                told.least = told.least.max(done.div_ceil(wanted));
            }
        }
        Ok(told)
    }

    /// What a machine loop's own code does at the lines of the written loop.
    fn at_lines(&self, code: &LoopCode, profile: &Profile) -> BTreeMap<u32, AtLine> {
        let function = self.question.function;
        let depth = code.inlined_from.len() as u32;
        let mut lines: BTreeMap<u32, AtLine> = BTreeMap::new();
        // The loop's own places are in one file, which is that of its position.
        let places = || profile.operators.keys().filter_map(|key| function.places.get(key.0 as usize));
        let files: BTreeSet<u32> = places().filter(|place| place.depth == depth).map(|place| place.file).collect();
        let file = files.first().copied().filter(|_| files.len() == 1);
        let own = |place: u32| {
            let place = function.places.get(place as usize)?;
            (Some(place.file) == file && place.depth == depth).then_some(place.line)
        };
        for (key, amount) in &profile.operators {
            let Some(line) = own(key.0) else { continue };
            let fresh = || AtLine { bytes: [Some(0), Some(0)], operations: Some(0), ..AtLine::default() };
            let at = lines.entry(line).or_insert_with(fresh);
            let add = |sum: &mut Option<u64>| *sum = sum.filter(|_| !amount.conditional).map(|n| n + amount.amount);
            if is_memory(key.1) {
                add(&mut at.bytes[usize::from(key.1 == SourceKind::Store)]);
            } else if amount.floating {
                add(&mut at.operations);
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
    let Some(wanted) = wanted.collect::<Option<BTreeSet<u64>>>() else { return Ok(None) };
    let wanted: BTreeSet<u64> = wanted.into_iter().filter(|&bytes| bytes > 0).collect();
    let (Some(least), false) = (moves.first(), wanted.is_empty()) else { return Ok(None) };
    let fits = |factor: &u64| moves.iter().all(|bytes| bytes.is_multiple_of(*factor) && wanted.contains(&(bytes / factor)));
    let factors = wanted.iter().filter(|&&bytes| least.is_multiple_of(bytes)).map(|bytes| least / bytes);
    let factors: BTreeSet<u64> = factors.filter(fits).collect();
    match factors.len() {
        0 => Err(DISAGREE),
        1 => Ok(factors.first().copied()),
        _ => Ok(None),
    }
}
