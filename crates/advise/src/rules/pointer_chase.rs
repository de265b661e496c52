//! Loops that follow pointers: each address comes from the load before it.

use crate::facts::{Facts, carrier};
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::ChainKind;

/// The rule.
pub static RULE: Rule = Rule {
    id: "pointer-chase",
    title: "Each iteration waits for the address that the one before it loads",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc {
        detects: "A hot loop in which the address of the next load comes from this load: linked lists, trees, chained hash tables.",
        why_it_costs: "The loop runs at the latency of memory: 4 to 5 cycles per element in L1, about 300 from DRAM, and neither vectors \
                       nor out-of-order execution nor the prefetcher help.",
        facts_needed: "The carried register chains of the loop's code. How far the elements lie apart is seen by `loopwright map`.",
        when_it_is_wrong: "When the list is short and in L1; when elements are inserted far more often than the list is walked.",
        example: "`for (p = head; p; p = p->next) sum += p->value;`",
        how_to_verify: "The loop reads with unit stride, or its time falls although the chain stays (prefetch, several lists at once).",
    },
    sources: &[
        "Drepper, What every programmer should know about memory, 2007: sequential and random walks of a list",
    ],
};

/// Packed into an array, a list of small elements is read at bandwidth: 2 to 20 times faster than by latency
/// (Drepper, figures 3.10 to 3.15); a list that lies in order already gains next to nothing.
const GAIN: (f64, f64) = (1.0, 8.0);

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let chain = of.chains.iter().find(|c| c.kind == ChainKind::PointerChase)?;
    if !facts.speaks_for_group(of) {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, format!("{} is loaded from the address that it held one iteration before", carrier(chain)))
            .because(Provenance::Modelled, format!("at least {} cycles per iteration from L1, hundreds from memory", chain.latency_cycles))
            .gain(of.group_share, Gain::new(GAIN.0, GAIN.1))
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(
                How::new(
                    "Keep the elements in an array, in the order of the walk; or keep the links but allocate elements from one pool, use indices \
                     instead of pointers, put several elements into each node, or walk several lists at once so that their waits overlap. If the \
                     structure must stay, prefetch the element after next from a stored skip pointer.",
                )
                .c(
                    "for (struct node *p = head; p; p = p->next)\n    s += p->value;",
                    "for (size_t i = 0; i < count; i++)   /* values kept in an array */\n    s += value[i];",
                )
                .fortran(
                    "p => head\ndo while (associated(p))\n  s = s + p%value\n  p => p%next\nend do",
                    "s = s + sum(value(1:count))   ! values kept in an array",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, fired_on, induction, scalar_loop};

    #[test]
    fn fires_on_a_chase() {
        let r = fired_on(&RULE, scalar_loop(|l| l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)]))
            .unwrap();
        assert!(r.evidence.iter().any(|e| e.contains("rbx")));
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
}
