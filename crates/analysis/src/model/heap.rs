//! Allocations of a job, as they are shown.

use crate::model::{CommLeft, Provenance, Warning};
pub use loopwright_instrument::heap::LostAllocations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Allocations by all ranks of a job, or by one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeapFacts {
    /// How calls and bytes are known: counted.
    pub how: Provenance,
    /// How live and peak bytes are known: by samples, one for each 512 KiB that are allocated.
    pub live_how: Provenance,
    /// Seconds of the longest rank.
    pub elapsed_seconds: f64,
    /// Ranks whose allocations are known, by rank; one where there is no job.
    pub ranks: Vec<HeapRank>,
    /// Allocations by place and function, by descending bytes.
    pub places: Vec<HeapPlace>,
    /// What to change, the largest possible gain first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub advice: Vec<HeapAdvice>,
    /// What is missing in these tables, summed over ranks; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lost: Option<LostAllocations>,
    /// Functions that are not counted, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left: Vec<CommLeft>,
    /// What else limits the numbers, each with its way out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
}

/// A rank's heap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeapRank {
    /// Its number; 0 where there is no job.
    pub rank: u32,
    /// The machine that it ran on.
    pub host: String,
    /// Seconds that it ran.
    pub elapsed_seconds: f64,
    /// Allocations.
    pub calls: u64,
    /// Bytes that they asked for.
    pub bytes: u64,
    /// Highest live bytes, by samples.
    pub peak_bytes: u64,
    /// Most memory in use: the highest resident set.
    pub resident_bytes: u64,
    /// Pages that were touched for the first time, or again after they were given back (minor faults).
    pub faults: u64,
    /// Processor seconds in the system.
    pub system_seconds: f64,
}

/// Allocations by one function from one place, by all ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeapPlace {
    /// The outermost function: of C++ or a library around the allocator, else of the allocator.
    pub function: String,
    /// The function that calls it.
    pub caller: String,
    /// Base name of the file that holds the caller.
    pub module: String,
    /// Source file and line of the call, or its address.
    pub place: String,
    /// The innermost loop around it, where that is among the loops of this analysis.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none", default)]
    pub loop_id: Option<u32>,
    /// Source file and line of that loop.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub loop_place: Option<String>,
    /// Allocations of all ranks; moving one counts as one.
    pub calls: u64,
    /// Bytes that they asked for.
    pub bytes: u64,
    /// Allocations by bytes: below 16, 256, 4096, 65536, 1 MiB, and more.
    pub bins: [u64; 6],
    /// Bytes that were not freed at the end, by samples.
    pub live_bytes: u64,
    /// Most bytes of a rank at a time, by samples.
    pub peak_bytes: u64,
    /// Ranks that called.
    pub callers: u32,
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeapAdvice {
    /// Which change.
    pub change: HeapChange,
    /// Most seconds of a rank that the change can save.
    pub at_most_seconds: f64,
    /// These seconds as a share of the run.
    pub at_most_share: f64,
}

/// A change of the heap's use or settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum HeapChange {
    /// Have the C library keep large blocks, in place of giving them back to the system and having them cleared again.
    KeepBlocks {
        /// Pages of 4096 bytes that were touched anew.
        faults: u64,
        /// Most memory in use.
        resident_bytes: u64,
        /// Allocations of 64 KiB and more.
        large_calls: u64,
    },
}
