//! The nodes of a job, and which rank is on which of them.

use crate::matrix::MOST_RANKS;

/// The nodes of a job by the number of ranks that each can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    cores: Vec<u32>,
}

/// Why nodes cannot hold a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodesError {
    /// No node, or nodes without cores.
    #[error("there has to be at least one node with at least one core")]
    None,
    /// More nodes than any machine has.
    #[error("{nodes} nodes are more than {MOST_RANKS}")]
    TooMany {
        /// Nodes that were stated.
        nodes: u64,
    },
    /// Fewer slots than ranks.
    #[error("{ranks} ranks do not fit on {slots} cores; give more nodes or cores")]
    TooSmall {
        /// Ranks of the job.
        ranks: u32,
        /// Cores of all nodes.
        slots: u64,
    },
}

impl Nodes {
    /// Nodes with these numbers of cores.
    ///
    /// # Errors
    /// When there are none, or too many.
    pub fn new(cores: Vec<u32>) -> Result<Self, NodesError> {
        if cores.len() > MOST_RANKS as usize {
            return Err(NodesError::TooMany { nodes: cores.len() as u64 });
        }
        if cores.iter().all(|cores| *cores == 0) {
            return Err(NodesError::None);
        }
        Ok(Self { cores })
    }

    /// `nodes` nodes of `cores` cores each.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn uniform(nodes: u32, cores: u32) -> Result<Self, NodesError> {
        if nodes > MOST_RANKS {
            return Err(NodesError::TooMany { nodes: nodes.into() });
        }
        Self::new(vec![cores; nodes as usize])
    }

    /// Cores of each node.
    pub fn cores(&self) -> &[u32] {
        &self.cores
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.cores.len()
    }

    /// Never: there is at least one node.
    pub fn is_empty(&self) -> bool {
        self.cores.is_empty()
    }

    /// Cores of all nodes.
    pub fn slots(&self) -> u64 {
        loopwright_stats::saturating_sum(self.cores.iter().map(|cores| u64::from(*cores)))
    }
}

/// The node of each rank: numbers from 0, in the order of [`Nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    node_of: Vec<u32>,
}

impl Placement {
    /// A placement as it is.
    pub fn new(node_of: Vec<u32>) -> Self {
        Self { node_of }
    }

    /// Ranks in their order, node by node, each filled before the next one.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn block(ranks: u32, nodes: &Nodes) -> Result<Self, NodesError> {
        fits(ranks, nodes)?;
        Ok(Self { node_of: filled(ranks, nodes.cores()) })
    }

    /// Ranks dealt out to the nodes in turn; full nodes are left out.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn round_robin(ranks: u32, nodes: &Nodes) -> Result<Self, NodesError> {
        fits(ranks, nodes)?;
        Ok(Self { node_of: dealt(ranks, nodes.cores()) })
    }

    /// The node of each rank.
    pub fn node_of(&self) -> &[u32] {
        &self.node_of
    }

    /// The ranks of each of `nodes` nodes, ascending.
    pub fn ranks_of(&self, nodes: usize) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); nodes];
        for (rank, node) in self.node_of.iter().enumerate() {
            if let Some(ranks) = all.get_mut(*node as usize) {
                ranks.push(rank as u32);
            }
        }
        all
    }

    /// Ranks on each of `nodes` nodes.
    pub fn occupied(&self, nodes: usize) -> Vec<u32> {
        self.ranks_of(nodes).iter().map(|ranks| ranks.len() as u32).collect()
    }
}

fn fits(ranks: u32, nodes: &Nodes) -> Result<(), NodesError> {
    let slots = nodes.slots();
    if u64::from(ranks) > slots { Err(NodesError::TooSmall { ranks, slots }) } else { Ok(()) }
}

/// Ranks in their order on nodes of which each holds as many as `room` says.
pub(crate) fn filled(ranks: u32, room: &[u32]) -> Vec<u32> {
    let slots = room.iter().enumerate().flat_map(|(node, room)| (0..*room).map(move |_| node as u32));
    slots.take(ranks as usize).collect()
}

/// Ranks in turn on nodes of which each holds as many as `room` says.
pub(crate) fn dealt(ranks: u32, room: &[u32]) -> Vec<u32> {
    let mut left = room.to_vec();
    let mut open: Vec<u32> = (0..room.len() as u32).filter(|node| left[*node as usize] > 0).collect();
    let mut node_of = Vec::with_capacity(ranks as usize);
    while node_of.len() < ranks as usize && !open.is_empty() {
        let wanted = ranks as usize - node_of.len();
        node_of.extend(open.iter().take(wanted));
        open.retain(|node| {
            left[*node as usize] -= 1;
            left[*node as usize] > 0
        });
    }
    node_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_fill_nodes_or_are_dealt_out() {
        let nodes = Nodes::new(vec![3, 1, 2]).unwrap();
        assert_eq!(Placement::block(5, &nodes).unwrap().node_of(), [0, 0, 0, 1, 2]);
        assert_eq!(Placement::round_robin(6, &nodes).unwrap().node_of(), [0, 1, 2, 0, 2, 0]);
        assert_eq!(Placement::round_robin(5, &nodes).unwrap().occupied(3), [2, 1, 2]);
        assert_eq!(Placement::block(7, &nodes), Err(NodesError::TooSmall { ranks: 7, slots: 6 }));
    }

    #[test]
    fn nodes_without_cores_are_none() {
        assert_eq!(Nodes::uniform(0, 4), Err(NodesError::None));
        assert_eq!(Nodes::uniform(4, 0), Err(NodesError::None));
        assert!(Nodes::uniform(u32::MAX, 1).is_err());
        assert_eq!(Nodes::uniform(2, u32::MAX).unwrap().slots(), 2 * u64::from(u32::MAX));
    }
}
