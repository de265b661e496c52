//! Errors that can stop a counting run before the program runs.
//!
//! Once the program runs, there are no errors any more: what was counted is returned, with warnings.

use std::io;
use std::path::PathBuf;

/// Why a counting run did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program could not be started.
    #[error(transparent)]
    Start(#[from] loopwright_launch::Error),
    /// The kernel or the container forbids tracing.
    #[error(
        "counting needs ptrace for a moment at the start, which is forbidden here ({source}); allow it (in a \
         container: --cap-add SYS_PTRACE or --security-opt seccomp=unconfined; on the host: \
         kernel.yama.ptrace_scope at most 1), or use `loopwright survey`, which needs none"
    )]
    TracingForbidden {
        /// The kernel's error.
        source: io::Error,
    },
    /// The shared memory could not be allocated.
    #[error(
        "the shared memory for the counters cannot be allocated ({source}); raise `ulimit -v`, or allow System V segments (kernel.shmmni, kernel.shmall)"
    )]
    Memory {
        /// The kernel's error.
        source: io::Error,
    },
    /// The program is not one for 64-bit x86.
    #[error(
        "{path}: is a 32-bit program, whose code cannot be counted; build it for x86-64, or use `loopwright survey`"
    )]
    NotX86_64 {
        /// Path of the program.
        path: PathBuf,
    },
    /// The program could not be prepared.
    #[error("{path}: cannot be counted: {reason}; `loopwright survey` works without changing the program")]
    Prepare {
        /// Path of the program.
        path: PathBuf,
        /// Why it could not be prepared.
        reason: String,
    },
    /// This machine is not one for 64-bit x86.
    #[error("counting rewrites x86-64 code; this machine is another architecture: use `loopwright survey`")]
    Architecture,
}
