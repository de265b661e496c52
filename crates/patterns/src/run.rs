//! Feeds the analyses and brings their results together.

use crate::collect::Collector;
use crate::dependence::Dependences;
use crate::event::Event;
use crate::facts::{Hierarchy, LoopPatterns};
use crate::shape::Shape;
use crate::strides::Strides;
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
#[derive(Debug)]
struct Thread {
    tally: Tally,
    strides: Option<Strides>,
    dependences: Option<Dependences>,
}

impl Thread {
    fn new(thread: u32, options: &Options) -> Self {
        // Dependences are lifted to the loop as written by the strides of their operands.
        let strides = options.strides || options.dependences;
        Self {
            tally: Tally::default(),
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
        let options = &self.options;
        let remembered: u64 = self.threads.values().map(Thread::remembered).sum();
        let analyses = self.threads.entry(thread).or_insert_with(|| Thread::new(thread, options));
        analyses.tally.feed(shape, events);
        if let Some(strides) = &mut analyses.strides {
            strides.feed(shape, events);
        }
        let others = remembered - analyses.remembered();
        if let Some(dependences) = &mut analyses.dependences {
            // Half of the memory is for what the other analyses remember.
            let all = if options.strides { options.memory / 2 } else { options.memory };
            dependences.feed(shape, events, all.saturating_sub(others).max(LEAST_HISTORY));
        }
    }

    /// The facts of all chosen loops that were seen.
    pub fn finish(self, shape: &Shape) -> Vec<LoopPatterns> {
        let mut all = Collector::new(shape);
        let mut strides: Option<Strides> = None;
        let mut dependences: Vec<Dependences> = Vec::new();
        for analyses in self.threads.into_values() {
            analyses.tally.finish(&mut all);
            dependences.extend(analyses.dependences);
            if let Some(mut of_thread) = analyses.strides {
                of_thread.end();
                match &mut strides {
                    Some(strides) => strides.absorb(shape, &of_thread),
                    None => strides = Some(of_thread),
                }
            }
        }
        if let Some(strides) = strides {
            strides.finish(&mut all);
        }
        for of_thread in dependences {
            of_thread.finish(&mut all);
        }
        all.finish()
    }
}
