//! Inner loops that walk across the rows of a matrix.

use crate::facts::Facts;
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};

mod measured;

/// The rule.
pub static RULE: Rule = Rule {
    id: "row-stride",
    title: "An inner loop steps over whole rows: the loops are in the wrong order for the memory",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc {
        detects: "An innermost loop, inside another one, whose memory operands advance by a page or more per iteration; measured: whose accesses \
                  touch clearly more cache lines per iteration than they would with another loop of the nest inside.",
        why_it_costs: "Every access touches another cache line and another page: 8 of 64 bytes are used, the prefetcher stops at page \
                       borders, and the TLB misses. Nothing can be vectorised with plain loads.",
        facts_needed: "Strides over this loop and over the loops around it, simulated misses and footprint (`loopwright map`), and the dependences of the \
                       outer loop (`loopwright dependencies`); until then static strides, which do not know a row length of run time. Of code that was \
                       built without optimisation only measured strides tell.",
        when_it_is_wrong: "When the other order is no better (transposes: block the loops instead; the rule is silent then once the strides are measured); when an \
                           iteration of the outer loop depends on the one before: a dependence that was seen silences the rule, one that was not \
                           seen may exist.",
        example: "`for (j) for (i) a[i][j] = 0;` in C, `do i; do j; a(i,j)` in Fortran.",
        how_to_verify: "The stride becomes that of one element, and the loop vectorises; the article's buffer initialisation became 1.67 times faster.",
    },
    sources: &[
        "Simple optimization methodology: initialize_2D_buffer, 18.9 s to 11.3 s",
        "GCC manual: -floop-interchange",
        "K. McKinley, S. Carr, C.-W. Tseng, Improving data locality with loop transformations, TOPLAS 18(4), 1996",
    ],
};

/// A page: the reach of the hardware prefetchers.
const ROW_BYTES: u64 = 4096;
/// From the article's 1.67 down to nothing, up to a full cache line used instead of an eighth.
const GAIN: (f64, f64) = (1.0, 8.0);

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || !facts.speaks_for_group(of) || !facts.rebuildable(of) {
        return None;
    }
    // The order of accesses costs unoptimised code as much, but only a trace sees it there.
    if let Some(traced) = facts.traced(of) {
        return measured::check(facts, of, traced);
    }
    of.parent.filter(|_| !facts.unoptimised(of))?;
    let rows: Vec<u64> =
        of.strides.iter().map(|s| s.bytes.unsigned_abs()).filter(|&b| b >= ROW_BYTES).collect();
    let longest = rows.iter().max()?;
    Some(
        facts
            .about_loop(&RULE, of)
            .named("interchange-loops", "Exchange the loops, so that the inner one walks along memory")
            .because(
                Provenance::Binary,
                format!(
                    "{} of {} moving operands advance by a page or more per iteration, up to {longest} bytes",
                    rows.len(),
                    of.strides.len()
                ),
            )
            .gain(of.group_share, Gain::new(GAIN.0, GAIN.1))
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(how()),
    )
}

/// The exchange.
fn how() -> How {
    How::new(
                    "Exchange the loops, so that the innermost index is the one that is consecutive in memory (the last in C, the first in Fortran). \
                     Where one array wants one order and another the other (a transpose), work in blocks that fit into L1.",
                )
                .c(
                    "for (int j = 0; j < m; j++)\n    for (int i = 0; i < n; i++)\n        a[i][j] = b[i][j] * s;",
                    "for (int i = 0; i < n; i++)\n    for (int j = 0; j < m; j++)\n        a[i][j] = b[i][j] * s;",
                )
                .fortran(
                    "do i = 1, n\n  do j = 1, m\n    a(i,j) = b(i,j) * s\n  end do\nend do",
                    "do j = 1, m\n  do i = 1, n\n    a(i,j) = b(i,j) * s\n  end do\nend do",
                )
                .flags("gcc, g++, gfortran", "-O3 -floop-interchange")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop, stride};

    #[test]
    fn fires_on_rows() {
        let r = fired_on(
            &RULE,
            scalar_loop(|l| {
                (l.parent, l.strides) = (Some(2), vec![stride(8192, 8, false), stride(8, 8, true)])
            }),
        )
        .unwrap();
        assert_eq!(r.id, "interchange-loops");
        assert!(r.evidence.iter().any(|e| e.contains("1 of 2") && e.contains("8192")));
    }

    #[test]
    fn silent_on_structures_single_loops_and_unknown_strides() {
        assert!(
            fired_on(&RULE, scalar_loop(|l| (l.parent, l.strides) = (Some(2), vec![stride(152, 8, false)])))
                .is_none()
        );
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.strides = vec![stride(8192, 8, false)])).is_none(),
            "nothing to exchange with"
        );
        assert!(fired_on(&RULE, scalar_loop(|l| (l.parent, l.strides) = (Some(2), vec![]))).is_none());
    }
}
