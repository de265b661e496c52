//! Conversions between f32 and f64 inside a hot loop.

use crate::facts::{Facts, counted};
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::{ElementType, Trait};

/// The rule.
pub static RULE: Rule = Rule {
    id: "float-width-conversion",
    title: "Values go back and forth between f32 and f64",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc {
        detects: "Conversions between single and double precision in a hot loop.",
        why_it_costs: "Each conversion is two micro-operations, and arithmetic in f64 works on half as many lanes as in f32. The \
                       usual cause is a constant without `f` (`0.5` is a double) or a function without it (`sqrt` for `sqrtf`).",
        facts_needed: "The trait float-width-conversion and the instruction mix.",
        when_it_is_wrong: "When the wider sum is on purpose: f32 data accumulated in f64 keeps its accuracy.",
        example: "`float y = 0.5 * x;` converts x to double, multiplies, and converts back.",
        how_to_verify: "`loopwright show asm ID` has no `cvtss2sd`/`cvtps2pd`; gcc and clang find the places: -Wdouble-promotion, -Wunsuffixed-float-constants.",
    },
    sources: &[
        "C17 6.3.1.8 usual arithmetic conversions",
        "GCC manual: -Wdouble-promotion, -fsingle-precision-constant",
    ],
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::FloatWidthConversion) || !facts.speaks_for_group(of) {
        return None;
    }
    let conversions = of.instruction_mix.conversion.max(1);
    let all = of.instructions.max(conversions + 1);
    // A conversion costs about two additions (Agner Fog: two micro-operations), and f32 has twice the lanes.
    let share = (2.0 * f64::from(conversions) / f64::from(all + conversions)).min(0.75);
    let without = 1.0 / (1.0 - share);
    let lanes = if of.vectorized { 2.0 } else { 1.0 };
    let both = of.types.contains(&ElementType::F32) && of.types.contains(&ElementType::F64);
    let gain = Gain::new(1.0 + (without - 1.0) / 2.0, without * lanes);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(
                Provenance::Binary,
                format!("{} per pass among {}, between f32 and f64", counted(conversions, "conversion"), counted(of.instructions, "instruction")),
            )
            .because(Provenance::Modelled, format!("about {:.0} % of the loop's work is conversion", share * 100.0))
            .gain(of.group_share, gain)
            .confidence(if both { Confidence::Medium } else { Confidence::Low })
            .how(
                How::new(
                    "Stay in one width: give constants their suffix, call the f functions, and look for double temporaries. In \
                     Fortran give constants their kind. If f64 is meant, keep the data in f64 too.",
                )
                .c("y[i] = 0.5 * x[i] + sqrt(z[i]);", "y[i] = 0.5f * x[i] + sqrtf(z[i]);")
                .fortran("y(i) = 0.5d0 * x(i) + sqrt(dble(z(i)))", "y(i) = 0.5_real32 * x(i) + sqrt(z(i))")
                .flags("gcc, g++", "-Wdouble-promotion -Wunsuffixed-float-constants (finds the places)")
                .flags("gcc (whole file)", "-fsingle-precision-constant")
                .flags("clang, clang++", "-Wdouble-promotion (finds the places)"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop};

    fn converting(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            l.traits = vec![Trait::Conversion, Trait::FloatWidthConversion];
            l.types = vec![ElementType::F64, ElementType::F32];
            l.instruction_mix.conversion = 2;
            l.instructions = 8;
            change(l);
        })
    }

    #[test]
    fn fires_on_conversions_between_widths() {
        let r = fired_on(&RULE, converting(|_| ())).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.0 && gain.high() < 2.0, "{gain:?}");
    }

    #[test]
    fn one_known_type_is_less_sure() {
        assert_eq!(fired_on(&RULE, converting(|l| l.types.truncate(1))).unwrap().confidence, Confidence::Low);
    }

    #[test]
    fn silent_on_integer_conversions() {
        assert!(fired_on(&RULE, converting(|l| l.traits = vec![Trait::Conversion])).is_none());
    }

    #[test]
    fn silent_without_the_trait() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }
}
