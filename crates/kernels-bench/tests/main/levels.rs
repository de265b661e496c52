//! Proves that the requested level is the level that runs: every operation of every kernel is executed under
//! breakpoints at all instructions, and the executed code is examined.
//!
//! Right results prove nothing here, since all levels compute the same. The test checks
//! - which functions ran: some of the level's own module within the kernel, none of a higher level's;
//! - which instructions ran: some that only processors of the level have, none that need a higher one.
//!
//! The executed code depends on the processor, too: every operation is executed for named profiles of
//! processors ([`Profile`]), so that the test does not depend on the present machine. Processors without
//! AVX-512, AVX2 or SSE4.2 are emulated ([`emulated`]).
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod emulated;
mod executed;

use executed::{Executed, Program};
use loopwright_kernels::{Isa, Profile};
use loopwright_kernels_bench::subjects::{self, Operation};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Prints why a test skips; fails where nothing may be skipped.
fn skip(reason: &str) {
    let required = std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_some_and(|v| v == "1");
    assert!(!required, "LOOPWRIGHT_REQUIRE_ALL=1, but {reason}");
    eprintln!("skipped: {reason}");
}

/// A level other than the requested one: the lowest, or the best.
fn other(isa: Isa) -> Isa {
    let best = Isa::available().next_back().unwrap_or(Isa::Scalar);
    if isa == Isa::Scalar { best } else { Isa::Scalar }
}

/// What is wrong with an execution where `isa` was requested on a kind of processor.
fn faults(
    kernel: &str,
    operation: &Operation,
    profile: &Profile,
    isa: Isa,
    executed: &Executed,
) -> Vec<String> {
    let mut faults = Vec::new();
    let level = operation.level(profile, isa);
    let own = format!("loopwright_kernels::{kernel}::");
    let ran = |isa: Isa| {
        let module = format!("::{isa}::");
        executed.functions.iter().find(|f| f.contains(&own) && f.contains(&module))
    };
    if !executed.functions.iter().any(|f| f.contains(&own)) {
        faults.push(format!("no function of {kernel} ran at all"));
    }
    // The portable level may be inlined into its caller; the others cannot, for its caller lacks their instructions.
    if level > Isa::Scalar && ran(level).is_none() {
        faults.push(format!("no function of {kernel} compiled for {level} ran"));
    }
    for above in Isa::ALL.into_iter().filter(|above| *above > level) {
        if let Some(function) = ran(above) {
            faults.push(format!("{function} ran, of the level {above}"));
        }
    }
    match &executed.highest {
        Some((highest, text)) if *highest > isa => faults.push(format!("{text} needs {highest}")),
        // SSE2 instructions are often all that 128-bit code needs; wider vectors show in every instruction.
        Some((highest, _)) if level >= Isa::Avx2 && *highest < level => {
            faults.push(format!("no instruction of {level} ran, only of {highest}"));
        }
        Some(_) => {}
        None => faults.push("no instruction of the program ran".to_owned()),
    }
    faults
}

/// An operation at a level, requested in one of two ways.
struct Watch {
    kernel: &'static str,
    operation: Operation,
    profile: Profile,
    isa: Isa,
    variable: Option<Isa>,
    with: Option<Isa>,
}

/// The kinds of processors for which an operation is executed when `isa` is requested: one for each level that the
/// kernel then chooses. (The present processor is not used: the expectation would depend on the machine.)
fn profiles(operation: &Operation, isa: Isa) -> Vec<Profile> {
    let mut levels = BTreeSet::new();
    Profile::all().filter(Profile::runs_here).filter(|p| levels.insert(operation.level(p, isa))).collect()
}

/// By the `_with` twin (whatever the variable says), and for the first operation of each kernel by the
/// variable: all others call the same `Isa::best`.
fn watches() -> Vec<Watch> {
    let mut all = Vec::new();
    for subject in subjects::all() {
        for (at, operation) in subject.operations().into_iter().enumerate() {
            for isa in Isa::available() {
                for profile in profiles(&operation, isa) {
                    let by_variable = (at == 0).then_some((Some(isa), None));
                    for (variable, with) in by_variable.into_iter().chain([(Some(other(isa)), Some(isa))]) {
                        let (kernel, operation, profile) =
                            (subject.kernel(), operation.clone(), profile.clone());
                        all.push(Watch { kernel, operation, profile, isa, variable, with });
                    }
                }
            }
        }
    }
    all
}

#[test]
fn the_level_that_is_asked_for_runs() {
    let program = Program::read(env!("CARGO_BIN_EXE_loopwright-kernels"));
    let watches = watches();
    assert!(!watches.is_empty(), "nothing is watched");
    let next = AtomicUsize::new(0);
    let (wrong, untraceable) = (Mutex::new(Vec::new()), Mutex::new(None));
    std::thread::scope(|scope| {
        for cpu in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (program, watches, next, wrong, untraceable) =
                (&program, &watches, &next, &wrong, &untraceable);
            scope.spawn(move || {
                executed::pin(cpu);
                while let Some(w) = watches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (kernel, name) = (w.kernel, w.operation.name);
                    match program.execute(kernel, name, w.variable, w.with, &w.profile) {
                        Ok(executed) => {
                            let place = format!(
                                "{kernel}, {name}, {} on {} (LOOPWRIGHT_ISA {:?}, with {:?})",
                                w.isa, w.profile.name, w.variable, w.with
                            );
                            let faults = faults(kernel, &w.operation, &w.profile, w.isa, &executed);
                            let faults = faults.into_iter().map(|fault| format!("{place}: {fault}"));
                            wrong.lock().unwrap().extend(faults);
                        }
                        Err(reason) => {
                            *untraceable.lock().unwrap() = Some(reason);
                            break;
                        }
                    }
                }
            });
        }
    });
    if let Some(reason) = untraceable.into_inner().unwrap() {
        return skip(&reason);
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_level_would_be_seen() {
    let program = Program::read(env!("CARGO_BIN_EXE_loopwright-kernels"));
    let Some(subject) = subjects::all().into_iter().next() else { return };
    let operation = &subject.operations()[0];
    // One without further instructions, so that it runs everywhere.
    let Some(profile) = Profile::all().find(|profile| profile.extras.is_empty()) else { return };
    let levels: Vec<Isa> =
        Isa::available().filter(|isa| (operation.levels)(&profile).contains(isa)).collect();
    for run in &levels {
        let executed = match program.execute(subject.kernel(), operation.name, Some(*run), None, &profile) {
            Ok(executed) => executed,
            Err(reason) => return skip(&reason),
        };
        for claimed in &levels {
            let faults = faults(subject.kernel(), operation, &profile, *claimed, &executed);
            assert_eq!(faults.is_empty(), run == claimed, "ran {run}, claimed {claimed}: {faults:?}");
        }
    }
}
