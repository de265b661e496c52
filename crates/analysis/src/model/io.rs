//! Input and output of a job, as it is shown.

use crate::model::{CommLeft, Imbalance, Provenance, Warning};
pub use loopwright_instrument::input_output::{IoClass, LostTransfers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Input and output by all ranks of a job, or by one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoFacts {
    /// How calls and bytes are known: counted. Times are read from the processor's clock at each call.
    pub how: Provenance,
    /// Seconds of the longest rank.
    pub elapsed_seconds: f64,
    /// Mean seconds that a rank is in calls of input and output, summed over its threads.
    pub seconds: f64,
    /// Ranks whose calls are known, by rank; one where there is no job.
    pub ranks: Vec<IoRank>,
    /// Files by descending time. Transfers are system calls of the program and its libraries: what is read through a mapping and by
    /// code without the C library is not seen.
    pub files: Vec<IoFile>,
    /// Calls by place and function, by descending time.
    pub places: Vec<IoPlace>,
    /// What to change, the largest possible gain first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub advice: Vec<IoAdvice>,
    /// What is missing in these tables, summed over ranks; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lost: Option<LostTransfers>,
    /// Functions that are not counted, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left: Vec<CommLeft>,
    /// What else limits the numbers, each with its way out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
}

/// A rank's input and output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoRank {
    /// Its number; 0 where there is no job.
    pub rank: u32,
    /// The machine that it ran on.
    pub host: String,
    /// Seconds that it ran.
    pub elapsed_seconds: f64,
    /// Seconds in calls of input and output, summed over threads.
    pub seconds: f64,
    /// Bytes that it read from files, pipes and sockets.
    pub read_bytes: u64,
    /// Bytes that it wrote.
    pub written_bytes: u64,
}

/// What is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IoTarget {
    /// A file that the program opened by its path.
    File,
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Error,
    /// Pipes, sockets, and what the process inherited.
    Unopened,
    /// Files for which a thread's table had no room.
    Others,
    /// Files whose path was not seen.
    Unknown,
}

/// Transfers of the system to and from one file, by all ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoFile {
    /// What it is.
    pub target: IoTarget,
    /// Its path as the program wrote it; absent for other targets. `..` before it: a folder that the program had opened, or the
    /// beginning of a long path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Ranks that used it.
    pub ranks: u32,
    /// Times that it was opened.
    pub opens: u64,
    /// Reading system calls.
    pub reads: u64,
    /// Writing system calls.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes that were mapped: what is moved through mappings is not seen.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub mapped_bytes: u64,
    /// Mean seconds of a rank in reading calls.
    pub read_seconds: f64,
    /// Mean seconds of a rank in writing calls.
    pub write_seconds: f64,
    /// Mean seconds of a rank in calls that open, close, seek and sync.
    pub other_seconds: f64,
    /// The longest reading or writing call of any rank.
    pub longest_seconds: f64,
    /// Moves of the position.
    pub seeks: u64,
    /// Calls that waited for the device.
    pub syncs: u64,
    /// Share of the transfers that began where the one before had ended; absent where none is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub consecutive_share: Option<f64>,
    /// Share of the transfers that began before the end of the one before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backward_share: Option<f64>,
    /// Transfers that began or ended inside of a page of 4096 bytes.
    pub unaligned: u64,
    /// Changes between reading and writing.
    pub switches: u64,
    /// Reading calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more.
    pub read_bins: [u64; 6],
    /// Writing calls by bytes.
    pub write_bins: [u64; 6],
    /// How the seconds differ between ranks; absent for one rank.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub imbalance: Option<Imbalance>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Calls of one function from one place, by all ranks: the outermost call of those that a transfer goes through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoPlace {
    /// The function, without the marks of its versions.
    pub function: String,
    /// What it is for.
    pub class: IoClass,
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
    /// Calls of all ranks.
    pub calls: u64,
    /// Calls that returned an error.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub failed: u64,
    /// Bytes that they moved between the program and the file or its buffer, as far as the calls show them.
    pub bytes: u64,
    /// Calls whose bytes are not known.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub without_bytes: u64,
    /// Calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more.
    pub bins: [u64; 6],
    /// Transfers of the system that they made.
    pub transfers: u64,
    /// Bytes of these transfers.
    pub moved: u64,
    /// Mean seconds of a rank in these calls.
    pub seconds: f64,
    /// The longest call of any rank.
    pub longest_seconds: f64,
    /// How time differs between ranks; absent for one rank.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub imbalance: Option<Imbalance>,
    /// The rank with most time in these calls.
    pub worst_rank: u32,
    /// Ranks that called.
    pub callers: u32,
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoAdvice {
    /// Which change.
    pub change: IoChange,
    /// Where: the path of a file, or the place of the calls.
    pub place: String,
    /// Calls that it is about.
    pub calls: u64,
    /// Mean bytes of such a call; absent where it moves none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_bytes: Option<f64>,
    /// Most seconds of a rank that the change can save: those in the calls that it removes.
    pub at_most_seconds: f64,
    /// These seconds as a share of the run.
    pub at_most_share: f64,
}

/// A change of input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IoChange {
    /// Collect many small writes of the system in a buffer.
    BufferWrites,
    /// Read larger pieces.
    BufferReads,
    /// Do not flush after each line or element.
    FlushLess,
    /// Do not wait for the device so often.
    SyncLess,
    /// Keep the file open.
    KeepOpen,
}
