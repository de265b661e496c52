#![doc = "Exact counts without counters: copies a program's functions into a counting code cache while it runs."]
//!
//! The unmodified program is started under ptrace, its code is read from its files, copied with counters into
//! memory near each module, and the entries in the original code are redirected to the copy; then the tracer
//! detaches and the program runs at nearly its own speed. At the end the executions of every block are
//! computed from the counters.
//!
//! ```text
//! count      the run: start, prepare, wait, collect
//!   runtime  the process: tracing, shared memory, the code cache, requests
//!   collect  counters -> facts
//!   watchman drops contradictory facts
//! trace      the same with a second copy of chosen loops that records their accesses
//! inject     the same with versions of chosen loops that hold neutral instructions
//! listen     the same with hooks at the functions of MPI, of input and output, or of the heap
//! swap       one function in two versions, the second one compiled otherwise
//! dry_run    the same for a file without a process
//! module     a file's plan: which functions move
//!   entries  where functions are entered from elsewhere
//!   shape    whether a function's shape is certain
//!   region   what moves, where jumps fit, which places have counters
//!   emit     the copy's instructions and bytes
//!   code     control flow, liveness, induction registers
//! ```

pub mod calls;
mod code;
mod collect;
pub mod contradiction;
mod count;
mod drive;
mod dry_run;
mod emit;
mod entries;
mod error;
pub mod facts;
pub mod heap;
mod hooks;
mod inject;
pub mod injected;
mod injection;
pub mod input_output;
pub mod listen;
pub mod messages;
mod module;
pub mod obstacle;
mod options;
pub mod reason;
mod region;
mod runtime;
mod shape;
pub mod swap;
mod trace;
pub mod traced;
mod tracing;
pub mod warning;
pub mod watchman;

pub use count::count;
pub use dry_run::{DryRun, dry_run};
pub use error::Error;
pub use inject::{InjectOptions, inject};
pub use injection::InjectChoice;
pub use listen::{ListenOptions, Listener};
pub use options::LoopChoice;
pub use options::{
    Choice, CountOptions, CountStatus, Modules, Observer, Quiet, TraceObserver, TraceOptions, TraceStatus,
};
pub use trace::trace;
