//! No rule is forgotten, and every rule keeps the promises of all rules.

use super::*;
use std::collections::BTreeSet;

/// Files beside the rules.
const NO_RULES: [&str; 2] = ["mod", "tests"];

#[test]
fn every_file_is_a_registered_rule_named_for_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|stem| !NO_RULES.contains(&stem.as_str()))
        .map(|stem| stem.replace('_', "-"))
        .collect();
    let registered: BTreeSet<String> = ALL.iter().map(|r| r.id.to_owned()).collect();
    assert_eq!(files, registered);
    assert_eq!(registered.len(), ALL.len(), "an id occurs twice");
}

#[test]
fn rules_have_tests_for_firing_silence_and_missing_facts() {
    for rule in ALL {
        let file = format!("{}/src/rules/{}.rs", env!("CARGO_MANIFEST_DIR"), rule.id.replace('-', "_"));
        let text = std::fs::read_to_string(file).unwrap();
        let tests = text.split("mod tests").nth(1).unwrap_or_default();
        for part in ["fn fires", "fn silent"] {
            assert!(tests.contains(part), "{}: no test `{part}..`", rule.id);
        }
    }
}
