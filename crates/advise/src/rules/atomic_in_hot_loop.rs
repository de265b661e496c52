//! Atomic operations in hot loops.

use crate::facts::Facts;
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::Trait;

/// The rule.
pub static RULE: Rule = Rule {
    id: "atomic-in-hot-loop",
    title: "A hot loop makes an atomic operation in every iteration",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc {
        detects: "A `lock`-prefixed or exchange instruction in a hot loop: atomic counters, reference counts, spin locks, `omp atomic`.",
        why_it_costs: "An atomic operation takes about 20 cycles even alone, lets nothing pass it, and with several threads waits for the \
                       cache line to travel: 100 cycles and more. No loop with one is vectorised.",
        facts_needed: "The trait atomic, and the number of threads that spent time in the loop.",
        when_it_is_wrong: "When the loop is a spin lock that waits by design: then the question is who holds the lock.",
        example: "`#pragma omp parallel for` with `#pragma omp atomic` on a common sum or histogram.",
        how_to_verify: "`loopwright show loop ID` has no trait atomic; the time falls with the number of threads.",
    },
    sources: &["Agner Fog, Instruction tables: lock xadd", "OpenMP 5.2: reduction clause instead of atomic"],
};

/// One thread alone saves the 20 cycles; several stop sending the line around.
const GAIN_ALONE: (f64, f64) = (1.0, 3.0);
const GAIN_CONTENDED: (f64, f64) = (1.2, 10.0);

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::Atomic) || !facts.speaks_for_group(of) {
        return None;
    }
    let contended = of.threads > 1;
    let gain = if contended { GAIN_CONTENDED } else { GAIN_ALONE };
    Some(
        facts
            .about_loop(&RULE, of)
            .named("privatise-atomic", "Take the atomic operation out of this hot loop")
            .because(Provenance::Binary, "it makes an atomic operation")
            .because(
                Provenance::Measured,
                format!("{} spent time in it", crate::facts::counted(of.threads, "thread")),
            )
            .gain(of.group_share, Gain::new(gain.0, gain.1))
            .confidence(if contended { Confidence::Medium } else { Confidence::Low })
            .how(how()),
    )
}

fn how() -> How {
    How::new(
        "Collect in a private variable and combine once per thread: a reduction clause, a private histogram per thread that is added at \
         the end, or one atomic per block of iterations. Keep reference counts out of inner loops (pass references, not shared_ptr by \
         value); in single-threaded programs do not link the threaded version.",
    )
    .c(
        "#pragma omp parallel for\nfor (int i = 0; i < n; i++) {\n    #pragma omp atomic\n    s += a[i];\n}",
        "#pragma omp parallel for reduction(+:s)\nfor (int i = 0; i < n; i++)\n    s += a[i];",
    )
    .fortran(
        "!$omp parallel do\ndo i = 1, n\n  !$omp atomic\n  s = s + a(i)\nend do",
        "!$omp parallel do reduction(+:s)\ndo i = 1, n\n  s = s + a(i)\nend do",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop};

    #[test]
    fn fires_and_is_surer_when_contended() {
        let of = |threads| scalar_loop(move |l| (l.traits, l.threads) = (vec![Trait::Atomic], threads));
        let alone = fired_on(&RULE, of(1)).unwrap();
        let contended = fired_on(&RULE, of(8)).unwrap();
        assert!(contended.confidence > alone.confidence);
        assert!(contended.loop_gain.unwrap().high() > alone.loop_gain.unwrap().high());
        assert_eq!(alone.id, "privatise-atomic");
    }

    #[test]
    fn silent_without_atomics() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }
}
