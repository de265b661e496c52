//! The facts about conditional branches, and which predictor was simulated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The simulated predictor of branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Predictor {
    /// Its kind.
    pub kind: PredictorKind,
    /// Bits of all its tables.
    pub bits: u64,
    /// Tables with a history.
    pub tables: u32,
    /// Outcomes in the longest history.
    pub longest_history: u32,
}

/// How a predictor works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PredictorKind {
    /// Tagged tables with histories of geometrically growing lengths.
    #[default]
    Tage,
}

/// The outcomes of a conditional branch. One that the records do not show (at the end of a burst) is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BranchUse {
    /// Index into the run's modules.
    pub module: u32,
    /// Entry address of the function.
    pub function: u64,
    /// Address of the instruction.
    pub address: u64,
    /// Outcomes.
    pub executed: u64,
    /// Those that jumped.
    pub taken: u64,
    /// Those whose prediction was judged: without those from which the predictor still had to learn.
    pub predicted: u64,
    /// The part of `predicted` that was wrong.
    pub mispredicted: u64,
}
