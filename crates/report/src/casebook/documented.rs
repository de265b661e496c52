//! docs/json.md names every key of a record.

use loopwright_casebook::case::Expectation;
use loopwright_casebook::record::{
    Advice, CaseRecord, Estimate, Fired, Frame, HitRate, Ladder, Measured, Pictures, Rung, SCHEMA, Share,
    StageRecord,
};
use loopwright_casebook::throughput::{Split, Throughput};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const ESTIMATE: Estimate = Estimate { median: 2.0, low: 1.9, high: 2.1 };

/// A stage with everything that a stage can have.
fn stage() -> StageRecord {
    let text = || "x".to_owned();
    StageRecord {
        name: text(),
        title: text(),
        change: text(),
        from: Some(0),
        expected: vec![text()],
        because: Some(text()),
        miss: Some(text()),
        commands: vec![text()],
        run: Some(text()),
        threads: 1,
        left_out: Some(text()),
        wrong: Some(text()),
        results: BTreeMap::from([("RESULT".to_owned(), 1.0)]),
        measured: Some(Measured {
            seconds: ESTIMATE,
            elapsed: ESTIMATE,
            gain: Some(ESTIMATE),
            gain_first: Some(ESTIMATE),
            program_gain: Some(ESTIMATE),
            gflops: Some(1.0),
            gbytes: Some(1.0),
            ceiling: Some(Share { name: text(), rate: 2.0, unit: text(), share: 0.5 }),
        }),
        advice: Some(Advice {
            command: text(),
            recommendations: vec![Fired {
                id: text(),
                title: text(),
                confidence: text(),
                places: vec![text()],
                program_gain: Some([1.0, 2.0]),
            }],
        }),
        rung: Some(Rung {
            id: Some(text()),
            rank: Some(1),
            predicted: Some([1.0, 2.0]),
            came_true: Some(true),
        }),
        pictures: Some(Pictures {
            title: text(),
            frames: vec![Frame { step: 1, points: vec![[0.0, 1.0, 2.0]] }],
        }),
    }
}

/// A record with everything that a record can have.
fn record() -> CaseRecord {
    let text = || "x".to_owned();
    let expectation = Expectation {
        relative: Some(0.1),
        absolute: Some(0.1),
        exact: true,
        at_most: Some(1.0),
        ignore: true,
        value: Some(1.0),
    };
    CaseRecord {
        schema: SCHEMA,
        case: text(),
        order: 1,
        title: text(),
        source: text(),
        problem: text(),
        input: text(),
        processor: text(),
        cpus: 1,
        compare: BTreeMap::from([("RESULT".to_owned(), expectation)]),
        ladders: vec![Ladder {
            track: Some(text()),
            family: text(),
            versions: vec![text()],
            rounds: 5,
            stages: vec![stage()],
        }],
        notes: vec![text()],
    }
}

/// Every key within a value.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                found.push(key.clone());
                keys(inner, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|inner| keys(inner, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_casebook_is_documented() {
    let throughput =
        Throughput { split: Split { instances: 2, threads: 1 }, per_second: ESTIMATE, latency: ESTIMATE };
    let document = json!({
        "casebook": {"hit_rate": HitRate::default(), "cases": [record()]},
        "throughput": [throughput],
    });
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, rest) = page.split_once("\n## A casebook\n").expect("the section about casebooks");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let mut found = Vec::new();
    keys(&document, &mut found);
    assert!(found.len() > 60, "{found:?}");
    // Results have the names that their program gives them.
    for key in found.iter().filter(|key| *key != "RESULT") {
        let named = section.contains(&format!("`{key}`")) || section.contains(&format!("\"{key}\""));
        assert!(named, "docs/json.md does not name {key}");
    }
}
