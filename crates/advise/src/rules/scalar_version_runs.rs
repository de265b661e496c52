//! Loops that have a vector version which is not the one that runs.

use crate::evidence::{Expected, Experience, Time, VectorPart, Vectors};
use crate::prelude::*;
use loopwright_binary::facts::LoopRole;

pub(crate) static RULE: Rule = Rule {
    id: "scalar-version-runs",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("scalar_version_runs.md")),
};

/// A tenth of the loop's time; less is a start or an end.
const NOTICEABLE: f64 = 0.10;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.role != LoopRole::Body || !of.vectorized {
        return None;
    }
    // A version that still holds the inner loop is another nest: the compiler chose by a count, not by an overlap.
    let scalar = || {
        facts
            .group(of)
            .filter(|l| l.role == LoopRole::Version && !l.vectorized && l.innermost == of.innermost)
    };
    let version_share: f64 = scalar().map(|l| l.self_share).sum();
    let part = version_share / of.group_share.max(f64::MIN_POSITIVE);
    if part.is_nan() || part < NOTICEABLE {
        return None;
    }
    let length = of.vector.as_ref().map_or(1, |v| v.length);
    let gain = Gain::of(f64::from(length)).hedged(estimates::OVERLAPPED);
    let place = scalar().map(LoopFacts::place).next().unwrap_or_default();
    Some(
        facts
            .about_loop(&RULE, of)
            .named("run-vector-version", "Make the run-time check choose the vector version of this loop")
            .because(Provenance::Measured, Time::ScalarVersion { share: part, place })
            .because(
                Provenance::Binary,
                Vectors::ElementsAtATime { part: VectorPart::OtherVersion, elements: length },
            )
            .because(Provenance::Modelled, Expected::FromExperience { of: Experience::VectorVersion })
            .gain(version_share, gain)
            .confidence(Confidence::Medium)
            .next(facts.collect("dependencies", of))
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, fired_on, near, scalar_loop, states, vector_loop, with_loops};

    fn versions(scalar_share: f64) -> Vec<LoopFacts> {
        let body = vector_loop(|l| {
            (l.role, l.self_share, l.group_share) = (LoopRole::Body, 0.5 - scalar_share, 0.5)
        });
        let version = scalar_loop(|l| {
            (l.id, l.role, l.self_share, l.group_share) = (2, LoopRole::Version, scalar_share, 0.5)
        });
        vec![body, version]
    }

    #[test]
    fn fires_when_the_scalar_version_takes_the_time() {
        let r = fired(&RULE, &with_loops(versions(0.4))).unwrap();
        assert_eq!((r.id.as_str(), r.share), ("run-vector-version", Some(0.4)));
        assert!(states!(r, Time::ScalarVersion { share, .. } if near(*share, 0.8)));
    }

    #[test]
    fn silent_when_the_body_runs_or_there_is_one_version() {
        assert!(fired(&RULE, &with_loops(versions(0.01))).is_none());
        let mut nest = versions(0.4);
        nest[1].innermost = false;
        assert!(fired(&RULE, &with_loops(nest)).is_none(), "the other version is a nest");
        assert!(fired_on(&RULE, vector_loop(|l| l.role = LoopRole::Body)).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.role = LoopRole::Version)).is_none());
    }

    #[test]
    fn without_a_trace_it_asks_for_the_dependences() {
        let r = fired(&RULE, &with_loops(versions(0.4))).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 1"));
    }
}
