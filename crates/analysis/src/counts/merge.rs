//! Tallies: what was counted of each function and loop, ranks added up, the newest run that counted it chosen.
//!
//! Ranks of one job did different parts of one computation: their counts add up, and a distribution is known only where
//! every rank knows it. Separate runs did the same computation again: they never add up. A later run replaces what it
//! counted again, except that a function counted whole is not replaced by one of which only some loops were counted.

use crate::resolve::Entities;
use loopwright_binary::work::Work;
use loopwright_experiment::{Facts, Run};
use loopwright_instrument::facts::{FunctionCounts, LeftAlone, LoopCounts, TripHistogram};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A thread of a counting run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadName {
    pub rank: Option<u32>,
    pub pid: u32,
    pub tid: u32,
}

/// One thread's part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadTally {
    /// Index into [`Tallies::threads`].
    pub thread: u32,
    pub entries: Option<u64>,
    pub iterations: Option<u64>,
    pub work: Work,
}

/// What was counted of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopTally {
    pub entries: Option<u64>,
    pub iterations: u64,
    pub trips: Option<TripHistogram>,
    pub work: Work,
    pub total_work: Work,
    pub threads: Vec<ThreadTally>,
}

/// What was counted of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FunctionTally {
    pub calls: Option<u64>,
    pub complete: bool,
    pub work: Work,
    pub threads: Vec<ThreadTally>,
    pub executions: Executions,
}

/// How often the code of a function was executed: counted blocks by their first address, with end and executions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executions(BTreeMap<u64, (u64, u64)>);

impl Executions {
    fn add(&mut self, counted: &FunctionCounts) {
        for block in &counted.blocks {
            let entry = self.0.entry(block.start).or_insert((block.end, 0));
            entry.1 = entry.1.saturating_add(block.executions);
        }
    }

    /// Executions of the instruction at an address; absent where no block that ran holds it.
    pub fn at(&self, address: u64) -> Option<u64> {
        let (_, &(end, executions)) = self.0.range(..=address).next_back()?;
        (address < end).then_some(executions)
    }

    /// Blocks that begin in a range of addresses: first address, end and executions.
    pub fn blocks(&self, (start, end): (u64, u64)) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let blocks = self.0.range(start.min(end)..end);
        blocks.map(|(&start, &(end, executions))| (start, end, executions))
    }
}

/// Everything that was counted.
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    /// By index into [`Entities::functions`].
    pub functions: BTreeMap<u32, FunctionTally>,
    /// By index into [`Entities::loops`].
    pub loops: BTreeMap<u32, LoopTally>,
    /// Threads of all runs.
    pub threads: Vec<ThreadName>,
    /// Path of the module and what of it was left alone; what another run counted is not among them.
    pub left_alone: Vec<(String, LeftAlone)>,
}

/// Runs that belong to one job, newest job first and newest run first; `runs` come oldest first.
pub fn jobs<T>(runs: &[Run<T>]) -> Vec<Vec<usize>> {
    let mut jobs: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
    for (index, run) in runs.iter().enumerate().rev() {
        let name = run.target.rank.as_ref().map(|rank| rank.job.as_str());
        match jobs.iter_mut().find(|(known, _)| known.is_some() && *known == name) {
            Some((_, runs)) => runs.push(index),
            None => jobs.push((name, vec![index])),
        }
    }
    jobs.into_iter().map(|(_, runs)| runs).collect()
}

/// Adds up and chooses.
pub fn tallies(facts: &Facts, entities: &Entities) -> Tallies {
    let mut tallies = Tallies::default();
    let mut first_thread = Vec::with_capacity(facts.counts.len());
    for run in &facts.counts {
        first_thread.push(tallies.threads.len() as u32);
        let rank = run.target.rank.as_ref().map(|rank| rank.rank);
        tallies.threads.extend(run.facts.threads.iter().map(|thread| ThreadName {
            rank,
            pid: thread.process,
            tid: thread.thread,
        }));
    }
    let loop_at: HashMap<(u32, u64), u32> = (entities.loops.iter().zip(0..))
        .map(|(entity, index)| ((entity.function, entity.code.header), index))
        .collect();
    for job in jobs(&facts.counts) {
        let mut functions: BTreeMap<u32, FunctionTally> = BTreeMap::new();
        let mut loops: BTreeMap<u32, LoopTally> = BTreeMap::new();
        for run in job {
            let modules = facts.counts[run].facts.modules.iter().zip(&entities.counted[run]);
            for (module, places) in modules {
                for (counted, place) in module.functions.iter().zip(places) {
                    let Some(function) = *place else { continue };
                    add_function(functions.entry(function), counted, first_thread[run]);
                    for counted in &counted.loops {
                        if let Some(&index) = loop_at.get(&(function, counted.header)) {
                            add_loop(loops.entry(index), counted, first_thread[run]);
                        }
                    }
                }
            }
        }
        for (index, tally) in loops {
            tallies.loops.entry(index).or_insert(tally);
        }
        for (index, tally) in functions {
            let known = tallies.functions.entry(index).or_insert_with(|| tally.clone());
            if tally.complete && !known.complete {
                *known = tally;
            }
        }
    }
    tallies.left_alone = left_alone(facts, entities, &tallies, &loop_at);
    tallies
}

type Slot<'a, T> = std::collections::btree_map::Entry<'a, u32, T>;

fn add_function(slot: Slot<FunctionTally>, counted: &FunctionCounts, first_thread: u32) {
    let mut threads = counted.threads.iter().map(|thread| ThreadTally {
        thread: first_thread.saturating_add(thread.thread),
        entries: thread.calls,
        iterations: None,
        work: thread.work.clone(),
    });
    slot.and_modify(|known| {
        known.calls = sum(known.calls, counted.calls);
        known.complete &= counted.complete;
        known.work.add_times(&counted.work, 1);
        known.executions.add(counted);
        known.threads.extend(&mut threads);
    })
    .or_insert_with(|| FunctionTally {
        calls: counted.calls,
        complete: counted.complete,
        work: counted.work.clone(),
        threads: threads.collect(),
        executions: {
            let mut executions = Executions::default();
            executions.add(counted);
            executions
        },
    });
}

fn add_loop(slot: Slot<LoopTally>, counted: &LoopCounts, first_thread: u32) {
    let mut threads = counted.threads.iter().map(|thread| ThreadTally {
        thread: first_thread.saturating_add(thread.thread),
        entries: thread.entries,
        iterations: Some(thread.iterations),
        work: thread.work.clone(),
    });
    slot.and_modify(|known| {
        known.entries = sum(known.entries, counted.entries);
        known.iterations = known.iterations.saturating_add(counted.iterations);
        known.trips = known.trips.take().zip(counted.trips.as_ref()).map(|(mut a, b)| {
            a.merge(b);
            a
        });
        known.work.add_times(&counted.work, 1);
        known.total_work.add_times(&counted.total_work, 1);
        known.threads.extend(&mut threads);
    })
    .or_insert_with(|| LoopTally {
        entries: counted.entries,
        iterations: counted.iterations,
        trips: counted.trips.clone(),
        work: counted.work.clone(),
        total_work: counted.total_work.clone(),
        threads: threads.collect(),
    });
}

/// Unknown parts make the sum unknown.
fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.zip(b).map(|(a, b)| a.saturating_add(b))
}

/// What was left alone in some run and counted in none.
fn left_alone(
    facts: &Facts,
    entities: &Entities,
    tallies: &Tallies,
    loop_at: &HashMap<(u32, u64), u32>,
) -> Vec<(String, LeftAlone)> {
    let function_at = functions_by_address(entities);
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    for run in facts.counts.iter().rev() {
        for module in &run.facts.modules {
            for alone in &module.left_alone {
                let function = function_at.get(&(module.path.as_str(), alone.address));
                let counted = function.is_some_and(|function| match alone.header {
                    Some(header) => {
                        loop_at.get(&(*function, header)).is_some_and(|l| tallies.loops.contains_key(l))
                    }
                    None => tallies.functions.get(function).is_some_and(|tally| tally.complete),
                });
                if !counted && seen.insert((module.path.as_str(), alone.address, alone.header)) {
                    left.push((module.path.clone(), alone.clone()));
                }
            }
        }
    }
    left
}

/// Index of each described function by module and entry address.
pub fn functions_by_address<'a>(entities: &'a Entities) -> HashMap<(&'a str, u64), u32> {
    let described = entities.functions.iter().zip(0..).filter_map(|(function, index)| {
        let stored = function.stored?;
        Some(((function.module_path.as_str(), stored.code.function.address), index))
    });
    described.collect()
}
