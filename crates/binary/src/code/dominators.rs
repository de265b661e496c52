//! Dominators of a control-flow graph.
//!
//! The iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) over dense
//! arrays; entry times in the dominator tree then answer "does a dominate b" in constant time. Several
//! roots (landing pads, code that nothing is seen to reach) hang below one virtual root.

/// The dominator tree of a graph whose nodes are `0..n`.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Immediate dominator; the virtual root is `n`; `NONE` for unreachable nodes.
    idom: Vec<u32>,
    /// Interval of a node's subtree in a depth-first walk of the tree.
    span: Vec<(u32, u32)>,
    /// Reachable nodes in reverse postorder.
    pub order: Vec<u32>,
    /// Every edge that goes backwards in that order leads to a node that dominates its source: without those
    /// edges the graph has no cycle.
    pub reducible: bool,
}

/// No node.
pub const NONE: u32 = u32::MAX;

impl Dominators {
    /// Computes the tree for the nodes that are reachable from `roots`.
    pub fn new(successors: &[&[u32]], predecessors: &[&[u32]], roots: &[u32]) -> Self {
        let n = successors.len();
        let root = n as u32;
        let order = reverse_postorder(successors, roots);
        let mut number = vec![NONE; n + 1];
        number[n] = 0;
        for (k, &b) in order.iter().enumerate() {
            number[b as usize] = k as u32 + 1;
        }
        let mut idom = vec![NONE; n + 1];
        idom[n] = root;
        let mut is_root = vec![false; n];
        roots.iter().filter_map(|&r| is_root.get_mut(r as usize).map(|f| *f = true)).for_each(drop);
        let mut changed = true;
        while changed {
            changed = false;
            for &b in &order {
                let mut new = if is_root[b as usize] { root } else { NONE };
                for &p in predecessors[b as usize] {
                    if idom[p as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE { p } else { intersect(&idom, &number, p, new) };
                }
                if idom[b as usize] != new {
                    idom[b as usize] = new;
                    changed = true;
                }
            }
        }
        let span = spans(&idom, &order);
        let mut this = Self { idom, span, order, reducible: true };
        let reducible = |&b: &u32| {
            let backwards = |t: u32| number[t as usize] <= number[b as usize];
            successors[b as usize].iter().all(|&t| !backwards(t) || this.dominates(t, b))
        };
        this.reducible = this.order.iter().all(reducible);
        this
    }

    /// Whether every path from a root to `b` passes `a`. False when `b` is unreachable.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        if !self.reachable(a) || !self.reachable(b) {
            return false;
        }
        let (x, y) = (self.span[a as usize], self.span[b as usize]);
        x.0 <= y.0 && y.1 <= x.1
    }

    /// Whether a path from a root leads to `node`.
    pub fn reachable(&self, node: u32) -> bool {
        self.idom.get(node as usize).is_some_and(|&d| d != NONE)
    }
}

fn intersect(idom: &[u32], number: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while number[a as usize] > number[b as usize] {
            a = idom[a as usize];
        }
        while number[b as usize] > number[a as usize] {
            b = idom[b as usize];
        }
    }
    a
}

/// Nodes reachable from `roots`, each before its successors where no cycle prevents it.
pub fn reverse_postorder(successors: &[&[u32]], roots: &[u32]) -> Vec<u32> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack: Vec<(u32, usize)> = Vec::new();
    // The last root first, so that the first root comes first in the reversed order.
    for &root in roots.iter().rev() {
        if seen.get(root as usize).is_none_or(|&s| s) {
            continue;
        }
        seen[root as usize] = true;
        stack.push((root, 0));
        while let Some(top) = stack.last_mut() {
            if let Some(&next) = successors[top.0 as usize].get(top.1) {
                top.1 += 1;
                if !seen[next as usize] {
                    seen[next as usize] = true;
                    stack.push((next, 0));
                }
            } else {
                order.push(top.0);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Intervals of the subtrees in a walk of the tree that visits parents first: with the sizes known, each
/// child takes the next free part of its parent's interval.
fn spans(idom: &[u32], order: &[u32]) -> Vec<(u32, u32)> {
    let mut size = vec![1u32; idom.len()];
    // A dominator comes before what it dominates in reverse postorder.
    for &b in order.iter().rev() {
        size[idom[b as usize] as usize] += size[b as usize];
    }
    let mut span = vec![(0, 0); idom.len()];
    let mut free = vec![0u32; idom.len()];
    for &b in order {
        let parent = idom[b as usize] as usize;
        let start = free[parent];
        free[parent] += size[b as usize];
        free[b as usize] = start + 1;
        span[b as usize] = (start, start + size[b as usize]);
    }
    span
}
