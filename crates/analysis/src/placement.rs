//! A proposal of a placement as the facts that are shown.

use crate::model::{GridFacts, PlacedFacts, PlacementFacts, PlacementOrder, Provenance};
use loopwright_placement::{Candidate, CommunicationMatrix, Order, Proposal};

/// The facts of a proposal for `nodes` nodes; `bandwidth` is that of a node's link in one direction, in bytes a second.
pub fn placement(
    matrix: &CommunicationMatrix,
    nodes: usize,
    proposal: &Proposal,
    bandwidth: Option<f64>,
) -> PlacementFacts {
    let present = proposal.present();
    PlacementFacts {
        how: Provenance::Modelled,
        ranks: matrix.ranks(),
        ranks_on_node: present.map(|one| one.placement.occupied(nodes)).unwrap_or_default(),
        bytes: matrix.bytes(),
        bandwidth,
        grid: proposal.grid.as_ref().map(|grid| GridFacts {
            dimensions: grid.dimensions.clone(),
            periodic: grid.periodic.clone(),
            share: grid.share,
        }),
        candidates: proposal.candidates.iter().map(|one| placed(one, present, bandwidth)).collect(),
        proposed: proposal.best.map(|best| best as u32),
        node_of_rank: proposal.proposed().map(|one| one.placement.node_of().to_vec()).unwrap_or_default(),
        files: Vec::new(),
    }
}

fn placed(one: &Candidate, present: Option<&Candidate>, bandwidth: Option<f64>) -> PlacedFacts {
    let costs = &one.costs;
    let (order, tile) = match &one.order {
        Order::Given => (PlacementOrder::Given, Vec::new()),
        Order::Block => (PlacementOrder::Block, Vec::new()),
        Order::RoundRobin => (PlacementOrder::RoundRobin, Vec::new()),
        Order::Tiles(shape) => (PlacementOrder::Tiles, shape.clone()),
        Order::Bisection => (PlacementOrder::Bisection, Vec::new()),
        Order::Scotch => (PlacementOrder::Scotch, Vec::new()),
        Order::Swaps => (PlacementOrder::Swaps, Vec::new()),
    };
    PlacedFacts {
        order,
        tile,
        off_node_bytes: costs.off_node_bytes,
        off_node_messages: costs.off_node_messages,
        largest_egress: costs.largest_egress(),
        largest_ingress: costs.largest_ingress(),
        egress: costs.egress.clone(),
        ingress: costs.ingress.clone(),
        seconds: bandwidth.map(|bandwidth| costs.busiest() as f64 / bandwidth),
        gain: present.and_then(|present| present.costs.gain_of(costs)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_placement::{Nodes, Placement, Sent, propose};

    #[test]
    fn times_and_gains_are_those_of_the_busiest_link() {
        // Ranks 0 and 2, 1 and 3 exchange much; in their order they are apart.
        let sent = [(0, 2, 3_000), (2, 0, 1_000), (1, 3, 2_000), (0, 1, 500)];
        let sent = sent.map(|(from, to, bytes)| Sent { from, to, messages: 1, bytes });
        let matrix = CommunicationMatrix::new(4, sent.to_vec()).unwrap();
        let block = Placement::block(4, &Nodes::uniform(2, 2).unwrap()).unwrap();
        let proposal = propose(&matrix, 2, (Order::Block, block), Vec::new());
        let facts = placement(&matrix, 2, &proposal, Some(1e3));
        let now = &facts.candidates[0];
        assert_eq!((facts.ranks_on_node.as_slice(), facts.bytes), ([2, 2].as_slice(), 6_500));
        assert_eq!((now.largest_egress, now.seconds, now.gain), (5_000, Some(5.0), Some(1.0)));
        let best = &facts.candidates[facts.proposed.unwrap() as usize];
        assert_eq!((best.largest_egress, best.seconds, best.gain), (500, Some(0.5), Some(10.0)));
        assert_eq!(facts.node_of_rank[0], facts.node_of_rank[2]);
    }
}
