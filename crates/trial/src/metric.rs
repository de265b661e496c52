//! What of a run is compared, where the user says it.

use loopwright_experiment::trials::Timed;
use loopwright_experiment::tuning::Metric;
use regex::bytes::Regex;
use std::io;

/// What is compared, and how it is read.
#[derive(Clone, Debug)]
pub enum Measure {
    /// CPU time.
    Cpu,
    /// Elapsed time.
    Elapsed,
    /// A number that the program prints: the first group of the expression's last match. A rate is better when it is larger.
    Printed {
        /// What finds it.
        pattern: Regex,
        /// It is a rate, not a time.
        rate: bool,
    },
}

impl Measure {
    /// As it is stored.
    pub(crate) fn metric(&self) -> Metric {
        match self {
            Self::Cpu => Metric::Cpu,
            Self::Elapsed => Metric::Wall,
            Self::Printed { pattern, rate } => {
                Metric::SelfReported { pattern: pattern.as_str().to_owned(), rate: *rate }
            }
        }
    }

    /// The figure of a run, of which less is better, from its times and what it printed.
    pub(crate) fn figure(
        &self,
        time: Timed,
        printed: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Option<f64>> {
        Ok(match self {
            Self::Cpu => Some(time.cpu),
            Self::Elapsed => Some(time.elapsed),
            Self::Printed { pattern, rate } => {
                let found = number(pattern, &printed()?);
                found.map(|number| if *rate { 1.0 / number } else { number })
            }
        }
        .filter(|figure| figure.is_finite() && *figure > 0.0))
    }

    /// Lines that have the figure are no part of the answer: they differ from run to run.
    pub(crate) fn pattern(&self) -> Option<&Regex> {
        match self {
            Self::Printed { pattern, .. } => Some(pattern),
            Self::Cpu | Self::Elapsed => None,
        }
    }
}

fn number(pattern: &Regex, printed: &[u8]) -> Option<f64> {
    // By lines: `$` and `^` mean their ends, as in --ignore.
    let mut lines = printed.rsplit(|byte| *byte == b'\n');
    let group = lines.find_map(|line| pattern.captures(line)?.get(1))?;
    std::str::from_utf8(group.as_bytes()).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Timed = Timed { cpu: 3.0, elapsed: 2.0, figure: None, preempted: None, pressure: None };

    #[test]
    fn the_figure_is_a_time_or_the_last_number_that_the_program_prints() {
        let of =
            |measure: Measure, text: &str| measure.figure(TIME, || Ok(text.as_bytes().to_vec())).unwrap();
        assert_eq!((of(Measure::Cpu, ""), of(Measure::Elapsed, "")), (Some(3.0), Some(2.0)));
        let printed = |pattern: &str, rate| Measure::Printed { pattern: Regex::new(pattern).unwrap(), rate };
        let text = "step 1: 9.5 s\nSolve time = 0.25 s\nSolve time = 0.5 s\nrate 4e3 MFLOP/s\n";
        assert_eq!(of(printed(r"^Solve time = ([0-9.e+-]+) s$", false), text), Some(0.5));
        assert_eq!(of(printed(r"rate (\S+)", true), text), Some(0.00025));
        for nothing in [r"no such (\d+)", r"Solve time", r"(Solve)"] {
            assert_eq!(of(printed(nothing, false), text), None, "{nothing}");
        }
        assert_eq!(of(printed(r"(\S+)", true), "0"), None, "a rate of nothing is no time");
    }
}
