//! Floating-point divisions one of whose operands does not change in the loop.

use crate::divisions;
use crate::evidence::{Change, Expected, Work};
use crate::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "divide-by-invariant",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("divide_by_invariant.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let fixed = of.operands.invariant_divisors;
    if fixed == 0 {
        return None;
    }
    let share = f64::from(fixed) / f64::from(of.instruction_mix.divide.max(fixed));
    let gain = divisions::counted_without(facts, of, share, 0.0);
    let gain = gain.unwrap_or_else(|| divisions::without(of, facts.core(), fixed));
    let new = facts.about_loop(&RULE, of);
    Some(
        facts
            .asking_for_counts(new, of)
            .because(
                Provenance::Binary,
                Work::InvariantDivisors { fixed, divisions: of.instruction_mix.divide },
            )
            .because(Provenance::Modelled, Expected::up_to(Change::Multiplications, gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{count, fired, fired_on, measured, scalar_loop, states, vector_loop};
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
        assert!(states!(r, Work::InvariantDivisors { fixed: 1, divisions: 1 }));
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
