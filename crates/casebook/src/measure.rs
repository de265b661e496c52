//! Interleaved measurement: A B C A B C .., until the ratios are known well enough.
//!
//! Rounds visit the stages in turn and begin with another one each time, so that no stage always follows the
//! same one. The measurement ends after at least five rounds, when every relevant ratio is known to 2 % (the
//! 95 % bootstrap interval of the paired ratios), when thirty rounds have passed or when the time is up.

use crate::error::Error;
use loopwright_stats::paired_ratio;
use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// Least number of rounds.
    pub least: usize,
    /// Most rounds.
    pub most: usize,
    /// The relative width of a ratio's interval that is narrow enough.
    pub narrow: f64,
    /// No new round begins after this time.
    pub budget: Duration,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { least: 5, most: 30, narrow: 0.02, budget: Duration::from_secs(60) }
    }
}

/// One timed run: the compared part and the whole program, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The compared part.
    pub seconds: f64,
    /// The whole program.
    pub elapsed: f64,
}

/// Measures `count` programs; `pairs` are those whose ratio matters. Returns the samples of each program, one
/// per round.
///
/// `run` runs a program once; its arguments are the round and the program.
///
/// # Errors
/// The error of `run`. With [`Error::Stopped`] the finished rounds are kept and returned.
pub fn interleaved(
    count: usize,
    pairs: &[(usize, usize)],
    rounds: &Rounds,
    mut run: impl FnMut(usize, usize) -> Result<Sample, Error>,
) -> Result<Vec<Vec<Sample>>, Error> {
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); count];
    let start = Instant::now();
    for round in 0..rounds.most {
        let enough = round >= rounds.least
            && (start.elapsed() >= rounds.budget
                || pairs.iter().all(|&(a, b)| is_narrow(&samples[a], &samples[b], rounds.narrow)));
        if enough || count == 0 {
            break;
        }
        for step in 0..count {
            let which = (round + step) % count;
            match run(round, which) {
                Ok(sample) => samples[which].push(sample),
                Err(Error::Stopped) => {
                    samples.iter_mut().for_each(|samples| samples.truncate(round));
                    return Ok(samples);
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(samples)
}

fn is_narrow(a: &[Sample], b: &[Sample], narrow: f64) -> bool {
    let seconds = |samples: &[Sample]| samples.iter().map(|s| s.seconds).collect::<Vec<_>>();
    paired_ratio(&seconds(a), &seconds(b)).is_some_and(|ratio| ratio.relative_width() < narrow)
}
