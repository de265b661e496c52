//! The uncertainty of sampled shares.
//!
//! A loop that `n` of `N` samples hit has a share of `n / N`; repeated runs scatter as a binomial variable at
//! most (a periodic timer scatters less). Intervals are Wilson's score intervals (E. B. Wilson, JASA 22,
//! 1927), which stay sensible for few samples.

use crate::bootstrap::Interval;

const Z95: f64 = 1.959_964;

/// Share of `hits` among `samples` with its 95 % interval. `None` without samples.
pub fn sampled_interval(hits: u64, samples: u64) -> Option<Interval> {
    if samples == 0 {
        return None;
    }
    let n = samples as f64;
    let p = (hits as f64 / n).min(1.0);
    let z2 = Z95 * Z95;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(Interval {
        estimate: p,
        low: (centre - half).max(0.0).min(p),
        high: (centre + half).min(1.0).max(p),
    })
}

/// Ratio of two sampled times `a / b`, each given as seconds and number of samples; the interval is that of
/// the logarithm of a ratio of Poisson counts, variance `1/n_a + 1/n_b`. `None` when a side has no sample.
pub fn sampled_ratio(a: (f64, u64), b: (f64, u64)) -> Option<Interval> {
    if a.1 == 0 || b.1 == 0 || b.0 <= 0.0 {
        return None;
    }
    let estimate = a.0 / b.0;
    let factor = (Z95 * (1.0 / a.1 as f64 + 1.0 / b.1 as f64).sqrt()).exp();
    Some(Interval { estimate, low: estimate / factor, high: estimate * factor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_samples_narrow_the_share() {
        let few = sampled_interval(5, 10).unwrap();
        let many = sampled_interval(5000, 10000).unwrap();
        assert!(few.relative_width() > 10.0 * many.relative_width());
        assert!((many.estimate - 0.5).abs() < 1e-12);
        // Wilson (1927), 5 of 10: 0.2366 .. 0.7634.
        assert!((few.low - 0.2366).abs() < 1e-4 && (few.high - 0.7634).abs() < 1e-4);
        let none = sampled_interval(0, 100).unwrap();
        assert_eq!(none.low, 0.0);
        assert!(none.high > 0.0 && none.high < 0.05);
        assert_eq!(sampled_interval(0, 0), None);
    }

    #[test]
    fn ratio_of_equal_times_includes_one() {
        let same = sampled_ratio((1.0, 1000), (1.02, 1020)).unwrap();
        assert!(!same.excludes(1.0));
        let half = sampled_ratio((0.5, 500), (1.0, 1000)).unwrap();
        assert!(half.excludes(1.0));
        assert_eq!(sampled_ratio((0.0, 0), (1.0, 10)), None);
    }
}
