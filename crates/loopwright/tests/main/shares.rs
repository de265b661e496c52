//! A program with known shares of time per loop is reported within two points of each.

use crate::tool::Scratch;
use loopwright_testprograms::{Recipe, available};
use std::collections::BTreeMap;
use std::ffi::OsStr;

const POINTS: f64 = 0.02;

#[test]
fn known_shares_are_reported_within_two_points() {
    let Some(built) = available(Recipe::of("shares").flag_set("O2").build()) else { return };
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
    for mark in &built.loops {
        let shares = document["loops"].as_array().expect("a list").iter();
        // A mark stands on the line of the innermost loop; `library` spends its time in a callee.
        let key = if mark.class == "math-call" { "total_share" } else { "self_share" };
        let reported: f64 = shares
            .filter(|l| l["line"].as_u64() == Some(u64::from(mark.line)))
            .filter_map(|l| l[key].as_f64())
            .sum();
        let expected = measured[mark.name.as_str()];
        println!("{:12} measured {expected:.4} reported {reported:.4}", mark.name);
        assert!(
            (reported - expected).abs() <= POINTS,
            "{}: the program measured {expected:.4}, the survey says {reported:.4}",
            mark.name
        );
    }
}
