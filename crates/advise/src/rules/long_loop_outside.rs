//! Nests whose long loop is outside and whose short one inside.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Time, Trips, Whose};
use crate::nest::{iterations, short_nest};
use crate::prelude::*;
use crate::rules::row_stride;
use crate::vectorising;
use loopwright_analysis::model::ParallelVerdict;

pub(crate) static RULE: Rule = Rule {
    id: "long-loop-outside",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("long_loop_outside.md")),
};

/// The long loop's iterations, at least, and over the short one's.
const LONG: f64 = 32.0;
const LONGER: f64 = 4.0;
/// Loops around that are looked at.
const HIGHEST: usize = 8;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let nest = short_nest(facts, of)?;
    let mean = |l: &LoopFacts| iterations(l).unwrap_or(0.0);
    let around = facts.ancestors(nest.parent).take_while(|l| l.function == of.function);
    let nested: Vec<&LoopFacts> = std::iter::once(nest.parent).chain(around).take(HIGHEST).collect();
    let at = nested.iter().position(|l| mean(l) >= LONG && mean(l) >= LONGER * nest.iterations)?;
    let long = nested[at];
    let found = facts.dependence(long).map(|d| d.parallel);
    if found == Some(ParallelVerdict::Dependent) || facts.forbids_vectors(long) {
        return None;
    }
    let independent = found.is_some_and(|verdict| verdict != ParallelVerdict::Unknown);
    // The code between the two loops, and beside the short one, takes part in the rewrite.
    let share = (of.group_share + nested[..=at].iter().map(|l| l.self_share).sum::<f64>()).min(1.0);
    let gain = nest.gain.at_most();
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named("long-loop-inside", "Split this nest and put its long loop inside")
        .because(
            Provenance::Counted,
            Trips::RunsPerEntry {
                iterations: nest.iterations,
                entries: nest.entries,
                around: Some((long.place(), mean(long))),
            },
        )
        .because(
            Provenance::Measured,
            Time::CodeAround { share: share - of.group_share, of: Whose::Nest, name: String::new() },
        )
        .because(Provenance::Modelled, Expected::up_to(Change::VectorArithmetic, gain.high()))
        .gain(share, gain)
        .confidence(if independent { Confidence::Medium } else { Confidence::Low });
    if !independent {
        new = new.next(facts.collect("dependencies", long));
    }
    Some(new.how(how()))
}

fn how() -> How {
    vectorising::with_vector_flags(how!(RULE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{checked, fired, in_nest, near, states, traced};
    use loopwright_analysis::model::VectorVerdict;

    #[test]
    fn fires_where_the_long_loop_is_outside() {
        let r = fired(&RULE, &in_nest(5, 1000, |_, _| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("long-loop-inside", Confidence::Low));
        assert!(
            states!(r, Trips::RunsPerEntry { iterations, around: Some((_, around)), .. } if near(*iterations, 5.0) && near(*around, 1000.0)),
            "{:?}",
            r.said()
        );
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 2"));
        assert_eq!(r.loop_gain.unwrap().low(), 1.0);
    }

    #[test]
    fn a_dependence_check_of_the_long_loop_decides() {
        let with = |verdict| {
            traced(in_nest(5, 1000, |_, parent| checked(parent, VectorVerdict::Safe, verdict)).loops)
        };
        assert_eq!(fired(&RULE, &with(ParallelVerdict::Independent)).unwrap().confidence, Confidence::Medium);
        assert!(fired(&RULE, &with(ParallelVerdict::Dependent)).is_none());
    }

    #[test]
    fn silent_where_no_loop_is_long_or_the_inner_one_is_not_short() {
        assert!(fired(&RULE, &in_nest(5, 12, |_, _| ())).is_none());
        assert!(fired(&RULE, &in_nest(40, 1000, |_, _| ())).is_none());
        assert!(fired(&RULE, &in_nest(5, 1000, |l, _| l.parent = None)).is_none());
    }

    #[test]
    fn silent_without_counts_of_either_loop() {
        assert!(fired(&RULE, &in_nest(5, 1000, |l, _| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &in_nest(5, 1000, |_, parent| parent.trip_count = None)).is_none());
    }
}
