//! The pieces of one source loop: vector body, peel, remainder, versions.
//!
//! A compiler makes several machine loops of one written loop. They share the inlining chain, the line
//! and the group of the enclosing loop; columns keep two loops that are written on one line apart. Without
//! line information, loops are joined only where structure proves it: one loop's exit leads straight
//! into a narrower or smaller loop with the same induction registers.
//!
//! The widest vector loop (else the most unrolled) is the body. A piece from which the body is still reached
//! within one iteration of the enclosing loop is a peel; a piece that is reached from the body is a
//! remainder; a piece that is an alternative to the body is a version.

use super::blocks::{BlockId, Graph};
use super::nest::Nest;
use super::origin::{Origin, Position};
use crate::facts::{Carrier, LoopCode, LoopRole};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// Most blocks visited to find whether one loop leads to another; beyond that the answer is "no".
const MOST_BLOCKS: usize = 4000;

/// How much of the source loop one machine iteration does: bits of data, as far as known.
fn width(l: &LoopCode) -> u64 {
    let vector = l.vector.as_ref().filter(|_| l.vectorized);
    let lanes = vector.map_or(1, |v| u64::from(v.length) * u64::from(v.unroll));
    let stride = l.strides.iter().map(|s| s.bytes.unsigned_abs()).max().unwrap_or(0);
    lanes * 1_000_000 + stride.min(999_999)
}

/// Assigns groups and roles.
pub fn assign(graph: &Graph, nest: &Nest, loops: &mut [LoopCode], origins: &[Origin]) {
    let mut next = 0;
    let mut group: Vec<u32> = vec![0; loops.len()];
    // Outer loops come first, so that the group of the parent is known.
    type Key = (Vec<u32>, Position, Option<u32>);
    let mut by_line: HashMap<Key, Vec<usize>> = HashMap::default();
    for k in 0..loops.len() {
        let parent = loops[k].parent.map(|p| group[p as usize]);
        let joined = match origins[k].position {
            Some(p) => {
                let key = (origins[k].chain.clone(), Position { column: 0, ..p }, parent);
                let peers = by_line.entry(key).or_default();
                let same = peers.iter().copied().find(|&o| same_statement(&origins[o], &origins[k]));
                peers.push(k);
                same
            }
            None => (0..k).rev().take(8).find(|&o| continues(graph, nest, loops, o, k)),
        };
        group[k] = joined.map_or_else(
            || {
                next += 1;
                next - 1
            },
            |o| group[o],
        );
    }
    for k in 0..loops.len() {
        if let Some(o) = lost_line(graph, nest, loops, origins, &group, k) {
            group[k] = group[o];
        }
    }
    let mut members: HashMap<u32, Vec<usize>> = HashMap::default();
    for (k, l) in loops.iter_mut().enumerate() {
        l.group = group[k];
        members.entry(group[k]).or_default().push(k);
    }
    // Outer groups first: inner loops need the roles of the loops around them.
    let mut groups: Vec<&Vec<usize>> = members.values().filter(|m| m.len() > 1).collect();
    groups.sort();
    for pieces in groups {
        roles(graph, nest, loops, pieces);
        one_position(loops, pieces);
    }
}

/// Gives all pieces the most precise position among them: vector bodies lose the column of the keyword,
/// remainders keep it.
fn one_position(loops: &mut [LoopCode], pieces: &[usize]) {
    let first = pieces.iter().filter_map(|&k| loops[k].location.clone()).filter(|l| l.column > 0).min();
    if let Some(position) = first {
        for &k in pieces {
            loops[k].location = Some(position.clone());
        }
    }
}

/// Whether two loops on one line are the same statement: unless both have code of their own on that line, in
/// columns of which they share none. (The columns of the control differ between the pieces of one loop.)
fn same_statement(a: &Origin, b: &Origin) -> bool {
    a.columns.is_empty() || b.columns.is_empty() || !a.columns.is_disjoint(&b.columns)
}

/// A vector loop whose control the compiler gave the position of the body: the piece with the statement's line
/// is a sibling whose lines hold this one's, connected by straight control flow.
fn lost_line(
    graph: &Graph,
    nest: &Nest,
    loops: &[LoopCode],
    origins: &[Origin],
    group: &[u32],
    k: usize,
) -> Option<usize> {
    let (l, at) = (&loops[k], origins[k].position?);
    if !l.vectorized || !l.innermost {
        return None;
    }
    let siblings = (k.saturating_sub(8)..(k + 9).min(loops.len())).filter(|&o| o != k);
    let holds = |o: usize| {
        let (other, line) = (&loops[o], origins[o].position.map_or(0, |p| p.line));
        let file = origins[o].position.is_some_and(|p| p.file == at.file);
        let spans = other.lines.is_some_and(|(a, b)| a <= at.line && at.line <= b);
        file && line < at.line && spans && other.parent == l.parent
    };
    let mut related =
        siblings.filter(|&o| holds(o) && group[o] != group[k] && origins[o].chain == origins[k].chain);
    related.find(|&o| leads_to(graph, nest, k, o) || leads_to(graph, nest, o, k))
}

/// Whether loop `b`, which has no line, is the remainder of `a`: both innermost in one loop, `a` vectorised
/// or unrolled, and its exit leads to `b` through straight-line code.
fn continues(graph: &Graph, nest: &Nest, loops: &[LoopCode], a: usize, b: usize) -> bool {
    let (x, y) = (&loops[a], &loops[b]);
    if !x.innermost
        || !y.innermost
        || x.parent != y.parent
        || width(x) <= width(y)
        || y.vectorized && !x.vectorized
    {
        return false;
    }
    let induction = |l: &LoopCode| -> HashSet<Carrier> {
        let chains = l.chains.iter().filter(|c| c.kind == crate::facts::ChainKind::Induction);
        chains.map(|c| c.carrier.clone()).collect()
    };
    if !x.vectorized || induction(x).is_disjoint(&induction(y)) {
        return false;
    }
    leads_to(graph, nest, a, b)
}

/// Whether a few blocks lead from the exit of loop `a` to loop `b`.
fn leads_to(graph: &Graph, nest: &Nest, a: usize, b: usize) -> bool {
    let target = nest.loops[b].header;
    let mut at: Vec<BlockId> = exits(graph, nest, a);
    for _ in 0..4 {
        if at.contains(&target) {
            return true;
        }
        at = at.iter().flat_map(|&e| graph.blocks[e as usize].successors.clone()).collect();
        at.sort_unstable();
        at.dedup();
        at.retain(|e| nest.loops[a].body.binary_search(e).is_err());
    }
    at.contains(&target)
}

fn exits(graph: &Graph, nest: &Nest, index: usize) -> Vec<BlockId> {
    let l = &nest.loops[index];
    let successors = l.body.iter().flat_map(|&b| graph.blocks[b as usize].successors.iter().copied());
    let mut out: Vec<BlockId> = successors.filter(|s| l.body.binary_search(s).is_err()).collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn roles(graph: &Graph, nest: &Nest, loops: &mut [LoopCode], pieces: &[usize]) {
    let Some(&main) =
        pieces.iter().max_by_key(|&&k| (loops[k].vectorized, width(&loops[k]), std::cmp::Reverse(k)))
    else {
        return;
    };
    let after_main = reached(graph, nest, main);
    for &k in pieces {
        loops[k].role = if k == main {
            LoopRole::Body
        } else if nest.loops[k].parent != nest.loops[main].parent {
            // Inner loops of different versions of the enclosing loop: their parents decide.
            loops[k].parent.map_or(LoopRole::Version, |p| match loops[p as usize].role {
                LoopRole::Whole | LoopRole::Body => LoopRole::Version,
                role => role,
            })
        } else if after_main.contains(&nest.loops[k].header) {
            LoopRole::Remainder
        } else if reached(graph, nest, k).contains(&nest.loops[main].header) {
            LoopRole::Peel
        } else {
            LoopRole::Version
        };
    }
}

/// Blocks reached from the exits of a loop within one iteration of the enclosing loop.
fn reached(graph: &Graph, nest: &Nest, index: usize) -> HashSet<BlockId> {
    let enclosing = nest.loops[index].parent.map(|p| &nest.loops[p as usize]);
    let inside = |b: &BlockId| enclosing.is_none_or(|l| *b != l.header && l.body.binary_search(b).is_ok());
    let mut seen = HashSet::default();
    let mut work: Vec<BlockId> = exits(graph, nest, index).into_iter().filter(inside).collect();
    while let Some(b) = work.pop() {
        if seen.len() >= MOST_BLOCKS || !seen.insert(b) {
            continue;
        }
        work.extend(graph.blocks[b as usize].successors.iter().copied().filter(inside));
    }
    seen
}
