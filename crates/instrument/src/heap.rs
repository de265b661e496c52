//! Allocations of a process: what [`crate::listen::heap`] found.

use crate::calls::{Called, HookedRun};
use serde::{Deserialize, Serialize};

pub use crate::hooks::layout::heap::INTERVAL;

/// Allocations by one function from one place: the outermost one. Calls, bytes and classes of sizes are counted; no time is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeapSite {
    /// The function, its place, calls and bytes asked for.
    pub called: Called,
    /// Bytes that were not freed when the program ended, by samples.
    pub live_bytes: u64,
    /// Most bytes that were allocated at a time, by samples.
    pub peak_bytes: u64,
}

/// What was seen and could not be counted where it belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LostAllocations {
    /// Calls from more places than a thread's table holds.
    pub calls: u64,
    /// Samples of the live heap that found no room.
    pub samples: u64,
}

/// Allocations of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeapUse {
    /// By place and function.
    pub sites: Vec<HeapSite>,
    /// Highest live bytes of a process, by samples.
    pub peak_bytes: u64,
    /// What is missing in both.
    pub lost: LostAllocations,
    /// Pages that the program and its children touched for the first time, or again after giving them back (minor faults).
    pub faults: u64,
    /// Most memory that a process had in use (its resident set).
    pub resident_bytes: u64,
    /// Processor time in the system.
    pub system_seconds: f64,
    /// The allocator is that of the GNU C library.
    pub is_glibc: bool,
    /// The run.
    pub run: HookedRun,
}
