//! Checks the dependencies against deny.toml: licences, banned crates, sources. The part of cargo-deny that
//! needs no network; both read the same file.

use loopwright_tidy::{cargo_metadata, read, root};
use serde_json::Value;
use std::collections::BTreeSet;

fn deny() -> toml::Table {
    read(&root().join("deny.toml")).parse().unwrap()
}

fn strings(value: Option<&toml::Value>) -> Vec<String> {
    let list = value.and_then(toml::Value::as_array).cloned().unwrap_or_default();
    list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// Packages that do not belong to the workspace.
fn dependencies() -> Vec<Value> {
    let metadata = cargo_metadata(true);
    let packages = metadata["packages"].as_array().cloned().unwrap();
    let outside: Vec<Value> = packages.into_iter().filter(|p| !p["source"].is_null()).collect();
    assert!(outside.len() > 20, "only {} dependencies found", outside.len());
    outside
}

fn label(package: &Value) -> String {
    format!("{} {}", package["name"].as_str().unwrap_or("?"), package["version"].as_str().unwrap_or("?"))
}

#[test]
fn every_licence_is_allowed() {
    let licensees = |list: Option<&toml::Value>| -> BTreeSet<spdx::Licensee> {
        let parsed =
            |name: &String| spdx::Licensee::parse(name).unwrap_or_else(|e| panic!("deny.toml: {name}: {e}"));
        strings(list).iter().map(parsed).collect()
    };
    let deny = deny();
    let allowed = licensees(deny["licenses"].get("allow"));
    let exceptions =
        deny["licenses"].get("exceptions").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let excepted = |package: &Value| {
        let row = exceptions.iter().find(|row| package["name"] == row["crate"].as_str().unwrap_or(""));
        licensees(row.and_then(|row| row.get("allow")))
    };
    let mut wrong = Vec::new();
    for package in dependencies() {
        // Old packages separate alternatives by a slash.
        let expression = package["license"].as_str().unwrap_or("").replace('/', " OR ");
        let excepted = excepted(&package);
        let fits = spdx::Expression::parse(&expression).map(|e| {
            e.evaluate(|requirement| allowed.iter().chain(&excepted).any(|l| l.satisfies(requirement)))
        });
        if !matches!(fits, Ok(true)) {
            wrong.push(format!("{}: {expression:?}", label(&package)));
        }
    }
    assert!(wrong.is_empty(), "licences that deny.toml does not allow:\n{}", wrong.join("\n"));
}

#[test]
fn no_banned_crate_is_used() {
    let deny = deny();
    let banned: Vec<String> = deny["bans"]["deny"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["crate"].as_str().unwrap().to_owned())
        .collect();
    assert!(!banned.is_empty());
    let used: Vec<String> = dependencies()
        .iter()
        .filter(|p| banned.iter().any(|name| p["name"] == name.as_str()))
        .map(label)
        .collect();
    assert!(used.is_empty(), "banned by deny.toml: {used:?}");
}

#[test]
fn dependencies_come_from_one_registry() {
    let sources: BTreeSet<String> =
        dependencies().iter().map(|p| p["source"].as_str().unwrap_or("").to_owned()).collect();
    assert_eq!(sources.len(), 1, "dependencies come from several places: {sources:?}");
    assert!(sources.iter().all(|s| s.starts_with("registry+")), "not a registry: {sources:?}");
}

#[test]
fn versions_are_stated() {
    let metadata = cargo_metadata(false);
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let inside = !dependency["path"].is_null();
            assert!(inside || dependency["req"] != "*", "{}: {} = \"*\"", label(package), dependency["name"]);
        }
    }
}
