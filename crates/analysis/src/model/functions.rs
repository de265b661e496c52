//! Functions and their time.

use super::{ByThread, Unmeasured, WorkRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A function with time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FunctionFacts {
    /// Name.
    pub function: String,
    /// Base name of its module.
    pub module: String,
    /// The module is the main program's executable.
    pub main_module: bool,
    /// File of its definition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line of its definition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// Time in its own instructions.
    pub self_seconds: f64,
    /// Its share of the CPU time.
    pub self_share: f64,
    /// Time with all that it calls.
    pub total_seconds: f64,
    /// Its share of the CPU time.
    pub total_share: f64,
    /// Samples of its own instructions.
    pub samples: u64,
    /// The compiler's own description of itself and its flags.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub producer: Option<String>,
    /// Self time in cycles with several entries, which are not loops, outside the loops within; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub irreducible_seconds: Option<f64>,
    /// Call instructions in its code that call itself; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calls_itself: Option<u32>,
    /// Integer divisions in its code outside loops; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub integer_divisions: Option<u32>,
    /// Indirect jumps whose targets were not found: the loops of this function may be incomplete.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unresolved_jumps: Option<u32>,
    /// Counted calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calls: Option<u64>,
    /// Counted work of its own code (called functions excluded).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<WorkRow>,
    /// All of its code was counted (else only parts, such as its loops); absent without counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub complete: Option<bool>,
    /// What of it ran uncounted and why, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_alone: Vec<Unmeasured>,
    /// What each thread did, and how uneven that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_thread: Option<ByThread>,
    /// The functions that the compiler inlined into it and that take time, by total time, so that one comes before those that it holds.
    /// Their time is part of its own.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inlined: Vec<InlinedFunction>,
}

/// A function that was inlined into another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InlinedFunction {
    /// Name.
    pub function: String,
    /// Time in its own instructions: those that it has there, without what was inlined into them in turn.
    pub self_seconds: f64,
    /// Its share of the CPU time.
    pub self_share: f64,
    /// Time with all that was inlined into it and that it calls.
    pub total_seconds: f64,
    /// Its share of the CPU time.
    pub total_share: f64,
    /// Samples of its own instructions.
    pub samples: u64,
}
