//! The measurements for readers: one block per operation, one row per size, one column per variant.

use crate::record::{CaseRecord, Report, VariantRecord};
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
    for line in &report.left_out {
        let _ = writeln!(text, "\nleft out: {line}");
    }
    for line in &report.disagreements {
        let _ = writeln!(text, "\nwrong, so not timed: {line}");
    }
    text
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
    use crate::record::Comparison;

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
            cases: vec![case("4 KiB", Some(9.0)), case("16 KiB", Some(123.45)), case("8 x 8", None)],
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
8 x 8  L1  2.5 us        2.5 us  1.50 [1.40, 1.62] theirs  -

left out: X: not installed

wrong, so not timed: k, sum: Y differs
";
        assert_eq!(text, expected);
    }
}
