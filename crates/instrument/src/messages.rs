//! The calls of MPI that a process made: what [`crate::listen()`] found.

use crate::facts::LeftAlone;
use crate::warning::Warning;
use serde::{Deserialize, Serialize};

pub use crate::hooks::functions::CallClass;
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

/// Calls of one function of MPI from one place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallSite {
    /// The function as the standard writes it, whatever language called it.
    pub function: String,
    /// What it is for.
    pub class: CallClass,
    /// File that holds the caller; empty where no file does.
    pub module: String,
    /// Where the call returns to (ELF address of the module).
    pub address: u64,
    /// What the binary says of that place; absent where it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caller: Option<Caller>,
    /// Calls, exactly.
    pub calls: u64,
    /// Bytes that the rank handed over to be sent.
    pub bytes: u64,
    /// Calls whose bytes are not known: they are in no bin.
    pub without_bytes: u64,
    /// Seconds from the entries to the returns.
    pub seconds: f64,
    /// Of the longest call.
    pub longest_seconds: f64,
    /// Seconds in the barriers before collective calls, beside the others; 0 where none was asked for.
    pub waiting_seconds: f64,
    /// Calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more.
    pub bins: [u64; BINS.len() + 1],
}

/// Messages to one rank of `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The receiver.
    pub rank: u32,
    /// Messages that were sent, or began to be.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What was seen and could not be counted where it belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LostCalls {
    /// Calls from more places than a thread's table holds.
    pub calls: u64,
    /// Messages to more ranks than a thread's table holds.
    pub messages: u64,
    /// Starts of persistent requests that another thread made, or that were made otherwise.
    pub starts: u64,
    /// Calls that did not return: left by longjmp or an exception.
    pub torn: u64,
    /// Messages to processes outside of `MPI_COMM_WORLD`, or whose receiver a library that is linked in cannot be asked for.
    pub foreign: u64,
}

/// The calls of MPI in one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Messages {
    /// Rank in `MPI_COMM_WORLD`; absent where no call showed it, or several processes of the run had different ones.
    pub rank: Option<u32>,
    /// Ranks of `MPI_COMM_WORLD`.
    pub ranks: Option<u32>,
    /// By place and function.
    pub sites: Vec<CallSite>,
    /// By receiver.
    pub peers: Vec<Peer>,
    /// What is missing in both.
    pub lost: LostCalls,
    /// Threads that called.
    pub threads: u32,
    /// There was a barrier before each collective call.
    pub barriers: bool,
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
