//! Errors that can stop a survey before it has collected anything.
//!
//! Once the program runs, there are no errors any more: what was collected is returned, with warnings.

use std::io;

/// Why a survey did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program could not be started.
    #[error(transparent)]
    Launch(#[from] loopwright_launch::Error),
    /// A system call that the collector needs failed.
    #[error("{call} failed ({source}); {remedy}")]
    System {
        /// Name of the call.
        call: &'static str,
        /// The operating system's error.
        source: io::Error,
        /// What the user can do.
        remedy: &'static str,
    },
    /// Neither perf_event nor ptrace may be used.
    #[error(
        "sampling is forbidden: perf_event ({perf}) and ptrace ({ptrace}); set kernel.perf_event_paranoid to 2 \
         or allow ptrace (in a container: --cap-add SYS_PTRACE or --security-opt seccomp=unconfined)"
    )]
    Forbidden {
        /// Why perf_event cannot be used.
        perf: String,
        /// Why ptrace cannot be used.
        ptrace: io::Error,
    },
}
