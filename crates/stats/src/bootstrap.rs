//! Percentile bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13).
//!
//! Resampling is seeded, so that the same measurements always print the same interval.

use crate::order::{median, quantile};

const RESAMPLES: usize = 2000;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimated value.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Width relative to the estimate; the measurement protocol stops below 2 %.
    pub fn relative_width(&self) -> f64 {
        (self.high - self.low) / self.estimate.abs()
    }

    /// Whether the interval leaves `value` out: a real difference.
    pub fn excludes(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded, sufficient to choose indices.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Median of `values` with its 95 % bootstrap interval. `None` when empty.
pub fn bootstrap_median(values: &[f64]) -> Option<Interval> {
    let estimate = median(values)?;
    let mut random = SplitMix(values.len() as u64);
    let mut draw = vec![0.0; values.len()];
    let medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            draw.iter_mut().for_each(|slot| *slot = values[random.below(values.len())]);
            median(&draw)
        })
        .collect();
    Some(Interval { estimate, low: quantile(&medians, 0.025)?, high: quantile(&medians, 0.975)? })
}

/// Median of the ratios `a[i] / b[i]` of interleaved runs, with its 95 % interval. `None` when the runs
/// do not pair or a denominator is zero.
pub fn paired_ratio(a: &[f64], b: &[f64]) -> Option<Interval> {
    if a.len() != b.len() || b.contains(&0.0) {
        return None;
    }
    let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
    bootstrap_median(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_ratio_has_no_width() {
        let interval = paired_ratio(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((interval.low, interval.estimate, interval.high), (2.0, 2.0, 2.0));
        assert!(interval.excludes(1.0) && !interval.excludes(2.0));
        assert_eq!(interval.relative_width(), 0.0);
    }

    #[test]
    fn interval_holds_the_estimate_and_repeats() {
        let values: Vec<f64> = (0..31).map(|i| 1.0 + f64::from(i * 7 % 13) / 100.0).collect();
        let interval = bootstrap_median(&values).unwrap();
        assert!(interval.low <= interval.estimate && interval.estimate <= interval.high);
        assert!(interval.low < interval.high);
        assert_eq!(bootstrap_median(&values), Some(interval));
    }

    #[test]
    fn unpaired_runs_are_refused() {
        assert_eq!(paired_ratio(&[1.0], &[]), None);
        assert_eq!(paired_ratio(&[1.0], &[0.0]), None);
        assert_eq!(paired_ratio(&[], &[]), None);
    }
}
