//! Hot loops that call functions of a few instructions.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Calls, Time};
use crate::prelude::*;
use crate::vectorising;
use loopwright_analysis::model::FunctionFacts;
use loopwright_binary::facts::{ChainKind, InstructionMix};

/// Id of its recommendation.
pub const INLINE_CALL: &str = "inline-call";

pub(crate) static RULE: Rule = Rule {
    id: "tiny-callee",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("tiny_callee.md")),
};

/// Longer functions hardly notice the call.
pub const TINY: f64 = 40.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let work = of.work.as_ref().filter(|w| w.mix.call > 0)?;
    let targets = || of.calls.iter().filter_map(|c| c.target.as_deref());
    let callee = facts
        .analysis
        .functions
        .iter()
        .filter(|f| f.module == of.module && f.function != of.function && targets().any(|t| t == f.function))
        .filter_map(|f| Some((f, each(f)?)))
        .filter(|(_, each)| *each <= TINY)
        .max_by(|a, b| a.0.calls.cmp(&b.0.calls).then(b.0.function.cmp(&a.0.function)));
    let (callee, each) = callee?;
    let calls = callee.calls?;
    // Calls of the loop itself: all that it executed when it calls nothing else.
    let only = targets().all(|t| t == callee.function) && of.calls.iter().all(|c| c.target.is_some());
    let from_here = calls.min(work.mix.call);
    let part = from_here as f64 / calls as f64;
    let share = (of.group_share + callee.self_share * part).min(1.0);
    let instructions = work.instructions as f64 + each * from_here as f64;
    let without = |vanishing: f64| {
        // The function does something after all: a third of it stays.
        let vanishing = vanishing.min(2.0 + each * 0.66);
        instructions / (instructions - (vanishing * from_here as f64).min(instructions * 0.9))
    };
    let seconds = of.self_seconds + callee.self_seconds * part;
    // What a call costs shows in the time of an iteration only where iterations call.
    let passes = of.trip_count.as_ref().map_or(from_here, |counted| counted.iterations);
    let each_calls = only && from_here >= passes / 2;
    let cycles =
        facts.clock_ghz().filter(|_| each_calls).map(|ghz| seconds * ghz * 1e9 / from_here.max(1) as f64);
    // Callers keep no floating-point register across a call, so that values wait in memory; without it, the loop runs at
    // its instructions or at one addition that is carried.
    let core = facts.core();
    let left = core.issue(instructions / without(estimates::CALL_INSTRUCTIONS.1) / from_here.max(1) as f64);
    let waits = cycles.map_or(1.0, |cycles| cycles / left.max(core.add.latency));
    let vectors = vectors_after(facts, of, callee, from_here)
        .filter(|_| only)
        .map(|v| v * without(estimates::CALL_INSTRUCTIONS.1));
    let high = waits
        .max(without(estimates::CALL_INSTRUCTIONS.1))
        .min(estimates::MOST_WITHOUT_CALLS)
        .max(vectors.unwrap_or(1.0));
    let gain = Gain::of(without(estimates::CALL_INSTRUCTIONS.0)).hedged(estimates::SEEN).reaching(high);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let elsewhere = callee.file.is_some() && callee.file != of.file;
    let mut new = facts.about_loop(&RULE, of);
    if let Some(cycles) = cycles {
        let instructions = instructions / from_here.max(1) as f64;
        let calls = (from_here as f64 / passes.max(1) as f64).max(1.0);
        let fact =
            Calls::IterationWithCalls { calls, cycles: cycles * calls, instructions: instructions * calls };
        new = new.because(Provenance::Modelled, fact);
    }
    Some(
        new.named(INLINE_CALL, format!("Let the compiler inline {}", callee.function))
            .because(
                Provenance::Counted,
                Calls::SmallFunction {
                    calls: from_here,
                    at_most: !only,
                    function: callee.function.clone(),
                    instructions: each,
                },
            )
            .because(
                Provenance::Measured,
                Time::FunctionShare { share: callee.self_share, function: callee.function.clone() },
            )
            .because(
                Provenance::Modelled,
                Calls::CallOverhead { instructions: estimates::CALL_INSTRUCTIONS, as_vector_loop: vectors },
            )
            .gain(share, gain)
            .confidence(if only { Confidence::High } else { Confidence::Medium })
            .how(how(elsewhere)),
    )
}

/// What vectors gain once the call is gone, where nothing else keeps them away: arithmetic of both in one body that
/// hands nothing from iteration to iteration, and a callee without loops and calls of its own.
fn vectors_after(facts: &Facts, of: &LoopFacts, callee: &FunctionFacts, calls: u64) -> Option<f64> {
    let (own, inner) = (of.work.as_ref()?, callee.work.as_ref()?);
    let passes = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)?;
    let loops = facts.loops_of(callee).next().is_some();
    let carried = of.chains.iter().any(|c| c.kind != ChainKind::Induction);
    if !of.innermost
        || of.exits > 1
        || calls != passes
        || loops
        || inner.mix.call > 0
        || carried
        || facts.forbids_vectors(of)
    {
        return None;
    }
    let part = calls as f64 / callee.calls.filter(|n| *n > 0)? as f64;
    let each = |own: u64, inner: u64| ((own as f64 + inner as f64 * part) / passes as f64).round() as u32;
    let mut joined = of.clone();
    joined.instructions = each(own.instructions, inner.instructions)
        .saturating_sub(estimates::CALL_INSTRUCTIONS.1 as u32)
        .max(1);
    joined.instruction_mix = InstructionMix {
        load: each(own.mix.load, inner.mix.load),
        store: each(own.mix.store, inner.mix.store),
        divide: each(own.mix.divide, inner.mix.divide),
        square_root: each(own.mix.square_root, inner.mix.square_root),
        ..InstructionMix::default()
    };
    joined.flop_per_iteration = [(gain::element(of), each(own.flop, inner.flop))].into();
    joined.bytes_loaded_per_iteration = each(own.bytes_loaded, inner.bytes_loaded);
    joined.bytes_stored_per_iteration = each(own.bytes_stored, inner.bytes_stored);
    joined.self_seconds = of.self_seconds + callee.self_seconds * part;
    (own.flop + inner.flop > 0).then(|| vectorising::most(facts, &joined)).flatten()
}

/// Instructions per call of a function whose code was counted as a whole.
fn each(of: &FunctionFacts) -> Option<f64> {
    let calls = of.calls.filter(|n| *n > 0)?;
    let whole = of.complete == Some(true) && of.left_alone.is_empty();
    whole.then_some(of.work.as_ref()?.instructions as f64 / calls as f64)
}

fn how(elsewhere: bool) -> How {
    let text = if elsewhere {
        "The function is in another file: move its definition into a header (static inline; Fortran: a module procedure in the same file) or \
         compile and link with -flto, so that the compiler sees it."
    } else {
        "The function is in the same file: the compiler decided against inlining it. See that it is optimised (-O2 or more), that it is \
         static, and that neither noinline nor interposition (-fPIC without -fno-semantic-interposition) forbids it; where all of that holds, \
         it was too large for its number of calls: always_inline (gcc, clang: __attribute__((always_inline)); Rust: #[inline(always)]) \
         overrules that."
    };
    How::new(text)
        .c(
            "double at(const double *g, int n, int i, int j);       /* grid.c */\nfor (int j = 1; j < n; j++) s += at(g, n, i, j);",
            "static inline double at(const double *g, int n, int i, int j)   /* grid.h */\n{ return g[(long)i * n + j]; }\nfor (int j = 1; j < n; j++) s += at(g, n, i, j);",
        )
        .fortran(
            "real(8), external :: at      ! at.f90\ns = s + at(g, n, i, j)",
            "use grid, only: at           ! a module procedure; or compiled with -flto\ns = s + at(g, n, i, j)",
        )
        .flags("gcc, g++, gfortran", "-O3 -march=native -flto")
        .flags("clang, clang++", "-O3 -march=native -flto=thin")
        .flags("rustc", "-C lto=thin (and #[inline] on functions of other crates)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, chain, count, fired, function, near, scalar_loop, states, with_loops};
    use loopwright_analysis::model::{Analysis, Unmeasured, WorkRow};

    /// A loop of 6 instructions that calls `at`, of `each` instructions, in each of 1e6 iterations, and carries a value.
    fn calling(each: u64, change: impl FnOnce(&mut FunctionFacts)) -> Analysis {
        let mut analysis = with_loops(vec![scalar_loop(|l| {
            l.calls = vec![call(Some("at"))];
            l.instruction_mix.call = 1;
            l.chains = vec![chain(ChainKind::Recurrence, "xmm0", 4)];
            count(l, 10, 100_000);
        })]);
        let mut at = function("at", "app", 0.2);
        (at.calls, at.complete, at.file) = (Some(1_000_000), Some(true), Some("/home/u/grid.c".into()));
        at.work = Some(WorkRow { instructions: each * 1_000_000, ..WorkRow::default() });
        change(&mut at);
        analysis.functions = vec![at];
        analysis
    }

    #[test]
    fn vectors_count_where_only_the_call_keeps_them_away() {
        let high = |change: fn(&mut Analysis)| {
            let mut analysis = calling(9, |_| ());
            change(&mut analysis);
            fired(&RULE, &analysis).unwrap().loop_gain.unwrap().high()
        };
        let free = high(|a| a.loops[0].chains.clear());
        assert!(free > 4.0, "four lanes and no call: {free}");
        assert!(high(|_| ()) < free, "carried from iteration to iteration");
        let calls = |a: &mut Analysis| {
            a.loops[0].chains.clear();
            a.functions[0].work.as_mut().unwrap().mix.call = 1_000_000;
        };
        assert!(high(calls) < free, "calls on its own");
    }

    #[test]
    fn fires_with_exact_calls_and_instructions() {
        let r = fired(&RULE, &calling(9, |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("inline-call", Confidence::High));
        assert!(
            states!(r, Calls::SmallFunction { calls: 1_000_000, at_most: false, function, instructions } if function == "at" && near(*instructions, 9.0)),
            "{:?}",
            r.said()
        );
        assert!((r.share.unwrap() - 0.6).abs() < 1e-12, "the loop's 40 % and the callee's 20 %");
        // 15 instructions, of which 2 + 0.66 x 9 may vanish.
        assert!((r.loop_gain.unwrap().high() - 15.0 / (15.0 - 7.94)).abs() < 1e-9, "{:?}", r.loop_gain);
        assert!(r.how.text.contains("another file"));
    }

    #[test]
    fn cycles_that_wait_for_the_call_are_counted_in() {
        let mut analysis = calling(9, |f| {
            f.calls = Some(1_000_000_000);
            f.work.as_mut().unwrap().instructions = 9_000_000_000;
        });
        count(&mut analysis.loops[0], 10, 100_000_000);
        analysis.machine.as_mut().unwrap().ceilings = Some(crate::fixtures::ceilings());
        // 4 s in the loop and 2 s in the callee at 3 GHz: 18 cycles for 15 instructions.
        let r = fired(&RULE, &analysis).unwrap();
        assert!(
            states!(r, Calls::IterationWithCalls { calls, cycles, instructions } if near(*calls, 1.0) && near(*cycles, 18.0) && near(*instructions, 15.0)),
            "{:?}",
            r.said()
        );
        assert_eq!(r.loop_gain.unwrap().high(), estimates::MOST_WITHOUT_CALLS);
    }

    #[test]
    fn several_calls_of_an_iteration_are_counted_together() {
        let mut analysis = calling(9, |f| {
            f.calls = Some(4_000_000_000);
            f.work.as_mut().unwrap().instructions = 36_000_000_000;
        });
        count(&mut analysis.loops[0], 10, 100_000_000);
        analysis.loops[0].work.as_mut().unwrap().mix.call = 4_000_000_000;
        analysis.machine.as_mut().unwrap().ceilings = Some(crate::fixtures::ceilings());
        // 6 s at 3 GHz are 18 cycles of each of 1e9 iterations, which call four times.
        let r = fired(&RULE, &analysis).unwrap();
        assert!(
            states!(r, Calls::IterationWithCalls { calls, cycles, .. } if near(*calls, 4.0) && near(*cycles, 18.0)),
            "{:?}",
            r.said()
        );
    }

    #[test]
    fn calls_from_elsewhere_are_not_charged_to_this_loop() {
        let r = fired(
            &RULE,
            &calling(9, |f| {
                f.calls = Some(4_000_000);
                f.work.as_mut().unwrap().instructions = 36_000_000;
            }),
        )
        .unwrap();
        assert!((r.share.unwrap() - 0.45).abs() < 1e-12);
    }

    #[test]
    fn silent_on_long_foreign_and_uncounted_callees() {
        assert!(fired(&RULE, &calling(500, |_| ())).is_none());
        assert!(fired(&RULE, &calling(9, |f| f.module = "libm.so.6".into())).is_none());
        assert!(fired(&RULE, &calling(9, |f| f.calls = None)).is_none());
        assert!(fired(&RULE, &calling(9, |f| f.complete = Some(false))).is_none());
        assert!(fired(&RULE, &calling(9, |f| f.left_alone = vec![Unmeasured::OtherLoops])).is_none());
        assert!(fired(&RULE, &calling(9, |f| f.function = "other".into())).is_none());
        let mut uncounted = calling(9, |_| ());
        uncounted.loops[0].work = None;
        assert!(fired(&RULE, &uncounted).is_none());
    }

    #[test]
    fn silent_without_counted_calls_of_either_side() {
        assert!(fired(&RULE, &calling(9, |f| f.calls = None)).is_none());
        assert!(fired(&RULE, &calling(9, |f| f.work = None)).is_none());
        let mut analysis = calling(9, |_| ());
        analysis.loops[0].work = None;
        assert!(fired(&RULE, &analysis).is_none());
    }
}
