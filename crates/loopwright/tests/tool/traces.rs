//! Tracing through the whole tool: strides and dependences in the JSON, what is run first, what is refused, exit
//! statuses, interruption.

use crate::experiments::compile;
use crate::programs::{in_path, needed};
use crate::tool::{Said, Scratch, loops_of, said};
use loopwright_testprograms::{Compiler, Recipe, available};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Elements of each loop's arrays.
const LENGTH: u64 = 1000;
const PROGRAM: &str = "
#include <stdio.h>
#include <stdlib.h>
#define SEPARATE __attribute__((noinline, noclone))
struct point { double x, y, z; };
struct point point[1000];
double a[1000], b[1000];
SEPARATE double structure(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += point[i].y;
    return s;
}
SEPARATE void recurrence(int n) {
    for (int i = 4; i < n; i++)
        a[i] = 0.5 * a[i - 4] + b[i];
}
SEPARATE void copy(int n) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1;
}
int main(int c, char **v) {
    double t = 0;
    int rounds = c > 1 ? atoi(v[1]) : 20;
    for (int i = 0; i < 1000; i++) { b[i] = i; point[i].y = i; }
    for (int k = 0; k < rounds; k++) { recurrence(1000); copy(1000); t += structure(1000); }
    printf(\"%g\\n\", t + a[999]);
    return c > 1 ? rounds % 256 : 0;
}
";

fn trace(scratch: &Scratch, verb: &str, options: &[&str], command: &[&OsStr]) -> Said {
    let fixed = [verb].into_iter().chain(options.iter().copied()).chain(["--"]).map(OsStr::new);
    scratch.run(fixed.chain(command.iter().copied()))
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} is a number: {value}"))
}

/// The ids of the loops of these functions, as `--loops` takes them.
fn ids(document: &Value, functions: &[&str]) -> String {
    let all = functions.iter().flat_map(|function| loops_of(document, function));
    all.map(|each| number(each, "id").to_string()).collect::<Vec<_>>().join(",")
}

/// Counts the program, so that its loops have numbers although it is too short to be sampled, and gives those.
fn counted(scratch: &Scratch, command: &[&OsStr], functions: &[&str]) -> String {
    let said = trace(scratch, "tripcounts", &[], command);
    assert!(said.status.is_some(), "{}", said.err);
    ids(&scratch.json(), functions)
}

/// The dependence facts of the piece that does the vectors, or the only one.
fn dependence<'a>(document: &'a Value, function: &str) -> &'a Value {
    let pieces = loops_of(document, function);
    let known = pieces.iter().filter(|each| each["dependence"].is_object());
    let most = known.max_by_key(|each| number(&each["dependence"], "checked_iterations"));
    &most.unwrap_or_else(|| panic!("{function} was checked: {pieces:?}"))["dependence"]
}

#[test]
fn strides_are_those_of_the_source_in_scalar_and_in_vector_code() {
    for flags in [&["-O1"][..], &["-O3", "-mavx2"]] {
        let scratch = Scratch::new();
        let program = compile(&scratch, PROGRAM, flags);
        let command = [program.as_os_str()];
        let ids = counted(&scratch, &command, &["structure", "copy"]);
        let said = trace(&scratch, "map", &["--loops", &ids, "--exhaustive"], &command);
        assert_eq!(said.status, Some(0), "{flags:?}: {}", said.err);
        let document = scratch.json();
        assert_eq!(document["tracing"]["exhaustive"], true, "{}", document["tracing"]);
        assert_eq!(document["tracing"]["strides"], true, "{}", document["tracing"]);
        let moving = |function: &str| -> Vec<Value> {
            let all = loops_of(&document, function);
            let all = all.iter().filter_map(|each| each["access"].as_array()).flatten();
            all.filter(|access| access["pattern"] != "uniform").cloned().collect()
        };
        let structure = moving("structure");
        assert!(!structure.is_empty(), "{flags:?}: {document}");
        for access in &structure {
            assert_eq!(access["stride_bytes"], 24, "{flags:?}: {access}");
            assert_eq!((&access["pattern"], &access["stride_elements"]), (&"constant".into(), &3.into()));
            let used = access["utilisation"].as_f64().unwrap_or_default();
            assert!((used - 1.0 / 3.0).abs() < 0.01, "8 of each 24 bytes: {access}");
        }
        let copy = moving("copy");
        assert!(copy.iter().any(|access| access["kind"] == "store"), "{flags:?}: {copy:?}");
        for access in &copy {
            assert_eq!(
                (&access["pattern"], &access["stride_bytes"]),
                (&"unit".into(), &8.into()),
                "{access}"
            );
        }
        for word in ["structure", "constant", "Strides", "everything that the loops executed"] {
            assert!(said.out.contains(word), "{flags:?} {word}: {}", said.out);
        }
        assert!(said.out.is_ascii() && !said.out.contains('\u{1b}'), "plain in a pipe: {}", said.out);
        let id = ids.split(',').next().unwrap_or_default();
        let page = scratch.ok(["show", "loop", id]);
        assert!(page.contains("Memory accesses (traced)") && page.contains("constant"), "{page}");
        assert!(scratch.ok(["show", "map"]).contains("copy"));
        assert!(scratch.ok(["show", "runs"]).contains("traces"));
    }
}

#[test]
fn a_recurrence_is_told_from_what_is_safe() {
    for flags in [&["-O1"][..], &["-O2"]] {
        let scratch = Scratch::new();
        let program = compile(&scratch, PROGRAM, flags);
        let command = [program.as_os_str()];
        let ids = counted(&scratch, &command, &["recurrence", "copy", "structure"]);
        let said = trace(&scratch, "dependencies", &["--loops", &ids, "--exhaustive"], &command);
        assert_eq!(said.status, Some(0), "{flags:?}: {}", said.err);
        let document = scratch.json();
        let recurrence = dependence(&document, "recurrence");
        assert_eq!(recurrence["vector"], "safe-up-to", "{flags:?}: {recurrence}");
        assert_eq!((number(recurrence, "max_length"), &recurrence["parallel"]), (4, &"dependent".into()));
        let found = recurrence["found"].as_array().expect("a list");
        assert!(
            found.iter().any(|each| each["kind"] == "RAW" && each["distance"] == 4 && each["memory"] == true),
            "{flags:?}: {recurrence}"
        );
        let copy = dependence(&document, "copy");
        assert_eq!((&copy["vector"], &copy["parallel"]), (&"safe".into(), &"independent".into()), "{copy}");
        let sum = dependence(&document, "structure");
        assert_eq!(sum["vector"], "safe-with-reductions", "{flags:?}: {sum}");
        assert_eq!(number(sum, "checked_iterations"), 20 * LENGTH, "{flags:?}: {sum}");
        for word in ["safe up to 4", "RAW", "iterations are independent", "with these inputs"] {
            assert!(said.out.contains(word), "{flags:?} {word}: {}", said.out);
        }
        assert!(scratch.ok(["show", "dependencies"]).contains("safe up to 4"));
        let table = scratch.ok(["show", "loops", "--csv"]);
        assert!(table.contains("safe-up-to") && table.contains("vector_verdict"), "{table}");
    }
}

/// The example of the lecture on blocking, as in the casebook.
#[test]
fn the_casebooks_laplacian_has_the_misses_of_the_lecture() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../casebook/stencil-blocking/laplacian.c");
    let source = std::fs::read_to_string(source).expect("the case is there");
    let scratch = Scratch::new();
    let program = compile(&scratch, &source, &["-O1"]);
    let command = [program.as_os_str()];
    let expected = [("unblocked", 120), ("inner_blocked", 80), ("both_blocked", 60)];
    let ids = counted(&scratch, &command, &expected.map(|(function, _)| function));
    let said = trace(&scratch, "map", &["--loops", &ids, "--exhaustive", "--cache", "12x32:full"], &command);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document = scratch.json();
    for (function, misses) in expected {
        let nest = loops_of(&document, function);
        let outermost = nest.iter().find(|each| each["parent"].is_null()).expect("a nest");
        let caches = outermost["memory"]["caches"].as_array().and_then(|all| all.last()).expect("caches");
        assert_eq!(
            (number(&caches[0], "accesses"), number(&caches[0], "misses")),
            (640, misses),
            "{function}"
        );
    }
}

#[test]
fn without_a_survey_there_is_one_first_and_only_once() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let command = [program.as_os_str(), OsStr::new("100000")];
    let results = |said: &Said| said.out.lines().filter(|line| line.parse::<f64>().is_ok()).count();
    let first = trace(&scratch, "map", &["--cache", "12x64:full"], &command);
    assert_eq!(first.status, Some(0), "{}", first.err);
    assert_eq!(first.err.matches("sampled now").count(), 1, "{}", first.err);
    assert_eq!(results(&first), 2, "the program ran twice: {}", first.out);
    assert!(first.out.contains("12x64:full: L1 768 B fully associative LRU"), "{}", first.out);
    let hierarchies = scratch.json()["tracing"]["hierarchies"].clone();
    let hypothetical = hierarchies.as_array().and_then(|all| all.last()).expect("simulated caches");
    assert_eq!(
        (&hypothetical["name"], number(&hypothetical["levels"][0], "lines")),
        (&"12x64:full".into(), 12)
    );
    let again = trace(&scratch, "dependencies", &["--hot", "1"], &command);
    assert_eq!((again.status, results(&again)), (Some(0), 1), "{}\n{}", again.err, again.out);
    assert!(!again.err.contains("sampled now"), "{}", again.err);
    let checked = |each: &&Value| each["dependence"].is_object();
    let document = scratch.json();
    let all = document["loops"].as_array().expect("a list");
    let groups: std::collections::BTreeSet<u64> =
        all.iter().filter(checked).map(|each| number(each, "group")).collect();
    assert_eq!(groups.len(), 1, "one source loop was asked for: {groups:?}");
    assert!(all.iter().any(|each| each["access"].is_array()), "what the first run saw is kept");
}

#[test]
fn what_cannot_be_asked_is_refused_in_words() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1"]);
    let command = [program.as_os_str()];
    let ids = counted(&scratch, &command, &["structure"]);
    for (options, word) in [
        (&["--loops", "4711"][..], "4711"),
        (&["--cache", "huge"], "12x64:full"),
        (&["--loops", "1", "--hot", "2"], "--hot"),
        (&["--hot", "0"], "--hot"),
        (&["--trace-memory", "12"], "64M"),
    ] {
        let refused = trace(&scratch, "map", options, &command);
        assert_eq!(refused.status, Some(2), "{options:?}: {}", refused.err);
        assert!(refused.err.contains(word), "{options:?}: {}", refused.err);
    }
    assert_eq!(scratch.run(["dependencies"]).status, Some(2));
    assert_eq!(trace(&scratch, "dependencies", &["--cache", "12x64:full"], &command).status, Some(2));
    let missing = trace(&scratch, "map", &["--loops", &ids], &[OsStr::new("./no-such-program")]);
    assert_eq!((missing.status, missing.err.trim().lines().count()), (Some(1), 1), "{}", missing.err);
    assert!(missing.err.contains("no-such-program"), "{}", missing.err);

    compile(&scratch, &PROGRAM.replace("0.5", "0.25"), &["-O1"]);
    let rebuilt = trace(&scratch, "map", &["--loops", &ids], &command);
    assert_eq!(rebuilt.status, Some(2), "{}", rebuilt.err);
    assert!(rebuilt.err.contains("has been rebuilt"), "{}", rebuilt.err);
}

#[test]
fn the_programs_end_is_told_and_traces_are_kept() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1"]);
    let command = [program.as_os_str(), OsStr::new("7")];
    let ids = counted(&scratch, &command, &["structure"]);
    let told = trace(&scratch, "map", &["--loops", &ids, "--exhaustive"], &command);
    assert_eq!(told.status, Some(0), "{}", told.err);
    assert!(told.err.contains("exited with status 7"), "{}", told.err);
    assert!(told.err.contains("many times as long"), "{}", told.err);
    let propagated = trace(&scratch, "map", &["--loops", &ids, "--propagate-exit"], &command);
    assert_eq!(propagated.status, Some(7), "{}", propagated.err);
    let quiet = trace(&scratch, "map", &["--loops", &ids, "--quiet", "--exhaustive"], &command);
    assert_eq!((quiet.status, quiet.err.as_str()), (Some(0), ""));
    let document = scratch.json();
    assert_eq!(number(&loops_of(&document, "structure")[0]["memory"], "traced_entries"), 7, "{document}");
}

#[test]
fn an_interruption_keeps_what_was_traced() {
    let scratch = Scratch::new();
    let source = "#include <stdio.h>
#include <unistd.h>
double s[1000];
__attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) s[i] += i; }
int main(int c, char **v) { for (int k = 0; k < 50; k++) spin(1000); printf(\"%d\\n\", getpid()); fflush(stdout); while (c > 1) spin(1000); }";
    let program = compile(&scratch, source, &["-O1"]);
    let ids = counted(&scratch, &[program.as_os_str()], &["spin"]);
    let mut tool = scratch.tool();
    // Not in the foreground of a terminal, where the program would hear of Ctrl-C by itself.
    tool.process_group(0);
    tool.args(["map", "--loops", &ids, "--exhaustive", "--"]).arg(&program).arg("for ever");
    let mut child = tool.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut pid = String::new();
    out.read_line(&mut pid).expect("the program says its number");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    // The program was asked to end, too: it holds the pipe open until it does.
    let status = child.wait().expect("the tool ends");
    let mut text = String::new();
    out.read_to_string(&mut text).expect("reads");
    assert_eq!(status.code(), Some(0), "{text}");
    assert!(text.contains("spin") && text.contains("unit"), "{text}");
    let document = scratch.json();
    let spin = loops_of(&document, "spin")[0];
    assert!(number(&spin["memory"], "traced_iterations") >= 50_000, "{spin}");
}

#[test]
fn deep_advice_runs_the_program_four_times() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let command = [program.as_os_str(), OsStr::new("100000")];
    let deep = trace(&scratch, "advise", &["--no-measure", "--no-compiler", "--deep"], &command);
    assert_eq!(deep.status, Some(0), "{}", deep.err);
    assert!(deep.err.contains("four times"), "{}", deep.err);
    assert_eq!(deep.out.lines().filter(|line| line.parse::<f64>().is_ok()).count(), 4, "{}", deep.out);
    let detail = scratch.ok(["show", "advice", "--all"]);
    assert!(detail.contains("access patterns and dependences"), "{detail}");
    let document = scratch.json();
    assert_eq!(
        (&document["tracing"]["strides"], &document["tracing"]["dependences"]),
        (&true.into(), &true.into())
    );
    assert!(document["counts"].is_object());
    let asked = |l: &Value| l["bottleneck"].is_object() || l["not_injected"].is_string();
    assert!(document["loops"].as_array().is_some_and(|loops| loops.iter().any(asked)), "{}", deep.err);
    let recurrence = dependence(&document, "recurrence");
    assert_eq!(
        (number(recurrence, "max_length"), &recurrence["exhaustive"]),
        (4, &false.into()),
        "{recurrence}"
    );
    let refused = trace(&scratch, "advise", &["--deep", "--once"], &command);
    assert_eq!(refused.status, Some(2), "{}", refused.err);
}

#[test]
fn ranks_of_a_job_are_traced_and_merged() {
    let Some(mpirun) = needed(in_path("mpirun"), "mpirun (package openmpi-bin)") else { return };
    let recipe = Recipe::of("mpi").compiler(Compiler::Mpicc).flag_set("O2");
    let Some(built) = available(recipe.build()) else { return };
    let scratch = Scratch::new();
    let launch = |words: &[&str]| {
        let mut launch = scratch.wrapped(Command::new(&mpirun));
        launch.args(["--allow-run-as-root", "--oversubscribe", "-n", "2"]);
        launch.arg(env!("CARGO_BIN_EXE_loopwright")).args(words).arg("--").arg(&built.path);
        said(launch.output().expect("mpirun starts"))
    };
    let first = launch(&["map"]);
    assert_eq!(first.status, Some(0), "{}\n{}", first.err, first.out);
    assert!(first.err.contains("the same command again traces"), "{}", first.err);
    let second = launch(&["map"]);
    assert_eq!(second.status, Some(0), "{}\n{}", second.err, second.out);
    assert_eq!(second.out.matches("Traced ").count(), 1, "one rank reports: {}", second.out);
    let document = scratch.json();
    let own = document["loops"].as_array().expect("a list");
    assert!(own.iter().any(|each| each["access"].is_array()), "{document}");
}
