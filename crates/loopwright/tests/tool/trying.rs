//! `loopwright try`: from a build with make or cmake to a table, and what it refuses.

use crate::tool::{Said, Scratch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// One loop whose arrays the compiler cannot tell apart, often enough to be sampled.
const SOURCE: &str = "#include \"add.h\"
void add(float *a, float *b, float *c, float *d, int n) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 0.5f + c[i] * d[i];
}
";
const HEADER: &str = "void add(float *a, float *b, float *c, float *d, int n);\n";
const MAIN: &str = "#include <stdio.h>
#include \"add.h\"
static float a[4096], b[4096], c[4096], d[4096];
int main(void) {
    for (int i = 0; i < 4096; i++) b[i] = i, c[i] = 2, d[i] = i & 7;
    for (int k = 0; k < 60000; k++) add(a, b, c, d, 4096);
    printf(\"%g\\n\", a[77]);
    return 0;
}
";
const MAKEFILE: &str = "CFLAGS = -O2 -g\nprog: main.o libadd.a\n\t$(CC) -o $@ main.o -L. -ladd\nlibadd.a: add.o\n\t$(AR) rcs $@ $^\n%.o: %.c add.h\n\t$(CC) $(CFLAGS) -MMD -c -o $@ $<\n";
const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nset(CMAKE_C_FLAGS \"-O2 -g\")\nadd_library(add STATIC add.c)\nadd_executable(prog main.c)\ntarget_link_libraries(prog add)\n";

fn available(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    assert!(
        found || std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(),
        "{program} is required but absent"
    );
    found
}

fn project() -> Scratch {
    let scratch = Scratch::new();
    let files = [
        ("add.c", SOURCE),
        ("add.h", HEADER),
        ("main.c", MAIN),
        ("Makefile", MAKEFILE),
        ("CMakeLists.txt", CMAKE),
    ];
    for (name, text) in files {
        std::fs::write(scratch.file(name), text).unwrap();
    }
    scratch
}

/// Files of the project with time and size; those of the tool left out.
fn stamps(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, u64)> {
    let mut stamps = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("loopwright.lw") || name == "cache" || name == "best.patch" {
                continue;
            }
            let data = entry.metadata().unwrap();
            if data.is_dir() {
                open.push(entry.path());
            } else {
                stamps.insert(entry.path(), (data.modified().unwrap(), data.len()));
            }
        }
    }
    stamps
}

/// Builds, surveys and tries what is recommended; the trials.
fn tried(scratch: &Scratch, build: &str, program: &str) -> serde_json::Value {
    tried_only(scratch, build, program, "advice")
}

/// Builds, surveys and tries some changes; the trials.
fn tried_only(scratch: &Scratch, build: &str, program: &str, only: &str) -> serde_json::Value {
    scratch.ok(["build", "--", "sh", "-c", build]);
    scratch.ok(["advise", "--no-measure", "--once", "--", program]);
    let before = stamps(scratch.path());
    let arguments =
        ["try", "--json", "--budget", "60s", "--only", only, "--patch", "best.patch", "--", program];
    let said: Said = scratch.run(arguments);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(stamps(scratch.path()), before, "the project has changed");
    crate::contract::document(&said.out)["trials"].clone()
}

fn ways(trials: &serde_json::Value) -> Vec<(String, String)> {
    let text = |tried: &serde_json::Value, key: &str| tried[key].as_str().unwrap_or_default().to_owned();
    let all = trials["tried"].as_array().expect("trials");
    all.iter().map(|tried| (text(tried, "change"), text(tried, "way"))).collect()
}

/// Some change was measured, by whole runs or inside of them: a busy machine may leave time for one alone.
fn was_measured(trials: &serde_json::Value) -> bool {
    let all = trials["tried"].as_array().expect("trials");
    all.iter().any(|tried| tried["pairs"].as_u64() >= Some(3) || tried["in_run"].is_object())
}

#[test]
fn advice_on_a_program_of_make_is_tried() {
    if !available("gcc") || !available("make") {
        return;
    }
    let scratch = project();
    let trials = tried(&scratch, "make -s", "./prog");
    let ways = ways(&trials);
    assert!(!ways.is_empty(), "{trials}");
    assert!(was_measured(&trials), "{trials}");
    let text = scratch.ok(["show", "trials"]);
    assert!(text.contains("Measured") && text.contains(&ways[0].0), "{text}");
    let advice = crate::contract::document(&scratch.ok(["show", "recommendations", "--json"]));
    assert!(advice["advice"].as_array().unwrap().iter().any(|card| card["tried"].is_object()), "{advice}");
}

#[test]
fn a_program_of_cmake_is_tried() {
    if !available("gcc") || !available("cmake") {
        return;
    }
    let scratch = project();
    let build = "cmake -B out . > log && cmake --build out >> log";
    let trials = tried_only(&scratch, build, "out/prog", "native");
    assert!(was_measured(&trials), "{trials}");
}

#[test]
fn loops_that_are_vectors_are_tried_without() {
    if !available("clang") || !available("make") {
        return;
    }
    let scratch = project();
    let trials = tried_only(&scratch, "make -s CC=clang", "./prog", "no-vectors");
    let [one] = &trials["tried"].as_array().expect("trials")[..] else { panic!("{trials}") };
    assert_eq!((&one["change"], &one["way"]), (&"no-vectors".into(), &"no-vector".into()), "{trials}");
    assert_eq!(one["answer"], "same", "{trials}");
    let edits = one["parts"].as_array().unwrap().iter();
    let after: Vec<&str> = edits.filter_map(|part| part["after"].as_str()).collect();
    assert!(after.iter().any(|text| text.contains("clang loop vectorize(disable)")), "{trials}");
}

#[test]
fn a_program_of_rustc_alone_is_tried() {
    if !available("rustc") {
        return;
    }
    let scratch = Scratch::new();
    let text = "fn main() {\n    let mut x = vec![0u32; 4096];\n    for k in 0..40000u32 {\n        for (i, v) in x.iter_mut().enumerate() {\n            *v = v.wrapping_mul(k) ^ (i as u32);\n        }\n    }\n    println!(\"{}\", x[77]);\n}\n";
    std::fs::write(scratch.file("main.rs"), text).unwrap();
    let trials = tried_only(&scratch, "rustc -O -g main.rs -o prog", "./prog", "level-3,native");
    let all = trials["tried"].as_array().expect("trials");
    assert_eq!(all.len(), 2, "{trials}");
    assert!(
        all.iter().all(|one| one["outcome"] != "left-alone" && one["outcome"] != "not-built"),
        "{trials}"
    );
}

#[test]
fn a_program_of_a_workspace_of_cargo_is_tried() {
    if !available("cargo") {
        return;
    }
    let scratch = Scratch::new();
    let files = [
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"sums\", \"tool\"]\n"),
        ("sums/Cargo.toml", "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        (
            "sums/src/lib.rs",
            "pub fn step(x: &mut [u32], k: u32) {\n    for (i, v) in x.iter_mut().enumerate() {\n        *v = v.wrapping_mul(k) ^ (i as u32);\n    }\n}\n",
        ),
        (
            "tool/Cargo.toml",
            "[package]\nname = \"tool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nsums = { path = \"../sums\" }\n",
        ),
        (
            "tool/src/main.rs",
            "fn main() {\n    let mut x = vec![0u32; 4096];\n    for k in 0..40000 {\n        sums::step(&mut x, k);\n    }\n    println!(\"{}\", x[77]);\n}\n",
        ),
    ];
    for (name, text) in files {
        std::fs::create_dir_all(scratch.file(name).parent().unwrap()).unwrap();
        std::fs::write(scratch.file(name), text).unwrap();
    }
    // The shell that starts cargo does not have the settings of the build when its program is tried.
    let build = "CARGO_PROFILE_RELEASE_DEBUG=1 CARGO_TARGET_DIR=made cargo build --release --offline -q && cp made/release/tool copy";
    let trials = tried_only(&scratch, build, "./copy", "native,level-3");
    let of = |name: &str| {
        let mut all = trials["tried"].as_array().expect("trials").iter();
        all.find(|one| one["change"] == name).unwrap_or_else(|| panic!("{trials}")).clone()
    };
    assert_eq!(of("native")["answer"], "same", "{trials}");
    assert_eq!(of("level-3")["outcome"], "same-code", "the profile has it: {trials}");
}

#[test]
fn a_program_is_tried_below_the_folder_of_its_build_and_behind_what_starts_it() {
    if !available("gcc") || !available("make") {
        return;
    }
    let scratch = project();
    std::fs::create_dir(scratch.file("run")).unwrap();
    scratch.ok(["build", "--", "make", "-s"]);
    let below = |arguments: &[&str]| {
        let command = ["env", "X=1", "../prog"];
        let mut tool = scratch.tool();
        let said =
            tool.current_dir(scratch.file("run")).args(arguments).arg("--").args(command).output().unwrap();
        let said = crate::tool::said(said);
        assert_eq!(said.status, Some(0), "{}", said.err);
        said.out
    };
    below(&["advise", "--no-measure", "--once"]);
    let document = below(&["try", "--json", "--budget", "60s", "--only", "native"]);
    let trials = &crate::contract::document(&document)["trials"];
    let [one] = &trials["tried"].as_array().expect("trials")[..] else { panic!("{trials}") };
    assert_eq!((&one["change"], &one["answer"]), (&"native".into(), &"same".into()), "{trials}");
    assert!(one["not_in_run"].as_str().is_some_and(|why| why == "env starts the program"), "{trials}");
}

#[test]
fn what_is_missing_is_said_with_the_way_out() {
    if !available("gcc") || !available("make") {
        return;
    }
    let scratch = project();
    let misuse = |arguments: &[&str], part: &str| {
        let said = scratch.run(arguments);
        assert_eq!(said.status, Some(2), "{}", said.err);
        assert!(said.err.contains(part), "{}", said.err);
        assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
    };
    misuse(&["try", "--", "./prog"], "run `loopwright advise -- ./prog` first");
    assert!(scratch.wrapped(Command::new("make")).arg("-s").status().unwrap().success());
    scratch.ok(["advise", "--no-measure", "--once", "--", "./prog"]);
    misuse(&["try", "--", "./prog"], "run `loopwright build -- make`");
    scratch.ok(["build", "--", "make", "-s", "-B", "add.o"]);
    misuse(&["try", "--", "./prog"], "no command of a build makes");
}

#[test]
fn an_experiment_that_is_handed_over_brings_no_commands() {
    if !available("gcc") || !available("make") {
        return;
    }
    let giver = project();
    giver.ok(["build", "--", "make", "-s"]);
    giver.ok(["advise", "--no-measure", "--once", "--", "./prog"]);
    // The same folder, with everything that lies in it, in the hands of another user.
    std::fs::remove_dir_all(giver.file("cache")).unwrap();
    assert!(giver.file("loopwright.lw.build").is_dir());
    let said = giver.run(["try", "--", "./prog"]);
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert!(said.err.contains("is known on this machine"), "{}", said.err);
}
