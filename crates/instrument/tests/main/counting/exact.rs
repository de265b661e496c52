//! Every block, call and loop of whole programs, engine against single-stepper, to the last digit.

use crate::counting::builds::{Ready, makes_sense};
use crate::counting::engine::try_counted;
use crate::counting::judge::own_modules;
use crate::counting::profile::{self, FunctionProfile};
use crate::counting::stepped::{SINGLE, short_arguments};
use crate::counting::stepper;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::facts::{FunctionCounts, LoopCounts};
use loopwright_testprograms::{Program, counting_programs};

/// Statistics of the comparison.
#[derive(Debug, Default)]
struct Tally {
    functions: usize,
    blocks: usize,
    loops: usize,
    histograms: usize,
    left_alone: usize,
}

fn check(programs: &[&str], sets: &[&str]) {
    let chosen = |p: &&Program| programs.contains(&p.name.as_str());
    let (mut tally, mut wrong, mut builds) = (Tally::default(), Vec::new(), 0);
    for program in counting_programs().iter().filter(chosen) {
        for &compiler in &program.compilers {
            for set in sets.iter().filter(|set| makes_sense(program, compiler, set)) {
                let Some(ready) = Ready::build(program, compiler, set) else { continue };
                let ready = ready.with(short_arguments(&program.name));
                compare(&ready, &mut tally, &mut wrong);
                builds += 1;
            }
        }
    }
    println!("{builds} builds: {tally:?}");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(builds == 0 || tally.functions > 10 * builds / 2, "too little was compared: {tally:?}");
    assert!(10 * tally.left_alone <= tally.functions, "much was left alone: {tally:?}");
}

fn compare(ready: &Ready, tally: &mut Tally, wrong: &mut Vec<String>) {
    let label = &ready.built.label;
    let image = Image::open(&ready.built.path, &DebugSearch::none()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let trace = stepper::trace(&image, &ready.built.path, &ready.arguments, folder.path());
    let steps = profile::of_trace(&image, &trace);
    let (run, counts) = match try_counted(&ready.built.path, &ready.arguments, &[]) {
        Ok(counted) => counted,
        Err(reason) => return wrong.push(format!("{label}: {reason}")),
    };
    if run.outcome.stdout.as_bytes() != trace.stdout || run.outcome.status != trace.status {
        return wrong.push(format!("{label}: stepped status {}, counted {}", trace.status, run.outcome));
    }
    let modules = own_modules(ready, &counts);
    let [module] = modules[..] else { panic!("{label}: {} modules", modules.len()) };
    for profile in steps.values() {
        let name = format!("{label}: {}", profile.name);
        let counted = module.functions.iter().find(|f| f.address == profile.address);
        let left = module.left_alone.iter().any(|l| l.address == profile.address);
        match counted {
            Some(counted) => one(&name, counted, profile, left, tally, wrong),
            None if left => tally.left_alone += 1,
            None => wrong.push(format!("{name}: neither counted nor listed as left alone")),
        }
    }
    for counted in &module.functions {
        if !steps.contains_key(&counted.address) && counted.blocks.iter().any(|b| b.executions > 0) {
            wrong.push(format!("{label}: {} was counted and never ran", counted.name));
        }
    }
}

fn one(
    name: &str,
    counted: &FunctionCounts,
    profile: &FunctionProfile,
    left: bool,
    tally: &mut Tally,
    wrong: &mut Vec<String>,
) {
    tally.functions += 1;
    let mut differ = |what: String, found: u64, expected: u64| {
        if found != expected {
            wrong.push(format!("{name}: {what}: counted {found}, stepped {expected}"));
        }
    };
    for block in &counted.blocks {
        tally.blocks += 1;
        let first = profile.executions.get(&block.start).copied().unwrap_or(0);
        differ(format!("block {:#x}", block.start), block.executions, first);
        for (address, &n) in profile.executions.range(block.start..block.end) {
            differ(format!("instruction {address:#x} of block {:#x}", block.start), block.executions, n);
        }
    }
    if let Some(calls) = counted.calls {
        differ("calls".to_owned(), calls, profile.calls);
    }
    if counted.complete {
        differ("instructions".to_owned(), counted.work.instructions, profile.instructions);
        for (&address, &n) in &profile.executions {
            if !counted.blocks.iter().any(|b| (b.start..b.end).contains(&address)) {
                differ(format!("instruction {address:#x} of no block"), 0, n);
            }
        }
    } else if !left {
        wrong.push(format!("{name}: incomplete, and no line says why"));
    }
    for l in &counted.loops {
        tally.loops += 1;
        let Some(stepped) = profile.loops.get(&l.header) else {
            wrong.push(format!("{name}: no loop at {:#x}", l.header));
            continue;
        };
        loops(&format!("{name}: loop {:#x}", l.header), l, stepped, tally, wrong);
    }
}

fn loops(
    name: &str,
    counted: &LoopCounts,
    stepped: &profile::LoopProfile,
    tally: &mut Tally,
    wrong: &mut Vec<String>,
) {
    if counted.entries.is_some_and(|n| n != stepped.entries) {
        wrong.push(format!("{name}: entries {:?}, stepped {}", counted.entries, stepped.entries));
    }
    if counted.iterations != stepped.iterations {
        wrong.push(format!("{name}: iterations {}, stepped {}", counted.iterations, stepped.iterations));
    }
    let Some(trips) = counted.trips.as_ref().filter(|t| !t.approximate) else { return };
    if stepped.nested {
        wrong.push(format!("{name}: entries overlapped, and the histogram claims to be exact"));
        return;
    }
    tally.histograms += 1;
    let ends = (stepped.trips.iter().min().copied(), stepped.trips.iter().max().copied());
    if ends != (Some(trips.min), Some(trips.max)) {
        wrong.push(format!("{name}: {} to {} iterations, stepped {ends:?}", trips.min, trips.max));
    }
    if trips.entries() != stepped.entries {
        wrong.push(format!("{name}: {} entries in the histogram of {}", trips.entries(), stepped.entries));
    }
    for &(low, high, entries) in &trips.buckets {
        let there = stepped.trips.iter().filter(|t| (low..=high).contains(t)).count() as u64;
        if there != entries {
            wrong.push(format!("{name}: {entries} entries of {low} to {high} iterations, stepped {there}"));
        }
    }
}

#[test]
fn numeric_programs_block_by_block() {
    check(&["stream", "nests", "types", "stencils"], &["O0", "O2", "O3", "O3-native"]);
}

#[test]
fn control_flow_block_by_block() {
    check(&["flow", "jumps", "squeeze", "ranges"], &["O0", "O1", "O2", "O3-native"]);
}

/// The unwinder takes many steps: one compiler and two levels.
#[test]
fn exceptions_block_by_block() {
    check(&["unwinding"], &["O0", "O2"]);
}

#[test]
fn linkages_block_by_block() {
    check(SINGLE, &["no-pie", "no-plt"]);
}
