//! Hot recursive functions.

use crate::evidence::{Calls, Time};
use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{FunctionFacts, Purpose, TreeNode};
use loopwright_binary::facts::ChainKind;
use std::collections::BTreeSet;

/// Id of its recommendation where a search may meet equal arguments.
pub const MEMOISE: &str = super::sort_time::MEMOISE;
/// Id of its recommendation where calls take the time.
pub const CUT_RECURSION: &str = "cut-recursion";

pub(crate) static RULE: Rule = Rule {
    id: "recursive-function",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("recursive_function.md")),
};

/// Share of the time with all that it calls.
const MOST_OF_THE_TIME: f64 = 0.3;
/// Share of its own code.
const ITS_OWN: f64 = 0.1;
/// Longer functions hardly notice the call.
const SHORT: f64 = 40.0;

fn check(facts: &Facts) -> Option<Recommendation> {
    let recursive = recursive(facts.analysis.tree.as_ref()?);
    let is_one = |f: &&FunctionFacts| {
        f.main_module
            && f.file.is_some()
            && f.total_share >= MOST_OF_THE_TIME
            && recursive.contains(&(f.function.as_str(), f.module.as_str()))
            && !loopwright_analysis::purpose::names::is_of_a_library(&f.function)
    };
    let hottest = facts
        .analysis
        .functions
        .iter()
        .filter(is_one)
        .max_by(|a, b| a.self_share.total_cmp(&b.self_share).then_with(|| b.function.cmp(&a.function)))?;
    let outside = purposes::outside_loops(facts, hottest);
    if hottest.self_share < ITS_OWN {
        return None;
    }
    let searches = searches(facts, hottest, &recursive);
    let each = instructions_per_call(hottest);
    let mut new = facts.about_program(&RULE).because(
        Provenance::Measured,
        Calls::Recursive { function: hottest.function.clone(), share: hottest.total_share },
    );
    new.function = Some(hottest.function.clone());
    new.place = place(hottest);
    if let (Some(calls), Some(instructions)) = (hottest.calls, each) {
        let function = hottest.function.clone();
        new = new.because(Provenance::Counted, Calls::CountedCalls { calls, function, instructions });
    } else {
        new = new.next("loopwright tripcounts -- PROG ARGS");
    }
    // What it looks up in tables may have changed since the same arguments were seen.
    let looks_up = facts.analysis.purposes.iter().any(|found| {
        matches!(found.purpose, Purpose::HashTable | Purpose::OrderedContainer)
            && found.callers.iter().any(|caller| caller.function == hottest.function)
    });
    if searches && looks_up {
        return None;
    }
    if searches {
        let (least, most) = estimates::MEMOISED;
        return Some(
            new.named(
                MEMOISE,
                format!("Keep results of {} where equal arguments occur again", hottest.function),
            )
            .saving(hottest.total_share, (least, most))
            .confidence(Confidence::Low)
            .how(how!(RULE, "results")),
        );
    }
    let each = each.filter(|each| *each <= SHORT)?;
    let (least, most) = estimates::CALL_INSTRUCTIONS;
    let part = |instructions: f64| (instructions / each).min(0.5);
    Some(
        new.named(CUT_RECURSION, format!("Handle the smallest cases of {} without calls", hottest.function))
            .because(
                Provenance::Measured,
                Time::OutsideLoops { share: outside, function: hottest.function.clone() },
            )
            .gain(outside, Gain::removing_between(0.0, part(most).max(part(least))))
            .confidence(Confidence::Low)
            .how(how!(RULE, "calls")),
    )
}

/// Names and modules of functions that are on a stack twice.
fn recursive(tree: &TreeNode) -> BTreeSet<(&str, &str)> {
    let mut found = BTreeSet::new();
    let mut path: Vec<(&str, &str)> = Vec::new();
    // Nodes to enter, and where the path is cut before.
    let mut pending: Vec<(usize, &TreeNode)> = vec![(0, tree)];
    while let Some((depth, node)) = pending.pop() {
        path.truncate(depth);
        if node.kind == "function" {
            let key = (node.name.as_str(), node.module.as_str());
            if path.contains(&key) {
                found.insert(key);
            }
            path.push(key);
        }
        let depth = path.len();
        pending.extend(node.children.iter().map(|child| (depth, child)));
    }
    found
}

/// Whether the code calls itself for each of several choices: in a loop, or in one that the compiler wrote out. A walk along pointers
/// meets each node once.
fn searches(facts: &Facts, of: &FunctionFacts, recursive: &BTreeSet<(&str, &str)>) -> bool {
    /// Fewer calls are the two halves of a traversal.
    const CHOICES: u32 = 3;
    let own = || facts.loops_of(of);
    let again = |l: &LoopFacts| {
        let target = |name: &str| recursive.contains(&(name, of.module.as_str()));
        l.calls.iter().any(|call| call.target.as_deref().is_some_and(target))
    };
    let walks = |l: &LoopFacts| l.chains.iter().any(|chain| chain.kind == ChainKind::PointerChase);
    !own().any(walks) && (own().any(again) || of.calls_itself.unwrap_or(0) >= CHOICES)
}

/// Instructions per call of a function whose code was counted as a whole.
pub fn instructions_per_call(of: &FunctionFacts) -> Option<f64> {
    let calls = of.calls.filter(|n| *n > 0)?;
    let whole = of.complete == Some(true) && of.left_alone.is_empty();
    whole.then_some(of.work.as_ref()?.instructions as f64 / calls as f64)
}

/// Where a function is defined.
pub fn place(of: &FunctionFacts) -> Option<String> {
    let file = loopwright_analysis::place::base_name(of.file.as_deref()?);
    Some(format!("{file}:{}", of.line?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, fired, function, program, scalar_loop, states};
    use loopwright_analysis::model::{Analysis, WorkRow};

    fn node(name: &str, kind: &str, children: Vec<TreeNode>) -> TreeNode {
        TreeNode {
            kind: kind.into(),
            name: name.into(),
            loop_id: None,
            module: "app".into(),
            self_seconds: 1.0,
            total_seconds: 2.0,
            children,
        }
    }

    /// `search`, of 40 instructions, takes most of the time and calls itself.
    fn searching() -> Analysis {
        let mut search = function("search", "app", 0.7);
        (search.file, search.line) = (Some("/home/u/game.c".into()), Some(64));
        (search.calls, search.complete) = (Some(1_000_000), Some(true));
        search.work = Some(WorkRow { instructions: 40_000_000, ..WorkRow::default() });
        let inner = node("search", "function", vec![]);
        let tree =
            node("main", "program", vec![node("search", "function", vec![node("l", "loop", vec![inner])])]);
        Analysis { functions: vec![search], tree: Some(tree), ..program() }
    }

    #[test]
    fn fires_on_a_search_with_the_hint_to_keep_results() {
        let mut analysis = searching();
        analysis.loops = vec![scalar_loop(|l| {
            l.function = "search".into();
            l.calls = vec![call(Some("search"))];
        })];
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(
            (r.id.as_str(), r.confidence, r.place.as_deref()),
            (MEMOISE, Confidence::Low, Some("game.c:64"))
        );
        assert!(states!(r, Calls::Recursive { share, .. } if *share == 0.7));
        assert!(states!(r, Calls::CountedCalls { calls: 1_000_000, .. }));
    }

    #[test]
    fn fires_where_the_loop_over_choices_was_written_out_and_not_on_walks_along_pointers() {
        let mut analysis = searching();
        analysis.functions[0].calls_itself = Some(7);
        assert_eq!(fired(&RULE, &analysis).unwrap().id, MEMOISE);
        analysis.loops = vec![scalar_loop(|l| {
            l.function = "search".into();
            l.chains = vec![crate::fixtures::chain(ChainKind::PointerChase, "rax", 5)];
        })];
        assert!(fired(&RULE, &analysis).is_none_or(|r| r.id != MEMOISE));
    }

    #[test]
    fn fires_on_calls_of_a_short_function() {
        let r = fired(&RULE, &searching()).unwrap();
        assert_eq!(r.id, CUT_RECURSION);
        assert!(r.loop_gain.unwrap().high() < 1.5, "12 of 40 instructions");
    }

    #[test]
    fn silent_on_functions_that_do_not_recur_or_take_little() {
        let mut once = searching();
        once.tree = Some(node("main", "program", vec![node("search", "function", vec![])]));
        assert!(fired(&RULE, &once).is_none());
        let mut little = searching();
        little.functions[0].total_share = 0.1;
        assert!(fired(&RULE, &little).is_none());
        let mut long = searching();
        long.functions[0].work.as_mut().unwrap().instructions = 4_000_000_000;
        assert!(fired(&RULE, &long).is_none());
    }

    #[test]
    fn without_counts_it_asks_for_them() {
        let mut analysis = searching();
        analysis.functions[0].calls = None;
        analysis.loops = vec![scalar_loop(|l| {
            l.function = "search".into();
            l.calls = vec![call(Some("search"))];
        })];
        assert!(fired(&RULE, &analysis).unwrap().next.unwrap().contains("tripcounts"));
    }
}
