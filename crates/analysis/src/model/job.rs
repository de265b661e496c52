//! A job as a whole: where the time of its ranks goes, which of them are alike, and what was collected of it.

use crate::model::{Imbalance, Provenance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The time of a job's ranks by what they do, from the runs that counted it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobFacts {
    /// How times are known: from the processor's clock, at each call.
    pub how: Provenance,
    /// Seconds of the longest rank.
    pub elapsed_seconds: f64,
    /// Ranks whose times are known; 1 without a job.
    pub ranks: u32,
    /// Machines that they ran on.
    pub hosts: u32,
    /// What ranks do, in the order in which it is looked at: balance of the computation, communication, input and output.
    pub parts: Vec<JobPart>,
    /// Ranks whose times are alike, the largest cluster first; absent for one rank.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub clusters: Vec<RankCluster>,
    /// Collections that a job can have, in the order in which `loopwright job` makes them.
    pub steps: Vec<JobStep>,
}

/// What ranks spend time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobPartKind {
    /// Neither communication nor input and output, as far as these were counted.
    Computation,
    /// Calls of MPI, those for files left out where input and output was counted.
    Communication,
    /// Calls of input and output.
    InputOutput,
}

/// One of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobPart {
    /// Which one.
    pub kind: JobPartKind,
    /// Mean seconds of a rank.
    pub seconds: f64,
    /// The same as a share of the ranks' mean elapsed time.
    pub share: f64,
    /// How it differs between ranks; absent for one rank.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub imbalance: Option<Imbalance>,
    /// The rank with most of it.
    pub worst_rank: u32,
    /// For communication, mean seconds of a rank in which it waited for others in calls in which all wait for all: known by barriers
    /// (`comm --barriers`), else the least that it can have been.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting_seconds: Option<f64>,
}

/// Ranks that spend their time alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankCluster {
    /// Their numbers: pairs of first and last rank, ends included.
    pub ranges: Vec<[u32; 2]>,
    /// How many.
    pub ranks: u32,
    /// The rank that is nearest to their mean.
    pub medoid: u32,
    /// The share of its time in computation.
    pub computation: f64,
    /// In communication.
    pub communication: f64,
    /// In input and output.
    pub input_output: f64,
    /// Its seconds.
    pub elapsed_seconds: f64,
    /// They are few: at most a hundredth of the ranks, or one of at least four.
    pub outlier: bool,
}

/// A collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobCollection {
    /// Samples: `survey`.
    Survey,
    /// Exact counts of loops: `tripcounts`.
    Tripcounts,
    /// Calls of MPI: `comm`.
    Comm,
    /// Input and output: `io`.
    Io,
    /// Allocations: `heap`.
    Heap,
}

/// Whether a collection is worth a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobStep {
    /// Which one.
    pub collection: JobCollection,
    /// The share of the sampled time that is about it: of the CPU time, or of the threads' time where they were blocked in it. Absent
    /// without samples, and where it is about all of the time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<f64>,
    /// The samples show enough of it.
    pub worth: bool,
    /// The state has it.
    pub collected: bool,
}
