//! Loops that touch more pages than the TLB remembers: larger pages.

use crate::allocation;
use crate::counted::LEAST_GAIN;
use crate::evidence::{Memory, Operand};
use crate::prelude::*;
use crate::rules::row_stride;
use crate::traced::{executions, to_arrays};
use crate::traffic::{FEW_WALKS, nanoseconds_per_iteration, translation};
use loopwright_analysis::model::AccessFacts;

pub(crate) static RULE: Rule = Rule {
    id: "tlb-reach",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("tlb_reach.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let traced = facts.traced(of)?;
    let memory = traced.memory.as_ref()?;
    let translation = translation(traced)?;
    let entries = entries(facts);
    if memory.footprint_pages <= entries || translation.walks * 1000.0 < FEW_WALKS {
        return None;
    }
    let time = nanoseconds_per_iteration(facts, traced);
    let gain = time.map_or(estimates::HUGE_PAGES.into(), |time| {
        let of_time = |ns: f64| (ns / time).min(estimates::MOST_PAGE_TIME);
        let (least, most) = translation.saved_by_huge_pages();
        Gain::removing_between(of_time(least), of_time(most))
    });
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut jumping: Vec<&AccessFacts> = to_arrays(traced).filter(|a| a.same_page_share < 0.9).collect();
    let leaves = |a: &AccessFacts| a.executions as f64 * (1.0 - a.same_page_share);
    jumping.sort_by(|a, b| leaves(b).total_cmp(&leaves(a)));
    let mut new = facts
        .about_loop(&RULE, of)
        .named("huge-pages", "Use huge pages for the arrays of this loop")
        .because(
            Provenance::Counted,
            Memory::Pages {
                pages: memory.footprint_pages,
                at_least: memory.footprint_is_bound,
                entries,
                extent: facts.extent(traced),
            },
        )
        .because(
            Provenance::Modelled,
            Memory::TlbMisses { first: translation.missed, second: translation.walks },
        );
    if !jumping.is_empty() {
        let share = executions(jumping.iter().copied()) / executions(to_arrays(traced)).max(1.0);
        new = new
            .because(Provenance::Counted, Memory::LeavePages { operands: Operand::of_all(jumping), share });
    }
    let sure = if time.is_some() && gain.low() >= LEAST_GAIN { Confidence::Medium } else { Confidence::Low };
    let how = allocation::huge_pages(how!(RULE));
    Some(facts.asking_for_counts(new.gain(of.group_share, gain), of).confidence(sure).how(how))
}

/// Entries of the simulated second-level TLB.
fn entries(facts: &Facts) -> u64 {
    let levels = facts.analysis.tracing.as_ref().and_then(|t| t.hierarchies.first());
    let second = levels.and_then(|h| h.levels.iter().find(|l| l.name == "STLB"));
    second.map_or(estimates::SECOND_TLB_ENTRIES, |l| l.lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, count, fired, near, scalar_loop, scattered, states, tlb, trace, traced};
    use loopwright_analysis::model::Analysis;
    use loopwright_patterns::facts::AccessKind;

    /// `y[i] += x[index[i]]`: 1 GiB of x, 2 x 10^8 iterations in 4 s.
    fn random(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            trace(l, vec![scattered("x[index[i]]", 8, 1 << 30), access("index[i]", AccessKind::Load, 4, 1)]);
            tlb(l, 0.98, 0.9);
            count(l, 200, 1_000_000);
            change(l);
        })])
    }

    #[test]
    fn fires_on_random_accesses_with_the_cost_of_the_walks() {
        let r = fired(&RULE, &random(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("huge-pages", Confidence::Medium));
        // 20 ns per iteration: 0.08 x 2 + 0.9 x 1.2 of them at least.
        assert!((r.loop_gain.unwrap().low() - 1.0 / (1.0 - 1.24 / 20.0)).abs() < 1e-9, "{:?}", r.loop_gain);
        assert!(states!(r, Memory::Pages { pages: 262_144, entries: 1536, .. }), "{:?}", r.said());
        assert!(
            states!(r, Memory::LeavePages { operands, share } if operands[0].to_string() == "`x[index[i]]`" && near(*share, 0.5))
        );
        assert!(!r.how.environment.is_empty());
    }

    #[test]
    fn without_time_it_is_a_hint_that_asks_for_counts() {
        let r = fired(&RULE, &random(|l| (l.trip_count, l.work) = (None, None))).unwrap();
        assert_eq!((r.confidence, r.loop_gain), (Confidence::Low, Some(Gain::up_to(1.5))));
        assert!(r.next.unwrap().contains("tripcounts"));
    }

    #[test]
    fn silent_within_reach_on_streams_and_without_a_simulation() {
        assert!(fired(&RULE, &random(|l| l.memory.as_mut().unwrap().footprint_pages = 1500)).is_none());
        let stream = random(|l| {
            l.memory.as_mut().unwrap().caches.clear();
            tlb(l, 0.002, 0.0019);
        });
        assert!(fired(&RULE, &stream).is_none(), "one walk per page of 512 doubles");
        assert!(fired(&RULE, &random(|l| l.memory.as_mut().unwrap().caches.clear())).is_none());
        assert!(fired(&RULE, &random(|l| l.access.clear())).is_none());
        assert!(fired(&RULE, &random(|l| l.self_seconds = 400.0)).is_none(), "4 µs per iteration");
    }
}
