//! Parallel jobs of Open MPI and MPICH: whichever of their ranks are collected, they are merged, and nothing waits for those that
//! are not.

use crate::programs::{in_path, needed};
use crate::tool::{Said, Scratch, said};
use loopwright_testprograms::{Compiler, Recipe, available};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TOOL: &str = env!("CARGO_BIN_EXE_loopwright");

fn program() -> Option<PathBuf> {
    Some(available(Recipe::of("mpi").compiler(Compiler::Mpicc).flag_set("O2").build())?.path)
}

/// `mpirun` with the words of several contexts, a `:` between them.
fn mpirun(scratch: &Scratch, words: &[&str]) -> Option<Said> {
    let mpirun = needed(in_path("mpirun"), "mpirun (package openmpi-bin)")?;
    let mut launch = scratch.wrapped(Command::new(mpirun));
    launch.args(["--allow-run-as-root", "--oversubscribe"]).args(words);
    Some(said(launch.output().expect("mpirun starts")))
}

/// The ranks in the experiment, by run.
fn ranks(scratch: &Scratch) -> Vec<u32> {
    let runs = scratch.ok(["show", "runs"]);
    let rank = |line: &str| line.split("rank ").nth(1)?.split(',').next()?.parse().ok();
    runs.lines().filter_map(rank).collect()
}

fn has_parts(scratch: &Scratch) -> bool {
    scratch.file("loopwright.lw.parts").exists()
}

#[test]
fn a_subset_of_the_ranks_is_merged_by_its_lowest() {
    let Some(program) = program() else { return };
    let program = program.to_str().expect("its path is text");
    let collected = ["-n", "1", TOOL, "survey", "--", program, "0.2"];
    let plain = ["-n", "1", program, "0.2"];
    for (contexts, expected) in [([&collected[..], &plain[..]], 0), ([&plain[..], &collected[..]], 1)] {
        let scratch = Scratch::new();
        let Some(said) = mpirun(&scratch, &contexts.join(&":")) else { return };
        assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
        assert!(said.out.contains("mpi.c:"), "it reports: {}", said.out);
        assert!(!said.err.contains("delivered"), "nothing is missing: {}", said.err);
        assert!(!has_parts(&scratch));
        assert_eq!(ranks(&scratch), [expected]);
    }
}

#[test]
fn ranks_that_are_not_chosen_become_the_program() {
    let scratch = Scratch::new();
    // Every rank says which program its parent is.
    let script = "readlink /proc/$PPID/exe > parent.$OMPI_COMM_WORLD_RANK";
    for (choice, chosen) in [("1,3-9", &[1, 3][..]), ("one-per-node", &[0]), ("sample:2", &[0, 2])] {
        let words =
            ["-n", "4", TOOL, "-e", "chosen.lw", "survey", "--ranks", choice, "--", "sh", "-c", script];
        let Some(said) = mpirun(&scratch, &words) else { return };
        assert_eq!(said.status, Some(0), "{choice}: {}\n{}", said.err, said.out);
        let runs = scratch.ok(["-e", "chosen.lw", "show", "runs"]);
        for rank in 0..4 {
            let is_chosen = chosen.contains(&rank);
            assert_eq!(runs.contains(&format!("rank {rank},")), is_chosen, "{choice}: {runs}");
            let parent = std::fs::read_to_string(scratch.file(&format!("parent.{rank}"))).expect("it ran");
            let under_the_tool =
                Path::new(parent.trim()).file_name().is_some_and(|name| name == "loopwright");
            assert_eq!(under_the_tool, is_chosen, "{choice}, rank {rank}: {parent}");
        }
        std::fs::remove_file(scratch.file("chosen.lw")).expect("it is there");
    }
    let said = scratch.run(["survey", "--ranks", "0", "--", "true"]);
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert!(said.err.contains("no launcher"), "{}", said.err);
    let mut unknown = scratch.tool();
    unknown.env("PMIX_RANK", "0").env("PMIX_NAMESPACE", "1").env("SLURM_STEP_NUM_TASKS", "2");
    let output = unknown.args(["survey", "--ranks", "one-per-node", "--", "true"]).output().expect("starts");
    let wrong = crate::tool::said(output);
    assert_eq!(wrong.status, Some(2), "{}", wrong.err);
    assert!(wrong.err.contains("--ranks 0,8"), "{}", wrong.err);
}

/// Hydra gives every job the same variables.
#[test]
fn two_jobs_of_mpich_at_once_into_one_file() {
    let Some(mpicc) = needed(in_path("mpicc.mpich"), "mpicc.mpich (package libmpich-dev)") else { return };
    let Some(mpiexec) = needed(in_path("mpiexec.hydra"), "mpiexec.hydra (package mpich)") else { return };
    let scratch = Scratch::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testprograms/mpi.c");
    let mut compile = Command::new(mpicc);
    let compiled = compile.args(["-O2", "-g", source, "-o"]).arg(scratch.file("mpi")).status();
    assert!(compiled.is_ok_and(|status| status.success()));
    let start = || {
        let mut launch = scratch.wrapped(Command::new(&mpiexec));
        launch.args(["-n", "2", TOOL, "survey", "--", "./mpi", "0.5"]);
        launch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpiexec.hydra starts")
    };
    for child in [start(), start()] {
        let said = said(child.wait_with_output().expect("it ends"));
        assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
        assert_eq!(said.out.matches("ranks 2").count(), 1, "{}\n{}", said.err, said.out);
        assert!(!said.err.contains("delivered") && !said.err.contains("readonly"), "{}", said.err);
    }
    assert!(!has_parts(&scratch));
    let mut all = ranks(&scratch);
    all.sort_unstable();
    assert_eq!(all, [0, 0, 1, 1]);
    // Each is a state of its own.
    let document = scratch.json();
    assert_eq!(document["program"]["ranks"], 2, "{}", document["program"]);
}

/// The tool as rank `rank` of a job of two, as Open MPI would start it.
fn as_rank(scratch: &Scratch, rank: &str, program: &[&str]) -> Command {
    let mut tool = scratch.tool();
    tool.env("OMPI_COMM_WORLD_RANK", rank)
        .env("OMPI_COMM_WORLD_SIZE", "2")
        .env("OMPI_MCA_ess_base_jobid", "77");
    tool.args(["survey", "--"]).args(program).stdout(Stdio::piped()).stderr(Stdio::piped());
    tool
}

fn announced(scratch: &Scratch, rank: u32) -> bool {
    let Ok(files) = std::fs::read_dir(scratch.file("loopwright.lw.parts/job-77")) else { return false };
    let mut names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    names.any(|name| name.starts_with(&format!("rank-{rank}.")) && name.ends_with(".expected"))
}

fn wait_for(what: impl Fn() -> bool) {
    let begin = Instant::now();
    while !what() {
        assert!(begin.elapsed() < Duration::from_secs(120), "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn killed(child: &mut std::process::Child) {
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
}

#[test]
fn a_rank_that_is_killed_is_named_and_not_waited_for() {
    let scratch = Scratch::new();
    let mut lost = as_rank(&scratch, "1", &["sleep", "60"]).spawn().expect("starts");
    wait_for(|| announced(&scratch, 1));
    let first = as_rank(&scratch, "0", &["true"]).spawn().expect("starts");
    wait_for(|| announced(&scratch, 0));
    killed(&mut lost);
    let said = said(first.wait_with_output().expect("it ends"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.err.contains("rank 1 of 2 ended before delivering"), "{}", said.err);
    assert_eq!(ranks(&scratch), [0]);
    assert!(!has_parts(&scratch));
}

#[test]
fn what_a_killed_job_left_is_merged_later() {
    let scratch = Scratch::new();
    let mut first = as_rank(&scratch, "0", &["sleep", "60"]).spawn().expect("starts");
    wait_for(|| announced(&scratch, 0));
    let left = said(as_rank(&scratch, "1", &["true"]).output().expect("starts"));
    assert_eq!((left.status, left.out.as_str()), (Some(0), ""), "rank 0 reports: {}", left.err);
    let text = scratch.ok(["merge"]);
    assert!(text.contains("Merged rank 1 of job 77 into loopwright.lw."), "{text}");
    assert!(text.contains("Unfinished: rank 0 of job 77: still run"), "{text}");
    killed(&mut first);
    let text = scratch.ok(["merge"]);
    assert!(text.contains("Nothing was merged") && text.contains("rank 0 of job 77: ended before"), "{text}");
    assert!(!has_parts(&scratch));
    assert_eq!(ranks(&scratch), [1]);
    let text = scratch.ok(["merge", "loopwright.lw"]);
    assert!(text.contains("Nothing waits beside loopwright.lw"), "{text}");
    let none = scratch.run(["merge", "other.lw"]);
    assert_eq!(none.status, Some(1), "{}", none.err);
    assert!(none.err.contains("no parts beside other.lw"), "{}", none.err);
    // A part that was cut off is named, and stays.
    let folder = scratch.file("loopwright.lw.parts/job-78");
    std::fs::create_dir_all(&folder).expect("it can be made");
    std::fs::write(folder.join("rank-3.0123456789abcdef.part"), "LWPART").expect("it can be written");
    let damaged = scratch.run(["merge"]);
    assert_eq!(damaged.status, Some(1), "{}", damaged.err);
    assert!(damaged.err.contains("rank-3.0123456789abcdef.part is damaged"), "{}", damaged.err);
    scratch.ok(["show", "runs"]);
}
