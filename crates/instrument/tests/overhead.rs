//! The benchmark of the counting engine still runs: one round of a few cases, whose times mean nothing.

use std::process::Command;

#[test]
fn a_quick_round_measures_every_case_it_lists() {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "loopwright-instrument", "--example", "overhead"])
        .args(["--", "--quick", "--json"])
        .output()
        .unwrap();
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
