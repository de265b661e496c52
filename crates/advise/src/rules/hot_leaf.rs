//! Hot small functions that no hot loop calls.

use super::recursive_function::{instructions_per_call, place};
use super::tiny_callee;
use crate::counted::LEAST_GAIN;
use crate::evidence::{Calls, Time};
use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{FunctionFacts, TreeNode};
use loopwright_analysis::purpose::names::{is_of_a_library, purpose_of};
use loopwright_binary::facts::Trait;

pub(crate) static RULE: Rule = Rule {
    id: "hot-leaf",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("hot_leaf.md")),
};

/// Of the time, outside its loops.
const NOTICEABLE: f64 = 0.1;
/// Fewer calls take no time.
const MANY_CALLS: u64 = 100_000;

fn check(facts: &Facts) -> Option<Recommendation> {
    let in_hot_loop =
        |f: &FunctionFacts| facts.hot_loops().any(|l| l.module == f.module && l.calls_by_name(&f.function));
    let is_one = |f: &&FunctionFacts| {
        f.main_module
            && f.file.is_some()
            && f.calls.is_some_and(|calls| calls >= MANY_CALLS)
            && f.work.as_ref().is_some_and(|work| work.mix.call == 0)
            && purposes::outside_loops(facts, f) >= NOTICEABLE
            && f.producer
                .as_deref()
                .is_none_or(|p| crate::producer::Producer::parse(p).optimisation() != Some("0"))
            && purpose_of(&f.function).is_none()
            && !in_hot_loop(f)
    };
    let hottest = facts
        .analysis
        .functions
        .iter()
        .filter(is_one)
        .max_by(|a, b| a.self_share.total_cmp(&b.self_share).then_with(|| b.function.cmp(&a.function)))?;
    if only_through_pointers(facts, hottest) {
        return None;
    }
    let each = instructions_per_call(hottest).filter(|each| *each <= tiny_callee::TINY)?;
    let share = purposes::outside_loops(facts, hottest);
    let (least, most) = estimates::CALL_INSTRUCTIONS;
    // The function does something after all: a third of it stays.
    let vanishing = |instructions: f64| (instructions / each).min(0.66);
    let gain = Gain::removing_between(vanishing(least) * estimates::SEEN, vanishing(most));
    if gain.of_program(share).high() < LEAST_GAIN {
        return None;
    }
    let callers = facts.analysis.tree.as_ref().map(|tree| callers(tree, hottest)).unwrap_or_default();
    // A library that calls it back has its own recommendation.
    let own = |name: &&str| {
        let is_one = |f: &&FunctionFacts| f.function == **name && f.main_module;
        !is_of_a_library(name) && facts.analysis.functions.iter().any(|f| is_one(&f))
    };
    if !callers.is_empty() && !callers.iter().any(own) {
        return None;
    }
    let file = |name: &&str| facts.analysis.functions.iter().find(|f| f.function == **name)?.file.clone();
    let elsewhere = callers.iter().filter_map(file).any(|file| Some(file) != hottest.file);
    let mut new = facts.about_program(&RULE);
    new.function = Some(hottest.function.clone());
    new.place = place(hottest);
    let function = || hottest.function.clone();
    Some(
        new.named(
            tiny_callee::INLINE_CALL,
            format!("Let the compiler inline {}, or call it for many items at once", hottest.function),
        )
        .because(Provenance::Measured, Time::OutsideLoops { share, function: function() })
        .because(
            Provenance::Counted,
            Calls::CountedCalls {
                calls: hottest.calls.unwrap_or(0),
                function: function(),
                instructions: each,
            },
        )
        .gain(share, gain)
        .confidence(if elsewhere { Confidence::Medium } else { Confidence::Low })
        .how(how!(RULE)),
    )
}

/// Loops that hold its time call through pointers, and no loop calls it by its name: no compiler can inline it.
fn only_through_pointers(facts: &Facts, of: &FunctionFacts) -> bool {
    let loops = || facts.analysis.loops.iter().filter(|l| l.module == of.module);
    let by_name = loops().any(|l| l.calls_by_name(&of.function));
    let pointers = loops().any(|l| l.traits.contains(&Trait::IndirectCall) && l.total_share >= of.self_share);
    pointers && !by_name
}

/// Functions that call a function, by the samples.
fn callers<'a>(tree: &'a TreeNode, of: &FunctionFacts) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut pending: Vec<(Option<&str>, &TreeNode)> = vec![(None, tree)];
    while let Some((around, node)) = pending.pop() {
        let is_function = node.kind == "function";
        if is_function && node.name == of.function && node.module == of.module {
            found.extend(around);
        }
        let around = if is_function { Some(node.name.as_str()) } else { around };
        pending.extend(node.children.iter().map(|child| (around, child)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, fired, function, program, scalar_loop, states};
    use loopwright_analysis::model::{Analysis, WorkRow};

    fn with_leaf(each: u64) -> Analysis {
        let mut leaf = function("evaluate", "app", 0.5);
        (leaf.file, leaf.line) = (Some("/home/u/evaluate.c".into()), Some(12));
        (leaf.calls, leaf.complete) = (Some(10_000_000), Some(true));
        leaf.work = Some(WorkRow { instructions: each * 10_000_000, ..WorkRow::default() });
        Analysis { functions: vec![leaf], ..program() }
    }

    #[test]
    fn fires_with_counted_calls() {
        let r = fired(&RULE, &with_leaf(20)).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), ("inline-call", Some("evaluate.c:12")));
        assert!(states!(r, Calls::CountedCalls { calls: 10_000_000, .. }));
        assert!((r.loop_gain.unwrap().high() - 2.5).abs() < 1e-9, "12 of 20 instructions: {:?}", r.loop_gain);
    }

    #[test]
    fn silent_where_only_pointers_lead_to_it() {
        let mut through = with_leaf(20);
        through.loops = vec![scalar_loop(|l| {
            (l.calls, l.traits, l.total_share) = (vec![call(None)], vec![Trait::IndirectCall], 0.9);
        })];
        assert!(fired(&RULE, &through).is_none());
    }

    #[test]
    fn silent_on_long_ones_and_on_those_that_a_hot_loop_calls() {
        assert!(fired(&RULE, &with_leaf(400)).is_none());
        let mut called = with_leaf(20);
        called.loops = vec![scalar_loop(|l| l.calls = vec![call(Some("evaluate"))])];
        assert!(fired(&RULE, &called).is_none());
        let mut cold = with_leaf(20);
        cold.functions[0].self_share = 0.05;
        assert!(fired(&RULE, &cold).is_none());
    }

    #[test]
    fn silent_without_counts() {
        let mut uncounted = with_leaf(20);
        uncounted.functions[0].calls = None;
        assert!(fired(&RULE, &uncounted).is_none());
    }
}
