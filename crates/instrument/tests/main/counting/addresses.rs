//! Traced addresses against the single-stepper, and traced programs against themselves.
//!
//! Every loop of a program is chosen. With everything traced, each instruction of a loop must have been
//! recorded as often as it was stepped over, on an equally wide range of addresses.

use crate::counting::builds::{Ready, makes_sense};
use crate::counting::engine::{Traced, counted, plainly, traced};
use crate::counting::stepped::{SINGLE, short_arguments};
use crate::counting::stepper::{self, Accessed};
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::traced::Patterns;
use loopwright_patterns::facts::SitePattern;
use loopwright_testprograms::{Program, counting_programs};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Addresses further apart are in different mappings, whose distance is random.
const ONE_MAPPING: u64 = 1 << 22;

/// All loops of a program: function, header and the addresses that each holds.
pub struct Loops {
    pub chosen: Vec<(u64, u64)>,
    ranges: Vec<(u64, u64)>,
}

pub fn loops_of(image: &Image) -> Loops {
    let mut found = Loops { chosen: Vec::new(), ranges: Vec::new() };
    for (index, function) in image.functions().iter().enumerate() {
        let Ok(code) = analyze(image, index) else { continue };
        for l in code.loops {
            found.chosen.push((function.address, l.header));
            found.ranges.extend(l.ranges);
        }
    }
    found
}

fn check(programs: &[&str], sets: &[&str]) {
    let (mut compared, mut builds, mut wrong) = (0, 0, Vec::new());
    for program in counting_programs().iter().filter(|p| programs.contains(&p.name.as_str())) {
        for &compiler in &program.compilers {
            for set in sets.iter().filter(|set| makes_sense(program, compiler, set)) {
                let Some(ready) = Ready::build(program, compiler, set) else { continue };
                let ready = ready.with(short_arguments(&program.name));
                compared += compare(&ready, &mut wrong);
                builds += 1;
            }
        }
    }
    println!("{builds} builds: {compared} operands");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 20 * builds, "too little was compared: {compared} operands of {builds} builds");
}

/// Compares one build; how many operands were compared.
fn compare(ready: &Ready, wrong: &mut Vec<String>) -> usize {
    let label = &ready.built.label;
    let image = Image::open(&ready.built.path, &DebugSearch::none()).unwrap();
    let loops = loops_of(&image);
    let folder = tempfile::tempdir().unwrap();
    let stepped = stepper::trace(&image, &ready.built.path, &ready.arguments, folder.path());
    let how = Traced { loops: loops.chosen.clone(), exhaustive: true, ..Traced::default() };
    let (run, patterns) = match traced(&ready.built.path, &ready.arguments, &how) {
        Ok(traced) => traced,
        Err(reason) => {
            wrong.push(format!("{label}: {reason}"));
            return 0;
        }
    };
    if run.outcome.stdout.as_bytes() != stepped.stdout || run.outcome.status != stepped.status {
        wrong.push(format!("{label}: stepped status {}, traced {}", stepped.status, run.outcome));
        return 0;
    }
    // An instruction is in the facts of every loop around it, and of those that call its function: the most complete
    // one is that of the outermost.
    let mut seen: BTreeMap<u64, &SitePattern> = BTreeMap::new();
    for site in patterns.loops.iter().flat_map(|l| &l.sites).filter(|s| s.operand == 0) {
        let known = seen.entry(site.address).or_insert(site);
        if known.executions < site.executions {
            *known = site;
        }
    }
    let untraced = |address: u64| {
        let function = image.function_at(address).and_then(|k| image.function(k)).map(|f| f.address);
        patterns
            .untraced
            .iter()
            .any(|u| loops.chosen.iter().any(|c| c.1 == u.header && Some(c.0) == function))
            || patterns.loops.iter().any(|l| Some(l.function) == function && !l.gaps.is_empty())
    };
    // Two mappings may happen to be close together in one run: then the stepper itself sees another width in the next.
    let again = OnceCell::new();
    let is_random = |address: u64, accessed: &Accessed| {
        let again =
            again.get_or_init(|| stepper::trace(&image, &ready.built.path, &ready.arguments, folder.path()));
        again
            .accessed
            .get(&address)
            .is_none_or(|other| other.high - other.low != accessed.high - accessed.low)
    };
    let mut compared = 0;
    for (&address, accessed) in &stepped.accessed {
        if !loops.ranges.iter().any(|r| (r.0..r.1).contains(&address)) || untraced(address) {
            continue;
        }
        compared += 1;
        let Some(site) = seen.get(&address) else {
            wrong.push(format!("{label}: {address:#x} ran {} times and was not seen", accessed.executions));
            continue;
        };
        let width = site.high - site.low - u64::from(site.size);
        let expected = accessed.high - accessed.low;
        let same_width = width == expected || expected > ONE_MAPPING || is_random(address, accessed);
        if site.executions != accessed.executions || !same_width {
            wrong.push(format!(
                "{label}: {address:#x}: seen {} times on {width} bytes, stepped {} times on {expected}",
                site.executions, accessed.executions
            ));
        }
    }
    compared
}

#[test]
fn unoptimised_programs_address_by_address() {
    check(SINGLE, &["O0"]);
}

#[test]
fn optimised_programs_address_by_address() {
    check(SINGLE, &["O2"]);
}

#[test]
fn vectorised_programs_address_by_address() {
    check(SINGLE, &["O3-native"]);
}

/// All threads and processes together must have been seen in a loop as often as was counted.
fn as_counted(label: &str, patterns: &Patterns, counts: &Counts) {
    let mut compared = 0;
    for traced in &patterns.loops {
        let Some(module) = patterns.modules.get(traced.module as usize) else { continue };
        let counted = counts.modules.iter().filter(|m| m.path == module.path).flat_map(|m| &m.functions);
        let mut loops = counted.filter(|f| f.address == traced.function).flat_map(|f| &f.loops);
        let Some(counted) = loops.find(|l| l.header == traced.header) else { continue };
        let seen = (Some(traced.entries), traced.iterations);
        assert_eq!(seen, (counted.entries, counted.iterations), "{label}: loop {:#x}", traced.header);
        compared += 1;
    }
    assert!(compared > 0, "{label}: no loop was both traced and counted");
}

/// Traced in bursts and exhaustively, programs produce the same results as alone; `whole` when no loop is
/// left by a jump that cannot be seen, and runs are alike.
fn same(name: &str, arguments: &[&str], times: usize, whole: bool) {
    let program = Program::named(name);
    for &compiler in &program.compilers {
        for set in ["O0", "O2", "O3-native", "no-pie"] {
            if !makes_sense(&program, compiler, set) {
                continue;
            }
            let Some(ready) = Ready::build(&program, compiler, set).map(|r| r.with(arguments)) else {
                continue;
            };
            let image = Image::open(&ready.built.path, &DebugSearch::none()).unwrap();
            let loops = loops_of(&image).chosen;
            let plain = plainly(&ready.built.path, &ready.arguments);
            let (_, counts) = counted(&ready.built.path, &ready.arguments, &[]);
            for k in 0..times {
                let how = Traced { loops: loops.clone(), exhaustive: k % 2 == 0, ..Traced::default() };
                let label = format!("{}, exhaustive {}, repetition {k}", ready.built.label, how.exhaustive);
                let (run, patterns) = traced(&ready.built.path, &ready.arguments, &how)
                    .unwrap_or_else(|reason| panic!("{label}: {reason}"));
                assert_eq!(plain.outcome, run.outcome, "{label}");
                assert!(patterns.bursts > 0, "{label}: nothing was traced");
                if how.exhaustive && whole {
                    as_counted(&label, &patterns, &counts);
                }
            }
        }
    }
}

#[test]
fn threads_do_what_they_do_alone() {
    same("pthreads", &["4", "200", "40"], 4, true);
    same("openmp", &["200", "5"], 4, true);
}

#[test]
fn exceptions_and_jumps_do_what_they_do_alone() {
    same("stdthreads", &["6", "100"], 4, true);
    same("unwinding", &["50"], 4, true);
    same("jumps", &["20"], 2, true);
}

#[test]
fn handlers_and_children_do_what_they_do_alone() {
    same("handlers", &["20"], 6, false);
    same("children", &["100"], 6, false);
}
