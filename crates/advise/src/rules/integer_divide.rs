//! Integer divisions in hot loops: the divisor is a variable, or the compiler would have replaced them.

use crate::evidence::Work;
use crate::prelude::*;
use crate::traffic::nanoseconds_per_iteration;
use loopwright_binary::facts::Trait;

pub(crate) static RULE: Rule = Rule {
    id: "integer-divide",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("integer_divide.md")),
};

/// Divisions and instructions of an iteration, as counted; else those in the code, of which one divides integers at least.
fn executed(of: &LoopFacts) -> (f64, f64) {
    let only = !of.traits.contains(&Trait::Divide);
    let counted = of.work.as_ref().zip(of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0));
    match counted {
        Some((work, iterations)) => {
            let each = |count: u64| count as f64 / iterations as f64;
            let divisions = each(work.mix.divide);
            (if only { divisions } else { divisions.min(1.0) }, each(work.instructions))
        }
        None => {
            let divisions = if only { of.instruction_mix.divide.max(1) } else { 1 };
            (f64::from(divisions), f64::from(of.instructions))
        }
    }
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::IntegerDivide) {
        return None;
    }
    let (divisions, instructions) = executed(of);
    if divisions <= 0.0 {
        return None;
    }
    let (rest, division) = (facts.core().issue(instructions), facts.core().integer_division);
    let instead = divisions * estimates::CONSTANT_DIVISION_CYCLES;
    // Divisions that do not depend on each other overlap: together they take no longer than an iteration.
    let measured = nanoseconds_per_iteration(facts, of).zip(facts.clock_ghz()).map(|(ns, ghz)| ns * ghz);
    let now = measured.unwrap_or(rest + divisions * division);
    let best = now / (now - (divisions * division).min(now) + instead).max(rest);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, Work::IntegerDivision)
            .because(Provenance::Modelled, Work::IntegerDivisionCycles { divisions, division, rest })
            .gain(of.group_share, Gain::up_to(best.max(1.0)))
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
    fn executed_divisions_count_and_overlap() {
        use crate::fixtures::{count, fired, measured, near, states};
        // 4 s at 3 GHz: 0.4e9 iterations of 30 cycles with 5 divisions.
        let with = |executed: u64| {
            let mut l = scalar_loop(|l| {
                (l.traits, l.instructions) = (vec![Trait::IntegerDivide], 40);
                count(l, 1, 400_000_000);
            });
            l.work.as_mut().unwrap().mix.divide = executed * 400_000_000;
            fired(&RULE, &measured(vec![l]))
        };
        let r = with(5).unwrap();
        assert!(
            states!(r, Work::IntegerDivisionCycles { divisions, .. } if near(*divisions, 5.0)),
            "{:?}",
            r.said()
        );
        assert!(near(r.loop_gain.unwrap().high(), 3.0), "{:?}", r.loop_gain);
        assert!(with(0).is_none(), "none was executed");
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
