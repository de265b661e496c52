//! Neighbouring loops over the same range that each wait for memory: fusion.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Memory, Trips};
use crate::facts::MIN_SHARE;
use crate::prelude::*;
use loopwright_analysis::model::WorkRow;
use loopwright_stats::saturating_sum;

/// Id of its recommendation.
pub const FUSE_LOOPS: &str = "fuse-loops";

pub(crate) static RULE: Rule = Rule {
    id: "unfused-loops",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("unfused_loops.md")),
};

/// Counts of two loops over one range agree but for boundary elements.
const SAME_RANGE: f64 = 0.05;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let bound = facts.memory_bound(of)?;
    let range = range(of)?;
    let bytes = bytes(facts, of)?;
    // The recommendation is listed at the hotter of the two.
    let other = facts
        .hot_loops()
        .filter(|l| {
            l.group != of.group
                && (l.group_share, of.id) < (of.group_share, l.id)
                && l.function == of.function
                && l.module == of.module
                && l.parent == of.parent
                && l.group_share >= MIN_SHARE
                && facts.speaks_for_group(l)
                && same(range, self::range(l))
                && facts.memory_bound(l).is_some_and(|b| b.level == bound.level)
        })
        .max_by(|a, b| a.group_share.total_cmp(&b.group_share))?;
    let others = self::bytes(facts, other)?;
    let (all, smaller) = (bytes as f64 + others as f64, bytes.min(others) as f64);
    let gain = Gain::between(all / (all - smaller * estimates::SHARED_BY_FUSION), all / (all - smaller));
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let share = of.group_share + other.group_share;
    Some(
        facts
            .about_loop(&RULE, of)
            .named(FUSE_LOOPS, format!("Fuse this loop with the one at {}", other.place()))
            .because(Provenance::Modelled, facts.near_roof(&bound))
            .because(
                Provenance::Counted,
                Trips::SameRange {
                    place: other.place(),
                    share: other.group_share,
                    entries: range.0,
                    iterations: range.1,
                },
            )
            .because(Provenance::Counted, Memory::TwoMove { bytes, other: others })
            .because(Provenance::Modelled, Expected::between(Change::SharedData, gain.low(), gain.high()))
            .gain(share, gain)
            .confidence(Confidence::Low)
            .next(facts.collect("map", of))
            .how(how!(RULE)),
    )
}

/// Entries and mean source iterations of the loop as written.
fn range(of: &LoopFacts) -> Option<(u64, f64)> {
    let trips = of.trip_count.as_ref().filter(|t| t.group_complete)?;
    Some((trips.source_entries.filter(|n| *n > 0)?, trips.source_mean?))
}

fn same(one: (u64, f64), other: Option<(u64, f64)>) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME_RANGE * a.max(b);
    other.is_some_and(|other| near(one.0 as f64, other.0 as f64) && near(one.1, other.1))
}

/// Bytes that all pieces of a loop move.
pub(super) fn bytes(facts: &Facts, of: &LoopFacts) -> Option<u64> {
    let all = saturating_sum(facts.group(of).filter_map(|l| l.work.as_ref()).map(WorkRow::bytes));
    (all > 0).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{bound_by, count, fired, measured, vector_loop};
    use loopwright_analysis::model::Analysis;

    fn pair(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let one = vector_loop(|l| {
            count(l, 100, 1_000_000);
            bound_by(l, "DRAM", 1.2);
        });
        let other = vector_loop(|l| {
            (l.id, l.group, l.line, l.group_share) = (2, 2, Some(20), 0.3);
            count(l, 100, 1_000_000);
            bound_by(l, "DRAM", 1.3);
            change(l);
        });
        measured(vec![one, other])
    }

    #[test]
    fn fires_once_for_two_loops_over_one_range() {
        let r = fired(&RULE, &pair(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.loop_id), ("fuse-loops", Some(1)));
        assert!((r.share.unwrap() - 0.7).abs() < 1e-12);
        assert_eq!(r.loop_gain, Some(Gain::between(8.0 / 7.0, 2.0)));
        assert!(r.title.contains("kernel.c:20"));
    }

    #[test]
    fn silent_for_other_ranges_places_and_roofs() {
        assert!(fired(&RULE, &pair(|l| count(l, 100, 900_000))).is_none());
        assert!(fired(&RULE, &pair(|l| count(l, 50, 1_000_000))).is_none());
        assert!(fired(&RULE, &pair(|l| l.function = "elsewhere".into())).is_none());
        assert!(fired(&RULE, &pair(|l| l.parent = Some(1))).is_none());
        assert!(fired(&RULE, &pair(|l| bound_by(l, "L3", 1.2))).is_none());
        assert!(fired(&RULE, &pair(|l| bound_by(l, "AVX2 f64", 1.2))).is_none());
        assert!(fired(&RULE, &pair(|l| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &pair(|l| l.trip_count.as_mut().unwrap().group_complete = false)).is_none());
    }

    #[test]
    fn equal_shares_fire_once_too() {
        assert!(fired(&RULE, &pair(|l| l.group_share = 0.4)).is_some());
    }

    #[test]
    fn silent_without_counts_and_without_a_trace_it_asks_for_one() {
        assert!(fired(&RULE, &pair(|l| l.work = None)).is_none());
        assert!(fired(&RULE, &pair(|l| l.roofline = None)).is_none());
        assert!(fired(&RULE, &pair(|_| ())).unwrap().next.unwrap().starts_with("loopwright map --loops 1"));
    }
}
