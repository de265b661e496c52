//! The top-down tree of each thread, for the report: where does this thread spend its time, and that one?
//!
//! They are no part of [`crate::model::Analysis`]: most readers look at the program as a whole, and a job of a thousand ranks
//! would carry a thousand trees.

use crate::counts::Builds;
use crate::model::TreeNode;
use crate::resolve::resolve;
use crate::tree::{ContextTime, Growing};
use loopwright_experiment::Facts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Nodes below this share of their thread's time are left out: there are many trees, and they are read side by side.
const SMALLEST_SHARE: f64 = 0.002;

/// Where one thread's time goes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadTree {
    /// MPI rank, when there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rank: Option<u32>,
    /// Process.
    pub pid: u32,
    /// Thread.
    pub tid: u32,
    /// Its name (`comm`); absent where it has none.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub name: String,
    /// Its top-down tree, in the form of the `tree` of the analysis.
    #[schemars(with = "Vec<crate::flat_tree::FlatNode>")]
    #[serde(with = "crate::flat_tree")]
    pub tree: Option<TreeNode>,
}

/// The threads with most time, in descending order.
#[derive(Clone, Debug, Default)]
pub struct ThreadTrees {
    /// Their trees.
    pub threads: Vec<ThreadTree>,
    /// Threads with time that have none here.
    pub left_out: usize,
}

/// Builds the trees of the `most` threads with most time; none when there is only one thread.
pub fn thread_trees(facts: &Facts, most: usize) -> ThreadTrees {
    // By survey and thread: time in its calling contexts, user and kernel.
    let mut contexts: HashMap<(usize, u32), HashMap<u32, (u64, u64)>> = HashMap::new();
    for (survey, facts) in facts.surveys.iter().enumerate() {
        for sample in &facts.facts.samples {
            let thread = contexts.entry((survey, sample.thread)).or_default();
            let (user_ns, kernel_ns) = thread.entry(sample.stack).or_default();
            *(if sample.kernel { kernel_ns } else { user_ns }) += u64::from(sample.weight_ns);
        }
    }
    let total = |stacks: &HashMap<u32, (u64, u64)>| stacks.values().map(|(user, kernel)| user + kernel).sum();
    let mut order: Vec<(u64, (usize, u32))> =
        contexts.iter().map(|(&thread, stacks)| (total(stacks), thread)).filter(|(ns, _)| *ns > 0).collect();
    if order.len() < 2 {
        return ThreadTrees::default();
    }
    order.sort_by_key(|&(ns, thread)| (std::cmp::Reverse(ns), thread));
    let left_out = order.len().saturating_sub(most);
    order.truncate(most);

    let entities = resolve(facts, &Builds::of(facts));
    let name = facts.surveys.first().map(|survey| survey.target.command.join(" "));
    let tree_of = |&(_, (survey, thread)): &(u64, (usize, u32))| {
        let mut spent: Vec<ContextTime> = contexts[&(survey, thread)]
            .iter()
            .map(|(&stack, &(user_ns, kernel_ns))| ContextTime { stack, user_ns, kernel_ns })
            .collect();
        spent.sort_by_key(|spent| spent.stack);
        let mut tree = Growing::new(facts, &entities);
        spent.into_iter().for_each(|spent| tree.add(survey, spent));
        let survey = &facts.surveys[survey];
        let who = &survey.facts.threads[thread as usize];
        ThreadTree {
            rank: survey.target.rank.as_ref().map(|rank| rank.rank),
            pid: who.pid,
            tid: who.tid,
            name: who.name.clone(),
            tree: Some(tree.grown(name.as_deref().unwrap_or_default(), SMALLEST_SHARE)),
        }
    };
    ThreadTrees { threads: order.iter().map(tree_of).collect(), left_out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{function, module, recording, scalar_loop};
    use loopwright_experiment::Run;
    use loopwright_sample::recording::{Rank, Thread};

    fn facts() -> Facts {
        let code = vec![module(vec![
            function(1, "main", (0x100, 0x200), vec![], 1),
            function(2, "work", (0x200, 0x300), vec![scalar_loop(0, (0x210, 0x220), 3)], 1),
        ])];
        let mut recording = recording(&[(&[0x110, 0x210], 6), (&[0x210], 4), (&[0x110], 3)]);
        recording.target.command = vec!["./a".into(), "1".into()];
        recording.threads.push(Thread { pid: 1, tid: 2, name: "worker".into() });
        recording.threads.push(Thread { pid: 1, tid: 3, name: "idle".into() });
        for sample in &mut recording.samples[6..10] {
            sample.thread = 1;
        }
        recording.samples[12].kernel = true;
        let survey = Run { id: 1, target: recording.target.clone(), facts: recording, machine: None, code };
        Facts { surveys: vec![survey], ..Facts::default() }
    }

    /// `name self/total(children)` in milliseconds.
    fn shape(node: &TreeNode) -> String {
        let children: Vec<String> = node.children.iter().map(shape).collect();
        let ms = |seconds: f64| (seconds * 1e3).round();
        format!("{} {}/{}({})", node.name, ms(node.self_seconds), ms(node.total_seconds), children.join(" "))
    }

    #[test]
    fn each_thread_has_its_own_tree_and_the_busiest_comes_first() {
        let trees = thread_trees(&facts(), 64);
        let shown: Vec<(u32, String)> =
            trees.threads.iter().map(|thread| (thread.tid, shape(thread.tree.as_ref().unwrap()))).collect();
        assert_eq!(
            shown,
            [
                (1, "./a 1 0/9(main 2/9(work 0/6(loop at a.c:3 6/6()) [kernel] 1/1()))".to_owned()),
                (2, "./a 1 0/4(work 0/4(loop at a.c:3 4/4()))".to_owned()),
            ]
        );
        assert_eq!(trees.left_out, 0);
        let value = serde_json::to_value(&trees.threads[1]).unwrap();
        assert_eq!(value["name"], "worker");
        assert_eq!((value.get("rank"), value["tree"][2]["loop_id"].as_u64()), (None, Some(1)));
    }

    #[test]
    fn their_number_is_bounded_and_ranks_are_told() {
        let mut facts = facts();
        facts.surveys[0].target.rank =
            Some(Rank { rank: 3, size: 4, launcher: "openmpi".into(), job: "1".into() });
        let trees = thread_trees(&facts, 1);
        assert_eq!((trees.threads.len(), trees.threads[0].rank, trees.left_out), (1, Some(3), 1));
    }

    #[test]
    fn one_thread_needs_no_tree_of_its_own() {
        let mut facts = facts();
        facts.surveys[0].facts.samples.iter_mut().for_each(|sample| sample.thread = 0);
        assert!(thread_trees(&facts, 64).threads.is_empty());
        assert!(thread_trees(&Facts::default(), 64).threads.is_empty());
    }
}
