//! Placements of a job's ranks on nodes, as they are shown.

use super::Provenance;
pub use loopwright_placement::launchers::Launcher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the ranks of a job are, and where they would be better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementFacts {
    /// How costs and gains are known: `modelled`, from what ranks send each other and which of them share a node.
    pub how: Provenance,
    /// Ranks of the job.
    pub ranks: u32,
    /// Ranks on each node; the same in every candidate.
    pub ranks_on_node: Vec<u32>,
    /// Bytes of all messages.
    pub bytes: u64,
    /// Bytes a second of a node's link in one direction, where the user gave it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bandwidth: Option<f64>,
    /// The lattice that the ranks are points of, where the matrix is that of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub grid: Option<GridFacts>,
    /// The present placement, then others.
    pub candidates: Vec<PlacedFacts>,
    /// The position in `candidates` of the one that is proposed; absent where none is better than the present one by the model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proposed: Option<u32>,
    /// The node of each rank as proposed, by positions in `ranks_on_node`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub node_of_rank: Vec<u32>,
    /// What was written for launchers.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<LauncherFile>,
}

/// A lattice of ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GridFacts {
    /// Points along each dimension; the last one changes fastest with the rank.
    pub dimensions: Vec<u32>,
    /// Whether the first and the last point along each dimension are neighbours.
    pub periodic: Vec<bool>,
    /// Part of the bytes that is between neighbours, diagonal ones included.
    pub share: f64,
}

/// One placement with its costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedFacts {
    /// How it was made.
    pub order: PlacementOrder,
    /// Points of a tile along each dimension of `grid`, for tiles.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tile: Vec<u32>,
    /// Bytes between ranks on different nodes.
    pub off_node_bytes: u64,
    /// Messages between ranks on different nodes.
    pub off_node_messages: u64,
    /// Bytes that leave the node which sends most.
    pub largest_egress: u64,
    /// Bytes that arrive at the node which receives most.
    pub largest_ingress: u64,
    /// Bytes that leave each node.
    pub egress: Vec<u64>,
    /// Bytes that arrive at each node.
    pub ingress: Vec<u64>,
    /// Seconds of communication by the model, where the bandwidth is known: the larger of `largest_egress` and `largest_ingress` over it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
    /// How many times faster than the present placement communication is by the model (2.0: in half the time); absent where no
    /// message leaves a node.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<f64>,
}

/// How ranks are ordered on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlacementOrder {
    /// As the user's file says.
    Given,
    /// Node after node.
    Block,
    /// In turn on all nodes.
    RoundRobin,
    /// In tiles of the lattice.
    Tiles,
    /// By recursive bisection, then swaps.
    Bisection,
    /// By the partitioner Scotch.
    Scotch,
    /// By swaps from the best of the others.
    Swaps,
}

/// A file in which a launcher reads where ranks are to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LauncherFile {
    /// What reads it.
    pub launcher: Launcher,
    /// Its path.
    pub file: String,
    /// The command that starts the program so.
    pub command: String,
}
