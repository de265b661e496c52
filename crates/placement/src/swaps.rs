//! Swaps of two ranks on different nodes: first those that lower the bytes between nodes, then those that lower the busiest link.
//!
//! Pairs of nodes are taken one after the other. A swap between two nodes changes the links of these two only: what a third node sends
//! to either of them leaves it before and after. Between two nodes several swaps are made in a row, past ones that lose, and those
//! up to the best state are kept (Kernighan, Lin, *An Efficient Heuristic Procedure for Partitioning Graphs*, 1970).

use crate::graph::Graph;
use crate::matrix::CommunicationMatrix;
use crate::nodes::Placement;

/// Ranks of a node that are considered for a swap with another one: those with most to gain.
const CONSIDERED: usize = 32;
/// Swaps in a row between two nodes.
const IN_A_ROW: usize = 6;
/// Nodes with which ranks of one node are swapped: those to which it sends most.
const PARTNERS: usize = 12;
/// And those with the least busy links, to which load can go.
const LIGHT: usize = 4;
/// Rounds over all nodes.
const ROUNDS: usize = 12;
/// Comparisons of two ranks, and partners that are looked at, after which a search ends: about a second.
const EFFORT: u64 = 250_000_000;

/// The placement after swaps; as many ranks are on each node as before. It may be worse by [`crate::cost::Costs::objective`] where the
/// matrix has more than 2^60 bytes: whoever asks compares.
pub fn improve(matrix: &CommunicationMatrix, placement: &Placement, nodes: usize) -> Placement {
    Placement::new(of_graph(&Graph::of(matrix), placement.node_of(), nodes))
}

/// As [`improve`].
pub(crate) fn of_graph(graph: &Graph, node_of: &[u32], nodes: usize) -> Vec<u32> {
    let mut best = (State::new(graph, node_of.to_vec(), nodes).objective(), node_of.to_vec());
    // A lower sum first leads to better states, but to some from which no swap lowers the busiest link.
    for aims in [&[Aim::Sum, Aim::Busiest][..], &[Aim::Busiest]] {
        let mut state = State::new(graph, node_of.to_vec(), nodes);
        for aim in aims {
            state.changed.fill(true);
            for _ in 0..ROUNDS {
                if !state.round(*aim) {
                    break;
                }
            }
            let objective = state.objective();
            if objective < best.0 {
                best = (objective, state.node_of.clone());
            }
        }
    }
    best.1
}

/// What swaps are to lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    Sum,
    Busiest,
}

/// What is compared: the smaller the better.
type Key = (i64, i64);

/// Egress and ingress of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Links {
    egress: [i64; 2],
    ingress: [i64; 2],
}

impl Links {
    fn key(&self, aim: Aim) -> Key {
        let busiest = self.egress.into_iter().chain(self.ingress).max().unwrap_or(0);
        let sum = self.egress[0] + self.egress[1];
        match aim {
            Aim::Sum => (sum, busiest),
            Aim::Busiest => (busiest, sum),
        }
    }
}

/// Bytes of one rank: to and from each of the two nodes, and to and from all others.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    out: [i64; 2],
    back: [i64; 2],
    all_out: i64,
    all_back: i64,
}

impl Row {
    /// What moving to the other node would take off the links, by itself.
    fn gain(&self, own: usize) -> i64 {
        self.out[1 - own] + self.back[1 - own] - self.out[own] - self.back[own]
    }
}

struct State<'g> {
    graph: &'g Graph,
    node_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    egress: Vec<i64>,
    ingress: Vec<i64>,
    /// Place of a rank among those that are looked at now; [`NOWHERE`] for all others.
    place: Vec<u32>,
    /// Nodes whose ranks have changed in this round.
    changed: Vec<bool>,
    effort: u64,
}

const NOWHERE: u32 = u32::MAX;

impl<'g> State<'g> {
    fn new(graph: &'g Graph, node_of: Vec<u32>, nodes: usize) -> Self {
        let mut state = Self {
            graph,
            members: vec![Vec::new(); nodes],
            egress: vec![0; nodes],
            ingress: vec![0; nodes],
            place: vec![NOWHERE; node_of.len()],
            node_of,
            changed: vec![true; nodes],
            effort: 0,
        };
        for (rank, node) in state.node_of.iter().enumerate() {
            state.members[*node as usize].push(rank as u32);
            for edge in graph.of_rank(rank as u32) {
                if state.node_of[edge.to as usize] != *node {
                    state.egress[*node as usize] += edge.out;
                    state.ingress[*node as usize] += edge.back;
                }
            }
        }
        state
    }

    fn load(&self, node: usize) -> i64 {
        self.egress[node].max(self.ingress[node])
    }

    fn objective(&self) -> Key {
        let busiest = (0..self.members.len()).map(|node| self.load(node)).max().unwrap_or(0);
        (busiest, self.egress.iter().sum())
    }

    /// Tries every node with its partners, the busiest node first; whether anything became better. Of two nodes that the last round
    /// tried nothing is tried again unless one of them has changed since.
    fn round(&mut self, aim: Aim) -> bool {
        let mut order: Vec<usize> =
            (0..self.members.len()).filter(|node| !self.members[*node].is_empty()).collect();
        order.sort_by_key(|node| (std::cmp::Reverse(self.load(*node)), *node));
        let light: Vec<usize> = order.iter().rev().take(LIGHT).copied().collect();
        let mut better = false;
        let mut bytes = vec![0_i64; self.members.len()];
        let before = std::mem::replace(&mut self.changed, vec![false; self.members.len()]);
        for node in order {
            let mut partners = self.partners(node, &mut bytes);
            partners.extend(light.iter().filter(|each| **each != node));
            for partner in partners {
                if self.effort > EFFORT {
                    return better;
                }
                let is_settled = |each: usize| !before[each] && !self.changed[each];
                if is_settled(node) && is_settled(partner) {
                    continue;
                }
                if self.pair([node, partner], aim) {
                    self.changed[node] = true;
                    self.changed[partner] = true;
                    better = true;
                }
            }
        }
        better
    }

    /// The nodes to which a node sends and from which it receives most. `bytes` is zero for every node, before and after.
    fn partners(&mut self, node: usize, bytes: &mut [i64]) -> Vec<usize> {
        let mut found = Vec::new();
        for rank in &self.members[node] {
            let edges = self.graph.of_rank(*rank);
            self.effort += edges.len() as u64;
            for edge in edges {
                let other = self.node_of[edge.to as usize] as usize;
                if other != node && edge.both() > 0 {
                    if bytes[other] == 0 {
                        found.push(other);
                    }
                    bytes[other] += edge.both();
                }
            }
        }
        found.sort_by_key(|other| (std::cmp::Reverse(bytes[*other]), *other));
        for other in &found {
            bytes[*other] = 0;
        }
        found.truncate(PARTNERS);
        found
    }

    fn row(&mut self, rank: u32, nodes: [usize; 2]) -> Row {
        let mut row = Row::default();
        let edges = self.graph.of_rank(rank);
        self.effort += edges.len() as u64;
        for edge in edges {
            row.all_out += edge.out;
            row.all_back += edge.back;
            let node = self.node_of[edge.to as usize] as usize;
            if let Some(side) = nodes.iter().position(|each| *each == node) {
                row.out[side] += edge.out;
                row.back[side] += edge.back;
            }
        }
        row
    }

    /// Swaps ranks of two nodes; whether that made them better.
    fn pair(&mut self, nodes: [usize; 2], aim: Aim) -> bool {
        // The ranks with most to gain, with their rows: those of the first node and then those of the second.
        let mut ranks: Vec<(u32, Row)> = Vec::new();
        let mut count = [0; 2];
        for (side, node) in nodes.into_iter().enumerate() {
            let members = self.members[node].clone();
            let mut rows: Vec<(u32, Row)> =
                members.into_iter().map(|rank| (rank, self.row(rank, nodes))).collect();
            rows.sort_by_key(|(rank, row)| (std::cmp::Reverse(row.gain(side)), *rank));
            rows.truncate(CONSIDERED);
            count[side] = rows.len();
            ranks.extend(rows);
        }
        for (at, (rank, _)) in ranks.iter().enumerate() {
            self.place[*rank as usize] = at as u32;
        }
        // Bytes between the ranks that are looked at.
        let mut between = vec![(0_i64, 0_i64); ranks.len() * ranks.len()];
        for (at, (rank, _)) in ranks.iter().enumerate() {
            for edge in self.graph.of_rank(*rank) {
                let to = self.place[edge.to as usize];
                if to != NOWHERE {
                    between[at * ranks.len() + to as usize] = (edge.out, edge.back);
                }
            }
        }
        for (rank, _) in &ranks {
            self.place[*rank as usize] = NOWHERE;
        }
        let links = Links {
            egress: nodes.map(|node| self.egress[node]),
            ingress: nodes.map(|node| self.ingress[node]),
        };
        let (swaps, links) = self.swaps(&mut ranks, count, &between, links, aim);
        for (first, second) in &swaps {
            self.exchange(ranks[*first].0, ranks[*second].0);
        }
        for (side, node) in nodes.into_iter().enumerate() {
            self.egress[node] = links.egress[side];
            self.ingress[node] = links.ingress[side];
        }
        !swaps.is_empty()
    }

    /// The swaps in a row that lead to the best state, and the links there.
    fn swaps(
        &mut self,
        ranks: &mut [(u32, Row)],
        count: [usize; 2],
        between: &[(i64, i64)],
        mut links: Links,
        aim: Aim,
    ) -> (Vec<(usize, usize)>, Links) {
        let width = ranks.len();
        let mut best = (links.key(aim), 0, links);
        let mut made: Vec<(usize, usize)> = Vec::new();
        let mut locked = vec![false; width];
        for _ in 0..IN_A_ROW.min(count[0]).min(count[1]) {
            let mut found: Option<(Key, usize, usize, Links)> = None;
            for first in (0..count[0]).filter(|at| !locked[*at]) {
                for second in (count[0]..width).filter(|at| !locked[*at]) {
                    let after =
                        swapped(links, &ranks[first].1, &ranks[second].1, between[first * width + second]);
                    let key = after.key(aim);
                    if found.as_ref().is_none_or(|(known, ..)| key < *known) {
                        found = Some((key, first, second, after));
                    }
                }
            }
            self.effort += (count[0] * count[1]) as u64;
            let Some((key, first, second, after)) = found else { break };
            links = after;
            locked[first] = true;
            locked[second] = true;
            made.push((first, second));
            if key < best.0 {
                best = (key, made.len(), links);
            } else if made.len() > best.1 + IN_A_ROW / 2 {
                break;
            }
            for (at, (_, row)) in ranks.iter_mut().enumerate() {
                let (to_first, from_first) = between[at * width + first];
                let (to_second, from_second) = between[at * width + second];
                row.out[0] += to_second - to_first;
                row.out[1] += to_first - to_second;
                row.back[0] += from_second - from_first;
                row.back[1] += from_first - from_second;
            }
        }
        made.truncate(best.1);
        (made, best.2)
    }

    fn exchange(&mut self, first: u32, second: u32) {
        let nodes = [first, second].map(|rank| self.node_of[rank as usize]);
        for (rank, from, to) in [(first, nodes[0], nodes[1]), (second, nodes[1], nodes[0])] {
            self.members[from as usize].retain(|each| *each != rank);
            self.members[to as usize].push(rank);
            self.node_of[rank as usize] = to;
        }
    }
}

/// The links after `first` went to the second node and `second` to the first; `between` is what the first sends to the second, and back.
fn swapped(links: Links, first: &Row, second: &Row, (to, back): (i64, i64)) -> Links {
    let mut after = links;
    for (side, leaves, comes, (to, back)) in [(0, first, second, (to, back)), (1, second, first, (back, to))]
    {
        // Without the one that leaves; what it sent to those who stay and got from them crosses the link now.
        let out = leaves.back[side] - (leaves.all_out - leaves.out[side]);
        let into = leaves.out[side] - (leaves.all_back - leaves.back[side]);
        // With the one that comes: what it exchanges with those who stay does not cross the link.
        let stay_out = comes.out[side] - back;
        let stay_back = comes.back[side] - to;
        after.egress[side] += out + comes.all_out - stay_out - stay_back;
        after.ingress[side] += into + comes.all_back - stay_back - stay_out;
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Costs;
    use crate::matrix::Sent;
    use proptest::prelude::*;

    proptest! {
        /// What is added and subtracted swap by swap is what the model says of the result.
        #[test]
        fn links_after_swaps_are_those_of_the_model(
            entries in proptest::collection::vec((0_u32..12, 0_u32..12, 0_u64..1000), 0..60),
            swaps in proptest::collection::vec((0_u32..12, 0_u32..12), 1..8),
        ) {
            let sent = entries.iter().map(|(from, to, bytes)| Sent { from: *from, to: *to, messages: 1, bytes: *bytes });
            let matrix = CommunicationMatrix::new(12, sent.collect()).unwrap();
            let graph = Graph::of(&matrix);
            let mut state = State::new(&graph, vec![0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], 4);
            for (first, second) in swaps {
                let nodes = [first, second].map(|rank| state.node_of[rank as usize] as usize);
                if nodes[0] == nodes[1] {
                    continue;
                }
                let (a, b) = (state.row(first, nodes), state.row(second, nodes));
                let edge = graph.of_rank(first).iter().find(|edge| edge.to == second);
                let between = edge.map_or((0, 0), |edge| (edge.out, edge.back));
                let links = Links { egress: nodes.map(|n| state.egress[n]), ingress: nodes.map(|n| state.ingress[n]) };
                let after = swapped(links, &a, &b, between);
                state.exchange(first, second);
                for (side, node) in nodes.into_iter().enumerate() {
                    state.egress[node] = after.egress[side];
                    state.ingress[node] = after.ingress[side];
                }
            }
            let costs = Costs::of(&matrix, &Placement::new(state.node_of.clone()), 4);
            let bytes = |all: &[i64]| all.iter().map(|one| *one as u64).collect::<Vec<_>>();
            prop_assert_eq!(bytes(&state.egress), costs.egress);
            prop_assert_eq!(bytes(&state.ingress), costs.ingress);
        }

        #[test]
        fn swaps_never_make_it_worse_and_keep_the_number_of_ranks(
            entries in proptest::collection::vec((0_u32..16, 0_u32..16, 0_u64..1000), 0..80),
        ) {
            let sent = entries.iter().map(|(from, to, bytes)| Sent { from: *from, to: *to, messages: 1, bytes: *bytes });
            let matrix = CommunicationMatrix::new(16, sent.collect()).unwrap();
            let before = Placement::new((0..16).map(|rank| [0, 1, 1, 2][rank as usize % 4]).collect());
            let after = improve(&matrix, &before, 3);
            prop_assert_eq!(after.occupied(3), before.occupied(3));
            prop_assert!(Costs::of(&matrix, &after, 3).objective() <= Costs::of(&matrix, &before, 3).objective());
        }
    }
}
