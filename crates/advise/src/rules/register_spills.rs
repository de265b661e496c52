//! Values that do not fit into the registers of a hot loop.

use crate::evidence::Work;
use crate::prelude::*;
use loopwright_binary::facts::Trait;

pub(crate) static RULE: Rule = Rule {
    id: "register-spills",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("register_spills.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::Spill) || !of.innermost || !of.calls.is_empty() {
        return None;
    }
    let mix = &of.instruction_mix;
    Some(
        facts
            .about_loop(&RULE, of)
            .because(
                Provenance::Binary,
                Work::Spills { loads: mix.load, stores: mix.store, instructions: of.instructions },
            )
            .gain(of.group_share, estimates::WITHOUT_SPILLS)
            .confidence(Confidence::Low)
            .next(format!("loopwright show asm {}", of.id))
            .how(how!(RULE)),
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

    #[test]
    fn without_the_cause_it_asks_for_a_look_at_the_code() {
        let r = fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::Spill])).unwrap();
        assert_eq!((r.next.as_deref(), r.loop_gain.unwrap().low()), (Some("loopwright show asm 1"), 1.0));
    }
}
