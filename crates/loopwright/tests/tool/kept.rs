//! Experiments that earlier versions wrote stay readable, and say the same: each file under `tests/kept/` is shown in
//! every view and compared with what it showed before.
//!
//! `solver.lw` holds a survey, counts, traces and remarks of `solver.c`, collected by version 0.1.0. With
//! `LOOPWRIGHT_BLESS=1` the recorded views are written anew: for changes of words, never of facts.

use crate::tool::Scratch;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name of the record and the words behind `show`.
const VIEWS: [(&str, &[&str]); 9] = [
    ("advice.txt", &["advice"]),
    ("recommendations.txt", &["recommendations"]),
    ("tree.txt", &["tree"]),
    ("loop.txt", &["loop"]),
    ("source.txt", &["source"]),
    ("loops.csv", &["loops", "--csv", "--all"]),
    ("functions.csv", &["functions", "--csv"]),
    ("modules.csv", &["modules", "--csv"]),
    ("threads.csv", &["threads", "--csv"]),
];

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept")
}

/// Compares a view with its record, or records it.
fn held(record: &Path, now: &str, wrong: &mut Vec<String>) {
    if std::env::var_os("LOOPWRIGHT_BLESS").is_some() {
        std::fs::create_dir_all(record.parent().unwrap()).unwrap();
        std::fs::write(record, now).unwrap();
        return;
    }
    let before = std::fs::read_to_string(record).unwrap_or_default();
    if before != now {
        let mut lines = before.lines().zip(now.lines());
        let first = lines.find(|(a, b)| a != b).unwrap_or(("(its end)", "(its end)"));
        wrong.push(format!("{}: was\n  {}\nis\n  {}", record.display(), first.0, first.1));
    }
}

/// By the path of each key, how many values it has and the first of them.
fn outline(value: &Value, path: &str, into: &mut BTreeMap<String, (usize, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                outline(value, &format!("{path}.{key}"), into);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| outline(value, &format!("{path}[]"), into)),
        leaf => {
            let seen = into.entry(path.to_owned()).or_insert_with(|| (0, leaf.to_string()));
            seen.0 += 1;
        }
    }
}

#[test]
fn experiments_of_earlier_versions_say_the_same() {
    let scratch = Scratch::new();
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(kept()).unwrap() {
        let experiment = entry.unwrap().path();
        if experiment.extension().is_none_or(|extension| extension != "lw") {
            continue;
        }
        let records = experiment.with_extension("");
        // Looking must not change what is kept.
        let copy = scratch.file("kept.lw");
        std::fs::copy(&experiment, &copy).unwrap();
        let run = |words: &[&str]| {
            let mut tool = scratch.tool();
            tool.arg("-e").arg(&copy).args(words).env("COLUMNS", "120").env_remove("LOOPWRIGHT_EXPERIMENT");
            let output = tool.output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{words:?}: {errors}");
            String::from_utf8(output.stdout).unwrap().replace(&*copy.to_string_lossy(), "kept.lw")
        };
        for (name, words) in VIEWS {
            held(&records.join(name), &run(&[&["show"], words].concat()), &mut wrong);
        }
        let mut document: Value = serde_json::from_str(&run(&["report", "--json", "-"])).unwrap();
        assert_eq!(document["schema"], 1);
        // When, and by which version, it was written.
        for own in ["generated", "tool"] {
            document.as_object_mut().unwrap().remove(own);
        }
        let mut keys = BTreeMap::new();
        outline(&document, "", &mut keys);
        let lines: Vec<String> =
            keys.into_iter().map(|(path, (count, first))| format!("{path} x {count}: {first}\n")).collect();
        held(&records.join("report.keys"), &lines.concat(), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
