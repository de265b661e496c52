//! Windows that move by a little and are accumulated from the beginning each time: running sums, prefix sums, separable filters.
//!
//! A trace shows that the loop around moves the range of the inner loop by a small part of its length; the code shows that the
//! inner loop accumulates one stream and nothing else. A product of two streams (a convolution, a correlation) has no part in
//! common with its neighbour and is not meant.

use crate::again::usual_stride_over;
use crate::evidence::Shape;
use crate::prelude::*;
use crate::traced::{by_array, to_arrays};
use loopwright_analysis::model::StridePattern;
use loopwright_binary::facts::{ChainKind, Trait};

/// Id of its recommendation.
pub const REUSE_PARTIAL_RESULTS: &str = "reuse-partial-results";

pub(crate) static RULE: Rule = Rule {
    id: "overlapping-windows",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("overlapping_windows.md")),
};

/// Shorter windows are summed as fast as they are updated.
const FEWEST_ELEMENTS: f64 = 8.0;
/// The window moves by at most this part of its length.
const MOVES_BY: f64 = 0.25;
/// Operations of an element: a sum, and that of its squares.
const MOST_OPERATIONS: f64 = 3.1;
/// Windows of this number of dimensions are known: rows of a box.
const MOST_DIMENSIONS: usize = 3;
/// What happens in fewer iterations than this happens once for each window.
const RARE: f64 = 0.3;
/// Cycles of an addition of integers.
const INTEGER_ADD: f64 = 1.0;
/// A careful gain below this is not certain.
const SURE_GAIN: f64 = 1.3;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let accumulates = |kind| {
        matches!(kind, ChainKind::InOrderSum | ChainKind::VectorReduction | ChainKind::IntegerReduction)
    };
    let other = [Trait::Divide, Trait::SquareRoot, Trait::Call, Trait::IndirectCall, Trait::EarlyExit];
    if !of.innermost
        || !facts.rates_hold()
        || !of.chains.iter().any(|c| accumulates(c.kind))
        || of.chains.iter().any(|c| !accumulates(c.kind) && c.kind != ChainKind::Induction)
        || other.iter().any(|t| of.traits.contains(t))
    {
        return None;
    }
    let (work, trips, traced) = (of.work.as_ref()?, of.trip_count.as_ref()?, facts.traced(of)?);
    let moves = |a: &loopwright_analysis::model::AccessFacts| a.pattern != StridePattern::Uniform;
    let mut moving = to_arrays(traced).filter(|a| moves(a));
    let stream = moving.next()?;
    let factor = f64::from(stream.source_factor.max(1));
    // Lanes may be windows instead of elements: what the machine's loop walks over counts.
    let bytes = stream.machine_stride_bytes?.unsigned_abs() as f64 * trips.mean?;
    let dense = stream.pattern == StridePattern::Unit;
    let elements = if dense { bytes / f64::from(stream.element_bytes.max(1)) } else { trips.mean? * factor };
    let all = trips.source_iterations.map_or(trips.iterations as f64 * factor, |n| n as f64).max(1.0);
    if work.mix.store as f64 > RARE * trips.iterations as f64
        || work.flop as f64 > MOST_OPERATIONS * all
        || work.flop == 0 && work.int_ops as f64 > MOST_OPERATIONS * all
    {
        return None;
    }
    let streams = by_array(traced).into_iter().filter(|array| array.iter().any(|a| moves(a))).count();
    if streams != 1 || moving.next().is_some() || stream.kind.writes() {
        return None;
    }
    let (mut window, mut dimensions) = (elements, 1usize);
    let mut found = None;
    for around in facts.ancestors(of).take(MOST_DIMENSIONS) {
        let step = usual_stride_over(stream, around)?;
        if step == 0 {
            return None;
        }
        if step.unsigned_abs() as f64 <= MOVES_BY * bytes {
            found = Some((around, step));
            break;
        }
        window *= around.trip_count.as_ref()?.mean?;
        dimensions += 1;
    }
    let (around, step) = found?;
    let steps = around.trip_count.as_ref()?.iterations;
    if window < FEWEST_ELEMENTS || steps == 0 || around.trip_count.as_ref()?.mean? < FEWEST_ELEMENTS {
        return None;
    }
    let ghz = facts.clock_ghz()?;
    let core = facts.core();
    let now = around.total_seconds * ghz * 1e9 / steps as f64;
    let own = around.work.as_ref().map_or(0.0, |w| core.issue(w.instructions as f64 / steps as f64));
    // The running sum takes one element in and one out: two additions, of which one is carried.
    let addition = if work.flop > 0 { core.add.latency } else { 2.0 * INTEGER_ADD };
    let updates = dimensions as f64 * addition;
    let then = (own.max(updates), own + 2.0 * updates);
    let gain = Gain::between(now / then.1, now / then.0);
    if gain.low() < SURE_GAIN {
        return None;
    }
    let extent = facts.extent(traced);
    Some(
        facts
            .about_loop(&RULE, of)
            .named(REUSE_PARTIAL_RESULTS, "Update the sum of the window instead of summing it again")
            .because(
                Provenance::Counted,
                Shape::Window { place: around.place(), elements: window, step, bytes, extent },
            )
            .because(Provenance::Modelled, Shape::Instead { now, then })
            .gain(around.total_share.max(of.group_share), gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, induction, outer, scalar_loop, states, trace, traced,
    };
    use loopwright_analysis::model::Analysis;
    use loopwright_binary::facts::ElementType;
    use loopwright_patterns::facts::AccessKind;

    /// `for (i..) { s = 0; for (k = 0; k < 101; k++) s += x[i + k]; y[i] = s; }`, 20 million times in 4 s.
    fn window(step: i64, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let inner = scalar_loop(|l| {
            l.parent = Some(2);
            l.chains = vec![induction(), chain(ChainKind::InOrderSum, "xmm0", 4)];
            (l.instruction_mix.store, l.bytes_stored_per_iteration) = (0, 0);
            l.flop_per_iteration = [(ElementType::F64, 1)].into();
            count(l, 20_000_000, 101);
            trace(l, vec![outer(access("x[i+k]", AccessKind::Load, 8, 1), 2, step)]);
            change(l);
        });
        let around = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.children) = (2, 2, false, vec![1]);
            (l.self_share, l.group_share, l.total_share, l.total_seconds) = (0.01, 0.01, 0.41, 4.1);
            count(l, 20, 1_000_000);
        });
        traced(vec![inner, around])
    }

    #[test]
    fn fires_on_a_moving_sum() {
        let r = fired(&RULE, &window(8, |_| ())).unwrap();
        assert_eq!(r.id, REUSE_PARTIAL_RESULTS);
        assert!(states!(r, Shape::Window { step: 8, .. }), "{:?}", r.said());
        // 205 ns each are some 600 cycles; a running sum takes some ten.
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 20.0, "{gain:?}");
    }

    #[test]
    fn fires_where_borders_hold_the_window_back() {
        let at_borders = |l: &mut LoopFacts| {
            let of = &mut l.access[0].outer[0];
            (of.usual_bytes, of.stride_bytes) = (of.stride_bytes, None);
        };
        assert!(fired(&RULE, &window(8, at_borders)).is_some());
    }

    #[test]
    fn silent_on_rows_repeated_ranges_and_products() {
        assert!(fired(&RULE, &window(808, |_| ())).is_none(), "row sums");
        assert!(fired(&RULE, &window(0, |_| ())).is_none(), "the same range");
        let product = |l: &mut LoopFacts| {
            l.access.push(outer(access("h[k]", AccessKind::Load, 8, 1), 2, 0));
        };
        assert!(fired(&RULE, &window(8, product)).is_none());
        assert!(fired(&RULE, &window(8, |l| l.traits = vec![Trait::Divide])).is_none());
        assert!(fired(&RULE, &window(8, |l| count(l, 20_000_000, 4))).is_none(), "a stencil");
    }

    #[test]
    fn silent_without_a_trace_or_counts() {
        assert!(fired(&RULE, &window(8, |l| l.access.clear())).is_none());
        assert!(fired(&RULE, &window(8, |l| l.work = None)).is_none());
    }
}
