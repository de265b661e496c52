//! `loopwright job`: a job runs once for each collection, prints what it prints by itself, and is shown as a whole.

use crate::programs::{compiled, in_path, needed};
use crate::tool::{Said, Scratch, said};
use serde_json::Value;
use std::process::Command;

const TOOL: &str = env!("CARGO_BIN_EXE_loopwright");
const UNEVEN: &str = include_str!("job/uneven.c");

fn ran(scratch: &Scratch, arguments: &[&str]) -> Said {
    let mut command = scratch.wrapped(Command::new(TOOL));
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").current_dir(scratch.path());
    said(command.arg("job").args(arguments).output().expect("the tool starts"))
}

fn job(scratch: &Scratch) -> Value {
    let text = scratch.ok(["show", "job", "--json"]);
    serde_json::from_str::<Value>(&text).expect("JSON")["job"].clone()
}

fn list<'a>(of: &'a Value, key: &str) -> Vec<&'a Value> {
    of[key].as_array().into_iter().flatten().collect()
}

fn collected(job: &Value) -> Vec<&str> {
    let steps = list(job, "steps").into_iter().filter(|step| step["collected"] == true);
    steps.filter_map(|step| step["collection"].as_str()).collect()
}

#[test]
fn a_job_is_run_for_each_collection_and_shown_as_a_whole() {
    let Some(launcher) = needed(in_path("mpirun.openmpi"), "mpirun.openmpi (package openmpi-bin)") else {
        return;
    };
    let Some(compiler) = needed(in_path("mpicc.openmpi"), "mpicc.openmpi (package libopenmpi-dev)") else {
        return;
    };
    let scratch = Scratch::new();
    let program = compiled(&scratch, &compiler, "uneven.c", UNEVEN, &["-O1", "-g"]);
    let (launcher, program) = (launcher.to_str().expect("a name"), program.to_str().expect("a name"));
    let said = ran(&scratch, &["--runs", "survey,comm,io", "--", launcher, "-n", "3", "{}", program]);
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    assert!(said.out.starts_with("done 3\ndone 3\ndone 3\n\nJob\n"), "{}", said.out);
    assert!(
        said.out.contains("Ranks that are alike") && !said.out.contains("\nCommunication\n"),
        "{}",
        said.out
    );
    let job = job(&scratch);
    assert_eq!((&job["ranks"], &job["hosts"]), (&3.into(), &1.into()), "{job:#}");
    assert_eq!(collected(&job), ["survey", "comm", "io"], "{job:#}");
    let parts = list(&job, "parts");
    let kinds: Vec<&str> = parts.iter().filter_map(|part| part["kind"].as_str()).collect();
    assert_eq!(kinds, ["computation", "communication", "input-output"]);
    // Rank 2 does all of the work that the others wait for.
    assert_eq!(parts[0]["worst_rank"], 2, "{job:#}");
    let ranks: u64 = list(&job, "clusters").iter().filter_map(|cluster| cluster["ranks"].as_u64()).sum();
    assert_eq!(ranks, 3);
    // Another collection is added to those that are there.
    let said = ran(&scratch, &["--runs", "heap", "--json", "--", launcher, "-n", "3", "{}", program]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.starts_with("done 3\n{"), "{}", said.out);
    assert_eq!(collected(&self::job(&scratch)), ["survey", "comm", "io", "heap"]);
    // The views of the single verbs have their runs.
    assert!(
        scratch.ok(["show", "comm"]).contains("MPI_Barrier")
            && scratch.ok(["show", "io"]).contains("uneven.out")
    );
}

#[test]
fn what_the_survey_shows_decides_which_runs_follow() {
    let scratch = Scratch::new();
    let Some(compiler) = needed(in_path("gcc"), "gcc") else { return };
    let program = compiled(&scratch, &compiler, "alone.c", UNEVEN, &["-O1", "-g", "-DALONE"]);
    let said = ran(&scratch, &["--", program.to_str().expect("a name")]);
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    assert!(said.err.contains("the job runs again for: tripcounts, io ("), "{}", said.err);
    assert!(said.err.contains("not worth a run: comm (0.0 % seen)"), "{}", said.err);
    let job = job(&scratch);
    assert_eq!((&job["ranks"], list(&job, "clusters").len()), (&1.into(), 0));
    assert!(collected(&job).starts_with(&["survey", "tripcounts", "io"]), "{job:#}");
}

#[test]
fn a_command_that_cannot_be_a_job_is_refused() {
    let scratch = Scratch::new();
    for (command, says) in [
        (&["mpirun", "-n", "2", "./a"][..], "Put {} in front of it"),
        (&["mpirun", "-n", "2", "{}"], "no program follows {}"),
    ] {
        let said = ran(&scratch, &[&["--"], command].concat());
        assert_eq!((said.status, said.out.as_str()), (Some(2), ""), "{}", said.err);
        assert!(said.err.contains(says), "{}", said.err);
    }
    let said = ran(&scratch, &["--", "./missing-launcher", "{}", "./a"]);
    assert_eq!(said.status, Some(1));
    assert!(said.err.contains("./missing-launcher"), "{}", said.err);
    let said = ran(&scratch, &["--", "false"]);
    assert_eq!(said.status, Some(0), "what a program returns is its own affair: {}", said.err);
}
