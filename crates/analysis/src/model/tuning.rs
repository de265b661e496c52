//! What `loopwright tune` found, as it is shown.

use super::{TriedFacts, Unsteady};
pub use loopwright_experiment::tuning::{Axis, BuiltLoop, Metric, RebuiltLoop, Semantics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The newest search for the best build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneFacts {
    /// The smallest speed-up that is called one: what the program against itself showed, at least 1 %.
    pub claimed_from: f64,
    /// Files that were compared beside standard output.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outputs: Vec<String>,
    /// What runs of the unchanged program wrote differently, so that it was not compared.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unsteady: Vec<Unsteady>,
    /// What the options of the build itself let the compiler do to floating-point results.
    pub semantics: Semantics,
    /// What was compared, where the user said it; else CPU time, and elapsed time of programs that keep several CPUs busy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metric: Option<Metric>,
    /// What disturbed the runs, where the system says it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub disturbed: Option<DisturbanceFacts>,
    /// Processors of the nodes that jobs of a scheduler ran on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub processors: Vec<String>,
    /// Runs of the program, all versions together.
    pub runs: u32,
    /// Builds and settings, in the order in which they were tried.
    pub candidates: Vec<TunedFacts>,
    /// The best of them, measured on runs of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub best: Option<TriedFacts>,
    /// Hot loops that the best build made otherwise, the hottest first; known after a survey, where the build has debug information.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub loops_changed: Vec<RebuiltLoop>,
}

/// What disturbed runs: medians.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisturbanceFacts {
    /// How often a run lost its CPU to other work, for each second of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub preempted_per_second: Option<f64>,
    /// Part of a run in which some task of the machine waited for a CPU.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pressure: Option<f64>,
}

/// A build or a setting that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TunedFacts {
    /// What it varies.
    pub axis: Axis,
    /// What its options let the compiler do to floating-point results.
    pub semantics: Semantics,
    /// Seconds of its build.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub build_seconds: Option<f64>,
    /// It was given up after fewer rounds than a claim needs, as others were faster; its speed-up is a rough one.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub given_up: bool,
    /// Its parts, its speed-up in the rounds of the search, its answer.
    pub tried: TriedFacts,
}
