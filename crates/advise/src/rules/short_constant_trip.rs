//! Inner loops with a short trip count that the code knows: the DL_MESO case.

use crate::evidence::{Entries, Trips, Vectors};
use crate::prelude::*;
use crate::rules::short_trip_remainder;
use crate::vectorising;
use loopwright_binary::facts::LoopRole;
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "short-constant-trip",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("short_constant_trip.md")),
};

/// A remainder of at most `length - 1` iterations matters while it is a noticeable part of the passes: at 64
/// iterations on 8 lanes the worst remainder (7 of 8 + 7 passes) is still half, at 128 a third.
const SHORT: u64 = 128;

/// Pieces that run the same iterations have constants that do not agree: the compiler made a copy of the loop for each of several
/// callers or counts, and the source has no constant.
fn constants_differ(facts: &Facts, of: &LoopFacts) -> bool {
    let same =
        facts.group(of).filter(|l| matches!(l.role, LoopRole::Body | LoopRole::Whole) && l.id != of.id);
    same.into_iter().any(|l| l.constant_trips != of.constant_trips)
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let constant = of.constant_trips.filter(|&n| (2..=SHORT).contains(&n))?;
    if !of.innermost
        || of.parent.is_none()
        || !of.vectorized && short_trip_remainder::stays_scalar(facts, of)
        || short_trip_remainder::is_piece(facts, of)
        || constants_differ(facts, of)
    {
        return None;
    }
    // The code's own count is that of machine iterations: a vector body makes fewer of them.
    let lanes_now =
        of.vector.as_ref().filter(|_| of.vectorized).map_or(1, |v| v.length.max(1) * v.unroll.max(1));
    let left = saturating_sum(
        facts.group(of).filter(|l| l.role == LoopRole::Remainder).filter_map(|l| l.constant_trips),
    );
    // A body that covers the count leaves nothing over.
    if of.vectorized && left == 0 {
        return None;
    }
    let trips = constant.saturating_mul(u64::from(lanes_now)).saturating_add(left);
    let bits = facts.machine().map_or(0, |m| m.vector_bits);
    let widest = bits / gain::element(of).bits();
    // The longest vector that the loop fills at least once.
    let length =
        (1..=widest).rev().filter(|l| l.is_power_of_two()).find(|&l| u64::from(l) <= trips).unwrap_or(1);
    if length < 2 || (of.vectorized && trips % u64::from(length) == 0) {
        return None;
    }
    let (with_remainder, padded) = costs::trips(trips, length)?;
    let to = trips.div_ceil(u64::from(length)) * u64::from(length);
    let new = facts
        .about_loop(&RULE, of)
        .because(Provenance::Binary, Trips::ConstantTrips { iterations: trips })
        .because(
            Provenance::Binary,
            if of.vectorized { Vectors::ScalarLeftOvers } else { Vectors::ScalarArithmetic },
        )
        .because(
            Provenance::Modelled,
            Trips::PaddedPasses { lanes: length, with_remainder, padded, constant: Some((trips, to)) },
        );
    let mut new = new;
    let counted = of.trip_count.as_ref().filter(|t| !t.approximate);
    if let Some(counted) = counted.and_then(Entries::of) {
        new = new.because(Provenance::Counted, Trips::Entered { counted, body: false, elements: None });
    }
    // An early exit makes the constant an upper bound, as counts show.
    if counted.is_some_and(|t| t.mean.is_some_and(|mean| mean + 0.5 < constant as f64)) {
        return None;
    }
    let gain = if of.vectorized {
        Gain::up_to(padded / with_remainder)
    } else {
        let best = vectorising::most(facts, of).unwrap_or(padded);
        let high = padded.min(best).max(1.0);
        Gain::between(high * estimates::POOR_EFFICIENCY.max(1.0 / padded), high)
    };
    let pads = trips % u64::from(length) != 0;
    let directive = short_trip_remainder::directive(facts, of);
    let title = match (of.vectorized, pads) {
        (true, _) => format!("Pad this {trips}-iteration vector loop to {to}, with a constant trip count"),
        (false, true) => format!(
            "Vectorise this {trips}-iteration loop: `{directive}`, padded to {to}, with a constant trip count"
        ),
        (false, false) => {
            format!("Vectorise this {trips}-iteration loop: `{directive}`, with a constant trip count")
        }
    };
    let mut how = short_trip_remainder::how_with(&directive, length, of.instruction_mix.fp_scalar > 0);
    if !pads {
        how.text = format!(
            "The trip count, {trips}, fills its vectors exactly: put `{directive}` before the loop and keep the count a constant."
        );
        (how.c, how.fortran) = (None, None);
    }
    Some(
        new.named("pad-short-loop", title)
            .gain(of.group_share, gain)
            .confidence(if of.why_not.is_empty() && counted.is_none() {
                Confidence::Medium
            } else {
                Confidence::High
            })
            .next(facts.collect("dependencies", of))
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, chain, fired, fired_on, scalar_loop, states, vector_loop, with_loops};
    use loopwright_binary::facts::ChainKind;

    fn nineteen(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            (l.parent, l.depth, l.constant_trips) = (Some(9), 2, Some(19));
            change(l);
        })
    }

    #[test]
    fn fires_on_nineteen_velocities() {
        let r = fired_on(&RULE, nineteen(|_| ())).unwrap();
        assert_eq!(r.id, "pad-short-loop");
        assert!(r.title.contains("padded to 20"), "{}", r.title);
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() < 1.44 && 1.44 < gain.high() && gain.high() <= 3.8, "{gain:?}");
    }

    #[test]
    fn counts_confirm_the_constant_or_deny_it() {
        let counted = |each| nineteen(|l| l.trip_count = Some(crate::fixtures::trips(500, each)));
        let r = fired_on(&RULE, counted(19)).unwrap();
        assert_eq!(r.confidence, Confidence::High);
        assert!(states!(r, Trips::Entered { counted: Entries { entries: 500, median: Some(19), .. }, .. }));
        assert!(fired_on(&RULE, counted(4)).is_none(), "it leaves early");
    }

    #[test]
    fn counts_source_iterations_of_a_vector_body() {
        let body = vector_loop(|l| {
            (l.parent, l.role, l.constant_trips) = (Some(9), LoopRole::Body, Some(4));
        });
        let remainder = nineteen(|l| {
            (l.id, l.role, l.constant_trips) = (2, LoopRole::Remainder, Some(3));
        });
        let r = fired(&RULE, &with_loops(vec![body, remainder])).unwrap();
        assert!(r.title.contains("19-iteration"), "{}", r.title);
    }

    #[test]
    fn silent_on_long_outermost_or_fitting_loops() {
        assert!(fired_on(&RULE, nineteen(|l| l.constant_trips = Some(1000))).is_none());
        assert!(fired_on(&RULE, nineteen(|l| l.constant_trips = None)).is_none());
        assert!(fired_on(&RULE, nineteen(|l| l.parent = None)).is_none());
        assert!(
            fired_on(&RULE, vector_loop(|l| (l.parent, l.constant_trips) = (Some(9), Some(5)))).is_none()
        );
    }

    #[test]
    fn silent_on_pieces_calls_and_bodies_without_remainder() {
        let unknown = nineteen(|l| {
            let mut trips = crate::fixtures::trips(500, 19);
            (trips.source_factor, trips.source_unknown) = (None, Some("the code does not show it".into()));
            l.trip_count = Some(trips);
        });
        assert!(fired_on(&RULE, unknown).is_none());
        let unrolled = |additions: usize| {
            nineteen(|l| {
                l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 4 * additions as u32)];
                l.chains[0].instructions = vec![1; additions];
            })
        };
        assert!(fired_on(&RULE, unrolled(8)).is_none());
        let r = fired_on(&RULE, unrolled(1)).unwrap();
        assert!(r.title.contains("omp simd reduction(+:VARIABLE)") && r.how.text.contains("reduction"));
        assert!(fired_on(&RULE, nineteen(|l| l.calls = vec![call(Some("sin"))])).is_none());
        let copy = nineteen(|l| (l.id, l.constant_trips) = (2, Some(12)));
        assert!(fired(&RULE, &with_loops(vec![nineteen(|_| ()), copy])).is_none(), "two constants");
        let covers = vector_loop(|l| (l.parent, l.depth, l.constant_trips) = (Some(9), 2, Some(39)));
        assert!(fired_on(&RULE, covers).is_none(), "39 of 4 elements are 156 exactly");
    }

    #[test]
    fn a_fitting_scalar_loop_needs_no_padding() {
        let r = fired_on(&RULE, nineteen(|l| l.constant_trips = Some(16))).unwrap();
        assert!(!r.title.contains("padded") && r.how.c.is_none());
    }

    #[test]
    fn silent_where_a_dependence_was_seen() {
        use crate::fixtures::checked;
        use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};
        let with = |verdict| fired_on(&RULE, nineteen(|l| checked(l, verdict, ParallelVerdict::Dependent)));
        assert!(with(VectorVerdict::Unsafe).is_none(), "`omp simd` would be wrong");
        assert!(with(VectorVerdict::Safe).unwrap().next.is_none());
    }

    #[test]
    fn silent_without_a_machine() {
        let mut analysis = with_loops(vec![nineteen(|_| ())]);
        analysis.machine = None;
        assert!(fired(&RULE, &analysis).is_none());
    }
}
