//! Programs whose loops run in versions with injected operations: what they do is the same, and windows are recorded.

use crate::counting::builds::{Ready, makes_sense};
use crate::counting::engine::{injected, plainly};
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::injected::{Injected, NotInjected};
use loopwright_testprograms::Program;
use std::path::Path;

/// Function and header of every loop of a program.
fn all_loops(program: &Path) -> Vec<(u64, u64)> {
    let image = Image::open(program, &DebugSearch::none()).unwrap();
    let analysed =
        image.functions().iter().enumerate().filter_map(|(index, f)| Some((f, analyze(&image, index).ok()?)));
    analysed.flat_map(|(f, code)| code.loops.into_iter().map(|l| (f.address, l.header))).collect()
}

/// Loops of which versions ran.
fn ran(injected: &Injected) -> usize {
    let brief = |why: &NotInjected| matches!(why, NotInjected::TooBrief { windows, .. } if *windows > 0);
    injected.loops.len() + injected.left.iter().filter(|l| brief(&l.reason)).count()
}

fn same(name: &str, arguments: &[&str]) {
    let program = Program::named(name);
    let (mut compared, mut versions) = (0, 0);
    for &compiler in &program.compilers {
        for set in ["O0", "O2", "O3-native", "no-pie"] {
            if !makes_sense(&program, compiler, set) {
                continue;
            }
            let Some(ready) = Ready::build(&program, compiler, set).map(|r| r.with(arguments)) else {
                continue;
            };
            let plain = plainly(&ready.built.path, &ready.arguments);
            let loops = all_loops(&ready.built.path);
            let (run, facts) = injected(&ready.built.path, &ready.arguments, &loops).unwrap();
            assert_eq!(plain.outcome, run.outcome, "{}", ready.built.label);
            versions += ran(&facts);
            assert_eq!(facts.loops.len() + facts.left.len(), loops.len(), "{}", ready.built.label);
            for l in &facts.loops {
                assert!(
                    l.plain.median > 0.0 && l.versions.iter().all(|v| v.count > 0 && v.ratio.median > 0.0)
                );
                assert!(l.windows > l.dropped, "{}", ready.built.label);
            }
            compared += 1;
        }
    }
    assert!(compared > 0, "{name}: nothing was compared");
    assert!(versions > 0, "{name}: no version ran");
}

#[test]
fn nests_in_versions() {
    same("nests", &[]);
}

#[test]
fn vectors_and_masks_in_versions() {
    same("types", &[]);
}

#[test]
fn fortran_in_versions() {
    same("stencils", &[]);
}

#[test]
fn handlers_in_versions() {
    same("handlers", &["20"]);
}

#[test]
fn threads_in_versions() {
    same("pthreads", &["4", "200", "40"]);
    same("openmp", &["200", "5"]);
}

/// Switches with tables, recursion, and calls at the start of an iteration.
#[test]
fn calls_and_tables_in_versions() {
    same("flow", &[]);
}

/// Control comes back to a loop where no version expects it, or not at all.
#[test]
fn exceptions_and_long_jumps_in_versions() {
    same("unwinding", &["50"]);
    same("jumps", &["100"]);
}

/// A child returns from the call in which its parent made it.
#[test]
fn children_in_versions() {
    same("children", &["100"]);
}
