//! The arguments of `loopwright try`.

use clap::Args;
use loopwright_trial::{Check, Tolerance};
use regex::bytes::Regex;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct TryArgs {
    /// Most time for everything: 90s, 10m, 1h. Without it 10 minutes, and up to 30 where the program's runs are long.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Try only these: `advice` (what is recommended), `options` (sets of compiler options: level, instruction set, single parts of
    /// -ffast-math, ..), `environment` (settings: memory, threads), or single changes by their names (reorder-fp-sum).
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Write the best changes together: options and settings, and the changed sources as a unified diff; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Print JSON instead of the table.
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// What the answer of a program is, and which other one is accepted.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// A file that the program writes and that belongs to its answer, beside what it prints.
    #[arg(long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// How answers are compared: `exact`, or `numbers` with tolerances (numbers:rel=1e-9,abs=1e-12).
    #[arg(long, value_name = "HOW", default_value = "exact", value_parser = check)]
    pub check: Check,
    /// Lines of the answer that match this regular expression are not compared ('^Time'); may be given several times.
    #[arg(long, value_name = "REGEX")]
    pub ignore: Vec<Regex>,
    /// A shell command that accepts an answer by its status 0: it runs where the program ran, what the program printed is its
    /// standard input.
    #[arg(long, value_name = "COMMAND")]
    pub verify: Option<String>,
    /// Most bytes of the working folder, which is copied, and of each file that the program writes.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = super::size_of_folder)]
    pub disk: u64,
}

/// A time with its unit.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 30.0 * 86_400.0;
    let all = seconds(text).filter(|all| (1.0..=LONGEST).contains(all));
    let wrong = || "a time from 1s to 30 days is wanted, such as 90s, 10m or 1h".to_owned();
    all.map(Duration::from_secs_f64).ok_or_else(wrong)
}

/// The seconds of a number with its unit.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    number.trim().parse::<f64>().ok().map(|number| number * unit)
}

/// `exact`, `numbers`, `numbers:rel=1e-9,abs=1e-12`.
fn check(text: &str) -> Result<Check, String> {
    let wrong = || "`exact`, or `numbers:rel=1e-9,abs=1e-12` is wanted".to_owned();
    if text == "exact" {
        return Ok(Check::Exact);
    }
    let mut tolerance = Tolerance { relative: 1e-9, absolute: 0.0 };
    let rest = text.strip_prefix("numbers").ok_or_else(wrong)?;
    let given = match rest.strip_prefix(':') {
        Some(given) => given,
        None if rest.is_empty() => return Ok(Check::Numbers(tolerance)),
        None => return Err(wrong()),
    };
    for one in given.split(',') {
        let (name, value) = one.split_once('=').ok_or_else(wrong)?;
        let value =
            value.parse::<f64>().ok().filter(|value| (0.0..1e300).contains(value)).ok_or_else(wrong)?;
        match name {
            "rel" => tolerance.relative = value,
            "abs" => tolerance.absolute = value,
            _ => return Err(wrong()),
        }
    }
    Ok(Check::Numbers(tolerance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_checks_are_read_within_limits() {
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("1.5h"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "10", "m", "0s", "-5m", "NaNs", "1e9h", "5ä"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(check("exact"), Ok(Check::Exact));
        let tolerance = |relative, absolute| Ok(Check::Numbers(Tolerance { relative, absolute }));
        assert_eq!(check("numbers"), tolerance(1e-9, 0.0));
        assert_eq!(check("numbers:rel=1e-6,abs=1e-3"), tolerance(1e-6, 1e-3));
        for wrong in
            ["", "numbers:", "numbers:rel", "numbers:rel=-1", "numbers:x=1", "numbersx", "numbers:rel=nan"]
        {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
