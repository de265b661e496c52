//! Impossible counts are never shown.
//!
//! The engine's counts are proven by tests, not at run time; where it is wrong about a program that no test
//! had, the numbers are often absurd. Counts that cannot be true of any run are dropped here, whatever the
//! error was: when they are collected, and again when stored counts are read. Dropped functions are listed as
//! not counted, and a warning requests a report.
//!
//! Nothing is repaired, and counts that are only unlikely are kept: a function that was interrupted in the
//! middle, or whose calls did not all return, has counts with small inconsistencies.

use crate::contradiction::Contradiction;
use crate::facts::{Counts, FunctionCounts, LeftAlone, LoopCounts};
use crate::reason::Reason;
use crate::warning::Warning;
use loopwright_binary::work::Work;

/// No counter reaches this in a run: a year at one count each cycle of the fastest clock is 2^57.
const MOST: u64 = 1 << 60;
/// Instructions per cycle: no x86-64 core retires more (AMD Zen 5 and Intel Lion Cove: 8; Agner Fog, "The
/// microarchitecture of Intel, AMD and VIA CPUs").
const INSTRUCTIONS_PER_CYCLE: f64 = 8.0;
/// The highest clock of any x86-64 processor sold (Core i9-14900KS, 6.2 GHz).
const HIGHEST_HERTZ: f64 = 6.2e9;
/// Uncertainty of processor time.
const CLOCK_SLACK_SECONDS: f64 = 0.02;
/// Events that may be counted on one side only, because the program was stopped in between: one for each thread and
/// level of recursion.
const SLACK: u64 = 1000;

/// Drops impossible counts, each with a warning.
pub fn watch(counts: &mut Counts) {
    let most = counts.cpu_seconds.map(most_instructions);
    let mut dropped: Vec<(String, Contradiction)> = Vec::new();
    for module in &mut counts.modules {
        let mut keep = Vec::with_capacity(module.functions.len());
        for function in std::mem::take(&mut module.functions) {
            match impossible(&function, most) {
                None => keep.push(function),
                Some(why) => {
                    dropped.push((function.name.clone(), why));
                    module.left_alone.push(left(&function, why));
                }
            }
        }
        module.functions = keep;
    }
    let total = counts
        .modules
        .iter()
        .flat_map(|m| &m.functions)
        .fold(0_u64, |sum, f| sum.saturating_add(f.work.instructions));
    if most.is_some_and(|most| total > most) {
        let why = too_fast(total, counts.cpu_seconds.unwrap_or(0.0));
        for module in &mut counts.modules {
            for function in std::mem::take(&mut module.functions) {
                dropped.push((function.name.clone(), why));
                module.left_alone.push(left(&function, why));
            }
        }
    }
    let others = dropped.len().saturating_sub(1);
    if let Some((function, why)) = dropped.into_iter().next() {
        counts.warnings.push(Warning::Impossible { function, others, why });
    }
}

fn left(function: &FunctionCounts, why: Contradiction) -> LeftAlone {
    LeftAlone {
        address: function.address,
        function: function.name.clone(),
        header: None,
        reason: Reason::Impossible(why),
    }
}

fn most_instructions(cpu_seconds: f64) -> u64 {
    // Saturates, as conversions to integers do.
    ((cpu_seconds + CLOCK_SLACK_SECONDS) * HIGHEST_HERTZ * INSTRUCTIONS_PER_CYCLE) as u64
}

fn too_fast(instructions: u64, seconds: f64) -> Contradiction {
    Contradiction::TooFast { instructions, milliseconds: (seconds * 1e3).round() as u64 }
}

/// Why the counts of a function are impossible.
fn impossible(function: &FunctionCounts, most: Option<u64>) -> Option<Contradiction> {
    let instructions = function.work.instructions;
    if let Some(count) = largest(function).filter(|v| *v > MOST) {
        return Some(Contradiction::TooLarge { count });
    }
    if let Some(most) = most.filter(|most| instructions > *most) {
        let seconds = most as f64 / HIGHEST_HERTZ / INSTRUCTIONS_PER_CYCLE - CLOCK_SLACK_SECONDS;
        return Some(too_fast(instructions, seconds));
    }
    let executions = function.blocks.iter().fold(0_u64, |sum, b| sum.saturating_add(b.executions));
    if !function.blocks.is_empty() && executions > instructions {
        return Some(Contradiction::Blocks { executions, instructions });
    }
    let calls = function.calls.unwrap_or(0);
    if function.complete && calls > instructions.saturating_add(SLACK) {
        return Some(Contradiction::Calls { calls, instructions });
    }
    let by_thread = function.threads.iter().fold(0_u64, |sum, t| sum.saturating_add(t.work.instructions));
    if !function.threads.is_empty() && by_thread != instructions {
        return Some(Contradiction::Threads { by_thread, instructions });
    }
    function.loops.iter().find_map(|l| impossible_loop(function, l))
}

fn impossible_loop(function: &FunctionCounts, l: &LoopCounts) -> Option<Contradiction> {
    let (header, iterations) = (l.header, l.iterations);
    let (of_loop, instructions) = (l.total_work.instructions, function.work.instructions);
    if iterations > of_loop {
        return Some(Contradiction::Iterations { header, iterations, instructions: of_loop });
    }
    if of_loop > instructions {
        return Some(Contradiction::LoopInstructions { header, of_loop, instructions });
    }
    let executions = function.blocks.iter().find(|b| b.start == header).map(|b| b.executions);
    if let (Some(entries), Some(executions)) = (l.entries, executions)
        && entries > executions.saturating_add(SLACK)
    {
        return Some(Contradiction::Entries { header, entries, executions });
    }
    let by_thread = l.threads.iter().fold(0_u64, |sum, t| sum.saturating_add(t.iterations));
    if !l.threads.is_empty() && by_thread != iterations {
        return Some(Contradiction::LoopThreads { header, by_thread, iterations });
    }
    let trips = l.trips.as_ref().filter(|t| !t.approximate)?;
    (trips.min > trips.max).then_some(Contradiction::Trips { header, least: trips.min, most: trips.max })
}

/// The largest of all counts.
fn largest(function: &FunctionCounts) -> Option<u64> {
    fn of(work: &Work) -> [u64; 8] {
        let flop = work.flop.values().copied().max().unwrap_or(0);
        let (loaded, stored) = (work.bytes_loaded, work.bytes_stored);
        let integer = work.integer_operations;
        [work.instructions, flop, work.fma_flop, work.packed_flop, work.bound_flop, loaded, stored, integer]
    }
    let blocks = function.blocks.iter().map(|b| b.executions);
    let loops = function.loops.iter().flat_map(|l| {
        let own = [l.iterations, l.entries.unwrap_or(0)];
        own.into_iter().chain(of(&l.work)).chain(of(&l.total_work))
    });
    of(&function.work).into_iter().chain(function.calls).chain(blocks).chain(loops).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{BlockCount, ModuleCounts, ThreadLoop, ThreadWork, TripHistogram};

    fn work(instructions: u64) -> Work {
        Work { instructions, ..Work::default() }
    }

    /// A function with possible counts: 10 calls, a loop of 1,000 iterations of 5 instructions.
    fn possible() -> FunctionCounts {
        FunctionCounts {
            address: 0x1000,
            name: "f".to_owned(),
            calls: Some(10),
            complete: true,
            work: work(5100),
            blocks: vec![
                BlockCount { start: 0x1000, end: 0x1008, executions: 10 },
                BlockCount { start: 0x1008, end: 0x1020, executions: 1000 },
            ],
            loops: vec![LoopCounts {
                header: 0x1008,
                entries: Some(10),
                iterations: 1000,
                trips: Some(TripHistogram {
                    min: 100,
                    max: 100,
                    buckets: vec![(96, 111, 10)],
                    approximate: false,
                }),
                work: work(5000),
                total_work: work(5000),
                threads: vec![ThreadLoop {
                    thread: 0,
                    entries: Some(10),
                    iterations: 1000,
                    work: work(5000),
                }],
            }],
            threads: vec![ThreadWork { thread: 0, calls: Some(10), work: work(5100) }],
        }
    }

    fn watched(functions: Vec<FunctionCounts>, cpu_seconds: Option<f64>) -> Counts {
        let mut counts = Counts {
            modules: vec![ModuleCounts { functions, ..ModuleCounts::default() }],
            cpu_seconds,
            ..Counts::default()
        };
        watch(&mut counts);
        counts
    }

    #[test]
    fn what_can_be_stays_as_it_is() {
        let counts = watched(vec![possible()], Some(1e-6));
        assert_eq!(counts.modules[0].functions, [possible()]);
        assert_eq!((counts.warnings.len(), counts.modules[0].left_alone.len()), (0, 0));
    }

    /// Each change of one number makes the function impossible; only that function is dropped.
    #[test]
    fn what_cannot_be_is_dropped_with_one_line() {
        use Contradiction as C;
        type Change = fn(&mut FunctionCounts);
        let header = 0x1008;
        let changes: [(C, Change); 10] = [
            (C::TooLarge { count: u64::MAX }, |f| f.blocks[0].executions = u64::MAX),
            (C::TooLarge { count: 1 << 61 }, |f| f.loops[0].entries = Some(1 << 61)),
            (C::TooLarge { count: u64::MAX - 3 }, |f| f.work.bytes_loaded = u64::MAX - 3),
            (C::Iterations { header, iterations: 1 << 32, instructions: 5000 }, |f| {
                f.loops[0].iterations = 1 << 32
            }),
            (C::LoopInstructions { header, of_loop: 6000, instructions: 5100 }, |f| {
                f.loops[0].total_work.instructions = 6000
            }),
            (C::Blocks { executions: 100_010, instructions: 5100 }, |f| f.blocks[1].executions = 100_000),
            (C::Entries { header, entries: 2_100, executions: 1000 }, |f| f.loops[0].entries = Some(2_100)),
            (C::Threads { by_thread: 7, instructions: 5100 }, |f| f.threads[0].work.instructions = 7),
            (C::Calls { calls: 7_000, instructions: 5100 }, |f| f.calls = Some(7_000)),
            (C::Trips { header, least: 9, most: 8 }, |f| f.loops[0].trips.as_mut().unwrap().max = 8),
        ];
        for (expected, change) in changes {
            let mut changed = possible();
            changed.name = "g".to_owned();
            if let Some(trips) = &mut changed.loops[0].trips {
                trips.min = 9;
            }
            change(&mut changed);
            let counts = watched(vec![possible(), changed], None);
            assert_eq!(counts.modules[0].functions, [possible()], "{expected}");
            let reasons: Vec<&Reason> =
                counts.modules[0].left_alone.iter().map(|left| &left.reason).collect();
            assert_eq!(reasons, [&Reason::Impossible(expected)]);
            let function = "g".to_owned();
            assert_eq!(counts.warnings, [Warning::Impossible { function, others: 0, why: expected }]);
        }
    }

    #[test]
    fn nothing_is_faster_than_a_processor() {
        let mut fast = possible();
        fast.work.instructions = 500_000_000_000;
        fast.threads[0].work.instructions = 500_000_000_000;
        assert!(watched(vec![fast.clone()], Some(1.0)).modules[0].functions.is_empty());
        assert_eq!(watched(vec![fast.clone()], Some(12.0)).modules[0].functions.len(), 1);
        // Each alone is possible, all together are not.
        let mut part = fast;
        part.work.instructions = 40_000_000_000;
        part.threads[0].work.instructions = 40_000_000_000;
        let counts = watched(vec![part.clone(), part.clone(), possible()], Some(1.0));
        assert!(
            counts.modules[0].functions.is_empty() && counts.warnings.len() == 1,
            "{:?}",
            counts.warnings
        );
        assert_eq!(watched(vec![part, possible()], Some(1.0)).modules[0].functions.len(), 2);
    }

    #[test]
    fn a_second_look_finds_nothing_more() {
        let mut wrong = possible();
        wrong.loops[0].iterations = 1 << 40;
        let mut counts = watched(vec![wrong], None);
        let once = counts.clone();
        watch(&mut counts);
        assert_eq!(once, counts);
    }
}
