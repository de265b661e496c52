//! Short inner loops that run equally often in every entry, with a count that the compiler does not know.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Time, Trips, Whose};
use crate::nest::short_nest;
use crate::prelude::*;
use crate::vectorising;

pub(crate) static RULE: Rule = Rule {
    id: "same-short-count",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("same_short_count.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let nest = short_nest(facts, of).filter(|nest| nest.same && nest.gain.high() >= LEAST_GAIN)?;
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                "constant-trip-count",
                "Make the count of this short loop a constant, so that the compiler writes it out",
            )
            .because(
                Provenance::Counted,
                Trips::RunsPerEntry { iterations: nest.iterations, entries: nest.entries, around: None },
            )
            .because(
                Provenance::Measured,
                Time::CodeAround {
                    share: nest.parent.self_share,
                    of: Whose::Loop,
                    name: nest.parent.place(),
                },
            )
            .because(
                Provenance::Modelled,
                Expected::between(Change::NoShortLoop, nest.gain.low(), nest.gain.high()),
            )
            .gain(nest.share.min(1.0), nest.gain)
            .confidence(Confidence::Medium)
            .how(how()),
    )
}

fn how() -> How {
    vectorising::with_vector_flags(how!(RULE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{count, fired, in_nest, scalar_loop, states, with_loops};

    #[test]
    fn fires_on_five_iterations_in_every_entry() {
        let r = fired(&RULE, &in_nest(5, 1000, |_, _| ())).unwrap();
        assert!(r.id == "constant-trip-count" && (r.share.unwrap() - 0.6).abs() < 1e-12, "{r:?}");
        assert!(
            states!(r, Trips::RunsPerEntry { iterations: 5.0, entries: 1000, around: None }),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.2 && gain.high() > gain.low(), "{gain:?}");
    }

    #[test]
    fn fires_on_a_loop_that_holds_one_with_several_entries() {
        let hidden = |l: &mut LoopFacts, p: &mut LoopFacts| (l.innermost, p.self_share) = (false, 0.01);
        assert!(fired(&RULE, &in_nest(10, 1000, hidden)).is_some());
        let listed = |l: &mut LoopFacts, _: &mut LoopFacts| (l.innermost, l.children) = (false, vec![9]);
        assert!(fired(&RULE, &in_nest(10, 1000, listed)).is_none());
    }

    #[test]
    fn silent_on_other_counts() {
        assert!(fired(&RULE, &in_nest(40, 1000, |_, _| ())).is_none(), "long");
        assert!(fired(&RULE, &in_nest(5, 1000, |l, _| l.constant_trips = Some(5))).is_none(), "known");
        let varies = |l: &mut LoopFacts, _: &mut LoopFacts| l.trip_count.as_mut().unwrap().max = Some(9);
        assert!(fired(&RULE, &in_nest(5, 1000, varies)).is_none());
        assert!(fired(&RULE, &in_nest(5, 1000, |_, p| p.self_share = 0.01)).is_none(), "nothing around it");
        assert!(fired(&RULE, &in_nest(5, 1000, |l, _| l.work = None)).is_none());
        assert!(fired(&RULE, &with_loops(vec![scalar_loop(|l| count(l, 1000, 5))])).is_none(), "no nest");
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &in_nest(5, 1000, |l, _| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &in_nest(5, 1000, |l, _| l.trip_count.as_mut().unwrap().max = None)).is_none());
    }
}
