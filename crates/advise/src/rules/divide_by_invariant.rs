//! Floating-point divisions one of whose operands does not change in the loop.

use crate::divisions;
use crate::facts::{Facts, counted};
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::Trait;

/// The rule.
pub static RULE: Rule = Rule {
    id: "divide-by-invariant",
    title: "A loop divides by a value that does not change",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc {
        detects: "Floating-point divisions in a hot loop that has fewer varying inputs than its divisions have operands: at least one \
                  operand is the same in every iteration, usually the divisor.",
        why_it_costs: "A division takes 4 to 8 cycles in a unit that is not pipelined; a multiplication half a cycle. Compilers may \
                       not replace one by the other, because the reciprocal is rounded once more.",
        facts_needed: "The trait divide, the instruction mix and the uniform memory operands. Which operand is the invariant one is \
                       not among the facts; `loopwright show asm ID` shows it.",
        when_it_is_wrong: "When the dividend is the invariant (`1.0 / x[i]`): then see `divide-or-root-bound`. When results must be equal bit for bit: \
                           x * (1/y) may differ from x / y in the last place, unless y is a power of two.",
        example: "`for (i = 0; i < n; i++) a[i] = b[i] / norm;`",
        how_to_verify: "`loopwright show loop ID` has a multiplication in place of the trait divide.",
    },
    sources: &["GCC manual: -freciprocal-math", "Agner Fog, Instruction tables: divsd, divpd"],
    case: None,
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::Divide)
        || !facts.speaks_for_group(of)
        || !divisions::has_invariant_operand(of)
    {
        return None;
    }
    let divides = of.instruction_mix.divide;
    let gain = divisions::without(of, divides);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(
                Provenance::Binary,
                format!("{} with {} between them", counted(divides, "division"), counted(divisions::varying_inputs(of), "varying input")),
            )
            .because(Provenance::Modelled, format!("as multiplications they leave the loop up to {:.1} times faster", gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .next(format!("loopwright show asm {}", of.id))
            .how(
                How::new(
                    "Compute the reciprocal once before the loop and multiply by it, or allow the compiler to. The result may differ in the \
                     last place.",
                )
                .c(
                    "for (int i = 0; i < n; i++)\n    a[i] = b[i] / norm;",
                    "const double inverse = 1.0 / norm;\nfor (int i = 0; i < n; i++)\n    a[i] = b[i] * inverse;",
                )
                .fortran(
                    "do i = 1, n\n  a(i) = b(i) / norm\nend do",
                    "inverse = 1.0_real64 / norm\ndo i = 1, n\n  a(i) = b(i) * inverse\nend do",
                )
                .flags("gcc, g++, gfortran", "-O3 -freciprocal-math")
                .flags("clang, clang++", "-O3 -freciprocal-math"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop, stride, vector_loop};

    fn dividing(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            l.traits = vec![Trait::Divide];
            (l.instruction_mix.fp_scalar, l.instruction_mix.divide, l.instruction_mix.load) = (1, 1, 1);
            l.strides = vec![stride(8, 8, false), stride(8, 8, true)];
            change(l);
        })
    }

    #[test]
    fn fires_when_one_input_varies() {
        let r = fired_on(&RULE, dividing(|_| ())).unwrap();
        assert!(r.loop_gain.unwrap().high() > 1.5);
        assert_eq!(r.next.as_deref(), Some("loopwright show asm 1"));
    }

    #[test]
    fn a_uniform_operand_in_memory_does_not_vary() {
        assert!(
            fired_on(
                &RULE,
                dividing(|l| {
                    l.instruction_mix.load = 2;
                    l.strides.push(stride(0, 8, false));
                })
            )
            .is_some()
        );
    }

    #[test]
    fn silent_when_both_operands_may_vary() {
        assert!(fired_on(&RULE, dividing(|l| l.instruction_mix.load = 2)).is_none());
        assert!(
            fired_on(&RULE, dividing(|l| l.instruction_mix.fp_scalar = 3)).is_none(),
            "a computed divisor"
        );
    }

    #[test]
    fn silent_without_divisions() {
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
    }
}
