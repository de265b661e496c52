//! The repository as its own tests see it: crates with their dependencies, source files, documents.
//!
//! The tests under `tests/` compare the workspace with docs/architecture.md and deny.toml. This library only
//! reads. (The idea of testing the architecture: wild's `tidy_tests.rs`.)

#![forbid(unsafe_code)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    here.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", here.display()))
}

/// `cargo metadata`, of the workspace alone or with every dependency.
///
/// # Panics
/// When cargo cannot be run or fails: nothing is known about the workspace then.
pub fn cargo_metadata(with_dependencies: bool) -> Value {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(["metadata", "--format-version=1", "--locked"]);
    if !with_dependencies {
        command.arg("--no-deps");
    }
    let output = command.output().unwrap_or_else(|e| panic!("cargo metadata: {e}"));
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("cargo metadata: {e}"))
}

/// A dependency on another crate of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Folder under `crates/` that it points to.
    pub to: String,
    /// Only tests use it.
    pub for_tests: bool,
}

/// The crates of the workspace by their folder under `crates/`, with their arrows.
pub fn crates() -> BTreeMap<String, Vec<Arrow>> {
    let metadata = cargo_metadata(false);
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let folder_of = |manifest: &str| -> Option<String> {
        Path::new(manifest).parent()?.file_name()?.to_str().map(str::to_owned)
    };
    let folders: BTreeMap<String, String> = packages
        .iter()
        .filter_map(|p| Some((p["name"].as_str()?.to_owned(), folder_of(p["manifest_path"].as_str()?)?)))
        .collect();
    let mut crates = BTreeMap::new();
    for package in &packages {
        let Some(folder) = package["name"].as_str().and_then(|name| folders.get(name)) else { continue };
        let arrows = package["dependencies"].as_array().into_iter().flatten().filter_map(|dependency| {
            let to = folders.get(dependency["name"].as_str()?)?.clone();
            Some(Arrow { to, for_tests: dependency["kind"] == "dev" })
        });
        crates.insert(folder.clone(), arrows.collect());
    }
    crates
}

/// Files below `folder` (hidden ones, build results and the like left out) whose name ends in `suffix`, sorted.
pub fn files(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.')
                || name.starts_with("target")
                || name == "node_modules"
                || name == "corpus"
            {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => pending.push(entry.path()),
                Ok(kind) if kind.is_file() && name.ends_with(suffix) => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Reads a text file of the repository.
///
/// # Panics
/// When it cannot be read.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A path relative to the root, for messages.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
