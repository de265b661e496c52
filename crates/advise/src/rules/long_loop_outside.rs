//! Nests whose long loop is outside and whose short one inside.

use crate::counted::{LEAST_GAIN, count_in_words};
use crate::facts::{Facts, percent};
use crate::gain::Gain;
use crate::nest::short_nest;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use crate::vectorising;
use loopwright_analysis::model::{LoopFacts, ParallelVerdict, Provenance};

/// The rule.
pub static RULE: Rule = Rule {
    id: "long-loop-outside",
    title: "The long loop of a nest is outside, the short one inside",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &["interchange-loops"],
    doc: Doc {
        detects: "An innermost loop of up to sixteen iterations per entry, inside a loop of many, with a noticeable part of the time in the code \
                  between them.",
        why_it_costs: "Vectors, prefetching and prediction of branches live on long loops. A short one is entered for every iteration of the \
                       long one, fills its vectors badly and is left by a branch that nobody foresees.",
        facts_needed: "Counted iterations of both loops and the instructions that they execute (`loopwright tripcounts`); whether the exchange is \
                       right: `loopwright dependencies`.",
        when_it_is_wrong: "When the exchanged loop walks with a long stride over data that leaves the caches, or walks over it once for each of the \
                           short iterations: then make the short count a constant instead. When iterations of the long loop depend on each other.",
        example: "`for (i < 1000) { f[i] = a[i] + c; for (j < 10) d[j][i] = b[j] * f[i]; }`: one loop for f, and for d the loop over i inside.",
        how_to_verify: "Iterations per entry in `loopwright show loops`; fewer instructions for the same FLOP.",
    },
    sources: &[
        "Porting, scaling and optimisation on a cluster: loop 45020 and its rewrite",
        "R. Allen, K. Kennedy, Optimizing Compilers for Modern Architectures, 2001: loop interchange and distribution",
    ],
};

/// The long loop's iterations, at least, and over the short one's.
const LONG: f64 = 32.0;
const LONGER: f64 = 4.0;
/// Loops around that are looked at.
const HIGHEST: usize = 8;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let nest = short_nest(facts, of)?;
    let mean = |l: &LoopFacts| l.trip_count.as_ref().and_then(|t| t.source_mean.or(t.mean)).unwrap_or(0.0);
    let around =
        |l: &LoopFacts| l.parent.and_then(|id| facts.loop_by_id(id)).filter(|p| p.function == of.function);
    let nested: Vec<&LoopFacts> =
        std::iter::successors(Some(nest.parent), |l| around(l)).take(HIGHEST).collect();
    let at = nested.iter().position(|l| mean(l) >= LONG && mean(l) >= LONGER * nest.iterations)?;
    let long = nested[at];
    let found = facts.dependence(long).map(|d| d.parallel);
    if found == Some(ParallelVerdict::Dependent) || facts.forbids_vectors(long) {
        return None;
    }
    let independent = found.is_some_and(|verdict| verdict != ParallelVerdict::Unknown);
    // What lies between the two loops, and beside the short one, takes part in the rewrite.
    let share = (of.group_share + nested[..=at].iter().map(|l| l.self_share).sum::<f64>()).min(1.0);
    let gain = Gain::new(1.0, nest.gain.high());
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named("long-loop-inside", "Split this nest and put its long loop inside")
        .because(
            Provenance::Counted,
            format!(
                "it runs {:.1} iterations in each of {} entries; the loop at {} around it runs {:.0}",
                nest.iterations,
                count_in_words(nest.entries),
                long.place(),
                mean(long)
            ),
        )
        .because(
            Provenance::Measured,
            format!("the code around it takes another {}", percent(share - of.group_share)),
        )
        .because(
            Provenance::Modelled,
            format!(
                "as nothing but its arithmetic and data in vectors: up to {:.1} times faster",
                gain.high()
            ),
        )
        .gain(share, gain)
        .confidence(if independent { Confidence::Medium } else { Confidence::Low });
    if !independent {
        new = new.next(facts.collect("dependencies", long));
    }
    Some(new.how(how()))
}

fn how() -> How {
    vectorising::with_vector_flags(
        How::new(
            "Give each statement a nest of its own (temporaries that passed from one to the other become arrays), and in each nest put the \
             longest loop innermost, as far as the array then is still walked along memory or stays in the first-level cache.",
        )
        .c(
            "for (int i = 0; i < n; i++) {\n    f[i] = a[i] + 0.5;\n    for (int j = 0; j < 10; j++)\n        d[j * n + i] = b[j] * f[i];\n}",
            "for (int i = 0; i < n; i++)\n    f[i] = a[i] + 0.5;\nfor (int j = 0; j < 10; j++)\n    for (int i = 0; i < n; i++)\n        d[j * n + i] = b[j] * f[i];",
        )
        .fortran(
            "do i = 1, n\n  f(i) = a(i) + 0.5\n  do j = 1, 10\n    d(i, j) = b(j) * f(i)\n  end do\nend do",
            "do i = 1, n\n  f(i) = a(i) + 0.5\nend do\ndo j = 1, 10\n  do i = 1, n\n    d(i, j) = b(j) * f(i)\n  end do\nend do",
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{checked, fired, in_nest, traced};
    use loopwright_analysis::model::VectorVerdict;

    #[test]
    fn fires_where_the_long_loop_is_outside() {
        let r = fired(&RULE, &in_nest(5, 1000, |_, _| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("long-loop-inside", Confidence::Low));
        assert!(
            r.evidence.iter().any(|e| e.contains("5.0 iterations") && e.contains("runs 1000")),
            "{:?}",
            r.evidence
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
}
