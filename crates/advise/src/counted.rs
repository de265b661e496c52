//! What a counting run adds to the rules' view: exact shares in words, rates against time, and how far memory lets
//! a change of the arithmetic help.
//!
//! This module only computes; the rules judge. Definitions of the numbers are in `docs/counts.md`. Which memory level serves a loop is
//! inferred from exact byte counts and the caches' sizes, never from a rate alone: a slow loop in L1 may happen to
//! be as fast as memory.

use crate::evidence::{Memory, Pass, PassUnit};
use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{FunctionFacts, LoopFacts, Provenance, Roof, RoofKind, TripCount, WorkRow};
use loopwright_stats::saturating_sum;
use loopwright_vocabulary::MemoryLevel;

/// A loop this close to the bandwidth of the level that serves it waits for data: bandwidth benchmarks are perfectly
/// regular, and loops around them with more streams or with stores reach half to two thirds of it.
pub const NEAR_A_ROOF: f64 = 2.0;
/// This close to it, the rest is the difference between a benchmark and a loop.
const AT_A_ROOF: f64 = 1.6;
/// Two statements of one share agree within this part of it.
const ALIKE: f64 = 0.1;
/// Gains below this are not worth a word.
pub const LEAST_GAIN: f64 = 1.05;
/// Bytes of masked operations are counted for all lanes where masks are not known; with more of them than this a rate
/// is an upper bound that says nothing.
const MOST_MASKED: f64 = 0.25;

/// A loop that its traffic holds back.
#[derive(Clone, Debug)]
pub struct MemoryBound<'a> {
    /// The memory level that limits the loop.
    pub level: MemoryLevel,
    /// What the level allows / what is achieved.
    pub headroom: f64,
    /// The next level nearer to the core, and what it allows / what is achieved.
    pub nearer: Option<(&'a Roof, f64)>,
    /// The level is the main memory (the slowest that was measured).
    pub slowest: bool,
    /// What the binding level allows, and what is achieved, in GB/s.
    pub gbytes: Option<(f64, f64)>,
}

/// Iterations of an entry of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turns {
    /// Their mean.
    pub mean: f64,
    /// They are machine iterations: how many of the source each of them does is not known.
    pub machine: bool,
}

/// Iterations per entry: as the source has them, else those of the machine by the number of source iterations that each does
/// as far as counts or a trace show it.
pub fn turns(of: &LoopFacts) -> Option<Turns> {
    let trips = of.trip_count.as_ref()?;
    if let Some(mean) = trips.source_mean {
        return Some(Turns { mean, machine: false });
    }
    let traced = || {
        let found = of.dependence.as_ref().filter(|d| d.checked_machine_iterations > 0)?;
        Some(found.checked_iterations as f64 / found.checked_machine_iterations as f64)
    };
    // A trace that shows no more than one leaves open how many elements a vector loop has in a pass.
    let factor =
        trips.source_factor.map(f64::from).or_else(traced).filter(|factor| *factor > 1.0 || !of.vectorized);
    let mean = trips.mean?;
    Some(Turns { mean: mean * factor.unwrap_or(1.0), machine: factor.is_none() && of.vectorized })
}

impl<'a> Facts<'a> {
    /// Whether asking for counts would show more: none were made, and none were refused.
    pub fn lacks_counts(&self, of: &LoopFacts) -> bool {
        of.trip_count.is_none() && of.work.is_none() && of.not_counted.is_none()
    }

    /// With the request for counts, where they are missing and nothing else is asked for.
    pub fn asking_for_counts(&self, new: Recommendation, of: &LoopFacts) -> Recommendation {
        if new.next.is_none() && self.lacks_counts(of) {
            new.next(self.collect("tripcounts", of))
        } else {
            new
        }
    }

    /// The function that holds a loop.
    pub fn function_of(&self, of: &LoopFacts) -> Option<&'a FunctionFacts> {
        self.analysis.functions.iter().find(|f| f.function == of.function && f.module == of.module)
    }

    /// Processor clock in GHz while the ceilings were measured.
    pub fn clock_ghz(&self) -> Option<f64> {
        self.machine()?.clock_ghz()
    }

    /// Counts divided by time mean something: a counting run that was cut short did less than the survey.
    pub fn rates_hold(&self) -> bool {
        self.analysis.counts.as_ref().is_none_or(|counts| !counts.interrupted)
    }

    /// Instructions per cycle of a loop's own code, from its counts, its time and the clock.
    pub fn instructions_per_cycle(&self, of: &LoopFacts) -> Option<f64> {
        let work = of.work.as_ref().filter(|_| of.self_seconds > 0.0 && self.rates_hold())?;
        Some(work.instructions as f64 / of.self_seconds / (self.clock_ghz()? * 1e9))
    }

    /// Share of the loop's time that its machine iterations need at `cycles` each; above 1 when iterations overlap.
    pub fn time_share_of_cycles(&self, of: &LoopFacts, cycles: f64) -> Option<f64> {
        let iterations = of.trip_count.as_ref()?.iterations;
        let seconds = iterations as f64 * cycles / (self.clock_ghz()? * 1e9);
        (of.self_seconds > 0.0 && self.rates_hold()).then(|| seconds / of.self_seconds)
    }

    /// The level of memory that a loop's traffic is close to.
    pub fn memory_bound<'l>(&self, of: &'l LoopFacts) -> Option<MemoryBound<'l>> {
        let point = of.roofline.as_ref().filter(|p| p.bound_kind == Some(RoofKind::Memory))?;
        let mostly_bounds =
            |w: &WorkRow| w.flop_is_bound && w.bound_flop as f64 > MOST_MASKED * w.flop as f64;
        if !self.rates_hold() || of.work.as_ref().is_some_and(mostly_bounds) {
            return None;
        }
        let (bound, achieved) = (point.bound.as_deref()?, point.achieved().filter(|a| *a > 0.0)?);
        let headroom = point.headroom.filter(|h| h.is_finite() && *h <= NEAR_A_ROOF)?;
        let memory: Vec<&Roof> = point.roofs.iter().filter(|r| r.kind == RoofKind::Memory).collect();
        let at = memory.iter().position(|r| r.name == bound)?;
        let nearer = at.checked_sub(1).and_then(|k| memory.get(k)).map(|r| (*r, r.value / achieved));
        Some(MemoryBound {
            level: memory[at].memory()?,
            headroom,
            nearer,
            slowest: at + 1 == memory.len(),
            gbytes: memory[at].gbytes.zip(point.gbytes_per_second),
        })
    }

    /// What memory bounds, in words.
    pub fn near_roof(&self, bound: &MemoryBound) -> Memory {
        // Only part of the bytes of the core may come from there: then their rate is no part of the level's.
        let rates = bound
            .gbytes
            .filter(|(roof, achieved)| (achieved / roof * bound.headroom - 1.0).abs() < ALIKE)
            .map(|(roof, achieved)| (achieved, roof));
        Memory::OfMemoryRoof {
            share: (1.0 / bound.headroom).min(1.0),
            level: bound.level,
            gbytes_per_second: rates,
            beyond_caches: false,
        }
    }

    /// Bytes of the last-level cache.
    pub fn last_cache(&self) -> Option<u64> {
        self.machine()?.cache_bytes.iter().copied().max().filter(|b| *b > 0)
    }

    /// Bytes that the processes held at most.
    fn resident(&self) -> u64 {
        let program = &self.analysis.program;
        program.peak_resident_bytes.saturating_mul(u64::from(program.ranks.max(1)))
    }

    /// The whole process is smaller than the last-level cache.
    pub fn fits_the_caches(&self) -> bool {
        let resident = self.resident();
        resident > 0 && self.last_cache().is_some_and(|cache| resident <= cache)
    }

    /// What the slowest level that the loop's data can come from allows, over what is achieved.
    pub fn farthest_headroom(&self, of: &LoopFacts) -> Option<f64> {
        let point = of.roofline.as_ref()?;
        let achieved = point.achieved().filter(|a| *a > 0.0)?;
        let memory = || point.roofs.iter().filter(|r| r.kind == RoofKind::Memory);
        let slowest = memory().next_back()?;
        let nearer = memory().nth_back(1).filter(|_| self.fits_the_caches());
        Some(nearer.unwrap_or(slowest).value / achieved)
    }

    /// The shortest pass over the data in which a loop moves (`bytes` picks what of its work) more than the caches hold:
    /// one of its entries, else one pass of a loop around it, if the process has as much memory at all.
    pub fn beyond_caches(&self, of: &LoopFacts, bytes: impl Fn(&WorkRow) -> u64) -> Option<Pass> {
        self.beyond(self.last_cache()?, of, bytes)
    }

    /// Size of a cache.
    pub fn cache_size(&self, level: MemoryLevel) -> Option<u64> {
        self.machine()?.cache_bytes.get(level.cache_index()?).copied().filter(|b| *b > 0)
    }

    /// The same for a cache of this size.
    pub fn beyond(&self, cache: u64, of: &LoopFacts, bytes: impl Fn(&WorkRow) -> u64) -> Option<Pass> {
        let pieces = || self.group(of).filter_map(|l| l.work.as_ref());
        let all = saturating_sum(pieces().map(&bytes));
        // Only the last level is shared.
        let shared = self.last_cache() == Some(cache);
        let cores = of.roofline.as_ref().and_then(|p| p.cores).filter(|_| shared).unwrap_or(1).max(1);
        let resident = self.resident();
        // Whatever is counted, a process cannot walk more distinct bytes than it holds.
        if all == 0 || resident <= cache {
            return None;
        }
        let own = of.trip_count.as_ref().and_then(|t| t.source_entries.or(t.entries)).filter(|n| *n > 0);
        let per = |entries: u64| (all / entries.max(1)).saturating_mul(u64::from(cores));
        if let Some(bytes) = own.map(per).filter(|b| *b > cache) {
            return Some(Pass { bytes: bytes.min(resident), per: PassUnit::Entry, around: None });
        }
        if own.is_none() {
            // A cycle with several entries between the two hides how often this loop is entered.
            let each = self
                .around(of)
                .and_then(|l| Some((l, l.trip_count.as_ref()?.iterations)))
                .filter(|(_, n)| *n > 0);
            if let Some((around, bytes)) = each.map(|(l, n)| (l, per(n))).filter(|(_, b)| *b > cache) {
                let (bytes, around) = (bytes.min(resident), Some(around.place()));
                return Some(Pass { bytes, per: PassUnit::IterationAround, around });
            }
        }
        for around in self.ancestors(of) {
            let trips = around.trip_count.as_ref()?;
            let passes = trips.entries.filter(|n| *n > 0)?;
            if let Some(bytes) = Some(per(passes)).filter(|b| *b > cache) {
                let (bytes, around) = (bytes.min(resident), Some(around.place()));
                return Some(Pass { bytes, per: PassUnit::EntryAround, around });
            }
        }
        None
    }

    /// A recommendation that changes the arithmetic of a loop and leaves its traffic as it is: no gain beyond what memory
    /// leaves, and nothing at all when the loop is at that roof.
    pub fn within_memory(&self, new: Recommendation, of: &LoopFacts) -> Option<Recommendation> {
        let Some(bound) = self.memory_bound(of) else { return Some(new) };
        let (Some(share), Some(gain)) = (new.share, new.loop_gain) else { return Some(new) };
        if bound.slowest && self.fits_the_caches() {
            // As slow as main memory, but not because of it.
            return Some(new);
        }
        let low = gain.low().min(bound.headroom.max(1.0));
        // Only bytes that cannot be in a cache make the level certain; else the loop may be in L1 and slow.
        let certain =
            bound.slowest && self.beyond_caches(of, WorkRow::bytes).is_some_and(|pass| pass.of_loop());
        if !certain {
            return Some(if low < gain.low() { new.gain(share, gain.down_to(low)) } else { new });
        }
        if bound.headroom <= AT_A_ROOF {
            return None;
        }
        let mut fact = self.near_roof(&bound);
        if let Memory::OfMemoryRoof { beyond_caches, .. } = &mut fact {
            *beyond_caches = true;
        }
        Some(new.gain(share, gain.capped(bound.headroom)).because(Provenance::Modelled, fact))
    }
}

/// The distribution of a loop's trips, its steps narrowed by the exact minimum and maximum: a loop of always the same
/// count is known exactly, however wide its step is.
pub fn distribution(trips: &TripCount) -> Vec<(u64, u64, u64)> {
    let (min, max) = match (trips.approximate, trips.min, trips.max) {
        (false, Some(min), Some(max)) => (min, max),
        _ => (0, u64::MAX),
    };
    let clipped = trips.histogram.iter().map(|&(low, high, entries)| (low.max(min), high.min(max), entries));
    clipped.filter(|(low, high, _)| low <= high).collect()
}

#[cfg(test)]
mod tests;
