//! Programs with threads, processes and handlers, repeated many times: no hang, no crash, the same counts.

use crate::counting::builds::{Ready, makes_sense};
use crate::counting::engine::{counted, plainly};
use crate::counting::judge::judge;
use loopwright_testprograms::Program;

/// Repetitions of each program, spread over its builds. `LOOPWRIGHT_REPETITIONS` sets another number.
fn repetitions() -> usize {
    std::env::var("LOOPWRIGHT_REPETITIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(50)
}

fn repeat(name: &str, arguments: &[&str]) {
    let program = Program::named(name);
    let mut builds = Vec::new();
    for &compiler in &program.compilers {
        for set in ["O0", "O2", "O3-native", "no-pie"] {
            if makes_sense(&program, compiler, set) {
                builds.extend(Ready::build(&program, compiler, set).map(|r| r.with(arguments)));
            }
        }
    }
    let Some(first) = builds.first() else { return };
    let plain = plainly(&first.built.path, &first.arguments);
    for k in 0..repetitions() {
        let ready = &builds[k % builds.len()];
        let label = format!("{}, repetition {k}", ready.built.label);
        let (run, counts) = counted(&ready.built.path, &ready.arguments, &[]);
        assert_eq!(plain.outcome, run.outcome, "{label}");
        let mut expected = ready.expected();
        expected.read(&run.facts);
        let verdict = judge(ready, &expected, &counts);
        assert!(verdict.wrong.is_empty(), "{label}:\n{}", verdict.wrong.join("\n"));
        assert!(verdict.right > 0, "{label}: nothing was compared");
    }
}

#[test]
fn posix_threads() {
    repeat("pthreads", &["4", "200", "40"]);
}

#[test]
fn cxx_threads_with_exceptions() {
    repeat("stdthreads", &["6", "100"]);
}

#[test]
fn openmp() {
    repeat("openmp", &["200", "5"]);
}

#[test]
fn handlers() {
    repeat("handlers", &["20"]);
}

#[test]
fn children() {
    repeat("children", &["100"]);
}
