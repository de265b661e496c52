//! No rule is forgotten, and every rule keeps the promises of all rules.

use super::*;
use crate::page;
use std::collections::BTreeSet;

/// Files beside the rules.
const NO_RULES: [&str; 2] = ["mod", "tests"];

/// The file of a rule, `rules/ID.EXTENSION`.
fn file(rule: &Rule, extension: &str) -> String {
    let path = format!("{}/src/rules/{}.{extension}", env!("CARGO_MANIFEST_DIR"), rule.id.replace('-', "_"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Ids by the names of the files of an extension.
fn named(extension: &str) -> BTreeSet<String> {
    std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|stem| !NO_RULES.contains(&stem.as_str()))
        .map(|stem| stem.replace('_', "-"))
        .collect()
}

#[test]
fn every_file_is_a_registered_rule_with_a_page_named_for_it() {
    let registered: BTreeSet<String> = ALL.iter().map(|r| r.id.to_owned()).collect();
    assert_eq!(named("rs"), registered);
    assert_eq!(named("md"), registered);
    assert_eq!(registered.len(), ALL.len(), "an id occurs twice");
    for rule in ALL {
        let module = rule.id.replace('-', "_");
        let own = format!("include_str!(\"{module}.md\")");
        assert_eq!(file(rule, "rs").matches(&own).count(), 1, "{}: its page is another rule's", rule.id);
    }
}

#[test]
fn pages_have_all_sections_in_order_and_no_other() {
    for rule in ALL {
        let (page, code) = (file(rule, "md"), file(rule, "rs"));
        let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let (ways, fixed): (Vec<&str>, Vec<&str>) =
            headings.iter().partition(|h| **h == "How" || h.starts_with("How: "));
        assert_eq!(fixed, page::SECTIONS, "{}", rule.id);
        assert_eq!(headings[fixed.len() - 1..headings.len() - 1], ways, "{}: before the sources", rule.id);
        assert!(rule.doc.sources().all(|source| !source.is_empty()), "{}", rule.id);
        assert!(rule.doc.sources().next().is_some(), "{}: no source", rule.id);
        for way in ways {
            let used = match way.strip_prefix("How: ") {
                Some(name) => format!("how!(RULE, \"{name}\")"),
                None => "how!(RULE)".to_owned(),
            };
            assert!(code.contains(&used), "{}: `{way}` is used by nothing", rule.id);
        }
    }
}

/// Words of the name of a test that takes a fact away.
const OF_MISSING_FACTS: [&str; 4] = ["without", "asks", "missing", "unknown"];

#[test]
fn rules_have_tests_for_firing_silence_and_missing_facts() {
    let mut lack = Vec::new();
    for rule in ALL {
        let text = file(rule, "rs");
        let tests = text.split("mod tests").nth(1).unwrap_or_default();
        let names: Vec<&str> = tests
            .split("#[test]")
            .skip(1)
            .filter_map(|test| test.split_once("fn ")?.1.split_once('(').map(|(name, _)| name))
            .collect();
        let has = |of: &dyn Fn(&str) -> bool| names.iter().any(|name| of(name));
        for (what, found) in [
            ("fires_..", has(&|name| name.starts_with("fires"))),
            ("silent_..", has(&|name| name.starts_with("silent"))),
            ("..without..", has(&|name| name.split('_').any(|word| OF_MISSING_FACTS.contains(&word)))),
        ] {
            if !found {
                lack.push(format!("{}: no test `{what}`", rule.id));
            }
        }
    }
    assert!(lack.is_empty(), "{lack:#?}");
}

#[test]
fn rules_yield_to_constants_of_other_rules() {
    for rule in ALL {
        let text = file(rule, "rs");
        let of = text.split("yields_to: &[").nth(1).unwrap().split(']').next().unwrap();
        assert!(!of.contains('"'), "{}: a constant is renamed with what it names, {of} is not", rule.id);
        for name in of.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let Some((module, constant)) = name.split_once("::") else { continue };
            let by_id = ALL.iter().find(|other| other.id.replace('-', "_") == module).unwrap();
            let uses = file(by_id, "rs").matches(constant).count();
            assert!(constant == "RULE.id" || uses > 1, "{}: {module} does not recommend {constant}", rule.id);
        }
    }
}
