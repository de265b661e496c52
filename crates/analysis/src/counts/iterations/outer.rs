//! Loops around others: whether one machine iteration is one of the source, and whether each leaves a trace.
//!
//! An outer loop has little work of its own, and what the compiler moved out of the loops inside (constants, lanes added
//! up, remainders) belongs to their lines. So the loops inside decide: a compiler that unrolls an outer loop has copies of
//! them, and one that joins the copies has inner loops that do more work than they move on.

use super::evidence::{Amount, Key, Profile, is_memory, is_plain};
use super::text::Nest;
use super::{Answer, Loops, Piece, Question, STRAIGHT, TRACELESS};
use loopwright_binary::facts::{LoopCode, SourceKind, SourceOperation, SourcePlace};
use std::collections::{BTreeMap, BTreeSet};

/// Loops inside each other that are followed to find one whose work shows its factor.
const DEEPEST: usize = 8;

impl Loops<'_, '_> {
    /// One machine iteration is one of the source: by the loop's own operators, or because the loops inside do the work of
    /// one, and each is there only once.
    pub(super) fn is_one(&self, code: &LoopCode, profile: &Profile) -> bool {
        let function = self.question.function;
        if is_plain(function) {
            return true;
        }
        let written = self.written_at(code);
        let inside = self.inside(code, written);
        // Copies of a loop inside: this one was unrolled, or has a version for each.
        let copied = |l: &&LoopCode| {
            let alike =
                |other: &&LoopCode| other.location == l.location && self.work_of(other) == self.work_of(l);
            l.location.is_some() && inside.iter().copied().filter(alike).count() > 1
        };
        if inside.iter().any(copied) {
            return false;
        }
        if profile.is_one() || self.fills(code, profile) == Some(1) {
            return true;
        }
        let Some(written) = written.filter(|_| self.depth < DEEPEST && !code.innermost) else { return false };
        // Own operators that work on several elements contradict.
        if self.own_work(code, profile, written).is_several() {
            return false;
        }
        let groups: BTreeSet<u32> = inside.iter().map(|l| l.group).collect();
        let of_group = |group: u32| inside.iter().copied().filter(|l| l.group == group).collect::<Vec<_>>();
        !groups.is_empty() && groups.into_iter().all(|group| self.is_once(&of_group(group)))
    }

    /// Of the only loop inside, calls are left that fill or copy memory, one for each iteration.
    pub(super) fn fills(&self, code: &LoopCode, profile: &Profile) -> Option<u64> {
        let (nest, _) = self.written?;
        let written = self.written_at(code)?;
        let fills = |target: &Option<String>| {
            target.as_ref().is_some_and(|name| matches!(name.as_str(), "memset" | "memcpy" | "memmove"))
        };
        let mut inside = (0..nest.all().len()).filter(|&at| nest.is_inside(at, written));
        let (one, None) = (inside.next()?, inside.next()) else { return None };
        let works = |(key, amount): (&Key, &Amount)| amount.floating || is_memory(key.1);
        let filled = code.innermost
            && code.calls.iter().all(|call| fills(&call.target))
            && nest.assignments(one).len() == 1
            && nest.assignments(written).is_empty()
            && !nest.inner_bounds_vary(written)
            && !profile.operators.iter().any(works);
        let calls = code.calls.len();
        // What is left over of two at a time is straight code, whose calls are not seen.
        let rest = |other: &LoopCode| other.group == code.group && other.calls.len() == 1;
        let left_over = calls == 1 || self.question.function.loops.iter().any(rest);
        (filled && calls > 0 && left_over).then_some(calls as u64)
    }

    /// What a loop does in an iteration: copies of it do as much.
    fn work_of(&self, code: &LoopCode) -> BTreeMap<(SourceKind, bool), u64> {
        let mut work = BTreeMap::new();
        for (key, amount) in &Profile::new(self.question.function, code).operators {
            *work.entry((key.1, amount.floating)).or_default() += amount.amount;
        }
        work
    }

    /// The work of the pieces of a loop inside is that of its own iterations, not of several of a loop around it: one of
    /// them iterates as the source does, or all do as much as they move on.
    fn is_once(&self, group: &[&LoopCode]) -> bool {
        let function = self.question.function;
        let written = group.first().and_then(|code| self.written_at(code));
        let (Some((nest, _)), Some(written)) = (self.written, written) else { return false };
        let piece = |code| Piece { code, tally: None, complete: false, passes: None };
        let pieces: Vec<Piece> = group.iter().copied().map(piece).collect();
        let question = Question { pieces: &pieces, ..*self.question };
        let loops = Loops {
            question: &question,
            profiles: group.iter().map(|code| Profile::new(function, code)).collect(),
            written: Some((nest, written)),
            work: nest.work(written),
            depth: self.depth + 1,
        };
        let ones: Vec<bool> =
            group.iter().zip(&loops.profiles).map(|(code, profile)| loops.is_one(code, profile)).collect();
        if ones.iter().filter(|one| **one).count() == 1 {
            return true;
        }
        let Ok(factors) = loops.factors() else { return false };
        let filled = |at: usize| loops.fills(group[at], &loops.profiles[at]) == Some(factors[at]);
        let alone =
            |at: usize| ones[at] || filled(at) || loops.moves_by(group[at], &loops.profiles[at], factors[at]);
        (0..group.len()).all(alone)
    }

    /// Loops directly inside. Those that never ran are versions for other data, unless iterations may have passed them by.
    fn inside(&self, code: &LoopCode, written: Option<usize>) -> Vec<&LoopCode> {
        let vary = match (self.written, written) {
            (Some((nest, _)), Some(written)) => nest.inner_bounds_vary(written),
            _ => true,
        };
        let children = self.question.function.loops.iter().filter(|l| l.parent == Some(code.index));
        children.filter(|l| vary || self.question.executions.at(l.header) != Some(0)).collect()
    }

    /// The written loop that a machine loop is of.
    fn written_at(&self, code: &LoopCode) -> Option<usize> {
        let (nest, _) = self.written?;
        nest.at(code.location.as_ref()?.line)
    }

    /// What a machine loop does for the statements of its written loop that are in no loop inside.
    pub(super) fn own_work(&self, code: &LoopCode, profile: &Profile, written: usize) -> Profile {
        profile.only(|key| {
            let place = self.question.function.places.get(key.0 as usize);
            place.is_some_and(|place| self.is_own(code, written, place))
        })
    }

    /// The place is in the body of this loop, and in no loop inside.
    pub(super) fn is_own(&self, code: &LoopCode, written: usize, place: &SourcePlace) -> bool {
        let inlined = code.inlined_from.len() as u32;
        place.depth == inlined
            && self.written.is_some_and(|(nest, _)| nest.holds(written, place.line, place.column))
    }

    /// Iterations in which the loops inside do nothing can be counted: the loop does work of its own in each. Compilers
    /// begin such loops later, or split them where that changes.
    pub(super) fn leaves_traces(&self) -> Answer<()> {
        let function = self.question.function;
        let pieces = self.question.pieces;
        if is_plain(function) || pieces.iter().all(|piece| piece.code.innermost) {
            return Ok(());
        }
        let (nest, written) = self.written.ok_or(TRACELESS)?;
        let traced = |at: usize| {
            let own = self.own_work(pieces[at].code, &self.profiles[at], written);
            let adds = own.operators.values().any(|amount| amount.accumulates && !amount.conditional);
            adds || !own.totals(true).is_empty()
        };
        if (0..pieces.len()).all(traced) || self.reads_each(nest, written) {
            return Ok(());
        }
        // Whole iterations beside the loop would hold copies of the loops inside.
        let beside = function.loops.iter().any(|l| {
            let inside = self.written_at(l).is_some_and(|at| nest.is_inside(at, written));
            let held = pieces.iter().any(|piece| self.encloses(piece.code.index, l));
            inside && !held && self.question.executions.at(l.header) != Some(0)
        });
        match (beside, nest.inner_bounds_vary(written)) {
            (true, _) => Err(STRAIGHT),
            (false, true) => Err(TRACELESS),
            (false, false) => Ok(()),
        }
    }

    /// Each iteration reads an operand of its own that decides what it does, and all of that is in the pieces.
    fn reads_each(&self, nest: &Nest, written: usize) -> bool {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let loads = nest.loads(written);
        let reads = |o: &SourceOperation| {
            let place = function.places.get(o.place as usize);
            o.kind == SourceKind::Load
                && place.is_some_and(|place| loads.iter().any(|loaded| loaded.holds(place)))
        };
        let own = |o: &SourceOperation| {
            pieces.iter().any(|piece| o.in_loop == Some(piece.code.index) && o.always && !o.masked)
        };
        let mut reads = function.operations.iter().filter(|o| reads(o)).peekable();
        reads.peek().is_some()
            && reads.all(|o| own(o) || self.question.executions.at(o.address) == Some(0))
            && pieces.iter().all(|piece| {
                let own = function.operations.iter().filter(|o| o.in_loop == Some(piece.code.index));
                own.filter(|o| o.always && o.kind == SourceKind::Load)
                    .filter_map(|o| function.places.get(o.place as usize))
                    .any(|place| loads.iter().any(|loaded| loaded.holds(place)))
            })
    }
}
