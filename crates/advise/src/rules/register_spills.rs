//! Values that do not fit into the registers of a hot loop.

use crate::facts::Facts;
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::Trait;

/// The rule.
pub static RULE: Rule = Rule {
    id: "register-spills",
    title: "A hot loop keeps values on the stack that do not fit into registers",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc {
        detects: "An innermost hot loop that stores registers to the stack and loads them back.",
        why_it_costs: "Each spilled value costs a store and a load per iteration, and puts the latency of store forwarding (4 to 5 cycles) \
                       between a value and its use.",
        facts_needed: "The trait spill of the loop's own code, and that it makes no calls.",
        when_it_is_wrong: "When the spilled values are used rarely, which a modern core hides; when the stack slot is an array of the source.",
        example: "A loop over 20 arrays at once, or one unrolled by 16.",
        how_to_verify: "`loopwright show loop ID` has no trait spill, and fewer loads and stores.",
    },
    sources: &["GCC manual: -fno-schedule-insns, -funroll-loops", "Vectorization Advisor FAQ: traits"],
};

/// Spills alone seldom cost more than a third of a loop: the loads hit L1 and most are off the critical path.
const GAIN: (f64, f64) = (1.0, 1.3);

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::Spill)
        || !of.innermost
        || !of.calls.is_empty()
        || !facts.speaks_for_group(of)
    {
        return None;
    }
    let mix = &of.instruction_mix;
    Some(
        facts
            .about_loop(&RULE, of)
            .because(
                Provenance::Binary,
                format!("it stores registers to the stack and loads them again; {} loads and {} stores among {} instructions", mix.load, mix.store, of.instructions),
            )
            .gain(of.group_share, Gain::new(GAIN.0, GAIN.1))
            .confidence(Confidence::Low)
            .next(format!("loopwright show asm {}", of.id))
            .how(
                How::new(
                    "Split the loop, so that each part works on fewer arrays; shorten the life of temporaries; unroll less. A level with more \
                     registers helps too: AVX-512VL has 32 vector registers instead of 16, at any width.",
                )
                .c(
                    "for (i = 0; i < n; i++) { /* twenty arrays */ }",
                    "for (i = 0; i < n; i++) { /* ten arrays */ }\nfor (i = 0; i < n; i++) { /* the other ten */ }",
                )
                .fortran(
                    "do i = 1, n\n  ! twenty arrays\nend do",
                    "do i = 1, n\n  ! ten arrays\nend do\ndo i = 1, n\n  ! the other ten\nend do",
                )
                .flags("gcc, g++, gfortran", "-O3 -march=native -fno-unroll-loops -fno-schedule-insns")
                .flags("clang, clang++", "-O3 -march=native -fno-unroll-loops"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, fired_on, scalar_loop};

    #[test]
    fn fires_on_spills_of_an_innermost_loop() {
        let r = fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::Spill])).unwrap();
        assert_eq!(r.confidence, Confidence::Low);
    }

    #[test]
    fn silent_where_calls_force_them_or_there_are_none() {
        let calling =
            scalar_loop(|l| (l.traits, l.calls) = (vec![Trait::Spill, Trait::Call], vec![call(Some("f"))]));
        assert!(fired_on(&RULE, calling).is_none());
        assert!(
            fired_on(&RULE, scalar_loop(|l| (l.traits, l.innermost) = (vec![Trait::Spill], false))).is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }
}
