//! Where time went beside user code: the run's elapsed time, the threads' waiting, the kernel, other programs.
//!
//! The clocks of a survey are exact where the operating system counts (run time, waiting for a CPU, system time) and
//! sampled where threads were looked at from time to time (which call blocks them). Samples only share out what was
//! counted.

use crate::model::{
    ElapsedFacts, KernelCaller, KernelEvidence, KernelFacts, KernelFunction, LoadFacts, WaitFacts,
};
use crate::place::base_name;
use crate::resolve::{Entities, FramePlace};
use crate::time::{Times, seconds};
use loopwright_experiment::{Facts, Run};
use loopwright_sample::clocks::{Wait, call};
use loopwright_sample::recording::Recording;
use loopwright_stats::saturating_sum;
use std::collections::BTreeMap;

/// Fewer looks at the threads do not show how a run's idle time is shared out.
const FEWEST_LOOKS: u32 = 8;
/// As many causes are listed.
const MOST_CAUSES: usize = 8;
/// From here on other programs' load and the own waiting make elapsed time a poor judge: two runs of one program on a
/// quiet machine differ by less than half of it.
const BUSY_SHARE: f64 = 0.05;
/// Other programs must use at least this part of a CPU for waiting to be their doing.
const OTHERS: f64 = 0.1;

/// Elapsed time by what the program did; absent for several ranks and without clocks.
pub fn elapsed(facts: &Facts, entities: &Entities, histogram: &[f64]) -> Option<ElapsedFacts> {
    let [survey] = facts.surveys.as_slice() else { return None };
    let clocks = &survey.facts.clocks;
    if clocks.together.looks < FEWEST_LOOKS || clocks.together.seen_ns == 0 {
        return None;
    }
    let idle = histogram.first().copied().unwrap_or(0.0);
    let running_seconds: f64 = histogram.iter().skip(1).sum();
    let whole = running_seconds + idle;
    // The looks say how often nothing was ready; the idle time and all threads' waiting for CPUs are exact bounds. What
    // neither explains (the collector itself had no CPU and saw the end late) is left out.
    let seen_blocked = clocks.together.all_blocked_ns as f64 / clocks.together.seen_ns as f64 * whole;
    let delayed = clocks.threads.iter().map(|thread| thread.delayed_ns).sum::<Option<u64>>();
    let longest = delayed.map_or(idle, seconds);
    let ready_seconds = (idle - seen_blocked).clamp(0.0, longest.min(idle).max(0.0));
    let blocked_seconds = (idle - ready_seconds).min(seen_blocked);
    let held_up_ns = saturating_sum(clocks.waits.iter().map(|wait| wait.held_up_ns));
    let weigh = |wait: &Wait| {
        if held_up_ns == 0 { 0.0 } else { blocked_seconds * wait.held_up_ns as f64 / held_up_ns as f64 }
    };
    let held_up = grouped(
        (survey, &entities.places[0]),
        entities,
        clocks.waits.iter().map(|wait| (wait, weigh(wait))),
        whole,
    );
    Some(ElapsedFacts {
        running_seconds,
        ready_seconds,
        blocked_seconds,
        held_up,
        looks: clocks.together.looks,
    })
}

/// Blocked time of one thread by call and function; its exact blocked time is shared out by where it was seen.
pub fn thread_waits(
    facts: &Facts,
    entities: &Entities,
    survey: usize,
    thread: u32,
    blocked_seconds: f64,
) -> Vec<WaitFacts> {
    let (survey, places) = (&facts.surveys[survey], &entities.places[survey]);
    let own = || survey.facts.clocks.waits.iter().filter(|wait| wait.thread == thread);
    let seen = saturating_sum(own().map(|wait| wait.blocked_ns));
    let weigh = |wait: &Wait| {
        if seen == 0 { 0.0 } else { blocked_seconds * wait.blocked_ns as f64 / seen as f64 }
    };
    grouped((survey, places), entities, own().map(|wait| (wait, weigh(wait))), blocked_seconds)
}

/// Waits of one call, kind and function added up, by descending time.
fn grouped<'a>(
    (survey, places): (&Run<Recording>, &[FramePlace]),
    entities: &Entities,
    waits: impl Iterator<Item = (&'a Wait, f64)>,
    whole: f64,
) -> Vec<WaitFacts> {
    let mut groups: BTreeMap<_, (f64, u32)> = BTreeMap::new();
    for (wait, seconds) in waits.filter(|(_, seconds)| *seconds > 0.0) {
        let asked = wait.stack.map(|stack| asked_by(survey, places, entities, stack)).unwrap_or_default();
        let group = groups.entry((wait.kind, wait.call, asked)).or_default();
        group.0 += seconds;
        group.1 += wait.seen;
    }
    let mut waits: Vec<WaitFacts> = groups
        .into_iter()
        .map(|((kind, number, asked), (seconds, seen))| WaitFacts {
            kind,
            call: number.map(call_name),
            through: asked.through,
            function: asked.function,
            module: asked.module,
            seconds,
            share: if whole > 0.0 { seconds / whole } else { 0.0 },
            seen,
        })
        .collect();
    waits.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    waits.truncate(MOST_CAUSES);
    waits
}

fn call_name(number: u32) -> String {
    call::name(number).map_or_else(|| format!("system call {number}"), str::to_owned)
}

/// The functions at the inner end of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    /// The outermost function of the C library before other code.
    through: Option<String>,
    /// That other code's function.
    function: Option<String>,
    module: Option<String>,
}

/// The C library and the loader: what they wait for, their caller asked for.
fn is_c_library(module: &str) -> bool {
    let name = base_name(module);
    ["libc.", "libc-", "libpthread", "ld-linux", "ld-musl"].iter().any(|prefix| name.starts_with(prefix))
}

fn asked_by(survey: &Run<Recording>, places: &[FramePlace], entities: &Entities, stack: u32) -> Asked {
    let recording = &survey.facts;
    let mut asked = Asked::default();
    let mut at = Some(stack);
    while let Some(node) = at.and_then(|at| recording.stacks.get(at as usize)) {
        at = node.parent;
        let Some(function) = places.get(node.frame as usize).map(|place| place.function) else { continue };
        let Some(function) = entities.functions.get(function as usize) else { continue };
        let name = (!function.unresolved).then(|| function.name.clone());
        if is_c_library(&function.module_path) {
            asked.through = name.or(asked.through);
        } else {
            asked.function = name;
            asked.module = Some(base_name(&function.module_path).to_owned());
            break;
        }
    }
    asked
}

/// Time in the kernel, by kernel function and by who asked; absent where none is known.
pub fn kernel(facts: &Facts, entities: &Entities, times: &Times) -> Option<KernelFacts> {
    let all = times.user_ns + times.kernel_ns;
    if times.kernel_ns == 0 || all == 0 {
        return None;
    }
    let sampled = facts.surveys.iter().all(|survey| survey.facts.sampler.kernel);
    Some(KernelFacts {
        seconds: seconds(times.kernel_ns),
        share: times.kernel_ns as f64 / all as f64,
        sampled,
        functions: kernel_functions(facts),
        callers: callers(facts, entities, sampled),
    })
}

fn kernel_functions(facts: &Facts) -> Vec<KernelFunction> {
    let mut samples: BTreeMap<&str, u64> = BTreeMap::new();
    for each in facts.surveys.iter().flat_map(|survey| &survey.facts.clocks.kernel) {
        *samples.entry(&each.function).or_default() += u64::from(each.samples);
    }
    let all = saturating_sum(samples.values().copied());
    let mut functions: Vec<KernelFunction> = samples
        .into_iter()
        .map(|(function, samples)| KernelFunction {
            function: function.to_owned(),
            share: samples as f64 / all.max(1) as f64,
        })
        .collect();
    functions.sort_by(|a, b| b.share.total_cmp(&a.share));
    functions.truncate(MOST_CAUSES);
    functions
}

/// User functions that entered the kernel: by kernel samples where there are any, else by samples behind system calls.
fn callers(facts: &Facts, entities: &Entities, sampled: bool) -> Vec<KernelCaller> {
    let mut weights: BTreeMap<(Option<u32>, String, Option<String>), u64> = BTreeMap::new();
    for (survey, places) in facts.surveys.iter().zip(&entities.places) {
        let recording = &survey.facts;
        let mut add = |stack: u32, call: Option<u32>, weight: u64| {
            let Some(node) = recording.stacks.get(stack as usize) else { return };
            let function_of = |frame: u32| {
                let place = places.get(frame as usize)?;
                entities.functions.get(place.function as usize)
            };
            let Some(leaf) = function_of(node.frame) else { return };
            let asked = asked_by(survey, places, entities, stack);
            let caller = asked.function.filter(|_| is_c_library(&leaf.module_path));
            *weights.entry((call, leaf.name.clone(), caller)).or_default() += weight;
        };
        let clocks = &recording.clocks;
        if !clocks.calls.is_empty() {
            clocks.calls.iter().for_each(|each| add(each.stack, Some(each.call), each.time_ns));
        } else if sampled {
            for sample in recording.samples.iter().filter(|sample| sample.kernel) {
                add(sample.stack, None, u64::from(sample.weight_ns));
            }
        } else {
            clocks.boundaries.iter().for_each(|each| add(each.stack, None, u64::from(each.samples)));
        }
    }
    let all = saturating_sum(weights.values().copied());
    let by = if sampled { KernelEvidence::Time } else { KernelEvidence::Calls };
    let mut callers: Vec<KernelCaller> = weights
        .into_iter()
        .map(|((call, function, caller), weight)| KernelCaller {
            call: call.map(call_name),
            function,
            caller,
            share: weight as f64 / all.max(1) as f64,
            by,
        })
        .collect();
    callers.sort_by(|a, b| b.share.total_cmp(&a.share));
    callers.truncate(MOST_CAUSES);
    callers
}

/// What other programs did meanwhile; absent where it was not observed. Of several ranks the worst.
pub fn load(facts: &Facts) -> Option<LoadFacts> {
    let of = |survey: &Run<Recording>| {
        let (target, clocks) = (&survey.target, &survey.facts.clocks);
        let load = clocks.load.filter(|load| load.elapsed_seconds > 0.0)?;
        let own = target.user_seconds + target.system_seconds + survey.facts.sampler.collector_seconds;
        let known = |part: fn(&loopwright_sample::clocks::ThreadClock) -> Option<u64>| {
            saturating_sum(clocks.threads.iter().filter_map(part)) as f64
        };
        let (ran, delayed) = (known(|thread| thread.ran_ns), known(|thread| thread.delayed_ns));
        let ready_share = if ran + delayed > 0.0 { delayed / (ran + delayed) } else { 0.0 };
        // Ranks of one job beside each other are the program's own load, and cannot be distinguished from others here.
        let others = if facts.surveys.len() > 1 { 0.0 } else { load.busy_seconds - own };
        let other_cpus = (others / load.elapsed_seconds).max(0.0);
        let stolen_share = load.stolen_seconds / (load.elapsed_seconds * f64::from(load.cpus.max(1)));
        Some(LoadFacts {
            other_cpus,
            stolen_share,
            ready_share,
            busy: (other_cpus >= OTHERS && ready_share >= BUSY_SHARE) || stolen_share >= BUSY_SHARE,
        })
    };
    let loads = facts.surveys.iter().filter_map(of);
    loads.max_by(|a, b| {
        (a.busy, a.ready_share).partial_cmp(&(b.busy, b.ready_share)).unwrap_or(std::cmp::Ordering::Equal)
    })
}

#[cfg(test)]
mod tests;
