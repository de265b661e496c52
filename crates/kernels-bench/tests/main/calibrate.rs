//! Use of `calibrate`: what it measures and writes, and that the library reads it.

use loopwright_kernels::tuning::{Constant, Tuning};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command where `folder` is the user's cache folder.
fn command(folder: &Path, arguments: &[&str], tuning: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright-kernels"));
    command.args(arguments).env("XDG_CACHE_HOME", folder);
    command.env_remove("LOOPWRIGHT_ISA").env_remove("LOOPWRIGHT_KERNELS_TUNING");
    if let Some(path) = tuning {
        command.env("LOOPWRIGHT_KERNELS_TUNING", path);
    }
    command.output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Small and short: figures without meaning.
const QUICK: [&str; 5] = ["calibrate", "--rounds=2", "--largest", "524288", "--json"];

const BENCH: [&str; 6] = ["bench", "byteswap", "--smoke", "--json", "--only", "swap32_into, 4 KiB"];

#[test]
fn what_is_measured_is_written_where_the_library_looks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), &QUICK, None);
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    crate::documented::check(&report);
    let path = folder.path().join("loopwright/kernels-tuning.json");
    assert_eq!(report["file"], path.display().to_string());
    let tuning = Tuning::load(&path).unwrap();
    let rows = report["constants"].as_array().unwrap();
    assert_eq!(rows.len(), Constant::ALL.len());
    for row in rows {
        let constant = Constant::ALL.into_iter().find(|c| row["name"] == c.name()).unwrap();
        assert_eq!(row["value"].as_f64().unwrap_or(f64::INFINITY), tuning.value(constant), "{row}");
        let sizes = if row["unit"] == "bytes" { 3 } else { 0 };
        assert_eq!(row["points"].as_array().unwrap().len(), sizes, "{row}");
    }
    // In force, and reported.
    let output = command(folder.path(), &BENCH, None);
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    crate::documented::check(&report);
    assert_eq!(report["calibration"], path.display().to_string());
}

#[test]
fn one_kernel_leaves_the_others_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.json");
    let mut before = Tuning::default();
    before.set(Constant::TriadNonTemporal, 4321.0).unwrap();
    before.save(&path).unwrap();
    let output = command(folder.path(), &[&QUICK[..], &["byteswap"]].concat(), Some(&path));
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        report["constants"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["byteswap.non_temporal_bytes", "byteswap.parallel_bytes"]);
    assert_eq!(Tuning::load(&path).unwrap().value(Constant::TriadNonTemporal), 4321.0);
}

#[test]
fn the_costs_of_sparse_products_are_measured_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.json");
    let output = command(folder.path(), &[&QUICK[..], &["semi_sparse"]].concat(), Some(&path));
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    crate::documented::check(&report);
    for name in ["f32.multiply", "f32.gather", "f32.left_over", "f64.gather", "i16.left_over", "byte_memory"]
    {
        let of_name = |row: &&Value| row["name"] == format!("semi_sparse.{name}_ns");
        let row = report["constants"].as_array().unwrap().iter().find(of_name).unwrap();
        assert!(row["measured"] == true && row["unit"] == "ns", "{row}");
        assert!((1e-4..1e4).contains(&row["value"].as_f64().unwrap()), "{row}");
    }
}

#[test]
fn a_file_that_cannot_be_used_is_told_once_and_the_defaults_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.json");
    std::fs::write(&path, r#"{"format": "loopwright-kernels-tuning", "version": 9}"#).unwrap();
    let output = command(folder.path(), &BENCH, Some(&path));
    assert!(output.status.success(), "{}", errors(&output));
    let told = format!(
        "loopwright-kernels: {}: calibration of version 9, newer than 1, which this library reads; run its own \
         `loopwright-kernels calibrate`\n",
        path.display()
    );
    assert_eq!(errors(&output), told);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report.get("calibration").is_none());
}

#[test]
fn misuse_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], tuning: Option<&Path>, code: i32| {
        let output = command(folder.path(), arguments, tuning);
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        errors(&output)
    };
    let unknown = refused(&["calibrate", "fletcher"], None, 2);
    assert!(unknown.contains("nothing is calibrated for \"fletcher\", only for: byteswap"), "{unknown}");
    refused(&["calibrate", "--rounds", "0"], None, 2);
    let none = refused(&["calibrate"], Some(Path::new("none")), 2);
    assert!(none.contains("--output"), "{none}");
    let nowhere = refused(&[&QUICK[..], &["byteswap", "--output", "/proc/none/t.json"]].concat(), None, 1);
    assert!(nowhere.contains("/proc/none/t.json: the calibration cannot be written"), "{nowhere}");
}
