//! What a curve says: how busy the loop itself keeps a resource, and how many operations an iteration absorbs.

use crate::model::CurvePoint;

/// Operations lengthen an iteration by this much once they wait for their resource.
const LENGTHENED: f64 = 1.25;

/// The share in which the loop itself keeps a resource busy.
///
/// At every point `ratio >= own + operations * cost`, with equality where all wait for the resource alone: so the least difference
/// is the answer. Many operations also fill the buffers of the core, which makes iterations wait for each other; points with fewer
/// operations are free of that.
///
/// `cost` is that of an operation, `slot` that of one which only passes the front end, in the unit of `plain`.
pub(super) fn busy(curve: &[CurvePoint], cost: f64, slot: f64, plain: f64, walks: bool) -> Option<f64> {
    /// And they alone take this much of an iteration without them: a few operations in a long iteration measure its noise.
    const SUBSTANTIAL: f64 = 0.8;
    /// Fewer operations of the core's own units are enough where they come on top of the iteration at once.
    const NOTABLE: f64 = 0.15;
    let (cost, slot) = (cost / plain, slot / plain);
    let last = curve.last()?;
    let alone = f64::from(last.operations) * cost;
    let on_top = !walks && alone >= NOTABLE && last.ratio >= 1.0 + NOTABLE / 2.0 + alone / 2.0;
    if !on_top && (!is_saturated(curve) || alone < SUBSTANTIAL) {
        return None;
    }
    // Beside the loop's own instructions an operation may cost more than alone (stores to different lines), and a line less than
    // while it was calibrated, if others used the same memory: the slope shows it.
    let slope = if walks { slope_at_end(curve) } else { least_slope(curve, cost) };
    let cost = match slope {
        Some(slope) if walks || slope >= cost || is_straight(curve, slope, slot) => slope,
        _ => cost,
    };
    let own = least_difference(curve, cost);
    (own <= CONTRADICTS).then(|| own.clamp(0.0, 1.0))
}

/// Operations that lengthen an iteration by so much more than they take alone disturb something else than their resource.
const CONTRADICTS: f64 = 1.2;

/// Whether they do; `cost` is a part of the iteration without them.
pub(super) fn contradicts(curve: &[CurvePoint], cost: f64) -> bool {
    least_difference(curve, cost) > CONTRADICTS
}

fn least_difference(curve: &[CurvePoint], cost: f64) -> f64 {
    curve.iter().map(|p| p.ratio - f64::from(p.operations) * cost).fold(f64::INFINITY, f64::min)
}

/// Whether the most operations lengthened the iteration by as much as where all wait for their resource.
pub(super) fn is_saturated(curve: &[CurvePoint]) -> bool {
    curve.last().is_some_and(|last| last.ratio >= LENGTHENED)
}

/// The curve's slope at its end, once operations wait for their resource.
pub(super) fn slope_at_end(curve: &[CurvePoint]) -> Option<f64> {
    let [.., before, last] = curve else { return None };
    (before.ratio >= LENGTHENED).then(|| slope(before, last))
}

/// The same before operations fill the buffers of the core, which makes the end of a curve steeper than their resource does.
fn least_slope(curve: &[CurvePoint], cost: f64) -> Option<f64> {
    let last = slope_at_end(curve)?;
    let [.., first, second, _] = curve else { return Some(last) };
    let before = slope(first, second);
    Some(if first.ratio >= LENGTHENED && before >= cost { last.min(before) } else { last })
}

/// Whether the curve has had its last slope for a while: then that is what an operation costs here, and the calibration, in which
/// something else used the core, was too long. Operations that wait for the front end are no dearer than a slot in it: they show
/// nothing of their resource.
fn is_straight(curve: &[CurvePoint], last: f64, slot: f64) -> bool {
    /// Slopes of windows that scatter by a few percent.
    const ALIKE: f64 = 0.1;
    let [.., first, second, _] = curve else { return false };
    /// Slopes are known to about a tenth, and some cores pair what needs a slot.
    const DEARER: f64 = 1.25;
    last > DEARER * slot && first.ratio > LENGTHENED && (slope(first, second) - last).abs() <= ALIKE * last
}

fn slope(from: &CurvePoint, to: &CurvePoint) -> f64 {
    (to.ratio - from.ratio) / f64::from(to.operations - from.operations)
}

/// Whether the share in which operations overlap with nothing shows: where some were absorbed that take more than the rest of the
/// iteration, later ones only fill the buffers of the core.
pub(super) fn absorbs_beyond(curve: &[CurvePoint], cost: f64, plain: f64, own: f64) -> bool {
    /// Windows scatter by a few percent.
    const ABSORBED: f64 = 1.05;
    /// The share is known to about this much.
    const KNOWN: f64 = 0.05;
    let alone = |p: &CurvePoint| f64::from(p.operations) * cost / plain;
    curve.iter().any(|p| p.ratio <= ABSORBED && alone(p) > 1.0 - own - KNOWN)
}

/// Operations that are absorbed; all that were tried, where that is a bound.
pub(super) fn room(curve: &[CurvePoint]) -> (f64, bool) {
    /// Windows scatter by a few percent; this much is a difference.
    const LONGER: f64 = 1.05;
    let mut before = (0.0, 1.0);
    for point in curve {
        let at = (f64::from(point.operations), point.ratio);
        if at.1 > LONGER {
            let part =
                if at.1 > before.1 { ((LONGER - before.1) / (at.1 - before.1)).clamp(0.0, 1.0) } else { 0.0 };
            return (before.0 + part * (at.0 - before.0), false);
        }
        before = at;
    }
    (before.0, true)
}
