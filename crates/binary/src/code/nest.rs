//! Natural loops, their nest, and the cycles that are not natural loops.
//!
//! A back edge leads to a block that dominates its source (Aho, Sethi, Ullman, section 10.4); back edges
//! to one header make one loop. Bodies are found from the innermost loop outwards, with found loops
//! collapsed into one node, so that each block is visited once per enclosing loop level at most
//! (as LLVM's `LoopInfo` does it). A cycle that survives the removal of all back edges has no block that
//! dominates it: it is irreducible, and is reported rather than guessed at.

use super::blocks::{BlockId, Graph};
use super::dominators::{Dominators, NONE};

/// A natural loop: one header, with all back edges to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaturalLoop {
    /// The block that dominates the loop.
    pub header: BlockId,
    /// Sources of the back edges.
    pub latches: Vec<BlockId>,
    /// All blocks, inner loops included, sorted.
    pub body: Vec<BlockId>,
    /// Blocks that belong to no inner loop, sorted.
    pub own: Vec<BlockId>,
    /// Index of the enclosing loop.
    pub parent: Option<u32>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Holds no other loop.
    pub innermost: bool,
}

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Outer before inner, in address order of headers.
    pub loops: Vec<NaturalLoop>,
    /// Innermost loop of each block.
    pub innermost: Vec<Option<u32>>,
    /// Irreducible regions: entries and blocks.
    pub irreducible: Vec<(Vec<BlockId>, Vec<BlockId>)>,
    /// Dominators of the graph.
    pub dominators: Dominators,
}

impl Nest {
    /// Finds the loops of `graph`.
    pub fn new(graph: &Graph) -> Self {
        let successors: Vec<_> = graph.blocks.iter().map(|b| b.successors.as_slice()).collect();
        let predecessors: Vec<_> = graph.blocks.iter().map(|b| b.predecessors.as_slice()).collect();
        Self::of(&successors, &predecessors, &graph.roots)
    }

    /// Finds the loops of a graph given as adjacency lists.
    pub fn of(successors: &[&[u32]], predecessors: &[&[u32]], roots: &[u32]) -> Self {
        let n = successors.len();
        let dominators = Dominators::new(successors, predecessors, roots);
        let mut finder = Finder {
            predecessors,
            dominators: &dominators,
            innermost: vec![NONE; n],
            parent: Vec::new(),
            headers: Vec::new(),
        };
        let mut latches = Vec::new();
        // Reverse postorder puts a dominator before what it dominates: backwards, inner before outer.
        for &header in dominators.order.iter().rev() {
            let back: Vec<u32> = predecessors[header as usize]
                .iter()
                .copied()
                .filter(|&p| dominators.dominates(header, p))
                .collect();
            if !back.is_empty() {
                finder.discover(header, &back);
                latches.push(back);
            }
        }
        let Finder { innermost, parent, headers, .. } = finder;
        let (loops, innermost) = order(&headers, latches, &parent, &innermost);
        let irreducible = irreducible_regions(successors, predecessors, roots, &dominators);
        Self { loops, innermost, irreducible, dominators }
    }
}

/// State of the search, inner loops first. Loops are numbered in the order found.
struct Finder<'a> {
    predecessors: &'a [&'a [u32]],
    dominators: &'a Dominators,
    innermost: Vec<u32>,
    parent: Vec<u32>,
    headers: Vec<u32>,
}

impl Finder<'_> {
    fn discover(&mut self, header: u32, back: &[u32]) {
        let this = self.headers.len() as u32;
        self.headers.push(header);
        self.parent.push(NONE);
        let mut work = back.to_vec();
        while let Some(block) = work.pop() {
            let inner = self.innermost[block as usize];
            if inner == NONE {
                if !self.dominators.reachable(block) {
                    continue;
                }
                self.innermost[block as usize] = this;
                if block != header {
                    work.extend(self.predecessors[block as usize]);
                }
                continue;
            }
            let outermost = self.outermost(inner);
            if outermost != this {
                // Collapse the inner loop: what precedes its header precedes it.
                self.parent[outermost as usize] = this;
                work.extend(self.predecessors[self.headers[outermost as usize] as usize]);
            }
        }
        if self.innermost[header as usize] == NONE {
            self.innermost[header as usize] = this;
        }
    }

    fn outermost(&self, mut inner: u32) -> u32 {
        while self.parent[inner as usize] != NONE {
            inner = self.parent[inner as usize];
        }
        inner
    }
}

/// Numbers the loops outer before inner in address order and fills in their blocks.
fn order(
    headers: &[u32],
    latches: Vec<Vec<u32>>,
    parent: &[u32],
    innermost: &[u32],
) -> (Vec<NaturalLoop>, Vec<Option<u32>>) {
    let count = headers.len();
    let mut children = vec![Vec::new(); count];
    let mut tops = Vec::new();
    for k in 0..count {
        if parent[k] == NONE { tops.push(k) } else { children[parent[k] as usize].push(k) }
    }
    let by_header = |list: &mut Vec<usize>| list.sort_by_key(|&k| std::cmp::Reverse(headers[k]));
    let mut sequence = Vec::with_capacity(count);
    by_header(&mut tops);
    let mut stack = tops;
    while let Some(k) = stack.pop() {
        sequence.push(k);
        let mut inner = std::mem::take(&mut children[k]);
        by_header(&mut inner);
        stack.extend(inner);
    }
    let mut number = vec![0u32; count];
    for (new, &old) in sequence.iter().enumerate() {
        number[old] = new as u32;
    }
    let mut latches = latches;
    let mut loops: Vec<NaturalLoop> = Vec::with_capacity(count);
    for &old in &sequence {
        let outer = (parent[old] != NONE).then(|| number[parent[old] as usize]);
        let depth = outer.and_then(|p| loops.get(p as usize)).map_or(1, |p| p.depth + 1);
        if let Some(p) = outer {
            loops[p as usize].innermost = false;
        }
        loops.push(NaturalLoop {
            header: headers[old],
            latches: std::mem::take(&mut latches[old]),
            body: Vec::new(),
            own: Vec::new(),
            parent: outer,
            depth,
            innermost: true,
        });
    }
    let innermost: Vec<_> = innermost.iter().map(|&l| (l != NONE).then(|| number[l as usize])).collect();
    for (block, inner) in innermost.iter().enumerate() {
        if let Some(l) = *inner {
            loops[l as usize].own.push(block as BlockId);
        }
        let mut outer = *inner;
        while let Some(l) = outer {
            loops[l as usize].body.push(block as BlockId);
            outer = loops[l as usize].parent;
        }
    }
    (loops, innermost)
}

/// Cycles that remain when all back edges are taken away.
fn irreducible_regions(
    successors: &[&[u32]],
    predecessors: &[&[u32]],
    roots: &[u32],
    dominators: &Dominators,
) -> Vec<(Vec<BlockId>, Vec<BlockId>)> {
    if dominators.reducible {
        return Vec::new();
    }
    let forward: Vec<Vec<u32>> = successors
        .iter()
        .enumerate()
        .map(|(b, s)| s.iter().copied().filter(|&t| !dominators.dominates(t, b as u32)).collect())
        .collect();
    let mut regions = Vec::new();
    for mut component in components(&forward, &dominators.order) {
        if component.len() < 2 {
            continue;
        }
        component.sort_unstable();
        let inside = |b: &u32| component.binary_search(b).is_ok();
        let entered = |b: &&u32| {
            roots.contains(b)
                || predecessors[**b as usize].iter().any(|p| dominators.reachable(*p) && !inside(p))
        };
        let entries = component.iter().filter(entered).copied().collect();
        regions.push((entries, component));
    }
    regions.sort();
    regions
}

/// Strongly connected components (Tarjan 1972, without recursion).
fn components(successors: &[Vec<u32>], nodes: &[u32]) -> Vec<Vec<u32>> {
    let n = successors.len();
    let (mut index, mut low) = (vec![NONE; n], vec![0u32; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut found, mut clock) = (Vec::new(), Vec::new(), 0);
    for &start in nodes {
        if index[start as usize] != NONE {
            continue;
        }
        let mut calls = vec![(start, 0usize)];
        while let Some(&(v, k)) = calls.last() {
            let v_ = v as usize;
            if k == 0 {
                (index[v_], low[v_]) = (clock, clock);
                clock += 1;
                stack.push(v);
                on_stack[v_] = true;
            }
            if let Some(&w) = successors[v_].get(k) {
                if let Some(top) = calls.last_mut() {
                    top.1 += 1;
                }
                if index[w as usize] == NONE {
                    calls.push((w, 0));
                } else if on_stack[w as usize] {
                    low[v_] = low[v_].min(index[w as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller as usize] = low[caller as usize].min(low[v_]);
            }
            if low[v_] == index[v_] {
                let mut component = Vec::new();
                while let Some(w) = stack.pop() {
                    on_stack[w as usize] = false;
                    component.push(w);
                    if w == v {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
