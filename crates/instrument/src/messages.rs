//! The calls of MPI that a process made: what [`crate::listen::messages`] found.

use crate::calls::{Called, HookedRun};
use serde::{Deserialize, Serialize};

pub use crate::hooks::mpi::functions::CallClass;

/// Calls of one function of MPI from one place. Their bytes are those that the rank handed over to be sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallSite {
    /// The function as the standard writes it, whatever language called it; its place, calls, bytes and time.
    pub called: Called,
    /// What it is for.
    pub class: CallClass,
    /// Seconds in the barriers before collective calls, beside the others; 0 where none was asked for.
    pub waiting_seconds: f64,
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
    /// There was a barrier before each collective call.
    pub barriers: bool,
    /// The run.
    pub run: HookedRun,
}
