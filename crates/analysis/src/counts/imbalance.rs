//! Load imbalance in the terms of CrayPAT.
//!
//! Cray's manual "Using the Cray Performance Measurement and Analysis Tools" (S-2376, section on load imbalance) defines
//! for N processing elements
//!
//! ```text
//! Imb. Time   = max - mean
//! Imb. Time % = 100 x (max - mean) / max x N / (N - 1)
//! ```
//!
//! The first is what perfect balance would save, the second is 0 when all do the same and 100 when one does everything
//! (L. DeRose, B. Homer, D. Johnson, "Detecting Application Load Imbalance on High End Massively Parallel Systems",
//! Euro-Par 2007).

use crate::model::Imbalance;

/// The imbalance of `parts` over `threads` threads, those that did nothing included; absent for one thread and for no
/// work at all.
pub fn imbalance(parts: impl Iterator<Item = f64>, threads: usize) -> Option<Imbalance> {
    let (mut count, mut sum, mut max) = (0, 0.0, 0.0f64);
    for part in parts {
        count += 1;
        sum += part;
        max = max.max(part);
    }
    let threads = threads.max(count);
    if threads < 2 || max <= 0.0 {
        return None;
    }
    let n = threads as f64;
    let mean = sum / n;
    let excess = (max - mean).max(0.0);
    Some(Imbalance {
        threads: u32::try_from(threads).unwrap_or(u32::MAX),
        max,
        mean,
        excess,
        share: (excess / max * n / (n - 1.0)).min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[f64], threads: usize) -> Option<Imbalance> {
        imbalance(parts.iter().copied(), threads)
    }

    #[test]
    fn the_formula_by_hand() {
        // max 8, mean 5: 3 / 8 x 4 / 3 = 1 / 2.
        let four = of(&[8.0, 4.0, 4.0, 4.0], 4).unwrap();
        assert_eq!((four.threads, four.max, four.mean, four.excess, four.share), (4, 8.0, 5.0, 3.0, 0.5));
        // A fifth that did nothing: mean 4, 4 / 8 x 5 / 4 = 0.625.
        let five = of(&[8.0, 4.0, 4.0, 4.0], 5).unwrap();
        assert_eq!((five.mean, five.excess, five.share), (4.0, 4.0, 0.625));
        assert_eq!(of(&[3.0, 3.0], 2).unwrap().share, 0.0);
        assert_eq!(of(&[3.0], 7).unwrap().share, 1.0, "one does everything");
    }

    #[test]
    fn a_printed_example_of_craypat() {
        // A published profile: mean 556.742885 s, Imb. Time 14.817686 s, Imb. Time% 2.6 %, on many ranks.
        let (mean, excess, ranks) = (556.742885, 14.817686, 512);
        let mut times = vec![mean - excess / (ranks as f64 - 1.0); ranks - 1];
        times.push(mean + excess);
        let found = of(&times, ranks).unwrap();
        assert!((found.excess - excess).abs() < 1e-6, "{found:?}");
        assert_eq!(format!("{:.1}", 100.0 * found.share), "2.6");
    }

    #[test]
    fn one_thread_or_no_work_has_none() {
        assert_eq!(of(&[3.0], 1), None);
        assert_eq!(of(&[], 4), None);
        assert_eq!(of(&[0.0, 0.0], 2), None);
    }
}
