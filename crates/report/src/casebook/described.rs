//! A record with everything that it can have is as the contract says.

use super::CasebookDocument;
use loopwright_casebook::case::Expectation;
use loopwright_casebook::record::{
    Advice, CaseRecord, Estimate, Fired, Frame, Ladder, Measured, Pictures, Rung, SCHEMA, Search, Share,
    StageRecord,
};
use loopwright_casebook::sources::{StageFile, StageSources, TrackSources};
use loopwright_casebook::throughput::{Split, Throughput};
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
                confidence: "high".to_owned(),
                places: vec![text()],
                program_gain: Some([1.0, 2.0]),
                modelled: None,
                changes: vec![text()],
            }],
        }),
        search: Some(Search {
            verb: "tune".to_owned(),
            command: text(),
            found: vec![text()],
            gain: Some([1.0, 2.0]),
            hit: true,
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

#[test]
fn a_casebook_is_as_the_contract_says() {
    let throughput =
        Throughput { split: Split { instances: 2, threads: 1 }, per_second: ESTIMATE, latency: ESTIMATE };
    let record = record();
    let text = || "x".to_owned();
    let file = StageFile { name: text(), before: Some(text()), marked: "+a\n-b\n".to_owned() };
    let stage = StageSources {
        name: text(),
        from: Some(text()),
        files: vec![file],
        unchanged: vec![text()],
        gone: vec![text()],
    };
    let sources = vec![TrackSources { case: text(), track: Some(text()), stages: vec![stage] }];
    let document = CasebookDocument::new("0.1.0", "2026-11-22T09:00:00Z".to_owned(), vec![&record], sources);
    crate::contract::assert_valid("CasebookDocument", &serde_json::to_value(document).unwrap());
    crate::contract::assert_valid("Throughput", &serde_json::to_value(throughput).unwrap());
}
