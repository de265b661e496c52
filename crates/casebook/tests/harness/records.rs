//! Records: stored, read back, completed from earlier ones, counted.

use loopwright_casebook::record::{
    Advice, CaseRecord, Estimate, Fired, HitRate, Ladder, Measured, Rung, SCHEMA, StageRecord,
};
use std::collections::BTreeMap;

fn stage(name: &str, from: Option<usize>) -> StageRecord {
    StageRecord {
        name: name.into(),
        title: name.into(),
        change: String::new(),
        from,
        expected: from.map(|_| vec!["pad".to_owned()]).unwrap_or_default(),
        because: None,
        commands: vec![format!("gcc {name}.c")],
        run: Some(format!("./{name}")),
        threads: 1,
        left_out: None,
        wrong: None,
        results: BTreeMap::new(),
        measured: None,
        advice: None,
        search: None,
        rung: None,
        miss: None,
        pictures: None,
    }
}

pub fn record() -> CaseRecord {
    CaseRecord {
        schema: SCHEMA,
        case: "adding".into(),
        order: 1,
        title: "Adding".into(),
        source: "a test".into(),
        problem: "Slow.".into(),
        input: "full".into(),
        processor: "P".into(),
        cpus: 2,
        compare: BTreeMap::new(),
        ladders: vec![Ladder {
            track: None,
            family: "gcc".into(),
            versions: vec!["gcc 12".into()],
            rounds: 0,
            stages: vec![stage("plain", None), stage("fast", Some(0))],
        }],
        notes: vec![],
    }
}

fn measured() -> Measured {
    let near = |median: f64| Estimate { median, low: median, high: median };
    Measured {
        seconds: near(0.5),
        elapsed: near(0.6),
        gain: Some(near(2.0)),
        gain_first: Some(near(2.0)),
        program_gain: Some(near(1.9)),
        gflops: Some(1.0),
        gbytes: None,
        ceiling: None,
    }
}

fn advice() -> Advice {
    let fired = Fired {
        id: "pad".into(),
        title: "Pad".into(),
        confidence: "high".into(),
        places: vec![],
        program_gain: Some([1.5, 2.5]),
        modelled: None,
        changes: vec![],
    };
    Advice { command: "loopwright advise".into(), recommendations: vec![fired] }
}

#[test]
fn a_record_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(CaseRecord::read(folder.path(), "adding").unwrap(), None);
    let mut record = record();
    record.ladders[0].stages[1].measured = Some(measured());
    record.write(folder.path()).unwrap();
    assert_eq!(CaseRecord::read(folder.path(), "adding").unwrap(), Some(record));
}

#[test]
fn a_record_that_cannot_be_is_refused_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = record().write(folder.path()).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    for (from, to, words) in [
        ("\"schema\":1", "\"schema\":99", "version 99"),
        ("\"from\":0", "\"from\":1", "not before it"),
        ("{", "", "expected"),
    ] {
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let error = CaseRecord::read(folder.path(), "adding").unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("record.json"), "{error}");
    }
}

#[test]
fn advice_and_measurements_of_the_same_programs_complete_each_other() {
    let (mut timed, mut advised) = (record(), record());
    timed.ladders[0].rounds = 7;
    timed.ladders[0].stages[1].measured = Some(measured());
    advised.ladders[0].stages[0].advice = Some(advice());
    let before = advised.clone();
    advised.complete_from(&timed);
    let rung =
        Rung { id: Some("pad".into()), rank: Some(1), predicted: Some([1.5, 2.5]), came_true: Some(true) };
    assert_eq!(advised.ladders[0].stages[1].rung, Some(rung));
    assert_eq!(advised.ladders[0].rounds, 7);
    let rate = HitRate::of([&advised]);
    assert_eq!((rate.rungs, rate.recommended, rate.predicted, rate.came_true), (1, 1, 1, 1));

    // Another build is another program.
    let mut other = before.clone();
    timed.ladders[0].stages[1].commands = vec!["gcc -O3 fast.c".into()];
    other.complete_from(&timed);
    assert_eq!(other.ladders[0].stages[1].measured, None);
    let mut elsewhere = before;
    elsewhere.processor = "Q".into();
    elsewhere.complete_from(&advised);
    assert_eq!(elsewhere.ladders[0].stages[1].measured, None, "times of another machine are not mixed in");
    let mut left_out = CaseRecord { ladders: vec![], notes: vec!["left out".into()], ..record() };
    left_out.complete_from(&advised);
    assert_eq!(left_out.ladders, advised.ladders, "a run without the MPI loses nothing");
}
