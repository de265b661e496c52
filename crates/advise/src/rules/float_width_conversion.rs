//! Conversions between f32 and f64 inside a hot loop.

use crate::evidence::Work;
use crate::prelude::*;
use loopwright_binary::facts::ElementType;

pub(crate) static RULE: Rule = Rule {
    id: "float-width-conversion",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("float_width_conversion.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    // One way only is the intent: f32 data with a result in f64, or the other way round.
    let (wider, narrower) = of.width_conversions.filter(|(wider, narrower)| *wider > 0 && *narrower > 0)?;
    let conversions = wider + narrower;
    let all = of.instructions.max(conversions + 1);
    // f32 has twice the lanes.
    let share = (estimates::CONVERSION * f64::from(conversions) / f64::from(all + conversions)).min(0.75);
    let without = Gain::removing(share);
    let lanes = if of.vectorized { 2.0 } else { 1.0 };
    let both = of.types.contains(&ElementType::F32) && of.types.contains(&ElementType::F64);
    let gain = without.hedged(estimates::SEEN).reaching(without.high() * lanes);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, Work::Conversions { wider, narrower, instructions: of.instructions })
            .because(Provenance::Modelled, Work::ConversionShare { share })
            .gain(of.group_share, gain)
            .confidence(if both { Confidence::Medium } else { Confidence::Low })
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop, states};

    fn converting(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            l.width_conversions = Some((1, 1));
            l.types = vec![ElementType::F64, ElementType::F32];
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
    fn silent_on_conversions_one_way() {
        assert!(fired_on(&RULE, converting(|l| l.width_conversions = Some((2, 0)))).is_none());
        assert!(fired_on(&RULE, converting(|l| l.width_conversions = Some((0, 1)))).is_none());
    }

    #[test]
    fn integer_conversions_are_not_counted() {
        let r = fired_on(&RULE, converting(|l| l.instruction_mix.conversion = 6)).unwrap();
        assert!(states!(r, Work::Conversions { wider: 1, narrower: 1, .. }), "{:?}", r.said());
    }

    #[test]
    fn silent_without_conversions() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }
}
