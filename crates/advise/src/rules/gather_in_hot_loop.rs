//! Vector loops whose elements are collected through indices.

use crate::evidence::{Change, Expected, Vectors, indexed};
use crate::prelude::*;
use crate::rules::{affine_gather, array_of_structures, row_stride, scattered_indices};
use loopwright_binary::facts::Trait;

pub(crate) static RULE: Rule = Rule {
    id: "gather-in-hot-loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[
        affine_gather::PLAIN_LOADS,
        scattered_indices::REORDER_INDICES,
        array_of_structures::RULE.id,
        row_stride::INTERCHANGE_LOOPS,
    ],
    doc: Doc::parse(include_str!("gather_in_hot_loop.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let gathers = of.traits.contains(&Trait::Gather);
    let scatters = of.traits.contains(&Trait::Scatter);
    let vector = of.vector.as_ref().filter(|_| of.vectorized && (gathers || scatters))?;
    let what = indexed(gathers, scatters);
    // A unit-stride load replaces the gather by next to nothing; the rest of the loop stays.
    let core = facts.core();
    let rest = core.issue(f64::from(of.instructions.max(4)));
    let gain = Gain::up_to((rest + f64::from(vector.length) * core.gather) / rest);
    Some(
        facts
            .about_loop(&RULE, of)
            .titled(format!("This vector loop {what} its elements: give it consecutive ones"))
            .because(Provenance::Binary, Vectors::Gathers { gathers, scatters, elements: vector.length })
            .because(Provenance::Modelled, Expected::up_to(Change::NoIndexedAccesses, gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop, vector_loop};

    #[test]
    fn fires_on_gathers_and_asks_for_map() {
        let r = fired_on(&RULE, vector_loop(|l| l.traits = vec![Trait::Gather])).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright map --loops 1"));
        assert!(r.title.contains("gathers"));
        assert!(r.loop_gain.unwrap().high() > 1.5);
    }

    #[test]
    fn fires_on_scatters() {
        assert!(
            fired_on(&RULE, vector_loop(|l| l.traits = vec![Trait::Scatter]))
                .unwrap()
                .title
                .contains("scatters")
        );
    }

    #[test]
    fn silent_without_either() {
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::Shuffle])).is_none());
    }
}
