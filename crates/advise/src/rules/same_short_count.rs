//! Short inner loops that run equally often in every entry, with a count that the compiler does not know.

use crate::counted::{LEAST_GAIN, count_in_words};
use crate::facts::{Facts, percent};
use crate::nest::short_nest;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use crate::vectorising;
use loopwright_analysis::model::{LoopFacts, Provenance};

/// The rule.
pub static RULE: Rule = Rule {
    id: "same-short-count",
    title: "A short inner loop runs equally often each time, and the compiler does not know",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc {
        detects: "An innermost loop of up to sixteen iterations, the same number in every entry, that is no constant in the code, and around which \
                  the enclosing loop takes a noticeable part of the time.",
        why_it_costs: "A loop whose count is known is written out: no counter, no branch, no choice between vector code and left-overs, and what \
                       all iterations of the outer loop share stays in registers. Of five iterations these things are most of the work.",
        facts_needed: "Counted iterations of every entry, instructions of both loops and bytes that they move (`loopwright tripcounts`).",
        when_it_is_wrong: "When another input brings another count: keep the general loop for it, and choose by a test outside. When the time around \
                           the loop is its own work.",
        example: "`for (int k = 0; k < l; k++) c[i][k] = d[i] * e[k];` with l = 5 in every call.",
        how_to_verify: "The inner loop disappears from `loopwright show loops`; the outer one executes fewer instructions.",
    },
    sources: &[
        "Porting, scaling and optimisation on a cluster: loop 45020",
        "DL_MESO with the Vectorization Advisor: the loop's count told to the compiler",
        "GCC manual: complete unrolling (-fpeel-loops, -funroll-loops)",
    ],
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let nest = short_nest(facts, of).filter(|nest| nest.same && nest.gain.high() >= LEAST_GAIN)?;
    let count =
        if nest.iterations.fract() == 0.0 { format!("{:.0}", nest.iterations) } else { "as many".to_owned() };
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                "constant-trip-count",
                "Make the count of this short loop a constant, so that the compiler writes it out",
            )
            .because(
                Provenance::Counted,
                format!("it runs {count} iterations in each of {} entries", count_in_words(nest.entries)),
            )
            .because(
                Provenance::Measured,
                format!("the code of the loop around it at {} takes another {}", nest.parent.place(), percent(nest.parent.self_share)),
            )
            .because(
                Provenance::Modelled,
                format!(
                    "without the loop's control {:.1} times faster, as nothing but its arithmetic and data in vectors {:.1} times",
                    nest.gain.low(),
                    nest.gain.high()
                ),
            )
            .gain(nest.share.min(1.0), nest.gain)
            .confidence(Confidence::Medium)
            .how(how()),
    )
}

fn how() -> How {
    vectorising::with_vector_flags(
        How::new(
            "Make the count a constant of the program (enum, constexpr, template parameter, Fortran parameter). If it may differ, put the nest \
             into an inline function with the count as argument and call it with the constant where the count has that value, with the \
             variable elsewhere.",
        )
        .c(
            "for (int i = 0; i < n; i++)\n    for (int k = 0; k < l; k++)\n        c[i * l + k] = d[i] * e[k];",
            "static inline void nest(int n, int l, const double *d, const double *e, double *restrict c) { /* as before */ }\n\nif (l == 5)\n    nest(n, 5, d, e, c);\nelse\n    nest(n, l, d, e, c);",
        )
        .fortran(
            "do i = 1, n\n  do k = 1, l\n    c(k, i) = d(i) * e(k)\n  end do\nend do",
            "integer, parameter :: l = 5\ndo i = 1, n\n  do k = 1, l\n    c(k, i) = d(i) * e(k)\n  end do\nend do",
        )
        .flags("gcc, g++, gfortran", "-fprofile-generate, run, -fprofile-use: GCC then peels loops of the counts it saw")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{count, fired, in_nest, scalar_loop, with_loops};

    #[test]
    fn fires_on_five_iterations_in_every_entry() {
        let r = fired(&RULE, &in_nest(5, 1000, |_, _| ())).unwrap();
        assert!(r.id == "constant-trip-count" && (r.share.unwrap() - 0.6).abs() < 1e-12, "{r:?}");
        assert!(
            r.evidence.iter().any(|e| e.contains("runs 5 iterations in each of 1000 entries")),
            "{:?}",
            r.evidence
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.2 && gain.high() > gain.low(), "{gain:?}");
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
}
