//! The benchmark of the counting engine still runs: one round of a few cases, whose times are not used.

use std::path::Path;
use std::process::Command;

/// The example as it was built with the tests; otherwise cargo builds it, which takes longer.
fn benchmark() -> Command {
    let here = std::env::current_exe().unwrap();
    let built = here.parent().and_then(Path::parent).map(|folder| folder.join("examples/counting_overhead"));
    match built.filter(|path| path.is_file()) {
        Some(path) => Command::new(path),
        None => {
            let mut cargo = Command::new(env!("CARGO"));
            let example = ["--package", "loopwright-instrument", "--example", "counting_overhead", "--"];
            cargo.args(["run", "--quiet"]).args(example);
            cargo
        }
    }
}

#[test]
fn a_quick_round_measures_every_case_it_lists() {
    let output = benchmark().args(["--quick", "--json"]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if stdout.contains("skipped:") {
        return println!("{stdout}");
    }
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let report: serde_json::Value = serde_json::from_str(stdout.trim()).unwrap();
    assert_eq!(report["schema"], 1);
    let cases = report["cases"].as_array().unwrap();
    assert!(cases.len() >= 5, "{report}");
    for case in cases {
        for key in ["native_seconds", "ratio", "ratio_low", "ratio_high", "wall_ratio", "setup_seconds"] {
            assert!(case[key].as_f64().is_some_and(|v| v >= 0.0), "{key} of {case}");
        }
        assert_eq!(case["rounds"], 1, "{case}");
    }
    assert!(report["median"].as_f64().is_some() && report["worst"].as_f64().is_some());
}
