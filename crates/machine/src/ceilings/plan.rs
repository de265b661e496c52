//! The measured points, their order, their working sets, and their times.
//!
//! The plan is a list of points (one ceiling each) with weights; the remaining time is shared by the
//! remaining weights, so that a slow beginning shortens the rest instead of overrunning.

use super::bandwidth::{self, Pattern, StreamKernel};
use super::disturbance::{self, CpuTime};
use super::flops::{self, FlopKernel};
use super::memory::Arena;
use super::report::{BandwidthCeiling, Ceilings, FlopCeiling, Latency};
use super::threads::{Crew, Work, with_crew};
use super::tournament::best_of;
use super::{Options, Progress, allowed_cpus, latency};
use crate::topology::{Cache, CacheKind};
use crate::tree::Tree;
use crate::{Error, Warning};
use loopwright_vocabulary::MemoryLevel;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// One ceiling to measure.
#[derive(Clone, Debug)]
struct Point {
    title: String,
    what: What,
    weight: f64,
}

#[derive(Clone, Debug)]
enum What {
    Flops(&'static FlopKernel),
    Stream { level: MemoryLevel, pattern: Pattern, working_set: usize },
    Latency { bytes: usize },
}

/// Working sets in bytes per CPU, by level, for one number of CPUs.
#[derive(Clone, Debug, PartialEq)]
struct WorkingSets(Vec<(MemoryLevel, usize)>);

/// Length of one sample. Short, so that some samples fall between two interruptions.
const SAMPLE: Duration = Duration::from_millis(1);

/// Bounds of the working set in memory: enough to be sure that no cache holds it, little enough to be
/// touched in a fraction of a second.
const DRAM_LEAST: usize = 256 << 20;
const DRAM_MOST: usize = 4 << 30;

/// Longest latency working set.
const LATENCY_MOST: usize = 512 << 20;

/// Capacity and sharing of one cache level.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    bytes: usize,
    /// Number of measured CPUs that share one instance.
    sharers: usize,
    /// Number of instances that the measured CPUs use.
    instances: usize,
}

fn capacity(caches: &[Cache], level: u32, cpus: &[usize]) -> Option<Capacity> {
    let of_level = |c: &&Cache| c.level == level && c.kind != CacheKind::Instruction;
    let used: Vec<usize> = caches
        .iter()
        .filter(of_level)
        .map(|c| cpus.iter().filter(|cpu| c.cpus.contains(cpu)).count())
        .filter(|&n| n > 0)
        .collect();
    let bytes = caches.iter().filter(of_level).map(|c| c.size_bytes).min()?;
    Some(Capacity {
        bytes: usize::try_from(bytes).ok()?,
        sharers: used.iter().copied().max().unwrap_or(1),
        instances: used.len().max(1),
    })
}

impl WorkingSets {
    /// Working sets that fit their level with room to spare and exceed the level below.
    fn new(caches: &[Cache], cpus: &[usize], memory: u64, warnings: &mut Vec<Warning>) -> WorkingSets {
        let levels = [1, 2, 3].map(|level| capacity(caches, level, cpus));
        let mut sets = Vec::new();
        let mut below = 0;
        for (level, capacity) in [MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::L3].into_iter().zip(levels) {
            let Some(capacity) = capacity else { continue };
            // Five eighths of a private cache; a shared one also serves others, and huge ones are slow to fill.
            let share = capacity.bytes / capacity.sharers;
            let set =
                if level == MemoryLevel::L3 { (share / 2).min(capacity.bytes / 4) } else { share * 5 / 8 };
            // With less than twice the level below, that level would answer most requests.
            if set < 2 * below {
                warnings.push(Warning::TooNear { level, cpus: cpus.len(), share, below });
                continue;
            }
            sets.push((level, set));
            below = share;
        }
        let last: usize = levels.iter().flatten().map(|c| c.bytes * c.instances).max().unwrap_or(32 << 20);
        let wanted = last.saturating_mul(4).clamp(DRAM_LEAST, DRAM_MOST);
        let allowed = usize::try_from(memory / 4).unwrap_or(usize::MAX);
        if allowed < wanted {
            warnings.push(Warning::LittleMemory { allowed, wanted });
        }
        sets.push((MemoryLevel::Dram, wanted.min(allowed) / cpus.len().max(1)));
        WorkingSets(sets)
    }

    fn of(&self, level: MemoryLevel) -> Option<usize> {
        self.0.iter().find(|(of, _)| *of == level).map(|(_, bytes)| *bytes)
    }
}

/// The points of one crew size.
fn points(sets: &WorkingSets, cores: usize, with_latency: bool) -> Vec<Point> {
    let suffix = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
    let mut points = Vec::new();
    for kernel in flops::KERNELS.iter().filter(|k| k.usable()) {
        points.push(Point {
            title: format!("{}, {suffix}", kernel.name()),
            what: What::Flops(kernel),
            weight: 0.5,
        });
    }
    for &(level, working_set) in &sets.0 {
        for pattern in Pattern::ALL {
            points.push(Point {
                title: format!("{level} {}, {suffix}", pattern.name()),
                what: What::Stream { level, pattern, working_set },
                weight: match level {
                    MemoryLevel::Dram => 3.0,
                    MemoryLevel::L3 => 1.5,
                    _ => 1.0,
                },
            });
        }
    }
    if with_latency {
        let last = sets.of(MemoryLevel::Dram).unwrap_or(DRAM_LEAST).min(LATENCY_MOST);
        for bytes in latency::ladder(last) {
            points.push(Point {
                title: format!("latency {bytes} B, {suffix}"),
                what: What::Latency { bytes },
                weight: 0.4,
            });
        }
    }
    points
}

/// Removes kernels that compute a wrong result, with a warning. (No such processor is known.)
fn verified<'a, K>(
    kernels: impl Iterator<Item = &'a K>,
    verify: impl Fn(&K) -> Result<(), String>,
    name: impl Fn(&K) -> String,
    warnings: &mut Vec<Warning>,
) -> Vec<&'a K> {
    kernels
        .filter(|kernel| match verify(kernel) {
            Ok(()) => true,
            Err(difference) => {
                warnings.push(Warning::WrongResult { kernel: name(kernel), difference });
                false
            }
        })
        .collect()
}

/// The state of one measurement.
struct Session<'a> {
    options: &'a Options,
    begun: Instant,
    weight_left: f64,
    weight_total: f64,
    streams: Vec<&'static StreamKernel>,
    report: Ceilings,
    missed: Vec<String>,
    cpu_time: Option<CpuTime>,
    /// Run time of the crews' threads, and their waiting for a CPU.
    schedule: (u64, u64),
}

pub(super) fn measure(options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<Ceilings, Error> {
    let begun = Instant::now();
    let cpu_time = CpuTime::now();
    let mut report = Ceilings::default();
    let tree = Tree::live();
    let caches = crate::topology::caches(&tree);
    if caches.is_empty() {
        report.warnings.push(Warning::UnknownCaches);
    }
    let cpus = options.cpus.clone().unwrap_or_else(allowed_cpus);
    let Some(&first) = cpus.first() else {
        return Err(Error::Nothing { why: "no CPU was given".to_owned() });
    };
    let memory = available_memory(&tree);
    // Largest crew last: its set-up may be slow on a large machine.
    let mut crews = vec![vec![first]];
    if cpus.len() > 1 {
        crews.push(cpus);
    }
    let mut planned = Vec::new();
    for (index, crew) in crews.iter().enumerate() {
        let sets = WorkingSets::new(&caches, crew, memory, &mut report.warnings);
        let mut list = points(&sets, crew.len(), index == 0);
        list.retain(|p| options.only.is_empty() || options.only.iter().any(|o| p.title.contains(o.as_str())));
        planned.push((crew.clone(), list));
    }
    let weight: f64 = planned.iter().flat_map(|(_, list)| list).map(|p| p.weight).sum();
    if weight == 0.0 {
        return Err(Error::Nothing { why: "no point has such a title".to_owned() });
    }
    progress(Progress { fraction: 0.0, what: "verifying the kernels".to_owned() });
    let mut arena = Arena::new(bandwidth::arena_bytes(VERIFIED_SET))?;
    let streams = bandwidth::KERNELS.iter().filter(|k| k.usable());
    let streams = {
        let arena = std::cell::RefCell::new(&mut arena);
        verified(
            streams,
            |k| k.verify(*arena.borrow_mut(), VERIFIED_SET),
            |k| format!("{} ({})", k.pattern.name(), k.variant()),
            &mut report.warnings,
        )
    };
    let flops = flops::KERNELS.iter().filter(|k| k.usable());
    let flops = verified(flops, FlopKernel::verify, FlopKernel::name, &mut report.warnings);
    drop(arena);
    let mut session = Session {
        options,
        begun,
        weight_left: weight,
        weight_total: weight,
        streams,
        report,
        missed: Vec::new(),
        cpu_time,
        schedule: (0, 0),
    };
    for (cpus, list) in &planned {
        let arena_bytes = list.iter().map(Point::arena_bytes).max().unwrap_or(0);
        if list.is_empty() {
            continue;
        }
        progress(session.progress(&format!("touching memory on {} CPUs", cpus.len())));
        with_crew(cpus, arena_bytes, |crew| {
            for point in list {
                if let What::Flops(kernel) = point.what
                    && !flops.iter().any(|k| std::ptr::eq(*k, kernel))
                {
                    continue;
                }
                session.measure_point(crew, point, progress)?;
            }
            let (ran, delayed) = crew.schedule();
            session.schedule.0 += ran;
            session.schedule.1 += delayed;
            Ok(())
        })??;
    }
    session.finish()
}

/// Bytes of the streams with which the streaming kernels are verified.
const VERIFIED_SET: usize = 48 << 10;

fn available_memory(tree: &Tree) -> u64 {
    crate::topology::memory_available(tree).unwrap_or(1 << 30)
}

impl Point {
    fn arena_bytes(&self) -> usize {
        match self.what {
            What::Flops(_) => 0,
            What::Stream { working_set, .. } => bandwidth::arena_bytes(working_set),
            What::Latency { bytes } => bytes,
        }
    }
}

/// Repetitions that make a sample about [`SAMPLE`] long, from one that took `seconds`.
fn repetitions(done: u64, seconds: f64) -> u64 {
    let wanted = done as f64 * SAMPLE.as_secs_f64() / seconds.max(1e-9);
    (wanted.ceil() as u64).max(1)
}

impl Session<'_> {
    fn cancelled(&self) -> bool {
        self.options.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed))
    }

    fn progress(&self, what: &str) -> Progress {
        let done = 1.0 - self.weight_left / self.weight_total;
        Progress { fraction: done.clamp(0.0, 1.0), what: what.to_owned() }
    }

    fn measure_point(
        &mut self,
        crew: &Crew,
        point: &Point,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        if self.cancelled() {
            return Err(Error::Cancelled);
        }
        progress(self.progress(&point.title));
        let elapsed = self.begun.elapsed();
        let left = self.options.budget.saturating_sub(elapsed);
        let budget = left.mul_f64((point.weight / self.weight_left).clamp(0.0, 1.0));
        self.weight_left = (self.weight_left - point.weight).max(0.0);
        if elapsed >= self.options.limit {
            self.missed.push(point.title.clone());
            return Ok(());
        }
        let measured = match point.what {
            What::Flops(kernel) => self.flops(crew, kernel, budget),
            What::Stream { level, pattern, working_set } => {
                self.stream(crew, level, pattern, working_set, budget)
            }
            What::Latency { bytes } => self.latency(crew, bytes, budget),
        };
        if self.cancelled() {
            return Err(Error::Cancelled);
        }
        if !measured {
            self.missed.push(point.title.clone());
        }
        Ok(())
    }

    /// Whether sampling must end now.
    fn stop(&self) -> bool {
        self.cancelled() || self.begun.elapsed() >= self.options.limit
    }

    fn flops(&mut self, crew: &Crew, kernel: &'static FlopKernel, budget: Duration) -> bool {
        let mut iterations = 2000;
        let outcome = best_of(
            1,
            budget,
            || self.stop(),
            |_| {
                let done = iterations;
                let sample = crew.sample(Work::Flops { kernel, iterations });
                // A disturbed sample must not shorten all later ones.
                iterations = repetitions(done, sample.seconds).clamp(done / 2 + 1, done * 64);
                (done * kernel.flop_per_iteration() * crew.size() as u64) as f64 / sample.seconds * 1e-9
            },
        );
        let Some(outcome) = outcome else { return false };
        self.report.flops.push(FlopCeiling {
            level: kernel.level,
            element: kernel.element,
            fma: kernel.fma,
            cores: crew.size() as u32,
            gflops: outcome.best,
            spread: outcome.spread,
        });
        true
    }

    fn stream(
        &mut self,
        crew: &Crew,
        level: MemoryLevel,
        pattern: Pattern,
        working_set: usize,
        budget: Duration,
    ) -> bool {
        let kernels: Vec<&'static StreamKernel> =
            self.streams.iter().copied().filter(|k| k.pattern == pattern).collect();
        let mut repeats = vec![1_u64; kernels.len()];
        let outcome = best_of(
            kernels.len(),
            budget,
            || self.stop(),
            |way| {
                let kernel = kernels[way];
                let done = repeats[way];
                let sample = crew.sample(Work::Stream { kernel, working_set, repeats: done });
                repeats[way] = repetitions(done, sample.seconds).clamp(done / 2 + 1, done * 1024);
                (done * kernel.bytes_moved(working_set) * crew.size() as u64) as f64 / sample.seconds * 1e-9
            },
        );
        let Some(outcome) = outcome else { return false };
        self.report.bandwidths.push(BandwidthCeiling {
            level,
            kernel: pattern.name().to_owned(),
            cores: crew.size() as u32,
            gbytes: outcome.best,
            working_set_bytes: kernels[outcome.way].bytes_moved(working_set),
            variant: kernels[outcome.way].variant(),
            spread: outcome.spread,
        });
        true
    }

    fn latency(&mut self, crew: &Crew, bytes: usize, budget: Duration) -> bool {
        if self.stop() {
            return false;
        }
        crew.sample(Work::Link { bytes });
        let lines = (bytes / 64) as u64;
        let mut iterations = (lines / latency::UNROLL).clamp(16, 4096);
        let mut ticks_per_second = 0.0_f64;
        let outcome = best_of(
            1,
            budget,
            || self.stop(),
            |_| {
                let done = iterations;
                let sample = crew.sample(Work::Chase { iterations });
                ticks_per_second = sample.ticks as f64 / sample.seconds;
                iterations = repetitions(done, sample.seconds).clamp(done / 2 + 1, done * 64);
                (done * latency::UNROLL) as f64 / sample.seconds
            },
        );
        let Some(outcome) = outcome else { return false };
        self.report.latencies.push(Latency {
            bytes: bytes as u64,
            ns: 1e9 / outcome.best,
            cycles: ticks_per_second / outcome.best,
            spread: 1.0 / outcome.spread,
        });
        true
    }

    fn finish(mut self) -> Result<Ceilings, Error> {
        if self.report.flops.is_empty()
            && self.report.bandwidths.is_empty()
            && self.report.latencies.is_empty()
        {
            return Err(Error::Nothing { why: format!("{:?} were not enough", self.options.limit) });
        }
        if !self.missed.is_empty() {
            let (points, limit) = (self.missed, self.options.limit);
            self.report.warnings.push(Warning::NotReached { points, limit });
        }
        let own_seconds = self.schedule.0 as f64 / 1e9;
        self.report.conditions =
            Some(disturbance::conditions(self.cpu_time, self.schedule, own_seconds, &self.report));
        self.report.seconds = self.begun.elapsed().as_secs_f64();
        self.report.measured_unix =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Ok(self.report)
    }
}

#[cfg(test)]
mod tests;
