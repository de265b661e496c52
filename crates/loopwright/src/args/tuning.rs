//! The arguments of `loopwright tune`.

use super::trying::{AnswerArgs, time};
use clap::{Args, ValueEnum};
use loopwright_analysis::model::{Axis, Semantics};
use loopwright_trial::Measure;
use loopwright_trial::tune::RUNS;
use loopwright_trial::tune::emit::Format;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Most time for everything (90s, 10m, 1h), or most runs of the program (60runs), or both (10m,60runs). Without it 100 runs, and 10 to
    /// 30 minutes by how long the program builds and runs.
    #[arg(long, value_name = "BUDGET", value_parser = budget, default_value = "100runs", hide_default_value = true)]
    pub budget: Budget,
    /// What is varied.
    #[arg(long, value_enum, value_name = "AXIS", value_delimiter = ',', default_values_t = AxisChoice::ALL)]
    pub axes: Vec<AxisChoice>,
    /// What options may let the compiler do to floating-point results: nothing, fuse multiplications and additions, reorder operations,
    /// ignore NaN and infinities. The answer is checked in any case.
    #[arg(long, value_enum, value_name = "SEMANTICS", default_value_t = SemanticsChoice::Exact)]
    pub fp: SemanticsChoice,
    /// What is compared: `cpu`, `wall`, or a number that the program prints, found by a regular expression with one group: a time
    /// (`self-reported:REGEX`), or a rate, of which more is better (`self-reported-rate:REGEX`). By itself CPU time, and elapsed time of
    /// programs that keep several CPUs busy.
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    pub metric: Option<Measure>,
    /// Measure the candidates as jobs of this scheduler: each step is an array job with one task for each candidate. All nodes must see the
    /// project and this folder.
    #[arg(long, value_enum, value_name = "SCHEDULER")]
    pub jobs: Option<Scheduler>,
    /// Options for sbatch: "--partition=compute --exclusive --time=30".
    #[arg(long, value_name = "OPTIONS", requires = "jobs", allow_hyphen_values = true)]
    pub sbatch: Option<String>,
    /// Be one task of an array: the file with what is asked of it.
    #[arg(long, value_name = "FILE", hide = true)]
    pub array_task: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Print JSON instead of the table.
    #[arg(long)]
    pub json: bool,
    /// Write the best build of the last search: variables of a shell, an included makefile, a file for CMAKE_PROJECT_INCLUDE,
    /// CMakeUserPresets.json, or .cargo/config.toml. Nothing runs.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "command")]
    pub emit: Option<Emit>,
    /// The program and its arguments.
    #[arg(last = true, required_unless_present = "emit", value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// `cpu`, `wall`, `self-reported:REGEX`, `self-reported-rate:REGEX`.
fn metric(text: &str) -> Result<Measure, String> {
    let printed =
        |pattern: &str, rate| {
            let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
            match pattern.captures_len() {
                2 => Ok(Measure::Printed { pattern, rate }),
                _ => Err("an expression with one group is wanted, as in self-reported:'time = ([0-9.]+)'"
                    .to_owned()),
            }
        };
    match (text, text.split_once(':')) {
        ("cpu", _) => Ok(Measure::Cpu),
        ("wall", _) => Ok(Measure::Elapsed),
        (_, Some(("self-reported", pattern))) => printed(pattern, false),
        (_, Some(("self-reported-rate", pattern))) => printed(pattern, true),
        _ => Err("`cpu`, `wall`, self-reported:REGEX or self-reported-rate:REGEX is wanted".to_owned()),
    }
}

/// Most time, where it is given, and most runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Of everything.
    pub time: Option<Duration>,
    /// Of the program.
    pub runs: u32,
}

/// Fewer runs than these cannot show anything: the answer, the noise, one round, and its confirmation.
const LEAST_RUNS: u32 = 20;

/// `10m`, `60runs`, `10m,60runs`.
fn budget(text: &str) -> Result<Budget, String> {
    let mut budget = Budget { time: None, runs: RUNS };
    for one in text.split(',') {
        let Some(runs) = one.strip_suffix("runs") else {
            budget.time =
                Some(time(one).map_err(|wrong| format!("{wrong}, or a number of runs such as 60runs"))?);
            continue;
        };
        let number: u32 =
            runs.trim().parse().map_err(|_| "a number of runs such as 60runs is wanted".to_owned())?;
        if number < LEAST_RUNS {
            return Err(format!("at least {LEAST_RUNS}runs are wanted: fewer show nothing for certain"));
        }
        budget.runs = number;
    }
    Ok(budget)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    Slurm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AxisChoice {
    /// Level, instruction set, unrolling, width of vectors.
    Flags,
    /// Every other installed compiler of C and C++.
    Compiler,
    /// Link-time optimisation.
    Lto,
    /// The profile of a run.
    Pgo,
    /// Other options for the hottest files; known after `loopwright advise`.
    Files,
    /// Memory: huge pages, keeping freed memory, other allocators.
    Env,
    /// Binding and number of threads, where the program has them.
    Threads,
}

impl AxisChoice {
    const ALL: [Self; 7] =
        [Self::Flags, Self::Compiler, Self::Lto, Self::Pgo, Self::Files, Self::Env, Self::Threads];

    pub fn axis(self) -> Axis {
        match self {
            Self::Flags => Axis::Flags,
            Self::Compiler => Axis::Compiler,
            Self::Lto => Axis::Lto,
            Self::Pgo => Axis::Pgo,
            Self::Files => Axis::Files,
            Self::Env => Axis::Env,
            Self::Threads => Axis::Threads,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SemanticsChoice {
    Exact,
    Contract,
    Reassoc,
    Fast,
}

impl SemanticsChoice {
    pub fn semantics(self) -> Semantics {
        match self {
            Self::Exact => Semantics::Exact,
            Self::Contract => Semantics::Contract,
            Self::Reassoc => Semantics::Reassoc,
            Self::Fast => Semantics::Fast,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    Sh,
    Make,
    Cmake,
    Presets,
    Cargo,
}

impl Emit {
    pub fn format(self) -> Format {
        match self {
            Self::Sh => Format::Shell,
            Self::Make => Format::Make,
            Self::Cmake => Format::Cmake,
            Self::Presets => Format::Presets,
            Self::Cargo => Format::Cargo,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_a_time_or_an_expression_with_one_group() {
        assert!(matches!(metric("cpu"), Ok(Measure::Cpu)) && matches!(metric("wall"), Ok(Measure::Elapsed)));
        let rate = metric("self-reported-rate:^GFLOP/s: ([0-9.]+)$").unwrap();
        assert!(matches!(rate, Measure::Printed { rate: true, .. }));
        for wrong in [
            "",
            "time",
            "cpu:x",
            "self-reported:x",
            "self-reported:(a)(b)",
            "self-reported:(",
            "self-reported",
        ] {
            assert!(metric(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_budget_is_a_time_or_a_number_of_runs_or_both() {
        let minutes = |number: u64| Some(Duration::from_secs(60 * number));
        assert_eq!(budget("10m"), Ok(Budget { time: minutes(10), runs: RUNS }));
        assert_eq!(budget("60runs"), Ok(Budget { time: None, runs: 60 }));
        assert_eq!(budget("10m,60runs"), Ok(Budget { time: minutes(10), runs: 60 }));
        for wrong in ["", "10", "5runs", "-60runs", "runs", "10m;60runs", "4294967296runs"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }
}
