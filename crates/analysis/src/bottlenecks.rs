//! What binds a loop: the shares of an iteration's time that each cause takes by itself.
//!
//! Ports and front end are measured: where enough operations are injected that the loop waits for the resource alone, an
//! iteration takes `t = own + operations * cost`, and `own / t0` is the share in which the loop itself keeps it busy. Latencies
//! and bandwidths cannot be injected away. Their shares are modelled from what else is known: the latency of the loop's chains,
//! the bytes that its traced accesses move between the levels of memory, and the measured bandwidths. A loop that leaves every
//! resource idle waits for something: then the largest modelled share is the answer, or the latency of memory where lines come
//! from a distant level and no bandwidth explains the time.

use crate::counts::Builds;
use crate::model::{
    Bottleneck, BranchFacts, Cause, CauseKind, Ceilings, CurvePoint, MachineFacts, MemoryFacts, Provenance,
    ResourceFacts, Uninjected,
};
use crate::resolve::Entities;
use loopwright_binary::facts::{CarriedChain, ChainKind, LoopCode, OperandUse, Trait};
use loopwright_costs::Core;
use loopwright_costs::estimates::{INTEGER_DIVISIONS_APART, MEMORY_LATENCY};
use loopwright_experiment::Facts;
use loopwright_instrument::injected::{Injected, InjectedLoop};
use loopwright_vocabulary::{MemoryLevel, Resource};
use std::collections::HashMap;

/// What all runs with injected operations say.
#[derive(Default)]
pub(crate) struct Bottlenecks<'a> {
    /// By index into [`Entities::loops`].
    measured: HashMap<u32, (&'a Injected, &'a InjectedLoop)>,
    left: HashMap<u32, Uninjected>,
}

impl<'a> Bottlenecks<'a> {
    /// Joins all runs with the loops; later ones replace what they measured again. Those of other builds are left out.
    pub fn new(facts: &'a Facts, entities: &Entities, builds: &Builds) -> Self {
        let mut this = Self::default();
        let headers = entities.headers();
        for (number, run) in facts.injected.iter().enumerate() {
            for l in run.facts.loops.iter().filter(|l| builds.injected.holds(number, l.module as usize)) {
                let path = run.facts.modules.get(l.module as usize).map_or("", |m| m.path.as_str());
                if let Some(&index) = headers.get(&(path, l.header)) {
                    this.left.remove(&index);
                    this.measured.insert(index, (&run.facts, l));
                }
            }
            for l in &run.facts.left {
                if let Some(&index) = headers.get(&(l.module.as_str(), l.header))
                    && !this.measured.contains_key(&index)
                {
                    this.left.insert(index, l.reason.clone().into());
                }
            }
        }
        this
    }

    /// Whether a loop was asked for.
    pub fn asked(&self, index: u32) -> bool {
        self.measured.contains_key(&index) || self.left.contains_key(&index)
    }

    /// Why nothing was injected into a loop.
    pub fn left(&self, index: u32) -> Option<Uninjected> {
        self.left.get(&index).cloned()
    }

    /// What binds a loop.
    pub fn of_loop(&self, index: u32, entities: &Entities, around: &Around<'_>) -> Option<Bottleneck> {
        let (run, measured) = self.measured.get(&index).copied()?;
        let changed_at = (measured.unit != measured.header).then(|| {
            let nest = entities.nest(Some(index)).skip(1);
            let mut units = nest.filter(|&l| entities.loops[l as usize].code.header == measured.unit);
            units.next().map(|l| entities.loops[l as usize].id)
        });
        Some(bottleneck(run, measured, around, changed_at.flatten()))
    }
}

/// What else is known of a loop.
pub(crate) struct Around<'a> {
    /// Integer divisions of an iteration.
    pub integer_divisions: u32,
    pub operands: OperandUse,
    /// Its own instructions.
    pub instructions: u32,
    pub chains: &'a [CarriedChain],
    pub memory: Option<&'a MemoryFacts>,
    pub branches: &'a [BranchFacts],
    pub machine: Option<&'a MachineFacts>,
    pub core: &'a Core,
}

impl Around<'_> {
    /// Integer divisions of an iteration, as the code shows.
    pub fn integer_divisions(code: &LoopCode) -> u32 {
        if code.traits.contains(&Trait::IntegerDivide) { code.mix.divide } else { 0 }
    }

    /// The address of a load comes from a load before.
    fn chases(&self) -> bool {
        self.chains.iter().any(|c| c.kind == ChainKind::PointerChase)
    }
}

/// A loop keeps a resource busy enough to be bound by it: schedulers do not reach all of it.
const BINDS: f64 = 0.70;
/// A modelled share that explains the time of a loop which leaves every resource idle.
const EXPLAINS: f64 = 0.60;
/// The same of bandwidths: nothing reaches the best measured rate of a level while others use it, too.
const AT_BEST: f64 = 0.50;
/// The same of mispredictions: the penalty of the tables is the least that one costs, more where the condition is late.
const MISSES: f64 = 0.40;
/// Causes within this distance of the first bind together.
const TOGETHER: f64 = 0.15;

fn bottleneck(
    run: &Injected,
    measured: &InjectedLoop,
    around: &Around<'_>,
    changed_at: Option<u32>,
) -> Bottleneck {
    let resources: Vec<ResourceFacts> =
        Resource::ALL.into_iter().filter_map(|r| resource_facts(measured, r)).collect();
    let ticks = measured.plain.median;
    let seconds = ticks / run.ticks_per_second;
    // One multiplication starts in each cycle of all cores with a table (uops.info: `IMUL r64, r64, i8`).
    let cycles = cost(measured, Resource::Multiply).map(|ticks_per_cycle| ticks / ticks_per_cycle);
    let serial = serial_share(&resources, &measured.used);
    let mut causes = measured_causes(&resources, &measured.used, serial);
    let missed = cycles.and_then(|cycles| missed_share(around.branches, cycles));
    let branches = missed.and_then(|share| branch_cause(share, serial));
    causes.extend(branches);
    if let Some(cycles) = cycles {
        causes.extend(chain_cause(around, cycles));
        causes.extend(division_cause(around, cycles));
    }
    causes.extend(bandwidth_causes(measured, &resources, around, seconds));
    let units = units_at_most(measured, &resources, around.instructions, cycles);
    let far = far_share(around, cycles);
    causes.extend(latency_cause(around, &causes, units, far));
    causes.extend(eliminated(around, &causes, missed, units, far));
    causes.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.kind.cmp(&b.kind)));
    let mut seen = Vec::new();
    causes.retain(|c| {
        !seen.contains(&c.kind) && {
            seen.push(c.kind);
            true
        }
    });
    Bottleneck {
        iteration_ns: seconds * 1e9,
        iteration_cycles: cycles,
        verdict: verdict(&causes),
        causes,
        resources,
        changed_at,
        counted_in_memory: measured.counted_in_memory,
        windows: measured.windows,
        disturbed: measured.dropped,
    }
}

/// The causes that bind: the first of them and what is as large.
fn verdict(causes: &[Cause]) -> Vec<Cause> {
    let enough = |c: &Cause| match (c.kind, c.provenance) {
        (CauseKind::BranchMisses, _) => c.share >= MISSES,
        (_, Provenance::Measured) => c.share >= BINDS,
        (CauseKind::BandwidthL2 | CauseKind::BandwidthL3 | CauseKind::BandwidthMemory, _) => {
            c.share >= AT_BEST
        }
        _ => c.share >= EXPLAINS,
    };
    let Some(first) = causes.iter().find(|c| enough(c)) else { return Vec::new() };
    causes.iter().filter(|c| enough(c) && c.share >= first.share - TOGETHER).copied().collect()
}

/// Ticks of an operation that waits for its own kind alone.
fn cost(measured: &InjectedLoop, resource: Resource) -> Option<f64> {
    measured.costs.iter().find(|c| c.resource == resource).map(|c| c.ticks)
}

fn resource_facts(measured: &InjectedLoop, resource: Resource) -> Option<ResourceFacts> {
    let curve: Vec<CurvePoint> = measured
        .versions
        .iter()
        .filter(|v| v.resource == resource)
        .map(|v| CurvePoint {
            operations: v.count,
            ratio: v.ratio.median,
            low: v.ratio.low,
            high: v.ratio.high,
        })
        .collect();
    let cost = cost(measured, resource)?;
    let busy = busy(&curve, cost, measured.plain.median, resource.is_memory());
    if curve.is_empty() {
        return None;
    }
    let (room, room_is_bound) = room(&curve);
    Some(ResourceFacts { resource, room, room_is_bound, busy, curve })
}

/// The share in which the loop itself keeps a resource busy.
///
/// At every point `ratio >= own + operations * cost`, with equality where all wait for the resource alone: so the least difference
/// is the answer. Many operations also fill the buffers of the core, which makes iterations wait for each other; points with fewer
/// operations are free of that.
fn busy(curve: &[CurvePoint], cost: f64, plain: f64, walks: bool) -> Option<f64> {
    /// Operations lengthen an iteration by this much once they wait for their resource.
    const LENGTHENED: f64 = 1.25;
    /// And they alone take this much of an iteration without them: a few operations in a long iteration measure its noise.
    const SUBSTANTIAL: f64 = 0.8;
    let cost = cost / plain;
    let last = curve.last()?;
    if last.ratio < LENGTHENED || f64::from(last.operations) * cost < SUBSTANTIAL {
        return None;
    }
    // Beside the loop's own instructions an operation may cost more than alone (stores to different lines), and a line less than
    // while it was calibrated, if others used the same memory: the slope shows it.
    let before = curve.len().checked_sub(2).and_then(|at| curve.get(at)).filter(|p| p.ratio >= LENGTHENED);
    let slope = before.map(|p| (last.ratio - p.ratio) / f64::from(last.operations - p.operations));
    let cost = slope.map_or(cost, |slope| if walks { slope } else { cost.max(slope) });
    let own = curve.iter().map(|p| p.ratio - f64::from(p.operations) * cost).fold(f64::INFINITY, f64::min);
    Some(own.clamp(0.0, 1.0))
}

/// Operations that are absorbed; all that were tried, where that is a bound.
fn room(curve: &[CurvePoint]) -> (f64, bool) {
    /// Windows scatter by a few percent; this much is a difference.
    const LONGER: f64 = 1.05;
    let mut before = (0.0, 1.0);
    for point in curve {
        let at = (f64::from(point.operations), point.ratio);
        if at.1 > LONGER {
            let part =
                if at.1 > before.1 { ((LONGER - before.1) / (at.1 - before.1)).clamp(0.0, 1.0) } else { 0.0 };
            return (before.0 + part * (at.0 - before.0), false);
        }
        before = at;
    }
    (before.0, true)
}

/// The cause that a busy resource is. Jumps are shown, but not judged: what they cost depends on where they are.
fn cause_of(resource: Resource) -> Option<CauseKind> {
    Some(match resource {
        Resource::FrontEnd => CauseKind::FrontEnd,
        // Waiting for scattered lines is latency, which is judged by itself.
        Resource::TakenBranches | Resource::ScatteredLines => return None,
        Resource::Integer => CauseKind::IntegerPorts,
        Resource::Multiply => CauseKind::Multiplier,
        Resource::Loads => CauseKind::LoadPorts,
        Resource::Stores => CauseKind::StorePorts,
        Resource::FloatAdd | Resource::FloatMultiply => CauseKind::FloatPorts,
        Resource::FloatDivide => CauseKind::Divider,
        Resource::L2Lines => CauseKind::BandwidthL2,
        Resource::L3Lines => CauseKind::BandwidthL3,
        Resource::MemoryLines => CauseKind::BandwidthMemory,
    })
}

/// The share in which operations cannot overlap with anything: that in which resources look busy that the loop does not use. What
/// follows a mispredicted branch starts anew, and after a late load the core is full, so that operations come on top.
fn serial_share(resources: &[ResourceFacts], used: &[Resource]) -> f64 {
    /// Less is what schedulers do not reach.
    const LEAST: f64 = 0.35;
    // The multiplier is one of the integer ports, which all loops use, and stores beside others look dearer than they are.
    let apart = [Resource::Loads, Resource::FloatAdd, Resource::FloatMultiply];
    let unused = resources.iter().filter(|r| apart.contains(&r.resource) && !used.contains(&r.resource));
    let shares = unused.filter_map(|r| r.busy);
    shares.reduce(f64::min).filter(|share| *share >= LEAST).unwrap_or(0.0)
}

/// The units of the core that the loop uses. Lines of memory are judged together with what the loop itself moves.
fn measured_causes(resources: &[ResourceFacts], used: &[Resource], serial: f64) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    for r in resources.iter().filter(|r| !r.resource.is_memory() && used.contains(&r.resource)) {
        let Some((share, kind)) = r.busy.zip(cause_of(r.resource)) else { continue };
        let share = (share - serial).max(0.0);
        match causes.iter_mut().find(|c| c.kind == kind) {
            Some(known) => known.share = known.share.max(share),
            None => causes.push(Cause { kind, share, provenance: Provenance::Measured }),
        }
    }
    // The multiplier is one of the integer ports: where those are full, so is it.
    let integer = causes.iter().find(|c| c.kind == CauseKind::IntegerPorts).map_or(0.0, |c| c.share);
    causes.retain(|c| c.kind != CauseKind::Multiplier || integer < BINDS || c.share > integer);
    causes
}

/// Share of the time that the simulated mispredictions take; none where no branch was judged.
fn missed_share(branches: &[BranchFacts], cycles: f64) -> Option<f64> {
    let lost = branches.iter().filter_map(|b| b.cycles_per_iteration).reduce(|a, b| a + b)?;
    Some(lost / cycles)
}

/// Mispredicted branches. The penalty of the tables is the least that one costs; where operations cannot overlap, that is the share.
fn branch_cause(share: f64, serial: f64) -> Option<Cause> {
    /// Share of the simulated mispredictions from which on they explain why operations cannot overlap.
    const MISSED: f64 = 0.15;
    let share = share.min(1.0);
    modelled(CauseKind::BranchMisses, if share >= MISSED { share.max(serial) } else { share })
}

/// A modelled share. Where the model takes more time than there was, the loop shows that it does not hold here.
fn modelled(kind: CauseKind, share: f64) -> Option<Cause> {
    /// Ceilings and clocks vary by this much from run to run on shared machines.
    const TOLERATED: f64 = 1.35;
    let cause = Cause { kind, share: share.min(1.0), provenance: Provenance::Modelled };
    (share <= TOLERATED).then_some(cause)
}

fn chain_cause(around: &Around<'_>, cycles: f64) -> Option<Cause> {
    let longest = around.chains.iter().filter(|c| c.kind != ChainKind::PointerChase);
    let latency = longest.map(|c| c.latency_cycles).max()?;
    modelled(CauseKind::ChainLatency, f64::from(latency) / cycles)
}

/// Integer divisions, which are not injected: they need registers of their own.
fn division_cause(around: &Around<'_>, cycles: f64) -> Option<Cause> {
    let divisions = Some(around.integer_divisions).filter(|n| *n > 0)?;
    let share = f64::from(divisions) * around.core.integer_division * INTEGER_DIVISIONS_APART / cycles;
    modelled(CauseKind::Divider, share)
}

/// The bandwidths of the levels that the loop moves lines of. Walks also delay a loop that waits for single lines (they fill the
/// buffers for misses), so they decide only where the lines that the loop itself moves take a good part of its time.
fn bandwidth_causes(
    measured: &InjectedLoop,
    resources: &[ResourceFacts],
    around: &Around<'_>,
    seconds: f64,
) -> Vec<Cause> {
    /// Part of the time that the loop's own lines take at least where their level can bind it.
    const OWN: f64 = 0.45;
    /// The model takes this many times the measured time.
    const CONTRADICTS: f64 = 2.0;
    if around.chases() {
        // One line at a time, whatever the level could deliver.
        return Vec::new();
    }
    let ticks = measured.plain.median;
    let mut causes = Vec::new();
    let mut farther = false;
    // From main memory inwards: a loop that streams from there finds nothing of our own in nearer caches.
    for (level, bytes) in traffic(around).into_iter().rev() {
        let Some(lines) = Resource::ALL.into_iter().find(|r| r.level() == Some(level)) else { continue };
        let resource = resources.iter().find(|r| r.resource == lines);
        let ceilings = around.machine.and_then(|m| m.ceilings.as_ref());
        let by_rate = ceilings.and_then(|c| bandwidth(c, level)).map(|rate| bytes / rate / seconds);
        let by_cost = cost(measured, lines).map(|cost| bytes / LINE * cost / ticks);
        // Both are measured on this machine; what disturbs a measurement makes it larger.
        let share = by_cost.into_iter().chain(by_rate).reduce(f64::min);
        let Some((kind, share)) = cause_of(lines).zip(share) else { continue };
        // What a line costs varies with what else uses the level, and with how far ahead it was asked for. Beyond that, the
        // lines did not come from there.
        if share > CONTRADICTS {
            continue;
        }
        let busy = resource.and_then(|r| r.busy).filter(|_| share >= OWN && !farther);
        farther |= share >= OWN;
        let modelled = Cause { kind, share: share.min(1.0), provenance: Provenance::Modelled };
        // At the best rate of the level its lines take this much of the time, whatever walks show beside them.
        let measured = busy.map(|share| Cause { kind, share, provenance: Provenance::Measured });
        causes.push(measured.filter(|m| m.share >= modelled.share).unwrap_or(modelled));
    }
    causes
}

/// Bytes of a cache line on all x86-64 processors.
const LINE: f64 = 64.0;

/// Bytes of an iteration that come from or go to a level below the first.
fn traffic(around: &Around<'_>) -> Vec<(MemoryLevel, f64)> {
    let Some(levels) = around.memory.and_then(|m| m.caches.first()) else { return Vec::new() };
    let caches: Vec<_> = levels.iter().filter(|c| c.name.starts_with('L')).collect();
    let moved = |c: &&crate::model::CacheFacts| {
        c.estimated_bytes_in_per_iteration + c.estimated_bytes_out_per_iteration
    };
    caches
        .iter()
        .enumerate()
        .map(|(at, cache)| {
            let next = if at + 1 < caches.len() { MemoryLevel::cache_at(at + 1) } else { MemoryLevel::Dram };
            (next, moved(cache))
        })
        .filter(|(_, bytes)| *bytes > 0.0)
        .collect()
}

/// Bytes per second that one core loads from a level.
fn bandwidth(ceilings: &Ceilings, level: MemoryLevel) -> Option<f64> {
    let mut mine = ceilings.bandwidths.iter().filter(|b| b.level == level && b.cores == 1);
    mine.find(|b| b.kernel == "load").map(|b| b.gbytes * 1e9)
}

/// The most that any unit which the loop uses can take of its time, where it is not known: by the operations that were absorbed
/// beside it, and by one cycle for each instruction.
fn units_at_most(
    measured: &InjectedLoop,
    resources: &[ResourceFacts],
    instructions: u32,
    cycles: Option<f64>,
) -> f64 {
    let by_instructions = cycles.map_or(1.0, |cycles| f64::from(instructions) / cycles);
    let used = resources.iter().filter(|r| !r.resource.is_memory() && measured.used.contains(&r.resource));
    let most = used.map(|r| {
        let cost = cost(measured, r.resource).unwrap_or(0.0);
        let left = |p: &CurvePoint| p.ratio - f64::from(p.operations) * cost / measured.plain.median;
        let by_room = r.curve.iter().map(left).fold(1.0, f64::min);
        r.busy.unwrap_or_else(|| by_room.min(by_instructions))
    });
    most.fold(0.0, f64::max)
}

/// The most that waiting for lines can take of an iteration's time, if each is waited for alone.
fn far_share(around: &Around<'_>, cycles: Option<f64>) -> f64 {
    /// Fewer lines in an iteration are those of arrays that are read in order, which prefetchers bring in time.
    const LINES: f64 = 0.1;
    let traffic = traffic(around);
    let (Some(cycles), Some((_, all))) = (cycles, traffic.first()) else { return 0.0 };
    if *all < LINES * LINE {
        return 0.0;
    }
    // Lines that come from a level come from all nearer ones, too: each level adds what it takes longer.
    let latency = &around.core.latency;
    let longer = |level: MemoryLevel| match level {
        MemoryLevel::L2 => latency.l2 - latency.l1,
        MemoryLevel::L3 => latency.l3 - latency.l2,
        _ => MEMORY_LATENCY - latency.l3,
    };
    traffic.iter().map(|(level, bytes)| bytes / LINE * longer(*level) / cycles).sum()
}

/// Where lines come from a distant level and neither ports nor bandwidths nor chains explain the time, it is latency.
fn latency_cause(around: &Around<'_>, others: &[Cause], units: f64, far: f64) -> Option<Cause> {
    let chases = around.chases();
    if far <= 0.0 && (!chases || around.memory.is_some()) {
        return None;
    }
    let explained = others.iter().map(|c| c.share).fold(units, f64::max);
    let share = if chases { 1.0 - explained * 0.5 } else { 1.0 - explained };
    // Without a trace a chase is one through whatever level.
    let most = if around.memory.is_some() { far } else { 1.0 };
    modelled(CauseKind::MemoryLatency, share.min(most))
}

/// A loop that leaves every resource idle, misses no cache and cannot mispredict waits for a result of an iteration before:
/// through memory, where the code does not show the chain.
fn eliminated(
    around: &Around<'_>,
    others: &[Cause],
    missed: Option<f64>,
    units: f64,
    far: f64,
) -> Option<Cause> {
    /// Mispredictions that take less of the time are no explanation.
    const HARDLY: f64 = 0.1;
    /// Nor are lines from elsewhere.
    const NEAR: f64 = 0.2;
    let operands = around.operands;
    let plain = operands.data_tests == 0 && operands.position_tests == 0;
    let steady = missed.map_or(plain, |share| share < HARDLY);
    let near = around.memory.is_some() && far < NEAR;
    let known = others.iter().any(|c| c.kind == CauseKind::ChainLatency && c.share >= EXPLAINS);
    let others = others.iter().filter(|c| c.kind != CauseKind::ChainLatency);
    let busiest = others.map(|c| c.share).fold(units, f64::max);
    (steady && near && !known && busiest < EXPLAINS)
        .then(|| modelled(CauseKind::ChainLatency, 1.0 - busiest))
        .flatten()
}

#[cfg(test)]
mod tests;
