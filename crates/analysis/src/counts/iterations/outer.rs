//! Loops around others: whether one machine iteration is one of the source, and whether each leaves a trace.
//!
//! An outer loop has little work of its own, and what the compiler moved out of the loops inside (constants, lanes added
//! up, left-overs) belongs to their lines. So the loops inside decide: a compiler that unrolls an outer loop has copies of
//! them, and one that joins the copies has inner loops that do more work than they move on.

use super::evidence::{Profile, is_plain};
use super::{Answer, Loops, STRAIGHT, TRACELESS};
use loopwright_binary::facts::{LoopCode, SourcePlace};
use std::collections::BTreeSet;

/// Loops inside each other that are followed to find one whose work shows its factor.
const DEEPEST: usize = 8;

impl Loops<'_, '_> {
    /// One machine iteration is one of the source: by the loop's own operators, or because it holds one loop inside that is
    /// so, and that only once.
    pub(super) fn is_one(&self, code: &LoopCode, profile: &Profile, depth: usize) -> bool {
        if is_plain(self.question.function) {
            return true;
        }
        let written = self.written_at(code);
        let inside = self.inside(code, written);
        // Copies of a loop inside: this one was unrolled, or has a version for each.
        let copied = |l: &&LoopCode| {
            let alike = |other: &&LoopCode| {
                let same = other.location == l.location && other.vectorized == l.vectorized;
                same && other.vector.as_ref().map(|v| v.bits) == l.vector.as_ref().map(|v| v.bits)
            };
            l.location.is_some() && inside.iter().copied().filter(alike).count() > 1
        };
        if inside.iter().any(copied) {
            return false;
        }
        if profile.is_one() {
            return true;
        }
        let Some(written) = written.filter(|_| depth < DEEPEST && !code.innermost) else { return false };
        // Own operators that work on several elements contradict.
        let own = profile.only(|key| {
            let place = self.question.function.places.get(key.0 as usize);
            place.is_some_and(|place| self.is_own(code, written, place))
        });
        if own.is_several() {
            return false;
        }
        let groups: BTreeSet<u32> = inside.iter().map(|l| l.group).collect();
        let is_one = |l: &&&LoopCode| self.is_one(l, &Profile::new(self.question.function, l), depth + 1);
        let once = |group: &u32| {
            let of_group = || inside.iter().filter(|l| l.group == *group);
            let ones = of_group().filter(is_one).count();
            // Vectors and what is left of them, each there once: their work is that of one outer iteration.
            ones == 1 || of_group().all(|l| self.works_alone(l))
        };
        !groups.is_empty() && groups.iter().all(once)
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

    /// The place is in the body of this loop, and in no loop inside.
    fn is_own(&self, code: &LoopCode, written: usize, place: &SourcePlace) -> bool {
        let inlined = code.inlined_from.len() as u32;
        place.depth == inlined
            && self.written.is_some_and(|(nest, _)| nest.holds(written, place.line, place.column))
    }

    /// The work of a loop inside is that of its own iterations, not of several of a loop around it: it does as much as it
    /// moves on.
    fn works_alone(&self, code: &LoopCode) -> bool {
        let (Some((nest, _)), Some(written)) = (self.written, self.written_at(code)) else { return false };
        let profile = Profile::new(self.question.function, code);
        let loops = Loops {
            question: self.question,
            profiles: Vec::new(),
            written: Some((nest, written)),
            work: nest.work(written),
        };
        let factor = loops.by_work(code, &profile).ok().flatten();
        factor.is_some_and(|factor| loops.moves_by(code, &profile, factor))
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
            let profile = &self.profiles[at];
            let own = profile.only(|key| {
                let place = function.places.get(key.0 as usize);
                place.is_some_and(|place| self.is_own(pieces[at].code, written, place))
            });
            !own.totals(true).is_empty()
        };
        if (0..pieces.len()).all(traced) {
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
}
