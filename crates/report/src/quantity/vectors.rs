//! The same numbers, the same texts: examples that the page's formatting is tested against.
//!
//! `ui/src/logic/quantity.ts` says again in TypeScript what this module says, for a page cannot call it. The examples are in
//! `ui/vectors/quantities.json`; `LOOPWRIGHT_BLESS=1` writes them anew.

use super::*;
use crate::access_patterns::stride;
use crate::memory_operands::Walk;
use loopwright_analysis::model::AccessFacts;
use loopwright_binary::facts::StaticStride;
use serde_json::{Map, Value, json};

/// Zero, tiny, large, ties of rounding (binary fractions), and both sides of each border.
const NUMBERS: [f64; 63] = [
    0.0,
    1e-12,
    1e-9,
    1e-7,
    9.99e-6,
    1e-5,
    1.234e-5,
    4.9e-4,
    5e-4,
    5.1e-4,
    0.001,
    0.004_999,
    0.005,
    0.015_625,
    0.049_96,
    0.09949,
    0.0995,
    0.099_500_1,
    0.1,
    0.125,
    0.25,
    0.35,
    0.375,
    0.5,
    0.994_999,
    0.995,
    0.9994,
    0.9995,
    0.999_51,
    1.0,
    1.005,
    1.125,
    1.25,
    1.375,
    1.994,
    1.995,
    2.5,
    2.75,
    3.5,
    9.949,
    9.95,
    9.96,
    9.994,
    9.996,
    10.0,
    12.5,
    99.94,
    99.95,
    99.96,
    100.5,
    999.4,
    999.5,
    999.949,
    999.95,
    1000.0,
    1234.5,
    1234.56,
    354_166.394,
    999_999.96,
    12_345.678,
    1e6,
    1.234_567_8e9,
    1.5e15,
];

/// Around each unit and each power of ten; above 2^53 a page has no whole numbers any more.
const COUNTS: [u64; 34] = [
    0,
    1,
    7,
    9,
    10,
    99,
    100,
    999,
    1000,
    1023,
    1024,
    1025,
    1536,
    9999,
    10_000,
    24_070,
    32_768,
    99_999,
    102_400,
    999_999,
    1_000_000,
    1_048_063,
    1_048_064,
    1_048_576,
    1_234_567,
    9_999_499,
    9_999_500,
    999_949_999,
    999_950_000,
    1_073_741_824,
    6_442_450_944,
    1_234_567_890_123,
    1_500_000_000_000_000,
    9_007_199_254_740_991,
];

fn each<T: Copy + serde::Serialize>(values: &[T], text: impl Fn(T) -> String) -> Value {
    values.iter().map(|value| json!([value, text(*value)])).collect()
}

fn pairs<T: Copy + serde::Serialize>(values: &[(T, T)], text: impl Fn((T, T)) -> String) -> Value {
    values.iter().map(|value| json!([[value.0, value.1], text(*value)])).collect()
}

/// A column of times: its largest, its unit, and each of its numbers.
fn columns() -> Value {
    [0.0, 1e-6, 0.02, 0.9994, 0.9995, 1.0, 250.0]
        .iter()
        .map(|&largest| {
            let unit = TimeUnit::for_largest(largest);
            let numbers = [largest, largest / 3.0, largest / 1e4, 0.0, -largest];
            let texts: Vec<String> = numbers.iter().map(|seconds| unit.number(*seconds)).collect();
            json!({"largest": largest, "unit": unit.symbol(), "seconds": numbers, "texts": texts})
        })
        .collect()
}

/// Strides of traced operands.
fn strides() -> Value {
    let rows = [
        json!({"stride_bytes": 8, "stride_elements": 1, "machine_stride_bytes": 32, "machine_stride_elements": 4}),
        json!({"stride_bytes": 8, "stride_elements": 1, "machine_stride_bytes": 8, "machine_stride_elements": 1}),
        json!({"stride_bytes": -152, "stride_elements": -19}),
        json!({"stride_bytes": 20}),
        json!({"stride_bytes": 20, "machine_stride_bytes": 40}),
        json!({"stride_bytes": 0, "stride_elements": 0}),
        json!({"distribution": [[8, 0.75], [-64, 0.2]]}),
        json!({"distribution": [[8, 0.5], [16, 0.5]]}),
        json!({"distribution": [[8, 0.4], [16, 0.3], [24, 0.2], [32, 0.05], [40, 0.05]]}),
        json!({"distribution": []}),
    ];
    let fixed =
        json!({"kind": "load", "element_bytes": 8, "operand_bytes": 8, "lanes": 1, "pattern": "variable"});
    rows.iter()
        .map(|row| {
            let mut facts = serde_json::to_value(AccessFacts::default()).expect("plain data");
            for (key, value) in fixed.as_object().into_iter().chain(row.as_object()).flatten() {
                facts[key] = value.clone();
            }
            let access: AccessFacts = serde_json::from_value(facts).expect("the facts of an access");
            json!([row, stride(&access)])
        })
        .collect()
}

/// Strides in the code: `[bytes, size, operands]`.
fn operands() -> Value {
    [(0, 8, 1), (8, 8, 1), (-8, 8, 1), (32, 8, 4), (152, 8, 1), (-64, 4, 1), (24, 8, 2), (4096, 1, 1)]
        .iter()
        .map(|&(bytes, size, operands)| {
            let stride = StaticStride { address: 0, bytes, size, store: false, line: 0 };
            json!([[bytes, i64::from(size), operands as i64], Walk::of(&stride, operands).words()])
        })
        .collect()
}

fn vectors() -> Map<String, Value> {
    let page = TerminalStyle::terminal(80);
    let signed: Vec<f64> =
        NUMBERS.iter().copied().chain([-1e-9, -0.001, -0.125, -1.0, -2.5, -12.44, -4000.0]).collect();
    let long: Vec<f64> =
        signed.iter().copied().chain([3599.4, 3600.0, 3629.9, 3630.0, 7199.0, 86_400.0]).collect();
    let ranges =
        [(1.0, 1.0), (1.08, 1.312), (2.0, 7.5), (12.2, 12.4), (0.001, 1.995), (9.94, 9.96), (0.97, 1.03)];
    let spans = [(0, 0), (19, 19), (17, 24), (999_999, 1_000_000), (1, 1_234_567_890)];
    let mut all = Map::new();
    all.insert("time".into(), each(&long, time));
    all.insert("time_column".into(), columns());
    all.insert("percent".into(), each(&signed, percent));
    all.insert("share".into(), each(&signed, share));
    all.insert("whole_percent".into(), each(&signed, whole_percent));
    all.insert("change_in_percent".into(), each(&signed, change_in_percent));
    all.insert("tenths".into(), each(&signed, tenths));
    all.insert("ratio".into(), each(&signed, |value| ratio(value, &page)));
    all.insert("ratio_range".into(), pairs(&ranges, |range| ratio_range(range, &page)));
    all.insert("count".into(), each(&COUNTS, count));
    all.insert("counted".into(), each(&[0, 1, 2, 24_070], |value| counted(value, "loop", "loops")));
    all.insert("amount".into(), each(&COUNTS, amount));
    all.insert("mean".into(), each(&NUMBERS, mean));
    all.insert("span".into(), pairs(&spans, |range| span(range, &page)));
    all.insert("bytes".into(), each(&COUNTS, bytes));
    all.insert("rate".into(), each(&signed, rate));
    all.insert("energy".into(), each(&NUMBERS, energy));
    all.insert("stride".into(), strides());
    all.insert("operand_pattern".into(), operands());
    all
}

/// One example a line.
fn written(all: &Map<String, Value>) -> String {
    let sections: Vec<String> = all
        .iter()
        .map(|(name, rows)| {
            let rows: Vec<String> =
                rows.as_array().into_iter().flatten().map(|row| format!("    {row}")).collect();
            format!("  \"{name}\": [\n{}\n  ]", rows.join(",\n"))
        })
        .collect();
    format!("{{\n{}\n}}\n", sections.join(",\n"))
}

#[test]
fn the_page_is_tested_against_these_texts() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/vectors/quantities.json");
    let text = written(&vectors());
    if std::env::var_os("LOOPWRIGHT_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &text).expect("ui/vectors can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == text,
        "ui/vectors/quantities.json is not what quantity.rs says: LOOPWRIGHT_BLESS=1 writes it"
    );
    serde_json::from_str::<Value>(&text).expect("JSON");
    assert!(!text.contains("null"), "a number that is none has no text in a page");
}
