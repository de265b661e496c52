//! The results of a tracing run. Stored in the experiment. The facts about each loop are those of [`loopwright_patterns`].

use crate::reason::Reason;
use crate::warning::Warning;
use loopwright_patterns::facts::{Hierarchy, LoopPatterns, Predictor};
use serde::{Deserialize, Serialize};

/// The result of one tracing run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Patterns {
    /// Modules with traced code; other facts refer to them by index.
    pub modules: Vec<TracedModule>,
    /// Requested loops that ran while they were traced.
    pub loops: Vec<LoopPatterns>,
    /// Requested loops that cannot be traced, or did not run while traced, with the reasons.
    pub untraced: Vec<UntracedLoop>,
    /// Everything that the chosen loops executed was traced, not only bursts of it.
    pub exhaustive: bool,
    /// Strides were analysed (`map`).
    pub strides: bool,
    /// Dependences were analysed (`dependencies`).
    pub dependences: bool,
    /// Bursts that were traced.
    pub bursts: u64,
    /// Accesses that were traced.
    pub accesses: u64,
    /// Most memory that the trace took, in bytes.
    pub trace_bytes: u64,
    /// Geometry of the simulated caches, by index in [`LoopPatterns::caches`].
    pub hierarchies: Vec<Hierarchy>,
    /// The simulated predictor of branches; none where none was simulated.
    pub predictor: Option<Predictor>,
    /// NUMA nodes of the machine that have memory.
    pub nodes: u32,
    /// Threads that ran chosen loops while they were traced.
    pub threads: u32,
    /// What makes the facts incomplete or approximate.
    pub warnings: Vec<Warning>,
    /// Exit status of the program as the shell would show it (128 + signal when killed).
    pub exit_status: i32,
    /// Signal that ended the program.
    pub signal: Option<i32>,
    /// The run ended before the program did.
    pub interrupted: bool,
    /// Seconds from the start of the program to its end, preparation excluded.
    pub elapsed_seconds: f64,
    /// Seconds spent reading and rewriting code before the program's first instruction.
    pub setup_seconds: f64,
    /// Seconds in which a thread of the program waited for the tool: for code at first calls, and for room in the
    /// trace when everything is traced.
    pub waiting_seconds: f64,
    /// CPU seconds that the tool spent on the analysis of the trace.
    pub analysis_seconds: f64,
}

/// A module with traced code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedModule {
    /// Path as mapped.
    pub path: String,
    /// Build id in hexadecimal.
    pub build_id: Option<String>,
    /// Address in the process minus ELF address, where that is the same in all processes.
    pub bias: Option<u64>,
}

/// A loop without facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UntracedLoop {
    /// Path of the module.
    pub module: String,
    /// Address of the loop's header.
    pub header: u64,
    /// The reason.
    pub reason: Reason,
}
