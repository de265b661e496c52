//! Compares every order of the ranks with the present one, by the model.

use crate::bisection;
use crate::cost::Costs;
use crate::graph::Graph;
use crate::grid::Grid;
use crate::matrix::CommunicationMatrix;
use crate::nodes::{Placement, dealt, filled};
use crate::swaps;
use crate::tiles;

/// Lattices whose tiles are compared.
const GRIDS: usize = 3;
/// Placements without any order from which swaps begin, too: in small jobs they find what a search from one place misses.
const RESTARTS: usize = 8;
/// Partners of all ranks with which there is one such placement; twice as many for half of it.
const RESTARTS_UP_TO: usize = 20_000;

/// How ranks were ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a file says.
    Given,
    /// Node after node.
    Block,
    /// In turn on all nodes.
    RoundRobin,
    /// In tiles of a lattice, of these numbers of points.
    Tiles(Vec<u32>),
    /// By recursive bisection, then swaps.
    Bisection,
    /// By Scotch.
    Scotch,
    /// By swaps of ranks, from the best of the others and from several without any order.
    Swaps,
}

/// A placement with its costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// How it was made.
    pub order: Order,
    /// The placement.
    pub placement: Placement,
    /// What it sends over the links.
    pub costs: Costs,
}

/// All candidates, and the best of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The lattice that the ranks are points of, when it is recognised.
    pub grid: Option<Grid>,
    /// The present placement, then the others.
    pub candidates: Vec<Candidate>,
    /// The number of the candidate that is better than the present one by the model and better than, or as good as, all others.
    pub best: Option<usize>,
}

impl Proposal {
    /// The present placement.
    pub fn present(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// The placement that is proposed: nothing where the present one is as good.
    pub fn proposed(&self) -> Option<&Candidate> {
        self.candidates.get(self.best?)
    }
}

/// Compares orders of the ranks on `nodes` nodes. Each node keeps the number of ranks that it has now: memory and cores suffice for
/// these. `present` names the order of the present placement, `others` are placements that were made elsewhere; those with other
/// numbers of ranks on the nodes are left out.
///
/// A placement is better when its busiest link carries less: that alone is time by the model. Of several that carry as little, the one
/// with the least bytes between nodes, then the simplest.
pub fn propose(
    matrix: &CommunicationMatrix,
    nodes: usize,
    present: (Order, Placement),
    others: Vec<(Order, Placement)>,
) -> Proposal {
    let ranks = matrix.ranks();
    let room = present.1.occupied(nodes);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut add = |order: Order, placement: Placement| {
        let is_new = candidates.iter().all(|known| known.placement != placement);
        if is_new && placement.occupied(nodes) == room {
            let costs = Costs::of(matrix, &placement, nodes);
            candidates.push(Candidate { order, placement, costs });
        }
    };
    add(present.0, present.1);
    add(Order::Block, Placement::new(filled(ranks, &room)));
    add(Order::RoundRobin, Placement::new(dealt(ranks, &room)));
    let grids = Grid::candidates(matrix);
    let tiled = grids.iter().take(GRIDS).filter_map(|grid| tiles::best(matrix, grid, &room));
    let tiled = tiled.min_by_key(|tiled| Costs::of(matrix, &tiled.placement, nodes).objective());
    if let Some(tiled) = tiled {
        add(Order::Tiles(tiled.shape), tiled.placement);
    }
    let graph = Graph::of(matrix);
    let cut = bisection::of_graph(&graph, &room);
    add(Order::Bisection, Placement::new(swaps::of_graph(&graph, &cut, nodes)));
    for (order, placement) in others {
        add(order, placement);
    }
    // The bisection has had its swaps.
    let bases = candidates.iter().filter(|one| one.order != Order::Bisection);
    let base = bases.min_by_key(|one| one.costs.objective()).map(|one| one.placement.node_of().to_vec());
    let shuffled = (0..(RESTARTS_UP_TO / (graph.edges() + 1)).min(RESTARTS)).map(|round| {
        let mut ranks: Vec<usize> = (0..ranks as usize).collect();
        loopwright_stats::shuffle(&mut ranks, round as u64);
        let mut node_of = vec![0; ranks.len()];
        ranks.iter().zip(filled(ranks.len() as u32, &room)).for_each(|(rank, node)| node_of[*rank] = node);
        node_of
    });
    let swapped = base.into_iter().chain(shuffled).map(|start| {
        let placement = Placement::new(swaps::of_graph(&graph, &start, nodes));
        Candidate { order: Order::Swaps, costs: Costs::of(matrix, &placement, nodes), placement }
    });
    let swapped = swapped.min_by_key(|one| one.costs.objective());
    let best = candidates.iter().map(|one| one.costs.objective()).min();
    candidates.extend(swapped.filter(|one| best.is_none_or(|best| one.costs.objective() < best)));
    let now = candidates.first().map_or(0, |present| present.costs.busiest());
    let best = (0..candidates.len())
        .filter(|at| candidates[*at].costs.busiest() < now)
        .min_by_key(|at| (candidates[*at].costs.objective(), *at));
    let grid = grids.into_iter().next().filter(|grid| grid.share >= crate::grid::RECOGNISED);
    Proposal { grid, candidates, best }
}

#[cfg(test)]
mod tests;
