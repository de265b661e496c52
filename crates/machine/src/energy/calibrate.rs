//! Measures the model's two numbers where the counters can be read: power while nothing runs, and with more and more busy cores.

use super::meter::Meter;
use super::model::{Fit, Point, fit};
use crate::topology::Topology;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long each number of cores is measured.
const WINDOW: Duration = Duration::from_secs(2);
/// How long a new number of cores runs before: clocks and fans follow within some tenths of a second.
const SETTLE: Duration = Duration::from_millis(500);
/// Different numbers of busy cores, at most.
const STEPS: usize = 6;

/// Why there is no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalibrateError {
    /// The caller asked to stop.
    #[error("the calibration was cancelled; nothing was stored")]
    Cancelled,
    /// A counter did not move.
    #[error(
        "the energy counters did not move while cores were busy; give the model's numbers (--idle-watts, --core-watts)"
    )]
    Frozen,
    /// The points are on no line with positive numbers.
    #[error(
        "power did not rise with the number of busy cores: the machine is busy with other work, or its counters are not those of this \
         virtual machine; calibrate it when it is idle"
    )]
    NoLine,
}

/// Measures power without work and with up to all cores that this process may use. `tick` hears of each number of cores.
///
/// # Errors
/// When the caller stops it, or the counters give no model.
pub fn calibrate(
    meter: &Meter,
    topology: &Topology,
    stop: &AtomicBool,
    tick: &mut dyn FnMut(u32),
) -> Result<(Fit, Vec<Point>), CalibrateError> {
    let cores = cores(topology);
    let mut points = Vec::new();
    for busy in steps(cores.len()) {
        tick(busy as u32);
        points.push(point(meter, &cores[..busy], stop)?);
    }
    let fit = fit(&points).ok_or(CalibrateError::NoLine)?;
    Ok((fit, points))
}

/// One CPU of each core that this process may use.
fn cores(topology: &Topology) -> Vec<usize> {
    let allowed = |cpu: &usize| topology.allowed.contains(cpu);
    let first =
        |one: &&crate::LogicalCpu| one.siblings.iter().filter(|cpu| allowed(cpu)).min() == Some(&one.id);
    topology.cpus.iter().filter(first).map(|one| one.id).collect()
}

/// Numbers of busy cores: none, all, and some between.
fn steps(cores: usize) -> Vec<usize> {
    let parts = STEPS.saturating_sub(1).min(cores).max(1);
    (0..=parts).map(|step| cores * step / parts).collect()
}

fn point(meter: &Meter, cpus: &[usize], stop: &AtomicBool) -> Result<Point, CalibrateError> {
    let done = AtomicBool::new(false);
    let measured = std::thread::scope(|scope| {
        for &cpu in cpus {
            let done = &done;
            scope.spawn(move || work(cpu, done));
        }
        let measured = wait(SETTLE, stop).and_then(|()| {
            let running = meter.start();
            wait(WINDOW, stop).map(|()| running.finish())
        });
        done.store(true, Ordering::Relaxed);
        measured
    })?;
    let joules = measured.joules().ok_or(CalibrateError::Frozen)?;
    Ok(Point { cores: cpus.len() as u32, watts: joules / measured.seconds })
}

/// Keeps a core busy with chains of multiplications and additions.
fn work(cpu: usize, done: &AtomicBool) {
    let mut set = CpuSet::new();
    set.set(cpu);
    // Where it is refused, another core is busy instead, which is as good.
    let _ = sched_setaffinity(None, &set);
    let mut values = [1.0_f64; 16];
    while !done.load(Ordering::Relaxed) {
        for _ in 0..1000 {
            for value in &mut values {
                *value = *value * 0.999_999 + 1e-6;
            }
        }
        black_box(&mut values);
    }
}

fn wait(time: Duration, stop: &AtomicBool) -> Result<(), CalibrateError> {
    let begun = std::time::Instant::now();
    while begun.elapsed() < time {
        if stop.load(Ordering::SeqCst) {
            return Err(CalibrateError::Cancelled);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_core_is_busy_first_and_all_are_at_last() {
        assert_eq!(steps(1), [0, 1]);
        assert_eq!(steps(2), [0, 1, 2]);
        assert_eq!(steps(64), [0, 12, 25, 38, 51, 64]);
    }
}
