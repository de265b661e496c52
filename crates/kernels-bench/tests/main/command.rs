//! Use of the command: the smoke run of every kernel, the JSON, errors.

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
    crate::documented::check(&serde_json::from_slice(&output.stdout).unwrap());
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

#[test]
fn duplicates_of_a_tree_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    // Without repetitions of its own: xorshift64.
    let mut state = 1u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    let bytes: Vec<u8> = (0..500_000).map(|_| next()).collect();
    for name in ["a", "b", "c"] {
        std::fs::write(folder.path().join(name), &bytes).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let output = command(&["dedup", path, "--json"], None);
    assert!(output.status.success(), "{}", errors(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((found["files"].as_u64(), found["bytes"].as_u64()), (Some(3), Some(1_500_000)));
    assert!(found["duplicate_bytes"].as_u64().unwrap() >= 1_000_000);
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kernels/hash.md");
    let page = std::fs::read_to_string(page).unwrap();
    for key in found.as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{key}`")), "docs/kernels/hash.md does not name `{key}`");
    }
    let output = command(&["dedup", path, "--chunk", "4096"], Some("scalar"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("1500000 bytes in 3 files\n1000000 bytes (66.7 %)"), "{text}");
}

#[cfg(unix)]
#[test]
fn what_dedup_cannot_read_fails_it_by_name() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = tempfile::tempdir().unwrap();
    let allow = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(folder.path(), 0o755);
    std::fs::write(folder.path().join("readable"), b"bytes").unwrap();
    let closed = folder.path().join("closed");
    std::fs::write(&closed, b"secret").unwrap();
    allow(&closed, 0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright-kernels"));
    command.arg("dedup").arg(folder.path());
    if std::fs::File::open(&closed).is_ok() {
        // The superuser can read everything, but may become a user who cannot.
        command.uid(65534);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("5 bytes in 1 files\n"), "{text}");
    assert!(errors(&output).contains("/closed: Permission denied"), "{}", errors(&output));
}

#[test]
fn dedup_refuses_what_is_no_directory() {
    let output = command(&["dedup", "/no/such/directory"], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).starts_with("loopwright-kernels: /no/such/directory cannot be searched: "));
    let output = command(&["dedup", "/", "--chunk", "7"], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("use 1024 to 1048576"));
}
