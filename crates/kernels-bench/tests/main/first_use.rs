//! What a process measures when a choice is first needed, and keeps for the next one.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs one operation in a process of its own, with a cache folder and variables.
fn run(cache: &Path, kernel: &str, operation: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright-kernels"));
    command.args(["exercise", kernel, operation]).env("XDG_CACHE_HOME", cache);
    for name in ["LOOPWRIGHT_ISA", "LOOPWRIGHT_KERNELS_TUNING", "LOOPWRIGHT_KERNELS_PROCESSOR"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The choices that are kept, of the only processor.
fn kept(cache: &Path) -> Option<serde_json::Map<String, Value>> {
    let text = std::fs::read(cache.join("loopwright/kernels-costs.json")).ok()?;
    let file: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(file["format"], "loopwright-kernels-costs");
    let processors = file["processors"].as_object().unwrap();
    assert_eq!(processors.len(), 1);
    Some(processors.values().next().unwrap().as_object().unwrap().clone())
}

/// Runs an operation until its choice is kept: a process that other work kept from measuring in the time that it takes for that
/// leaves the choice to the next one.
fn run_until_kept(
    cache: &Path,
    kernel: &str,
    operation: &str,
    choice: &str,
) -> serde_json::Map<String, Value> {
    for _ in 0..20 {
        run(cache, kernel, operation, &[]);
        if let Some(kept) = kept(cache).filter(|kept| kept.contains_key(choice)) {
            return kept;
        }
    }
    panic!("20 processes did not measure {choice}");
}

/// Whether a kernel has a choice here at all: ways, or levels, of which there are several.
fn several_levels() -> bool {
    loopwright_kernels::Isa::available().count() > 1
}

#[test]
fn a_choice_is_measured_once_and_kept() {
    if !several_levels() {
        println!("skipped: this processor has one level");
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let best = loopwright_kernels::Isa::available().next_back().unwrap();
    let of_hash = format!("hash.SHA-256.{best}");
    let first = run_until_kept(cache.path(), "hash", "sha256", &of_hash);
    let sha256 = first[&of_hash].as_object().unwrap();
    assert!(sha256.len() > 1 && sha256.values().all(|cost| cost.as_f64().unwrap() > 0.0), "{sha256:?}");
    assert_eq!(first.len(), 1, "{first:?}");
    // Another choice is added; the first one is read, for measuring it again would give other figures.
    run(cache.path(), "hash", "sha256", &[]);
    let both = run_until_kept(cache.path(), "byteswap", "swap32_into", "level.swap32_into");
    assert_eq!(both[&of_hash], first[&of_hash]);
    // A file that is none is replaced.
    std::fs::write(cache.path().join("loopwright/kernels-costs.json"), "{").unwrap();
    let again = run_until_kept(cache.path(), "byteswap", "swap32_into", "level.swap32_into");
    assert_eq!(again.len(), 1);
}

#[test]
fn nothing_is_measured_where_that_is_turned_off() {
    let profile = loopwright_kernels::Profile::NAMED[0].0;
    for variables in [[("LOOPWRIGHT_KERNELS_TUNING", "none")], [("LOOPWRIGHT_KERNELS_PROCESSOR", profile)]] {
        let cache = tempfile::tempdir().unwrap();
        run(cache.path(), "hash", "sha256", &variables);
        run(cache.path(), "fletcher", "fletcher4", &variables);
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0, "{variables:?}");
    }
    // A level that is named is not compared with others.
    let cache = tempfile::tempdir().unwrap();
    run(cache.path(), "fletcher", "fletcher4", &[("LOOPWRIGHT_ISA", "scalar")]);
    assert_eq!(kept(cache.path()), None);
}

#[test]
fn a_cache_that_cannot_be_written_changes_nothing() {
    // A file in the place of the folder: no process can write into it, whatever its rights.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    run(&file, "hash", "sha256", &[]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
}
