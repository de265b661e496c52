//! What binds a loop, measured by injected operations.

use crate::sentence::sentence;
use loopwright_instrument::injected::NotInjected;
use loopwright_vocabulary::{MemoryLevel, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Provenance;

/// What binds a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bottleneck {
    /// Time of an iteration of the machine's loop while it was measured, without operations.
    pub iteration_ns: f64,
    /// Cycles of it, at the clock of the core.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub iteration_cycles: Option<f64>,
    /// The sampled time of an iteration, where it calls other code and leaving versions for calls takes much of it: then no verdict is
    /// given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sampled_ns: Option<f64>,
    /// Another hardware thread used the core during most windows, so that these had to be used: how long instructions that wait for
    /// nothing took then, as a multiple of what they take alone. What it uses looks busy in the loop.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub core_shared: Option<f64>,
    /// Share of an iteration in which operations of all kinds come on top, whatever they need: beside mispredicted branches or
    /// late loads.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub serial_share: Option<f64>,
    /// What binds it: the first is the answer, those after it bind nearly as much. Empty where nothing does for certain.
    pub verdict: Vec<Cause>,
    /// All causes that were weighed, by share.
    pub causes: Vec<Cause>,
    /// The resources that operations were injected for.
    pub resources: Vec<ResourceFacts>,
    /// Loop at whose iterations versions changed, where it is one around this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub changed_at: Option<u32>,
    /// The countdown was kept in memory: where an iteration takes few cycles, it lengthens it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub counted_in_memory: bool,
    /// Windows of time that were measured.
    pub windows: u32,
    /// Windows that were disturbed and not used.
    pub disturbed: u32,
}

/// A possible cause of the time of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// Share of an iteration's time that it takes by itself: 1 where the loop could not be faster because of it. Shares
    /// overlap, so they do not add up to 1.
    pub share: f64,
    /// How the share was obtained.
    pub provenance: Provenance,
}

/// What can bind a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CauseKind {
    /// The latency of a chain of operations through the iterations.
    ChainLatency,
    /// The latency of loads that miss a cache.
    MemoryLatency,
    /// The bandwidth of the second-level cache.
    BandwidthL2,
    /// The bandwidth of the third-level cache.
    BandwidthL3,
    /// The bandwidth of main memory.
    BandwidthMemory,
    /// The ports of floating-point operations.
    FloatPorts,
    /// The ports of integer operations.
    IntegerPorts,
    /// The load ports.
    LoadPorts,
    /// The store ports.
    StorePorts,
    /// The integer multiplier.
    Multiplier,
    /// The divider.
    Divider,
    /// Decoding, renaming and retiring.
    FrontEnd,
    /// Mispredicted branches.
    BranchMisses,
}

impl CauseKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChainLatency => "latency of a chain through the iterations",
            Self::MemoryLatency => "latency of loads that miss a cache",
            Self::BandwidthL2 => "bandwidth of L2",
            Self::BandwidthL3 => "bandwidth of L3",
            Self::BandwidthMemory => "bandwidth of main memory",
            Self::FloatPorts => "vector and floating-point ports",
            Self::IntegerPorts => "integer ports",
            Self::LoadPorts => "load ports",
            Self::StorePorts => "store ports",
            Self::Multiplier => "integer multiplier",
            Self::Divider => "divider",
            Self::FrontEnd => "front end",
            Self::BranchMisses => "mispredicted branches",
        }
    }

    /// The level of memory whose bandwidth it is.
    pub fn level(self) -> Option<MemoryLevel> {
        match self {
            Self::BandwidthL2 => Some(MemoryLevel::L2),
            Self::BandwidthL3 => Some(MemoryLevel::L3),
            Self::BandwidthMemory => Some(MemoryLevel::Dram),
            _ => None,
        }
    }
}

/// How a loop bore operations of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceFacts {
    /// The resource.
    pub resource: Resource,
    /// Operations that an iteration absorbs before it takes 5 % longer (between measured numbers by interpolation); where all
    /// were absorbed, the greatest number that was tried.
    pub room: f64,
    /// All numbers of operations that were tried were absorbed.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub room_is_bound: bool,
    /// Share of an iteration in which the loop itself occupies the resource; absent where no number of operations made the
    /// iteration so long that it can be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy: Option<f64>,
    /// Time of an iteration by the number of injected operations.
    pub curve: Vec<CurvePoint>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// Operations in each iteration.
    pub operations: u32,
    /// Time of an iteration, as a multiple of that without operations.
    pub ratio: f64,
    /// Interval of the ratio (95 %): lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Why a loop was not measured although it was asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Uninjected {
    /// The collector's reason.
    #[error(transparent)]
    Collector(#[from] NotInjected),
    /// The sentence of a document that was read back.
    #[error("{0}")]
    Said(String),
}

sentence!(Uninjected);
