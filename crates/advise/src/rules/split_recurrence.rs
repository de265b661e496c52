//! Loops whose carried value needs a few operations, beside many that do not depend on it: two loops, one of them a vector loop.

use crate::counted::LEAST_GAIN;
use crate::evidence::{ChainRole, Dependences, Work};
use crate::prelude::*;
use crate::rules::in_order_fp_sum;
use crate::vectorising;
use loopwright_binary::facts::{CarriedChain, Carrier, ChainKind};

pub(crate) static RULE: Rule = Rule {
    id: "split-recurrence",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[in_order_fp_sum::REORDER_SUM],
    doc: Doc::parse(include_str!("split_recurrence.md")),
};

/// Part of the loop's time that its chain may take: with more, the rest hides behind it.
const HIDES: f64 = 0.6;
/// Floating-point operations beside the chain, and their part of all.
const LEAST_REST: f64 = 6.0;
const MOSTLY_REST: f64 = 0.6;
/// Cycles in which an element of the second loop is loaded, carried on and stored.
const SECOND_LOOP: f64 = 2.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.vectorized || !of.innermost || !of.calls.is_empty() || of.exits > 1 {
        return None;
    }
    let recurrences = || of.chains.iter().filter(|c| c.kind == ChainKind::Recurrence);
    let chain = recurrences().max_by_key(|c| c.latency_cycles)?;
    // Only where the code shows all that is carried: a value in memory may feed anything.
    let known = |c: &CarriedChain| matches!(c.carrier, Carrier::Register(_));
    let memory =
        facts.dependence(of).is_some_and(|d| d.found.iter().any(|one| one.memory && one.limits_vectors));
    let others = of.chains.iter().any(|c| c.kind == ChainKind::PointerChase);
    if !recurrences().all(known) || memory || others {
        return None;
    }
    let all = f64::from(of.instruction_mix.fp_scalar);
    let carried: f64 = recurrences().map(|c| c.instructions.len() as f64).sum();
    let rest = all - carried;
    let share = facts.chain_share(of, chain)?;
    if rest < LEAST_REST || rest < MOSTLY_REST * all || share > HIDES {
        return None;
    }
    let mut free = of.clone();
    free.chains.retain(|c| c.kind != ChainKind::Recurrence);
    let vectors = vectorising::most(facts, &free)?;
    let now = f64::from(chain.latency_cycles) / share.max(f64::MIN_POSITIVE);
    let after = now / vectors + f64::from(chain.latency_cycles).max(SECOND_LOOP);
    let gain = Gain::of(now / after).hedged(estimates::SEEN);
    if gain.likely() < LEAST_GAIN {
        return None;
    }
    let checked = facts.dependence(of).is_some();
    let new = facts
        .about_loop(&RULE, of)
        .named(
            "vectorise-rest",
            "Split this loop: what does not depend on the carried value becomes a vector loop of its own",
        )
        .because(Provenance::Binary, Dependences::chain(chain, ChainRole::Awaited))
        .because(Provenance::Binary, Work::BesideChain { operations: rest, chain: carried })
        .gain(of.group_share, gain)
        .confidence(if checked { Confidence::Medium } else { Confidence::Low });
    let new = if checked { new } else { new.next(facts.collect("dependencies", of)) };
    Some(new.how(vectorising::with_vector_flags(how!(RULE))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{carried, chain, checked, count, fired, measured, scalar_loop, states};
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_patterns::facts::DependenceKind;

    /// 20 operations of which one carries: 4 s at 3 GHz are 12 cycles of each of 1e9 iterations, the chain takes 4.
    fn filter(change: impl Fn(&mut LoopFacts)) -> Analysis {
        measured(vec![scalar_loop(|l| {
            (l.instructions, l.instruction_mix.fp_scalar) = (28, 20);
            l.chains = vec![chain(ChainKind::Recurrence, "xmm3", 4)];
            count(l, 1000, 1_000_000);
            change(l);
        })])
    }

    #[test]
    fn fires_where_little_of_the_work_is_carried() {
        let r = fired(&RULE, &filter(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("vectorise-rest", Confidence::Low));
        assert!(states!(r, Work::BesideChain { operations, .. } if *operations == 19.0), "{:?}", r.said());
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.0 && gain.high() < 3.0, "the chain stays: {gain:?}");
        let traced = filter(|l| checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent));
        assert_eq!(fired(&RULE, &traced).unwrap().confidence, Confidence::Medium);
    }

    #[test]
    fn silent_where_the_chain_takes_the_time_or_memory_carries() {
        let slow = |l: &mut LoopFacts| l.chains = vec![chain(ChainKind::Recurrence, "xmm3", 11)];
        assert!(fired(&RULE, &filter(slow)).is_none());
        assert!(fired(&RULE, &filter(|l| l.instruction_mix.fp_scalar = 5)).is_none());
        assert!(fired(&RULE, &filter(|l| l.chains.clear())).is_none());
        let stored = |l: &mut LoopFacts| {
            checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
            l.dependence.as_mut().unwrap().found = vec![carried(DependenceKind::Flow, 1)];
        };
        assert!(fired(&RULE, &filter(stored)).is_none());
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &filter(|l| l.trip_count = None)).is_none());
    }
}
