//! Values that do not change but are loaded again in every iteration, because a store might overwrite them.

use crate::evidence::Memory;
use crate::facts::reloads;
use crate::prelude::*;
use crate::rules::unobserved_dependence;
use crate::vectorising;
use loopwright_binary::facts::{ChainKind, Trait};
use loopwright_vocabulary::Language;

pub(crate) static RULE: Rule = Rule {
    id: "reloaded-invariant",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[unobserved_dependence::ASSERT_INDEPENDENCE],
    doc: Doc::parse(include_str!("reloaded_invariant.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let fixed = reloads(of);
    // An overlap that a traced run saw is real, and must not be promised away.
    let real = facts.dependence(of).is_some_and(|d| d.found.iter().any(|d| d.memory && d.limits_vectors));
    let chained = of.chains.iter().any(|c| matches!(c.kind, ChainKind::Recurrence | ChainKind::PointerChase));
    let spills = of.traits.contains(&Trait::Spill);
    // Dummy arguments of Fortran do not overlap by the rules of the language: a compiler reloads for another reason.
    let promised = facts.language(of) == Some(Language::Fortran);
    if promised || of.vectorized || !of.innermost || fixed == 0 || real || chained || spills {
        return None;
    }
    let lines: std::collections::BTreeSet<u32> =
        of.strides.iter().filter(|s| s.bytes == 0 && !s.store && s.line > 0).map(|s| s.line).collect();
    let fixed = u32::try_from(fixed).unwrap_or(u32::MAX);
    let new = facts
        .about_loop(&RULE, of)
        .named("promise-no-alias", "Tell the compiler that these arrays do not overlap")
        .because(Provenance::Binary, Memory::FixedLoads { loads: fixed, lines: lines.into_iter().collect() });
    // Whether they really do not overlap, and nothing else prevents vectors, is not known yet.
    let new = vectorising::predicted(new, facts, of).from_nothing();
    Some(new.confidence(Confidence::Medium).next(facts.collect("dependencies", of)).how(how()))
}

fn how() -> How {
    vectorising::with_vector_flags(how!(RULE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, fired, fired_on, scalar_loop, states, stride, with_loops};

    fn reloading(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            l.strides =
                vec![stride(8, 8, false), stride(0, 8, false), stride(0, 8, false), stride(8, 8, true)];
            change(l);
        })
    }

    #[test]
    fn fires_on_fixed_loads_beside_a_moving_store() {
        let r = fired_on(&RULE, reloading(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("promise-no-alias", Confidence::Medium));
        assert!(states!(r, Memory::FixedLoads { loads: 2, lines } if lines[..] == [11]), "{:?}", r.said());
        assert!(r.loop_gain.unwrap().low() == 1.0 && r.loop_gain.unwrap().high() > 2.0);
    }

    #[test]
    fn fires_where_a_trace_sees_the_store_move() {
        use crate::fixtures::{access, trace};
        use loopwright_patterns::facts::AccessKind;
        let with = |stride| {
            reloading(|l| {
                l.strides.pop();
                trace(l, vec![access("mask[i]", AccessKind::Store, 1, stride)]);
            })
        };
        assert!(fired_on(&RULE, with(1)).is_some());
        assert!(fired_on(&RULE, with(0)).is_none(), "it stores to one place");
    }

    #[test]
    fn fortran_has_promised_it_already() {
        let r = fired_on(&RULE, reloading(|l| l.producer = Some("GNU Fortran2008 12.2.0 -O2".into())));
        assert!(r.is_none());
    }

    #[test]
    fn an_overlap_that_was_seen_is_not_promised_away() {
        use crate::fixtures::{carried, checked};
        use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};
        let overlapping = scalar_loop(|l| {
            l.strides = vec![stride(0, 8, false), stride(8, 8, true)];
            checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
        });
        assert!(fired_on(&RULE, overlapping.clone()).is_some(), "of another kind");
        let mut seen = overlapping;
        seen.dependence.as_mut().unwrap().found =
            vec![carried(loopwright_patterns::facts::DependenceKind::Flow, 1)];
        assert!(fired_on(&RULE, seen).is_none());
    }

    #[test]
    fn silent_without_stores_fixed_loads_or_with_other_causes() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        assert!(
            fired_on(
                &RULE,
                reloading(|l| {
                    l.strides.pop();
                })
            )
            .is_none(),
            "nothing is stored"
        );
        assert!(
            fired_on(&RULE, reloading(|l| l.traits = vec![Trait::Spill])).is_none(),
            "for want of registers"
        );
        assert!(
            fired_on(&RULE, reloading(|l| l.chains = vec![chain(ChainKind::Recurrence, "xmm0", 4)]))
                .is_none()
        );
        assert!(fired_on(&RULE, reloading(|l| l.vectorized = true)).is_none());
    }

    #[test]
    fn without_a_machine_nothing_is_predicted() {
        let mut analysis = with_loops(vec![reloading(|_| ())]);
        analysis.machine = None;
        assert!(fired(&RULE, &analysis).unwrap().loop_gain.is_none());
    }
}
