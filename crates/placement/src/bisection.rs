//! Recursive bisection: the ranks are cut into two halves of the nodes' sizes with few bytes between them, then each half again.
//!
//! A half grows from one rank by the partner that belongs to it most (greedy graph growing: Karypis, Kumar, *A Fast and High Quality
//! Multilevel Scheme for Partitioning Irregular Graphs*, 1998); then pairs of ranks change sides as long as that helps, past small
//! losses (Fiduccia, Mattheyses, *A Linear-Time Heuristic for Improving Network Partitions*, 1982). There is no coarsening: what it
//! would gain, [`crate::swaps`] gains.

use crate::graph::Graph;
use crate::matrix::CommunicationMatrix;
use crate::nodes::Placement;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Passes over a cut: later ones rarely find anything.
const PASSES: usize = 8;
/// Exchanges without a gain after which a pass ends, at least; a part of the ranks of larger cuts.
const PATIENCE: usize = 50;

/// A placement with `room[n]` ranks on node n; `room` has room for exactly the ranks of the matrix.
pub fn bisect(matrix: &CommunicationMatrix, room: &[u32]) -> Placement {
    Placement::new(of_graph(&Graph::of(matrix), room))
}

/// As [`bisect`].
pub(crate) fn of_graph(graph: &Graph, room: &[u32]) -> Vec<u32> {
    let mut work = Work {
        graph,
        side: vec![Side::Elsewhere; graph.len()],
        gain: vec![0; graph.len()],
        locked: vec![false; graph.len()],
        node_of: vec![0; graph.len()],
    };
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    // Halves of halves: the depth is the logarithm of the number of nodes. A list, not recursion, all the same.
    let mut open = vec![(all, 0..room.len())];
    while let Some((ranks, nodes)) = open.pop() {
        if nodes.len() <= 1 || ranks.is_empty() {
            for rank in ranks {
                work.node_of[rank as usize] = nodes.start as u32;
            }
            continue;
        }
        let middle = nodes.start + nodes.len() / 2;
        let left: usize = room[nodes.start..middle].iter().map(|room| *room as usize).sum();
        let (first, second) = work.cut(&ranks, left);
        open.push((second, middle..nodes.end));
        open.push((first, nodes.start..middle));
    }
    work.node_of
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Elsewhere,
    Left,
    Right,
}

impl Side {
    fn other(self) -> Self {
        if self == Self::Left { Self::Right } else { Self::Left }
    }
}

struct Work<'g> {
    graph: &'g Graph,
    side: Vec<Side>,
    gain: Vec<i64>,
    locked: Vec<bool>,
    node_of: Vec<u32>,
}

impl Work<'_> {
    /// Cuts `ranks` into `left` of them and the others.
    fn cut(&mut self, ranks: &[u32], left: usize) -> (Vec<u32>, Vec<u32>) {
        let mut best: Option<(i64, Vec<bool>)> = None;
        for start in self.starts(ranks) {
            self.grow(ranks, left, start);
            let mut bytes = self.bytes(ranks);
            for _ in 0..PASSES {
                let gained = self.pass(ranks);
                bytes -= gained;
                if gained == 0 {
                    break;
                }
            }
            if best.as_ref().is_none_or(|(known, _)| bytes < *known) {
                let sides = ranks.iter().map(|rank| self.side[*rank as usize] == Side::Left);
                best = Some((bytes, sides.collect()));
            }
        }
        let sides = best.map(|(_, sides)| sides).unwrap_or_default();
        let (mut first, mut second) = (Vec::with_capacity(left), Vec::new());
        for (rank, is_left) in ranks.iter().zip(sides) {
            self.side[*rank as usize] = Side::Elsewhere;
            if is_left { first.push(*rank) } else { second.push(*rank) }
        }
        (first, second)
    }

    /// Ranks to grow from: the first one, the one farthest from it, and the one farthest from that.
    fn starts(&mut self, ranks: &[u32]) -> Vec<u32> {
        let mut starts = vec![ranks[0]];
        for _ in 0..2 {
            let from = starts[starts.len() - 1];
            starts.push(self.farthest(ranks, from));
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The rank with most steps to `from`; of ranks without a path one of the first.
    fn farthest(&mut self, ranks: &[u32], from: u32) -> u32 {
        for rank in ranks {
            self.side[*rank as usize] = Side::Right;
        }
        let mut reached = vec![from];
        self.side[from as usize] = Side::Left;
        let mut at = 0;
        while let Some(rank) = reached.get(at).copied() {
            at += 1;
            for edge in self.graph.of_rank(rank) {
                if self.side[edge.to as usize] == Side::Right {
                    self.side[edge.to as usize] = Side::Left;
                    reached.push(edge.to);
                }
            }
        }
        let apart = ranks.iter().copied().find(|rank| self.side[*rank as usize] == Side::Right);
        apart.or(reached.last().copied()).unwrap_or(from)
    }

    /// Makes `left` of the ranks the left side, from `start` on by the bytes with those that are there already.
    fn grow(&mut self, ranks: &[u32], left: usize, start: u32) {
        for rank in ranks {
            self.side[*rank as usize] = Side::Right;
        }
        for rank in ranks {
            let partners = self.graph.of_rank(*rank).iter();
            let inside = partners.filter(|edge| self.side[edge.to as usize] != Side::Elsewhere);
            self.gain[*rank as usize] = -inside.map(|edge| edge.both()).sum::<i64>();
        }
        let mut reached: BinaryHeap<(i64, Reverse<u32>)> = BinaryHeap::new();
        let mut rest = ranks.iter().copied();
        let mut next = Some(start);
        for _ in 0..left {
            let rank = next.take().or_else(|| {
                while let Some((gain, Reverse(rank))) = reached.pop() {
                    let current = self.gain[rank as usize] == gain;
                    if current && self.side[rank as usize] == Side::Right {
                        return Some(rank);
                    }
                }
                rest.find(|rank| self.side[*rank as usize] == Side::Right)
            });
            let Some(rank) = rank else { break };
            self.side[rank as usize] = Side::Left;
            for edge in self.graph.of_rank(rank) {
                if self.side[edge.to as usize] == Side::Right {
                    self.gain[edge.to as usize] += 2 * edge.both();
                    reached.push((self.gain[edge.to as usize], Reverse(edge.to)));
                }
            }
        }
    }

    /// Bytes between the two sides.
    fn bytes(&self, ranks: &[u32]) -> i64 {
        let left = ranks.iter().filter(|rank| self.side[**rank as usize] == Side::Left);
        left.flat_map(|rank| self.graph.of_rank(*rank))
            .filter(|edge| self.side[edge.to as usize] == Side::Right)
            .map(|edge| edge.both())
            .sum()
    }

    /// Moves pairs of ranks to the other sides, each once, the best first; keeps those up to the smallest cut. Returns the bytes that
    /// were gained.
    fn pass(&mut self, ranks: &[u32]) -> i64 {
        let mut heaps = [BinaryHeap::new(), BinaryHeap::new()];
        let of = |side: Side| usize::from(side == Side::Right);
        for rank in ranks {
            let own = self.side[*rank as usize];
            let mut gain = 0;
            for edge in self.graph.of_rank(*rank) {
                match self.side[edge.to as usize] {
                    Side::Elsewhere => {}
                    side if side == own => gain -= edge.both(),
                    _ => gain += edge.both(),
                }
            }
            self.gain[*rank as usize] = gain;
            self.locked[*rank as usize] = false;
            heaps[of(own)].push((gain, Reverse(*rank)));
        }
        let patience = PATIENCE.max(ranks.len() / 20);
        let (mut gained, mut best, mut kept) = (0_i64, 0_i64, 0);
        let mut moved: Vec<u32> = Vec::new();
        while moved.len() < kept + 2 * patience {
            let before = moved.len();
            for from in [Side::Left, Side::Right] {
                let found = loop {
                    let Some((gain, Reverse(rank))) = heaps[of(from)].pop() else { break None };
                    let at = rank as usize;
                    if !self.locked[at] && self.side[at] == from && self.gain[at] == gain {
                        break Some(rank);
                    }
                };
                let Some(rank) = found else { break };
                gained += self.gain[rank as usize];
                self.side[rank as usize] = from.other();
                self.locked[rank as usize] = true;
                moved.push(rank);
                for edge in self.graph.of_rank(rank) {
                    let at = edge.to as usize;
                    if self.side[at] == Side::Elsewhere || self.locked[at] {
                        continue;
                    }
                    // The rank is now on the other side of those that it leaves, and on that of those to which it comes.
                    self.gain[at] += if self.side[at] == from { 2 * edge.both() } else { -2 * edge.both() };
                    heaps[of(self.side[at])].push((self.gain[at], Reverse(edge.to)));
                }
            }
            if moved.len() < before + 2 {
                break;
            }
            if gained > best {
                (best, kept) = (gained, moved.len());
            }
        }
        for rank in &moved[kept..] {
            self.side[*rank as usize] = self.side[*rank as usize].other();
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Sent;

    #[test]
    fn groups_that_talk_among_themselves_stay_together() {
        // Rank r talks to r + 4 and r + 8: four groups of three, and little to the next group.
        let mut sent = Vec::new();
        for rank in 0..12_u32 {
            let mut say = |to, bytes| sent.push(Sent { from: rank, to, messages: 1, bytes });
            say((rank + 4) % 12, 100);
            say((rank + 8) % 12, 100);
            say((rank + 1) % 12, 1);
        }
        let matrix = CommunicationMatrix::new(12, sent).unwrap();
        let placement = bisect(&matrix, &[3, 3, 3, 3]);
        assert_eq!(placement.occupied(4), [3; 4]);
        for rank in 0..4 {
            let node = placement.node_of()[rank];
            assert!(placement.node_of()[rank + 4] == node && placement.node_of()[rank + 8] == node);
        }
    }

    #[test]
    fn nodes_of_any_size_are_filled() {
        let ring = (0..7).map(|from| Sent { from, to: (from + 1) % 7, messages: 1, bytes: 8 }).collect();
        let matrix = CommunicationMatrix::new(7, ring).unwrap();
        for room in [vec![7], vec![1; 7], vec![0, 5, 0, 2], vec![6, 1]] {
            assert_eq!(bisect(&matrix, &room).occupied(room.len()), room);
        }
        let silent = CommunicationMatrix::new(5, Vec::new()).unwrap();
        assert_eq!(bisect(&silent, &[2, 3]).occupied(2), [2, 3]);
    }
}
