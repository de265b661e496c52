//! Indirect accesses that jump all over a range larger than the caches: number the data in the order of its use.

use crate::allocation::PAGE_BYTES;
use crate::counted::LEAST_GAIN;
use crate::evidence::{Memory, Operand};
use crate::prelude::*;
use crate::rules::{affine_gather, row_stride};
use crate::traced::{executions, to_arrays};
use crate::traffic::traffic;
use loopwright_analysis::model::{AccessFacts, StridePattern};
use loopwright_binary::facts::ChainKind;
use loopwright_stats::saturating_sum;
use std::collections::BTreeMap;

/// Id of its recommendation.
pub const REORDER_INDICES: &str = "reorder-indices";

pub(crate) static RULE: Rule = Rule {
    id: "scattered-indices",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[row_stride::INTERCHANGE_LOOPS, affine_gather::PLAIN_LOADS],
    doc: Doc::parse(include_str!("scattered_indices.md")),
};

/// Steps that stay on their line more often than this have the locality already.
const LOCAL_LINES: f64 = 0.5;
/// And pages.
const LOCAL_PAGES: f64 = 0.8;
/// Sorted walks ascend (or descend) nearly always: each line is used up before it is left.
const SORTED: f64 = 0.9;
/// Up to this part of elements that are met twice the first terms of the series hold.
const FEW: f64 = 0.2;
/// No trace is long enough to show a smaller part.
const SMALLEST_PART: f64 = 0.001;
/// Scattered accesses below this share are a detail.
const LEAST_SHARE: f64 = 0.05;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let chases = of.chains.iter().any(|c| c.kind == ChainKind::PointerChase);
    if chases {
        return None;
    }
    let traced = facts.traced(of)?;
    let near = facts.machine().and_then(|m| m.cache_bytes.get(1).or(m.cache_bytes.first()).copied())?;
    let scattered: Vec<&AccessFacts> =
        to_arrays(traced).filter(|a| range(facts, traced, a) > near && jumps(a)).collect();
    let share = executions(scattered.iter().copied()) / executions(to_arrays(traced)).max(1.0);
    if scattered.is_empty() || share < LEAST_SHARE {
        return None;
    }
    let traffic = traffic(facts, traced);
    // The scattered accesses fetch a line each, the others one per line's worth of elements.
    let lines = |a: &AccessFacts| a.executions as f64 * (1.0 - a.same_line_share.clamp(0.0, 1.0)).max(0.02);
    let all: f64 = to_arrays(traced).map(lines).sum();
    let part = scattered.iter().map(|a| lines(a)).sum::<f64>() / all.max(f64::MIN_POSITIVE);
    let end = |saved: f64| traffic.gain(|_| part * saved, Gain::NONE);
    let gain =
        Gain::between(end(estimates::REORDERED_INDICES.0).low(), end(estimates::REORDERED_INDICES.1).high());
    if gain.high() < LEAST_GAIN {
        return None;
    }
    // Accesses of one array touched the same bytes.
    let arrays: BTreeMap<Option<u32>, u64> =
        scattered.iter().map(|a| (a.array, a.footprint_bytes.unwrap_or(0))).collect();
    let footprint = saturating_sum(arrays.into_values());
    let mean = |pick: fn(&AccessFacts) -> f64| {
        let weights: f64 = executions(scattered.iter().copied());
        scattered.iter().map(|a| pick(a) * a.executions as f64).sum::<f64>() / weights.max(1.0)
    };
    let (least, most) = traffic.share();
    Some(
        facts
            .asking_for_counts(
                facts
                    .about_loop(&RULE, of)
                    .named(
                        REORDER_INDICES,
                        "Put the data into the order of its use, or sort the accesses, so that neighbours share cache lines",
                    )
                    .because(
                        Provenance::Counted,
                        Memory::Scattered {
                            operands: Operand::of_all(scattered.iter().copied()),
                            same_line: mean(|a| a.same_line_share),
                            same_page: mean(|a| a.same_page_share),
                            bytes: footprint,
                            extent: facts.extent(traced),
                        },
                    )
                    .because(
                        Provenance::Modelled,
                        Memory::TrafficShare { lines: part.min(1.0), saved: false, time: (least, most) },
                    )
                    .gain(of.group_share, gain),
                of,
            )
            .confidence(if traffic.timed && least > 0.1 { Confidence::Medium } else { Confidence::Low })
            .how(how!(RULE)),
    )
}

/// Bytes that an access jumps over: what a trace saw, or, where it saw a part only, how many elements there must be for so few to
/// be met twice. `n` of `m` elements taken at random are about `n - n^2 / 2m` different ones.
fn range(facts: &Facts, traced: &LoopFacts, access: &AccessFacts) -> u64 {
    let seen = access.footprint_bytes.unwrap_or(0).max(spanned(traced, access));
    if !traced.memory.as_ref().is_some_and(|memory| memory.footprint_is_bound) {
        return seen;
    }
    let element = f64::from(access.element_bytes.max(1));
    let of_array = to_arrays(traced).filter(|a| a.array.is_some() && a.array == access.array);
    let random = of_array.filter(|a| a.kind.reads() && a.pattern == StridePattern::Variable);
    let (taken, different) = (executions(random), seen as f64 / element);
    let twice = ((taken - different) / taken.max(1.0)).max(SMALLEST_PART);
    if twice > FEW {
        return seen;
    }
    let all = (taken / (2.0 * twice) * element) as u64;
    seen.max(all.min(facts.analysis.program.peak_resident_bytes))
}

/// A step that is this usual is one of a pattern.
const USUAL: f64 = 0.05;

/// Bytes that steps without a pattern reach over, as far as the loop touched pages.
fn spanned(traced: &LoopFacts, access: &AccessFacts) -> u64 {
    let usual = access.distribution.first().is_none_or(|step| step.1 > USUAL);
    let widest = access.distribution.iter().map(|step| step.0.unsigned_abs()).max().unwrap_or(0);
    let touched =
        traced.memory.as_ref().map_or(0, |memory| memory.footprint_pages.saturating_mul(PAGE_BYTES));
    if usual { 0 } else { widest.min(touched) }
}

/// Moves without order; gathers do when their lanes are on as many lines.
fn jumps(access: &AccessFacts) -> bool {
    let lanes = access
        .gather
        .as_ref()
        .is_none_or(|g| g.lines_per_execution >= LOCAL_LINES * g.active_lanes && g.ascending_share < SORTED);
    let ordered = access.ascending_share > SORTED || access.ascending_share < 1.0 - SORTED;
    lanes
        && access.pattern == StridePattern::Variable
        && !(ordered && access.gather.is_none())
        && access.same_line_share < LOCAL_LINES
        && access.same_page_share < LOCAL_PAGES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, gathered, in_caches, near, scalar_loop, scattered, states, trace,
        traced, vector_loop,
    };
    use loopwright_analysis::model::Analysis;
    use loopwright_patterns::facts::AccessKind;

    /// `flux[e] = f(u[from[e]], u[to[e]])` over 64 MB of u: 10^8 edges in 4 s, two lines from memory each.
    fn edges(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            trace(
                l,
                vec![
                    scattered("u[from[e]]", 8, 64 << 20),
                    scattered("u[to[e]]", 8, 64 << 20),
                    access("from[e]", AccessKind::Load, 4, 1),
                    access("to[e]", AccessKind::Load, 4, 1),
                    access("flux[e]", AccessKind::Store, 8, 1),
                ],
            );
            in_caches(l, [(440.0, 2.2), (430.0, 2.1), (400.0, 2.0)]);
            count(l, 100, 1_000_000);
            change(l);
        })])
    }

    #[test]
    fn fires_on_a_mesh_in_random_order() {
        let r = fired(&RULE, &edges(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("reorder-indices", Confidence::Medium));
        assert!(
            states!(r, Memory::Scattered { operands, same_line, same_page, bytes, .. } if operands.len() == 2 && near(*same_line, 0.01) && near(*same_page, 0.02) && bytes / 1_000_000 == 67),
            "{:?}",
            r.said()
        );
        // 128 bytes of 40 ns at 12 GB/s: a quarter of the time at least, 0.3 of that saved, up to nearly all of it.
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.05 && gain.low() < 1.12 && gain.high() > 2.0, "{gain:?}");
        assert!(r.how.text.contains("Cuthill-McKee"));
    }

    #[test]
    fn fires_on_gathers_that_touch_a_line_per_lane() {
        let mut analysis = traced(vec![vector_loop(|l| {
            let mut far = gathered("x[k[i]]", 8, 4, None);
            far.footprint_bytes = Some(1 << 30);
            trace(l, vec![far, access("y[i]", AccessKind::Store, 8, 1)]);
            in_caches(l, [(800.0, 4.0), (790.0, 4.0), (780.0, 4.0)]);
        })]);
        let r = fired(&RULE, &analysis).unwrap();
        assert!(r.next.unwrap().contains("tripcounts") && r.confidence == Confidence::Low);
        let lanes = analysis.loops[0].access[0].gather.as_mut().unwrap();
        lanes.lines_per_execution = 1.2;
        assert!(fired(&RULE, &analysis).is_none(), "its lanes are together");
    }

    #[test]
    fn silent_where_the_order_is_good_or_the_data_near() {
        let change =
            |change: fn(&mut AccessFacts)| edges(move |l| l.access.iter_mut().take(2).for_each(change));
        assert!(fired(&RULE, &change(|a| a.footprint_bytes = Some(512 << 10))).is_none(), "within L2");
        assert!(fired(&RULE, &change(|a| a.same_line_share = 0.7)).is_none());
        assert!(fired(&RULE, &change(|a| a.same_page_share = 0.95)).is_none());
        assert!(fired(&RULE, &change(|a| a.ascending_share = 0.99)).is_none(), "sorted");
        assert!(fired(&RULE, &change(|a| a.executions = 1)).is_none());
        assert!(fired(&RULE, &edges(|l| l.access.truncate(0))).is_none());
    }

    #[test]
    fn few_elements_that_are_met_twice_show_a_long_range() {
        let part = |footprint: u64| {
            edges(|l| {
                l.memory.as_mut().unwrap().footprint_is_bound = true;
                for (at, a) in l.access.iter_mut().take(2).enumerate() {
                    (a.array, a.footprint_bytes) = (Some(at as u32), Some(footprint));
                    a.executions = 50_000;
                }
            })
        };
        assert!(fired(&RULE, &part(396_000)).is_some(), "one in a hundred twice: 2.5 million elements");
        assert!(fired(&RULE, &part(320_000)).is_none(), "one in five: 125,000 elements");
    }

    #[test]
    fn long_steps_over_many_pages_show_a_long_range() {
        let part = |step: i64, pages: u64| {
            edges(|l| {
                let memory = l.memory.as_mut().unwrap();
                (memory.footprint_is_bound, memory.footprint_pages) = (true, pages);
                for a in l.access.iter_mut().take(2) {
                    a.executions = 50_000;
                    (a.footprint_bytes, a.distribution) = (Some(70_000), vec![(step, 0.001), (8, 0.001)]);
                }
            })
        };
        assert!(fired(&RULE, &part(-4_450_192, 4424)).is_some());
        assert!(fired(&RULE, &part(-4_450_192, 40)).is_none(), "between a few pages");
        assert!(fired(&RULE, &part(50_000, 4424)).is_none());
    }

    #[test]
    fn silent_where_misses_cost_nothing_or_a_chain_is_chased() {
        assert!(fired(&RULE, &edges(|l| l.self_seconds = 4000.0)).is_none());
        let list = edges(|l| l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)]);
        assert!(fired(&RULE, &list).is_none(), "pointer-chase says more");
    }

    #[test]
    fn without_a_trace_it_is_silent_and_without_counts_it_asks() {
        assert!(fired(&RULE, &edges(|l| l.memory = None)).is_none());
        let r = fired(&RULE, &edges(|l| (l.trip_count, l.work, l.total_work) = (None, None, None))).unwrap();
        assert_eq!(r.confidence, Confidence::Low);
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
