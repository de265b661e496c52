//! Short loops: *n* iterations on *L* lanes take `n / L` passes and `n mod L` scalar ones.

use crate::estimates::SEEN;
use crate::gain::{Gain, amdahl, clean_share};

/// Speed-up of a loop of `trips` iterations on `length` lanes, with a scalar remainder and without one
/// (padded), when a vector pass costs as much as a scalar iteration.
pub fn trips(trips: u64, length: u32) -> Option<(f64, f64)> {
    let length = u64::from(length);
    if trips == 0 || length == 0 {
        return None;
    }
    let with_remainder = trips as f64 / (trips / length + trips % length) as f64;
    let padded = trips as f64 / trips.div_ceil(length) as f64;
    Some((with_remainder, padded))
}

/// [`trips`] over a counted distribution `(lowest, highest, entries)` of scalar iterations per entry: scalar passes over
/// vector passes, entries of no iteration left out. A step that holds several counts is taken at its middle.
pub fn trips_of(histogram: &[(u64, u64, u64)], length: u32) -> Option<(f64, f64)> {
    let length = f64::from(length);
    if length < 1.0 {
        return None;
    }
    let (mut scalar, mut with_remainder, mut padded) = (0.0, 0.0, 0.0);
    for &(low, high, entries) in histogram {
        // In floating point: counts times entries may exceed an integer.
        let (middle, entries) = (((low as f64 + high as f64) / 2.0).round(), entries as f64);
        // The remainder of an unknown count is (length - 1) / 2 on average.
        let left = if low == high { middle % length } else { (length - 1.0) / 2.0 };
        scalar += middle * entries;
        with_remainder += ((middle - left).max(0.0) / length + left.min(middle)) * entries;
        padded += (middle / length).ceil() * entries;
    }
    (padded > 0.0 && with_remainder > 0.0).then(|| (scalar / with_remainder, scalar / padded))
}

/// Speed-up of a group of which `share` (0..=1) goes to remainder or peel iterations on `length` lanes,
/// if those were done by full vectors. A remainder of *k* scalar iterations becomes one vector pass, so
/// its time shrinks by *k*: 1 to `length - 1`, `length / 2` on average.
pub fn without_remainder(share: f64, length: u32, iterations: Option<u64>) -> Gain {
    let share = clean_share(share);
    let most = f64::from(length.saturating_sub(1).max(1));
    let left = |k: f64| amdahl(share, k.max(1.0));
    match iterations {
        // A vector pass is not free of masks and shuffles.
        Some(k) if k > 0 => Gain::of(left((k as f64).min(most))).hedged(SEEN),
        _ => Gain::between(left(f64::from(length) / 3.0), left(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimates::LARGEST_GAIN;
    use proptest::prelude::*;

    #[test]
    fn nineteen_iterations_on_four_lanes() {
        let (with_remainder, padded) = trips(19, 4).unwrap();
        assert!((with_remainder - 19.0 / 7.0).abs() < 1e-12);
        assert!((padded - 19.0 / 5.0).abs() < 1e-12);
        assert_eq!(trips(0, 4), None);
        assert_eq!(trips(4, 0), None);
    }

    #[test]
    fn a_counted_distribution_is_worth_the_sum_of_its_entries() {
        assert_eq!(trips_of(&[(19, 19, 100)], 4), trips(19, 4));
        // 100 entries of 7 (4 passes, padded 2) and 10 of 64 (16 passes): 1340 iterations.
        let (with_remainder, padded) = trips_of(&[(7, 7, 100), (64, 64, 10)], 4).unwrap();
        assert!((with_remainder - 1340.0 / 560.0).abs() < 1e-12, "{with_remainder}");
        assert!((padded - 1340.0 / 360.0).abs() < 1e-12, "{padded}");
        assert_eq!(trips_of(&[(0, 0, 5)], 4), None, "loops that never ran gain nothing");
        assert_eq!(trips_of(&[], 4), None);
        assert_eq!(trips_of(&[(3, 3, 1)], 0), None);
        let (rough, _) = trips_of(&[(20, 23, 10)], 4).unwrap();
        assert!(rough > 1.0 && rough < 4.0);
    }

    proptest! {
        #[test]
        fn any_distribution_gains_between_nothing_and_the_lanes(
            steps in prop::collection::vec((any::<u32>(), 0u64..1000, any::<u32>()), 0..8), length in 1u32..64,
        ) {
            let steps: Vec<_> = steps.into_iter().map(|(low, more, n)| (low.into(), u64::from(low) + more, n.into())).collect();
            if let Some((with_remainder, padded)) = trips_of(&steps, length) {
                prop_assert!(with_remainder >= 1.0 - 1e-9 && with_remainder <= f64::from(length) + 1e-9);
                prop_assert!(padded + 1e-9 >= 1.0 && padded <= f64::from(length) + 1e-9);
            }
        }

        #[test]
        fn removing_a_remainder_gains_at_most_its_share(share in 0.0..=1.0f64, length in 0u32..64, k in prop::option::of(0u64..64)) {
            let gain = without_remainder(share, length, k);
            prop_assert!(gain.high() <= (1.0 / (1.0 - share)).min(LARGEST_GAIN) + 1e-9);
        }
    }
}
