//! The ceilings of this machine: peak arithmetic, bandwidth per memory level, load latency.
//!
//! The roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009) holds a loop against what the machine
//! could do at best; these are the figures it is held against, so each is the best of many short samples of
//! the best of several hand-scheduled loops. Every loop's result is verified before it is timed. What the
//! figures are used for is left to the joining crates; keeping them is left to [`crate::cache`].

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod bandwidth;
pub(crate) mod disturbance;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod flops;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod latency;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod memory;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod plan;
mod report;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod threads;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod tournament;

use crate::Error;
pub use report::{BandwidthCeiling, Ceilings, Conditions, Element, FlopCeiling, Latency, Level};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time to spend. A little more is used when the machine is slow; see [`Options::limit`].
    pub budget: Duration,
    /// When this has passed nothing more is begun, and what is missing is named in a warning.
    pub limit: Duration,
    /// CPUs to use; absent: all that this process may use.
    pub cpus: Option<Vec<usize>>,
    /// Only points whose title contains one of these texts ("DRAM copy", "1 core"); empty: all.
    pub only: Vec<String>,
    /// Set to true by another thread to stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            budget: Duration::from_secs(20),
            limit: Duration::from_secs(28),
            cpus: None,
            only: Vec::new(),
            cancel: None,
        }
    }
}

/// How far a measurement is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Share of the planned work done, 0 to 1.
    pub fraction: f64,
    /// What is being measured now ("L2 copy, 1 core").
    pub what: String,
}

/// Measures the ceilings of this machine. Calls `progress` before each point, from the calling thread.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub fn measure(options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<Ceilings, Error> {
    plan::measure(options, progress)
}

/// Measures the ceilings of this machine. There are no kernels for this architecture yet.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn measure(_options: &Options, _progress: &mut dyn FnMut(Progress)) -> Result<Ceilings, Error> {
    Err(Error::Architecture { architecture: std::env::consts::ARCH })
}

/// CPUs that this process may run on.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) fn allowed_cpus() -> Vec<usize> {
    match rustix::thread::sched_getaffinity(None) {
        Ok(set) => (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect(),
        Err(_) => (0..std::thread::available_parallelism().map_or(1, usize::from)).collect(),
    }
}
