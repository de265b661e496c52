//! Programs of every kind give a useful answer or a clear error.

use crate::tool::{Scratch, loops_of, said};
use loopwright_testprograms::{Compiler, Finish, Recipe, available};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Finds a program the tests need, or says why the test skips (a failure with LOOPWRIGHT_REQUIRE_ALL=1).
pub fn needed(found: Option<PathBuf>, what: &str) -> Option<PathBuf> {
    if found.is_none() {
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{what} is missing and required");
        println!("skipped: {what} is missing");
    }
    found
}

pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A Python with NumPy: named by the environment (`make test` sets it up), or the system's.
fn python_with_numpy() -> Option<PathBuf> {
    let named = std::env::var_os("LOOPWRIGHT_TEST_PYTHON").map(PathBuf::from);
    named.into_iter().chain(in_path("python3")).find(|python| {
        let import = Command::new(python).args(["-c", "import numpy"]).output();
        import.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn numpy_under_python_shows_the_loops_of_its_libraries() {
    let Some(python) = needed(python_with_numpy(), "a Python with NumPy") else { return };
    let scratch = Scratch::new();
    let code = "import numpy as n
a=n.arange(2_000_000,dtype='f8')
for i in range(150): b=n.sqrt(a)+a*a
print('sum',int(b[10]))";
    let said = scratch.advise(&[python.as_os_str(), OsStr::new("-c"), OsStr::new(code)]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("sum 103"), "the program's own output passes through: {}", said.out);
    let document = scratch.json();
    let first = &document["loops"][0];
    let module = first["module"].as_str().unwrap_or_default();
    assert!(module.contains("multiarray"), "the hottest loop is in NumPy's module: {first}");
    assert_eq!(first["vectorized"], true, "NumPy's square roots and sums are vectorised: {first}");
}

#[test]
fn a_fortran_program_shows_its_source_lines() {
    let recipe = Recipe::of("heat").compiler(Compiler::Gfortran).flag_set("O2");
    let Some(built) = available(recipe.build()) else { return };
    let scratch = Scratch::new();
    let said = scratch.advise(&[built.path.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document = scratch.json();
    let first = &document["loops"][0];
    assert!(first["file"].as_str().is_some_and(|f| f.ends_with("heat.f90")), "{first}");
    let lines: Vec<u64> = built.loops.iter().map(|mark| u64::from(mark.line)).collect();
    let line = first["line"].as_u64().unwrap_or_default();
    assert!(lines.contains(&line), "line {line} is one of the marked loops {lines:?}");
    assert!(said.out.contains("heat.f90"), "{}", said.out);
}

#[test]
fn an_openmp_program_shows_all_its_threads() {
    let Some(built) = available(Recipe::of("threads").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let mut tool = scratch.tool();
    tool.env("OMP_NUM_THREADS", "2").args(["advise", "--no-measure", "--"]).arg(&built.path);
    let said = said(tool.output().expect("starts"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document = scratch.json();
    assert!(document["program"]["threads"].as_u64() >= Some(2), "{}", document["program"]);
    // Threads that wait spin in the runtime: its loop may be the hottest one of a busy machine.
    let own = document["loops"].as_array().expect("a list");
    let own: Vec<_> =
        own.iter().filter(|l| l["file"].as_str().is_some_and(|file| file.ends_with("threads.c"))).collect();
    assert!(own.iter().any(|l| l["threads"].as_u64() == Some(2)), "{own:?}");
    let threads = scratch.ok(["show", "threads"]);
    assert!(threads.contains("threads"), "{threads}");
}

#[test]
fn ranks_of_an_mpi_job_are_merged() {
    let Some(mpirun) = needed(in_path("mpirun"), "mpirun (package openmpi-bin)") else { return };
    let recipe = Recipe::of("mpi").compiler(Compiler::Mpicc).flag_set("O2");
    let Some(built) = available(recipe.build()) else { return };
    let scratch = Scratch::new();
    let mut launch = scratch.wrapped(Command::new(mpirun));
    launch.args(["--allow-run-as-root", "--oversubscribe", "-n", "2"]);
    launch.arg(env!("CARGO_BIN_EXE_loopwright")).args(["advise", "--no-measure", "--"]).arg(&built.path);
    let said = said(launch.output().expect("mpirun starts"));
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    let document = scratch.json();
    assert_eq!(document["program"]["ranks"], 2, "{}\n{}", said.err, document["program"]);
    assert!(document["loops"][0]["file"].as_str().is_some_and(|f| f.ends_with("mpi.c")), "{document}");
    let answers = said.out.matches("mpi.c:").count();
    assert!(answers > 0, "one rank reports: {}", said.out);
    assert!(!scratch.file("loopwright.lw.parts").exists(), "merged parts are gone");
}

#[test]
fn a_stripped_binary_of_the_distribution_shows_loops_by_address() {
    let Some(gzip) = needed(in_path("gzip"), "gzip") else { return };
    let scratch = Scratch::new();
    let input = scratch.file("input");
    let text: String =
        (0..1_500_000u32).map(|i| format!("{} ", i.wrapping_mul(2_654_435_761) % 5000)).collect();
    std::fs::write(&input, text).expect("the scratch folder can be written");
    let said = scratch.advise(&[gzip.as_os_str(), OsStr::new("-9"), OsStr::new("-k"), input.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(scratch.file("input.gz").exists(), "the program did its work");
    let document = scratch.json();
    let first = &document["loops"][0];
    assert!(first["function"].as_str().is_some_and(|f| f.starts_with("func@0x")), "{first}");
    assert!(first["address"].as_str().is_some_and(|a| a.starts_with("0x")), "{first}");
    assert!(said.out.contains("gzip has no symbols"), "says what is missing: {}", said.out);
}

#[test]
fn a_crash_keeps_what_was_collected_and_passes_its_status_on() {
    let Some(built) = available(Recipe::of("crash").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let mut tool = scratch.tool();
    tool.args(["advise", "--no-measure", "--propagate-exit", "--"]).arg(&built.path);
    let said = said(tool.output().expect("starts"));
    assert_eq!(said.status, Some(128 + 11), "{}", said.err);
    assert!(said.err.contains("killed by signal 11"), "{}", said.err);
    let document = scratch.json();
    assert!(document["program"]["outcome"].as_str().is_some_and(|o| o.contains("SIGSEGV")), "{document}");
    assert!(document["loops"][0]["samples"].as_u64() > Some(50), "{}", document["loops"][0]);
}

#[test]
fn a_killed_program_keeps_what_was_collected() {
    let Some(timeout) = needed(in_path("timeout"), "timeout (coreutils)") else { return };
    let Some(built) = available(Recipe::of("endless").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let said = scratch.advise(&[
        timeout.as_os_str(),
        OsStr::new("-s"),
        OsStr::new("KILL"),
        OsStr::new("1"),
        built.path.as_os_str(),
    ]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document = scratch.json();
    assert!(document["loops"][0]["samples"].as_u64() > Some(100), "{document}");
}

#[test]
fn an_interrupt_of_the_tool_keeps_what_was_collected() {
    let Some(built) = available(Recipe::of("endless").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let mut tool = scratch.tool();
    tool.args(["survey", "--"]).arg(&built.path);
    tool.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = tool.spawn().expect("starts");
    std::thread::sleep(std::time::Duration::from_secs(4));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let said = said(child.wait_with_output().expect("ends"));
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    assert!(scratch.json()["program"]["samples"].as_u64() > Some(100), "{}", said.err);
}

#[test]
fn children_are_surveyed() {
    let Some(built) = available(Recipe::of("forks").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let said = scratch.advise(&[built.path.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document = scratch.json();
    assert!(document["program"]["processes"].as_u64() >= Some(2), "{}", document["program"]);
    assert!(document["loops"][0]["file"].as_str().is_some_and(|f| f.ends_with("forks.c")), "{document}");
}

#[test]
fn a_script_is_surveyed_with_what_it_starts() {
    let Some(built) = available(Recipe::of("serial").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let script = scratch.file("run.sh");
    std::fs::write(&script, format!("#!/bin/sh\n{}\n", built.path.display())).expect("writes");
    let made = Command::new("chmod").arg("+x").arg(&script).status();
    assert!(made.is_ok_and(|status| status.success()));
    let said = scratch.advise(&[OsStr::new("./run.sh")]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = &scratch.json()["loops"][0];
    assert!(first["file"].as_str().is_some_and(|f| f.ends_with("serial.c")), "{first}");
    assert_eq!(first["main_module"], true, "{first}");
}

#[test]
fn a_program_too_short_to_sample_is_told_so() {
    let Some(built) = available(Recipe::of("quick").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let said = scratch.advise(&[built.path.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let told = said.out.contains("samples") && said.out.contains("more work");
    assert!(told, "{}\n{}", said.err, said.out);
}

#[test]
fn what_cannot_be_started_is_one_clear_line() {
    let scratch = Scratch::new();
    let not_executable = scratch.file("notes.txt");
    std::fs::write(&not_executable, "hello").expect("writes");
    let here = scratch.path().to_string_lossy().into_owned();
    let notes = not_executable.to_string_lossy().into_owned();
    for (command, word) in [
        ("./no-such-program", "no-such-program"),
        (notes.as_str(), "notes.txt"),
        (here.as_str(), "directory"),
    ] {
        let said = scratch.advise(&[OsStr::new(command)]);
        assert_eq!(said.status, Some(1), "{command}: {}", said.err);
        assert!(said.err.contains(word), "{command}: {}", said.err);
        assert_eq!(said.err.trim().lines().count(), 1, "{command}: {}", said.err);
        assert!(said.out.is_empty(), "{}", said.out);
    }
}

#[test]
fn misuse_exits_with_2() {
    let scratch = Scratch::new();
    for arguments in [
        vec!["advise"],
        vec!["survey", "--rate", "0", "--", "true"],
        vec!["tripcounts", "--all", "--loops", "1", "--", "true"],
        vec!["check", "--against", "latest", "--slower", "0.9"],
        vec!["frobnicate"],
        vec!["show", "tree", "7"],
        vec!["explain", "no-such-reason"],
    ] {
        let said = scratch.run(&arguments);
        assert_eq!(said.status, Some(2), "{arguments:?}: {}", said.err);
        assert!(!said.err.is_empty());
    }
    let said = scratch.run(["show"]);
    assert_eq!(said.status, Some(1));
    assert!(said.err.contains("loopwright advise -- PROGRAM"), "{}", said.err);
}

#[test]
fn an_unwritable_experiment_is_found_out_before_the_program_runs() {
    let Some(built) = available(Recipe::of("quick").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let said = scratch.run([
        OsStr::new("-e"),
        OsStr::new("/proc/no/such/place.lw"),
        OsStr::new("survey"),
        OsStr::new("--"),
        built.path.as_os_str(),
    ]);
    assert_eq!(said.status, Some(1));
    assert!(said.err.contains("/proc/no"), "{}", said.err);
}

#[test]
fn stripped_and_static_builds_are_analysed() {
    let stripped = Recipe::of("serial").flag_set("O2").finish(Finish::Stripped);
    for recipe in [stripped, Recipe::of("serial").flag_set("O2").flag("-static")] {
        let label = recipe.label();
        let Some(built) = available(recipe.build()) else { continue };
        let scratch = Scratch::new();
        let said = scratch.advise(&[built.path.as_os_str()]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let document = scratch.json();
        assert!(document["loops"][0]["self_share"].as_f64() > Some(0.5), "{label}: {}", document["loops"][0]);
    }
}

#[test]
fn loops_of_a_function_are_found_by_name() {
    let Some(built) = available(Recipe::of("shares").flag_set("O3-native").build()) else { return };
    let scratch = Scratch::new();
    scratch.ok([OsStr::new("survey"), OsStr::new("--"), built.path.as_os_str(), OsStr::new("1")]);
    let document = scratch.json();
    let triad = loops_of(&document, "triad");
    assert!(triad.iter().any(|l| l["vectorized"] == true), "{triad:?}");
    assert!(Path::new(triad[0]["file"].as_str().unwrap_or_default()).ends_with("shares.c"));
}

/// Compiles a source of this name in the scratch folder.
pub fn compiled(scratch: &Scratch, compiler: &Path, name: &str, text: &str, words: &[&str]) -> PathBuf {
    let source = scratch.file(name);
    std::fs::write(&source, text).expect("a source");
    let program = source.with_extension("");
    let mut command = scratch.wrapped(Command::new(compiler));
    command.args(["-O2", "-g", "-w", "-o"]).arg(&program).arg(&source).args(words);
    let said = said(command.output().expect("the compiler starts"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    program
}
