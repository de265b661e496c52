//! What holds for all facts, and parts of their sentences. The words of each fact are held by the tests of its theme.

use super::operands::named;
use super::words::{bytes_in_words, count_in_words};
use super::*;
use crate::fixtures::{access, checked, scalar_loop, trips};
use loopwright_analysis::model::{AccessFacts, ParallelVerdict, VectorVerdict};
use loopwright_patterns::facts::AccessKind;
use std::collections::BTreeSet;

/// The kinds that a theme has, by its schema.
fn kinds<T: JsonSchema>() -> BTreeSet<String> {
    let schema = schemars::schema_for!(T).to_value();
    let parts = schema["oneOf"].as_array().unwrap();
    let kind = |part: &serde_json::Value| part["properties"]["kind"]["const"].as_str().unwrap().to_owned();
    parts.iter().map(kind).collect()
}

/// Holds the sentences of a theme, and that all of its kinds are among them.
pub fn hold<T: JsonSchema + Serialize + fmt::Display>(sentences: &[(T, &str)]) {
    let kind = |fact: &T| serde_json::to_value(fact).unwrap()["kind"].as_str().unwrap().to_owned();
    for (fact, sentence) in sentences {
        assert_eq!(fact.to_string(), *sentence);
    }
    assert_eq!(sentences.iter().map(|(fact, _)| kind(fact)).collect::<BTreeSet<_>>(), kinds::<T>());
}

#[test]
fn a_kind_belongs_to_one_theme() {
    let themes = [
        kinds::<Time>(),
        kinds::<Bottleneck>(),
        kinds::<Trips>(),
        kinds::<Vectors>(),
        kinds::<Work>(),
        kinds::<Memory>(),
        kinds::<Dependences>(),
        kinds::<Calls>(),
        kinds::<Threads>(),
        kinds::<Compiler>(),
        kinds::<Machine>(),
        kinds::<Expected>(),
    ];
    let all: BTreeSet<&String> = themes.iter().flatten().collect();
    assert_eq!(all.len(), themes.iter().map(BTreeSet::len).sum::<usize>(), "a kind occurs twice");
}

#[test]
fn evidence_ends_with_how_it_was_obtained() {
    let fact = || Vectors::ScalarArithmetic;
    for (provenance, words) in [
        (Provenance::Measured, "measured"),
        (Provenance::Counted, "counted"),
        (Provenance::Modelled, "modelled"),
        (Provenance::Inferred, "inferred"),
        (Provenance::Binary, "read from the binary"),
        (Provenance::Compiler, "reported by the compiler"),
    ] {
        let sentence = Evidence::new(provenance, fact()).to_string();
        assert_eq!(sentence, format!("its arithmetic is scalar ({words})"));
    }
}

#[test]
fn in_json_a_fact_has_its_provenance_and_its_kind() {
    let fact = Time::CodeAround { share: 0.5, of: Whose::Nest, name: String::new() };
    let json = serde_json::to_value(Evidence::new(Provenance::Measured, fact)).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"provenance": "measured", "kind": "code-around", "share": 0.5, "of": "nest"})
    );
}

#[test]
fn large_numbers_have_three_digits_or_so() {
    assert_eq!(bytes_in_words(9_999), "9999 bytes");
    assert_eq!(bytes_in_words(320_000_000), "320 MB");
    assert_eq!(count_in_words(1_500_000), "1.50 million");
}

#[test]
fn entries_have_a_median_bounds_or_a_mean() {
    let mut of = trips(200, 19);
    let words = |of: &_| Entries::of(of).map(|entries| entries.to_string());
    assert_eq!(words(&of).unwrap(), "it was entered 200 times, median 19 machine iterations each");
    (of.median, of.median_bounds, of.approximate) = (None, Some((16, 19)), true);
    assert_eq!(
        words(&of).unwrap(),
        "it was entered 200 times, median about 16 to 19 machine iterations each"
    );
    (of.entries, of.median_bounds, of.mean) = (Some(1), None, Some(2.5));
    assert_eq!(words(&of).unwrap(), "it was entered 1 time, mean 2.5 machine iterations each");
    of.mean = None;
    assert_eq!(words(&of), None);
    (of.entries, of.median) = (None, Some(19));
    assert_eq!(words(&of), None);
}

#[test]
fn strides_tell_source_and_machine_iterations_apart() {
    let mut of = access("lbv[i*3]", AccessKind::Load, 4, 3);
    let words = |of: &AccessFacts| Stride::of(of).to_string();
    assert_eq!(words(&of), "3 elements of 4 bytes per iteration");
    (of.source_factor, of.machine_stride_elements) = (4, Some(12));
    assert_eq!(words(&of), "3 elements of 4 bytes per iteration, 12 per machine iteration");
    (of.stride_elements, of.stride_bytes, of.source_factor) = (None, Some(13), 1);
    assert_eq!(words(&of), "13 bytes per iteration");
}

#[test]
fn operands_are_named_once_and_few() {
    let of: Vec<_> = ["a[i]", "b[i]", "a[i]", "c[i]", "d[i]", "e[i]"]
        .iter()
        .map(|name| access(name, AccessKind::Load, 8, 1))
        .collect();
    assert_eq!(named(&Operand::of_all(&of)), "`a[i]`, `b[i]`, `c[i]` and 2 more");
    assert_eq!(named(&Operand::of_all(&of[..1])), "`a[i]`");
    let mut unknown = of[0].clone();
    unknown.operand = None;
    assert_eq!(Operand::of(&unknown).to_string(), "the access at kernel.c:11");
    unknown.file = None;
    assert_eq!(Operand::of(&unknown).to_string(), "the access at 0x1204");
    unknown.addresses.clear();
    assert_eq!(Operand::of(&unknown).to_string(), "an access");
}

#[test]
fn what_was_checked_is_counted() {
    let mut l = scalar_loop(|_| ());
    checked(&mut l, VectorVerdict::Safe, ParallelVerdict::Independent);
    let mut found = l.dependence.unwrap();
    assert_eq!(
        Checked::from(&found).to_string(),
        "40000 traced iterations of 40 entries or parts of entries"
    );
    (found.checked_entries, found.exhaustive) = (1, true);
    assert_eq!(Checked::from(&found).to_string(), "all 40000 iterations of 1 entry");
}
