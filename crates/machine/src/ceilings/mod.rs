//! The ceilings of this machine: peak arithmetic, bandwidth per memory level, load latency.
//!
//! The roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009) compares a loop with the best that
//! the machine could do; these are the figures for that comparison, so each is the best of many short samples
//! of the best of several hand-scheduled loops. Every loop's result is verified before it is timed. Other
//! crates use the figures; [`crate::cache`] stores them.

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
pub use report::{BandwidthCeiling, Ceilings, Conditions, Element, FlopCeiling, Latency};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Planned time of the measurement. A little more is used when the machine is slow; see [`Options::limit`].
    pub budget: Duration,
    /// After this time no further point is begun, and a warning names the missing ones.
    pub limit: Duration,
    /// CPUs to use; absent: all that this process may use.
    pub cpus: Option<Vec<usize>>,
    /// Only points whose title contains one of these texts ("DRAM copy", "1 core"); empty: all.
    pub only: Vec<String>,
    /// Another thread sets this to true to stop the measurement.
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

/// Progress of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Share of the planned work done, 0 to 1.
    pub fraction: f64,
    /// Title of the point being measured ("L2 copy, 1 core").
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
