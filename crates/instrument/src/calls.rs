//! Calls of hooked functions, whatever they are for, and the run that made them.

use crate::facts::LeftAlone;
use crate::warning::Warning;
use serde::{Deserialize, Serialize};

pub use crate::hooks::layout::BINS;

/// What a binary says of a place of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The function that holds it; the innermost one where functions were inlined.
    pub function: String,
    /// Source file, where debug information names it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line; 0 where it is unknown.
    pub line: u32,
    /// Header of the innermost loop around it (ELF address).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub header: Option<u64>,
    /// File and line of that loop.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of_loop: Option<(String, u32)>,
}

/// Calls of one function from one place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// The function, without the marks of its versions.
    pub function: String,
    /// File that holds the caller; empty where no file does.
    pub module: String,
    /// Where the call returns to (ELF address of the module).
    pub address: u64,
    /// What the binary says of that place; absent where it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caller: Option<Caller>,
    /// Calls, exactly.
    pub calls: u64,
    /// Bytes that the calls were to move.
    pub bytes: u64,
    /// Calls whose bytes are not known: they are in no bin.
    pub without_bytes: u64,
    /// Seconds from the entries to the returns.
    pub seconds: f64,
    /// Of the longest call.
    pub longest_seconds: f64,
    /// Calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more.
    pub bins: [u64; BINS.len() + 1],
}

/// A run with hooks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HookedRun {
    /// Threads that called.
    pub threads: u32,
    /// Files that have hooked functions.
    pub libraries: Vec<String>,
    /// Functions that are not hooked, and why.
    pub left_alone: Vec<LeftAlone>,
    /// What else limits the numbers.
    pub warnings: Vec<Warning>,
    /// Exit status as the shell would show it.
    pub exit_status: i32,
    /// The signal that killed the program.
    pub signal: Option<i32>,
    /// It was asked to end early.
    pub interrupted: bool,
    /// Seconds that the program ran.
    pub elapsed_seconds: f64,
    /// Seconds of its preparation.
    pub setup_seconds: f64,
    /// Seconds that its threads waited for the tool.
    pub waiting_seconds: f64,
}
