//! The command as it is used: the smoke run of every kernel, the JSON, refusals.

mod documented;

use loopwright_kernels_bench::subjects;
use serde_json::Value;
use std::process::{Command, Output};

fn command(arguments: &[&str], isa: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright-kernels"));
    command.args(arguments).env_remove("LOOPWRIGHT_ISA").env("LOOPWRIGHT_KERNELS_TUNING", "none");
    if let Some(isa) = isa {
        command.env("LOOPWRIGHT_ISA", isa);
    }
    command.output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_smoke_run_measures_every_kernel() {
    let output = command(&["bench", "--smoke", "--json"], None);
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cases = report["cases"].as_array().unwrap();
    for subject in subjects::all() {
        let of_kernel: Vec<&Value> = cases.iter().filter(|c| c["kernel"] == subject.kernel()).collect();
        assert!(!of_kernel.is_empty(), "{} was not measured", subject.kernel());
        for case in of_kernel {
            let variants = case["variants"].as_array().unwrap();
            let automatic = variants.iter().filter(|v| v["role"] == "automatic").count();
            assert_eq!(automatic, 1, "{case}");
            assert!(variants.iter().all(|v| v["seconds"].as_f64().unwrap() > 0.0), "{case}");
        }
    }
}

#[test]
fn every_key_of_the_json_is_documented() {
    let output = command(&["bench", "--smoke", "--json"], None);
    documented::check(&serde_json::from_slice(&output.stdout).unwrap());
}

#[test]
fn a_level_that_cannot_be_had_is_told_once_and_ignored() {
    let output = command(&["bench", "--smoke", "--json"], Some("fastest"));
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(
        errors(&output),
        "loopwright-kernels: LOOPWRIGHT_ISA is ignored: \"fastest\" is no instruction-set level; use one of: \
         scalar, sse42, avx2, avx512\n"
    );
    let output = command(&["bench", "--smoke", "--json"], Some("scalar"));
    assert_eq!(errors(&output), "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["isa"], "scalar");
}

#[test]
fn misuse_is_refused_with_the_way_out() {
    let output = command(&["bench", "no-such-kernel"], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).starts_with("loopwright-kernels: there is no kernel \"no-such-kernel\"; there are:")
    );
    let output = command(&["bench", "--rounds", "0"], None);
    assert_eq!(output.status.code(), Some(2));
    let output = command(&["bench", "--smoke", "--only", "no such shape"], None);
    assert_eq!(output.status.code(), Some(2));
}
