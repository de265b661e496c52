//! Scalar loops that decide several things in every iteration.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Trips, Work};
use crate::prelude::*;
use crate::rules::rarely_run_code;
use crate::vectorising;
use loopwright_binary::facts::ChainKind;
use loopwright_vocabulary::Language;

/// Id of its recommendation.
pub const BRANCH_FREE_BODY: &str = "branch-free-body";

pub(crate) static RULE: Rule = Rule {
    id: "tests-in-loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[rarely_run_code::SPLIT_RARE_ITERATIONS, BRANCH_FREE_BODY],
    doc: Doc::parse(include_str!("tests_in_loop.md")),
};

/// Branches per iteration, the loop's own end included.
const FEWEST_BRANCHES: f64 = 2.5;
/// Entries that show whether a loop always runs to its end.
const ENTRIES: u64 = 4;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let mix = &of.instruction_mix;
    let serial = [ChainKind::Recurrence, ChainKind::PointerChase, ChainKind::InOrderSum];
    // Checks of bounds leave the loop, which no selection replaces.
    let only_checks = facts.language(of) == Some(Language::Rust)
        && of.operands.position_tests + of.operands.data_tests == 0;
    if of.vectorized
        || !of.innermost
        || mix.call > 0
        || mix.fp_scalar == 0
        || of.chains.iter().any(|c| serial.contains(&c.kind))
        || of.exits > 1 && !ends_by_count(facts, of) && !always_to_the_end(of)
        || facts.forbids_vectors(of)
        || skips_most(of)
        || only_checks
    {
        return None;
    }
    let branches = branches(of);
    if branches < FEWEST_BRANCHES {
        return None;
    }
    let gain = gain(facts, of, branches);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let provenance = if of.work.is_some() { Provenance::Counted } else { Provenance::Binary };
    let mut new = facts
        .about_loop(&RULE, of)
        .named(BRANCH_FREE_BODY, "Take the tests out of the loop, or turn them into selects")
        .because(provenance, Work::Branches { per_iteration: branches, with_end: true });
    if of.exits > 1 && !ends_by_count(facts, of) {
        new = new.because(Provenance::Counted, Trips::RanToItsEnd { exits: of.exits });
    }
    Some(
        facts
            .asking_for_counts(new, of)
            .because(Provenance::Modelled, Expected::up_to(Change::NoTests, gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how()),
    )
}

/// A trace followed all exits, and found that none depends on the data: compilers copy the counted end behind several paths.
fn ends_by_count(facts: &Facts, of: &LoopFacts) -> bool {
    facts.dependence(of).is_some_and(|found| found.early_exits.is_empty() && found.unknown.is_empty())
}

/// Instructions that an iteration executes, of those in its code: with less, selects do work for all elements that few need.
const LEAST_EXECUTED: f64 = 0.5;

/// An iteration executes the smaller part of the loop's code. Selects would compute all of it for every element, which compilers do
/// not make of branches over more than a few instructions, and which has to be won back before vectors gain anything.
fn skips_most(of: &LoopFacts) -> bool {
    let executed = || {
        let iterations = of.trip_count.as_ref()?.iterations;
        let work = of.work.as_ref().filter(|_| iterations > 0)?;
        Some(work.instructions as f64 / iterations as f64)
    };
    executed().is_some_and(|executed| executed < LEAST_EXECUTED * f64::from(of.instructions))
}

/// All of its entries made the same number of iterations.
fn always_to_the_end(of: &LoopFacts) -> bool {
    of.trip_count.as_ref().is_some_and(|t| {
        !t.approximate && t.entries.is_some_and(|n| n >= ENTRIES) && t.min.is_some() && t.min == t.max
    })
}

/// Branches per iteration: executed ones where they were counted, else those of the code.
fn branches(of: &LoopFacts) -> f64 {
    let executed = || {
        let iterations = of.trip_count.as_ref()?.iterations;
        (iterations > 0).then(|| of.work.as_ref().map(|w| w.mix.branch as f64 / iterations as f64))?
    };
    executed().unwrap_or_else(|| f64::from(of.instruction_mix.branch))
}

/// From nothing, where the tests hide behind something slower, to a vector loop without them.
fn gain(facts: &Facts, of: &LoopFacts, branches: f64) -> Gain {
    let tests = (estimates::TEST_INSTRUCTIONS * (branches - 1.0)) as u32;
    let mut plain = of.clone();
    plain.instructions = of.instructions.saturating_sub(tests).max(of.instructions / 3).max(1);
    let shorter = f64::from(of.instructions) / f64::from(plain.instructions);
    let vectors = vectorising::most_when(facts, of, &plain);
    Gain::up_to(vectors.unwrap_or(1.0) * shorter)
}

fn how() -> How {
    vectorising::with_vector_flags(how!(RULE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, chain, checked, count, fired_on, near, scalar_loop, states, vector_loop};
    use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};

    fn testing(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            (l.instructions, l.instruction_mix.branch) = (30, 5);
            change(l);
        })
    }

    #[test]
    fn fires_on_several_branches() {
        let r = fired_on(&RULE, testing(|_| ())).unwrap();
        assert_eq!(r.id, "branch-free-body");
        assert!(
            states!(r, Work::Branches { per_iteration, with_end: true } if near(*per_iteration, 5.0)),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() == 1.0 && gain.high() > 2.0, "{gain:?}");
    }

    #[test]
    fn several_exits_are_a_search_unless_counts_say_otherwise() {
        assert!(fired_on(&RULE, testing(|l| l.exits = 2)).is_none());
        let counted = testing(|l| {
            l.exits = 2;
            count(l, 100, 44);
            l.work.as_mut().unwrap().mix.branch = 5 * 4400;
        });
        let r = fired_on(&RULE, counted).unwrap();
        assert!(states!(r, Trips::RanToItsEnd { .. }), "{:?}", r.said());
    }

    #[test]
    fn fires_on_copies_of_the_counted_end_and_names_no_exits() {
        let traced = testing(|l| {
            l.exits = 2;
            checked(l, VectorVerdict::Safe, ParallelVerdict::Independent);
        });
        let r = fired_on(&RULE, traced).unwrap();
        assert!(!states!(r, Trips::RanToItsEnd { .. }), "{:?}", r.said());
    }

    #[test]
    fn silent_on_a_dependence_that_forbids_vectors_and_on_work_that_few_elements_need() {
        let scattered = testing(|l| checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent));
        assert!(fired_on(&RULE, scattered).is_none());
        let executing = |instructions: u64| {
            testing(|l| {
                count(l, 100, 44);
                let work = l.work.as_mut().unwrap();
                (work.mix.branch, work.instructions) = (4 * 4400, instructions * 4400);
            })
        };
        assert!(fired_on(&RULE, executing(28)).is_some());
        assert!(fired_on(&RULE, executing(10)).is_none(), "a third of the code");
    }

    #[test]
    fn executed_branches_count_where_known() {
        let rare = testing(|l| {
            count(l, 100, 44);
            l.work.as_mut().unwrap().mix.branch = 2 * 4400;
        });
        assert!(fired_on(&RULE, rare).is_none(), "one test and the loop's end");
    }

    #[test]
    fn silent_on_vectors_calls_and_recurrences() {
        assert!(fired_on(&RULE, vector_loop(|l| l.instruction_mix.branch = 5)).is_none());
        assert!(
            fired_on(
                &RULE,
                testing(|l| {
                    l.calls = vec![call(Some("f"))];
                    l.instruction_mix.call = 1;
                })
            )
            .is_none()
        );
        assert!(
            fired_on(&RULE, testing(|l| l.chains = vec![chain(ChainKind::Recurrence, "xmm0", 4)])).is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }

    #[test]
    fn without_counts_it_reads_the_code_and_asks_for_them() {
        let r = fired_on(&RULE, testing(|_| ())).unwrap();
        assert!(r.said().iter().any(|e| e.contains("branches") && e.ends_with("(read from the binary)")));
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
