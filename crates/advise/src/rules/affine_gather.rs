//! Indirect accesses whose indices follow a rule: consecutive, always as far apart, or sorted.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Memory, Operand, Order};
use crate::prelude::*;
use crate::rules::{array_of_structures, row_stride};
use crate::traced::{NEARLY_ALL, executions, to_arrays};
use loopwright_analysis::model::{AccessFacts, GatherFacts, StridePattern};

/// Id of its recommendation.
pub const PLAIN_LOADS: &str = "plain-loads";

pub(crate) static RULE: Rule = Rule {
    id: "affine-gather",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[array_of_structures::RULE.id, row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("affine_gather.md")),
};

/// Sorted lanes on so few lines that two loads and a permutation reach all of them.
const FEW_LINES: f64 = 2.0;
/// Accesses below this share are a detail.
const LEAST_SHARE: f64 = 0.1;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let traced = facts.traced(of)?;
    let gathers: Vec<(&AccessFacts, Order)> =
        to_arrays(traced).filter_map(|a| Some((a, of_lanes(a, a.gather.as_ref()?)?))).collect();
    let all = executions(to_arrays(traced));
    let enough = |found: &[(&AccessFacts, Order)]| executions(found.iter().map(|f| f.0)) >= LEAST_SHARE * all;
    if !gathers.is_empty() && enough(&gathers) {
        return vector(facts, of, traced, &gathers);
    }
    let indirect: Vec<(&AccessFacts, Order)> =
        to_arrays(traced).filter_map(|a| Some((a, of_steps(a)?))).collect();
    if of.vectorized || indirect.is_empty() || !enough(&indirect) {
        return None;
    }
    scalar(facts, of, traced, &indirect)
}

fn of_lanes(access: &AccessFacts, lanes: &GatherFacts) -> Option<Order> {
    let element = i64::from(access.element_bytes);
    if lanes.affine_share >= NEARLY_ALL {
        match lanes.lane_stride_bytes {
            Some(0) => return Some(Order::Same),
            Some(bytes) if bytes == element => return Some(Order::Consecutive),
            Some(bytes) if bytes == -element => return Some(Order::Reversed),
            // Strides of several elements are a matter of layout.
            Some(_) => return None,
            None => {}
        }
    }
    let dense = lanes.lines_per_execution > 0.0 && lanes.lines_per_execution <= FEW_LINES;
    (lanes.ascending_share >= NEARLY_ALL && dense && lanes.active_lanes > 2.0 * FEW_LINES - 1.0)
        .then_some(Order::Sorted)
}

/// A scalar access through an index array that moves by one element all the time.
fn of_steps(access: &AccessFacts) -> Option<Order> {
    let nearly = access.distribution.first().is_none_or(|(_, share)| *share >= NEARLY_ALL);
    if access.lanes > 1 || !nearly || !access.operand.as_deref().is_some_and(has_index_in_index) {
        return None;
    }
    match (access.pattern, access.stride_elements) {
        (StridePattern::Unit, Some(-1)) => Some(Order::Reversed),
        (StridePattern::Unit, _) => Some(Order::Consecutive),
        (StridePattern::Uniform, _) => Some(Order::Same),
        _ => None,
    }
}

/// `x[k[i]]`, `x(k(i))`: an array element within the subscript of another.
fn has_index_in_index(operand: &str) -> bool {
    let mut depth = 0u32;
    let mut named = false;
    for c in operand.chars() {
        match c {
            '[' | '(' => {
                if depth > 0 && named {
                    return true;
                }
                depth += 1;
                named = false;
            }
            ']' | ')' => {
                depth = depth.saturating_sub(1);
                named = false;
            }
            c if c.is_alphanumeric() || c == '_' => named = true,
            _ => named = false,
        }
    }
    false
}

fn vector(
    facts: &Facts,
    of: &LoopFacts,
    traced: &LoopFacts,
    found: &[(&AccessFacts, Order)],
) -> Option<Recommendation> {
    let core = facts.core();
    let rest = core.issue(f64::from(of.instructions.max(4)));
    let lanes = |sorted: bool| -> f64 {
        found.iter().filter(|f| (f.1 == Order::Sorted) == sorted).map(|f| f64::from(f.0.lanes)).sum::<f64>()
            * core.gather
    };
    let all: f64 = to_arrays(traced).filter(|a| a.gather.is_some()).map(|a| f64::from(a.lanes)).sum::<f64>()
        * core.gather;
    let now = rest + all;
    let then = |part: f64| now - lanes(false) - part * lanes(true);
    // A gather overlaps with the rest of the loop to a degree that is not known; sorted lanes still need a permutation.
    let gain = Gain::of(now / then(0.0)).hedged(estimates::OVERLAPPED).reaching(now / then(0.5));
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = said(facts, of, traced, found, true);
    new = new.because(Provenance::Modelled, Expected::up_to(Change::NoGather, gain.high()));
    let sorted_only = lanes(false) == 0.0;
    let sure = if sorted_only { Confidence::Low } else { Confidence::High };
    Some(new.gain(of.group_share, gain).confidence(sure).how(how(sorted_only)))
}

fn scalar(
    facts: &Facts,
    of: &LoopFacts,
    traced: &LoopFacts,
    found: &[(&AccessFacts, Order)],
) -> Option<Recommendation> {
    if facts.forbids_vectors(of) {
        return None;
    }
    let estimate = gain::vectorise(facts, of)?;
    let new = said(facts, of, traced, found, false)
        .because(Provenance::Modelled, Expected::up_to(Change::PlainSubscripts, estimate.gain.high()));
    let new = facts.asking_for_dependences(new, of);
    Some(new.gain(of.group_share, estimate.gain.at_most()).confidence(Confidence::Medium).how(how(false)))
}

fn said(
    facts: &Facts,
    of: &LoopFacts,
    traced: &LoopFacts,
    found: &[(&AccessFacts, Order)],
    of_lanes: bool,
) -> Recommendation {
    let mut new = facts
        .about_loop(&RULE, of)
        .named(PLAIN_LOADS, "Replace these indirect accesses by plain ones: their indices follow a rule");
    for order in [Order::Consecutive, Order::Reversed, Order::Same, Order::Sorted] {
        let of_order: Vec<&AccessFacts> = found.iter().filter(|f| f.1 == order).map(|f| f.0).collect();
        let Some(first) = of_order.first() else { continue };
        let share = match (order, &first.gather) {
            (Order::Sorted, Some(lanes)) => lanes.ascending_share,
            (_, Some(lanes)) => lanes.affine_share,
            _ => first.distribution.first().map_or(1.0, |d| d.1),
        };
        new = new.because(
            Provenance::Counted,
            Memory::Ordered {
                operands: Operand::of_all(of_order),
                of_lanes,
                order,
                share,
                extent: facts.extent(traced),
            },
        );
    }
    new
}

fn how(sorted_only: bool) -> How {
    if sorted_only {
        return how!(RULE, "sorted");
    }
    how!(RULE, "plain-subscript")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, checked, fired, gathered, scalar_loop, trace, traced, vector_loop};
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_binary::facts::Trait;
    use loopwright_patterns::facts::AccessKind;

    fn gathering(accesses: Vec<AccessFacts>) -> Analysis {
        traced(vec![vector_loop(|l| {
            (l.traits, l.instructions) = (vec![Trait::Gather], 8);
            trace(l, accesses);
        })])
    }

    #[test]
    fn fires_on_consecutive_reversed_and_equal_lanes() {
        for (apart, words) in
            [(8, "are consecutive in 100.0 %"), (-8, "backwards"), (0, "are the same element")]
        {
            let r = fired(&RULE, &gathering(vec![gathered("x[k[i]]", 8, 4, Some(apart))])).unwrap();
            assert_eq!((r.id.as_str(), r.confidence), ("plain-loads", Confidence::High));
            assert!(r.said().iter().any(|e| e.contains("`x[k[i]]`") && e.contains(words)), "{:?}", r.said());
            // Two cycles of the gather beside two of the other eight instructions.
            assert!((r.loop_gain.unwrap().high() - 2.0).abs() < 1e-9, "{:?}", r.loop_gain);
        }
    }

    #[test]
    fn fires_on_sorted_dense_lanes_as_a_hint() {
        let mut sorted = gathered("x[k[i]]", 8, 4, None);
        let lanes = sorted.gather.as_mut().unwrap();
        (lanes.ascending_share, lanes.lines_per_execution) = (1.0, 1.5);
        let r = fired(&RULE, &gathering(vec![sorted.clone()])).unwrap();
        assert_eq!(r.confidence, Confidence::Low);
        assert!(r.how.text.contains("runs"));
        sorted.gather.as_mut().unwrap().lines_per_execution = 4.0;
        assert!(fired(&RULE, &gathering(vec![sorted])).is_none(), "each lane on a line of its own");
    }

    #[test]
    fn fires_on_a_scalar_access_through_regular_indices() {
        let indirect = |name: &str| {
            traced(vec![scalar_loop(|l| {
                trace(l, vec![access(name, AccessKind::Load, 8, 1), access("k[i]", AccessKind::Load, 4, 1)])
            })])
        };
        let r = fired(&RULE, &indirect("x[k[i]]")).unwrap();
        assert!(r.loop_gain.unwrap().low() == 1.0 && r.next.unwrap().contains("dependencies"));
        assert!(fired(&RULE, &indirect("x(k(i))")).is_some());
        for plain in ["x[i]", "x[(i+1)*3]", "x(i)", "a[i].b[j]"] {
            assert!(fired(&RULE, &indirect(plain)).is_none(), "{plain}");
        }
        let mut carried = indirect("x[k[i]]");
        checked(&mut carried.loops[0], VectorVerdict::Unsafe, ParallelVerdict::Dependent);
        assert!(fired(&RULE, &carried).is_none());
    }

    #[test]
    fn it_is_said_once() {
        let all = crate::advise(&gathering(vec![gathered("x[k[i]]", 8, 4, Some(8))]));
        let ids: Vec<&str> = all.iter().map(|r| r.id.as_str()).collect();
        assert!(ids.contains(&"plain-loads") && !ids.contains(&"gather-in-hot-loop"), "{ids:?}");
        let strided = crate::advise(&gathering(vec![gathered("a[3*i]", 8, 4, Some(24))]));
        let ids: Vec<&str> = strided.iter().map(|r| r.id.as_str()).collect();
        assert!(ids.contains(&"array-of-structures") && !ids.contains(&"gather-in-hot-loop"), "{ids:?}");
    }

    #[test]
    fn silent_on_random_lanes_rare_gathers_and_without_a_trace() {
        assert!(fired(&RULE, &gathering(vec![gathered("x[k[i]]", 8, 4, None)])).is_none());
        let mut rare = gathered("x[k[i]]", 8, 4, Some(8));
        rare.executions = 10;
        assert!(fired(&RULE, &gathering(vec![rare, access("y[i]", AccessKind::Store, 8, 1)])).is_none());
        assert!(fired(&RULE, &gathering(vec![])).is_none());
    }
}
