//! Remainder or peel loops that take a noticeable share of their source loop.

use crate::facts::{Facts, percent};
use crate::gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::LoopRole;

/// The rule.
pub static RULE: Rule = Rule {
    id: "short-trip-remainder",
    title: "Iterations that do not fill a vector take a noticeable part of a loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc {
        detects: "A vectorised loop whose scalar remainder (or the peel loop before it) takes a noticeable part of the loop's time.",
        why_it_costs: "A loop of 19 iterations on 4 lanes takes 4 vector passes and 3 scalar ones: nearly half of the \
                       passes do a sixth of the work.",
        facts_needed: "The time of the body, the remainder and the peel loop, from samples. Trip counts give the exact number \
                       of left-over iterations; without them the range is wider and `loopwright tripcounts` is asked for.",
        when_it_is_wrong: "When the trip count varies, so that no padding fits all calls; when the padded arrays no longer fit \
                           into a cache; when the remainder is hot because the loop's vector body is never reached.",
        example: "The equilibrium loop of DL_MESO, 19 velocities: padded to 20, three more loops in that file gained 15 % each.",
        how_to_verify: "The remainder disappears from `loopwright show loops`, and the group's time falls.",
    },
    sources: &[
        "DL_MESO with the Vectorization Advisor: loop padding",
        "GCC manual: -fno-tree-loop-peeling, loop epilogues",
    ],
    case: None,
};

/// Below a tenth, removing all of it gains less than a tenth of the loop.
const NOTICEABLE: f64 = 0.10;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.role != LoopRole::Body || !facts.speaks_for_group(of) {
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
        format!(
            "{} of that is its remainder and {} its peel loop",
            percent(remainder / all),
            percent(peel / all)
        ),
    );
    new = new.because(Provenance::Binary, format!("the body works on {length} elements at a time"));
    let passes = length * of.vector.as_ref().map_or(1, |v| v.unroll.max(1));
    let known = facts.group(of).find_map(|l| l.constant_trips.filter(|_| l.role == LoopRole::Remainder));
    let gain = gain::without_remainder(left_over, passes, known);
    match known {
        Some(k) => new = new.because(Provenance::Binary, format!("{k} iterations are left over each time")),
        None => new = new.next(facts.collect("tripcounts", of)),
    }
    Some(
        new.because(
            Provenance::Modelled,
            format!(
                "left-over iterations done as one vector pass: {:.2} to {:.2} times faster",
                gain.low(),
                gain.high()
            ),
        )
        .gain(of.group_share, gain)
        .confidence(if known.is_some() { Confidence::High } else { Confidence::Medium })
        .how(how(length)),
    )
}

/// How to pad to `length` elements.
pub fn how(length: u32) -> How {
    How::new(format!(
        "Pad the arrays so that the trip count is a multiple of {length}, let the loop run over the padding, and tell the \
         compiler the count (a constant, or `if (n % {length}) __builtin_unreachable();`), so that it drops the remainder. \
         Where the data is aligned, say so too, and the peel loop goes. If trip counts are short and vary, prefer shorter \
         vectors or masked remainders (AVX-512)."
    ))
    .c(
        "double feq[19];\nfor (int i = 0; i < 19; i++)\n    feq[i] = w[i] * f(u[i]);",
        "enum { Q = 19, QPAD = 20 };            /* the next multiple of the vector length */\n\
         _Alignas(64) double feq[QPAD];         /* w and u padded alike, with zeros */\n\
         #pragma omp simd\nfor (int i = 0; i < QPAD; i++)\n    feq[i] = w[i] * f(u[i]);",
    )
    .fortran(
        "real(8) :: feq(19)\ndo i = 1, 19\n  feq(i) = w(i) * f(u(i))\nend do",
        "integer, parameter :: q = 19, qpad = 20\nreal(8) :: feq(qpad)\n!$omp simd\ndo i = 1, qpad\n  feq(i) = w(i) * f(u(i))\nend do",
    )
    .flags("gcc, g++, gfortran", "-O3 -march=native -fopenmp-simd")
    .flags("clang, clang++", "-O3 -march=native -fopenmp-simd")
    .flags("icx, ifx", "-O3 -xHost -qopenmp-simd (and `#pragma loop_count(20)`)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, fired_on, scalar_loop, vector_loop, with_loops};

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
        assert!(r.evidence.iter().any(|e| e.contains("30.0 %")));
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
}
