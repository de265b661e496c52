//! Programs with several processes, in namespaces, under limits and under seccomp: counted they give the same
//! results as alone.

use crate::counting::engine::{Started, counted, plainly};
use loopwright_instrument::facts::{Counts, FunctionCounts};
use loopwright_instrument::warning::Warning;
use nix::sys::resource::Resource;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The program, built once; prints the reason when that is not possible.
fn program() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/main/counting/processes/program.c");
        let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("processes");
        let made = Command::new("gcc")
            .args(["-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
            .arg(&built)
            .arg(source)
            .status();
        match made {
            Ok(status) => {
                assert!(status.success(), "gcc failed");
                Some(built)
            }
            Err(e) => {
                assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "gcc: {e}");
                println!("skipped: gcc: {e}");
                None
            }
        }
    };
    BUILT.get_or_init(build).as_deref()
}

fn arguments(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Runs it alone and counted, and compares the two.
fn same(line: &str) -> Option<Counts> {
    let (program, arguments) = (program()?, arguments(line));
    let plain = plainly(program, &arguments);
    let (run, counts) = counted(program, &arguments, &[]);
    assert_eq!(plain.outcome, run.outcome, "{line}: {:?}", counts.warnings);
    assert!(!counts.interrupted, "{line}");
    Some(counts)
}

fn function<'a>(counts: &'a Counts, name: &str) -> &'a FunctionCounts {
    let mut all = counts.modules.iter().flat_map(|m| &m.functions);
    all.find(|f| f.name == name).unwrap_or_else(|| panic!("{name} is not among {:?}", counts.modules))
}

fn calls(counts: &Counts, name: &str) -> u64 {
    function(counts, name).calls.unwrap_or(0)
}

fn iterations(counts: &Counts, name: &str) -> u64 {
    function(counts, name).loops.iter().map(|l| l.iterations).sum()
}

/// The tool does not wait for a request of a process that was killed in the middle of it and is a zombie.
#[test]
fn children_that_are_killed_while_they_ask_hold_nothing() {
    let Some(counts) = same("killed") else { return };
    // The parent calls each once, with 5 iterations.
    assert_eq!((calls(&counts, "fresh0"), iterations(&counts, "fresh0")), (1, 5));
}

/// Kills at every instruction of a request, from the stub to the copy: in four parts, because each step takes time.
fn killed_after(from: u32, to: u32) {
    let Some(counts) = same(&format!("stepped {from} {to}")) else { return };
    assert_eq!(calls(&counts, "fresh1"), 1);
}

#[test]
fn a_child_may_be_killed_at_each_of_its_first_instructions() {
    killed_after(0, 120);
}

#[test]
fn a_child_may_be_killed_at_each_instruction_of_a_request() {
    killed_after(120, 260);
}

#[test]
fn a_child_may_be_killed_while_it_waits_for_the_answer() {
    killed_after(260, 420);
}

#[test]
fn processes_in_another_namespace_are_counted() {
    let Some(counts) = same("namespaces") else { return };
    let permitted = counts.threads.len() > 1;
    if permitted {
        assert_eq!((calls(&counts, "fresh1"), calls(&counts, "fresh2")), (1, 1));
        assert_eq!((iterations(&counts, "fresh1"), iterations(&counts, "fresh2")), (4, 7));
        // Their ids are those in this namespace.
        let ids: Vec<u32> = counts.threads.iter().map(|t| t.process).collect();
        assert!(ids.iter().all(|p| *p > 2), "{ids:?}");
    }
}

#[test]
fn a_program_may_limit_its_addresses() {
    let Some(counts) = same("limited") else { return };
    assert_eq!((calls(&counts, "fresh7"), iterations(&counts, "fresh7")), (1, 3));
}

#[test]
fn a_counted_program_is_little_larger() {
    let Some(program) = program() else { return };
    let kilobytes = |stdout: &str| stdout.trim().parse::<u64>().unwrap();
    let plain = kilobytes(&plainly(program, &arguments("size")).outcome.stdout);
    let counted = kilobytes(&counted(program, &arguments("size"), &[]).0.outcome.stdout);
    assert!(counted > plain && counted < plain + (16 << 10), "{plain} and {counted} kB");
}

#[test]
fn the_way_a_program_finds_its_trap_signal_is_its_own() {
    let Some(counts) = same("traps") else { return };
    assert_eq!(calls(&counts, "main"), 5);
}

#[test]
fn threads_under_strict_seccomp_ask_without_a_system_call() {
    if let Some(counts) = same("strict") {
        assert_eq!((calls(&counts, "fresh0"), iterations(&counts, "fresh0")), (1, 10));
    }
    same("strict-thread");
}

#[test]
fn new_threads_under_a_filter_run_on() {
    same("filtered");
}

#[test]
fn handlers_may_ask_in_the_middle_of_a_request() {
    let Some(counts) = same("interrupted") else { return };
    assert_eq!(counts.warnings, []);
    // Each of 40 children calls it once; no handler does.
    assert_eq!((calls(&counts, "fresh0"), iterations(&counts, "fresh0")), (40, 4000));
}

#[test]
fn programs_are_executed_in_all_ways() {
    let Some(counts) = same("execs") else { return };
    assert_eq!(calls(&counts, "main"), 3, "{:?}", counts.warnings);
    assert_eq!(calls(&counts, "fresh6"), 1);
}

#[test]
fn many_processes_and_threads_are_all_counted() {
    let Some(counts) = same("many") else { return };
    // 40 threads, and those of 30 children whose number is 7, 15 and 23.
    assert_eq!(calls(&counts, "fresh7"), 43, "{:?}", counts.warnings);
    assert_eq!(iterations(&counts, "fresh7"), 40_000 + 7 + 15 + 23);
    assert_eq!(calls(&counts, "fresh0"), 4);
}

#[test]
fn no_descriptor_is_the_tools() {
    same("descriptors");
}

#[test]
fn a_process_without_its_first_thread_goes_on() {
    same("leaderless");
}

/// Only what shares pages with the bytes that change runs uncounted: the caller, which may call the copy directly, does not.
#[test]
fn a_function_that_is_written_to_runs_as_it_is() {
    let Some(counts) = same("rewrites") else { return };
    let module = program().map_or_else(String::new, |path| path.to_string_lossy().into_owned());
    let functions = vec!["later".to_owned(), "rewritten".to_owned()];
    assert_eq!(counts.warnings, [Warning::MadeWritable { module, functions }]);
    // Once by the program and once by the first child, which changes the other one: that is not given back to the program alone.
    assert_eq!((calls(&counts, "rewritten"), iterations(&counts, "rewritten")), (2, 20));
    assert_eq!((calls(&counts, "later"), iterations(&counts, "later")), (1, 10));
    let complete = |name| function(&counts, name).complete;
    assert_eq!((complete("rewritten"), complete("later"), complete("kept")), (false, false, true));
    // Four calls by the program, and one by each of four children.
    assert_eq!((calls(&counts, "kept"), iterations(&counts, "kept")), (8, 80));
    assert_eq!((calls(&counts, "fresh3"), calls(&counts, "fresh4")), (2, 4));
}

/// The end is the program's, and its remaining processes run on when the tool no longer answers.
#[test]
fn a_child_in_the_background_outlives_the_run() {
    let Some(program) = program() else { return };
    let mut started = Started::new(program, &arguments("background"), &[], None);
    let well = started.collector.wait().unwrap().success();
    let survived = started.folder().join("survived");
    let begin = Instant::now();
    let expected = plainly(program, &arguments("killed")).outcome.stdout;
    let values: String =
        expected.lines().filter_map(|l| l.split_once(' ')).map(|l| format!("{}\n", l.1)).collect();
    while std::fs::read_to_string(&survived).unwrap_or_default() != values {
        assert!(begin.elapsed() < Duration::from_secs(60), "the child did not go on");
        std::thread::sleep(Duration::from_millis(50));
    }
    let (run, counts) = started.finish(well).unwrap();
    assert_eq!((run.outcome.status, counts.interrupted), (3, false));
    let left_behind = |w: &Warning| matches!(w, Warning::LeftBehind { .. });
    assert!(counts.warnings.iter().any(left_behind), "{:?}", counts.warnings);
    assert_eq!(counts.cpu_seconds, None);
}

/// Limits that apply to the tool, too: of files' sizes, descriptors, addresses, stack.
#[test]
fn limits_from_outside_are_respected() {
    let Some(program) = program() else { return };
    for limit in [
        (Resource::RLIMIT_FSIZE, 1 << 20),
        (Resource::RLIMIT_NOFILE, 40),
        (Resource::RLIMIT_AS, 3 << 30),
        (Resource::RLIMIT_STACK, 256 << 10),
        (Resource::RLIMIT_CORE, 0),
    ] {
        let mut started = Started::under(&[limit], program, &arguments("many"), &[], None);
        let well = started.collector.wait().unwrap().success();
        let (run, counts) = started.finish(well).unwrap_or_else(|e| panic!("{limit:?}: {e}"));
        assert_eq!(run.outcome, plainly(program, &arguments("many")).outcome, "{limit:?}");
        assert_eq!(calls(&counts, "fresh7"), 43, "{limit:?}: {:?}", counts.warnings);
    }
}
