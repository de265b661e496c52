//! Idle CPUs, and what giving a loop to them gains.
//!
//! A loop on n CPUs is at best n times as fast; uneven iterations, starts and waits leave it between [`THREAD_EFFICIENCY`]
//! of that. Loops that main memory bounds get no further than the bandwidth of all cores (roofline).

use crate::counted::{Turns, turns};
use crate::evidence::{Fact, Machine, Pass, Threads};
use crate::facts::Facts;
use loopwright_analysis::model::{LoopFacts, Provenance, WorkRow};
use loopwright_costs::estimates::{REGION_SECONDS, THREAD_EFFICIENCY};
use loopwright_costs::{Gain, together};
use loopwright_vocabulary::MemoryLevel;

/// Up to this share of its CPUs a program leaves about half of the machine idle: one thread on two CPUs keeps half of
/// them busy, give or take what the sampling is off.
const LOW_USAGE: f64 = 0.55;
/// The program must have been at work: programs that wait for input or the network gain nothing from threads.
const AT_WORK: f64 = 0.5;
/// Starting threads is not worth it for less.
const SHORTEST_RUN_SECONDS: f64 = 0.1;

/// Iterations per thread and entry, so that an uneven rest is no large part.
const ITERATIONS_PER_CPU: f64 = 2.0;
/// An entry must last several times as long as a parallel region takes to start and end at the most.
const SHORTEST_ENTRY: f64 = 5.0 * REGION_SECONDS.1;

/// How busy the CPUs of a program were that keeps few of them at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// CPUs that the program may use.
    pub cpus: u32,
    /// CPUs that were busy on average.
    pub mean_busy: f64,
}

impl Usage {
    /// As evidence.
    pub fn fact(self) -> Threads {
        Threads::CpusBusy { busy: self.mean_busy, cpus: self.cpus }
    }
}

/// The CPUs' use, when the program leaves at least half of them idle while it is at work.
pub fn idle_cpus(facts: &Facts) -> Option<Usage> {
    let program = &facts.analysis.program;
    let cpus = program.cpus_allowed;
    // Where one thread had a CPU and another one waited for it, more CPUs would have been used: how many is not known.
    if program.threads > 1 && program.load.as_ref().is_some_and(|load| load.busy) {
        return None;
    }
    // While other programs had the CPUs this one was at work, and what it would have used is not known.
    let ready = program.elapsed.as_ref().map_or(0.0, |elapsed| elapsed.ready_seconds);
    let elapsed: f64 = program.cpu_usage.iter().sum::<f64>() - ready;
    if cpus < 2 || elapsed < SHORTEST_RUN_SECONDS || program.ranks > 1 {
        return None;
    }
    let weighted: f64 =
        program.cpu_usage.iter().enumerate().map(|(busy, seconds)| busy as f64 * seconds).sum();
    let mean_busy = weighted / elapsed;
    let idle = (program.cpu_usage.first().copied().unwrap_or(0.0) - ready).max(0.0) / elapsed;
    let usable = (mean_busy / f64::from(cpus)).is_finite()
        && mean_busy / f64::from(cpus) <= LOW_USAGE
        && 1.0 - idle >= AT_WORK;
    usable.then_some(Usage { cpus, mean_busy })
}

/// Several threads work in the loop: its iterations, or those of a loop around it, are shared out already. CPUs are idle then
/// for another reason: uneven or short work, waiting, or other programs.
pub fn shared_out(of: &LoopFacts) -> bool {
    of.threads > 1
}

/// Iterations per entry: counted, else of those that were checked.
pub fn iterations(of: &LoopFacts) -> Option<Turns> {
    let checked = of.dependence.as_ref().filter(|d| d.exhaustive && d.checked_entries > 0);
    turns(of).or_else(|| {
        let found = checked?;
        Some(Turns { mean: found.checked_iterations as f64 / found.checked_entries as f64, machine: false })
    })
}

/// Time of one entry with all that it calls, where the entries are counted.
pub fn seconds_per_entry(of: &LoopFacts) -> Option<f64> {
    let trips = of.trip_count.as_ref()?;
    let entries = trips.source_entries.or(trips.entries).filter(|n| *n > 0)?;
    Some(of.total_seconds / entries as f64)
}

/// As far as it is counted, an entry holds enough iterations for all CPUs, and enough work for a parallel region.
pub fn enough_work(of: &LoopFacts, usage: Usage) -> bool {
    iterations(of).is_none_or(|n| n.mean >= ITERATIONS_PER_CPU * f64::from(usage.cpus))
        && seconds_per_entry(of).is_none_or(|s| s >= SHORTEST_ENTRY)
}

/// With the start and the end of a parallel region in each entry.
fn with_regions(gain: Gain, of: &LoopFacts) -> Gain {
    let Some(entry) = seconds_per_entry(of).filter(|s| *s > 0.0) else { return gain };
    let after = |gain: f64, region: f64| entry / (entry / gain + region);
    Gain::between(after(gain.low(), REGION_SECONDS.1), after(gain.high(), REGION_SECONDS.0))
}

/// What the loop gains on all CPUs, with the facts that bound it.
pub fn gain(facts: &Facts, candidate: &LoopFacts, usage: Usage) -> (Gain, Vec<(Provenance, Fact)>) {
    let threads = f64::from(usage.cpus) / usage.mean_busy.max(1.0);
    let (mut low, mut high) = (threads * THREAD_EFFICIENCY.0, threads * THREAD_EFFICIENCY.1);
    let mut said = Vec::new();
    if let Some(bound) = memory_scaling(facts, usage.cpus) {
        low = low.min(bound);
        said.push((Provenance::Measured, Machine::MemoryScaling { factor: bound }.into()));
    }
    if let Some((bounded, share)) = within_bandwidth(facts, candidate, usage.cpus, high) {
        high = bounded;
        said.push((Provenance::Modelled, Machine::SharedBandwidth { share }.into()));
    }
    let gain = with_regions(Gain::between(low, high.max(low)), candidate);
    (iterations(candidate).map_or(gain, |n| gain.capped(n.mean.max(1.0))), said)
}

/// How much more bandwidth all cores have than one, when measured.
fn memory_scaling(facts: &Facts, cpus: u32) -> Option<f64> {
    let ceilings = facts.machine()?.ceilings.as_ref()?;
    let best = |all: bool| {
        let of_memory = ceilings
            .bandwidths
            .iter()
            .filter(|b| b.level == MemoryLevel::Dram && (b.cores > 1) == all && b.cores <= cpus);
        of_memory.map(|b| b.gbytes).filter(|g| *g > 0.0).reduce(f64::max)
    };
    Some((best(true)? / best(false)?).max(1.0))
}

/// The most that threads gain where counts and ceilings show loops that main memory bounds, and their share of the time:
/// those get no further than the bandwidth of all cores.
fn within_bandwidth(facts: &Facts, candidate: &LoopFacts, cpus: u32, most: f64) -> Option<(f64, f64)> {
    let scaling = memory_scaling(facts, cpus)?;
    let whole = candidate.total_share.max(f64::MIN_POSITIVE);
    let bound = facts.hot_loops().filter_map(|l| {
        let bound = facts.memory_bound(l).filter(|b| b.slowest)?;
        facts.beyond_caches(l, WorkRow::bytes).filter(Pass::of_loop)?;
        let reachable = (scaling * bound.headroom).clamp(1.0, most.max(1.0));
        Some((l.self_share / whole, Gain::of(reachable)))
    });
    let mut parts: Vec<(f64, Gain)> = bound.collect();
    let share: f64 = parts.iter().map(|(share, _)| share).sum();
    if share <= 0.0 {
        return None;
    }
    parts.push(((1.0 - share).max(0.0), Gain::of(most)));
    Some((together(&parts).high().min(most), (share * whole).min(1.0)))
}
