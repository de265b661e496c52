//! Ways through the top-down tree: which loops run which, across calls.
//!
//! A loop's own record knows the loops around it in its function only. The tree, where there is one, knows which loops of other
//! functions ran it, and for how long.

use crate::facts::Facts;
use loopwright_analysis::model::{LoopFacts, TreeNode};
use std::collections::BTreeSet;

/// Loops from the outermost to the innermost above (and at) the loop with most self time.
pub fn path_to_hotspot<'a>(facts: &Facts<'a>) -> Vec<&'a LoopFacts> {
    if let Some(tree) = &facts.analysis.tree {
        let path = path_in_tree(tree, |node| if node.loop_id.is_some() { node.self_seconds } else { 0.0 });
        if !path.is_empty() {
            return path.into_iter().filter_map(|id| facts.loop_by_id(id)).collect();
        }
    }
    // Without a tree the nest within the function is all there is.
    let hottest = facts.analysis.loops.iter().max_by(|a, b| a.self_seconds.total_cmp(&b.self_seconds));
    let mut path: Vec<&LoopFacts> =
        hottest.into_iter().flat_map(|of| std::iter::once(of).chain(facts.ancestors(of))).collect();
    path.reverse();
    path
}

/// Ids of the loops on the way from the root to the node that weighs most, if any weighs something. Iterative: stacks of
/// recursive programs are deep.
fn path_in_tree(root: &TreeNode, weight: impl Fn(&TreeNode) -> f64) -> Vec<u32> {
    let mut nodes: Vec<(&TreeNode, Option<usize>)> = vec![(root, None)];
    let mut hottest: Option<usize> = None;
    let mut next = 0;
    while let Some(&(node, _)) = nodes.get(next) {
        if weight(node) > hottest.map_or(0.0, |h| weight(nodes[h].0)) {
            hottest = Some(next);
        }
        nodes.extend(node.children.iter().map(|child| (child, Some(next))));
        next += 1;
    }
    let mut path = Vec::new();
    let mut at = hottest;
    while let Some(index) = at {
        let (node, parent) = nodes[index];
        path.extend(node.loop_id);
        at = parent;
    }
    path.reverse();
    path
}

/// Loops from the outermost to this one, by the way on which most of its time is spent.
pub fn path_to<'a>(facts: &Facts<'a>, id: u32) -> Option<Vec<&'a LoopFacts>> {
    let root = facts.analysis.tree.as_ref()?;
    let path = path_in_tree(root, |node| if node.loop_id == Some(id) { node.total_seconds } else { 0.0 });
    (!path.is_empty()).then(|| path.into_iter().filter_map(|id| facts.loop_by_id(id)).collect())
}

/// Loop nests with a noticeable part of the time that a loop runs directly or through calls.
pub fn phases(facts: &Facts, id: u32) -> BTreeSet<u32> {
    /// A tenth of the loop's time makes a phase; less is bookkeeping.
    const PART: f64 = 0.1;
    let Some(root) = &facts.analysis.tree else {
        let Some(of) = facts.loop_by_id(id) else { return BTreeSet::new() };
        let inside = facts.analysis.loops.iter().filter(|l| l.parent == Some(id));
        return inside.filter(|l| l.total_share >= PART * of.total_share).map(|l| l.id).collect();
    };
    let mut waiting = vec![root];
    let mut most = BTreeSet::new();
    while let Some(node) = waiting.pop() {
        if node.loop_id == Some(id) {
            let mut below: Vec<&TreeNode> = node.children.iter().collect();
            let mut found = BTreeSet::new();
            while let Some(child) = below.pop() {
                match child.loop_id {
                    Some(nest) if child.total_seconds >= PART * node.total_seconds => {
                        found.insert(nest);
                    }
                    Some(_) => {}
                    None => below.extend(&child.children),
                }
            }
            if found.len() > most.len() {
                most = found;
            }
        }
        waiting.extend(&node.children);
    }
    most
}
