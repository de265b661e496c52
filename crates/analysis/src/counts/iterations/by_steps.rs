//! The factor of scalar loops by what their counters advance.
//!
//! Code of several iterations in one advances each counter by as many steps. Compilers count machine iterations only
//! where vectors or several loops are put together; in other loops a counter that advances by one step of the source shows
//! that there is one iteration. The weakest evidence: it is asked for where nothing else shows anything.

use super::Loops;
use super::evidence::Profile;
use super::variables::Variables;
use loopwright_binary::facts::{CarriedKind, LoopCode};
use std::collections::BTreeSet;

impl Loops<'_, '_> {
    /// One iteration of the source in one of a scalar loop, by a counter.
    pub(super) fn steps_once(&self, code: &LoopCode, profile: &Profile) -> Option<u64> {
        let (nest, written) = self.written?;
        if !self.is_scalar(code, profile) {
            return None;
        }
        let text = nest.text();
        let variables = Variables::new(text, nest.written(written));
        let counts = |step: &Option<i64>| step.is_some_and(|step| step.unsigned_abs() == 1);
        let counted = variables.steps.values().any(counts);
        (counted && steps(code).contains(&1) && self.is_enough(code, profile, 1)).then_some(1)
    }

    /// The factor of piece `open` from that of `unit`: all its counters advance as many times as far.
    pub(super) fn by_steps(&self, unit: usize, open: usize, factor: u64) -> Option<u64> {
        let pieces = self.question.pieces;
        let scalar = |at: usize| self.is_scalar(pieces[at].code, &self.profiles[at]);
        if !scalar(unit) || !scalar(open) {
            return None;
        }
        let (one, several) = (steps(pieces[unit].code), steps(pieces[open].code));
        let (least, most) = (*one.first()?, *several.first()?);
        let times = most.is_multiple_of(least).then(|| most / least).filter(|&times| times > 0)?;
        let same = several.iter().all(|step| step.is_multiple_of(times) && one.contains(&(step / times)));
        let total = times.checked_mul(factor)?;
        (same && self.is_enough(pieces[open].code, &self.profiles[open], total)).then_some(total)
    }

    /// No vectors, no loop inside, and no loop around of which several iterations may have been put together.
    fn is_scalar(&self, code: &LoopCode, profile: &Profile) -> bool {
        let alone =
            self.written.is_some_and(|(nest, written)| nest.depth(written) == 0 && !nest.has_inside(written));
        alone && code.parent.is_none() && code.innermost && !profile.is_packed()
    }
}

/// By how much counters advance.
fn steps(code: &LoopCode) -> BTreeSet<u64> {
    let counters = code.carried.iter().flatten().filter(|value| value.kind == CarriedKind::Induction);
    counters.filter_map(|value| value.step).map(i64::unsigned_abs).filter(|&step| step > 0).collect()
}
