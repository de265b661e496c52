//! Communication of a job, as it is shown.

use crate::model::{CommAdvice, Imbalance, Provenance, Warning};
pub use loopwright_instrument::messages::{CallClass, LostCalls};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls of MPI by all ranks of a job whose calls are known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommFacts {
    /// How calls, bytes and messages are known: counted. Times are read from the processor's clock at each call.
    pub how: Provenance,
    /// Ranks of `MPI_COMM_WORLD`; absent where no call showed it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub size: Option<u32>,
    /// Seconds of the longest rank.
    pub elapsed_seconds: f64,
    /// Mean seconds that a rank is in MPI.
    pub seconds: f64,
    /// There was a barrier before each collective call, so that waiting is known apart.
    pub barriers: bool,
    /// Ranks whose calls are known, by rank.
    pub ranks: Vec<CommRank>,
    /// Calls by place and function, by descending time.
    pub sites: Vec<CommSite>,
    /// Messages between ranks of `MPI_COMM_WORLD`: collective and one-sided calls are not in it. By sender, then receiver.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub matrix: Vec<CommEdge>,
    /// What is missing in these tables, summed over ranks; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lost: Option<LostCalls>,
    /// Functions of MPI that are not counted, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left: Vec<CommLeft>,
    /// What may make communication quicker, by descending gain.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub advice: Vec<CommAdvice>,
    /// There would be more advice if it were known what messages take: `loopwright machine --measure --network`.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub network_wanted: bool,
    /// What else limits the numbers, each with its way out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
}

/// A rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommRank {
    /// Its number in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// The machine that it ran on.
    pub host: String,
    /// Seconds that it ran.
    pub elapsed_seconds: f64,
    /// Seconds in MPI, barriers of the tool left out.
    pub seconds: f64,
    /// The part of `seconds` in calls for files.
    #[serde(skip_serializing_if = "is_no_time", default)]
    pub file_seconds: f64,
    /// Calls.
    pub calls: u64,
    /// Messages to other ranks, or to itself.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Calls of one function of MPI from one place, by all ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommSite {
    /// The function as the standard writes it.
    pub function: String,
    /// What it is for.
    pub class: CallClass,
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
    /// Bytes that they handed over.
    pub bytes: u64,
    /// Calls whose bytes are not known.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub without_bytes: u64,
    /// Calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more.
    pub bins: [u64; 6],
    /// Mean seconds of a rank in these calls.
    pub seconds: f64,
    /// The longest call of any rank.
    pub longest_seconds: f64,
    /// Mean seconds of a rank in the barriers before these calls: what it waited for others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sync_seconds: Option<f64>,
    /// Without barriers, the least mean seconds that a rank waited for others, where all ranks wait for all: the mean less the
    /// shortest rank's time, since the call itself takes no rank longer than that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sync_at_least: Option<f64>,
    /// How time differs between ranks; absent for one rank.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub imbalance: Option<Imbalance>,
    /// The rank with most time in these calls.
    pub worst_rank: u32,
    /// The one with least.
    pub best_rank: u32,
    /// Ranks that called.
    pub callers: u32,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_no_time(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommEdge {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A function of MPI that is not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommLeft {
    /// Its name.
    pub function: String,
    /// Why.
    pub reason: String,
}
