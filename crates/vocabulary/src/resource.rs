//! Resources of a processor core that instructions compete for.

use crate::MemoryLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an instruction occupies for a while, so that others of its kind must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Slots in which instructions are decoded, renamed and retired.
    FrontEnd,
    /// Branches that are taken.
    TakenBranches,
    /// Ports of integer arithmetic.
    Integer,
    /// Ports of integer shifts and rotations.
    Shift,
    /// The port of integer multiplications.
    Multiply,
    /// Ports that load from the first-level cache.
    Loads,
    /// Ports that store into the first-level cache.
    Stores,
    /// Ports that store vectors into the first-level cache: they take the value from another part of the core.
    VectorStores,
    /// Ports of floating-point additions.
    FloatAdd,
    /// Ports of floating-point multiplications.
    FloatMultiply,
    /// The divider of floating-point numbers.
    FloatDivide,
    /// Lines that come from the second-level cache.
    L2Lines,
    /// Lines that come from the third-level cache.
    L3Lines,
    /// Lines that come from main memory.
    MemoryLines,
    /// Lines that come from scattered addresses in main memory, which no prefetcher foresees: how many a core waits for at the
    /// same time.
    ScatteredLines,
}

impl Resource {
    /// All of them, in the order in which tables show them.
    pub const ALL: [Self; 15] = [
        Self::FrontEnd,
        Self::TakenBranches,
        Self::Integer,
        Self::Shift,
        Self::Multiply,
        Self::Loads,
        Self::Stores,
        Self::VectorStores,
        Self::FloatAdd,
        Self::FloatMultiply,
        Self::FloatDivide,
        Self::L2Lines,
        Self::L3Lines,
        Self::MemoryLines,
        Self::ScatteredLines,
    ];

    /// It is outside of the core: a level of memory, or the waiting for it.
    pub fn is_memory(self) -> bool {
        self == Self::ScatteredLines || self.level().is_some()
    }

    /// The level of memory whose bandwidth it is.
    pub fn level(self) -> Option<MemoryLevel> {
        match self {
            Self::L2Lines => Some(MemoryLevel::L2),
            Self::L3Lines => Some(MemoryLevel::L3),
            Self::MemoryLines => Some(MemoryLevel::Dram),
            _ => None,
        }
    }

    /// Its operations use a vector register.
    pub fn is_vector(self) -> bool {
        matches!(self, Self::VectorStores | Self::FloatAdd | Self::FloatMultiply | Self::FloatDivide)
    }

    /// Only some loops use it: it is measured where one does.
    pub fn is_special(self) -> bool {
        matches!(self, Self::Shift | Self::VectorStores | Self::FloatDivide)
    }
}
