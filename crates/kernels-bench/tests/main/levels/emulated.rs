//! Processors without some levels, emulated by qemu: the best remaining level is found, a request for a higher one is
//! refused with a sentence, and the running level computes the same. An emulated processor stops at an instruction that
//! it lacks (and qemu does not support AVX-512), so that success proves that none was executed.

use super::skip;
use loopwright_kernels::Isa;
use loopwright_kernels_bench::subjects;
use std::process::{Command, Output};

/// Processors and the best level of each: 2007 (SSSE3, but no SSE4.2), 2009, 2013.
const PROCESSORS: [(&str, Isa); 3] =
    [("core2duo", Isa::Scalar), ("Nehalem", Isa::Sse42), ("Haswell", Isa::Avx2)];

/// Operations that qemu computes wrongly: its AVX2 is new in version 7.2. The level `avx2` of the same binary
/// is right on processors, as its other tests show.
const MISCOMPUTED: [(&str, &str); 1] = [("Haswell", "semi_sparse")];

fn emulate(processor: &str, arguments: &[&str], variable: Option<&str>) -> Output {
    let mut command = Command::new("qemu-x86_64");
    command.args(["-cpu", processor, env!("CARGO_BIN_EXE_loopwright-kernels")]).args(arguments);
    command.env_remove("LOOPWRIGHT_ISA");
    // The peer would run instructions that the emulated processor lacks.
    command.env_remove("OPENBLAS_CORETYPE");
    if let Some(value) = variable {
        command.env("LOOPWRIGHT_ISA", value);
    }
    command.output().unwrap()
}

fn qemu_is_there() -> bool {
    let there = Command::new("qemu-x86_64").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        skip("qemu-x86_64 is not installed (Debian: qemu-user)");
    }
    there
}

#[test]
fn processors_that_lack_a_level_run_the_best_they_have() {
    if !qemu_is_there() {
        return;
    }
    // An emulated processor runs on one CPU.
    std::thread::scope(|scope| {
        for (processor, best) in PROCESSORS {
            scope.spawn(move || runs_the_best(processor, best));
        }
    });
}

fn runs_the_best(processor: &str, best: Isa) {
    let subjects = subjects::all();
    let right = |kernel: &&str| !MISCOMPUTED.contains(&(processor, *kernel));
    let mut arguments = vec!["bench", "--smoke", "--json"];
    arguments.extend(subjects.iter().map(|subject| subject.kernel()).filter(right));
    let output = emulate(processor, &arguments, None);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{processor}: {:?}\n{errors}", output.status);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["isa"], best.name(), "{processor}");
    for case in report["cases"].as_array().unwrap() {
        let levels: Vec<&str> =
            case["variants"].as_array().unwrap().iter().filter_map(|v| v["level"].as_str()).collect();
        let lacking = levels.iter().filter(|level| level.parse::<Isa>().unwrap() > best).count();
        assert_eq!(lacking, 0, "{processor}: {levels:?}");
    }
}

#[test]
fn a_level_that_the_processor_lacks_is_refused_and_the_best_one_runs() {
    if !qemu_is_there() {
        return;
    }
    for subject in subjects::all() {
        let operations = subject.operations();
        // The variable is read in one place, so that one operation of each kernel shows its effect.
        let first = operations.first().expect("a kernel has an operation");
        for (processor, best) in PROCESSORS {
            let output = emulate(processor, &["exercise", subject.kernel(), first.name], Some("avx512"));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{processor}, {}: {errors}", first.name);
            let sentence = format!(
                "loopwright-kernels: LOOPWRIGHT_ISA is ignored: this processor cannot run the level avx512; use {best} or \
                 a lower one"
            );
            assert!(errors.lines().any(|line| line == sentence), "{processor}: {errors}");
        }
        // The `_with` twin does not fall back; every operation has its own.
        let (processor, _) = PROCESSORS[1];
        for operation in operations {
            let arguments = ["exercise", subject.kernel(), operation.name, "--with", "avx512"];
            let output = emulate(processor, &arguments, None);
            assert_eq!(output.status.code(), Some(1), "{processor}, {}", operation.name);
        }
    }
}
