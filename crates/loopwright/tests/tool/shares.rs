//! A program with known shares of time per loop is reported within two points of each.

use crate::tool::Scratch;
use loopwright_testprograms::{Built, LoopMark, Recipe, available};
use std::collections::BTreeMap;
use std::ffi::OsStr;

const POINTS: f64 = 0.02;

/// Surveys before the shares count as wrong. The program's CPU clock goes on while a hypervisor runs something else on
/// the processor and no sample is taken: one such pause moves the share of a phase by more than the tolerance.
const ATTEMPTS: usize = 3;

#[test]
fn known_shares_are_reported_within_two_points() {
    let Some(built) = available(Recipe::of("shares").flag_set("O2").build()) else { return };
    let mut differences = Vec::new();
    for _ in 0..ATTEMPTS {
        differences = surveyed(&built);
        if differences.is_empty() {
            return;
        }
        println!("{}", differences.join("\n"));
    }
    panic!(
        "{ATTEMPTS} surveys differ from what the program measured, the last one:\n{}",
        differences.join("\n")
    );
}

/// The loops whose reported share differs from the program's own measurement.
fn surveyed(built: &Built) -> Vec<String> {
    let scratch = Scratch::new();
    let said = scratch.run([OsStr::new("survey"), OsStr::new("--"), built.path.as_os_str(), OsStr::new("6")]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    // The program's own measurement: `phase NAME SECONDS SHARE`.
    let measured: BTreeMap<&str, f64> = said
        .out
        .lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("phase ")?.split_whitespace();
            let name = words.next()?;
            Some((name, words.nth(1)?.parse().ok()?))
        })
        .collect();
    assert!(measured.len() >= 5, "the program prints its phases: {}", said.out);

    let document = scratch.json();
    let loops = document["loops"].as_array().expect("a list");
    let difference = |mark: &LoopMark| {
        // A mark names the line of the innermost loop; `library` spends its time in a callee.
        let key = if mark.class == "math-call" { "total_share" } else { "self_share" };
        let here = loops.iter().filter(|l| l["line"].as_u64() == Some(u64::from(mark.line)));
        let reported: f64 = here.filter_map(|l| l[key].as_f64()).sum();
        let expected = measured[mark.name.as_str()];
        ((reported - expected).abs() > POINTS)
            .then(|| format!("{}: the program measured {expected:.4}, the survey {reported:.4}", mark.name))
    };
    built.loops.iter().filter_map(difference).collect()
}
