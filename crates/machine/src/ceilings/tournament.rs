//! Finds the best of several ways to do the same work, in a given time.
//!
//! All ways are tried in turn, so that a disturbance affects all equally; the ones clearly behind after the first
//! rounds are dropped and the time is used for those that may still be best. A ceiling is the best sample; its spread
//! is the median over it. Samples are short, because a short one is more often undisturbed.

use std::time::{Duration, Instant};

/// The winner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Index of the best way.
    pub way: usize,
    /// Its best rate.
    pub best: f64,
    /// Median of its samples over the best.
    pub spread: f64,
}

/// Rounds in which every way takes part. The first also calibrates.
const OPENING_ROUNDS: usize = 3;
/// A way stays while its best is at least this share of the leader's.
const STAY: f64 = 0.93;
/// Most samples of one way: further ones change nothing.
const MOST_SAMPLES: usize = 400;

/// Samples `ways` ways by `sample(way)`, which returns a rate (higher is better), until `budget` has passed
/// or `stop` returns true. Each way is tried at least once, unless stopped.
pub(crate) fn best_of(
    ways: usize,
    budget: Duration,
    mut stop: impl FnMut() -> bool,
    mut sample: impl FnMut(usize) -> f64,
) -> Option<Outcome> {
    let begun = Instant::now();
    let mut rates: Vec<Vec<f64>> = vec![Vec::new(); ways];
    let mut running: Vec<usize> = (0..ways).collect();
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    'rounds: for round in 0..MOST_SAMPLES {
        for &way in &running {
            if stop() || (round > 0 && begun.elapsed() >= budget) {
                break 'rounds;
            }
            let rate = sample(way);
            if rate.is_finite() && rate > 0.0 {
                rates[way].push(rate);
            }
        }
        if round + 1 >= OPENING_ROUNDS {
            let leader = rates.iter().map(|r| best(r)).fold(0.0, f64::max);
            running.retain(|&way| best(&rates[way]) >= STAY * leader);
        }
    }
    let way = (0..ways).max_by(|&a, &b| best(&rates[a]).total_cmp(&best(&rates[b])))?;
    let top = best(&rates[way]);
    let median = loopwright_stats::median(&rates[way])?;
    (top > 0.0).then(|| Outcome { way, best: top, spread: median / top })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_way_wins_and_reports_its_spread() {
        let mut calls = [0; 3];
        let outcome = best_of(
            3,
            Duration::from_secs(3600),
            || false,
            |way| {
                calls[way] += 1;
                [1.0, 10.0, 9.8][way] * if calls[way] % 2 == 0 { 1.0 } else { 0.9 }
            },
        )
        .unwrap();
        assert_eq!((outcome.way, outcome.best), (1, 10.0));
        assert!((outcome.spread - 0.95).abs() < 0.06, "{}", outcome.spread);
        assert_eq!(calls[0], OPENING_ROUNDS, "the much slower way is dropped");
        assert_eq!(calls[1], MOST_SAMPLES);
        assert_eq!(calls[2], MOST_SAMPLES, "a way within reach stays");
    }

    #[test]
    fn every_way_gets_one_sample_however_small_the_budget() {
        let mut calls = [0; 4];
        let outcome = best_of(
            4,
            Duration::ZERO,
            || false,
            |way| {
                calls[way] += 1;
                way as f64
            },
        );
        assert_eq!(calls, [1; 4]);
        assert_eq!(outcome.unwrap().way, 3);
    }

    #[test]
    fn stopping_before_the_first_sample_yields_nothing() {
        assert_eq!(best_of(2, Duration::from_secs(1), || true, |_| 1.0), None);
        assert_eq!(best_of(0, Duration::from_secs(1), || false, |_| 1.0), None);
    }
}
