//! Self and total time of functions, loops and threads.
//!
//! A sample adds its weight to the self time of the innermost loop and function of its innermost frame,
//! and once to the total time of every loop and function on its stack, however often recursion repeats
//! them. Time in the kernel counts as total of the code that asked for it, and as self of the kernel. Where the kernel
//! may not be sampled, its time is the operating system's account of it, and belongs to no code.

use crate::resolve::{Entities, FunctionEntity};
use crate::usage::Usage;
use loopwright_experiment::{Facts, Run};
use loopwright_sample::recording::Recording;
use std::collections::{HashMap, HashSet};

/// Accumulated time of one function or loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Self time.
    pub self_ns: u64,
    /// Total time.
    pub total_ns: u64,
    /// Samples of the self time.
    pub samples: u64,
    /// Part of the total time whose innermost frame is elsewhere: callees and the kernel.
    pub below_ns: u64,
    /// Part of the total time while at most one CPU was busy.
    pub serial_ns: u64,
    /// Self time weighted with the number of CPUs that were busy meanwhile.
    pub busy_ns: u64,
    /// Threads that contributed.
    pub threads: u32,
    /// Part of a function's self time within cycles that are not natural loops.
    pub irreducible_ns: u64,
}

/// Self time of one thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadTime {
    /// All of its time, kernel included.
    pub total_ns: u64,
    /// Self time by loop.
    pub loops: HashMap<u32, u64>,
    /// Self time by function.
    pub functions: HashMap<u32, u64>,
}

/// Time of everything.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// By function.
    pub functions: Vec<Spent>,
    /// By loop.
    pub loops: Vec<Spent>,
    /// By survey and thread.
    pub threads: Vec<Vec<ThreadTime>>,
    /// Sampled time in user code.
    pub user_ns: u64,
    /// Sampled time in the kernel.
    pub kernel_ns: u64,
    /// Number of samples.
    pub samples: u64,
}

impl Times {
    /// The share of all sampled time, in user code and in the kernel; 0 where there is none.
    pub fn share(&self, ns: u64) -> f64 {
        let whole = self.user_ns + self.kernel_ns;
        if whole == 0 { 0.0 } else { ns as f64 / whole as f64 }
    }
}

/// Nanoseconds in seconds.
pub fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Weight of one calling context.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextWeight {
    /// In user code.
    pub user_ns: u64,
    /// In the kernel.
    pub kernel_ns: u64,
    /// Samples in user code.
    pub samples: u64,
    /// While at most one CPU was busy.
    pub serial_ns: u64,
    /// `user_ns` weighted with the number of busy CPUs.
    pub busy_ns: u64,
}

/// Weights of the calling contexts of one survey, indexed as its stacks.
pub fn context_weights(facts: &Facts, usage: &Usage, survey: usize) -> Vec<ContextWeight> {
    let recording = &facts.surveys[survey].facts;
    let mut weights = vec![ContextWeight::default(); recording.stacks.len()];
    for sample in &recording.samples {
        let weight = u64::from(sample.weight_ns);
        let context = &mut weights[sample.stack as usize];
        if sample.kernel {
            context.kernel_ns += weight;
        } else {
            context.user_ns += weight;
            context.samples += 1;
            context.busy_ns += (weight as f64 * usage.busy_at(survey, sample.time_ns)) as u64;
        }
        context.serial_ns += (weight as f64 * usage.serial_at(survey, sample.time_ns)) as u64;
    }
    weights
}

/// Computes all times; `weights` are those of [`context_weights`] for each survey.
pub fn times(facts: &Facts, entities: &Entities, weights: &[Vec<ContextWeight>]) -> Times {
    let mut times = Times {
        functions: vec![Spent::default(); entities.functions.len()],
        loops: vec![Spent::default(); entities.loops.len()],
        ..Times::default()
    };
    let mut seen = Seen::new(entities);
    for (survey, weights) in weights.iter().enumerate() {
        let recording = &facts.surveys[survey].facts;
        let places = &entities.places[survey];
        for (stack, weight) in weights.iter().enumerate() {
            let both = weight.user_ns + weight.kernel_ns;
            if both == 0 {
                continue;
            }
            times.user_ns += weight.user_ns;
            times.kernel_ns += weight.kernel_ns;
            let frame = &recording.frames[recording.stacks[stack].frame as usize];
            let leaf = places[recording.stacks[stack].frame as usize];
            let spent = &mut times.functions[leaf.function as usize];
            spent.self_ns += weight.user_ns;
            spent.samples += weight.samples;
            // A loop inside such a cycle is a loop, and shown as one.
            if leaf.innermost.is_none()
                && in_irreducible_cycle(&entities.functions[leaf.function as usize], frame.address)
            {
                spent.irreducible_ns += weight.user_ns;
            }
            if let Some(innermost) = leaf.innermost {
                times.loops[innermost as usize].self_ns += weight.user_ns;
                times.loops[innermost as usize].busy_ns += weight.busy_ns;
                times.loops[innermost as usize].samples += weight.samples;
            }
            let kernel = &mut times.functions[entities.kernel as usize];
            kernel.self_ns += weight.kernel_ns;
            kernel.total_ns += weight.kernel_ns;

            seen.next();
            let mut at = Some(stack as u32);
            let mut is_leaf = true;
            while let Some(node) = at.map(|at| recording.stacks[at as usize]) {
                let place = places[node.frame as usize];
                if seen.function(place.function) {
                    let spent = &mut times.functions[place.function as usize];
                    spent.total_ns += both;
                    spent.serial_ns += weight.serial_ns;
                    spent.below_ns += if is_leaf { weight.kernel_ns } else { both };
                }
                for l in entities.nest(place.innermost) {
                    if seen.is_new_loop(l) {
                        let spent = &mut times.loops[l as usize];
                        spent.total_ns += both;
                        spent.serial_ns += weight.serial_ns;
                        spent.below_ns += if is_leaf { weight.kernel_ns } else { both };
                    }
                }
                is_leaf = false;
                at = node.parent;
            }
        }
    }
    thread_times(facts, entities, &mut times);
    let unsampled = Unsampled::of(facts);
    times.kernel_ns += unsampled.kernel_ns;
    times.user_ns += unsampled.user_ns;
    for (function, ns) in [(entities.kernel, unsampled.kernel_ns), (entities.unsampled, unsampled.user_ns)] {
        times.functions[function as usize].self_ns += ns;
        times.functions[function as usize].total_ns += ns;
    }
    times
}

/// Time that the operating system counted and no sample represents, of the surveys that could not sample the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsampled {
    /// System time.
    pub kernel_ns: u64,
    /// User time, where it is clearly more than was sampled: of processes that ended before their first sample. Without it
    /// the kernel's share would be too large.
    pub user_ns: u64,
}

/// A smaller part of the CPU time changes no picture.
const NOTICEABLE: f64 = 0.05;

impl Unsampled {
    /// Of all surveys together.
    pub fn of(facts: &Facts) -> Self {
        let mut sum = Self::default();
        for survey in &facts.surveys {
            let one = Self::of_survey(survey);
            sum.kernel_ns += one.kernel_ns;
            sum.user_ns += one.user_ns;
        }
        sum
    }

    /// Of one survey.
    pub fn of_survey(survey: &Run<Recording>) -> Self {
        let (target, recording) = (&survey.target, &survey.facts);
        if recording.sampler.kernel {
            return Self::default();
        }
        let counted = |seconds: f64| (seconds.max(0.0) * 1e9) as u64;
        let (user, system) = (counted(target.user_seconds), counted(target.system_seconds));
        let sampled: u64 = recording.samples.iter().map(|sample| u64::from(sample.weight_ns)).sum();
        let period = 1e9 / f64::from(recording.sampler.frequency_hz.max(1));
        // Three standard errors of that number of samples, and one that may be expected of nothing.
        let chance = period * (1.0 + 3.0 * (recording.samples.len() as f64).sqrt());
        let missing = user.saturating_sub(sampled);
        let noticed = missing as f64 > chance && missing as f64 > NOTICEABLE * (user + system) as f64;
        Self { kernel_ns: system, user_ns: if noticed { missing } else { 0 } }
    }
}

fn in_irreducible_cycle(function: &FunctionEntity, address: u64) -> bool {
    let regions = function.stored.into_iter().flat_map(|stored| &stored.code.irreducible);
    regions.flat_map(|region| &region.ranges).any(|&(from, to)| (from..to).contains(&address))
}

/// Remembers what the current stack has met already, without clearing between stacks.
struct Seen {
    stamp: u32,
    functions: Vec<u32>,
    loops: Vec<u32>,
}

impl Seen {
    fn new(entities: &Entities) -> Self {
        Self { stamp: 0, functions: vec![0; entities.functions.len()], loops: vec![0; entities.loops.len()] }
    }

    fn next(&mut self) {
        self.stamp += 1;
    }

    fn function(&mut self, index: u32) -> bool {
        std::mem::replace(&mut self.functions[index as usize], self.stamp) != self.stamp
    }

    fn is_new_loop(&mut self, index: u32) -> bool {
        std::mem::replace(&mut self.loops[index as usize], self.stamp) != self.stamp
    }
}

fn thread_times(facts: &Facts, entities: &Entities, times: &mut Times) {
    for (survey, places) in facts.surveys.iter().zip(&entities.places) {
        let recording = &survey.facts;
        let mut threads = vec![ThreadTime::default(); recording.threads.len()];
        let mut contexts: HashSet<(u32, u32)> = HashSet::new();
        for sample in &recording.samples {
            times.samples += 1;
            contexts.insert((sample.thread, sample.stack));
            let thread = &mut threads[sample.thread as usize];
            thread.total_ns += u64::from(sample.weight_ns);
            let leaf = places[recording.stacks[sample.stack as usize].frame as usize];
            if !sample.kernel {
                *thread.functions.entry(leaf.function).or_default() += u64::from(sample.weight_ns);
                if let Some(l) = leaf.innermost {
                    *thread.loops.entry(l).or_default() += u64::from(sample.weight_ns);
                }
            }
        }
        if !recording.sampler.kernel {
            for (thread, clock) in threads.iter_mut().zip(&recording.clocks.threads) {
                thread.total_ns += clock.system_ns.unwrap_or(0);
            }
        }
        count_threads(recording, entities, places, contexts, times);
        times.threads.push(threads);
    }
}

fn count_threads(
    recording: &loopwright_sample::recording::Recording,
    entities: &Entities,
    places: &[crate::resolve::FramePlace],
    contexts: HashSet<(u32, u32)>,
    times: &mut Times,
) {
    let mut by_thread: Vec<(u32, u32)> = contexts.into_iter().collect();
    by_thread.sort_unstable();
    let mut seen = Seen::new(entities);
    for contexts in by_thread.chunk_by(|a, b| a.0 == b.0) {
        seen.next();
        let mut visited = HashSet::new();
        for &(_, stack) in contexts {
            let mut at = Some(stack);
            // Ancestors of a visited context are visited too.
            while let Some(index) = at.filter(|&index| visited.insert(index)) {
                let node = recording.stacks[index as usize];
                let place = places[node.frame as usize];
                if seen.function(place.function) {
                    times.functions[place.function as usize].threads += 1;
                }
                for l in entities.nest(place.innermost) {
                    if seen.is_new_loop(l) {
                        times.loops[l as usize].threads += 1;
                    }
                }
                at = node.parent;
            }
        }
    }
}
