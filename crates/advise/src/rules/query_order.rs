//! Descents through a structure that the near caches do not hold: the order of the queries decides what is near.

use crate::evidence::{Memory, Shape};
use crate::prelude::*;
use crate::rules::{linear_search, scattered_indices, table_walk};
use crate::traced::to_arrays;
use crate::traffic::simulated;
use loopwright_analysis::model::{AccessFacts, LoopFacts, StridePattern};
use loopwright_binary::facts::ChainKind;

pub(crate) static RULE: Rule = Rule {
    id: "query-order",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[linear_search::BETTER_DATA_STRUCTURE],
    doc: Doc::parse(include_str!("query_order.md")),
};

/// Longer walks visit the whole structure each time: its order is another matter.
const DEEPEST: f64 = 48.0;
/// Fewer descents do not pay for sorting them.
const FEWEST: u64 = 100_000;
/// Part of the first cache that a structure has to fill several times over to be out of it.
const TIMES: u64 = 4;
/// Misses of the first cache in an iteration, at least.
const MISSES: f64 = 0.2;
/// Part of the misses that neighbouring queries save: they go the same way nearly to the end.
const SHARED: f64 = 0.8;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let links = of.chains.iter().find(|c| c.kind == ChainKind::PointerChase)?;
    // A list has one way; a descent chooses: among links, or which part is left for later.
    let chooses = links.instructions.len() > 1 || of.operands.data_tests > 0 || of.recurses();
    if !chooses || table_walk::walk(facts, of).is_some() {
        return None;
    }
    let trips = of.trip_count.as_ref().filter(|t| t.iterations > 0)?;
    let entries = trips.entries.filter(|n| *n >= FEWEST)?;
    if trips.mean? > DEEPEST {
        return None;
    }
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let traced = facts.traced(of)?;
    let iterations = traced.memory.as_ref()?.traced_iterations.max(1) as f64;
    let nearest = *facts.machine()?.cache_bytes.first()?;
    let jumps = |a: &&AccessFacts| a.kind.reads() && a.pattern == StridePattern::Variable;
    let bytes = to_arrays(traced).filter(jumps).filter_map(|a| a.footprint_bytes).max()?;
    let misses = |name: &str| simulated(traced, name).map_or(0.0, |c| c.estimated_misses as f64 / iterations);
    let (first, second) = (misses("L1"), misses("L2"));
    if bytes < TIMES * nearest || first < MISSES {
        return None;
    }
    let core = facts.core();
    let now = of.self_seconds * ghz * 1e9 / trips.iterations as f64;
    let waits = (first - second).max(0.0) * core.latency.l2 + second * core.latency.l3;
    let saved = (SHARED * waits / now).min(estimates::MOST_MEMORY_TIME);
    let gain = Gain::removing(saved).hedged(estimates::SEEN);
    // Neighbours take the same branches, too.
    let missed = saved + (core.mispredict / 2.0 / now).min(0.5 * (1.0 - saved));
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                scattered_indices::REORDER_INDICES,
                "Handle the queries in an order in which neighbours follow each other, so that they share what they read",
            )
            .because(Provenance::Counted, Shape::Descents { entries, bytes })
            .because(Provenance::Modelled, Memory::MissesEach { first, second })
            .gain(of.group_share, gain.reaching(Gain::removing(missed).likely()))
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, in_caches, scalar_loop, scattered, states, trace, traced,
    };
    use loopwright_analysis::model::Analysis;
    use loopwright_patterns::facts::AccessKind;

    /// `while (!leaf(n)) n = x[q] < n->value ? n->left : n->right;`: descents of 15 steps in 4 MiB of nodes.
    fn descents(change: impl Fn(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)];
            l.operands.data_tests = 1;
            trace(l, vec![scattered("n->value", 8, 4 << 20), access("x[q]", AccessKind::Load, 8, 0)]);
            in_caches(l, [(400.0, 40.0), (250.0, 20.0), (0.0, 0.0)]);
            count(l, 1_000_000, 15);
            l.self_seconds = 0.25;
            change(l);
        })])
    }

    #[test]
    fn fires_on_descents_that_leave_the_first_cache() {
        let r = fired(&RULE, &descents(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("reorder-indices", Confidence::Medium));
        assert!(
            states!(r, Shape::Descents { entries: 1_000_000, bytes } if *bytes == 4 << 20),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.0 && gain.high() > gain.low() && gain.high() < 4.0, "{gain:?}");
    }

    #[test]
    fn silent_on_near_small_few_and_long_walks() {
        let near = |l: &mut LoopFacts| in_caches(l, [(10.0, 1.0), (0.0, 0.0), (0.0, 0.0)]);
        assert!(fired(&RULE, &descents(near)).is_none());
        let small = |l: &mut LoopFacts| trace(l, vec![scattered("n->value", 8, 16 << 10)]);
        assert!(fired(&RULE, &descents(small)).is_none());
        assert!(fired(&RULE, &descents(|l| count(l, 1000, 15))).is_none());
        assert!(fired(&RULE, &descents(|l| count(l, 1_000_000, 500))).is_none());
        assert!(fired(&RULE, &descents(|l| l.chains.clear())).is_none());
        assert!(fired(&RULE, &descents(|l| l.operands.data_tests = 0)).is_none(), "a list");
    }

    #[test]
    fn without_counts_or_a_trace_it_is_silent() {
        assert!(fired(&RULE, &descents(|l| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &descents(|l| l.access.clear())).is_none());
    }
}
