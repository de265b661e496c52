//! Integer divisions in hot loops: the divisor is a variable, or the compiler would have replaced them.

use crate::facts::Facts;
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::Trait;

/// The rule.
pub static RULE: Rule = Rule {
    id: "integer-divide",
    title: "A loop divides integers",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc {
        detects: "An integer division or remainder (`/`, `%`) by a variable in a hot loop.",
        why_it_costs: "10 to 18 cycles on current cores, 26 to 90 for 64 bits on Intel before Ice Lake, and no vector instruction exists. \
                       Divisions by constants are multiplications already.",
        facts_needed: "The trait integer-divide. Whether the divisor changes in the loop is not among the facts.",
        when_it_is_wrong: "When the divisor differs in every iteration: then only narrower types help.",
        example: "`x = id % width; y = id / width;` with a `width` that is set once.",
        how_to_verify: "`loopwright show loop ID` has no trait integer-divide.",
    },
    sources: &[
        "Granlund, Montgomery: Division by invariant integers using multiplication, PLDI 1994 (libdivide)",
        "Agner Fog, Instruction tables: div, idiv",
    ],
};

/// Cycles of a division against those of the multiplication and shifts that replace it.
const DIVIDE_CYCLES: f64 = 14.0;
const MULTIPLY_CYCLES: f64 = 2.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::IntegerDivide) || !facts.speaks_for_group(of) {
        return None;
    }
    // Four instructions per cycle beside one division, at least: the trait says no count.
    let rest = f64::from(of.instructions) / 4.0;
    let best = (rest + DIVIDE_CYCLES) / (rest + MULTIPLY_CYCLES);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, "it divides integers by a value that is no constant")
            .because(Provenance::Modelled, format!("a division is worth {DIVIDE_CYCLES} cycles, the rest of a pass about {rest:.0}"))
            .gain(of.group_share, Gain::new(1.0, best))
            .confidence(Confidence::Medium)
            .next(format!("loopwright show asm {}", of.id))
            .how(
                How::new(
                    "If the divisor stays the same, take the division out of the loop: count instead of dividing (two nested loops, or a \
                     running quotient and remainder), make it a compile-time constant or a power of two, or use libdivide, which turns it into a \
                     multiplication and vectorises. Use 32-bit unsigned types where the range allows: they divide fastest.",
                )
                .c(
                    "for (int id = 0; id < w * h; id++)\n    f(id % w, id / w);",
                    "for (int y = 0; y < h; y++)\n    for (int x = 0; x < w; x++)\n        f(x, y);",
                )
                .fortran(
                    "do id = 0, w*h - 1\n  call f(mod(id, w), id / w)\nend do",
                    "do y = 0, h - 1\n  do x = 0, w - 1\n    call f(x, y)\n  end do\nend do",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop};

    #[test]
    fn fires_on_integer_division() {
        let r = fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::IntegerDivide])).unwrap();
        assert!(r.loop_gain.unwrap().high() > 3.0);
        let diluted = scalar_loop(|l| (l.traits, l.instructions) = (vec![Trait::IntegerDivide], 200));
        assert!(fired_on(&RULE, diluted).unwrap().loop_gain.unwrap().high() < 1.3);
    }

    #[test]
    fn silent_on_floating_division() {
        assert!(fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::Divide])).is_none());
    }
}
