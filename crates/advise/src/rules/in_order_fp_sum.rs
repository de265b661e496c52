//! Floating-point sums kept in source order: the binary shows a scalar register that hands its value from
//! one iteration to the next. Compilers say nothing (GCC) or `CantReorderFPOps` (clang).

use crate::chains;
use crate::counted::LEAST_GAIN;
use crate::evidence::{ChainRole, Compiler, Dependences, Vectors};
use crate::prelude::*;
use crate::producer::Family;
use crate::rules::carried_dependence;
use loopwright_binary::facts::{CarriedChain, Carrier, ChainKind, Trait};
use loopwright_vocabulary::Language;

/// Id of its recommendation.
pub const REORDER_SUM: &str = "reorder-fp-sum";

pub(crate) static RULE: Rule = Rule {
    id: "in-order-fp-sum",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("in_order_fp_sum.md")),
};

/// A chain that takes less than this of the loop's time hides behind something else.
const HIDDEN: f64 = 0.4;

/// The sum that a loop carries in order.
pub fn sum(of: &LoopFacts) -> Option<&CarriedChain> {
    of.chains.iter().find(|c| c.kind == ChainKind::InOrderSum && !c.chooses)
}

/// A maximum or minimum is carried beside the sum and takes as long: it keeps its order for other reasons (NaN and signed zeros).
fn waits_for_a_choice(of: &LoopFacts, sum: &CarriedChain) -> bool {
    let choice = |c: &CarriedChain| c.kind == ChainKind::InOrderSum && c.chooses;
    of.chains.iter().any(|c| choice(c) && c.latency_cycles >= sum.latency_cycles)
}

/// The sum is in memory that the source names: what is in the function's frame is a variable already.
fn is_stored(sum: &CarriedChain) -> bool {
    let frame = |name: &str| name.starts_with("[rsp") || name.starts_with("[rbp");
    matches!(&sum.carrier, Carrier::Memory(name) if !frame(name))
}

/// The sum may be what the loop waits for: most iterations add to it, it is not longer than they take, and the functions that
/// they call do not hide it.
pub fn adds_in_most(facts: &Facts, of: &LoopFacts, sum: &CarriedChain) -> bool {
    let hidden = match facts.chain_share(of, sum) {
        Some(share) => share > facts.possible_share(of) || !of.calls.is_empty() && share < HIDDEN,
        None => chains::waits_for_callees(of),
    };
    !hidden && facts.continued(of, sum) >= chains::MOSTLY
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let chain = sum(of)?;
    if !adds_in_most(facts, of, chain) || waits_for_a_choice(of, chain) {
        return None;
    }
    // Other stores may change what the sum in memory is added to: the order is the least of what keeps vectors away.
    let sums_in_memory = of.chains.iter().filter(|c| matches!(c.carrier, Carrier::Memory(_))).count();
    if is_stored(chain) && of.instruction_mix.store as usize > sums_in_memory {
        return None;
    }
    // A function that is called through a pointer keeps vectors away whatever the order.
    if of.traits.contains(&Trait::IndirectCall) {
        return None;
    }
    // Besides the sum other values are loop-carried: `omp simd` would give wrong results.
    // Nor does a directive fit a loop that its data ends.
    let ends_by_data = facts.dependence(of).is_some_and(|d| !d.early_exits.is_empty());
    if facts.forbids_vectors(of) || ends_by_data {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named(REORDER_SUM, "Let the compiler add this floating-point sum in another order")
        .because(Provenance::Binary, Dependences::chain(chain, ChainRole::Sum));
    new = facts.because_of_cycles(new, of, chain);
    for reason in of.why_not.iter().filter(|w| w.reason == "fp-reduction-order" && w.compiler.is_some()) {
        new = new
            .because(reason.provenance, Compiler::Remark { message: reason.message.clone(), quoted: true });
    }
    if of.compilers.iter().any(|c| c.vectorized) {
        new = new.because(Provenance::Compiler, Compiler::SumLeftScalar);
    }
    let predicted = predict(facts, of);
    // Counted, the sum is so short that it is all end and no middle.
    if of.trip_count.is_some() && predicted.as_ref().is_some_and(|(gain, _)| gain.likely() < LEAST_GAIN) {
        return None;
    }
    if let Some((gain, fact)) = predicted {
        new = new.gain(of.group_share, gain).because(Provenance::Modelled, fact);
        new = facts.asking_for_counts(new, of);
    } else {
        new = new.next("loopwright machine --measure");
    }
    let mut how = if facts.language(of) == Some(Language::Rust) { how_in_rust() } else { how() };
    if is_stored(chain) {
        how.text.insert_str(0, "Keep the sum in a local variable and store it after the loop: it is loaded and stored in each iteration. ");
    }
    if sums_around(facts, of) {
        how.text.push_str(
            " Or keep the order: compute the sums of several iterations of the loop around at once (unroll that loop four to eight times, or make it \
             the inner loop over an array of sums), so that they overlap and fill vectors. No digit changes then, and what they read in common is \
             loaded once.",
        );
        new.also = vec![carried_dependence::BREAK_RECURRENCE.to_owned()];
    }
    // The additions are in order, that is certain; counts show whether the loop waits for them.
    let hidden =
        facts.chain_share(of, chain).is_some_and(|share| !(HIDDEN..=chains::POSSIBLE).contains(&share));
    Some(new.confidence(if hidden { Confidence::Medium } else { Confidence::High }).how(how))
}

/// Iterations of the loop around with a sum each, enough of them to compute some at once.
const SEVERAL_SUMS: f64 = 8.0;

/// The loop around runs one sum after the other.
fn sums_around(facts: &Facts, of: &LoopFacts) -> bool {
    let around = facts.around(of).filter(|l| l.function == of.function && sum(l).is_none());
    around.and_then(|l| l.trip_count.as_ref()?.mean).is_some_and(|mean| mean >= SEVERAL_SUMS)
}

/// Each lane has a chain of its own; clang keeps several vectors of them, GCC one.
fn predict(facts: &Facts, of: &LoopFacts) -> Option<(Gain, Vectors)> {
    let clang = facts.producer(of).is_some_and(|p| matches!(p.family, Family::Clang | Family::Rust));
    let accumulators = if clang { estimates::ACCUMULATORS } else { 1.0 };
    let estimate = gain::vectorise_sum(facts, of, accumulators)?;
    let (gain, sums, bits) = (estimate.gain, estimate.length, estimate.bits);
    let fact = Vectors::PartialSums { sums, bits, low: gain.low(), high: gain.high() };
    Some((gain, fact))
}

/// How to allow it; the remedy of the reason `fp-reduction-order` is the same.
pub fn how() -> How {
    how!(RULE)
}

/// Stable Rust has no flag that allows a sum to be reordered: the partial sums are written down.
fn how_in_rust() -> How {
    how!(RULE, "rust")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        ceilings, chain, fired, fired_on, induction, scalar_loop, states, vector_loop, with_loops,
    };
    use loopwright_analysis::model::CompilerClaim;

    fn sum() -> LoopFacts {
        scalar_loop(|l| l.chains = vec![induction(), chain(ChainKind::InOrderSum, "xmm0", 4)])
    }

    #[test]
    fn a_rust_sum_is_not_told_about_flags_of_c() {
        let mut rust = sum();
        rust.producer = Some("clang LLVM (rustc version 1.95.0)".into());
        rust.file = Some("main.rs".into());
        let r = fired_on(&RULE, rust).unwrap();
        assert!(r.how.text.contains("chunks_exact"), "{}", r.how.text);
        assert!(r.how.flags.iter().all(|f| f.compiler == "rustc") && r.how.c.is_none());
    }

    #[test]
    fn fires_on_a_scalar_sum() {
        let r = fired_on(&RULE, sum()).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("reorder-fp-sum", Confidence::High));
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() >= 1.0 && gain.likely() > 2.5 && gain.high() < 8.0, "{gain:?}");
        assert!(
            states!(r, Dependences::Chain { carrier: Carrier::Register(name), role: ChainRole::Sum, .. } if name == "xmm0")
        );
    }

    #[test]
    fn fires_where_the_compiler_claims_a_vector_loop() {
        let mut l = sum();
        l.compilers =
            vec![CompilerClaim { compiler: "gcc 12.2".into(), vectorized: true, vector_bytes: Some(32) }];
        assert!(fired_on(&RULE, l).unwrap().said().iter().any(|e| e.contains("one by one")));
    }

    #[test]
    fn fires_on_a_sum_in_memory_and_says_so() {
        let r = fired_on(&RULE, scalar_loop(|l| l.chains = vec![chain(ChainKind::InOrderSum, "mem0", 9)]))
            .unwrap();
        assert!(r.how.text.starts_with("Keep the sum in a local variable"));
        assert!(states!(r, Dependences::Chain { carrier: Carrier::Memory(_), .. }));
        let beside_other_stores = scalar_loop(|l| {
            l.chains = vec![chain(ChainKind::InOrderSum, "mem0", 9)];
            l.instruction_mix.store = 2;
        });
        assert!(fired_on(&RULE, beside_other_stores).is_none(), "they may be stores to the sum");
    }

    #[test]
    fn sums_one_after_the_other_may_keep_their_order() {
        let with = |each: u64| {
            let mut inner = sum();
            inner.parent = Some(2);
            let around = scalar_loop(|l| {
                (l.id, l.group, l.innermost, l.group_share) = (2, 2, false, 0.0);
                l.chains.clear();
                crate::fixtures::count(l, 10, each);
            });
            fired(&RULE, &with_loops(vec![inner, around])).unwrap()
        };
        let r = with(100);
        assert!(r.how.text.contains("keep the order") && r.also == ["break-recurrence"]);
        assert!(with(3).also.is_empty());
    }

    #[test]
    fn silent_on_a_maximum_and_on_a_sum_beside_one() {
        let with = |chooses: bool, latency: u32| {
            fired_on(
                &RULE,
                scalar_loop(|l| {
                    let mut other = chain(ChainKind::InOrderSum, "[rsp+0x8]", latency);
                    other.chooses = chooses;
                    l.chains = vec![other, chain(ChainKind::InOrderSum, "xmm0", 4)];
                }),
            )
        };
        assert!(with(true, 11).is_none(), "the maximum takes longer than the sum");
        assert!(with(true, 2).is_some());
        let frame = with(false, 8).unwrap();
        assert!(
            !frame.how.text.starts_with("Keep the sum"),
            "a variable that the compiler had no register for"
        );
        let mut most = sum();
        most.chains.iter_mut().for_each(|c| c.chooses = true);
        assert!(fired_on(&RULE, most).is_none());
    }

    #[test]
    fn memory_bound_sums_promise_less() {
        let mut analysis = with_loops(vec![sum()]);
        let free = fired(&RULE, &analysis).unwrap().loop_gain.unwrap();
        analysis.machine.as_mut().unwrap().ceilings = Some(ceilings());
        assert!(fired(&RULE, &analysis).unwrap().loop_gain.unwrap().low() <= free.low());
    }

    #[test]
    fn counts_tell_how_much_of_the_time_the_chain_takes() {
        let counted = |iterations| {
            let mut sum = sum();
            crate::fixtures::count(&mut sum, 1, iterations);
            fired(&RULE, &crate::fixtures::measured(vec![sum])).unwrap()
        };
        // 4 s at 3 GHz are 3e9 iterations of 4 cycles.
        let waits = counted(3_000_000_000);
        assert_eq!((waits.confidence, &waits.next), (Confidence::High, &None));
        assert!(states!(waits, Dependences::ChainTime { share, .. } if *share > 0.995), "{:?}", waits.said());
        // A chain that takes the time is shorter by the lanes.
        let mut in_cache = sum();
        crate::fixtures::count(&mut in_cache, 3_000_000, 1000);
        crate::fixtures::bound_by(&mut in_cache, "L3", 4.0);
        let mut analysis = crate::fixtures::measured(vec![in_cache]);
        analysis.program.peak_resident_bytes = 1 << 20;
        let consecutive = fired(&RULE, &analysis).unwrap().loop_gain.unwrap();
        // A column is collected element by element, whatever the sum's order.
        analysis.loops[0].strides.iter_mut().for_each(|s| s.bytes = 800);
        let column = fired(&RULE, &analysis).map_or(Gain::NONE, |r| r.loop_gain.unwrap());
        assert!(column.likely() < consecutive.likely(), "{column:?} {consecutive:?}");
        let hidden = counted(300_000_000);
        assert_eq!(hidden.confidence, Confidence::Medium);
        assert!(hidden.loop_gain.unwrap().likely() < 1.5, "{:?}", hidden.loop_gain);
    }

    #[test]
    fn silent_on_sums_in_rare_branches_beside_calls_and_longer_than_the_loop() {
        let counted = |iterations, change: fn(&mut LoopFacts)| {
            let mut sum = sum();
            crate::fixtures::count(&mut sum, 1, iterations);
            change(&mut sum);
            fired(&RULE, &crate::fixtures::measured(vec![sum]))
        };
        assert!(counted(3_000_000_000, |_| ()).is_some());
        assert!(counted(3_000_000_000, |l| l.executions = vec![(0x1210, 90_000_000)]).is_none());
        assert!(counted(6_000_000_000, |_| ()).is_none(), "twice the loop's time");
        let calling = |l: &mut LoopFacts| {
            (l.calls, l.total_seconds, l.callee_share) =
                (vec![crate::fixtures::call(Some("sin"))], 20.0, 0.8);
        };
        assert!(counted(3_000_000_000, calling).is_none());
        let mut uncounted = sum();
        calling(&mut uncounted);
        assert!(fired_on(&RULE, uncounted).is_none());
    }

    #[test]
    fn short_sums_promise_less() {
        let counted = |entries, each| {
            let mut sum = sum();
            crate::fixtures::count(&mut sum, entries, each);
            // Three cycles of 3 GHz per term.
            (sum.self_seconds, sum.total_seconds) =
                ((entries * each) as f64 * 1e-9, (entries * each) as f64 * 1e-9);
            fired_on(&RULE, sum).map_or(1.0, |r| r.loop_gain.unwrap().likely())
        };
        let (short, long) = (counted(1_000_000, 19), counted(1000, 19_000));
        assert!(short < long && short > 1.2 && long > 3.0, "{short} {long}");
        assert_eq!(counted(1000, 2), 1.0);
    }

    #[test]
    fn silent_without_an_in_order_chain() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        assert!(
            fired_on(&RULE, vector_loop(|l| l.chains = vec![chain(ChainKind::VectorReduction, "ymm0", 4)]))
                .is_none()
        );
    }

    #[test]
    fn silent_where_another_dependence_forbids_vectors() {
        use crate::fixtures::{checked, traced};
        use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};
        let with = |verdict| {
            let mut of = sum();
            checked(&mut of, verdict, ParallelVerdict::Dependent);
            fired(&RULE, &traced(vec![of]))
        };
        assert!(with(VectorVerdict::SafeWithReductions).is_some());
        assert!(with(VectorVerdict::Unsafe).is_none(), "`omp simd` would be wrong");
    }

    #[test]
    fn without_a_machine_it_asks_for_one() {
        let mut analysis = with_loops(vec![sum()]);
        analysis.machine = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert!(r.loop_gain.is_none());
        assert_eq!(r.next.as_deref(), Some("loopwright machine --measure"));
    }
}
