//! Bandwidths and latencies beyond the first level: what a loop's traced accesses move, over what the machine can.

use super::around::Around;
use super::causes::{EXPLAINS, cause_of, cost, modelled};
use super::curve::slope_at_end;
use crate::model::{Cause, CauseKind, Ceilings, Provenance, ResourceFacts};
use loopwright_costs::estimates::MEMORY_LATENCY;
use loopwright_instrument::injected::InjectedLoop;
use loopwright_vocabulary::{MemoryLevel, Resource};

/// The bandwidths of the levels that the loop moves lines of. Walks also delay a loop that waits for single lines (they fill the
/// buffers for misses), so they decide only where the lines that the loop itself moves take a good part of its time.
pub(super) fn bandwidth_causes(
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
        let Some(lines) = lines_of(level) else { continue };
        let resource = resources.iter().find(|r| r.resource == lines);
        let ceilings = around.machine.and_then(|m| m.ceilings.as_ref());
        let by_rate = ceilings.and_then(|c| bandwidth(c, level)).map(|rate| bytes / rate / seconds);
        let by_cost = cost(measured, lines).map(|cost| bytes / LINE * cost / ticks);
        // Both are measured on this machine; what disturbs a measurement makes it larger.
        let share = by_cost.into_iter().chain(by_rate).reduce(f64::min);
        // Where that is more time than there was: what a line costs beside those of the loop.
        let by_slope = resource.and_then(|r| slope_at_end(&r.curve)).map(|ratio| bytes / LINE * ratio);
        let share = if share > Some(CONTRADICTS) {
            share.into_iter().chain(by_slope).reduce(f64::min)
        } else {
            share
        };
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

/// The resource that lines of a level take.
fn lines_of(level: MemoryLevel) -> Option<Resource> {
    Resource::ALL.into_iter().find(|r| r.level() == Some(level))
}

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

/// The most that waiting for lines can take of an iteration's time, if each is waited for alone.
pub(super) fn far_share(around: &Around<'_>, cycles: Option<f64>) -> f64 {
    /// Fewer lines in an iteration are those of arrays that are read in order, which prefetchers bring in time.
    const LINES: f64 = 0.1;
    let traffic = traffic(around);
    let (Some(cycles), Some((_, all))) = (cycles, traffic.first()) else { return 0.0 };
    if *all < LINES * LINE {
        return 0.0;
    }
    traffic.iter().map(|(level, bytes)| waited(around, *level, *bytes) / cycles).sum()
}

/// Cycles that lines of a level take, each alone, beyond those of the level before: they pass that one, too.
fn waited(around: &Around<'_>, level: MemoryLevel, bytes: f64) -> f64 {
    let latency = &around.core.latency;
    let longer = match level {
        MemoryLevel::L2 => latency.l2 - latency.l1,
        MemoryLevel::L3 => latency.l3 - latency.l2,
        _ => MEMORY_LATENCY - latency.l3,
    };
    bytes / LINE * longer
}

/// Lines are waited for one after the other, and that takes most of the time.
pub(super) fn waits_for_lines(around: &Around<'_>, far: f64) -> bool {
    around.chases() && far >= EXPLAINS
}

/// The bandwidth of the level whose lines are waited for most.
fn waited_for_most(around: &Around<'_>) -> Option<CauseKind> {
    let all = traffic(around).into_iter();
    let (level, _) = all.max_by(|a, b| waited(around, a.0, a.1).total_cmp(&waited(around, b.0, b.1)))?;
    lines_of(level).and_then(cause_of)
}

/// Where lines come from a distant level and neither ports nor bandwidths nor chains explain the time, it is latency. No access of a
/// loop that walks in order waits for the one before: of that the time is the bandwidth, which neighbours share, and the buffers for
/// misses limit.
pub(super) fn latency_cause(around: &Around<'_>, others: &[Cause], units: f64, far: f64) -> Option<Cause> {
    let chases = around.chases();
    if far <= 0.0 && (!chases || around.memory.is_some()) {
        return None;
    }
    // They explain that time themselves: what units may do meanwhile is no objection.
    let units = if waits_for_lines(around, far) { 0.0 } else { units };
    let explained = others.iter().map(|c| c.share).fold(units, f64::max);
    let share = if chases { 1.0 - explained * 0.5 } else { 1.0 - explained };
    /// Latencies of the tables are those of an idle machine: lines that take this much of the time by them are what a chase that
    /// leaves everything else idle waits for.
    const WAITED: f64 = 0.4;
    // Without a trace a chase is one through whatever level.
    let known = around.memory.is_some() && (!chases || far < WAITED);
    let most = if known { far } else { 1.0 };
    let streamed = Some(around).filter(|around| !chases && around.streams()).and_then(waited_for_most);
    modelled(streamed.unwrap_or(CauseKind::MemoryLatency), share.min(most))
}
