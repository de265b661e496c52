//! Loops that run at the latency of a chain which reordering could split: recurrences and single accumulators.

use crate::chains::{self, without_chain};
use crate::evidence::{ChainRole, Dependences};
use crate::prelude::*;
use crate::rules::{carried_dependence, in_order_fp_sum};
use loopwright_binary::facts::{CarriedChain, ChainKind, Trait};

/// Id of its recommendation.
pub const MORE_ACCUMULATORS: &str = "more-accumulators";

pub(crate) static RULE: Rule = Rule {
    id: "latency-bound-chain",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[in_order_fp_sum::REORDER_SUM],
    doc: Doc::parse(include_str!("latency_bound_chain.md")),
};

/// Below this ratio of chain to throughput the model's error is as large as the gain.
const CLEARLY: f64 = 1.5;
/// A chain that takes less of the counted iterations' time is not what the loop waits for.
const EXPLAINS: f64 = 0.5;
/// A chain that takes this much of the time is what the loop waits for.
const SURELY: f64 = 0.75;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || !of.calls.is_empty() || chains::generates(of) || !facts.written_by_user(of) {
        return None;
    }
    let of_kind = |kind: ChainKind| of.chains.iter().filter(move |c| c.kind == kind);
    let longest = |kind: ChainKind| of_kind(kind).max_by_key(|c| c.latency_cycles);
    let ratio = |chain: &CarriedChain| f64::from(chain.latency_cycles) / without_chain(facts, of).max(1.0);
    // Where time and iterations are known, the chain must account for the time.
    let explains = |chain: &CarriedChain| {
        facts
            .chain_share(of, chain)
            .is_none_or(|share| (EXPLAINS..=facts.possible_share(of)).contains(&share))
    };
    let clearly = |chain: &&CarriedChain| ratio(chain) >= CLEARLY && explains(chain);
    if let Some(chain) = longest(ChainKind::VectorReduction).filter(clearly) {
        let accumulators = of_kind(ChainKind::VectorReduction).count();
        // With more of them, additions start as often as the units allow.
        return ((accumulators as f64) < facts.core().fma.in_flight())
            .then(|| reduction(facts, of, chain, accumulators, ratio(chain)));
    }
    // A running sum that a test of data ends is a search: its parts cannot be run side by side.
    if of.traits.contains(&Trait::EarlyExit) {
        return None;
    }
    longest(ChainKind::Recurrence).filter(clearly).map(|chain| recurrence(facts, of, chain, ratio(chain)))
}

fn evidence(facts: &Facts, of: &LoopFacts, chain: &CarriedChain) -> Recommendation {
    let new = facts.because_of_cycles(facts.about_loop(&RULE, of), of, chain);
    facts
        .asking_for_counts(new, of)
        .because(Provenance::Binary, Dependences::chain(chain, ChainRole::Awaited))
        .because(
            Provenance::Modelled,
            Dependences::WithoutChain { instructions: of.instructions, cycles: without_chain(facts, of) },
        )
}

/// Counts and time show that the loop waits for the chain.
fn surely(facts: &Facts, of: &LoopFacts, chain: &CarriedChain) -> bool {
    facts.chain_share(of, chain).is_some_and(|share| share >= SURELY)
}

fn reduction(
    facts: &Facts,
    of: &LoopFacts,
    chain: &CarriedChain,
    accumulators: usize,
    ratio: f64,
) -> Recommendation {
    evidence(facts, of, chain)
        .named(MORE_ACCUMULATORS, "Give this reduction several accumulators")
        .because(Provenance::Binary, Dependences::Accumulators { registers: accumulators })
        // Streams from memory hide the chain: nothing is won at the low end, unless the time is seen to be the chain's.
        .gain(
            of.group_share,
            Gain::of(ratio).hedged(if surely(facts, of, chain) { estimates::OVERLAPPED } else { 0.0 }),
        )
        .confidence(if surely(facts, of, chain) { Confidence::High } else { Confidence::Medium })
        .how(how!(RULE, "sum"))
}

fn recurrence(facts: &Facts, of: &LoopFacts, chain: &CarriedChain, ratio: f64) -> Recommendation {
    evidence(facts, of, chain)
        .named(
            carried_dependence::BREAK_RECURRENCE,
            "Break or overlap the recurrence that this loop waits for",
        )
        .gain(of.group_share, overlapped(facts, of, ratio, surely(facts, of, chain)))
        .confidence(if surely(facts, of, chain) { Confidence::Medium } else { Confidence::Low })
        .next(format!("loopwright show asm {}", of.id))
        .how(how_to_overlap())
}

/// What several recurrences side by side gain, or a shorter one, where the loop takes `ratio` times as long as without it. The loop
/// around may have them ready for the lanes of a vector.
pub fn overlapped(facts: &Facts, of: &LoopFacts, ratio: f64, surely: bool) -> Gain {
    let lanes =
        facts.around(of).and_then(|_| gain::vectorise_across(facts, of)).map_or(1.0, |e| e.gain.likely());
    let ratio = ratio.min(estimates::MOST_OVERLAPPED);
    let careful = Gain::of(ratio).hedged(if surely { estimates::OVERLAPPED } else { 0.0 });
    Gain::around(careful.low(), ratio, lanes.max(ratio).min(estimates::MOST_OVERLAPPED))
}

/// How to shorten or overlap a recurrence.
pub fn how_to_overlap() -> How {
    how!(RULE, "recurrence")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, chain, fired_on, induction, near, scalar_loop, states, vector_loop};

    #[test]
    fn fires_on_a_single_accumulator() {
        let r = fired_on(
            &RULE,
            vector_loop(|l| l.chains = vec![induction(), chain(ChainKind::VectorReduction, "ymm0", 4)]),
        )
        .unwrap();
        assert_eq!(r.id, "more-accumulators");
        assert!(r.loop_gain.unwrap().high() >= CLEARLY);
    }

    #[test]
    fn fires_on_a_recurrence_with_less_confidence() {
        let r = fired_on(&RULE, scalar_loop(|l| l.chains = vec![chain(ChainKind::Recurrence, "xmm3", 8)]))
            .unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("break-recurrence", Confidence::Low));
    }

    #[test]
    fn silent_when_other_work_hides_the_chain_or_there_is_none() {
        assert!(
            fired_on(
                &RULE,
                vector_loop(|l| {
                    l.chains = vec![chain(ChainKind::VectorReduction, "ymm0", 4)];
                    l.instructions = 40;
                })
            )
            .is_none()
        );
        assert!(
            fired_on(
                &RULE,
                vector_loop(|l| l.chains = vec![chain(ChainKind::VectorReduction, "ymm0", 4); 8])
            )
            .is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.chains = vec![chain(ChainKind::Induction, "rax", 9)]))
                .is_none()
        );
    }

    #[test]
    fn the_divider_is_part_of_what_remains_without_the_chain() {
        let of = |divide| {
            fired_on(
                &RULE,
                scalar_loop(|l| {
                    l.chains = vec![chain(ChainKind::Recurrence, "xmm3", 17)];
                    (l.instructions, l.instruction_mix.divide) = (10, divide);
                }),
            )
        };
        let left = |r: &Recommendation, expected| states!(r, Dependences::WithoutChain { cycles, .. } if near(*cycles, expected));
        assert!(left(&of(0).unwrap(), 2.5) && left(&of(1).unwrap(), 5.0));
        assert!(of(3).is_none(), "the divider takes nearly as long as the chain");
    }

    #[test]
    fn silent_on_generators_of_numbers() {
        let of = |load| {
            fired_on(
                &RULE,
                scalar_loop(|l| {
                    l.chains = vec![chain(ChainKind::Recurrence, "rax", 8)];
                    l.instruction_mix.load = load;
                }),
            )
        };
        assert!(of(0).is_none() && of(1).is_some());
    }

    fn counted_sum(iterations: u64) -> loopwright_analysis::model::Analysis {
        crate::fixtures::measured(vec![vector_loop(|l| {
            l.chains = vec![induction(), chain(ChainKind::VectorReduction, "ymm0", 4)];
            crate::fixtures::count(l, 1, iterations);
        })])
    }

    #[test]
    fn counts_confirm_or_deny_that_the_loop_waits_for_the_chain() {
        use crate::fixtures::fired;
        // 4 s are 12e9 cycles at 3 GHz: 2.7e9 iterations of 4 cycles are 90 % of it, 1e8 are 3 %.
        let sure = fired(&RULE, &counted_sum(2_700_000_000)).unwrap();
        assert_eq!(sure.confidence, Confidence::High);
        assert!(sure.loop_gain.unwrap().low() > 1.0);
        assert!(
            states!(sure, Dependences::ChainTime { share, .. } if near(*share, 0.9)),
            "{:?}",
            sure.said()
        );
        assert!(fired(&RULE, &counted_sum(100_000_000)).is_none());
    }

    #[test]
    fn silent_on_loops_that_call() {
        let calling = scalar_loop(|l| {
            (l.chains, l.calls) = (vec![chain(ChainKind::Recurrence, "xmm3", 8)], vec![call(Some("f"))])
        });
        assert!(fired_on(&RULE, calling).is_none());
    }

    #[test]
    fn without_counts_it_promises_nothing_certain() {
        let mut analysis = counted_sum(2_700_000_000);
        let of = &mut analysis.loops[0];
        (of.trip_count, of.work, of.total_work) = (None, None, None);
        let r = crate::fixtures::fired(&RULE, &analysis).unwrap();
        assert_eq!((r.confidence, r.loop_gain.unwrap().low()), (Confidence::Medium, 1.0));
    }
}
