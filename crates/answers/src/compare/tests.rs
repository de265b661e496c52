use super::*;
use proptest::prelude::*;

const CLOSE: Check = Check::Numbers(Tolerance { relative: 1e-9, absolute: 0.0 });

fn verdict(expected: &str, found: &str, check: Check) -> Verdict {
    compare(expected.as_bytes(), found.as_bytes(), check).verdict
}

#[test]
fn equal_bytes_are_the_same_and_exact_means_exact() {
    assert_eq!(verdict("a 1\n", "a 1\n", Check::Exact), Verdict::Same);
    assert_eq!(verdict("a 1.0\n", "a 1.00\n", Check::Exact), Verdict::Different);
    assert_eq!(verdict("a 1\n", "a 1", Check::Exact), Verdict::Different);
    assert_eq!(verdict("a 1\n", "a 1", CLOSE), Verdict::Within, "the end of the last line is no answer");
}

#[test]
fn small_numbers_of_a_column_have_the_error_of_its_large_ones() {
    let expected = "x 1000.0000000000\nx 0.0000001000\n";
    let found = "x 1000.0000000000\nx 0.0000001900\n";
    let comparison = compare(expected.as_bytes(), found.as_bytes(), CLOSE);
    assert_eq!(comparison.verdict, Verdict::Within);
    assert!((comparison.largest - 9e-11).abs() < 1e-20, "{}", comparison.largest);
    assert!((comparison.significant_bits().unwrap() - 33.37).abs() < 0.01);
    // Beside other text it is a column of its own.
    assert_eq!(verdict("x 1000.0\ny 1.0e-7\n", "x 1000.0\ny 1.9e-7\n", CLOSE), Verdict::Different);
}

#[test]
fn integers_text_and_missing_lines_are_never_within() {
    let loose = Check::Numbers(Tolerance { relative: 0.5, absolute: 10.0 });
    assert_eq!(verdict("steps 100\n", "steps 101\n", loose), Verdict::Different);
    assert_eq!(verdict("PASSED 1.0\n", "FAILED 1.0\n", loose), Verdict::Different);
    let comparison = compare(b"a 1.5\nb 2.5\n", b"a 1.5\n", loose);
    assert_eq!(comparison.verdict, Verdict::Different);
    assert_eq!(
        comparison.first,
        Some(Difference { line: 2, expected: "b 2.5".into(), found: String::new() })
    );
}

#[test]
fn a_new_nan_or_infinity_is_a_different_answer() {
    let loose = Check::Numbers(Tolerance { relative: 1.0, absolute: f64::MAX });
    for bad in ["nan", "-nan", "NaN", "inf", "-Infinity"] {
        assert_eq!(verdict("e 1.5\n", &format!("e {bad}\n"), loose), Verdict::Different, "{bad}");
    }
    assert_eq!(verdict("e nan 1.5\n", "e -nan 1.5\n", loose), Verdict::Within, "it was no number before");
    assert_eq!(verdict("e inf\n", "e -inf\n", loose), Verdict::Different);
}

#[test]
fn a_last_digit_that_is_rounded_the_other_way_is_within() {
    assert_eq!(verdict("e 1.23456\n", "e 1.23457\n", CLOSE), Verdict::Within);
    assert_eq!(verdict("e 1.23456\n", "e 1.23458\n", CLOSE), Verdict::Different);
    // Of three digits one unit is too much to be rounding alone.
    assert_eq!(verdict("e 1.23\n", "e 1.24\n", CLOSE), Verdict::Different);
    assert_eq!(compare(b"e 1.23\n", b"e 1.24\n", CLOSE).digits, Some(3));
}

#[test]
fn the_width_of_columns_is_no_answer() {
    assert_eq!(verdict("e   9.99999999999\n", "e  10.00000000000\n", CLOSE), Verdict::Within);
}

proptest! {
    #[test]
    fn any_bytes_compare(a in prop::collection::vec(any::<u8>(), 0..80), b in prop::collection::vec(any::<u8>(), 0..80)) {
        let same = compare(&a, &a, CLOSE);
        prop_assert_eq!(same.verdict, Verdict::Same);
        let comparison = compare(&a, &b, CLOSE);
        prop_assert_eq!(comparison.verdict == Verdict::Different, comparison.first.is_some());
    }

    #[test]
    fn numbers_within_the_tolerance_are_accepted_and_others_are_not(
        values in prop::collection::vec(-1e6..1e6f64, 1..20), at in any::<prop::sample::Index>(), error in 1e-12..1e-6f64
    ) {
        let text = |values: &[f64]| values.iter().map(|v| format!("v {v:.17e}\n")).collect::<String>();
        let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let mut changed = values.clone();
        changed[at.index(values.len())] += error * largest;
        let comparison = compare(text(&values).as_bytes(), text(&changed).as_bytes(), CLOSE);
        // At the bound itself rounding decides.
        if error < 0.99e-9 {
            prop_assert!(comparison.verdict != Verdict::Different);
        } else if error > 1.01e-9 && largest > 1.0 {
            prop_assert_eq!(comparison.verdict, Verdict::Different);
        }
    }
}
