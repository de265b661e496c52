//! Multiplications and additions that stay apart although the machine fuses them.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Compiler, Machine, Vanishing, Work};
use crate::prelude::*;
use crate::rules::narrow_instruction_set;
use crate::traffic::nanoseconds_per_iteration;
use loopwright_analysis::model::{MachineFacts, RoofKind, WorkRow};
use loopwright_binary::facts::{ChainKind, Trait};
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "no-fma",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[narrow_instruction_set::RULE.id],
    doc: Doc::parse(include_str!("no_fma.md")),
};

/// With so much of the FLOP fused, the rest is sums and products without partners.
const FUSED: f64 = 0.5;
/// A loop within two thirds of its arithmetic ceiling is bound by it.
const AT_THE_ROOF: f64 = 1.5;
/// Fewer operations than a pair have nothing to fuse.
const LEAST_OPERATIONS: u32 = 2;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let machine = facts.machine().filter(|m| m.fma)?;
    let mix = &of.instruction_mix;
    let heavy = mix.divide + mix.square_root + mix.conversion;
    let operations = (mix.fp_scalar + mix.fp_vector).saturating_sub(heavy);
    let float = of.types.first().is_some_and(|t| t.is_float());
    // A product and a sum become one: where nothing is multiplied, nothing fuses.
    let pairs = mix.fp_multiply.min(operations / 2);
    // A fused operation takes longer than a sum: a loop that waits for a chain may become slower by it.
    if !float || operations < LEAST_OPERATIONS || pairs == 0 || facts.waits_in_order(of) {
        return None;
    }
    if let Some(work) = of.work.as_ref().filter(|w| w.flop > 0) {
        return executed(facts, of, machine, work);
    }
    if mix.fma > 0 || of.traits.contains(&Trait::Fma) {
        return None;
    }
    // At best each product finds its sum; the rest of the loop stays.
    let vanishing = f64::from(pairs) / f64::from(of.instructions.max(operations));
    let gain = fused(facts, of, f64::from(pairs)).at_most();
    if gain.likely() < LEAST_GAIN {
        return None;
    }
    let built = facts.producer(of).and_then(|p| p.value("-march=")).map(str::to_owned);
    let mut new = facts
        .about_loop(&RULE, of)
        .because(Provenance::Binary, Work::SeparateOperations { operations })
        .because(Provenance::Measured, Machine::MachineHasFma { processor: machine.name.clone() });
    if let Some(march) = built {
        new = new.because(Provenance::Binary, Compiler::Architecture { march: Some(march) });
    }
    Some(
        new.because(Provenance::Modelled, Work::Vanishing { share: vanishing, when: Vanishing::Fused })
            .gain(of.group_share, gain)
            .confidence(Confidence::Low)
            .how(how!(RULE)),
    )
    .map(|new| facts.asking_for_counts(new, of))
}

/// What one instruction less for each pair gains an iteration: the slowest of what the core starts, its load and store ports, its
/// floating-point units, its divider and its chains, before and after. In the chain of a sum the product is outside, and a fused
/// addition takes as long as the sum or longer: it gains nothing, and may lose. A recurrence through product and sum becomes
/// shorter.
fn fused(facts: &Facts, of: &LoopFacts, pairs: f64) -> Gain {
    let (core, mix) = (facts.core(), &of.instruction_mix);
    let bits = of.vector.as_ref().filter(|_| of.vectorized).map_or(0, |v| v.bits);
    let operations = f64::from(mix.fp_scalar + mix.fp_vector);
    let products = f64::from(mix.fp_multiply + mix.fma);
    let latency = |sum: bool| {
        let of_kind = |kind: ChainKind| match kind {
            ChainKind::InOrderSum | ChainKind::VectorReduction => sum,
            ChainKind::Recurrence => !sum,
            _ => false,
        };
        let longest = of.chains.iter().filter(|c| of_kind(c.kind)).map(|c| c.latency_cycles).max();
        f64::from(longest.unwrap_or(0))
    };
    let (sum, recurrence) = (latency(true), latency(false));
    let both = core.multiply.latency + core.add.latency;
    let shorter = if recurrence >= both { recurrence * core.fma.latency / both } else { recurrence };
    let cycles = |fewer: f64, chain: f64| {
        let wide = core.fma.per_cycle.at(bits) / core.fma.per_cycle.at(0);
        let units =
            (products / core.fma.per_cycle.at(bits)).max((operations - fewer) / (core.separate * wide));
        let iteration = of.iteration();
        let left =
            costs::Iteration { instructions: (iteration.instructions - fewer).max(1.0), chain, ..iteration };
        left.cycles(core, bits).max(units)
    };
    let (now, then) = (cycles(0.0, sum.max(recurrence)), cycles(pairs, sum.max(shorter)));
    let measured = nanoseconds_per_iteration(facts, of).zip(facts.clock_ghz()).map(|(ns, ghz)| ns * ghz);
    // What the model does not explain may shrink with the arithmetic, or stay.
    let all = measured.map_or(now, |cycles| cycles.max(now));
    let likely = all / (all - (now - then));
    let share = (pairs / operations.max(1.0)).min(0.5);
    let high = if likely > 1.0 { (1.0 / (1.0 - share)).max(likely) } else { likely };
    let low = if sum > 0.0 && sum >= recurrence { core.add.latency / core.fma.latency } else { 0.95 };
    Gain::around(low.min(likely), likely, high)
}

/// With counts: how many of the executed operations are fused, and how many instructions fusing could remove.
fn executed(facts: &Facts, of: &LoopFacts, machine: &MachineFacts, work: &WorkRow) -> Option<Recommendation> {
    let fused = work.fma_share?;
    let mix = &work.mix;
    // Neither divisions nor comparisons and conversions fuse.
    let separate = saturating_sum([mix.fp_scalar, mix.fp_vector])
        .saturating_sub(mix.fma.saturating_add(mix.divide).saturating_add(mix.square_root));
    let separate = separate.saturating_sub(mix.conversion);
    // Signs and logic on floating-point registers are no FLOP.
    let separate = separate.min((work.flop as f64 * (1.0 - fused)).round() as u64);
    if fused >= FUSED || separate == 0 {
        return None;
    }
    // Each pair becomes one; what has no partner stays, which is not estimated separately.
    let static_pairs = f64::from(of.instruction_mix.fp_multiply)
        / f64::from((of.instruction_mix.fp_scalar + of.instruction_mix.fp_vector).max(1));
    let pairs = (separate as f64 * static_pairs.min(0.5)).min((separate / 2) as f64);
    let vanishing = pairs / work.instructions.max(1) as f64;
    // A loop that its arithmetic bounds gains up to what the peak does.
    let bound = of.roofline.as_ref().filter(|p| p.bound_kind == Some(RoofKind::Compute));
    let arithmetic = bound.and_then(|p| p.headroom).is_some_and(|h| h < AT_THE_ROOF);
    let iterations = of.trip_count.as_ref().map_or(0, |t| t.iterations).max(1) as f64;
    let gain = self::fused(facts, of, pairs / iterations);
    if gain.likely() < LEAST_GAIN {
        return None;
    }
    let title = if fused > 0.0 {
        format!("Only {} of this loop's FLOP are fused multiply-adds", percent(fused))
    } else {
        RULE.doc.title.to_owned()
    };
    let mut new = facts
        .about_loop(&RULE, of)
        .titled(title)
        .because(Provenance::Counted, Work::FusedShare { share: fused, flop: work.flop, separate })
        .because(Provenance::Measured, Machine::MachineHasFma { processor: machine.name.clone() })
        .because(
            Provenance::Modelled,
            Work::Vanishing { share: vanishing, when: Vanishing::FusedAsExecuted },
        );
    if let Some(march) = facts.producer(of).and_then(|p| p.value("-march=")) {
        new = new.because(Provenance::Binary, Compiler::Architecture { march: Some(march.to_owned()) });
    }
    let confidence = if arithmetic { Confidence::Medium } else { Confidence::Low };
    Some(new.gain(of.group_share, gain).confidence(confidence).how(how!(RULE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, fired_on, scalar_loop, states, vector_loop, with_loops};

    #[test]
    fn fires_on_a_multiplication_and_an_addition() {
        let r = fired_on(&RULE, scalar_loop(|_| ())).unwrap();
        assert!(r.loop_gain.unwrap().low() <= 1.0 && r.loop_gain.unwrap().high() <= 2.0);
        assert!(states!(r, Compiler::Architecture { march: Some(march) } if march == "x86-64"));
    }

    #[test]
    fn silent_where_it_fuses_or_cannot() {
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none(), "has FMA");
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.instruction_mix.fp_scalar = 1)).is_none(),
            "nothing to fuse"
        );
        let mut analysis = with_loops(vec![scalar_loop(|_| ())]);
        analysis.machine.as_mut().unwrap().fma = false;
        assert!(fired(&RULE, &analysis).is_none(), "no FMA to use");
        analysis.machine = None;
        assert!(fired(&RULE, &analysis).is_none(), "machine unknown");
    }

    #[test]
    fn counts_tell_the_executed_share() {
        use crate::fixtures::{bound_by, count, measured};
        let partly = |share: f64| {
            vector_loop(move |l| {
                (l.instruction_mix.fp_vector, l.instruction_mix.fma) = (6, 1);
                l.instruction_mix.fp_multiply = 3;
                count(l, 10, 1_000_000);
                l.work.as_mut().unwrap().fma_share = Some(share);
            })
        };
        let r = fired_on(&RULE, partly(0.2)).unwrap();
        assert!(r.title.contains("20.0 %") && r.confidence == Confidence::Low, "{}", r.title);
        assert!(states!(r, Work::FusedShare { separate: 50_000_000, .. }), "{:?}", r.said());
        assert!(fired_on(&RULE, partly(0.7)).is_none());
        let mut at_the_roof = partly(0.2);
        (at_the_roof.self_seconds, at_the_roof.total_seconds) = (0.007, 0.007);
        bound_by(&mut at_the_roof, "AVX2 f64", 1.1);
        let r = fired(&RULE, &measured(vec![at_the_roof])).unwrap();
        assert!(r.confidence == Confidence::Medium && r.loop_gain.unwrap().likely() > 1.0);
        // One addition per element has no partner, whatever the code looks like.
        let mut adds = scalar_loop(|l| l.instruction_mix.fp_scalar = 2);
        count(&mut adds, 1, 10);
        adds.work.as_mut().unwrap().mix.fp_scalar = 1;
        assert!(fired_on(&RULE, adds).is_none());
    }

    #[test]
    fn a_sum_gains_nothing_and_a_recurrence_becomes_shorter() {
        use crate::fixtures::chain;
        let with =
            |kind, cycles| fired_on(&RULE, scalar_loop(|l| l.chains.push(chain(kind, "xmm0", cycles))));
        assert!(with(ChainKind::InOrderSum, 4).is_none(), "the product is outside the chain");
        let through_both = with(ChainKind::Recurrence, 8).unwrap().loop_gain.unwrap();
        assert!(through_both.likely() > 1.3, "{through_both:?}");
    }

    #[test]
    fn silent_where_nothing_is_multiplied() {
        let sums = |multiplied: u32| {
            fired_on(
                &RULE,
                scalar_loop(|l| {
                    (l.instruction_mix.fp_scalar, l.instruction_mix.fp_multiply) = (6, multiplied)
                }),
            )
        };
        assert!(sums(0).is_none() && sums(2).is_some());
    }

    #[test]
    fn silent_on_integers() {
        use loopwright_binary::facts::ElementType;
        assert!(fired_on(&RULE, scalar_loop(|l| l.types = vec![ElementType::I32])).is_none());
    }

    #[test]
    fn without_counts_it_asks_for_them() {
        let r = fired_on(&RULE, scalar_loop(|_| ())).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
