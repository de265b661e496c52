//! Source iterations that the compiler wrote as straight code beside a loop: remainder and peeled iterations.
//!
//! They are executions of the loop's own places, counted by basic blocks. Not everything there is an iteration: lanes are
//! added up after a reduction, the test of the loop's head is done once before it, loads are moved out of the loop. So
//! the evidence is floating-point operations that do not accumulate, and stores, and all must agree; of a sum it is its
//! loads, as long as as much is added.

use super::evidence::{Key, Line, Profile, is_memory, is_plain, line};
use super::{Answer, Loops, STRAIGHT, UNCOUNTED};
use loopwright_binary::facts::{LoopCode, SourceKind, SourceOperation};
use std::collections::{BTreeMap, BTreeSet};

/// What is done in some source iterations.
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

/// Whether operators accumulate: by place, and by line for copies to which GCC gives other columns; nothing where those of a
/// line differ.
#[derive(Default)]
struct Accumulating {
    places: BTreeMap<Key, Option<bool>>,
    lines: BTreeMap<(Line, SourceKind), Option<bool>>,
}

/// Work of a line beside the loop.
pub(super) struct Beside {
    line: Line,
    kind: SourceKind,
    floating: bool,
    accumulates: bool,
    amount: u64,
    /// Of the loop's own statements, not of a loop inside.
    own: bool,
}

impl Loops<'_, '_> {
    /// Source iterations that code outside of the pieces does.
    pub(super) fn straight(&self, factors: &[u64]) -> Answer<u64> {
        // Compilers that do not optimise leave each iteration in its loop.
        if is_plain(self.question.function) {
            return Ok(0);
        }
        let beside = self.beside()?;
        let Some((_, written)) = self.written.filter(|(nest, written)| nest.has_inside(*written)) else {
            return self.straight_by(&beside, &self.profiles, factors);
        };
        // What loops inside do may be moved out of them, and of this one: only its own statements are done as often as it
        // iterates. Of a loop without any, all must show that there is nothing.
        let own: Vec<Profile> = (self.question.pieces.iter().zip(&self.profiles))
            .map(|(piece, profile)| self.own_work(piece.code, profile, written))
            .collect();
        if own.iter().all(|profile| !profile.totals(false).is_empty()) {
            let beside: Vec<Beside> = beside.into_iter().filter(|b| b.own).collect();
            return self.straight_by(&beside, &own, factors);
        }
        // Loads alone were moved out of the loops inside: an iteration does what they do, too.
        if beside.iter().all(|b| b.kind == SourceKind::Load) {
            return Ok(0);
        }
        match self.straight_by(&beside, &self.profiles, factors)? {
            0 => Ok(0),
            _ => Err(STRAIGHT),
        }
    }

    /// The same by what some operators did beside the loop, and do in it.
    fn straight_by(&self, beside: &[Beside], profiles: &[Profile], factors: &[u64]) -> Answer<u64> {
        let sum = |wanted: &dyn Fn(&&Beside) -> bool| -> u64 {
            beside.iter().filter(wanted).map(|b| b.amount).fold(0, u64::saturating_add)
        };
        if beside.is_empty() {
            return Ok(0);
        }
        // What a copy does under a condition, and what it does always, another may do the other way round.
        if self.written.is_some_and(|(nest, written)| !nest.is_straight(written)) {
            return Err(STRAIGHT);
        }
        let totals: Vec<_> = profiles.iter().map(|profile| profile.totals(false)).collect();
        let shown = units(&totals, factors).into_iter().map(|(kind, unit)| {
            let same =
                |b: &&Beside| b.kind == kind && !b.accumulates && (b.floating || kind == SourceKind::Store);
            unit.iterations(sum(&same))
        });
        if let Some(shown) = agreed(shown)? {
            return Ok(shown);
        }
        if let Some(shown) = self.loaded(beside, factors)? {
            return Ok(shown);
        }
        let works = profiles.iter().any(|profile| !profile.totals(true).is_empty());
        let added = sum(&|b| b.accumulates);
        if sum(&|b| b.kind != SourceKind::Load) == 0 {
            // Only loads: of a loop that adds up floating-point numbers or stores they are no iterations; but beside vectors
            // what they are added to may have another place.
            let vectors = profiles.iter().any(Profile::is_packed);
            return if works && !vectors { Ok(0) } else { Err(STRAIGHT) };
        }
        // A sum in memory is stored after the loop; no iteration does without its additions.
        let adding = |profile: &Profile| {
            !profile.is_packed() && profile.totals(true).keys().any(|kind| !is_memory(*kind))
        };
        let stores = profiles.iter().any(|p| p.operators.keys().any(|key| key.1 == SourceKind::Store));
        if sum(&|b| !is_memory(b.kind)) == 0 && !stores && profiles.iter().all(adding) {
            return Ok(0);
        }
        if added == 0 {
            return Err(STRAIGHT);
        }
        // Vector code may load more than it uses: without a scalar piece nothing shows how much an iteration needs.
        if profiles.iter().all(Profile::is_packed) {
            return Err(STRAIGHT);
        }
        let loads: Vec<_> = profiles.iter().map(|profile| profile.loads(self.question.function)).collect();
        let shown = units(&loads, factors)
            .into_iter()
            .map(|(line, unit)| unit.iterations(sum(&|b| b.kind == SourceKind::Load && b.line == line)));
        let shown = agreed(shown)?.filter(|&shown| shown <= added).ok_or(STRAIGHT)?;
        // Without vectors there are no lanes to add up: what is added are iterations.
        let vectors = profiles.iter().any(Profile::is_packed);
        if shown == 0 && !vectors { Err(STRAIGHT) } else { Ok(shown) }
    }

    /// Iterations by what lines load of which the text shows that each iteration loads as much. Of all others some loads may
    /// be done before the loop, or shared.
    fn loaded(&self, beside: &[Beside], factors: &[u64]) -> Answer<Option<u64>> {
        let Some((nest, written)) = self.written else { return Ok(None) };
        let stores = self.work.lines.values().any(|work| work.of(true).next().is_some());
        if stores || !nest.is_straight(written) || !self.work.complete {
            return Ok(None);
        }
        let loads: Vec<_> =
            self.profiles.iter().map(|profile| profile.loads(self.question.function)).collect();
        let mut shown = Vec::new();
        for (line, unit) in units(&loads, factors) {
            let wanted = self
                .work
                .lines
                .get(&line.1)
                .filter(|work| work.loads_once())
                .and_then(|work| work.bytes(false));
            // The pieces load what the text has, no more and no less.
            if wanted.is_none_or(|wanted| wanted.checked_mul(unit.factor) != Some(unit.amount)) {
                continue;
            }
            let of_line = beside.iter().filter(|b| b.kind == SourceKind::Load && b.line == line);
            let bytes = of_line.map(|b| b.amount).fold(0, u64::saturating_add);
            // All that the loop loads beside is of such lines.
            if beside.iter().any(|b| {
                b.kind == SourceKind::Load && b.line != line && self.work.lines.contains_key(&b.line.1)
            }) {
                return Ok(None);
            }
            shown.push(unit.iterations(bytes));
        }
        agreed(shown.into_iter())
    }

    /// What code outside of the pieces did for their lines.
    pub(super) fn beside(&self) -> Answer<Vec<Beside>> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let own: BTreeSet<u32> = pieces.iter().map(|piece| piece.code.index).collect();
        let keys = || self.profiles.iter().flat_map(|profile| &profile.operators);
        let mut lines: BTreeSet<Line> = keys().filter_map(|(key, _)| line(function, key.0)).collect();
        // Clang gives whole vectors in straight code the place of the loop's head.
        let heads =
            pieces.iter().filter_map(|piece| piece.code.location.as_ref()).map(|location| location.line);
        let (heads, chains): (BTreeSet<u32>, BTreeSet<u32>) =
            (heads.collect(), lines.iter().map(|line| line.0).collect());
        lines.extend(chains.iter().flat_map(|&chain| heads.iter().map(move |&head| (chain, head))));
        let accumulating = self.accumulating();
        let location = pieces.first().and_then(|piece| piece.code.location.as_ref());
        let mut beside = Vec::new();
        for operation in &function.operations {
            let Some(line) = line(function, operation.place).filter(|line| lines.contains(line)) else {
                continue;
            };
            // The head's own loads and tests are no work of the body; it stores nothing, and nothing of it is packed.
            let in_head = !self.in_body(operation);
            let in_head = in_head
                && !(is_memory(operation.kind) && operation.packed)
                && operation.kind != SourceKind::Store;
            if operation.in_loop.is_some_and(|l| own.contains(&l)) || in_head {
                continue;
            }
            let executions = match self.question.executions.at(operation.address) {
                Some(executions) => executions,
                None if pieces.iter().all(|piece| piece.complete) => 0,
                None => return Err(UNCOUNTED),
            };
            if executions == 0 {
                continue;
            }
            if let Some(inside) = operation.in_loop.and_then(|index| function.loops.get(index as usize)) {
                // Another group of the same statement, in another copy of the loop around, counts for itself; so does a
                // loop inside this one.
                let other = inside.location.as_ref() == location && !self.around(inside.index);
                if other || pieces.iter().any(|piece| self.encloses(piece.code.index, inside)) {
                    continue;
                }
                if !self.around(inside.index) {
                    return Err(STRAIGHT);
                }
            }
            let of_place = accumulating.places.get(&(operation.place, operation.kind));
            let of_line = accumulating.lines.get(&(line, operation.kind));
            let accumulates = match of_place.or(of_line) {
                _ if is_memory(operation.kind) => false,
                Some(Some(accumulates)) => *accumulates,
                Some(None) => return Err(STRAIGHT),
                None => false,
            };
            beside.push(Beside {
                line,
                kind: operation.kind,
                floating: operation.floating,
                accumulates,
                amount: u64::from(operation.amount).saturating_mul(executions),
                own: self.written.zip(pieces.first()).is_none_or(|((_, written), piece)| {
                    let place = function.places.get(operation.place as usize);
                    place.is_some_and(|place| self.is_own(piece.code, written, place))
                }),
            });
        }
        Ok(beside)
    }

    /// Which operators of the pieces accumulate.
    fn accumulating(&self) -> Accumulating {
        let mut accumulating = Accumulating::default();
        let keys = self.profiles.iter().flat_map(|profile| &profile.operators);
        for (key, amount) in keys {
            let place = accumulating.places.entry(*key).or_insert(Some(false));
            *place = place.map(|known| known || amount.accumulates);
            let Some(line) = line(self.question.function, key.0) else { continue };
            let of_line = accumulating.lines.entry((line, key.1)).or_insert(Some(amount.accumulates));
            *of_line = of_line.filter(|&known| known == amount.accumulates);
        }
        accumulating
    }

    /// The place is not in the loop's head, as far as the text is known.
    pub(super) fn in_body(&self, operation: &SourceOperation) -> bool {
        let Some(place) = self.question.function.places.get(operation.place as usize) else { return false };
        let inlined = self.question.pieces.first().map_or(0, |piece| piece.code.inlined_from.len() as u32);
        let Some((nest, written)) = self.written.filter(|_| place.depth == inlined) else { return true };
        !nest.in_head(written, place.line, place.column)
    }

    /// Loop `index` is around some piece.
    pub(super) fn around(&self, index: u32) -> bool {
        self.question.pieces.iter().any(|piece| self.encloses(index, piece.code))
    }

    /// Loop `index` is around `code`.
    pub(super) fn encloses(&self, index: u32, code: &LoopCode) -> bool {
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

/// What does as much in a source iteration of every piece.
fn units<K: Ord + Copy>(of_pieces: &[BTreeMap<K, u64>], factors: &[u64]) -> BTreeMap<K, Unit> {
    let mut units: BTreeMap<K, Option<Unit>> = BTreeMap::new();
    for (amounts, &factor) in of_pieces.iter().zip(factors) {
        for (key, &amount) in amounts {
            let unit = Unit { amount, factor };
            let known = units.entry(*key).or_insert(Some(unit));
            *known = known.filter(|known| known.is(&unit));
        }
    }
    units.into_iter().filter_map(|(key, unit)| Some((key, unit?))).collect()
}

/// The number that all agree on; nothing where there is none.
fn agreed(shown: impl Iterator<Item = Option<u64>>) -> Answer<Option<u64>> {
    let mut common = None;
    for shown in shown {
        let shown = shown.ok_or(STRAIGHT)?;
        if common.is_some_and(|common| common != shown) {
            return Err(STRAIGHT);
        }
        common = Some(shown);
    }
    Ok(common)
}
