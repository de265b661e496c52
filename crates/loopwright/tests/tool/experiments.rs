//! Experiments: views of one state, snapshots, comparison across rebuilds, remarks, hostile input.

use crate::contract::document;
use crate::tool::{Scratch, loops_of};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = "
#include <stdio.h>
static float x[4096], y[4096];
__attribute__((noinline)) float sum(int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
__attribute__((noinline)) void scale(int n) {
    for (int i = 0; i < n; i++)
        x[i] = 0.5f * x[i] + y[i];
}
int main(void) {
    float t = 0;
    for (int i = 0; i < 4096; i++) y[i] = 1.0f / (i + 1);
    for (int k = 0; k < 60000; k++) { scale(4096); t += sum(4096); }
    printf(\"%g\\n\", t);
    return 0;
}
";

/// Compiles `source` as `prog.c` in the scratch folder.
pub fn compile(scratch: &Scratch, source: &str, flags: &[&str]) -> PathBuf {
    std::fs::write(scratch.file("prog.c"), source).expect("writes");
    let mut compiler = scratch.wrapped(Command::new("gcc"));
    compiler.args(["-g", "-o", "prog", "prog.c"]).args(flags);
    assert!(compiler.status().is_ok_and(|status| status.success()), "gcc compiles the program");
    scratch.file("prog")
}

fn survey(scratch: &Scratch, program: &std::path::Path) {
    scratch.ok([OsStr::new("survey"), OsStr::new("--"), program.as_os_str()]);
}

#[test]
fn every_view_shows_one_state() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let advice = scratch.advise(&[program.as_os_str()]);
    assert_eq!(advice.status, Some(0), "{}", advice.err);
    let document = scratch.json();
    assert_eq!(document["schema"], 1);
    let sum = loops_of(&document, "sum")[0];
    assert_eq!((sum["line"].as_u64(), sum["vectorized"].as_bool()), (Some(6), Some(false)), "{sum}");
    // The compiler was asked again from the binary's own debug information.
    let reasons: Vec<&str> =
        sum["why_not"].as_array().into_iter().flatten().filter_map(|why| why["reason"].as_str()).collect();
    assert!(reasons.contains(&"fp-reduction-order"), "{sum}");
    let id = sum["id"].as_u64().expect("an id").to_string();
    assert!(!sum["recommendations"].as_array().expect("a list").is_empty(), "{sum}");

    let page = scratch.ok(["show", "loop", &id]);
    assert!(page.contains("prog.c:6") && page.contains("fp-reduction-order"), "{page}");
    let source = scratch.ok(["show", "source", &id]);
    assert!(source.contains("s += x[i] * y[i];"), "{source}");
    let listing = scratch.ok(["show", "asm", &id]);
    let hottest = document["loops"][0]["id"].as_u64().expect("an id").to_string();
    assert_eq!(scratch.ok(["show", "asm"]), scratch.ok(["show", "asm", &hottest]));
    assert!(listing.contains("addss"), "{listing}");
    for view in [
        "advice",
        "loops",
        "counts",
        "roofline",
        "functions",
        "tree",
        "threads",
        "modules",
        "recommendations",
        "runs",
    ] {
        let text = scratch.ok(["show", view]);
        assert!(!text.trim().is_empty(), "{view}");
        assert!(!text.contains('\u{1b}'), "no colour in a pipe: {view}");
    }
    for view in ["loops", "functions", "threads", "recommendations"] {
        let table = scratch.ok(["show", view, "--csv"]);
        assert!(table.lines().count() > 1, "{view}: {table}");
    }
    assert!(scratch.ok(["show", "tree"]).contains("main"));
    let unknown = scratch.run(["show", "loop", "9999"]);
    assert_eq!(unknown.status, Some(2), "{}", unknown.err);

    // Binary and source are gone: the experiment still answers.
    std::fs::remove_file(&program).expect("removes");
    std::fs::remove_file(scratch.file("prog.c")).expect("removes");
    assert_eq!(scratch.ok(["show", "source", &id]), source);
    assert_eq!(scratch.ok(["show", "asm", &id]), listing);
}

#[test]
fn comparing_matches_loops_across_rebuilds() {
    let scratch = Scratch::new();
    survey(&scratch, &compile(&scratch, PROGRAM, &["-O2", "-fno-tree-vectorize"]));
    scratch.ok(["snapshot", "plain"]);
    // Lines and addresses move, and the sum may be reordered.
    let moved = format!("/* one */\n/* two */\n{PROGRAM}");
    survey(&scratch, &compile(&scratch, &moved, &["-O3", "-ffast-math"]));
    let document = document(&scratch.ok(["compare", "plain", "latest", "--json"]));
    for function in ["sum", "scale"] {
        let change = loops_of(&document["comparison"], function)[0];
        assert_eq!(change["verdict"], "now-vectorized", "{change}");
        assert!(change["before"].is_object() && change["after"].is_object(), "{change}");
    }
    let predictions = document["comparison"]["predictions"].as_array().expect("predictions");
    let of_sum: Vec<_> = predictions.iter().filter(|p| p["function"] == "sum").collect();
    assert!(!of_sum.is_empty(), "the scalar sum was advised to change: {predictions:?}");
    assert!(of_sum.iter().any(|p| p["outcome"] != "not-followed"), "its code changed: {of_sum:?}");
    let table = scratch.ok(["compare", "plain"]);
    assert!(table.contains("\nPredictions\n"), "{table}");
    assert!(table.contains("sum") && table.contains("scale"), "{table}");
    let taken = scratch.run(["snapshot", "plain"]);
    assert_eq!(taken.status, Some(1));
    assert!(taken.err.contains("choose another name"), "{}", taken.err);
    let unknown = scratch.run(["compare", "plian"]);
    assert!(unknown.err.contains("plain"), "lists what exists: {}", unknown.err);
}

#[test]
fn remarks_of_a_build_explain_the_loops() {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("Makefile"), "prog: prog.c\n\t$(CC) -g -O2 -o prog prog.c\n")
        .expect("writes");
    std::fs::write(scratch.file("prog.c"), PROGRAM).expect("writes");
    scratch.ok(["build", "--", "make"]);
    let files: Vec<String> = std::fs::read_dir(scratch.path())
        .expect("reads")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| !name.starts_with("loopwright.lw") && name != "cache")
        .collect();
    assert_eq!(files.len(), 3, "nothing but Makefile, prog.c and prog: {files:?}");
    let survey = scratch.run([
        OsStr::new("advise"),
        OsStr::new("--no-measure"),
        OsStr::new("--no-compiler"),
        OsStr::new("--"),
        scratch.file("prog").as_os_str(),
    ]);
    assert_eq!(survey.status, Some(0), "{}", survey.err);
    let document = scratch.json();
    let sum = loops_of(&document, "sum")[0];
    let mut reasons = sum["why_not"].as_array().expect("reasons").iter();
    assert!(reasons.any(|why| why["compiler"].as_str().is_some_and(|c| c.contains("gcc"))), "{sum}");
}

#[test]
fn a_compilation_database_answers_for_flags_that_dwarf_does_not_record() {
    let scratch = Scratch::new();
    let source = format!("#include <own.h>\n{PROGRAM}");
    std::fs::create_dir(scratch.file("inc")).expect("makes a folder");
    std::fs::write(scratch.file("inc/own.h"), "/* found through the command line only */\n").expect("writes");
    survey(&scratch, &compile(&scratch, &source, &["-O2", "-Iinc"]));
    let without = scratch.run(["remarks", "--json"]);
    assert!(without.err.contains("compile_commands.json"), "{}", without.err);
    let folder = scratch.path().display().to_string();
    let missing = scratch.run(["remarks", "--build", "/nowhere"]);
    assert_eq!(missing.status, Some(2), "{}", missing.err);
    let database = serde_json::json!([{
        "directory": folder, "file": "prog.c",
        "arguments": ["gcc", "-g", "-O2", "-Iinc", "-c", "prog.c"],
    }]);
    std::fs::write(scratch.file("compile_commands.json"), database.to_string()).expect("writes");
    let document = document(&scratch.ok(["remarks", "--build", ".", "--json"]));
    assert!(!document["remarks"].as_array().expect("a list").is_empty());
    // Reports that exist already can be read as well.
    let mut compiler = scratch.wrapped(Command::new("gcc"));
    compiler.args(["-O2", "-Iinc", "-fopt-info-vec-all=report.txt", "-c", "prog.c"]);
    assert!(compiler.status().is_ok_and(|status| status.success()));
    let table = scratch.ok(["remarks", "report.txt"]);
    assert!(table.contains("prog.c"), "{table}");
    let junk = scratch.run(["remarks", "inc/own.h"]);
    assert_eq!(junk.status, Some(1), "{}", junk.err);
}

#[test]
fn the_exit_status_of_a_build_is_passed_on() {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("bad.c"), "int main(void) { return x; }").expect("writes");
    let said = scratch.run(["build", "--", "gcc", "-c", "bad.c"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.err.contains("bad.c"), "the compiler's words pass through: {}", said.err);
}

#[test]
fn a_file_that_is_no_experiment_is_refused() {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("loopwright.lw"), "this is only some text, long enough to be read")
        .expect("writes");
    let said = scratch.run(["show"]);
    assert_eq!(said.status, Some(1));
    assert!(said.err.contains("not a loopwright experiment"), "{}", said.err);
}

#[test]
fn the_machine_is_described_in_text_and_json() {
    let scratch = Scratch::new();
    let text = scratch.ok(["machine"]);
    assert!(text.to_lowercase().contains("avx"), "{text}");
    let document = document(&scratch.ok(["machine", "--json"]));
    assert!(document["machine"]["machine"]["processor"]["name"].is_string());
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let scratch = Scratch::new();
    assert!(scratch.ok(["completions", "bash"]).contains("loopwright"));
    scratch.ok(["man", "pages"]);
    let page = std::fs::read_to_string(scratch.file("pages/loopwright-advise.1")).expect("a page per verb");
    assert!(page.contains("no\\-measure"), "{page}");
}

#[test]
fn every_reason_has_an_explanation() {
    let scratch = Scratch::new();
    let list = scratch.ok(["explain"]);
    assert!(list.contains("fp-reduction-order"), "{list}");
    let one = scratch.ok(["explain", "fp-reduction-order"]);
    assert!(one.contains("-fassociative-math") || one.contains("-ffast-math"), "{one}");
}
