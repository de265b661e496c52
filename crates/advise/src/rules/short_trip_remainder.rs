//! Remainder or peel loops that take a noticeable share of their source loop.

use crate::chains;
use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Entries, Expected, Time, Trips, VectorPart, Vectors};
use crate::prelude::*;
use crate::rules::{in_order_fp_sum, unobserved_dependence};
use loopwright_analysis::model::TripCount;
use loopwright_binary::facts::LoopRole;
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "short-trip-remainder",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("short_trip_remainder.md")),
};

/// Below a tenth, removing all of it gains less than a tenth of the loop.
const NOTICEABLE: f64 = 0.10;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.role != LoopRole::Body {
        return None;
    }
    let length = of.vector.as_ref().filter(|_| of.vectorized).map(|v| v.length).filter(|&l| l > 1)?;
    let seconds =
        |role: LoopRole| facts.group(of).filter(|l| l.role == role).map(|l| l.self_seconds).sum::<f64>();
    let (peel, remainder) = (seconds(LoopRole::Peel), seconds(LoopRole::Remainder));
    let all: f64 = facts.group(of).map(|l| l.self_seconds).sum();
    if all <= 0.0 {
        return None;
    }
    let left_over = (peel + remainder) / all;
    if left_over < NOTICEABLE {
        return None;
    }
    let mut new = facts.about_loop(&RULE, of).because(
        Provenance::Measured,
        Time::RemainderAndPeel { remainder: remainder / all, peel: peel / all },
    );
    new = new
        .because(Provenance::Binary, Vectors::ElementsAtATime { part: VectorPart::Body, elements: length });
    let passes = length * of.vector.as_ref().map_or(1, |v| v.unroll.max(1));
    let known = facts.group(of).find_map(|l| l.constant_trips.filter(|_| l.role == LoopRole::Remainder));
    let mut gain = costs::without_remainder(left_over, passes, known);
    let counted = counted(facts, of);
    match (&counted, known) {
        (Some(counted), _) => {
            gain = counted.gain(left_over, passes);
            new = new.because(Provenance::Counted, counted.fact());
            if let Some(counted) = of.trip_count.as_ref().and_then(Entries::of) {
                new =
                    new.because(Provenance::Counted, Trips::Entered { counted, body: true, elements: None });
            }
        }
        (None, Some(k)) => new = new.because(Provenance::Binary, Trips::LeftEachTime { iterations: k }),
        (None, None) => new = facts.asking_for_counts(new, of),
    }
    // Counted, the remainder iterations may cost no more than the vector iterations that would replace them.
    if counted.is_some() && gain.high() < LEAST_GAIN {
        return None;
    }
    Some(
        new.because(
            Provenance::Modelled,
            Expected::between(Change::VectorRemainder, gain.low(), gain.high()),
        )
        .gain(of.group_share, gain)
        .confidence(if known.is_some() || counted.is_some() { Confidence::High } else { Confidence::Medium })
        .how(how(length)),
    )
}

/// What the counts say of the pieces.
struct Counted {
    /// Shares of the source iterations.
    remainder: f64,
    peel: f64,
    /// Remainder iterations in all, and times that there were some.
    left: u64,
    times: u64,
    /// Time of one iteration of the body, as a share of the group's; absent when the body never ran.
    body_pass: Option<f64>,
    mean: Option<f64>,
    length: u32,
    /// Elements of one vector, and vectors of one iteration.
    lanes: u32,
    unroll: u32,
}

fn counted(facts: &Facts, of: &LoopFacts) -> Option<Counted> {
    let body =
        of.trip_count.as_ref().filter(|t| t.group_complete && t.group_iterations.is_some_and(|n| n > 0))?;
    let pieces = |role: LoopRole| {
        facts.group(of).filter(move |l| l.role == role).filter_map(|l| l.trip_count.as_ref())
    };
    let share = |role| pieces(role).filter_map(|t| t.source_share).sum::<f64>();
    let (mut left, mut times) = (0u64, 0u64);
    for piece in pieces(LoopRole::Remainder).chain(pieces(LoopRole::Peel)) {
        left = left.saturating_add(piece.iterations);
        // Entries that found nothing left over have nothing to save.
        let empty = saturating_sum(piece.histogram.iter().filter(|(_, high, _)| *high == 0).map(|h| h.2));
        times = times.saturating_add(piece.entries?.saturating_sub(empty));
    }
    let all: f64 = facts.group(of).map(|l| l.self_seconds).sum();
    let body_pass = (body.iterations > 0 && of.self_seconds > 0.0)
        .then(|| of.self_seconds / all / body.iterations as f64);
    (left > 0 && times > 0).then(|| Counted {
        remainder: share(LoopRole::Remainder),
        peel: share(LoopRole::Peel),
        left,
        times,
        body_pass,
        mean: body.source_mean,
        length: of.vector.as_ref().map_or(1, |v| v.length * v.unroll.max(1)),
        lanes: of.vector.as_ref().map_or(1, |v| v.length.max(1)),
        unroll: of.vector.as_ref().map_or(1, |v| v.unroll.max(1)),
    })
}

impl Counted {
    /// Remainder iterations of one entry become one iteration of the body, whose time is measured.
    fn gain(&self, left_over: f64, passes: u32) -> Gain {
        let each = (self.left / self.times.max(1)).max(1);
        let Some(pass) = self.body_pass else {
            return costs::without_remainder(left_over, passes, Some(each));
        };
        // An iteration of the body may be several vectors; the remainder takes no more of them than it fills.
        let vectors = each.div_ceil(u64::from(self.lanes)).min(u64::from(self.unroll));
        let passes = pass * self.times as f64 * vectors as f64 / f64::from(self.unroll);
        let exact = 1.0 / (1.0 - (left_over - passes).max(0.0)).max(f64::MIN_POSITIVE);
        // Masks, or padding that is loaded and computed for nothing, cost up to half of it.
        Gain::of(exact).hedged(estimates::SEEN)
    }

    fn fact(&self) -> Trips {
        Trips::RemainderShare {
            remainder: self.remainder,
            peel: self.peel,
            mean: self.mean,
            vector_length: self.length,
            left: self.left as f64 / self.times.max(1) as f64,
        }
    }
}

/// How to pad to `length` elements.
pub fn how(length: u32) -> How {
    how!(RULE).with("length", length)
}

/// The same for a loop that becomes a vector loop by this directive; it adds up floating-point numbers, or it does not.
pub fn how_with(directive: &str, length: u32, floating: bool) -> How {
    let mut how = how(length);
    if directive != SIMD {
        let order =
            if floating { ": the sum is added up in another order, its last digits change" } else { "" };
        how.text = format!("Put `{directive}` before the loop{order}. {}", how.text);
    }
    how
}

const SIMD: &str = "omp simd";

/// The directive that makes a vector loop of this one, with a clause for the sum that it carries.
pub fn directive(facts: &Facts, of: &LoopFacts) -> String {
    let found = facts.dependence(of).filter(|found| !found.reductions.is_empty());
    match found {
        Some(found) => format!("{SIMD}{}", unobserved_dependence::clauses(found, false)),
        None if in_order_fp_sum::sum(of).is_some() => format!("{SIMD} reduction(+:VARIABLE)"),
        None => SIMD.to_owned(),
    }
}

/// No directive makes vectors of this loop: a dependence, a recurrence or a call forbids them.
pub fn stays_scalar(facts: &Facts, of: &LoopFacts) -> bool {
    facts.forbids_vectors(of) || chains::is_serial(of) || !of.calls.is_empty()
}

/// The count of this loop is not that of the loop as written: how many of its iterations one of the machine does is not known or
/// more than one, or several additions to one register show it.
pub fn is_piece(facts: &Facts, of: &LoopFacts) -> bool {
    let several = |trips: &TripCount| {
        trips.source_unknown.is_some() || trips.source_factor.is_some_and(|factor| factor > 1)
    };
    !of.vectorized && (of.trip_count.as_ref().is_some_and(several) || facts.additions_in_order(of) > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, fired_on, near, scalar_loop, states, trips, vector_loop, with_loops};

    fn group(remainder_seconds: f64, trips: Option<u64>) -> Vec<LoopFacts> {
        let body = vector_loop(|l| {
            l.role = LoopRole::Body;
            (l.self_seconds, l.self_share, l.group_share) =
                (7.0 - remainder_seconds, 0.7 - remainder_seconds / 10.0, 0.7);
        });
        let remainder = scalar_loop(|l| {
            (l.id, l.role) = (2, LoopRole::Remainder);
            (l.self_seconds, l.self_share, l.group_share) =
                (remainder_seconds, remainder_seconds / 10.0, 0.7);
            l.constant_trips = trips;
        });
        vec![body, remainder]
    }

    #[test]
    fn fires_on_the_dl_meso_shares_and_covers_what_was_reported() {
        let r = fired(&RULE, &with_loops(group(2.1, None))).unwrap();
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() < 1.15 && 1.15 < gain.high(), "30 % remainder, 15 % reported: {gain:?}");
        assert_eq!(r.loop_id, Some(1));
        assert_eq!(r.next.as_deref(), Some("loopwright tripcounts --loops 1 -- ./app input"));
        assert!(states!(r, Time::RemainderAndPeel { remainder, .. } if near(*remainder, 0.3)));
    }

    /// 7 iterations per entry on 4 lanes, 1000 entries: 43 % of them in the remainder.
    fn counted_group(seconds: f64) -> Vec<LoopFacts> {
        let mut group = group(seconds, None);
        for (l, (iterations, factor, share)) in
            group.iter_mut().zip([(1u64, 4u32, 4.0 / 7.0), (3, 1, 3.0 / 7.0)])
        {
            let mut trips = trips(1000, iterations);
            (trips.source_factor, trips.source_share) = (Some(factor), Some(share));
            (trips.group_iterations, trips.source_mean) = (Some(7000), Some(7.0));
            trips.source_iterations = Some(iterations * u64::from(factor) * 1000);
            l.trip_count = Some(trips);
        }
        group
    }

    #[test]
    fn counts_give_the_exact_share_and_gain() {
        // 4 s body for 1000 passes, 3 s remainder for 1000 times 3 iterations: 1000 more passes instead, 8 s > 7 s.
        assert!(fired(&RULE, &with_loops(counted_group(3.0))).is_none());
        // 2 s body, 5 s remainder: 2 + 2 s.
        let r = fired(&RULE, &with_loops(counted_group(5.0))).unwrap();
        assert!((r.loop_gain.unwrap().high() - 7.0 / 4.0).abs() < 1e-9, "{:?}", r.loop_gain);
        assert_eq!((r.confidence, &r.next), (Confidence::High, &None));
        let said = r.said();
        let fact = said.iter().find(|e| e.ends_with("(counted)")).unwrap();
        assert!(
            fact.contains("remainder runs 42.9 %")
                && fact.contains("mean 7.0")
                && fact.contains("3.0 left over"),
            "{fact}"
        );
    }

    #[test]
    fn a_body_that_never_ran_is_modelled() {
        let mut group = counted_group(5.0);
        group[0].trip_count.as_mut().unwrap().iterations = 0;
        assert!(fired(&RULE, &with_loops(group)).unwrap().loop_gain.unwrap().high() > 1.5);
    }

    #[test]
    fn a_known_count_makes_it_sure() {
        let r = fired(&RULE, &with_loops(group(2.1, Some(3)))).unwrap();
        assert_eq!((r.confidence, r.next), (Confidence::High, None));
    }

    #[test]
    fn silent_when_the_remainder_is_cheap_or_absent() {
        assert!(fired(&RULE, &with_loops(group(0.3, None))).is_none());
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.role = LoopRole::Remainder)).is_none());
    }

    #[test]
    fn without_counts_it_asks_for_them() {
        let r = fired(&RULE, &with_loops(group(2.1, None))).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
