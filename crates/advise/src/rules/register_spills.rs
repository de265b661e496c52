//! Values that do not fit into the registers of a hot loop.

use crate::evidence::Work;
use crate::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "register-spills",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("register_spills.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    // General registers hold addresses and counters: splitting a loop does not free them.
    let vectors = of.operands.spilled_vectors;
    if vectors == 0 || !of.innermost || !of.calls.is_empty() {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, Work::Spills { stores: vectors, instructions: of.instructions })
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

    fn spilling(change: impl Fn(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            l.operands.spilled_vectors = 3;
            change(l);
        })
    }

    #[test]
    fn fires_on_spilled_vectors_of_an_innermost_loop() {
        let r = fired_on(&RULE, spilling(|_| ())).unwrap();
        assert_eq!(r.confidence, Confidence::Low);
    }

    #[test]
    fn silent_where_calls_force_them_or_general_registers_are_spilled() {
        assert!(fired_on(&RULE, spilling(|l| l.calls = vec![call(Some("f"))])).is_none());
        assert!(fired_on(&RULE, spilling(|l| l.innermost = false)).is_none());
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }

    #[test]
    fn without_the_cause_it_asks_for_a_look_at_the_code() {
        let r = fired_on(&RULE, spilling(|_| ())).unwrap();
        assert_eq!((r.next.as_deref(), r.loop_gain.unwrap().low()), (Some("loopwright show asm 1"), 1.0));
    }
}
