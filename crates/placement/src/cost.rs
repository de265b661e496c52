//! The model: the network carries what ranks on different nodes send each other, each node over a link of its own.
//!
//! A link works in both directions at once, so that the time of communication is that of the busiest direction of the busiest link:
//! bytes over bandwidth. What is left out: latency, the inside of a node, contention in switches, waiting for other ranks.

use crate::matrix::CommunicationMatrix;
use crate::nodes::Placement;

/// What a placement sends over the nodes' links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Bytes between ranks on different nodes.
    pub off_node_bytes: u64,
    /// Messages between ranks on different nodes.
    pub off_node_messages: u64,
    /// Bytes that leave each node.
    pub egress: Vec<u64>,
    /// Bytes that arrive at each node.
    pub ingress: Vec<u64>,
}

impl Costs {
    /// The costs of a placement on `nodes` nodes.
    pub fn of(matrix: &CommunicationMatrix, placement: &Placement, nodes: usize) -> Self {
        let mut costs =
            Self { off_node_bytes: 0, off_node_messages: 0, egress: vec![0; nodes], ingress: vec![0; nodes] };
        let node = |rank: u32| placement.node_of().get(rank as usize).copied();
        let add = |to: Option<&mut u64>, bytes: u64| {
            if let Some(sum) = to {
                *sum = sum.saturating_add(bytes);
            }
        };
        for sent in matrix.sent() {
            let (Some(from), Some(to)) = (node(sent.from), node(sent.to)) else { continue };
            if from != to {
                costs.off_node_bytes = costs.off_node_bytes.saturating_add(sent.bytes);
                costs.off_node_messages = costs.off_node_messages.saturating_add(sent.messages);
                add(costs.egress.get_mut(from as usize), sent.bytes);
                add(costs.ingress.get_mut(to as usize), sent.bytes);
            }
        }
        costs
    }

    /// The largest egress of a node, in bytes.
    pub fn largest_egress(&self) -> u64 {
        self.egress.iter().copied().max().unwrap_or(0)
    }

    /// The largest ingress of a node, in bytes.
    pub fn largest_ingress(&self) -> u64 {
        self.ingress.iter().copied().max().unwrap_or(0)
    }

    /// Bytes of the busiest direction of the busiest link: where ranks answer each other, as in halos, the largest egress.
    pub fn busiest(&self) -> u64 {
        self.largest_egress().max(self.largest_ingress())
    }

    /// What is to be small: the busiest link, then the sum.
    pub fn objective(&self) -> (u64, u64) {
        (self.busiest(), self.off_node_bytes)
    }

    /// How many times faster communication is with `other` than with this, by the model; nothing where no link is used.
    pub fn gain_of(&self, other: &Self) -> Option<f64> {
        (other.busiest() > 0).then(|| self.busiest() as f64 / other.busiest() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Sent;

    #[test]
    fn only_what_leaves_a_node_costs() {
        let sent = |from, to, bytes| Sent { from, to, messages: 1, bytes };
        let all = vec![sent(0, 1, 100), sent(0, 2, 10), sent(1, 3, 5), sent(3, 0, 2), sent(2, 2, 900)];
        let matrix = CommunicationMatrix::new(4, all).unwrap();
        let costs = Costs::of(&matrix, &Placement::new(vec![0, 0, 1, 1]), 2);
        assert_eq!((costs.off_node_bytes, costs.off_node_messages), (17, 3));
        assert_eq!(
            (costs.egress.as_slice(), costs.ingress.as_slice()),
            ([15, 2].as_slice(), [2, 15].as_slice())
        );
        let apart = Costs::of(&matrix, &Placement::new(vec![0, 1, 0, 1]), 2);
        assert_eq!((apart.busiest(), costs.gain_of(&apart)), (100, Some(0.15)));
        let one = Costs::of(&matrix, &Placement::new(vec![0; 4]), 2);
        assert_eq!((one.busiest(), costs.gain_of(&one)), (0, None));
    }
}
