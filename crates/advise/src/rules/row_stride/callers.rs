//! Loops of calling functions: a function that works on one line of the data at a time, along or across memory as its caller asks.

use crate::facts::Facts;
use loopwright_analysis::model::{AccessFacts, LoopFacts, OuterStride, StridePattern};

/// Steps of one stride are what the loop does, from this part of them on.
const MOST_STEPS: f64 = 0.5;

/// The loop around, where it is in another function, which calls this one for each of its iterations.
pub(super) fn calling<'a>(facts: &Facts<'a>, of: &LoopFacts, around: &OuterStride) -> Option<&'a LoopFacts> {
    let calls = |l: &&LoopFacts| l.calls_by_name(&of.function);
    facts
        .loop_by_id(around.loop_id?)
        .filter(|l| l.function != of.function && facts.rebuildable(l))
        .filter(calls)
}

/// The stride, or that of most steps, where callers have strides of their own.
pub(super) fn usual_stride(access: &AccessFacts) -> Option<i64> {
    let most =
        || access.distribution.first().filter(|(_, share)| *share >= MOST_STEPS).map(|(bytes, _)| *bytes);
    match access.pattern {
        StridePattern::Constant => access.stride_bytes,
        StridePattern::Variable => most(),
        StridePattern::Uniform | StridePattern::Unit => None,
    }
}
