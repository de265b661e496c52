//! A crew: one thread per CPU, bound to it, with its own memory, all starting a piece of work together.
//!
//! The caller leads and sleeps while the crew works. A sample lasts from the first member's start to the
//! last member's end. Members meet at a barrier and then spin until all have arrived, so that their starts
//! differ by nanoseconds rather than by wake-ups.

use super::bandwidth::StreamKernel;
use super::disturbance::own_schedule;
use super::flops::FlopKernel;
use super::{latency, memory::Arena};
use crate::Error;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Instant;

/// A piece of work that every member does at the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Flops {
        kernel: &'static FlopKernel,
        iterations: u64,
    },
    Stream {
        kernel: &'static StreamKernel,
        working_set: usize,
        repeats: u64,
    },
    /// Writes a cycle for the chase; its time is not used.
    Link {
        bytes: usize,
    },
    Chase {
        iterations: u64,
    },
}

impl Work {
    fn run(self, arena: &mut Arena) {
        match self {
            Work::Flops { kernel, iterations } => kernel.run(iterations),
            Work::Stream { kernel, working_set, repeats } => kernel.run(arena, working_set, repeats),
            Work::Link { bytes } => latency::link(arena, bytes),
            Work::Chase { iterations } => {
                latency::chase(arena, iterations);
            }
        }
    }
}

/// Duration of one piece of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub seconds: f64,
    /// Ticks of the time-stamp counter for the first member.
    pub ticks: u64,
}

struct Shared {
    work: Mutex<Option<Work>>,
    begin: Barrier,
    end: Barrier,
    arrived: AtomicUsize,
    epoch: Instant,
    /// Start and end per member, nanoseconds since `epoch`.
    spans: Vec<(AtomicU64, AtomicU64)>,
    ticks: AtomicU64,
    /// Run time and waiting for a CPU per member, nanoseconds, as of its last piece of work.
    schedules: Vec<(AtomicU64, AtomicU64)>,
    failure: Mutex<Option<Error>>,
}

/// The leader's handle.
pub(crate) struct Crew<'a> {
    shared: &'a Shared,
}

/// Runs `lead` with a crew of one thread per CPU in `cpus`, each with an arena of `arena_bytes`.
pub(crate) fn with_crew<R>(
    cpus: &[usize],
    arena_bytes: usize,
    lead: impl FnOnce(&Crew) -> R,
) -> Result<R, Error> {
    let shared = Shared {
        work: Mutex::new(None),
        begin: Barrier::new(cpus.len() + 1),
        end: Barrier::new(cpus.len() + 1),
        arrived: AtomicUsize::new(0),
        epoch: Instant::now(),
        spans: cpus.iter().map(|_| Default::default()).collect(),
        ticks: AtomicU64::new(0),
        schedules: cpus.iter().map(|_| Default::default()).collect(),
        failure: Mutex::new(None),
    };
    // Threads wait here until all could be started, or leave when one could not.
    let muster = Mutex::new(());
    std::thread::scope(|scope| {
        let hold = muster.lock().unwrap_or_else(PoisonError::into_inner);
        for (member, &cpu) in cpus.iter().enumerate() {
            let (shared, muster) = (&shared, &muster);
            let spawned =
                std::thread::Builder::new().name(format!("ceiling-{cpu}")).spawn_scoped(scope, move || {
                    drop(muster.lock().unwrap_or_else(PoisonError::into_inner));
                    if shared.failure.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                        serve(shared, member, cpu, arena_bytes);
                    }
                });
            if let Err(source) = spawned {
                *shared.failure.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Error::Thread { cpu, source });
                break;
            }
        }
        let started = shared.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(failure) = started {
            *shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(Error::Cancelled);
            drop(hold);
            return Err(failure);
        }
        drop(hold);
        // Every member has set up, or has failed and left its reason, when it arrives here.
        shared.end.wait();
        let failure = shared.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        let crew = Crew { shared: &shared };
        // Dismisses the crew also when `lead` panics: the scope would wait for ever otherwise.
        struct Dismiss<'a>(&'a Shared);
        impl Drop for Dismiss<'_> {
            fn drop(&mut self) {
                *self.0.work.lock().unwrap_or_else(PoisonError::into_inner) = None;
                self.0.begin.wait();
            }
        }
        let dismiss = Dismiss(&shared);
        let result = match failure {
            Some(failure) => Err(failure),
            None => Ok(lead(&crew)),
        };
        drop(dismiss);
        result
    })
}

/// The loop of a member: set up, then work until dismissed.
fn serve(shared: &Shared, member: usize, cpu: usize, arena_bytes: usize) {
    let mut set = CpuSet::new();
    set.set(cpu);
    let arena = match sched_setaffinity(None, &set) {
        Ok(()) => Arena::new(arena_bytes.max(4096)),
        Err(source) => Err(Error::Thread { cpu, source: source.into() }),
    };
    let mut arena = match arena {
        Ok(arena) => Some(arena),
        Err(error) => {
            shared.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            None
        }
    };
    shared.end.wait();
    loop {
        shared.begin.wait();
        let Some(work) = *shared.work.lock().unwrap_or_else(PoisonError::into_inner) else { return };
        shared.arrived.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0u32;
        while shared.arrived.load(Ordering::Acquire) < shared.spans.len() {
            spins += 1;
            // A CPU shared with other programs: let the late member run.
            if spins.is_multiple_of(4096) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        let nanoseconds = || u64::try_from(shared.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let (from, first_tick) = (nanoseconds(), ticks());
        if let Some(arena) = &mut arena {
            work.run(arena);
        }
        let (last_tick, to) = (ticks(), nanoseconds());
        if let (Some(slot), Some((ran, delayed))) = (shared.schedules.get(member), own_schedule()) {
            slot.0.store(ran, Ordering::Release);
            slot.1.store(delayed, Ordering::Release);
        }
        if let Some((start, end)) = shared.spans.get(member) {
            start.store(from, Ordering::Release);
            end.store(to, Ordering::Release);
        }
        if member == 0 {
            shared.ticks.store(last_tick.wrapping_sub(first_tick), Ordering::Release);
        }
        shared.end.wait();
    }
}

/// The time-stamp counter.
fn ticks() -> u64 {
    // SAFETY: every x86-64 has the instruction; only the program itself can make the kernel forbid it
    // (PR_SET_TSC), and this one does not.
    unsafe { std::arch::x86_64::_rdtsc() }
}

impl Crew<'_> {
    /// Number of members.
    pub fn size(&self) -> usize {
        self.shared.spans.len()
    }

    /// Run time of all members so far, and their waiting for a CPU, nanoseconds.
    pub fn schedule(&self) -> (u64, u64) {
        let sum = |part: fn(&(AtomicU64, AtomicU64)) -> &AtomicU64| {
            self.shared.schedules.iter().map(|slot| part(slot).load(Ordering::Acquire)).sum()
        };
        (sum(|slot| &slot.0), sum(|slot| &slot.1))
    }

    /// All members do `work` at once.
    pub fn sample(&self, work: Work) -> Sample {
        let shared = self.shared;
        *shared.work.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
        shared.arrived.store(0, Ordering::Release);
        shared.begin.wait();
        shared.end.wait();
        let first = shared.spans.iter().map(|s| s.0.load(Ordering::Acquire)).min().unwrap_or(0);
        let last = shared.spans.iter().map(|s| s.1.load(Ordering::Acquire)).max().unwrap_or(0);
        Sample {
            // The clock's own resolution bounds a sample from below.
            seconds: last.saturating_sub(first).max(1) as f64 * 1e-9,
            ticks: shared.ticks.load(Ordering::Acquire),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crew_works_and_is_dismissed() {
        let cpus = super::super::allowed_cpus();
        let cpu = cpus[0];
        // Two members on one CPU: more threads than CPUs must not hang.
        let result = with_crew(&[cpu, cpu], 1 << 16, |crew| {
            assert_eq!(crew.size(), 2);
            crew.sample(Work::Link { bytes: 1 << 14 });
            let sample = crew.sample(Work::Chase { iterations: 100 });
            assert!(sample.seconds > 0.0 && sample.ticks > 0);
            7
        });
        assert_eq!(result.unwrap(), 7);
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_an_error() {
        let error = with_crew(&[1000], 4096, |_| ()).unwrap_err();
        assert!(matches!(error, Error::Thread { cpu: 1000, .. }), "{error}");
    }
}
