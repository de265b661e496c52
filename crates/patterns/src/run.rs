//! Feeds the analyses and combines their results.

use crate::aliasing::Aliases;
use crate::branches::{self, Branches};
use crate::cache::Caches;
use crate::collect::Collector;
use crate::dependence::Dependences;
use crate::event::{Event, Outcome};
use crate::facts::{Hierarchy, LoopPatterns};
use crate::footprint::Footprints;
use crate::lines::Room;
use crate::reuse::Reuse;
use crate::shape::Shape;
use crate::sharing::SharedLines;
use crate::strides::Strides;
use crate::tally::Tally;
use std::collections::BTreeMap;

/// The analyses to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Analyse strides, footprints, caches, sharing, branches.
    pub strides: bool,
    /// Analyse dependences.
    pub dependences: bool,
    /// Caches to simulate.
    pub hierarchies: Vec<Hierarchy>,
    /// Caches and predictors are empty at a thread's first event, and only the events change them: first uses are misses.
    /// Otherwise each [`Event::Gap`] leaves their contents unknown.
    pub cold: bool,
    /// Bytes of a cache line of the machine.
    pub line_bytes: u32,
    /// Most bytes of address history in all analyses together.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strides: true,
            dependences: true,
            hierarchies: Vec::new(),
            cold: false,
            line_bytes: 64,
            memory: 1 << 30,
        }
    }
}

/// Divisor of [`Options::memory`] for the footprints.
const FOOTPRINT_PART: u64 = 4;
const SHARING_PART: u64 = 8;
/// Bytes of history that a thread may keep whatever the others take.
const LEAST_HISTORY: u64 = 1 << 20;

/// All analyses of a run.
#[derive(Debug)]
pub struct Run {
    options: Options,
    threads: BTreeMap<u32, Thread>,
    /// Memory that footprints of all threads, and sharing, may still take.
    footprint_room: Room,
    sharing_room: Room,
    sharing: Option<SharedLines>,
}

/// The analyses of one thread.
#[derive(Debug)]
struct Thread {
    tally: Tally,
    strides: Option<Strides>,
    footprints: Option<Footprints>,
    memory: Option<Memory>,
    branches: Option<Branches>,
    dependences: Option<Dependences>,
}

/// The memory-hierarchy analyses of a thread.
#[derive(Debug)]
struct Memory {
    caches: Caches,
    reuse: Reuse,
    aliases: Aliases,
}

impl Memory {
    /// Divisor of [`Options::memory`] for the reuse distances of the first thread; the n-th may take an n-th
    /// of that, so that thousands together stay within it.
    const REUSE_SHARE: u64 = 8;

    fn new(options: &Options, others: usize) -> Self {
        let share = Self::REUSE_SHARE * (others as u64 + 1);
        Self {
            caches: Caches::new(&options.hierarchies, options.cold),
            reuse: Reuse::new(options.line_bytes, options.cold, options.memory / share),
            aliases: Aliases::default(),
        }
    }

    fn feed(&mut self, shape: &Shape, events: &[Event]) {
        self.caches.feed(shape, events);
        self.reuse.feed(shape, events);
        self.aliases.feed(shape, events);
    }

    fn finish(self, into: &mut Collector) {
        self.caches.finish(into);
        self.reuse.finish(into);
        self.aliases.finish(into);
    }
}

impl Thread {
    /// `others` is the number of threads seen before.
    fn new(thread: u32, options: &Options, others: usize) -> Self {
        // The strides of their operands convert dependences to the loop as written.
        let strides = options.strides || options.dependences;
        Self {
            tally: Tally::default(),
            footprints: options.strides.then(|| Footprints::new(options.line_bytes)),
            memory: options.strides.then(|| Memory::new(options, others)),
            branches: options.strides.then(|| Branches::new(options.cold)),
            strides: strides.then(|| Strides::new(thread, options.line_bytes)),
            dependences: options.dependences.then(Dependences::default),
        }
    }

    /// Bytes that the history of its dependences takes.
    fn remembered(&self) -> u64 {
        self.dependences.as_ref().map_or(0, Dependences::bytes)
    }
}

impl Run {
    /// No events yet.
    pub fn new(options: Options) -> Self {
        Self {
            footprint_room: Room::new(options.memory / FOOTPRINT_PART),
            sharing_room: Room::new(options.memory / SHARING_PART),
            sharing: options.strides.then(|| SharedLines::new(options.line_bytes)),
            threads: BTreeMap::new(),
            options,
        }
    }

    /// The options of the run.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Adds events of a thread, in order, and the outcomes between them. Events of the same `window` happened at about the same
    /// time; `shape` may have grown since the last call.
    pub fn feed(&mut self, thread: u32, window: u64, shape: &Shape, events: &[Event], outcomes: &[Outcome]) {
        let options = &self.options;
        let remembered: u64 = self.threads.values().map(Thread::remembered).sum();
        let others = self.threads.len();
        let analyses = self.threads.entry(thread).or_insert_with(|| Thread::new(thread, options, others));
        analyses.tally.feed(shape, events);
        if let Some(strides) = &mut analyses.strides {
            strides.feed(shape, events);
        }
        if let Some(footprints) = &mut analyses.footprints {
            footprints.feed(shape, events, &mut self.footprint_room);
        }
        if let Some(sharing) = &mut self.sharing {
            sharing.feed(thread, window, shape, events, &mut self.sharing_room);
        }
        if let Some(memory) = &mut analyses.memory {
            memory.feed(shape, events);
        }
        if let Some(branches) = &mut analyses.branches {
            branches.feed(shape, events, outcomes);
        }
        let others = remembered - analyses.remembered();
        if let Some(dependences) = &mut analyses.dependences {
            // Half of the memory is for the other analyses.
            let all = if options.strides { options.memory / 2 } else { options.memory };
            dependences.feed(shape, events, all.saturating_sub(others).max(LEAST_HISTORY));
        }
    }

    /// The facts of all chosen loops that were seen.
    pub fn finish(mut self, shape: &Shape) -> Vec<LoopPatterns> {
        let mut all = Collector::new(shape);
        let mut memories = Vec::new();
        let mut strides: Option<Strides> = None;
        let mut footprints: Option<Footprints> = None;
        let mut dependences: Vec<Dependences> = Vec::new();
        let mut branches = branches::Sums::new();
        for analyses in self.threads.into_values() {
            analyses.tally.finish(&mut all);
            memories.extend(analyses.memory);
            dependences.extend(analyses.dependences);
            if let Some(of_thread) = analyses.branches {
                of_thread.finish(&mut branches);
            }
            if let Some(mut of_thread) = analyses.strides {
                of_thread.end();
                match &mut strides {
                    Some(strides) => strides.absorb(shape, &of_thread),
                    None => strides = Some(of_thread),
                }
            }
            if let Some(mut of_thread) = analyses.footprints {
                of_thread.end();
                match &mut footprints {
                    Some(footprints) => footprints.absorb(of_thread, &mut self.footprint_room),
                    None => footprints = Some(of_thread),
                }
            }
        }
        if let Some(strides) = strides {
            strides.finish(&mut all);
        }
        // After the strides, which list the operands in their order.
        for memory in memories {
            memory.finish(&mut all);
        }
        if let Some(footprints) = footprints {
            footprints.finish(&mut all);
        }
        if let Some(sharing) = self.sharing {
            sharing.finish(&mut self.sharing_room, &mut all);
        }
        for of_thread in dependences {
            of_thread.finish(&mut all);
        }
        branches::write(branches, &mut all);
        all.finish()
    }
}
