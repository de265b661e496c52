//! The size from which one way of doing the same work is faster than another.

use super::{Finding, Limits};
use crate::case::{Clock, Variant};
use crate::measure::{Effort, interleave};
use loopwright_kernels::tuning::Constant;
use loopwright_stats::paired_ratio;
use serde::Serialize;

/// Two ways compared at one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Bytes of all arrays.
    pub bytes: u64,
    /// Time of the way for small sizes over that of the way for large ones: above one, the latter is faster.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub ratio_low: f64,
    /// Upper end.
    pub ratio_high: f64,
}

/// The smallest size that is tried: within a second-level cache.
const SMALLEST: u64 = 128 << 10;

/// Least gain of the way for large sizes at a size, so that noise does not decide between equals: 2 %.
const MARGIN: f64 = 1.02;

/// Measures at powers of two from 128 KiB which of two ways is faster, and finds the size that separates
/// them. `prepare` builds both for a size, the one for small sizes first.
pub fn crossover(
    constant: Constant,
    clock: Clock,
    limits: Limits,
    prepare: &dyn Fn(u64) -> [Box<dyn FnMut()>; 2],
) -> Finding {
    let sizes = std::iter::successors(Some(SMALLEST), |size| size.checked_mul(2));
    let points: Vec<Point> = sizes
        .take_while(|&size| size <= limits.largest_bytes)
        .filter_map(|bytes| {
            let [small, large] = prepare(bytes);
            let mut variants = [Variant::bound("small", small), Variant::bound("large", large)];
            // Once each, so that pages and threads exist.
            variants.iter_mut().for_each(|variant| variant.run.run());
            let effort = Effort { rounds: limits.rounds, ..Effort::FULL };
            let seconds = interleave(&mut variants, false, clock, effort);
            let ratio = paired_ratio(&seconds[0], &seconds[1])?;
            Some(Point { bytes, ratio: ratio.estimate, ratio_low: ratio.low, ratio_high: ratio.high })
        })
        .collect();
    Finding { constant, value: cut(&points, constant.default_value()), points }
}

/// The size between two measured ones from which on switching gains most over all sizes (the sum of the
/// logarithms of the ratios): one disturbed point does not move it far. Infinite when switching never gains;
/// `None` when it never gained but no sizes beyond the default were tried.
fn cut(points: &[Point], default: f64) -> Option<f64> {
    let mut best = (0.0, None);
    let mut gain = 0.0;
    for (index, point) in points.iter().enumerate().rev() {
        gain += (point.ratio / MARGIN).ln();
        if gain > best.0 {
            best = (gain, Some(index));
        }
    }
    match best.1 {
        // Halfway to the next smaller size, in the ladder's steps.
        Some(index) => Some((points[index].bytes as f64 / 2f64.sqrt()).round()),
        None if points.last().is_some_and(|last| last.bytes as f64 >= 2.0 * default) => Some(f64::INFINITY),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(ratios: &[f64]) -> Vec<Point> {
        let point = |(i, &ratio): (usize, &f64)| Point {
            bytes: SMALLEST << i,
            ratio,
            ratio_low: ratio,
            ratio_high: ratio,
        };
        ratios.iter().enumerate().map(point).collect()
    }

    #[test]
    fn the_cut_is_where_switching_begins_to_gain() {
        let at = |index: u32| Some((f64::from(1u32 << index) * SMALLEST as f64 / 2f64.sqrt()).round());
        assert_eq!(cut(&points(&[0.5, 0.6, 1.2, 1.4]), 1.0), at(2));
        assert_eq!(cut(&points(&[1.2, 1.3, 1.2, 1.4]), 1.0), at(0));
        // One disturbed size on either side.
        assert_eq!(cut(&points(&[0.5, 1.1, 0.6, 1.2, 1.4]), 1.0), at(3));
        assert_eq!(cut(&points(&[0.5, 0.6, 1.3, 0.95, 1.4, 1.4]), 1.0), at(2));
        // A gain within the margin does not count.
        assert_eq!(cut(&points(&[0.5, 1.01, 1.01]), 1.0), Some(f64::INFINITY));
    }

    #[test]
    fn what_was_not_tried_is_not_decided() {
        assert_eq!(cut(&points(&[0.5, 0.6]), 1e6), None);
        assert_eq!(cut(&points(&[0.5, 0.6]), 1e5), Some(f64::INFINITY));
        assert_eq!(cut(&[], 1e5), None);
    }

    #[test]
    fn the_faster_way_is_found_at_every_size() {
        // Work that costs the same at every size, against work that grows.
        let spin = |turns: u64| {
            move || {
                std::hint::black_box((0..turns).fold(0, |sum, i| std::hint::black_box(sum + i)));
            }
        };
        let prepare =
            |bytes: u64| -> [Box<dyn FnMut()>; 2] { [Box::new(spin(bytes >> 8)), Box::new(spin(16 << 10))] };
        let limits = Limits { rounds: 3, largest_bytes: 64 << 20 };
        let found = crossover(Constant::ByteswapParallel, Clock::Thread, limits, &prepare);
        assert_eq!(found.points.len(), 10);
        let value = found.value.unwrap();
        // Equal at 4 MiB; the neighbours differ by a factor of two.
        assert!((1e6..=12e6).contains(&value), "{found:?}");
    }
}
