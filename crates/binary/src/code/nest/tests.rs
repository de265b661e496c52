//! Loops of random graphs against the definitions, computed the slow and obvious way.

use super::Nest;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Graph = Vec<Vec<u32>>;

fn predecessors(successors: &Graph) -> Graph {
    let mut out = vec![Vec::new(); successors.len()];
    for (from, to) in successors.iter().enumerate() {
        to.iter().for_each(|&t| out[t as usize].push(from as u32));
    }
    out
}

fn nest_of(successors: &Graph) -> Nest {
    let predecessors = predecessors(successors);
    let successors: Vec<&[u32]> = successors.iter().map(Vec::as_slice).collect();
    let predecessors: Vec<&[u32]> = predecessors.iter().map(Vec::as_slice).collect();
    Nest::of(&successors, &predecessors, &[0])
}

/// Nodes reachable from `start` without passing `without`.
fn reach(successors: &Graph, start: u32, without: Option<u32>) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    let mut work = vec![start];
    while let Some(n) = work.pop() {
        if Some(n) != without && seen.insert(n) {
            work.extend(&successors[n as usize]);
        }
    }
    seen
}

/// `a` dominates `b` when `b` cannot be reached without `a`.
fn dominates(successors: &Graph, a: u32, b: u32) -> bool {
    let reachable = reach(successors, 0, None);
    reachable.contains(&a) && reachable.contains(&b) && !reach(successors, 0, Some(a)).contains(&b)
}

/// Header and body of every natural loop, by definition.
fn naive_loops(successors: &Graph) -> BTreeSet<(u32, Vec<u32>)> {
    let reachable = reach(successors, 0, None);
    let backwards = predecessors(successors);
    let mut loops = BTreeSet::new();
    for &header in &reachable {
        let latches: Vec<u32> = backwards[header as usize]
            .iter()
            .copied()
            .filter(|&l| dominates(successors, header, l))
            .collect();
        let mut body = BTreeSet::from([header]);
        for latch in &latches {
            body.extend(reach(&backwards, *latch, Some(header)).intersection(&reachable));
        }
        if !latches.is_empty() {
            loops.insert((header, body.into_iter().collect()));
        }
    }
    loops
}

fn graphs() -> impl Strategy<Value = Graph> {
    (1usize..24).prop_flat_map(|n| {
        let node = proptest::collection::btree_set(0..n as u32, 0..3);
        proptest::collection::vec(node.prop_map(|s| s.into_iter().collect::<Vec<u32>>()), n)
    })
}

proptest! {
    #[test]
    fn loops_are_those_of_the_definition(graph in graphs()) {
        let nest = nest_of(&graph);
        let found: BTreeSet<_> = nest.loops.iter().map(|l| (l.header, l.body.clone())).collect();
        prop_assert_eq!(found, naive_loops(&graph));
    }

    #[test]
    fn dominance_is_that_of_the_definition(graph in graphs()) {
        let nest = nest_of(&graph);
        for a in 0..graph.len() as u32 {
            for b in 0..graph.len() as u32 {
                prop_assert_eq!(nest.dominators.dominates(a, b), dominates(&graph, a, b), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn nests_are_proper(graph in graphs()) {
        let nest = nest_of(&graph);
        for (k, l) in nest.loops.iter().enumerate() {
            match l.parent {
                Some(p) => {
                    let outer = &nest.loops[p as usize];
                    prop_assert!((p as usize) < k, "outer before inner");
                    prop_assert_eq!(l.depth, outer.depth + 1);
                    prop_assert!(l.body.iter().all(|b| outer.body.contains(b)));
                    prop_assert!(!outer.own.contains(&l.header));
                }
                None => prop_assert_eq!(l.depth, 1),
            }
            let held = nest.loops.iter().any(|o| o.parent == Some(k as u32));
            prop_assert_eq!(l.innermost, !held);
        }
    }

    /// Every cycle is in a natural loop or in an irreducible region.
    #[test]
    fn no_cycle_is_lost(graph in graphs()) {
        let nest = nest_of(&graph);
        for n in reach(&graph, 0, None) {
            let cyclic = graph[n as usize].iter().any(|&s| reach(&graph, s, None).contains(&n));
            let known = nest.innermost[n as usize].is_some()
                || nest.irreducible.iter().any(|(_, blocks)| blocks.contains(&n));
            prop_assert_eq!(cyclic, known, "node {}", n);
        }
        for (entries, blocks) in &nest.irreducible {
            prop_assert!(entries.len() > 1, "{:?} of {:?}", entries, blocks);
        }
    }
}

/// A chain of nested loops as deep as generated code gets: no recursion, no quadratic time.
#[test]
fn deep_nests_are_found() {
    let n = 20_000u32;
    let graph: Graph =
        (0..n).map(|k| if k + 1 < n { vec![k + 1, k.saturating_sub(1)] } else { vec![] }).collect();
    let nest = nest_of(&graph);
    assert_eq!(nest.loops.len(), n as usize - 2);
}
