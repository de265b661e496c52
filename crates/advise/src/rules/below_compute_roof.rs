//! Loops whose own arithmetic is the ceiling and that stay well below it: too many other instructions, or waits.

use crate::counted::LEAST_GAIN;
use crate::evidence::Work;
use crate::facts::FIRM_SAMPLES;
use crate::prelude::*;
use crate::rules::{
    carried_dependence, divide_by_invariant, divide_or_root_bound, in_order_fp_sum, latency_bound_chain,
    pointer_chase, tests_in_loop, tiny_callee,
};
use loopwright_analysis::model::{RoofKind, RooflineKind, WorkRow};
use loopwright_binary::facts::{ChainKind, Trait};
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "below-compute-roof",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[
        latency_bound_chain::MORE_ACCUMULATORS,
        carried_dependence::BREAK_RECURRENCE,
        in_order_fp_sum::REORDER_SUM,
        divide_by_invariant::RULE.id,
        divide_or_root_bound::RULE.id,
        pointer_chase::RULE.id,
        tiny_callee::INLINE_CALL,
        tests_in_loop::BRANCH_FREE_BODY,
    ],
    doc: Doc::parse(include_str!("below_compute_roof.md")),
};

/// A loop within two thirds of the ceiling has little to win.
const WELL_BELOW: f64 = 1.5;
/// From here on the core has no room for more instructions: current ones sustain four to six per cycle.
const FULL: f64 = 3.0;
/// Up to here it waits most of the time.
const WAITING: f64 = 1.5;
/// Part of the instructions that are no arithmetic and no access to data, from which on they are the problem.
const OVERHEAD: f64 = 0.4;
/// With a chain that takes so much of the time the loop does not wait for its instructions.
const WAITS: f64 = 0.5;
/// Entries of fewer iterations are over before an unrolled body of four has begun, and its set-up costs more than it saves.
const FEWEST_TO_UNROLL: f64 = 4.0;
/// Conditional branches per iteration beside the loop's own.
const BRANCHY: f64 = 1.5;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let work = of.work.as_ref()?;
    let point = of.roofline.as_ref()?;
    // Integer arithmetic has no measured peak: what is far from every bandwidth is bound by instructions or latency.
    let integer = point.kind == RooflineKind::Integer && point.bound_kind.is_none() && point.bound.is_some();
    let headroom = match point.bound_kind {
        Some(RoofKind::Compute) => point.headroom.filter(|h| *h >= WELL_BELOW)?,
        None if integer => facts.farthest_headroom(of)?,
        _ => return None,
    };
    if !of.innermost || !facts.written_by_user(of) || of.samples < FIRM_SAMPLES || work.mix.call > 0 {
        return None;
    }
    // More than the core can issue (a comparison and its branch are one operation): samples and counts of neighbouring loops
    // were not told apart.
    let cycle = facts.instructions_per_cycle(of).filter(|cycle| *cycle <= facts.core().rename + 1.0)?;
    let share = 1.0 / headroom;
    let standing = if integer {
        Work::OfDeliverableBytes { share }
    } else {
        Work::OfComputeRoof { share, roof: point.bound.clone() }
    };
    let new = facts.about_loop(&RULE, of).because(Provenance::Modelled, standing).because(
        Provenance::Modelled,
        Work::InstructionsPerCycle { per_cycle: cycle, instructions: work.instructions },
    );
    let overhead = overhead(of, work);
    let waits = of.chains.iter().any(|chain| {
        chain.kind != ChainKind::Induction && facts.chain_share(of, chain).is_some_and(|share| share >= WAITS)
    });
    if cycle >= FULL && overhead >= OVERHEAD && !waits {
        return fewer_instructions(new, of, work, overhead, headroom);
    }
    if cycle <= WAITING {
        return overlap(facts, new, of, work, headroom);
    }
    None
}

/// A test of data is a comparison and a branch.
const TEST: f64 = 2.0;

/// Share of the executed instructions that neither compute, nor access data, nor test it.
fn overhead(of: &LoopFacts, work: &WorkRow) -> f64 {
    let mix = &work.mix;
    let tests = f64::from(of.operands.data_tests) * TEST / f64::from(of.instructions.max(1));
    // An instruction from memory is arithmetic and an access: counted twice here, which is the careful side.
    let useful =
        saturating_sum([mix.fp_scalar, mix.fp_vector, mix.int_vector, mix.integer, mix.load, mix.store]);
    1.0 - (useful as f64 / work.instructions.max(1) as f64 + tests).min(1.0)
}

fn fewer_instructions(
    new: Recommendation,
    of: &LoopFacts,
    work: &WorkRow,
    overhead: f64,
    headroom: f64,
) -> Option<Recommendation> {
    let gain = Gain::removing(overhead * estimates::REMOVABLE_OVERHEAD).at_most().capped(headroom);
    let few = of.trip_count.as_ref().and_then(|t| t.mean).is_some_and(|mean| mean < FEWEST_TO_UNROLL);
    if gain.high() < LEAST_GAIN || few {
        return None;
    }
    let part = |n: u64| n as f64 / work.instructions.max(1) as f64;
    Some(
        new.named("fewer-instructions", "Spend fewer instructions on addresses, moves and loop control")
            .because(
                Provenance::Counted,
                Work::Overhead {
                    share: overhead,
                    branches: part(work.mix.branch),
                    shuffles: part(work.mix.shuffle),
                },
            )
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

fn overlap(
    facts: &Facts,
    new: Recommendation,
    of: &LoopFacts,
    work: &WorkRow,
    headroom: f64,
) -> Option<Recommendation> {
    // Tests of the counter are predicted, and an atomic operation waits for its line.
    let by_counter = of.operands.data_tests == 0 && of.operands.position_tests > 0;
    if by_counter || of.traits.contains(&Trait::Atomic) {
        return None;
    }
    let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)?;
    let branches = work.mix.branch as f64 / iterations as f64;
    let gain = Gain::up_to(headroom.min(estimates::OVERLAP_GAIN));
    // All of them mispredicted would not take the time of loops that wait for memory.
    let cycles = facts
        .instructions_per_cycle(of)
        .map_or(0.0, |per_cycle| work.instructions as f64 / iterations as f64 / per_cycle);
    if branches < BRANCHY || cycles > branches * facts.core().mispredict {
        // The rules about chains and about traffic have said, or denied with numbers, what else it waits for.
        return None;
    }
    let title = "This loop waits, probably for mispredicted branches: compute without branches";
    let text = "Turn branches on data into selections (the ternary operator, merge in Fortran, masks), sort or partition the data so that \
        the branch goes the same way for long, or take invariant conditions out of the loop.";
    let new = new
        .named("overlap-waits", title)
        .gain(of.group_share, gain)
        .because(Provenance::Counted, Work::Branches { per_iteration: branches, with_end: false });
    let next = format!("loopwright show asm {}", of.id);
    Some(
        new.confidence(Confidence::Low).next(next).how(
            How::new(text)
                .c(
                    "for (long i = 0; i < n; i++)\n    if (x[i] > 0) y[i] = a * x[i];\n    else y[i] = b * x[i];",
                    "for (long i = 0; i < n; i++)\n    y[i] = (x[i] > 0 ? a : b) * x[i];",
                )
                .fortran(
                    "do i = 1, n\n  if (x(i) > 0) then\n    y(i) = a * x(i)\n  else\n    y(i) = b * x(i)\n  end if\nend do",
                    "do i = 1, n\n  y(i) = merge(a, b, x(i) > 0) * x(i)\nend do",
                ),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{bound_by, chain, count, fired, measured, near, scalar_loop, states};
    use loopwright_analysis::model::Analysis;

    /// `iterations` of `instructions` in 4 s at 3 GHz, half of the roof.
    fn below(iterations: u64, instructions: u32, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        measured(vec![scalar_loop(|l| {
            l.instructions = instructions;
            count(l, 1, iterations);
            bound_by(l, "AVX2 f64", 2.0);
            change(l);
        })])
    }

    #[test]
    fn fires_on_a_core_full_of_addresses() {
        // 4e9 iterations of 12 instructions in 12e9 cycles: 4 per cycle; 5 of 12 are useful.
        let r = fired(&RULE, &below(4_000_000_000, 12, |_| ())).unwrap();
        assert_eq!(r.id, "fewer-instructions");
        assert!(states!(r, Work::Overhead { share, .. } if near(*share, 0.583)), "{:?}", r.said());
        assert!(states!(r, Work::InstructionsPerCycle { per_cycle, .. } if near(*per_cycle, 4.0)));
        assert!(r.loop_gain.unwrap().high() > 1.5 && r.loop_gain.unwrap().high() <= 2.0);
    }

    #[test]
    fn tests_of_data_are_no_overhead() {
        let tests = |n| below(4_000_000_000, 12, |l| l.operands.data_tests = n);
        assert!(fired(&RULE, &tests(0)).is_some());
        assert!(fired(&RULE, &tests(2)).is_none(), "a quarter is left");
    }

    #[test]
    fn silent_on_code_of_a_library() {
        let heap = below(4_000_000_000, 12, |l| {
            l.file = Some("/rustc/abc/library/alloc/src/collections/binary_heap/mod.rs".into());
        });
        assert!(fired(&RULE, &heap).is_none());
    }

    #[test]
    fn fires_on_a_core_that_waits() {
        let straight = below(1_000_000_000, 12, |_| ());
        assert!(fired(&RULE, &straight).is_none(), "what it waits for is not known");
        let branchy = below(1_000_000_000, 12, |l| {
            l.instruction_mix.branch = 3;
            count(l, 1, 1_000_000_000);
        });
        let r = fired(&RULE, &branchy).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("overlap-waits", Confidence::Low));
        assert!(
            r.title.contains("branches")
                && states!(r, Work::Branches { per_iteration, with_end: false } if near(*per_iteration, 3.0))
        );
    }

    #[test]
    fn silent_on_tests_of_the_counter_and_atomic_operations() {
        let branchy = |change: fn(&mut LoopFacts)| {
            let analysis = below(1_000_000_000, 12, |l| {
                l.instruction_mix.branch = 3;
                count(l, 1, 1_000_000_000);
                change(l);
            });
            fired(&RULE, &analysis).is_some()
        };
        assert!(branchy(|l| (l.operands.position_tests, l.operands.data_tests) = (1, 1)));
        assert!(!branchy(|l| l.operands.position_tests = 2));
        assert!(!branchy(|l| l.traits = vec![Trait::Atomic]));
    }

    #[test]
    fn silent_on_entries_too_short_to_unroll() {
        let entries = |each: u64| {
            let mut analysis = below(4_000_000_000, 12, |_| ());
            let trips = analysis.loops[0].trip_count.as_mut().unwrap();
            (trips.entries, trips.mean) = (Some(4_000_000_000 / each), Some(each as f64));
            fired(&RULE, &analysis).is_some()
        };
        assert!(!entries(2) && entries(20));
    }

    #[test]
    fn fires_on_integers_that_drown_in_addresses() {
        let integers = |l: &mut LoopFacts| {
            bound_by(l, "DRAM", 4.0);
            let point = l.roofline.as_mut().unwrap();
            (point.kind, point.bound_kind, point.headroom) = (RooflineKind::Integer, None, None);
            (point.gintops, point.bound) = (point.gflops, Some("instructions or latency".into()));
        };
        let r = fired(&RULE, &below(4_000_000_000, 12, integers)).unwrap();
        assert_eq!(r.id, "fewer-instructions");
        assert!(states!(r, Work::OfDeliverableBytes { share } if near(*share, 0.25)), "{:?}", r.said());
    }

    #[test]
    fn silent_near_the_roof_under_memory_and_without_facts() {
        let near = |l: &mut LoopFacts| bound_by(l, "AVX2 f64", 1.2);
        assert!(fired(&RULE, &below(4_000_000_000, 12, near)).is_none());
        assert!(fired(&RULE, &below(4_000_000_000, 12, |l| bound_by(l, "DRAM", 2.0))).is_none());
        assert!(fired(&RULE, &below(4_000_000_000, 12, |l| l.work = None)).is_none());
        assert!(
            fired(&RULE, &below(2_000_000_000, 12, |_| ())).is_none(),
            "2 per cycle: neither full nor empty"
        );
        assert!(fired(&RULE, &below(7_000_000_000, 6, |_| ())).is_none(), "full of useful instructions");
        let chained = |l: &mut LoopFacts| l.chains = vec![chain(ChainKind::Recurrence, "eax", 2)];
        assert!(fired(&RULE, &below(4_000_000_000, 12, chained)).is_none(), "two of three cycles");
        let mut unknown = below(4_000_000_000, 12, |_| ());
        unknown.machine.as_mut().unwrap().ceilings = None;
        assert!(fired(&RULE, &unknown).is_none(), "no clock");
    }
}
