//! Places of the counters: as few as possible, where they cost least.
//!
//! Executions of blocks and edges obey Kirchhoff's law: the flow into a block equals the flow out of it.
//! Split each block into its entrance and its exit, add one node for everything outside, and counters are
//! needed only off a spanning tree (Knuth and Stevenson, BIT 13, 1973; Ball and Larus, TOPLAS 16, 1994); a
//! maximum-weight tree keeps the frequent and the costly edges free of them. A call or a computed jump is a
//! flow to the outside, its return a flow from there: nothing is assumed about callees.

use super::trips::{LoopPlan, Technique};
use super::{Region, Slots};
use crate::code::flow::{End, Flow};
use crate::code::liveness::Liveness;
use crate::code::registers::CARRY;
use std::collections::{BTreeMap, BTreeSet};

/// The source of a flow's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A counter.
    Slot(u32),
    /// A sum of differences of an induction register, in units of `step`.
    Induction {
        /// Number of the counter.
        slot: u32,
        /// The amount that one execution adds.
        step: i64,
    },
}

/// An edge of the flow graph.
#[derive(Clone, Copy, Debug)]
pub struct FlowEdge {
    /// Node it leaves.
    pub from: u32,
    /// Node it enters.
    pub to: u32,
    /// Its count, where it is counted.
    pub source: Option<Source>,
    /// The flow that it represents.
    pub what: What,
}

/// Counters of a region.
#[derive(Debug, Default)]
pub struct Counters {
    /// Counter of each block that has one.
    pub blocks: BTreeMap<usize, u32>,
    /// Counter of each edge that has one: block it leaves and target address.
    pub edges: BTreeMap<(usize, u64), u32>,
    /// The equations.
    pub flow: Vec<FlowEdge>,
    /// Number of nodes.
    pub nodes: u32,
}

/// Weight of flows that cannot be counted.
const UNCOUNTABLE: f64 = 1e300;

/// Cost of a counter where flags are live, relative to an increment.
const LIVE_FLAGS: f64 = 6.0;

/// Cost of an additional jump.
const EXTRA_JUMP: f64 = 1.6;

/// Places the counters. `None` when the flows cannot be distinguished.
pub fn place(
    flow: &Flow,
    live: &Liveness,
    region: &Region,
    loops: &mut [LoopPlan],
    slots: &mut Slots,
) -> Option<Counters> {
    let mut out = Counters::default();
    let mut known: BTreeMap<usize, Source> = BTreeMap::new();
    for l in loops.iter_mut() {
        match l.technique {
            Technique::Induction(i) => {
                known.insert(i.block, Source::Induction { slot: l.sum, step: i.step });
            }
            Technique::Register(_) => {
                known.insert(flow.loops[l.index].header, Source::Slot(l.sum));
            }
            Technique::Memory => {
                let header = flow.loops[l.index].header;
                let slot = *out.blocks.entry(header).or_insert_with(|| slots.counter());
                l.header_slot = Some(slot);
                known.insert(header, Source::Slot(slot));
            }
        }
    }
    let graph = Network::new(flow, live, region, &known);
    let tree = graph.spanning_tree();
    out.nodes = graph.nodes;
    for (edge, in_tree) in graph.edges.iter().zip(tree) {
        let mut source = edge.source;
        if source.is_none() && !in_tree {
            match edge.what {
                What::Block(b) => {
                    let slot = slots.counter();
                    out.blocks.insert(b, slot);
                    source = Some(Source::Slot(slot));
                }
                What::Edge(b, target) => {
                    let slot = slots.counter();
                    out.edges.insert((b, target), slot);
                    source = Some(Source::Slot(slot));
                }
                What::Arrival(_) | What::Departure(_) => return None,
            }
        }
        out.flow.push(FlowEdge { from: edge.from, to: edge.to, source, what: edge.what });
    }
    Some(out)
}

/// The meaning of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Executions of a block.
    Block(usize),
    /// Control from a block to an address.
    Edge(usize, u64),
    /// Arrivals at a block from outside.
    Arrival(usize),
    /// Departures from a block to the outside.
    Departure(usize),
}

struct Weighted {
    from: u32,
    to: u32,
    weight: f64,
    what: What,
    source: Option<Source>,
}

struct Network {
    nodes: u32,
    edges: Vec<Weighted>,
}

impl Network {
    fn new(flow: &Flow, live: &Liveness, region: &Region, known: &BTreeMap<usize, Source>) -> Self {
        let mut number = vec![u32::MAX; flow.blocks.len()];
        for (k, &b) in region.blocks.iter().enumerate() {
            number[b] = k as u32;
        }
        let entrance = |b: usize| 1 + 2 * number[b];
        let exit = |b: usize| 2 + 2 * number[b];
        let depth = |b: usize| flow.loops_around(b).filter(|&l| known_loop(flow, region, l)).count() as i32;
        let frequency = |b: usize| 8f64.powi(depth(b).min(12));
        let mut edges = Vec::new();
        let mut departures: BTreeSet<usize> = BTreeSet::new();
        for &b in &region.blocks {
            let block = &flow.blocks[b];
            let cheap = has_cheap_place(flow, live, b);
            edges.push(Weighted {
                from: entrance(b),
                to: exit(b),
                weight: frequency(b) * if cheap { 1.0 } else { LIVE_FLAGS },
                what: What::Block(b),
                source: known.get(&b).copied(),
            });
            let mut edge = |target: u64, share: f64, jump: f64| {
                let to = flow.block_at(target).filter(|&t| region.inside[t]);
                let flags = to.map_or(0, |t| live.entry[t].flags) & !CARRY;
                let rate = frequency(b).min(to.map_or(frequency(b), &frequency)) * share;
                edges.push(Weighted {
                    from: exit(b),
                    to: to.map_or(0, entrance),
                    weight: rate * jump * if flags == 0 { 1.0 } else { LIVE_FLAGS },
                    what: What::Edge(b, target),
                    source: None,
                });
            };
            match block.end {
                End::Fall(t) | End::Jump(t) => edge(t, 1.0, 1.05),
                End::Branch { taken, fall } => {
                    let back = |t: u64| {
                        let to = flow.block_at(t);
                        to.is_some_and(|t| flow.loops_around(b).any(|l| flow.loops[l].header == t))
                    };
                    edge(taken, if back(taken) { 0.9 } else { 0.5 }, EXTRA_JUMP);
                    if taken != fall {
                        edge(fall, if back(fall) { 0.9 } else { 0.5 }, 1.0);
                    }
                }
                End::Call(_) | End::Indirect | End::Return | End::Tail(_) | End::IndirectTail | End::Stop => {
                    departures.insert(b);
                }
            }
        }
        let outside = |from, to, what| Weighted { from, to, weight: UNCOUNTABLE, what, source: None };
        for p in &region.points {
            edges.push(outside(0, entrance(p.block), What::Arrival(p.block)));
        }
        for b in departures {
            edges.push(outside(exit(b), 0, What::Departure(b)));
        }
        Self { nodes: 1 + 2 * region.blocks.len() as u32, edges }
    }

    /// For each edge whether it is in a maximum-weight spanning tree of the edges without known count.
    fn spanning_tree(&self) -> Vec<bool> {
        let mut order: Vec<usize> =
            (0..self.edges.len()).filter(|&e| self.edges[e].source.is_none()).collect();
        order.sort_by(|&a, &b| self.edges[b].weight.total_cmp(&self.edges[a].weight));
        let mut parent: Vec<u32> = (0..self.nodes).collect();
        let mut tree = vec![false; self.edges.len()];
        for e in order {
            let (a, b) = (root(&mut parent, self.edges[e].from), root(&mut parent, self.edges[e].to));
            if a != b {
                parent[a as usize] = b;
                tree[e] = true;
            }
        }
        tree
    }
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

fn known_loop(flow: &Flow, region: &Region, index: usize) -> bool {
    region.inside[flow.loops[index].header]
}

/// Whether there is a place in the block where no flags are live but the carry, which an increment keeps.
fn has_cheap_place(flow: &Flow, live: &Liveness, b: usize) -> bool {
    live.inside(flow, b).iter().any(|l| l.flags & !CARRY == 0)
}

/// Solves the equations for given counter values: the value of each edge of [`Counters::flow`], `None`
/// for a flow that the equations leave open.
pub fn solve(counters: &Counters, value: &dyn Fn(Source) -> Option<i128>) -> Vec<Option<i128>> {
    let mut known: Vec<bool> = counters.flow.iter().map(|e| e.source.is_some()).collect();
    let mut values: Vec<Option<i128>> = counters.flow.iter().map(|e| e.source.and_then(value)).collect();
    let mut at: Vec<Vec<u32>> = vec![Vec::new(); counters.nodes as usize];
    for (k, e) in counters.flow.iter().enumerate() {
        at[e.from as usize].push(k as u32);
        if e.from != e.to {
            at[e.to as usize].push(k as u32);
        }
    }
    let mut work: Vec<u32> = (0..counters.nodes).collect();
    while let Some(node) = work.pop() {
        let edges = &at[node as usize];
        let mut open = edges.iter().filter(|&&k| {
            let e = &counters.flow[k as usize];
            !known[k as usize] && e.from != e.to
        });
        let (Some(&k), None) = (open.next(), open.next()) else { continue };
        let mut balance = Some(0);
        for &j in edges {
            let e = &counters.flow[j as usize];
            if j == k || e.from == e.to {
                continue;
            }
            // Unknown stays unknown.
            balance = match (balance, values[j as usize]) {
                (Some(sum), Some(v)) => Some(if e.to == node { sum + v } else { sum - v }),
                _ => None,
            };
        }
        let e = &counters.flow[k as usize];
        values[k as usize] = balance.map(|v: i128| if e.from == node { v } else { -v });
        known[k as usize] = true;
        work.push(e.from);
        work.push(e.to);
    }
    values
}
