use super::*;
use crate::half::Half;
use crate::pair::{Description, Remedy};
use crate::record::Trial;

fn pair(name: &str, accepts: &[&str]) -> Pair {
    let description = Description {
        kind: "stencil".into(),
        language: "C".into(),
        about: String::new(),
        compiler: "gcc".into(),
        before_flags: String::new(),
        after_flags: String::new(),
        libraries: String::new(),
        arguments: Vec::new(),
        threads: 1,
        tolerance: 0.0,
        bottleneck: String::new(),
        why: String::new(),
        remedy: String::new(),
        gain: 2.0,
    };
    let remedy = Remedy { accepts: accepts.iter().map(|id| (*id).to_owned()).collect(), wanted: None };
    Pair {
        name: name.into(),
        before: "b.c".into(),
        after: "a.c".into(),
        description,
        remedy,
        half: Half::Open,
    }
}

fn fired(id: &str, range: Option<[f64; 2]>) -> Fired {
    Fired {
        id: id.into(),
        title: String::new(),
        confidence: "medium".into(),
        places: Vec::new(),
        program_gain: range,
        modelled: None,
        changes: Vec::new(),
    }
}

fn record(pair: &str, gain: f64, recommendations: Vec<Fired>) -> PairRecord {
    let gain = Some(Estimate { median: gain, low: gain * 0.99, high: gain * 1.01 });
    let (pair, processor) = (pair.to_owned(), "a processor".to_owned());
    PairRecord {
        schema: 1,
        pair,
        half: Half::Open,
        processor,
        failed: None,
        gain,
        recommendations,
        trials: Vec::new(),
    }
}

#[test]
fn hits_coverage_and_widths_are_counted() {
    let pairs = [pair("a", &["x"]), pair("b", &["x", "y"]), pair("c", &["z"]), pair("d", &["w"])];
    let records = [
        record("a", 2.0, vec![fired("x", Some([1.5, 2.5]))]),
        record("b", 3.0, vec![fired("w", None), fired("y", Some([1.0, 2.0]))]),
        record("c", 2.0, ["1", "2", "3", "z"].map(|id| fired(id, Some([1.0, 4.0]))).to_vec()),
        record("d", 2.0, Vec::new()),
    ];
    let rows: Vec<_> = pairs.iter().zip(&records).map(|(pair, record)| row(pair, record)).collect();
    let all = figures(&rows, &[]);
    assert_eq!((all.pairs, all.hits, all.named, all.predicted, all.covered), (4, 2, 3, 2, 1));
    assert_eq!(all.first, (2, 1), "ranges at rank 1, and those from 1.00");
    assert!((all.width.unwrap() - (2.5 / 1.5 + 4.0) / 2.0).abs() < 1e-12);
    assert_eq!(all.rules["y"], Rule { shown: 1, first: 0, hits: 1, covered: (0, 1), tried: (0, 0) });
}

#[test]
fn a_package_counts_for_the_changes_in_it() {
    let mut package = fired("rebuild", Some([1.0, 2.0]));
    package.changes = vec!["x".into(), "y".into()];
    let (pair, record) = (pair("a", &["y"]), record("a", 1.5, vec![package]));
    let all = figures(&[row(&pair, &record)], &[]);
    assert_eq!((all.hits, all.covered, all.rules["rebuild"].hits), (1, 1, 1));
}

#[test]
fn a_range_that_the_noise_reaches_is_met() {
    let (pair, record) = (pair("a", &["x"]), record("a", 1.995, vec![fired("x", Some([2.0, 3.0]))]));
    assert_eq!(row(&pair, &record).covered, Some(true));
}

#[test]
fn the_interval_score_is_the_width_and_ten_times_the_miss() {
    assert!((interval_score([1.0, 2.0], 1.5) - 2_f64.ln()).abs() < 1e-12);
    assert!((interval_score([2.0, 2.0], 4.0) - 10.0 * 2_f64.ln()).abs() < 1e-12);
    assert!((interval_score([2.0, 4.0], 1.0) - 11.0 * 2_f64.ln()).abs() < 1e-12);
}

#[test]
fn a_recommendation_that_made_a_program_slower_counts_once_among_the_first_three() {
    let pairs = [pair("a", &["x"])];
    let mut slow = record("a", 2.0, ["x", "y", "1", "late"].map(|id| fired(id, None)).to_vec());
    let estimate = Estimate { median: 0.9, low: 0.89, high: 0.91 };
    let trial = |id: &str| Trial { id: id.into(), flags: "-f".into(), refused: None, gain: Some(estimate) };
    slow.trials = vec![trial("x"), trial("late")];
    let judged = |id: &str, verdict| Judgement {
        pair: "a".into(),
        id: id.into(),
        verdict,
        gain: None,
        processor: None,
        why: String::new(),
    };
    let judgements =
        [judged("y", Verdict::Helps), judged("y", Verdict::False), judged("other", Verdict::Illegal)];
    let all = figures(&[row(&pairs[0], &slow)], &judgements);
    assert_eq!((all.tried, all.judged, all.false_statements), ((1, 1), 1, 1));
    assert_eq!((all.rules["x"].tried, all.rules["y"].tried), ((1, 1), (1, 1)));
    assert!(!all.rules.contains_key("late"));
}

#[test]
fn factors_are_drawn_towards_those_of_all_changes() {
    let known = |id: &str| Fired { modelled: Some([1.0, 2.0, 4.0]), ..fired(id, Some([1.0, 4.0])) };
    let pairs = [pair("a", &["x"]), pair("b", &["x"]), pair("c", &["y"])];
    let records = [
        record("a", 4.0, vec![known("x")]),
        record("b", 4.0, vec![known("x")]),
        record("c", 2.0, vec![known("y")]),
    ];
    let rows: Vec<_> = pairs.iter().zip(&records).map(|(pair, record)| row(pair, record)).collect();
    let table = crate::calibrate::table(&rows);
    // All: the median of 2, 2, 1 over the likely value is 2. Of y, one pair of 1 and eight of 2: 2^(8/9).
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines, ["(\"x\", 2, 2.00, 1.00),", "(\"y\", 1, 1.85, 0.93),", "(\"all\", 3, 2.00, 1.00),"]);
}
