//! Loops that follow pointers: each address comes from the load before it.

use crate::evidence::{ChainRole, Dependences};
use crate::prelude::*;
use loopwright_binary::facts::ChainKind;

pub(crate) static RULE: Rule = Rule {
    id: "pointer-chase",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("pointer_chase.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let chain = of.chains.iter().find(|c| c.kind == ChainKind::PointerChase)?;
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, Dependences::chain(chain, ChainRole::Chase))
            .because(Provenance::Modelled, Dependences::ChaseCycles { cycles: chain.latency_cycles })
            .gain(of.group_share, estimates::LIST_IN_ARRAY)
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, fired_on, induction, scalar_loop, states};

    #[test]
    fn fires_on_a_chase() {
        let r = fired_on(&RULE, scalar_loop(|l| l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)]))
            .unwrap();
        assert!(
            states!(r, Dependences::Chain { carrier, role: ChainRole::Chase, .. } if carrier.name() == "rbx")
        );
        assert!(r.next.unwrap().contains("map --loops 1"));
    }

    #[test]
    fn silent_on_counters_and_sums() {
        assert!(
            fired_on(
                &RULE,
                scalar_loop(|l| l.chains = vec![induction(), chain(ChainKind::InOrderSum, "xmm0", 4)])
            )
            .is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|l| l.chains.clear())).is_none());
    }

    #[test]
    fn without_a_trace_it_asks_for_one_and_promises_nothing_certain() {
        let chase = scalar_loop(|l| l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)]);
        let r = fired_on(&RULE, chase).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright map --loops 1"));
        assert_eq!(r.loop_gain.unwrap().low(), 1.0);
    }
}
