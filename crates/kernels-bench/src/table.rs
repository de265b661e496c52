//! The measurements for readers: one block per operation, one row per size, one column per variant.

use crate::record::{CaseRecord, ColdStart, Comparison, Report, VariantRecord};
use std::fmt::Write;

/// The whole report as text.
pub fn report(report: &Report) -> String {
    let mut text = String::new();
    let caches: Vec<String> = report.cache_bytes.iter().map(|&b| crate::case::size_text(b)).collect();
    let _ = write!(text, "{}, caches {}, level {}", report.processor, caches.join(" / "), report.isa);
    if let Some(hypervisor) = &report.hypervisor {
        let _ = write!(text, ", under {hypervisor}");
    }
    let _ = writeln!(text, "\nmedians of {} interleaved rounds; ratios with 95 % intervals", report.rounds);
    let mut cases = report.cases.as_slice();
    while let Some(first) = cases.first() {
        // Neighbours with the same columns share a block.
        let same = |case: &CaseRecord| {
            case.kernel == first.kernel
                && case.operation == first.operation
                && case.work_bytes.is_some() == first.work_bytes.is_some()
                && columns(case) == columns(first)
        };
        let count = cases.iter().take_while(|case| same(case)).count();
        let (block, rest) = cases.split_at(count);
        text.push_str(&operation(block));
        cases = rest;
    }
    text.push_str(&notes(&report.cases));
    text.push_str(&cold_starts(&report.cold_starts));
    for line in &report.left_out {
        let _ = writeln!(text, "\nleft out: {line}");
    }
    for line in &report.disagreements {
        let _ = writeln!(text, "\nwrong, so not timed: {line}");
    }
    text
}

/// Where another level would have been better, where the upper halves of vectors matter, and bounds that are none.
fn notes(cases: &[CaseRecord]) -> String {
    let mut text = String::new();
    for case in cases {
        let title = format!("{}, {}, {}", case.kernel, case.operation, case.shape);
        if let Some(Comparison { with, ratio, ratio_low, ratio_high }) = &case.faster_level {
            let _ = writeln!(
                text,
                "\nfaster level: {title}: {with} takes {ratio:.2} [{ratio_low:.2}, {ratio_high:.2}] of auto's time"
            );
        }
        let slower = case.upper_halves_in_use.as_ref().filter(|in_use| in_use.ratio_low > 1.0 + NOTED);
        if let Some(Comparison { ratio, ratio_low, ratio_high, .. }) = slower {
            let _ = writeln!(
                text,
                "\nupper halves in use: {title}: auto takes {ratio:.2} [{ratio_low:.2}, {ratio_high:.2}] of its time"
            );
        }
        if let Some(Comparison { with, ratio, .. }) =
            case.share_of_bound.as_ref().filter(|share| share.ratio_low > 1.0 + NOTED)
        {
            let _ = writeln!(text, "\nno bound: {title}: auto reaches {:.0} % of {with}", ratio * 100.0);
        }
    }
    text
}

/// A difference that is noted.
const NOTED: f64 = 0.05;

fn cold_starts(starts: &[ColdStart]) -> String {
    if starts.is_empty() {
        return String::new();
    }
    let heads = ["first call", "", "measuring", "kept", "shipped choice", "later call", "", ""];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for start in starts {
        let mut row = vec![start.kernel.clone(), start.operation.clone()];
        let seconds =
            [start.measuring_seconds, start.kept_seconds, start.shipped_seconds, start.later_seconds];
        row.extend(seconds.map(time));
        row.extend([String::new(), String::new()]);
        rows.push(row);
    }
    format!("\n{}", aligned(&rows))
}

fn columns(case: &CaseRecord) -> Vec<(&str, &str)> {
    case.variants.iter().map(|v| (v.name.as_str(), v.role.as_str())).collect()
}

fn operation(cases: &[CaseRecord]) -> String {
    let first = &cases[0];
    let unit = if first.work_bytes.is_some() { "GB/s" } else { "time of one run" };
    let mut rows = vec![vec!["size".to_owned(), "in".to_owned()]];
    for variant in &first.variants {
        let mark = match variant.role.as_str() {
            "peer" => "peer: ",
            "bound" => "bound: ",
            "aside" => "aside: ",
            _ => "",
        };
        rows[0].push(format!("{mark}{}", variant.name));
    }
    rows[0].extend(["times the best peer".to_owned(), "share of bound".to_owned()]);
    for case in cases {
        let mut row = vec![case.shape.clone(), case.memory_level.map_or_else(|| "-".into(), String::from)];
        row.extend(case.variants.iter().map(rate));
        row.push(match &case.speedup {
            Some(c) => format!("{:.2} [{:.2}, {:.2}] {}", c.ratio, c.ratio_low, c.ratio_high, c.with),
            None => "-".to_owned(),
        });
        row.push(match &case.share_of_bound {
            Some(c) => format!("{:.0} % of {}", c.ratio * 100.0, c.with),
            None => "-".to_owned(),
        });
        rows.push(row);
    }
    format!("\n{}: {} ({unit})\n{}", first.kernel, first.operation, aligned(&rows))
}

fn rate(variant: &VariantRecord) -> String {
    match variant.gbytes_per_second {
        Some(rate) if rate >= 9.95 => format!("{rate:.1}"),
        Some(rate) => format!("{rate:.2}"),
        None => time(variant.seconds),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Columns as wide as their widest cell; text at the left end of the row is left-aligned, figures right-aligned.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], i: usize| row.get(i).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> =
        (0..columns).map(|i| rows.iter().map(|row| cell(row, i)).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let width = widths[i];
            // The last two columns are words again.
            if i < 2 || i + 2 >= columns {
                let _ = write!(line, "{cell:<width$}  ");
            } else {
                let _ = write!(line, "{cell:>width$}  ");
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(name: &str, role: &str, rate: Option<f64>) -> VariantRecord {
        VariantRecord {
            name: name.into(),
            role: role.into(),
            level: None,
            seconds: 2.5e-6,
            seconds_low: 2e-6,
            seconds_high: 3e-6,
            gbytes_per_second: rate,
        }
    }

    fn comparison(with: &str, ratio: f64) -> Comparison {
        Comparison { with: with.into(), ratio, ratio_low: ratio - 0.01, ratio_high: ratio + 0.01 }
    }

    fn case(shape: &str, rate: Option<f64>) -> CaseRecord {
        CaseRecord {
            kernel: "k".into(),
            operation: "sum".into(),
            shape: shape.into(),
            work_bytes: rate.map(|_| 4096),
            working_set_bytes: 4096,
            memory_level: Some(loopwright_vocabulary::MemoryLevel::L1),
            speedup: Some(Comparison {
                with: "theirs".into(),
                ratio: 1.5,
                ratio_low: 1.4,
                ratio_high: 1.625,
            }),
            faster_level: None,
            upper_halves_in_use: None,
            share_of_bound: None,
            variants: vec![variant("auto", "automatic", rate), variant("theirs", "peer", rate)],
        }
    }

    #[test]
    fn rows_of_one_operation_share_a_block() {
        let text = report(&Report {
            version: 1,
            processor: "P".into(),
            hypervisor: None,
            cache_bytes: vec![32 << 10, 1 << 20],
            isa: "avx2".into(),
            calibration: None,
            rounds: 11,
            cases: vec![
                case("4 KiB", Some(9.0)),
                CaseRecord {
                    faster_level: Some(comparison("sse42", 0.8)),
                    upper_halves_in_use: Some(comparison("upper halves in use", 2.0)),
                    ..case("16 KiB", Some(123.45))
                },
                CaseRecord { share_of_bound: Some(comparison("reading", 1.2)), ..case("8 x 8", None) },
            ],
            cold_starts: vec![ColdStart {
                kernel: "k".into(),
                operation: "sum".into(),
                measuring_seconds: 1.25e-3,
                kept_seconds: 52.4e-6,
                shipped_seconds: 3.1e-6,
                later_seconds: 640e-9,
            }],
            left_out: vec!["X: not installed".into()],
            disagreements: vec!["k, sum: Y differs".into()],
        });
        let expected = "\
P, caches 32 KiB / 1 MiB, level avx2
medians of 11 interleaved rounds; ratios with 95 % intervals

k: sum (GB/s)
size    in   auto  peer: theirs  times the best peer       share of bound
4 KiB   L1   9.00          9.00  1.50 [1.40, 1.62] theirs  -
16 KiB  L1  123.5         123.5  1.50 [1.40, 1.62] theirs  -

k: sum (time of one run)
size   in    auto  peer: theirs  times the best peer       share of bound
8 x 8  L1  2.5 us        2.5 us  1.50 [1.40, 1.62] theirs  120 % of reading

faster level: k, sum, 16 KiB: sse42 takes 0.80 [0.79, 0.81] of auto's time

upper halves in use: k, sum, 16 KiB: auto takes 2.00 [1.99, 2.01] of its time

no bound: k, sum, 8 x 8: auto reaches 120 % of reading

first call       measuring     kept  shipped choice  later call
k           sum     1.2 ms  52.4 us          3.1 us      640 ns

left out: X: not installed

wrong, so not timed: k, sum: Y differs
";
        assert_eq!(text, expected);
    }
}
