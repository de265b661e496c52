//! Loops that find out for each element what to do with it, by calls through pointers to short functions: decide once per block.
//!
//! The time is in the functions, which no loop holds: the rule looks at the program as a whole. A tree of such calls
//! (an expression that is interpreted for each element) is one loop with many calls per element.

use crate::evidence::{Shape, Time};
use crate::facts::{MIN_SAMPLES, MIN_SHARE};
use crate::prelude::*;
use loopwright_analysis::model::FunctionFacts;
use loopwright_binary::facts::Trait;
use loopwright_stats::saturating_sum;

/// Id of its recommendation.
pub const DISPATCH_PER_BLOCK: &str = "dispatch-per-block";

/// Id of another one, which a compiler's reason has as well.
const DEVIRTUALISE_CALL: &str = "devirtualise-call";

pub(crate) static RULE: Rule = Rule {
    id: "dispatch-per-element",
    check: Check::Program(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("dispatch_per_element.md")),
};

/// Longer functions hardly notice the call.
const SHORT: f64 = 48.0;
/// Fewer elements are no loop over data.
const FEWEST_ELEMENTS: u64 = 100_000;
/// Iterations of the data loop, so that blocks are worth it.
const FEWEST_ITERATIONS: f64 = 64.0;
/// Called for fewer of the elements, a function is not what the loop does.
const MOST_ELEMENTS: f64 = 0.2;
/// Less of the time in such functions and the loop is not worth a change.
const LEAST_SHARE: f64 = 0.15;
/// Fewer functions are called for most elements each.
const FEWEST_CASES: usize = 4;
/// Their calls are the loop's, as far as the counts show.
const SAME_CALLS: f64 = 0.7;
/// Instructions of an element that a loop over a block adds: a load, a store, and the counter.
const OF_A_BLOCK: f64 = 3.0;
/// A careful gain below this is not certain.
const SURE_GAIN: f64 = 1.15;

fn check(facts: &Facts) -> Option<Recommendation> {
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let loops = facts.analysis.loops.iter().filter(|l| {
        l.traits.contains(&Trait::IndirectCall)
            && l.total_share >= LEAST_SHARE
            && facts.rebuildable(l)
            && !facts.unoptimised(l)
    });
    let by_share =
        |a: &Recommendation, b: &Recommendation| a.share.unwrap_or(0.0).total_cmp(&b.share.unwrap_or(0.0));
    let blocks = loops.clone().filter_map(|of| per_element(facts, of, ghz)).max_by(by_share);
    blocks.or_else(|| loops.filter_map(|of| interpreter(facts, of, ghz)).max_by(by_share))
}

/// It has no loops but those that hand on to others: a node of a tree that asks its children.
fn goes_straight(facts: &Facts, f: &FunctionFacts) -> bool {
    facts.loops_of(f).all(|l| l.traits.contains(&Trait::IndirectCall))
}

/// Each iteration calls one of many short functions, of which none is called for most of them: steps of a machine, whose order the data
/// decides. They cannot be called for blocks, but they can be cases of a switch, where the state stays in registers.
fn interpreter(facts: &Facts, of: &LoopFacts, ghz: f64) -> Option<Recommendation> {
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref()?);
    if trips.iterations < FEWEST_ELEMENTS
        || (work.mix.call as f64) < (1.0 - MOST_ELEMENTS) * trips.iterations as f64
    {
        return None;
    }
    let called: Vec<(&FunctionFacts, u64)> = facts
        .analysis
        .functions
        .iter()
        .filter(|f| f.module == of.module && f.function != of.function && f.file == of.file)
        .filter(|f| goes_straight(facts, f) && f.self_share >= MIN_SHARE / 4.0)
        .filter_map(|f| Some((f, f.calls?)))
        .collect();
    let calls: f64 = called.iter().map(|(_, n)| *n as f64).sum();
    let instructions =
        called.iter().filter_map(|(f, _)| f.work.as_ref()).map(|w| w.instructions as f64).sum::<f64>();
    let ratio = calls / work.mix.call.max(1) as f64;
    if called.len() < FEWEST_CASES
        || !(SAME_CALLS..=1.0 / SAME_CALLS).contains(&ratio)
        || instructions / calls > SHORT
    {
        return None;
    }
    let share = (of.self_share + called.iter().map(|(f, _)| f.self_share).sum::<f64>()).min(1.0);
    let seconds = of.self_seconds + called.iter().map(|(f, _)| f.self_seconds).sum::<f64>();
    let cycles = seconds * ghz * 1e9 / calls;
    let each = (work.instructions as f64 + instructions) / calls;
    let (least, most) = estimates::CALL_INSTRUCTIONS;
    let left = |vanishing: f64| facts.core().issue((each - vanishing).max(each / 3.0));
    let gain = Gain::between(each / (each - least), (cycles / left(most)).min(estimates::MOST_WITHOUT_CALLS));
    if share < LEAST_SHARE || gain.high() < SURE_GAIN {
        return None;
    }
    let hottest = called.iter().max_by(|a, b| a.0.self_share.total_cmp(&b.0.self_share))?.0;
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                DEVIRTUALISE_CALL,
                "Make the short functions that this loop calls through pointers cases of a switch",
            )
            .because(
                Provenance::Counted,
                Shape::CallsPerElement {
                    elements: trips.iterations,
                    calls: calls / trips.iterations as f64,
                    instructions: instructions / calls,
                    cycles,
                },
            )
            .because(
                Provenance::Measured,
                Time::FunctionShare { share: hottest.self_share, function: hottest.function.clone() },
            )
            .gain(share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE, "switch")),
    )
}

fn per_element(facts: &Facts, of: &LoopFacts, ghz: f64) -> Option<Recommendation> {
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref()?);
    let passes = trips.iterations.max(1) as f64;
    if work.mix.call as f64 / passes < 1.0 - MOST_ELEMENTS {
        return None;
    }
    // The loop over the data: this one, or the one around where this one is over the functions.
    let long =
        |l: &LoopFacts| l.trip_count.as_ref().and_then(|t| t.mean).is_some_and(|m| m >= FEWEST_ITERATIONS);
    let data = std::iter::once(of).chain(facts.around(of)).find(|l| long(l))?;
    let elements = data.trip_count.as_ref()?.iterations;
    if elements < FEWEST_ELEMENTS {
        return None;
    }
    let callees: Vec<(&FunctionFacts, u64)> = facts
        .analysis
        .functions
        .iter()
        .filter(|f| f.module == of.module && f.function != of.function)
        .filter_map(|f| Some((f, f.calls.filter(|n| *n as f64 >= MOST_ELEMENTS * elements as f64)?)))
        .filter(|(f, _)| f.self_share >= MIN_SHARE / 4.0 && f.samples >= MIN_SAMPLES)
        .collect();
    let straight = |f: &FunctionFacts| goes_straight(facts, f);
    let all: f64 = callees.iter().map(|(_, n)| *n as f64).sum();
    let instructions: f64 =
        callees.iter().filter_map(|(f, _)| f.work.as_ref()).map(|w| w.instructions as f64).sum::<f64>() / all;
    if callees.is_empty()
        || !callees.iter().all(|(f, _)| straight(f) && f.work.is_some())
        || instructions > SHORT
    {
        return None;
    }
    let seconds: f64 = callees.iter().map(|(f, _)| f.self_seconds).sum::<f64>() + of.self_seconds;
    let share = callees.iter().map(|(f, _)| f.self_share).sum::<f64>() + of.self_share;
    if share < LEAST_SHARE || share > 1.05 * of.total_share.max(data.total_share) + MIN_SHARE {
        return None;
    }
    let flop = saturating_sum(callees.iter().filter_map(|(f, _)| f.work.as_ref()).map(|w| w.flop));
    let cycles = seconds * ghz * 1e9 / all;
    let core = facts.core();
    let left = (instructions - estimates::CALL_INSTRUCTIONS.0).max(1.0) + OF_A_BLOCK;
    let scalar = core.issue(left);
    let lanes =
        facts.machine().map_or(1.0, |m| m.lanes(m.vector_bits.min(estimates::USUAL_BITS), gain::element(of)));
    let vector = if flop > 0 { scalar / lanes.max(1.0) } else { scalar / 1.5 } / estimates::IN_REGISTERS;
    let gain = Gain::between(cycles / scalar, cycles / vector);
    if gain.low() < SURE_GAIN {
        return None;
    }
    let hottest = callees.iter().max_by(|a, b| a.0.self_share.total_cmp(&b.0.self_share))?.0;
    Some(
        facts
            .about_loop(&RULE, of)
            .named(DISPATCH_PER_BLOCK, "Call for a block of elements, not for each one")
            .because(
                Provenance::Counted,
                Shape::CallsPerElement { elements, calls: all / elements as f64, instructions, cycles },
            )
            .because(
                Provenance::Measured,
                Time::FunctionShare { share: hottest.self_share, function: hottest.function.clone() },
            )
            .because(Provenance::Modelled, Shape::Instead { now: cycles, then: (vector, scalar) })
            .gain(share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, count, fired, function, measured, scalar_loop, states};
    use loopwright_analysis::model::{Analysis, WorkRow};

    /// A loop over 10 million pixels that calls through a pointer; two functions of 15 instructions get 8 calls of each.
    fn interpreted(change: impl FnOnce(&mut LoopFacts, &mut FunctionFacts)) -> Analysis {
        let mut of = scalar_loop(|l| {
            (l.self_share, l.group_share, l.self_seconds, l.total_share) = (0.03, 0.03, 0.3, 0.95);
            l.instruction_mix.call = 1;
            (l.traits, l.calls) = (vec![Trait::IndirectCall], vec![call(None)]);
            count(l, 10, 1_000_000);
        });
        let called = |name: &str| {
            let mut f = function(name, "app", 0.45);
            f.calls = Some(40_000_000);
            f.work = Some(WorkRow { instructions: 600_000_000, flop: 40_000_000, ..WorkRow::default() });
            f
        };
        let mut functions = vec![called("Add::eval"), called("Load::eval")];
        change(&mut of, &mut functions[0]);
        let mut analysis = measured(vec![of]);
        analysis.functions = functions;
        analysis
    }

    #[test]
    fn fires_on_an_expression_that_is_interpreted() {
        let r = fired(&RULE, &interpreted(|_, _| ())).unwrap();
        assert_eq!(r.id, DISPATCH_PER_BLOCK);
        assert!(
            states!(r, Shape::CallsPerElement { elements: 10_000_000, instructions, .. } if *instructions == 15.0),
            "{:?}",
            r.said()
        );
        assert!(r.share.unwrap() > 0.9 && r.loop_gain.unwrap().low() > 2.0);
    }

    #[test]
    fn fires_on_a_machine_with_many_instructions() {
        let mut analysis = interpreted(|l, _| l.file = Some("/home/u/cpu.c".into()));
        analysis.functions = (0..8)
            .map(|k| {
                let mut f = function(&format!("op{k}"), "app", 0.1);
                (f.calls, f.file) = (Some(1_250_000), Some("/home/u/cpu.c".into()));
                f.work = Some(WorkRow { instructions: 25_000_000, ..WorkRow::default() });
                f
            })
            .collect();
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(r.id, DEVIRTUALISE_CALL);
        assert!(r.share.unwrap() > 0.8 && r.loop_gain.unwrap().low() > 1.1, "{:?}", r.loop_gain);
        analysis.functions.truncate(2);
        assert!(fired(&RULE, &analysis).is_none(), "most calls go elsewhere");
    }

    #[test]
    fn a_node_that_asks_its_children_is_no_obstacle() {
        let mut analysis = interpreted(|_, _| ());
        analysis.loops.push(scalar_loop(|l| {
            (l.id, l.group, l.function, l.group_share) = (2, 2, "Add::eval".into(), 0.1);
            l.traits = vec![Trait::IndirectCall];
        }));
        assert!(fired(&RULE, &analysis).is_some());
    }

    #[test]
    fn silent_on_long_functions_loops_inside_and_few_elements() {
        let long = |_: &mut LoopFacts, f: &mut FunctionFacts| {
            f.work.as_mut().unwrap().instructions = 40_000_000_000;
        };
        assert!(fired(&RULE, &interpreted(long)).is_none());
        assert!(fired(&RULE, &interpreted(|l, _| count(l, 10, 1000))).is_none());
        assert!(fired(&RULE, &interpreted(|l, _| l.traits.clear())).is_none());
        let mut looping = interpreted(|_, _| ());
        looping.loops.push(scalar_loop(|l| {
            (l.id, l.group, l.function, l.group_share) = (2, 2, "Add::eval".into(), 0.4);
        }));
        assert!(fired(&RULE, &looping).is_none());
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &interpreted(|l, _| l.work = None)).is_none());
        assert!(fired(&RULE, &interpreted(|_, f| f.work = None)).is_none());
    }
}
