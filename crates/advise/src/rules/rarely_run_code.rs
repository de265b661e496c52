//! Loops full of code that hardly any iteration needs: tests of borders and of other rare cases.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Memory};
use crate::prelude::*;
use crate::vectorising;
use loopwright_analysis::model::WorkRow;
use loopwright_binary::facts::{InstructionMix, Trait};

/// Id of its recommendation.
pub const SPLIT_RARE_ITERATIONS: &str = "split-rare-iterations";

pub(crate) static RULE: Rule = Rule {
    id: "rarely-run-code",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("rarely_run_code.md")),
};

/// More executed loads than this share of those in the code: two paths in turn look like that.
const HALF: f64 = 0.5;
/// A loop with fewer loads in its code has not much to leave out.
const LEAST_BYTES: u32 = 64;
/// Executed branches per iteration: the loop's own and one test.
const LEAST_BRANCHES: f64 = 1.9;

/// What one pass executes.
struct Pass {
    passes: f64,
    instructions: f64,
    branches: f64,
    /// Share of the code's loaded bytes.
    loaded: f64,
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || of.exits > 1 || !of.calls.is_empty() || of.idiom.is_some() {
        return None;
    }
    let work = of.work.as_ref().filter(|w| !w.flop_is_bound)?;
    let pass = pass(of, work)?;
    let masked = of.vectorized && of.traits.contains(&Trait::Masked);
    // A test of the data has no border at which iterations could be split off.
    if !masked && !tests_position(of) {
        return None;
    }
    if pass.loaded > HALF || (of.vectorized && !masked) || (!masked && pass.branches < LEAST_BRANCHES) {
        return None;
    }
    let gain = if masked { packed_gain(work, &pass) } else { scalar_gain(facts, of, work, &pass) };
    if gain.high() < LEAST_GAIN {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .named(SPLIT_RARE_ITERATIONS, title(masked))
            .because(
                Provenance::Counted,
                Memory::LoadsExecuted { share: pass.loaded, tests: (!masked).then_some(pass.branches - 1.0) },
            )
            .because(Provenance::Modelled, Expected::between(Change::UsualPath, gain.low(), gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Low)
            .next(format!("loopwright show source {}", of.id))
            .how(how()),
    )
}

/// The code shows tests inside an iteration, and all of them ask for counters or for values that the loop does not change.
fn tests_position(of: &LoopFacts) -> bool {
    of.operands.position_tests > 0 && of.operands.data_tests == 0
}

/// What made a mask is not known.
fn title(masked: bool) -> &'static str {
    if masked {
        "Most lanes of this loop are off: where the masks ask for the position, split off the iterations at the borders"
    } else {
        "Take the rare cases out of this loop: split off the iterations at the borders, test outside"
    }
}

fn pass(of: &LoopFacts, work: &WorkRow) -> Option<Pass> {
    let passes = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)? as f64;
    let in_code = Some(of.bytes_loaded_per_iteration).filter(|bytes| *bytes >= LEAST_BYTES)?;
    Some(Pass {
        passes,
        instructions: work.instructions as f64 / passes,
        branches: work.mix.branch as f64 / passes,
        loaded: work.bytes_loaded as f64 / passes / f64::from(in_code),
    })
}

/// The usual path becomes a loop without tests: at worst only they vanish, at best it becomes a vector loop.
fn scalar_gain(facts: &Facts, of: &LoopFacts, work: &WorkRow, pass: &Pass) -> Gain {
    let tests = estimates::TEST_INSTRUCTIONS * (pass.branches - 1.0).max(0.0);
    let without_tests = pass.instructions / (pass.instructions - tests).max(pass.instructions / 4.0);
    let usual = || vectorising::most(facts, &usual_path(of, work, pass.passes, pass.instructions - tests));
    let vectors = if facts.forbids_vectors(of) { None } else { usual() };
    Gain::up_to(vectors.unwrap_or(1.0).max(without_tests))
}

/// The loop with what it really executes in one of its passes, in as many instructions.
pub(super) fn usual_path(of: &LoopFacts, work: &WorkRow, passes: f64, instructions: f64) -> LoopFacts {
    let each = |count: u64| (count as f64 / passes).round() as u32;
    let mix = &work.mix;
    let mut usual = of.clone();
    usual.instructions = instructions.round().max(1.0) as u32;
    usual.instruction_mix = InstructionMix {
        load: each(mix.load),
        store: each(mix.store),
        divide: each(mix.divide),
        square_root: each(mix.square_root),
        branch: 1,
        ..InstructionMix::default()
    };
    usual.bytes_loaded_per_iteration = each(work.bytes_loaded);
    usual.bytes_stored_per_iteration = each(work.bytes_stored);
    usual.flop_per_iteration = [(gain::element(of), each(work.flop))].into();
    usual
}

/// All paths are computed: at best all of the loop shrinks to the usual one, at worst only the loads do.
fn packed_gain(work: &WorkRow, pass: &Pass) -> Gain {
    let loads = work.mix.load as f64 / pass.passes / pass.instructions.max(1.0);
    let vanishing = loads.min(1.0) * (1.0 - pass.loaded) * estimates::SWITCHED_OFF;
    Gain::removing(vanishing).reaching(1.0 / pass.loaded.max(0.1))
}

fn how() -> How {
    vectorising::with_vector_flags(how!(RULE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, count, fired_on, near, scalar_loop, states, vector_loop};

    /// A loop with 160 bytes of loads in its code, of which an iteration does `loaded`, with `branches`.
    fn rarely(loaded: u64, branches: u64, change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            (l.instructions, l.bytes_loaded_per_iteration) = (60, 160);
            l.operands.position_tests = 4;
            count(l, 10, 10_000);
            let work = l.work.as_mut().unwrap();
            work.bytes_loaded = loaded * 100_000;
            work.instructions = 25 * 100_000;
            work.mix.load = loaded / 8 * 100_000;
            work.mix.branch = branches * 100_000;
            change(l);
        })
    }

    fn masked(loaded: u64, traits: Vec<Trait>) -> LoopFacts {
        vector_loop(|l| {
            (l.instructions, l.bytes_loaded_per_iteration, l.traits) = (60, 640, traits);
            count(l, 10, 10_000);
            l.work.as_mut().unwrap().bytes_loaded = loaded * 100_000;
        })
    }

    #[test]
    fn fires_on_tests_that_skip_most_of_the_code() {
        let r = fired_on(&RULE, rarely(56, 5, |_| ())).unwrap();
        assert_eq!(r.id, "split-rare-iterations");
        assert!(
            states!(r, Memory::LoadsExecuted { share, tests: Some(tests) } if near(*share, 0.35) && near(*tests, 4.0)),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() == 1.0 && gain.high() > 2.0, "{gain:?}");
    }

    #[test]
    fn fires_on_masks_that_switch_most_lanes_off() {
        let r = fired_on(&RULE, masked(200, vec![Trait::Masked])).unwrap();
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.0 && (gain.high() - 3.2).abs() < 0.01, "{gain:?}");
        assert!(fired_on(&RULE, masked(600, vec![Trait::Masked])).is_none(), "most lanes work");
        assert!(fired_on(&RULE, masked(200, vec![])).is_none());
    }

    #[test]
    fn silent_where_most_of_the_code_runs_or_nothing_is_known() {
        assert!(fired_on(&RULE, rarely(120, 5, |_| ())).is_none());
        assert!(fired_on(&RULE, rarely(56, 1, |_| ())).is_none(), "no test");
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.work = None)).is_none());
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.trip_count = None)).is_none());
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.work.as_mut().unwrap().flop_is_bound = true)).is_none());
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.calls = vec![call(Some("f"))])).is_none());
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.exits = 2)).is_none(), "a search");
        assert!(
            fired_on(&RULE, rarely(16, 5, |l| l.bytes_loaded_per_iteration = 48)).is_none(),
            "a short body"
        );
    }

    #[test]
    fn silent_on_tests_of_the_data_and_where_the_code_does_not_show_what_they_ask_for() {
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.operands.data_tests = 1)).is_none());
        assert!(fired_on(&RULE, rarely(56, 5, |l| l.operands.position_tests = 0)).is_none());
    }

    #[test]
    fn silent_without_counts_and_with_uncounted_masks() {
        assert!(fired_on(&RULE, rarely(56, 5, |l| (l.work, l.trip_count) = (None, None))).is_none());
        let mut bound = masked(200, vec![Trait::Masked]);
        bound.work.as_mut().unwrap().flop_is_bound = true;
        assert!(fired_on(&RULE, bound).is_none());
    }
}
