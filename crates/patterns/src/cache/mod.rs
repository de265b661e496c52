//! Simulated caches and TLBs: how many lines each chosen loop requests from each level, and how many of them miss.
//!
//! The simulation covers one thread alone, with the geometry that [`crate::run::Options`] gives: each thread
//! has all levels for itself. Counts go to every chosen loop that is active at an access (once, however often
//! it is active). A write-back goes to the loops that are active when the line is evicted.
//!
//! **What a burst cannot know.** It begins with caches of unknown contents. A line that is not in the simulated cache
//! is a *miss* only when its set's contents are known: for LRU, when the set holds as many lines since the gap as it
//! has ways; for the other policies when it has seen enough distinct lines since the gap that no earlier line can
//! remain (see `policy::turnover` for the bounds). Otherwise it is *unknown*. A level that perhaps got no request (the
//! level before is unknown) cannot surely miss, and such a request does not show its contents. Before a set is known,
//! the simulation assumes that the real cache did not have the lines that are not found; for LRU this changes nothing,
//! for the others the order of evictions may differ for a while. With [`crate::run::Options::cold`] caches are empty at
//! the beginning, and everything is known.
//!
//! **What is estimated.** A second simulation begins empty and keeps its contents over gaps: it assumes that
//! lines which a thread's earlier bursts left in a cache are still there. Lines that no burst has used before
//! are misses to it, as they are while bursts meet new parts of an array that is larger than the cache.
//!
//! - [`hierarchy`] levels in a row, [`set`] one cache, [`policy`] which line is evicted
//! - [`parse`](parse()) and [`text`] read and write geometries as the user gives them

mod hierarchy;
mod parse;
mod policy;
mod set;

pub use parse::{CacheError, parse, text};

use crate::collect::Collector;
use crate::event::Event;
use crate::facts::{CacheUse, Hierarchy, LevelUse};
use crate::nest::{Change, Level, Nest};
use crate::shape::Shape;
use hierarchy::Simulator;
use std::collections::BTreeMap;

/// Most levels of a hierarchy.
pub const MOST_LEVELS: usize = 8;

/// The simulated caches of one thread.
#[derive(Debug)]
pub struct Caches {
    simulators: Vec<Pair>,
    nest: Nest<Option<Start>>,
    loops: BTreeMap<u32, Gathered>,
}

/// The two simulations of a hierarchy.
#[derive(Debug)]
struct Pair {
    /// The simulation of what is surely known.
    sure: Simulator,
    /// The simulation whose contents stay over gaps; none where everything is known.
    carried: Option<Simulator>,
}

impl Pair {
    fn new(hierarchy: &Hierarchy, cold: bool) -> Self {
        let carried = (!cold).then(|| Simulator::carried(hierarchy));
        Self { sure: Simulator::new(hierarchy, cold), carried }
    }

    #[inline]
    fn access(&mut self, address: u64, size: u32, write: bool, streaming: bool) {
        self.sure.access(address, size, write, streaming);
        if let Some(carried) = &mut self.carried {
            carried.access(address, size, write, streaming);
        }
    }

    /// Sums so far, by level.
    fn sums(&self) -> impl Iterator<Item = LevelUse> + '_ {
        let carried = self.carried.as_ref().unwrap_or(&self.sure).sums();
        let both = self.sure.sums().iter().zip(carried);
        both.map(|(sure, carried)| LevelUse {
            estimated_misses: carried.misses,
            first_uses: carried.first_uses,
            ..*sure
        })
    }
}

/// Sums of all simulators, one after the other, when a loop was entered.
type Start = Vec<LevelUse>;

#[derive(Debug, Default)]
struct Gathered {
    iterations: u64,
    /// Sums at the loop's entry, as in [`Start`].
    sums: Vec<LevelUse>,
}

impl Caches {
    /// No events yet.
    pub fn new(hierarchies: &[Hierarchy], cold: bool) -> Self {
        let simulators = hierarchies.iter().map(|h| Pair::new(h, cold)).collect();
        Self { simulators, nest: Nest::default(), loops: BTreeMap::new() }
    }

    /// Adds events of the thread.
    pub fn feed(&mut self, shape: &Shape, events: &[Event]) {
        if self.simulators.is_empty() {
            return;
        }
        for event in events {
            if let Event::Access(access) = event {
                let site = shape.sites.get(access.site as usize);
                let (write, streaming) = site.map_or((false, false), |s| (s.kind.writes(), s.streaming));
                for simulator in &mut self.simulators {
                    simulator.access(access.address, access.size, write, streaming);
                }
                continue;
            }
            match self.nest.follow(event) {
                Change::Cut(levels) => {
                    self.close_all(levels);
                    for simulator in &mut self.simulators {
                        simulator.sure.gap();
                    }
                }
                Change::Opened => self.open(shape),
                Change::Closed(level, tested) => {
                    let iterations = level.iterations(tested);
                    self.close(level, iterations);
                }
                Change::None | Change::Passed => {}
            }
        }
    }

    fn sums(&self) -> impl Iterator<Item = LevelUse> + '_ {
        self.simulators.iter().flat_map(Pair::sums)
    }

    fn open(&mut self, shape: &Shape) {
        let Some((level, around)) = self.nest.levels().split_last() else { return };
        let chosen = shape.loops.get(level.loop_ as usize).is_some_and(|l| l.chosen);
        let again = around.iter().any(|l| l.loop_ == level.loop_);
        if chosen && !again {
            let start = self.sums().collect();
            if let Some(level) = self.nest.levels_mut().last_mut() {
                level.own = Some(start);
            }
        }
        if chosen {
            self.loops.entry(level_number(&self.nest)).or_default();
        }
    }

    fn close(&mut self, level: Level<Option<Start>>, iterations: u64) {
        let Some(gathered) = self.loops.get_mut(&level.loop_) else { return };
        gathered.iterations += iterations;
        let Some(start) = level.own else { return };
        gathered.sums.resize(start.len(), LevelUse::default());
        let now = self.simulators.iter().flat_map(Pair::sums);
        for ((sum, now), start) in gathered.sums.iter_mut().zip(now).zip(&start) {
            sum.add(&now.since(start));
        }
    }

    fn close_all(&mut self, levels: Vec<Level<Option<Start>>>) {
        for level in levels {
            let iterations = level.passes;
            self.close(level, iterations);
        }
    }

    /// Adds the sums to the facts.
    pub fn finish(mut self, into: &mut Collector) {
        let open = self.nest.take();
        self.close_all(open);
        for (loop_, gathered) in self.loops {
            let mut sums = gathered.sums.into_iter();
            let caches = &mut into.of(loop_).caches;
            caches.resize(self.simulators.len().max(caches.len()), CacheUse::default());
            for (cache, simulator) in caches.iter_mut().zip(&self.simulators) {
                cache.iterations += gathered.iterations;
                cache.levels.resize(simulator.sure.sums().len(), LevelUse::default());
                for level in &mut cache.levels {
                    let mut sum = sums.next().unwrap_or_default();
                    let most = sum.misses.saturating_add(sum.unknown);
                    sum.estimated_misses = sum.estimated_misses.clamp(sum.misses, most);
                    sum.first_uses = sum.first_uses.min(sum.estimated_misses);
                    level.add(&sum);
                }
            }
        }
    }
}

fn level_number<T: Default>(nest: &Nest<T>) -> u32 {
    nest.levels().last().map_or(u32::MAX, |l| l.loop_)
}

#[cfg(test)]
mod tests;
