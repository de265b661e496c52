//! Floating-point divisions one of whose operands does not change in the loop.

use crate::divisions;
use crate::facts::{Facts, counted};
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};

/// The rule.
pub static RULE: Rule = Rule {
    id: "divide-by-invariant",
    title: "A loop divides by a value that does not change",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc {
        detects: "Floating-point divisions in a hot loop whose divisor is a register that the loop leaves alone, or memory at an address \
                  that does not move and that the loop does not store to.",
        why_it_costs: "A division takes 4 to 8 cycles in a unit that is not pipelined; a multiplication half a cycle. Compilers may \
                       not replace one by the other, because the reciprocal is rounded once more.",
        facts_needed: "The divisions' operands in the code. Counts (`loopwright tripcounts`), time and clock tell how busy the divider is, \
                       and what the other instructions leave to gain.",
        when_it_is_wrong: "When results must be equal bit for bit: x * (1/y) may differ from x / y in the last place, unless y is a power of two.",
        example: "`for (i = 0; i < n; i++) a[i] = b[i] / norm;`",
        how_to_verify: "`loopwright show loop ID` has a multiplication in place of the trait divide.",
    },
    sources: &["GCC manual: -freciprocal-math", "Agner Fog, Instruction tables: divsd, divpd"],
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let fixed = of.operands.invariant_divisors;
    if fixed == 0 || !facts.speaks_for_group(of) {
        return None;
    }
    let share = f64::from(fixed) / f64::from(of.instruction_mix.divide.max(fixed));
    let gain = divisions::counted_without(facts, of, share, 0.0);
    let gain = gain.unwrap_or_else(|| divisions::without(of, fixed));
    let new = facts.about_loop(&RULE, of);
    Some(
        facts
            .asking_for_counts(new, of)
            .because(
                Provenance::Binary,
                format!("{fixed} of {} by a value that stays the same", counted(of.instruction_mix.divide, "division")),
            )
            .because(Provenance::Modelled, format!("as multiplications they leave the loop up to {:.1} times faster", gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
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
    use crate::fixtures::{count, fired, fired_on, measured, scalar_loop, vector_loop};
    use loopwright_binary::facts::Trait;

    fn dividing(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            l.traits = vec![Trait::Divide];
            (l.instruction_mix.divide, l.operands.invariant_divisors) = (1, 1);
            change(l);
        })
    }

    #[test]
    fn fires_on_an_invariant_divisor() {
        let r = fired_on(&RULE, dividing(|_| ())).unwrap();
        assert!(r.loop_gain.unwrap().high() > 1.5);
        assert!(r.next.unwrap().starts_with("loopwright tripcounts"));
        assert!(r.evidence.iter().any(|e| e.contains("1 of 1 division by a value that stays the same")));
    }

    #[test]
    fn counts_tell_what_the_divider_takes() {
        // 5 cycles of 3 GHz each: the divider is busy for half of 4 s, or hardly.
        let gain = |iterations| {
            let dividing = dividing(|l| count(l, 1, iterations));
            fired(&RULE, &measured(vec![dividing])).unwrap().loop_gain.unwrap()
        };
        let (busy, idle) = (gain(2_000_000_000), gain(100_000_000));
        assert!(busy.low() > 1.0, "{busy:?}");
        assert!(idle.low() == 1.0 && idle.high() < 1.1, "{idle:?}");
    }

    #[test]
    fn silent_without_such_divisors() {
        assert!(fired_on(&RULE, dividing(|l| l.operands.invariant_divisors = 0)).is_none());
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
    }
}
