//! Loops in which some elements need a lot of arithmetic and the others next to none: collect those, and compute them in vectors.

use crate::chains;
use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Dependences, Expected, NotSeen, Work};
use crate::prelude::*;
use crate::rules::rarely_run_code::{SPLIT_RARE_ITERATIONS, usual_path};
use crate::vectorising;
use loopwright_analysis::model::WorkRow;

/// Id of its recommendation.
pub const COMPRESS_ACTIVE_ELEMENTS: &str = "compress-active-elements";

pub(crate) static RULE: Rule = Rule {
    id: "conditional-work",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[SPLIT_RARE_ITERATIONS],
    doc: Doc::parse(include_str!("conditional_work.md")),
};

/// Operations in the loop's code, at least: less is computed for all elements and selected.
const HEAVY: f64 = 16.0;
/// Part of them that an iteration executes: with more, masks lose little; with less, nearly no element needs the work.
const EXECUTED: std::ops::RangeInclusive<f64> = 0.02..=0.65;
/// Instructions with which an active element is put into the list, and its operands and results are moved.
const COLLECTING: f64 = 12.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let serial = chains::is_serial(of) || facts.forbids_vectors(of);
    if of.vectorized || !of.innermost || of.operands.data_tests == 0 || serial || !of.calls.is_empty() {
        return None;
    }
    let work = of.work.as_ref().filter(|w| w.flop > 0 && !w.flop_is_bound)?;
    let passes = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)? as f64;
    let in_code = f64::from(of.flop_per_iteration.values().sum::<u32>());
    let executed = work.flop as f64 / passes;
    let part = executed / in_code.max(1.0);
    if in_code < HEAVY || !EXECUTED.contains(&part) {
        return None;
    }
    let vectors = vectorising::most(facts, &collected(of, work, passes))?;
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let now = of.self_seconds * ghz * 1e9 / passes;
    let after = now / vectors + facts.core().issue(COLLECTING) * part + 1.0;
    let gain = Gain::of(now / after).hedged(estimates::SEEN).reaching(vectors);
    if gain.likely() < LEAST_GAIN {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            COMPRESS_ACTIVE_ELEMENTS,
            "Collect the elements that need the work, and compute those in vectors: the test keeps the loop scalar",
        )
        .because(Provenance::Counted, Work::Conditional { share: part, flop: in_code });
    let found = facts.dependence(of);
    if let Some(found) = found {
        let fact = Dependences::NotSeen { which: NotSeen::ForbidsVectors, checked: found.into() };
        new = new.because(Provenance::Counted, fact);
    }
    let new = new
        .because(Provenance::Modelled, Expected::between(Change::VectorArithmetic, gain.low(), gain.high()))
        .gain(of.group_share, gain)
        .confidence(if found.is_some() { Confidence::Medium } else { Confidence::Low });
    let new = if found.is_some() { new } else { new.next(facts.collect("dependencies", of)) };
    Some(new.how(vectorising::with_vector_flags(how!(RULE))))
}

/// A loop over the collected elements alone, with what an iteration executes in the mean.
fn collected(of: &LoopFacts, work: &WorkRow, passes: f64) -> LoopFacts {
    let mut plain = usual_path(of, work, passes, work.instructions as f64 / passes);
    plain.instruction_mix.fp_scalar = (work.mix.fp_scalar as f64 / passes).round() as u32;
    plain.operands.data_tests = 0;
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, checked, count, fired, measured, near, scalar_loop, states};
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_binary::facts::{ChainKind, ElementType};

    /// A fifth of 1e8 cells in 4 s needs the 100 operations: 120 cycles in the mean.
    fn cells(change: impl Fn(&mut LoopFacts)) -> Analysis {
        measured(vec![scalar_loop(|l| {
            l.instructions = 160;
            l.flop_per_iteration = [(ElementType::F64, 100)].into();
            (l.instruction_mix.fp_scalar, l.instruction_mix.branch) = (100, 3);
            l.operands.data_tests = 1;
            count(l, 100, 1_000_000);
            let work = l.work.as_mut().unwrap();
            (work.flop, work.instructions) = (2_000_000_000, 3_500_000_000);
            (work.mix.fp_scalar, work.mix.load, work.mix.store) = (2_000_000_000, 300_000_000, 100_000_000);
            change(l);
        })])
    }

    #[test]
    fn fires_where_a_fifth_of_the_elements_has_the_work() {
        let r = fired(&RULE, &cells(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), (COMPRESS_ACTIVE_ELEMENTS, Confidence::Low));
        assert!(states!(r, Work::Conditional { share, .. } if near(*share, 0.2)), "{:?}", r.said());
        assert!(r.loop_gain.unwrap().likely() > 1.5, "{:?}", r.loop_gain);
        let traced = cells(|l| checked(l, VectorVerdict::Safe, ParallelVerdict::Independent));
        assert_eq!(fired(&RULE, &traced).unwrap().confidence, Confidence::Medium);
    }

    #[test]
    fn silent_where_most_need_it_little_is_done_or_values_are_carried() {
        assert!(fired(&RULE, &cells(|l| l.work.as_mut().unwrap().flop = 8_000_000_000)).is_none());
        let light = |l: &mut LoopFacts| l.flop_per_iteration = [(ElementType::F64, 8)].into();
        assert!(fired(&RULE, &cells(light)).is_none());
        let carried = |l: &mut LoopFacts| l.chains = vec![chain(ChainKind::Recurrence, "xmm3", 8)];
        assert!(fired(&RULE, &cells(carried)).is_none());
        let unsafe_ = |l: &mut LoopFacts| checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
        assert!(fired(&RULE, &cells(unsafe_)).is_none());
        assert!(fired(&RULE, &cells(|l| l.operands.data_tests = 0)).is_none());
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &cells(|l| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &cells(|l| l.work = None)).is_none());
    }
}
