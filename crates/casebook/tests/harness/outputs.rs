//! The output of programs, and its comparison with the expectations.

use loopwright_casebook::case::Expectation;
use loopwright_casebook::output::parse;
use loopwright_casebook::verify::faults;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn lines_are_measures_or_results_and_the_rest_is_talk() {
    let text = "starting up\nseconds = 0.5\nflop = 1e9\nbytes = 24\nworking_set=48\nsum =  5.279087335850818E-002\n\
                the answer (sum) = below\n";
    let printed = parse(text).unwrap();
    assert_eq!((printed.seconds, printed.flop, printed.bytes), (0.5, Some(1e9), Some(24.0)));
    assert_eq!(printed.working_set, Some(48.0));
    assert_eq!(printed.results, BTreeMap::from([("sum".to_owned(), 5.279_087_335_850_818e-2)]));
}

#[test]
fn an_output_that_tells_no_time_is_refused() {
    for (text, words) in [
        ("sum = 1\n", "does not print a line `seconds"),
        ("seconds = fast\n", "not a line `name = number`"),
        ("seconds = -1\n", "is not a time"),
        ("seconds = nan\n", "is not a time"),
        ("seconds = 1\nsum = 1\nsum = 2\n", "prints `sum` twice"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

proptest! {
    #[test]
    fn no_output_makes_the_reader_panic(text in "(?s).{0,200}") {
        let _ = parse(&text);
    }
}

fn held(value: f64, right: f64, expectation: Expectation) -> Vec<String> {
    let map = |v: f64| BTreeMap::from([("x".to_owned(), v)]);
    faults(&map(value), &map(right), &BTreeMap::from([("x".to_owned(), expectation)]))
}

#[test]
fn each_way_to_compare_accepts_and_refuses() {
    let relative = Expectation { relative: Some(1e-3), ..Expectation::default() };
    assert!(held(1000.9, 1000.0, relative).is_empty());
    assert!(!held(1002.0, 1000.0, relative).is_empty());
    let absolute = Expectation { absolute: Some(0.5), ..Expectation::default() };
    assert!(held(1.5, 1.0, absolute).is_empty() && !held(1.6, 1.0, absolute).is_empty());
    let exact = Expectation { exact: true, ..Expectation::default() };
    assert!(held(0.1, 0.1, exact).is_empty() && !held(0.1 + 1e-17, 0.2, exact).is_empty());
    assert!(!held(-0.0, 0.0, exact).is_empty(), "to the last bit");
    let bound = Expectation { at_most: Some(1e-8), ..Expectation::default() };
    assert!(held(1e-9, 5.0, bound).is_empty() && !held(1e-7, 5.0, bound).is_empty());
    let answer = Expectation { value: Some(2.0), absolute: Some(0.1), ..Expectation::default() };
    assert!(held(2.05, 7.0, answer).is_empty() && !held(7.0, 7.0, answer).is_empty());
    let ignored = Expectation { ignore: true, ..Expectation::default() };
    assert!(held(1.0, 2.0, ignored).is_empty());
    for expectation in [relative, absolute, bound, answer] {
        assert!(!held(f64::NAN, 1.0, expectation).is_empty(), "NaN is never right: {expectation:?}");
    }
}

#[test]
fn a_result_without_an_expectation_and_one_without_a_value_are_wrong() {
    let one = BTreeMap::from([("x".to_owned(), 1.0)]);
    let exact = Expectation { exact: true, ..Expectation::default() };
    let expected = |name: &str| BTreeMap::from([(name.to_owned(), exact)]);
    assert!(faults(&one, &one, &BTreeMap::new())[0].contains("does not say how to compare"));
    assert!(faults(&BTreeMap::new(), &one, &expected("x"))[0].contains("is not printed"));
    assert!(faults(&one, &BTreeMap::new(), &expected("x"))[0].contains("by the first stage"));
}
