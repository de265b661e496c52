//! The cost of counting: programs run natively and counted in turn, after their results were found to be equal.
//!
//! `cargo run --release -p loopwright-instrument --example counting_overhead -- [--quick] [--json] [--rounds N] [--only
//! WORD] [--scale PERCENT] [--set NAME] [--trace]`. With `--trace`, runs whose hottest loops are traced in bursts are
//! compared with counted ones. The comparison uses user time; wall time is shown next to it. Preparation (reading and
//! rewriting code before the first instruction) is shown separately. A case runs in interleaved rounds, at least five,
//! until the 95 % bootstrap interval of its ratio is narrower than 2 % or `--rounds` (30) have passed. Where counting
//! costs more than the limit at the median, the line below names the function whose counters are reached most often.

mod cases;
mod measure;

use cases::{Case, cases};
use measure::Measured;
use serde_json::json;
use std::process::ExitCode;

/// Limits of the median and of the worst case.
const GOAL: (f64, f64) = (1.3, 2.0);

/// The same limits for tracing in bursts, relative to counting.
const TRACING_GOAL: (f64, f64) = (1.3, 2.0);

/// Options of the measurement and its output.
#[derive(Debug)]
pub struct Options {
    quick: bool,
    /// Compare traced with counted runs, instead of counted with native ones.
    trace: bool,
    json: bool,
    rounds: usize,
    only: Option<String>,
    set: Option<String>,
    /// Length of the runs, in percent.
    scale: u64,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options =
            Self { quick: false, trace: false, json: false, rounds: 30, only: None, set: None, scale: 100 };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--quick" => options.quick = true,
                "--trace" => options.trace = true,
                "--json" => options.json = true,
                "--rounds" => options.rounds = number(&value()?)? as usize,
                "--scale" => options.scale = number(&value()?)?,
                "--only" => options.only = Some(value()?),
                "--set" => options.set = Some(value()?),
                _ => {
                    return Err(format!(
                        "unknown option {word}; there are --quick, --trace, --json, --rounds N, --scale PERCENT, --only WORD, --set NAME"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("{word:?} is not a number"))
}

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let mut rows = Vec::new();
    let mut failed = false;
    if !options.json {
        println!(
            "{:<24} {:<22} {:>9} {:>6} {:>15} {:>6} {:>9} {:>6}",
            "program",
            "build",
            if options.trace { "counted s" } else { "native s" },
            "ratio",
            "interval",
            "wall",
            "setup ms",
            "rounds"
        );
    }
    for case in cases(&options) {
        match measure::measure(&case, &options) {
            Ok(measured) => {
                if !options.json {
                    show(&case, &measured);
                }
                rows.push((case, measured));
            }
            Err(message) => {
                eprintln!("{} {}: {message}", case.name, case.build);
                failed = true;
            }
        }
    }
    let ratios: Vec<f64> = rows.iter().map(|(_, m)| m.ratio.estimate).collect();
    let median = loopwright_stats::median(&ratios);
    let worst = rows.iter().max_by(|a, b| a.1.ratio.estimate.total_cmp(&b.1.ratio.estimate));
    if options.json {
        let cases: Vec<_> = rows.iter().map(|(case, m)| as_json(case, m)).collect();
        println!(
            "{}",
            json!({"schema": 1, "cases": cases, "median": median, "worst": worst.map(|w| w.1.ratio.estimate)})
        );
    } else if let (Some(median), Some((case, measured))) = (median, worst) {
        println!();
        println!(
            "{} cases: median {median:.2} (goal at most {}), worst {:.2} (goal at most {}): {} {}",
            rows.len(),
            if options.trace { TRACING_GOAL.0 } else { GOAL.0 },
            measured.ratio.estimate,
            if options.trace { TRACING_GOAL.1 } else { GOAL.1 },
            case.name,
            case.build
        );
    }
    if failed || rows.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn show(case: &Case, m: &Measured) {
    let interval = format!("{:.2} .. {:.2}", m.ratio.low, m.ratio.high);
    println!(
        "{:<24} {:<22} {:>9.3} {:>6.2} {:>15} {:>6.2} {:>9.1} {:>6}",
        case.name,
        case.build,
        m.native_seconds,
        m.ratio.estimate,
        interval,
        m.wall_ratio,
        1000.0 * m.setup_seconds,
        m.rounds
    );
    if m.ratio.estimate > GOAL.0 {
        for cause in &m.busiest {
            println!("    {cause}");
        }
    }
}

fn as_json(case: &Case, m: &Measured) -> serde_json::Value {
    json!({
        "program": case.name,
        "build": case.build,
        "native_seconds": m.native_seconds,
        "ratio": m.ratio.estimate,
        "ratio_low": m.ratio.low,
        "ratio_high": m.ratio.high,
        "wall_ratio": m.wall_ratio,
        "setup_seconds": m.setup_seconds,
        "rounds": m.rounds,
        "busiest": m.busiest,
    })
}
