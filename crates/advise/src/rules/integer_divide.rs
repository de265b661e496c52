//! Integer divisions in hot loops: the divisor is a variable, or the compiler would have replaced them.

use crate::evidence::Work;
use crate::prelude::*;
use loopwright_binary::facts::Trait;

pub(crate) static RULE: Rule = Rule {
    id: "integer-divide",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("integer_divide.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::IntegerDivide) {
        return None;
    }
    // One division at least: the trait says no count.
    let (rest, division) = (facts.core().issue(f64::from(of.instructions)), facts.core().integer_division);
    let best = (rest + division) / (rest + estimates::CONSTANT_DIVISION_CYCLES);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, Work::IntegerDivision)
            .because(Provenance::Modelled, Work::IntegerDivisionCycles { division, rest })
            .gain(of.group_share, Gain::up_to(best))
            .confidence(Confidence::Medium)
            .next(format!("loopwright show asm {}", of.id))
            .how(how!(RULE)),
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

    #[test]
    fn without_the_divisor_it_asks_for_a_look_at_the_code() {
        let r = fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::IntegerDivide])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show asm 1"));
        assert_eq!((r.loop_gain.unwrap().low(), r.confidence), (1.0, Confidence::Medium));
    }
}
