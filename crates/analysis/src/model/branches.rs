//! What a tracing run says of a loop's conditional branches. How each number is computed is documented in `docs/patterns.md`.

use super::LoopFacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A conditional branch that ran while the loop was traced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BranchFacts {
    /// Source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Source column, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Function, when it is not the loop's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Instruction, hexadecimal.
    pub address: String,
    /// Executions whose outcome was traced.
    pub executed: u64,
    /// The same per machine iteration of the loop.
    pub executed_per_iteration: f64,
    /// Share of them that jumped.
    pub taken_share: f64,
    /// The part of `executed` by which the simulated predictor was judged: in bursts, without those from which it had to learn.
    pub predicted: u64,
    /// Modelled: share of `predicted` that the simulated predictor (`tracing.predictor`) got wrong. Absent when too few were
    /// judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub miss_rate: Option<f64>,
    /// Modelled: mispredictions per machine iteration of the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misses_per_iteration: Option<f64>,
    /// Estimated: cycles per machine iteration that these cost, at `tracing.mispredict_cycles` each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_iteration: Option<f64>,
}

impl LoopFacts {
    /// Modelled: mispredicted branches per machine iteration, those of inner loops and called functions included; none where
    /// no branch was judged.
    pub fn mispredicted_per_iteration(&self) -> Option<f64> {
        self.branches
            .iter()
            .filter_map(|branch| branch.misses_per_iteration)
            .reduce(|sum, misses| sum + misses)
    }
}
