//! Calibration files that are whole, damaged, newer or of another processor; which of them is looked for.

use super::file::parse;
use super::*;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

fn parsed(text: &str) -> Result<Tuning, String> {
    parse(Path::new("t.json"), text.as_bytes(), "P").map_err(|error| error.to_string())
}

fn with_values(values: &str) -> String {
    format!(
        r#"{{"format": "loopwright-kernels-tuning", "version": 1, "processor": "P", "values": {{{values}}}}}"#
    )
}

#[test]
fn a_file_comes_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/t.json");
    let mut tuning = Tuning::default();
    tuning.set(Constant::ByteswapNonTemporal, 12_345_678.0).unwrap();
    tuning.set(Constant::StreamingParallel, f64::INFINITY).unwrap();
    tuning.save(&path).unwrap();
    assert_eq!(Tuning::load(&path).unwrap(), tuning);
    assert_eq!(tuning.bytes(Constant::ByteswapNonTemporal), 12_345_678);
    assert_eq!(tuning.bytes(Constant::StreamingParallel), u64::MAX);
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn what_a_file_leaves_out_keeps_its_default() {
    let tuning = parsed(&with_values(r#""byteswap.parallel_bytes": 77"#)).unwrap();
    for constant in Constant::ALL {
        let expected = match constant {
            Constant::ByteswapParallel => 77.0,
            other => other.default_value(),
        };
        assert_eq!(tuning.value(constant), expected, "{}", constant.name());
    }
}

#[test]
fn files_that_cannot_be_used_say_why_and_what_to_do() {
    let refused = |text: &str, part: &str| {
        let error = parsed(text).unwrap_err();
        assert!(error.starts_with("t.json: ") && error.contains(part), "{error}");
        assert!(error.contains("calibrate"), "{error}");
    };
    refused("", "damaged");
    refused("{\"format\": \"loopwright-ker", "damaged");
    refused("\u{0}\u{1}", "damaged");
    refused(r#"{"format": "something", "version": 1}"#, "\"something\"");
    refused(r#"{"format": "loopwright-kernels-tuning", "version": 0}"#, "no version 0");
    refused(r#"{"format": "loopwright-kernels-tuning", "version": -1}"#, "damaged");
    refused(r#"{"format": "loopwright-kernels-tuning", "version": 2, "new": []}"#, "newer than 1");
    refused(&with_values(r#""byteswap.nonsense": 1"#), "no constant \"byteswap.nonsense\"");
    refused(&with_values(r#""byteswap.parallel_bytes": -1"#), "at least 0");
    refused(&with_values(r#""byteswap.parallel_bytes": "1""#), "invalid type");
    refused(&with_values(r#""byteswap.parallel_bytes": 1e999"#), "out of range");
    refused(&with_values("").replace("\"P\"", "\"Q\""), "another processor (Q, this is P)");
    let whole = with_values(r#""byteswap.parallel_bytes": 77"#);
    for end in 0..whole.len() {
        assert!(parsed(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
}

#[test]
fn the_variable_and_the_folder_decide_which_file_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopwright/kernels-tuning.json");
    let environment = |named: Option<&Path>| {
        let (named, home) = (named.map(OsString::from), OsString::from(folder.path()));
        move |name: &str| match name {
            VARIABLE => named.clone(),
            "XDG_CACHE_HOME" => Some(home.clone()),
            _ => None,
        }
    };
    // Nothing there: the defaults, and nothing to complain about, unless a file was asked for.
    let choice = choose(environment(None));
    assert_eq!((choice.tuning, choice.source), (Tuning::default(), None));
    assert!(choice.error.is_none());
    let error = choose(environment(Some(Path::new("/nowhere/t.json")))).error.unwrap().to_string();
    assert!(error.starts_with("/nowhere/t.json: "), "{error}");

    let mut tuning = Tuning::default();
    tuning.set(Constant::CopyNonTemporal, 5.0).unwrap();
    tuning.save(&path).unwrap();
    let choice = choose(environment(None));
    assert_eq!((choice.tuning, choice.source), (tuning, Some(path.clone())));
    assert_eq!(choose(environment(Some(Path::new("none")))).tuning, Tuning::default());

    // A damaged one is not used, and not silently.
    std::fs::write(&path, "{").unwrap();
    let choice = choose(environment(None));
    assert_eq!(choice.tuning, Tuning::default());
    assert!(choice.error.unwrap().to_string().contains("damaged"));
    // A home folder that is none is no reason to fail.
    assert!(choose(|_| None).error.is_none());
}

#[test]
fn names_are_unique_and_defaults_can_be_set() {
    let names: BTreeSet<&str> = Constant::ALL.iter().map(|constant| constant.name()).collect();
    assert_eq!(names.len(), Constant::ALL.len());
    for (index, constant) in Constant::ALL.into_iter().enumerate() {
        assert_eq!(constant as usize, index);
        assert!(!constant.about().is_empty());
        Tuning::default().set(constant, constant.default_value()).unwrap();
    }
    assert!(Tuning::default().set(Constant::ByteswapParallel, f64::NAN).is_err());
}
