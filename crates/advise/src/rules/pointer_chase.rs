//! Loops that follow pointers: each address comes from the load before it.
//!
//! What packing the elements saves is known where the loop was counted: the time of an iteration against that of its
//! instructions. A walk that searches is the matter of [`linear_search`], a table in L1 that of [`table_walk`].

use crate::evidence::{ChainRole, Dependences, Shape};
use crate::prelude::*;
use crate::rules::{linear_search, table_walk};
use crate::traced::to_arrays;
use loopwright_analysis::model::{AccessFacts, StridePattern};
use loopwright_binary::facts::{CarriedChain, ChainKind};

pub(crate) static RULE: Rule = Rule {
    id: "pointer-chase",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[linear_search::BETTER_DATA_STRUCTURE],
    doc: Doc::parse(include_str!("pointer_chase.md")),
};

/// Shorter walks (descents in a tree, chains of a hash table) do not become a stream.
const LEAST_STREAM: f64 = 4.0;
/// Walks that are no longer and gather nothing may be descents in a balanced tree.
const DEEPEST: f64 = 48.0;
/// Lines that are waited for at a time where addresses are known early, but jump.
const OVERLAPPING_JUMPS: f64 = 4.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let chain = of.chains.iter().find(|c| c.kind == ChainKind::PointerChase)?;
    if table_walk::walk(facts, of).is_some() {
        return None;
    }
    let new = facts
        .about_loop(&RULE, of)
        .because(Provenance::Binary, Dependences::chain(chain, ChainRole::Chase))
        .because(Provenance::Modelled, Dependences::ChaseCycles { cycles: chain.latency_cycles });
    let new = match packed(facts, of, chain) {
        Some((now, then, gain)) => {
            new.because(Provenance::Modelled, Shape::Instead { now, then }).gain(of.group_share, gain)
        }
        None => new.gain(of.group_share, estimates::LIST_IN_ARRAY),
    };
    // Links that are narrower than an address are indices: the elements are in an array.
    let indices =
        facts.traced(of).and_then(|traced| link(traced, chain)).is_some_and(|own| own.element_bytes < 8);
    let how = if indices { how!(RULE, "indices") } else { how!(RULE, "pointers") };
    Some(new.confidence(Confidence::Medium).next(facts.collect("map", of)).how(how))
}

/// Cycles of an iteration, now and with its elements in order, and the gain.
fn packed(facts: &Facts, of: &LoopFacts, chain: &CarriedChain) -> Option<(f64, (f64, f64), Gain)> {
    let trips = of.trip_count.as_ref().filter(|t| t.iterations > 0)?;
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let core = facts.core();
    let now = of.self_seconds * ghz * 1e9 / trips.iterations as f64;
    let executed = of.work.as_ref()?.instructions as f64 / trips.iterations as f64;
    let mut iteration = of.iteration();
    iteration.instructions = executed.min(iteration.instructions);
    // Calls do what they do, in the loop's total: only its own time is meant.
    iteration.calls = 0.0;
    let other = |c: &&CarriedChain| !matches!(c.kind, ChainKind::PointerChase | ChainKind::Induction);
    iteration.chain = of.chains.iter().filter(other).map(|c| f64::from(c.latency_cycles)).fold(0.0, f64::max);
    let least = iteration.cycles(core, 0);
    let gathers = of.chains.iter().any(|c| {
        matches!(c.kind, ChainKind::InOrderSum | ChainKind::VectorReduction | ChainKind::IntegerReduction)
    });
    if trips.mean? < LEAST_STREAM || trips.mean? < DEEPEST && !gathers {
        // Nodes that are small and near each other are a level nearer; the descent stays.
        let near = least + core.latency.l2;
        let gain = Gain::of(now / near).hedged(estimates::HIDDEN);
        return Some((now, (now / gain.high(), now / gain.low()), gain));
    }
    // What the elements lead to may still be anywhere; but its addresses are known early.
    let caches = &facts.machine()?.cache_bytes;
    let traced = facts.traced(of);
    let own = traced.and_then(|traced| link(traced, chain));
    let jumps = traced.into_iter().flat_map(to_arrays).filter(|a| jumps(a, own));
    let (mut fast, mut slow) = (least, 2.0 * least);
    for access in jumps {
        let bytes = access.footprint_bytes.unwrap_or(0);
        let levels = [core.latency.l1, core.latency.l2, core.latency.l3];
        let level = caches.iter().zip(levels).find(|(size, _)| bytes <= **size).map(|(_, cycles)| cycles);
        let cycles = level.unwrap_or(estimates::DRAM_NANOSECONDS * ghz);
        fast += cycles / estimates::FILL_BUFFERS;
        slow += cycles / OVERLAPPING_JUMPS;
    }
    let gain = Gain::between(now / slow, now / fast);
    Some((now, (now / gain.high(), now / gain.low()), gain))
}

/// Another address than the elements' own, without order. Fields of one element move alike.
fn jumps(access: &AccessFacts, own: Option<&AccessFacts>) -> bool {
    access.pattern == StridePattern::Variable
        && own.is_none_or(|own| own.addresses != access.addresses && own.distribution != access.distribution)
}

/// The access of the chain itself.
fn link<'l>(traced: &'l LoopFacts, chain: &CarriedChain) -> Option<&'l AccessFacts> {
    let at = |text: &String| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let own = |a: &&AccessFacts| a.addresses.iter().filter_map(at).any(|at| chain.instructions.contains(&at));
    to_arrays(traced).find(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, fired_on, induction, measured, scalar_loop, states, trace,
    };
    use loopwright_patterns::facts::AccessKind;

    #[test]
    fn fires_on_a_chase() {
        let r = fired_on(&RULE, scalar_loop(|l| l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)]))
            .unwrap();
        assert!(
            states!(r, Dependences::Chain { carrier, role: ChainRole::Chase, .. } if carrier.name() == "rbx")
        );
        assert!(r.next.unwrap().contains("map --loops 1"));
    }

    #[test]
    fn counted_walks_gain_what_they_wait() {
        let walk = |entries, each| {
            measured(vec![scalar_loop(|l| {
                l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)];
                count(l, entries, each);
            })])
        };
        // 4 s for 40 million: 300 cycles each, of which a few are work.
        let gain = fired(&RULE, &walk(40_000, 1000)).unwrap().loop_gain.unwrap();
        assert!(gain.low() > 30.0, "{gain:?}");
        // 4 s for 2 * 10^9: 6 cycles each, all in L1.
        let gain = fired(&RULE, &walk(2_000_000, 1000)).unwrap().loop_gain.unwrap();
        assert!(gain.high() < 5.0, "{gain:?}");
        // Descents stay descents.
        let gain = fired(&RULE, &walk(20_000_000, 2)).unwrap().loop_gain.unwrap();
        assert!(gain.low() < 4.0 && gain.high() < 30.0, "{gain:?}");
    }

    #[test]
    fn links_that_are_indices_are_in_an_array_already() {
        let how = |bytes| {
            let chase = scalar_loop(|l| {
                l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)];
                l.chains[0].instructions = vec![0x1208];
                trace(l, vec![access("node[at].left", AccessKind::Load, bytes, 7)]);
                l.access[0].addresses = vec!["0x1208".into()];
            });
            fired_on(&RULE, chase).unwrap().how.text
        };
        assert!(how(4).starts_with("The links are indices"));
        assert!(how(8).starts_with("Keep the elements in an array"));
    }

    #[test]
    fn silent_on_counters_and_sums() {
        assert!(
            fired_on(
                &RULE,
                scalar_loop(|l| l.chains = vec![induction(), chain(ChainKind::InOrderSum, "xmm0", 4)])
            )
            .is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|l| l.chains.clear())).is_none());
    }

    #[test]
    fn without_a_trace_it_asks_for_one_and_promises_nothing_certain() {
        let chase = scalar_loop(|l| l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)]);
        let r = fired_on(&RULE, chase).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright map --loops 1"));
        assert_eq!(r.loop_gain.unwrap().low(), 1.0);
    }
}
