//! Updates of a table through indices that repeat at once: each waits for the store before it.
//!
//! A load from an address that a store has just written gets the value from the store buffer, after the store: an update of the
//! same element d iterations later takes at least the latency of that over d per iteration. How often that happens is in the
//! distances that a trace saw. Copies of the table, one for each of several neighbouring iterations, make the distances
//! longer.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Dependences, Memory, Operand};
use crate::prelude::*;
use crate::traced::to_arrays;
use crate::traffic::nanoseconds_per_iteration;
use loopwright_analysis::model::{AccessFacts, FoundDependence, StridePattern};
use loopwright_patterns::facts::{AccessKind, DependenceKind};

/// Id of its recommendation.
pub const PRIVATE_COPIES: &str = "private-copies";

pub(crate) static RULE: Rule = Rule {
    id: "repeated-updates",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("repeated_updates.md")),
};

/// Copies of the table: the iterations that wait for each other become four apart, which is as far as the latency of a store
/// that is loaded again is noticed at one iteration per cycle.
const COPIES: f64 = 4.0;
/// Waits for less than this part of the time are hidden behind the other work.
const NOTICEABLE: f64 = 0.3;
/// The part of the cache nearest to the core but one that the copies may fill.
const FILL: f64 = 0.5;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.vectorized || !of.innermost || !of.calls.is_empty() {
        return None;
    }
    let traced = facts.traced(of)?;
    let found = facts.dependence(of)?;
    let (met, updated) = found.found.iter().find_map(|d| Some((d, updated(d, traced)?)))?;
    let table = updated.footprint_bytes.filter(|bytes| *bytes > 0)?;
    let holds = facts.machine().and_then(|m| m.cache_bytes.get(1).copied())?;
    if table as f64 * COPIES > FILL * holds as f64 {
        return None;
    }
    let meetings = |longest: u64| {
        let near = met.distances.iter().filter(move |(d, _)| *d > 0 && *d <= longest);
        near.map(|(d, n)| (*d as f64, *n as f64))
    };
    let checked = found.checked_iterations.max(1) as f64;
    let waits: f64 =
        meetings(u64::MAX).map(|(d, n)| n * estimates::FORWARDED_UPDATE / d).sum::<f64>() / checked;
    let cycles = facts.clock_ghz().zip(nanoseconds_per_iteration(facts, traced)).map(|(ghz, ns)| ghz * ns)?;
    if waits < NOTICEABLE * cycles {
        return None;
    }
    let core = facts.core();
    let mut alone = of.iteration();
    alone.chain = 0.0;
    // The copies' addresses take an instruction or none.
    let least = alone.cycles(core, 0).max(waits / COPIES).max(1.0);
    let gain = Gain::of((cycles / least).min(COPIES)).hedged(estimates::SEEN);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let repeated = meetings(COPIES as u64).map(|(_, n)| n).sum::<f64>() / checked;
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                PRIVATE_COPIES,
                format!("Update four copies of {} in turn and add them up after the loop", name(updated)),
            )
            .because(Provenance::Counted, Dependences::occurred(met))
            .because(
                Provenance::Counted,
                Memory::RepeatedUpdates {
                    operand: Operand::of(updated),
                    share: repeated.min(1.0),
                    within: COPIES as u64,
                    bytes: table,
                    extent: facts.extent(traced),
                },
            )
            .gain(of.group_share, gain)
            .confidence(Confidence::High)
            .how(how!(RULE)),
    )
}

/// The table's access, where a dependence is the update of an element that an iteration before has updated.
fn updated<'l>(met: &FoundDependence, traced: &'l LoopFacts) -> Option<&'l AccessFacts> {
    if !met.memory || met.kind != DependenceKind::Flow || met.privatisable || met.constant_distance {
        return None;
    }
    let at = |address: &String| to_arrays(traced).find(|a| a.addresses.contains(address));
    let (store, load) = (at(&met.source.address)?, at(&met.sink.address)?);
    let whole = std::ptr::eq(store, load) && store.kind == AccessKind::Update;
    let alike = store.array.is_some()
        && store.array == load.array
        && store.operand.is_some()
        && store.operand == load.operand
        && store.executions == load.executions;
    let scattered = |a: &AccessFacts| a.pattern == StridePattern::Variable && a.lanes <= 1 && !a.atomic;
    ((whole || alike) && scattered(store) && scattered(load)).then_some(store)
}

fn name(of: &AccessFacts) -> String {
    crate::traced::array_name(of).map_or_else(|| "this table".to_owned(), |name| format!("`{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise;
    use crate::fixtures::{
        access, carried, checked, count, fired, in_caches, scalar_loop, scattered, states, trace, traced,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};

    /// `h[k[i]]++` on a table of 1 KiB, with these meetings in 40,000 iterations; ten ns an iteration at 3 GHz in the fixture's
    /// clock would be thirty cycles, so that the time is set.
    fn histogram(distances: Vec<(u64, u64)>, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            let mut update = scattered("h[k[i]]", 4, 1024);
            (update.kind, update.addresses) = (AccessKind::Update, vec!["0x1136".into()]);
            trace(l, vec![access("k[i]", AccessKind::Load, 1, 1), update]);
            in_caches(l, [(0.1, 0.0), (0.0, 0.0), (0.0, 0.0)]);
            checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
            let mut met = carried(DependenceKind::Flow, 1);
            (met.source.address, met.sink.address) = ("0x1136".into(), "0x1136".into());
            met.distances = distances;
            l.dependence.as_mut().unwrap().found = vec![met];
            (l.instructions, l.instruction_mix.divide) = (5, 0);
            count(l, 1000, 1_000_000);
            l.self_seconds = 1.7;
            change(l);
        })])
    }

    fn often() -> Vec<(u64, u64)> {
        vec![(1, 24_000), (2, 6_000)]
    }

    #[test]
    fn fires_on_bins_that_repeat() {
        let r = fired(&RULE, &histogram(often(), |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("private-copies", Confidence::High));
        assert!(r.title.contains("`h`"), "{}", r.title);
        assert!(
            states!(r, Memory::RepeatedUpdates { share, within: 4, bytes: 1024, .. } if (*share - 0.75).abs() < 1e-9),
            "{:?}",
            r.said()
        );
        let ids: Vec<String> = advise(&histogram(often(), |_| ())).into_iter().map(|r| r.id).collect();
        assert!(!ids.contains(&"break-recurrence".to_owned()), "{ids:?}");
    }

    /// 800 million updates of 256 bins, three of four of the same one, took 1.02 to 1.05 s with GCC 12 and clang 14 on a Zen 4
    /// core, and 0.31 to 0.32 s with four copies: 3.2 to 3.4 times as fast.
    #[test]
    fn what_was_measured_lies_in_the_range() {
        let gain = fired(&RULE, &histogram(often(), |_| ())).unwrap().loop_gain.unwrap();
        assert!(gain.low() < 3.2 && gain.low() > 1.5 && gain.high() > 3.4, "{gain:?}");
    }

    #[test]
    fn silent_where_updates_do_not_wait_for_each_other() {
        assert!(fired(&RULE, &histogram(vec![(1, 150), (200, 9_000)], |_| ())).is_none(), "spread evenly");
        let large = |l: &mut LoopFacts| l.access[1].footprint_bytes = Some(64 << 20);
        assert!(fired(&RULE, &histogram(often(), large)).is_none(), "copies would not fit the cache");
        let slow = |l: &mut LoopFacts| l.self_seconds = 20.0;
        assert!(fired(&RULE, &histogram(often(), slow)).is_none(), "the time goes elsewhere");
        let along = |l: &mut LoopFacts| l.access[1].pattern = StridePattern::Unit;
        assert!(fired(&RULE, &histogram(often(), along)).is_none(), "a recurrence, no table");
        let atomic = |l: &mut LoopFacts| l.access[1].atomic = true;
        assert!(fired(&RULE, &histogram(often(), atomic)).is_none());
    }

    #[test]
    fn silent_without_counts_or_dependences() {
        assert!(fired(&RULE, &histogram(often(), |l| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &histogram(often(), |l| l.dependence = None)).is_none());
    }
}
