//! `calibrate`: measures the library's constants and writes them where the library reads them.

use super::{Misuse, progress};
use anyhow::Context;
use loopwright_kernels::Isa;
use loopwright_kernels::tuning::{self, Constant, Tuning, Unit};
use loopwright_kernels_bench::calibrate::{Finding, Limits, Point, tasks};
use loopwright_kernels_bench::case::size_text;
use loopwright_machine::Machine;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Kernels to calibrate; all when none is named. The constants of the others are kept.
    kernels: Vec<String>,
    /// Print JSON (keys in docs/kernels/README.md).
    #[arg(long)]
    json: bool,
    /// The file to write, instead of the one that the library reads.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Bytes of the largest arrays together; by default 1 GiB, or a quarter of the free memory where that is less.
    #[arg(long, value_name = "BYTES")]
    largest: Option<u64>,
    /// Rounds of interleaved runs.
    #[arg(long, value_name = "N", default_value_t = 7)]
    rounds: usize,
}

/// The measurements, as `--json` prints them.
#[derive(Serialize)]
struct Report {
    version: u32,
    processor: String,
    isa: &'static str,
    file: PathBuf,
    rounds: usize,
    constants: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    unit: &'static str,
    /// Null: never reached.
    value: f64,
    /// Whether the measurements decided; otherwise the value is the default, or the file's earlier one.
    measured: bool,
    default: f64,
    points: Vec<Point>,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.rounds == 0 {
        return Err(Misuse("--rounds 0 measures nothing; ask for 5 or more".into()).into());
    }
    let path = path(arguments)?;
    let chosen: Vec<_> = tasks()
        .into_iter()
        .filter(|task| {
            let of = |kernel: &String| task.constants().iter().any(|constant| kernel_of(*constant) == kernel);
            arguments.kernels.is_empty() || arguments.kernels.iter().any(of)
        })
        .collect();
    let measured: Vec<&str> = Constant::ALL.iter().map(|constant| kernel_of(*constant)).collect();
    if let Some(unknown) = arguments.kernels.iter().find(|kernel| !measured.contains(&kernel.as_str())) {
        let mut kernels = measured;
        kernels.dedup();
        let known = kernels.join(", ");
        return Err(Misuse(format!("nothing is calibrated for {unknown:?}, only for: {known}")).into());
    }
    let limits = Limits {
        rounds: arguments.rounds,
        largest_bytes: arguments
            .largest
            .unwrap_or_else(|| free_memory().map_or(256 << 20, |b| b / 4).min(1 << 30)),
    };
    // Constants that are not measured now keep the file's values; an unusable file is replaced.
    let mut tuning = Tuning::load(&path).unwrap_or_default();
    let mut rows = Vec::new();
    for task in chosen {
        let names: Vec<&str> = task.constants().iter().map(|constant| constant.name()).collect();
        progress(&names.join(", "));
        for Finding { constant, value, points } in task.measure(limits) {
            if let Some(value) = value {
                tuning.set(constant, value).context("a measurement cannot be used")?;
            }
            rows.push(Row {
                name: constant.name(),
                about: constant.about(),
                unit: constant.unit().name(),
                value: tuning.value(constant),
                measured: value.is_some(),
                default: constant.default_value(),
                points,
            });
        }
    }
    progress("");
    tuning.save(&path)?;
    let report = Report {
        version: 1,
        processor: Machine::detect().processor.name.clone(),
        isa: Isa::best().name(),
        file: path,
        rounds: limits.rounds,
        constants: rows,
    };
    let mut output = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut output, &report)?;
        writeln!(output)?;
    } else {
        write!(output, "{}", table(&report))?;
    }
    Ok(())
}

/// The kernel that a constant is for: the first word of its name.
fn kernel_of(constant: Constant) -> &'static str {
    constant.name().split_once('.').map_or(constant.name(), |(kernel, _)| kernel)
}

/// The file to write.
fn path(arguments: &Arguments) -> anyhow::Result<PathBuf> {
    if let Some(path) = &arguments.output {
        return Ok(path.clone());
    }
    match std::env::var_os(tuning::VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) if value == "none" => Err(Misuse(format!(
            "{}=none asks for no calibration; unset it, or name a file with --output",
            tuning::VARIABLE
        ))
        .into()),
        Some(path) => Ok(path.into()),
        None => Ok(tuning::default_path()?),
    }
}

/// Memory available without swapping, where the operating system reports it.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

fn table(report: &Report) -> String {
    let mut text = format!("{}, level {}\n", report.processor, report.isa);
    for row in &report.constants {
        let shown = |value: f64| match row.unit {
            unit if unit == Unit::Bytes.name() && value.is_infinite() => "never".to_owned(),
            unit if unit == Unit::Bytes.name() => format!("{:.1} MiB", value / f64::from(1 << 20)),
            unit => format!("{value:.2} {unit}"),
        };
        let note = if row.measured { "" } else { "; not decided: measure larger arrays" };
        text.push_str(&format!("\n{}\n  {}\n", row.name, row.about));
        text.push_str(&format!("  {} (default {}{note})\n", shown(row.value), shown(row.default)));
        for point in &row.points {
            let Point { bytes, ratio, ratio_low, ratio_high } = point;
            let size = size_text(*bytes);
            text.push_str(&format!("  {size:>8}  {ratio:.2} [{ratio_low:.2}, {ratio_high:.2}]\n"));
        }
    }
    text.push_str(&format!("\nwritten to {}\n", report.file.display()));
    text
}
