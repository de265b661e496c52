//! Feeds the analyses and brings their results together.

use crate::cache::Caches;
use crate::collect::Collector;
use crate::event::Event;
use crate::facts::{Hierarchy, LoopPatterns};
use crate::shape::Shape;
use crate::tally::Tally;
use std::collections::BTreeMap;

/// What to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Strides, footprints, caches, sharing.
    pub strides: bool,
    /// Dependences.
    pub dependences: bool,
    /// Caches to simulate.
    pub hierarchies: Vec<Hierarchy>,
    /// Caches are empty when a thread's first event comes, and only what is fed changes them: first uses are misses.
    /// Else each [`Event::Gap`] leaves their contents unknown.
    pub cold: bool,
    /// Bytes of a cache line of the machine.
    pub line_bytes: u32,
    /// Most bytes that all analyses together may take for what they remember of addresses.
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

/// All analyses of a run.
#[derive(Debug)]
pub struct Run {
    options: Options,
    threads: BTreeMap<u32, Thread>,
}

/// The analyses of one thread.
#[derive(Debug)]
struct Thread {
    tally: Tally,
    caches: Option<Caches>,
}

impl Thread {
    fn new(options: &Options) -> Self {
        Self {
            tally: Tally::default(),
            caches: options.strides.then(|| Caches::new(&options.hierarchies, options.cold)),
        }
    }
}

impl Run {
    /// Nothing fed.
    pub fn new(options: Options) -> Self {
        Self { options, threads: BTreeMap::new() }
    }

    /// What is looked for.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Takes events of a thread, in order. Events of the same `window` happened at about the same time; `shape` has
    /// grown since the last call, or not.
    pub fn feed(&mut self, thread: u32, window: u64, shape: &Shape, events: &[Event]) {
        let _ = window;
        let analyses = self.threads.entry(thread).or_insert_with(|| Thread::new(&self.options));
        analyses.tally.feed(shape, events);
        if let Some(caches) = &mut analyses.caches {
            caches.feed(shape, events);
        }
    }

    /// The facts of all chosen loops that were seen.
    pub fn finish(self, shape: &Shape) -> Vec<LoopPatterns> {
        let mut all = Collector::new(shape);
        for analyses in self.threads.into_values() {
            analyses.tally.finish(&mut all);
            if let Some(caches) = analyses.caches {
                caches.finish(&mut all);
            }
        }
        all.finish()
    }
}
