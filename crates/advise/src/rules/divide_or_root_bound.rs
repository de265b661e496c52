//! Loops that wait for the divider: divisions and square roots with varying operands.

use crate::divisions;
use crate::evidence::Work;
use crate::prelude::*;
use crate::rules::divide_by_invariant;
use loopwright_binary::facts::{ElementType, Trait};
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "divide-or-root-bound",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[divide_by_invariant::RULE.id],
    doc: Doc::parse(include_str!("divide_or_root_bound.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let mix = &of.instruction_mix;
    if !of.traits.contains(&Trait::Divide) && !of.traits.contains(&Trait::SquareRoot) {
        return None;
    }
    // Divisions in a rarely taken branch look alike in the code: counts decide where there are any.
    let busy = divisions::busy_share(facts, of);
    if !busy.map_or_else(|| divisions::bound(of, facts.core()), |share| share >= divisions::SURELY) {
        return None;
    }
    let heavy = mix.divide + mix.square_root;
    let single = of.types.first() == Some(&ElementType::F32);
    // One division by a common denominator replaces several, and squares are compared without a root; an approximation
    // replaces all of them, in f32 only.
    let replaced = if single { heavy } else { mix.square_root + mix.divide / 2 };
    let divisions_replaced = match (single, mix.divide) {
        (true, _) => 1.0,
        (false, 0 | 1) => 0.0,
        (false, _) => 0.5,
    };
    let gain = if replaced == 0 {
        estimates::FEWER_DIVISIONS.into()
    } else {
        divisions::counted_without(facts, of, divisions_replaced, 1.0)
            .unwrap_or_else(|| divisions::without(of, facts.core(), replaced).at_most())
    };
    let (divider, rest) =
        divisions::executed_cycles(facts, of).unwrap_or(divisions::cycles(of, facts.core()));
    let how = how!(RULE);
    let how = if single {
        how.flags("gcc, g++, gfortran", "-O3 -march=native -ffast-math -mrecip")
            .flags("clang, clang++", "-O3 -march=native -ffast-math -mrecip")
    } else {
        how.flags("gcc, g++, gfortran", "-O3 -march=native -freciprocal-math")
            .flags("clang, clang++", "-O3 -march=native -freciprocal-math")
    };
    let mut new = facts.about_loop(&RULE, of);
    if let (Some(share), Some(work)) = (busy, of.work.as_ref()) {
        new = new.because(
            Provenance::Modelled,
            Work::DividerShare { executed: saturating_sum([work.mix.divide, work.mix.square_root]), share },
        );
    }
    Some(
        facts
            .asking_for_counts(new, of)
            .because(
                Provenance::Binary,
                Work::Divisions {
                    divisions: mix.divide,
                    roots: mix.square_root,
                    instructions: of.instructions,
                },
            )
            .because(Provenance::Modelled, Work::DividerCycles { divider, rest })
            .gain(of.group_share, gain)
            .confidence(if busy.is_some() { Confidence::High } else { Confidence::Medium })
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, near, scalar_loop, states, vector_loop};

    #[test]
    fn fires_on_roots_in_a_vector_loop() {
        let r = fired_on(
            &RULE,
            vector_loop(|l| {
                l.traits = vec![Trait::Divide, Trait::SquareRoot];
                (l.instruction_mix.divide, l.instruction_mix.square_root, l.instructions) = (1, 1, 12);
            }),
        )
        .unwrap();
        assert!(r.loop_gain.unwrap().high() > 1.2);
        assert!(!r.how.flags.iter().any(|f| f.flags.contains("-mrecip")), "f64 has no useful approximation");
    }

    #[test]
    fn counts_tell_whether_the_divider_is_busy() {
        use crate::fixtures::{count, fired, measured};
        let dividing = |iterations| {
            measured(vec![scalar_loop(|l| {
                l.traits = vec![Trait::Divide];
                (l.instruction_mix.divide, l.instructions) = (2, 8);
                count(l, 1, iterations);
            })])
        };
        // 2 x 5 cycles of 12e9: 90 % at 1.08e9 iterations, 8 % at 1e8.
        let r = fired(&RULE, &dividing(1_080_000_000)).unwrap();
        assert_eq!(r.confidence, Confidence::High);
        assert!(states!(r, Work::DividerShare { share, .. } if near(*share, 0.9)), "{:?}", r.said());
        assert!(fired(&RULE, &dividing(100_000_000)).is_none());
        assert!(fired(&RULE, &dividing(800_000_000)).is_none(), "busy for 67 % of the time");
    }

    #[test]
    fn divisions_in_a_branch_count_as_executed() {
        use crate::fixtures::{count, fired, measured};
        // 36 divisions in the code, 11 executed in each of 0.21e9 iterations of 57 cycles.
        let analysis = measured(vec![scalar_loop(|l| {
            l.traits = vec![Trait::Divide];
            (l.instruction_mix.divide, l.instructions) = (36, 120);
            count(l, 1, 210_000_000);
            l.work.as_mut().unwrap().mix.divide = 11 * 210_000_000;
        })]);
        let r = fired(&RULE, &analysis).unwrap();
        assert!(states!(r, Work::DividerCycles { divider, .. } if near(*divider, 55.0)), "{:?}", r.said());
    }

    #[test]
    fn approximations_are_for_f32() {
        let r = fired_on(
            &RULE,
            vector_loop(|l| {
                (l.traits, l.types) = (vec![Trait::SquareRoot], vec![ElementType::F32]);
                (l.instruction_mix.square_root, l.instructions) = (1, 12);
            }),
        )
        .unwrap();
        assert!(r.how.flags.iter().any(|f| f.flags.contains("-mrecip")));
    }

    #[test]
    fn silent_where_other_work_hides_it() {
        assert!(
            fired_on(
                &RULE,
                scalar_loop(|l| {
                    l.traits = vec![Trait::Divide];
                    (l.instruction_mix.divide, l.instructions) = (1, 100);
                })
            )
            .is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }

    #[test]
    fn without_counts_it_asks_for_them() {
        let dividing = scalar_loop(|l| {
            (l.traits, l.instruction_mix.divide, l.instructions) = (vec![Trait::Divide], 2, 8);
        });
        let r = fired_on(&RULE, dividing).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
