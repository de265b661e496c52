//! Feeds the analyses and brings their results together.

use crate::collect::Collector;
use crate::dependence::Dependences;
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
    /// Bytes of a cache line of the machine.
    pub line_bytes: u32,
    /// Most bytes that all analyses together may take for what they remember of addresses.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { strides: true, dependences: true, hierarchies: Vec::new(), line_bytes: 64, memory: 1 << 30 }
    }
}

/// Bytes of history that a thread may keep however much the others do.
const LEAST_HISTORY: u64 = 1 << 20;

/// All analyses of a run.
#[derive(Debug)]
pub struct Run {
    options: Options,
    threads: BTreeMap<u32, Thread>,
}

/// The analyses of one thread.
#[derive(Debug, Default)]
struct Thread {
    tally: Tally,
    dependences: Dependences,
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
        let remembered: u64 = self.threads.values().map(|thread| thread.dependences.bytes()).sum();
        let analyses = self.threads.entry(thread).or_default();
        analyses.tally.feed(shape, events);
        if self.options.dependences {
            // Half of the memory is for what the other analyses remember.
            let all = if self.options.strides { self.options.memory / 2 } else { self.options.memory };
            let others = remembered - analyses.dependences.bytes();
            analyses.dependences.feed(shape, events, all.saturating_sub(others).max(LEAST_HISTORY));
        }
    }

    /// The facts of all chosen loops that were seen.
    pub fn finish(self, shape: &Shape) -> Vec<LoopPatterns> {
        let mut all = Collector::new(shape);
        for analyses in self.threads.into_values() {
            analyses.tally.finish(&mut all);
            if self.options.dependences {
                analyses.dependences.finish(&mut all);
            }
        }
        all.finish()
    }
}
