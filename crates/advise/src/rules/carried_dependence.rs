//! Loops with a carried dependence that did occur: vectors up to its distance, or none.

use crate::chains;
use crate::evidence::{Dependences, NotSeen, Vectors};
use crate::prelude::*;
use crate::rules::{in_order_fp_sum, latency_bound_chain, repeated_updates, unobserved_dependence};
use crate::traffic::{nanoseconds_per_iteration, traffic};
use crate::vectorising;
use loopwright_analysis::model::{DependenceFacts, FoundDependence, VectorVerdict};
use loopwright_patterns::facts::DependenceKind;
use loopwright_stats::saturating_sum;

pub use crate::remedies::BREAK_RECURRENCE;
/// Id of another one.
pub const SIMD_SAFELEN: &str = "simd-safelen";

/// A loop that takes less than this many times what its instructions take waits for nothing in particular.
const CLEARLY: f64 = 1.3;
/// With more of the time for traffic than this, it is memory that the loop waits for.
const FROM_MEMORY: f64 = 0.5;

pub(crate) static RULE: Rule = Rule {
    id: "carried-dependence",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[in_order_fp_sum::REORDER_SUM, repeated_updates::PRIVATE_COPIES],
    doc: Doc::parse(include_str!("carried_dependence.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.vectorized || !of.innermost || of.idiom.is_some() {
        return None;
    }
    let found = facts.dependence(of)?;
    let limit = found.found.iter().filter(|d| d.limits_vectors && d.memory).min_by_key(|d| d.distance);
    match (found.vector, limit) {
        (VectorVerdict::SafeUpTo, _) => up_to_distance(facts, of, found, limit),
        (VectorVerdict::Unsafe, Some(limit)) => real(facts, of, found, limit),
        _ => None,
    }
}

/// Vectors of at most the distance are right.
fn up_to_distance(
    facts: &Facts,
    of: &LoopFacts,
    found: &DependenceFacts,
    limit: Option<&FoundDependence>,
) -> Option<Recommendation> {
    // Its distance is that of the machine's loop times a factor, which two parts of complex numbers double: no promise.
    if found.found.iter().any(|d| d.limits_vectors && !d.memory) {
        return None;
    }
    let most = found.max_length.or(limit.map(|d| d.distance)).filter(|d| *d >= 2)?;
    if vectorising::too_short(facts, of) {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            SIMD_SAFELEN,
            format!(
                "Vectorise this loop with `omp simd safelen({most})`: {most} iterations at once are safe"
            ),
        )
        .because(Provenance::Binary, Vectors::ScalarArithmetic);
    if let Some(limit) = limit {
        new = new.because(Provenance::Counted, Dependences::occurred(limit));
    }
    new = new
        .because(Provenance::Counted, Dependences::NotSeen { which: NotSeen::Nearer, checked: found.into() });
    new = vectorising::predicted(new, facts, of);
    let lanes = lanes_within(facts, of, most);
    if let (Some(share), Some(gain)) = (new.share, new.loop_gain) {
        let most_gain = (lanes as f64 * estimates::BEST_EFFICIENCY).max(1.0);
        if gain.high() > most_gain {
            new = new
                .because(Provenance::Modelled, Vectors::LanesAtMost { lanes, high: most_gain })
                .gain(share, gain.capped(most_gain));
        }
    }
    let sure = if found.exhaustive { Confidence::High } else { Confidence::Medium };
    Some(new.confidence(sure).how(safelen(most)))
}

/// Lanes of a vector that fit the machine and do not reach over the distance: a power of two.
fn lanes_within(facts: &Facts, of: &LoopFacts, most: u64) -> u64 {
    let bits = facts.machine().map_or(0, |m| m.vector_bits);
    let fit = u64::from(bits / gain::element(of).bits()).max(1);
    let lanes = fit.min(most).max(1);
    1 << lanes.ilog2()
}

/// A dependence that forbids vectors in this order: whoever promises its absence gets wrong results.
fn real(
    facts: &Facts,
    of: &LoopFacts,
    found: &DependenceFacts,
    limit: &FoundDependence,
) -> Option<Recommendation> {
    // A compiler that gave another reason has a remedy of its own; that the loop is serial too is then no news, unless it waits.
    let waits = waits(facts, of, found, limit);
    if waits.is_none() {
        unobserved_dependence::assumed(of)?;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named(BREAK_RECURRENCE, "The dependence is real: break it, or move it out of this loop")
        .because(Provenance::Binary, Vectors::ScalarArithmetic)
        .because(Provenance::Counted, Dependences::occurred(limit))
        .because(Provenance::Counted, Dependences::WereChecked { checked: found.into() });
    if limit.privatisable {
        new = new.because(Provenance::Counted, Dependences::WrittenFirst);
    }
    if let Some((now, without)) = waits {
        new = new
            .because(Provenance::Modelled, Dependences::Waits { now, without })
            .gain(of.group_share, latency_bound_chain::overlapped(facts, of, now / without, true));
    }
    Some(new.confidence(Confidence::High).how(breaking(limit.privatisable)))
}

/// Cycles of an iteration, and those that its instructions take, where nearly every iteration waits for what the one before it stored.
fn waits(
    facts: &Facts,
    of: &LoopFacts,
    found: &DependenceFacts,
    limit: &FoundDependence,
) -> Option<(f64, f64)> {
    let nearest = limit.distances.iter().filter(|(distance, _)| *distance == 1).map(|(_, times)| *times);
    let each = saturating_sum(nearest) as f64 / found.checked_iterations.max(1) as f64;
    if limit.kind != DependenceKind::Flow
        || limit.privatisable
        || each < chains::MOSTLY
        || !of.calls.is_empty()
    {
        return None;
    }
    if facts.traced(of).is_some_and(|traced| traffic(facts, traced).share().1 > FROM_MEMORY) {
        return None;
    }
    let now = nanoseconds_per_iteration(facts, of)? * facts.clock_ghz()?;
    let without = chains::without_chain(facts, of).max(1.0);
    (now >= CLEARLY * without).then_some((now, without))
}

fn safelen(most: u64) -> How {
    how!(RULE, "safelen").with("most", most)
}

fn breaking(privatisable: bool) -> How {
    if privatisable {
        return how!(RULE, "private-copy");
    }
    how!(RULE, "split")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise;
    use crate::fixtures::{
        carried, checked, count, fired, in_caches, near, scalar_loop, scattered, states, trace, traced,
        vector_loop,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, WhyNot};
    use loopwright_patterns::facts::DependenceKind;

    fn recurrence(distance: u64, vector: VectorVerdict, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            checked(l, vector, ParallelVerdict::Dependent);
            if let Some(found) = &mut l.dependence {
                found.found = vec![carried(DependenceKind::Flow, distance)];
                found.max_length = (vector == VectorVerdict::SafeUpTo).then_some(distance);
            }
            l.why_not = vec![WhyNot {
                reason: "loop-carried-dependence".into(),
                compiler: Some("gcc 12.2".into()),
                message: "possible dependence between data-refs".into(),
                file: None,
                line: None,
                provenance: Provenance::Compiler,
            }];
            change(l);
        })])
    }

    #[test]
    fn fires_with_vectors_up_to_the_distance() {
        for (distance, most) in [(2, 2.0), (3, 2.0), (4, 4.0), (9, 4.0)] {
            let r = fired(&RULE, &recurrence(distance, VectorVerdict::SafeUpTo, |_| ())).unwrap();
            assert_eq!(r.id, "simd-safelen");
            assert!(r.title.contains(&format!("safelen({distance})")), "{}", r.title);
            let gain = r.loop_gain.unwrap();
            assert!(gain.high() <= most && gain.high() > most / 2.0, "distance {distance}: {gain:?}");
            assert!(
                states!(r, Dependences::Occurred { dependence: DependenceKind::Flow, times: 900, address: Some(at), .. } if at == "0x7f0010")
            );
            assert!(states!(r, Dependences::NotSeen { which: NotSeen::Nearer, .. }));
        }
    }

    #[test]
    fn fires_on_a_real_recurrence_without_a_promise() {
        let r = fired(&RULE, &recurrence(1, VectorVerdict::Unsafe, |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.loop_gain, r.confidence), ("break-recurrence", None, Confidence::High));
        assert!(
            states!(r, Dependences::Occurred { source, sink, distance: 1, .. } if (source.line, sink.line) == (Some(11), Some(12)))
        );
        assert!(r.how.text.contains("wrong results"));
        let private = recurrence(1, VectorVerdict::Unsafe, |l| {
            l.dependence.as_mut().unwrap().found[0].privatisable = true;
        });
        assert!(fired(&RULE, &private).unwrap().how.text.contains("own copy"));
    }

    #[test]
    fn an_iteration_that_waits_for_the_one_before_has_a_prediction_whatever_the_reason() {
        // 4 s at 3 GHz: 0.4e9 iterations of 30 cycles.
        let waiting = |iterations: u64, times: u64| {
            recurrence(1, VectorVerdict::Unsafe, |l| {
                l.why_not.clear();
                count(l, 1, iterations);
                let found = l.dependence.as_mut().unwrap();
                (found.checked_iterations, found.found[0].distances) = (1000, vec![(1, times)]);
            })
        };
        let r = fired(&RULE, &waiting(400_000_000, 950)).unwrap();
        assert!(states!(r, Dependences::Waits { now, .. } if near(*now, 30.0)), "{:?}", r.said());
        assert!(r.loop_gain.unwrap().low() > 1.0);
        assert!(fired(&RULE, &waiting(400_000_000, 100)).is_none(), "one iteration in ten waits");
        assert!(fired(&RULE, &waiting(8_000_000_000, 950)).is_none(), "1.5 cycles: it waits for nothing");
        let mut misses = waiting(400_000_000, 950);
        trace(&mut misses.loops[0], vec![scattered("r[a]", 8, 64 << 20)]);
        in_caches(&mut misses.loops[0], [(440.0, 2.2), (430.0, 2.1), (400.0, 2.0)]);
        assert!(fired(&RULE, &misses).is_none(), "for memory");
    }

    #[test]
    fn nobody_is_told_to_promise_what_is_not_so() {
        let ids: Vec<String> =
            advise(&recurrence(1, VectorVerdict::Unsafe, |_| ())).into_iter().map(|r| r.id).collect();
        for promise in
            ["check-dependence", "promise-no-alias", "assert-independence", "unexplained-scalar-loop"]
        {
            assert!(!ids.contains(&promise.to_owned()), "{ids:?}");
        }
    }

    #[test]
    fn everything_traced_makes_it_surer() {
        let of = |exhaustive| {
            let analysis = recurrence(4, VectorVerdict::SafeUpTo, |l| {
                l.dependence.as_mut().unwrap().exhaustive = exhaustive
            });
            fired(&RULE, &analysis).unwrap().confidence
        };
        assert_eq!((of(false), of(true)), (Confidence::Medium, Confidence::High));
    }

    #[test]
    fn silent_without_a_limit_on_vector_loops_and_on_other_reasons() {
        for verdict in [VectorVerdict::Safe, VectorVerdict::SafeWithReductions, VectorVerdict::Unknown] {
            assert!(fired(&RULE, &recurrence(4, verdict, |_| ())).is_none(), "{verdict:?}");
        }
        assert!(fired(&RULE, &recurrence(1, VectorVerdict::SafeUpTo, |_| ())).is_none());
        let in_register = |l: &mut LoopFacts| l.dependence.as_mut().unwrap().found[0].memory = false;
        assert!(fired(&RULE, &recurrence(2, VectorVerdict::SafeUpTo, in_register)).is_none());
        assert!(fired(&RULE, &recurrence(1, VectorVerdict::Unsafe, |l| l.why_not.clear())).is_none());
        assert!(
            fired(
                &RULE,
                &recurrence(1, VectorVerdict::Unsafe, |l| l.why_not[0].reason = "opaque-call".into())
            )
            .is_none()
        );
        assert!(fired(&RULE, &recurrence(4, VectorVerdict::SafeUpTo, |l| l.dependence = None)).is_none());
        let packed =
            traced(vec![vector_loop(|l| checked(l, VectorVerdict::SafeUpTo, ParallelVerdict::Dependent))]);
        assert!(fired(&RULE, &packed).is_none());
    }
}
