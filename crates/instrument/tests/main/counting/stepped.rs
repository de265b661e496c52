//! The closed forms against the single-stepper, without the engine: both must be right before either judges it.

use crate::counting::builds::{Ready, makes_sense};
use crate::counting::expected::{Expected, base_name};
use crate::counting::profile::{self, FunctionProfile};
use crate::counting::stepper;
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_testprograms::counting_programs;
use std::collections::BTreeMap;

/// Programs with one thread and one process whose runs are short.
pub const SINGLE: &[&str] = &["stream", "nests", "flow", "types", "jumps", "stencils", "ranges", "squeeze"];

/// Arguments that keep a run short enough to be stepped.
pub fn short_arguments(program: &str) -> &'static [&'static str] {
    match program {
        "stream" => &["203", "2"],
        "nests" => &["7", "12"],
        "flow" => &["30"],
        "types" => &["83"],
        "jumps" => &["10"],
        "unwinding" => &["20"],
        "stencils" => &["9", "1"],
        "ranges" => &["16"],
        "squeeze" => &["120"],
        _ => &[],
    }
}

#[test]
fn closed_forms_hold_when_every_step_of_unoptimised_programs_is_seen() {
    hold("O0");
}

#[test]
fn closed_forms_hold_when_every_step_of_optimised_programs_is_seen() {
    hold("O1");
}

/// Steps through the programs built with one set of flags.
fn hold(set: &str) {
    let mut checked = 0;
    for program in counting_programs().iter().filter(|p| SINGLE.contains(&p.name.as_str())) {
        for &compiler in &program.compilers {
            if !makes_sense(program, compiler, set) {
                continue;
            }
            let Some(ready) = Ready::build(program, compiler, set) else { continue };
            let ready = ready.with(short_arguments(&program.name));
            let folder = tempfile::tempdir().unwrap();
            let image = Image::open(&ready.built.path, &DebugSearch::none()).unwrap();
            let started = std::time::Instant::now();
            let trace = stepper::trace(&image, &ready.built.path, &ready.arguments, folder.path());
            println!("{}: {} steps {:?}", ready.built.label, trace.steps.len(), started.elapsed());
            assert_eq!(trace.status, 0, "{}", ready.built.label);
            assert!(!trace.stdout.is_empty(), "{}", ready.built.label);
            let profile = profile::of_trace(&image, &trace);
            checked += check(&ready, &ready.expected(), &image, &profile);
        }
    }
    println!("{checked} facts");
    assert!(checked > 50, "only {checked} facts were checked");
}

/// Compares calls and loops; returns the number of facts compared.
fn check(
    ready: &Ready,
    expected: &Expected,
    image: &Image,
    profile: &BTreeMap<u64, FunctionProfile>,
) -> usize {
    let label = &ready.built.label;
    let mut compared = 0;
    for (name, function) in &expected.functions {
        let calls: u64 = profile.values().filter(|f| base_name(&f.name) == name).map(|f| f.calls).sum();
        assert_eq!(calls, function.calls, "{label}: calls of {name}");
        compared += 1;
    }
    let mut seen = BTreeMap::new();
    for function in profile.values() {
        let Some(index) = image.function_at(function.address) else { continue };
        let Ok(code) = analyze(image, index) else { continue };
        for l in &code.loops {
            let mark = l.location.as_ref().and_then(|at| ready.mark(&at.file, at.line));
            if let Some(mark) = mark {
                seen.insert(mark.to_owned(), &function.loops[&l.header]);
            }
        }
    }
    for (mark, expected) in &expected.loops {
        let Some(found) = seen.get(mark) else { panic!("{label}: no machine loop is loop {mark}") };
        let entries = [expected.entries, expected.entries - expected.zero];
        assert!(
            entries.contains(&found.entries),
            "{label}: entries of {mark}: {found:?}, expected {expected:?}"
        );
        let iterations = [expected.iterations, expected.iterations - expected.breaks];
        assert!(iterations.contains(&found.iterations), "{label}: {mark}: {found:?}, expected {expected:?}");
        if !found.nested && found.iterations == expected.iterations {
            let some = || found.trips.iter().copied().filter(|&t| t > 0);
            assert_eq!(some().sum::<u64>(), expected.iterations, "{label}: {mark}");
            assert!(expected.min.is_none_or(|m| some().min() == Some(m)), "{label}: {mark}: {found:?}");
            assert!(expected.max.is_none_or(|m| some().max() == Some(m)), "{label}: {mark}: {found:?}");
        }
        compared += 1;
    }
    compared
}
