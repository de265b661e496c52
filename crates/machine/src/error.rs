//! Errors when a machine is measured or its ceilings are stored.

use std::path::PathBuf;

/// An error; each names its subject and gives advice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Memory for the measured arrays could not be allocated.
    #[error(
        "{bytes} bytes for the measured arrays could not be mapped: {source}; free memory or raise the limit (ulimit -v, cgroup memory.max)"
    )]
    Memory {
        /// Requested bytes.
        bytes: usize,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A thread could not be bound to its CPU or started.
    #[error(
        "no measuring thread for CPU {cpu}: {source}; check the cpuset (taskset -p $$) and the limit on threads (ulimit -u)"
    )]
    Thread {
        /// Number of the CPU, as the system counts.
        cpu: usize,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The caller asked to stop.
    #[error("the measurement was cancelled; nothing was stored, run it again to measure")]
    Cancelled,
    /// There are no kernels for this processor architecture.
    #[error("ceilings are measured on x86-64 only; this is {architecture}")]
    Architecture {
        /// The architecture that this was built for.
        architecture: &'static str,
    },
    /// Nothing could be measured.
    #[error("no ceiling was measured: {why}; give the measurement more time or select existing points")]
    Nothing {
        /// The reason.
        why: String,
    },
    /// The cache folder is not known.
    #[error(
        "no cache folder: neither XDG_CACHE_HOME nor HOME is set to an absolute path; set one to keep the measured ceilings"
    )]
    NoCacheFolder,
    /// The cache could not be written.
    #[error("{}: what was measured could not be kept: {source}; make the folder writable or set XDG_CACHE_HOME", path.display())]
    CacheWrite {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}
