#![doc = "Exact counts without counters: copies a program's functions into a counting code cache while it runs."]
//!
//! The unmodified program is started under ptrace, its code is read from its files, copied with counters into
//! memory near each module, and the entries in the original code are redirected to the copy; then the tracer
//! detaches and the program runs at nearly its own speed. At the end the executions of every block are
//! computed from the counters.
//!
//! ```text
//! count      the run: start, prepare, wait, harvest
//!   runtime  the process: tracing, shared memory, the code cache, requests
//!   harvest  counters -> facts
//!   watchman drops contradictory facts
//! rehearsal  the same for a file without a process
//! module     a file's plan: which functions move
//!   entries  where functions are entered from elsewhere
//!   shape    whether a function's shape is certain
//!   region   what moves, where jumps fit, which places have counters
//!   emit     the copy's instructions and bytes
//!   code     control flow, liveness, induction registers
//! ```

mod code;
pub mod contradiction;
mod count;
mod drive;
mod emit;
mod entries;
mod error;
pub mod facts;
mod harvest;
mod module;
pub mod obstacle;
mod options;
pub mod reason;
mod region;
mod rehearsal;
mod runtime;
mod shape;
mod trace;
pub mod traced;
mod tracing;
pub mod warning;
pub mod watchman;

pub use count::count;
pub use error::Error;
pub use options::LoopChoice;
pub use options::{
    Choice, CountOptions, CountStatus, Modules, Observer, Quiet, TraceObserver, TraceOptions, TraceStatus,
};
pub use rehearsal::{Rehearsal, rehearse};
pub use trace::trace;
