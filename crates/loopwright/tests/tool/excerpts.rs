//! A part of a survey is shown alone: a time, or the calls of a function.

use crate::programs::{compiled, in_path, needed};
use crate::tool::Scratch;
use serde_json::Value;
use std::collections::BTreeMap;

/// `prepare` comes before `solve`; both call `kernel`.
const PROGRAM: &str = r#"
#include <stdio.h>
static volatile double sink;
__attribute__((noinline)) static void kernel(long n) {
    double sum = 0;
    for (long k = 1; k < n; k++) sum += 1.0 / (double)k;
    sink = sum;
}
__attribute__((noinline)) static void prepare(void) { for (int k = 0; k < 4; k++) kernel(20 * 1000 * 1000); sink += 1; }
__attribute__((noinline)) static void solve(void) { for (int k = 0; k < 8; k++) kernel(20 * 1000 * 1000); sink += 1; }
int main(void) {
    prepare();
    solve();
    printf("%.3f\n", sink);
    return 0;
}
"#;

/// Total seconds of functions, and the samples of the program.
fn functions(scratch: &Scratch, arguments: &[&str]) -> (BTreeMap<String, f64>, u64) {
    let of = |view: &str| {
        let text = scratch.ok([&["show", view, "--json"], arguments].concat());
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let document = of("functions");
    let all = document["functions"].as_array().expect("functions").iter();
    let named = all
        .map(|f| (f["function"].as_str().expect("a name").to_owned(), f["total_seconds"].as_f64().unwrap()));
    (named.collect(), of("loops")["program"]["samples"].as_u64().expect("samples"))
}

#[test]
fn a_time_and_a_region_are_shown_alone() {
    let scratch = Scratch::new();
    let Some(compiler) = needed(in_path("gcc"), "gcc") else { return };
    let program = compiled(&scratch, &compiler, "phases.c", PROGRAM, &["-fno-ipa-cp"]);
    let program = program.to_str().expect("a name");
    assert!(scratch.ok(["survey", "--", program]).contains("kernel"));
    let (whole, samples) = functions(&scratch, &[]);
    assert!(whole.contains_key("prepare") && whole.contains_key("solve"), "{whole:?}");
    let (solving, within) = functions(&scratch, &["--region", "solve"]);
    assert!(!solving.contains_key("prepare") && solving.contains_key("kernel"), "{solving:?}");
    // All of the region is in it, and nothing else: its function is as it was, and what it calls is within it.
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * a.abs().max(1.0);
    assert!(
        near(solving["solve"], whole["solve"]) && solving["kernel"] <= solving["solve"],
        "{solving:?} {whole:?}"
    );
    let (preparing, before) = functions(&scratch, &["--region", "prepare"]);
    // Nothing is in both; a sample whose stack was cut off is in neither.
    let both = preparing["kernel"] + solving["kernel"];
    let kernel = whole["kernel"];
    assert!(both > 0.9 * kernel && both < 1.000_001 * kernel, "{preparing:?} {solving:?} {whole:?}");
    assert!(before + within <= samples && before > 0 && within > 0, "{before} {within} {samples}");
    // Times are parts of the whole, too: what comes before and after.
    let text = scratch.ok(["show", "loops", "--json"]);
    let document = serde_json::from_str::<Value>(&text).expect("JSON");
    let half =
        format!("{}ms", (500.0 * document["program"]["elapsed_seconds"].as_f64().expect("a time")) as u64);
    let ends = [functions(&scratch, &["--for", &half]).1, functions(&scratch, &["--from", &half]).1];
    assert_eq!(ends[0] + ends[1], samples);
    let text = scratch.ok(["show", "--region", "solve"]);
    assert!(
        text.contains("only a part of the run is shown") && text.contains("within calls of `solve`"),
        "{text}"
    );
    for (arguments, says) in [
        (["show", "--region", "solver"], "within calls of `solver`"),
        (["show", "--from", "2h"], "nothing is from 7200 s on"),
        (["show", "--from", "10"], "a time such as 500ms, 10s or 2m"),
    ] {
        let said = scratch.run(arguments);
        assert_eq!((said.status, said.out.as_str()), (Some(2), ""), "{}", said.err);
        assert!(said.err.split_whitespace().collect::<Vec<_>>().join(" ").contains(says), "{}", said.err);
    }
}

#[test]
fn counts_are_not_joined_with_a_part_of_the_samples() {
    let scratch = Scratch::new();
    let Some(compiler) = needed(in_path("gcc"), "gcc") else { return };
    let program = compiled(&scratch, &compiler, "phases.c", PROGRAM, &[]);
    let program = program.to_str().expect("a name");
    scratch.ok(["survey", "--", program]);
    scratch.ok(["tripcounts", "--", program]);
    let json = |arguments: &[&str]| {
        let text = scratch.ok([&["show", "loops", "--json"], arguments].concat());
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    assert!(json(&[])["counts"].is_object());
    let part = json(&["--region", "kernel"]);
    assert!(part["counts"].is_null(), "{part:#}");
    let first = part["warnings"][0].as_str().expect("a warning");
    assert!(first.ends_with("counts and everything else that is of the whole run is left out"), "{first}");
}
