//! What the measured bottlenecks of a loop leave of a gain.
//!
//! An iteration takes at least as long as each resource is busy in it. After a change that relieves some of them, the busiest of
//! what remains bounds the new time; and a change saves no more than the time in which what it relieves was busy, as if nothing
//! had overlapped with that.

use crate::estimates::LARGEST_GAIN;

/// A cause of a loop's time, and what a change does to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relieved {
    /// Share of an iteration that it takes by itself: least and most. From 0 to 1 where it is not known.
    pub share: (f64, f64),
    /// How many times less of it remains; 1 where the change leaves it, infinite where nothing remains.
    pub times: f64,
}

/// At most this many times faster.
pub fn most_faster(causes: &[Relieved]) -> f64 {
    let left = causes.iter().map(|c| clean(c.share.0) / times(c)).fold(0.0, f64::max);
    let saved: f64 = causes.iter().map(|c| clean(c.share.1) * (1.0 - 1.0 / times(c))).sum();
    let least = left.max(1.0 - saved);
    (1.0 / least.max(1.0 / LARGEST_GAIN)).max(1.0)
}

fn clean(share: f64) -> f64 {
    crate::clean_share(share)
}

fn times(of: &Relieved) -> f64 {
    if of.times.is_nan() { 1.0 } else { of.times.max(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cause(share: f64, times: f64) -> Relieved {
        Relieved { share: (share, share), times }
    }

    #[test]
    fn what_has_slack_gains_nothing_when_relieved() {
        assert_eq!(most_faster(&[cause(0.0, f64::INFINITY), cause(0.5, 1.0)]), 1.0);
        assert!((most_faster(&[cause(0.1, 4.0), cause(0.5, 1.0)]) - 1.0 / 0.925).abs() < 1e-12);
    }

    #[test]
    fn the_next_busy_resource_caps_the_gain() {
        assert_eq!(most_faster(&[cause(1.0, f64::INFINITY), cause(0.5, 1.0)]), 2.0);
        assert_eq!(most_faster(&[cause(1.0, 4.0), cause(0.2, 1.0)]), 4.0);
        assert_eq!(most_faster(&[cause(1.0, 4.0), cause(1.0, 1.0)]), 1.0);
    }

    #[test]
    fn what_is_not_known_bounds_nothing() {
        let unknown = Relieved { share: (0.0, 1.0), times: f64::INFINITY };
        assert_eq!(most_faster(&[unknown]), LARGEST_GAIN);
    }

    proptest! {
        #[test]
        fn bounds_are_gains(share in any::<f64>(), times in any::<f64>(), other in any::<f64>()) {
            let most = most_faster(&[cause(share, times), cause(other, 1.0)]);
            prop_assert!((1.0..=LARGEST_GAIN).contains(&most));
        }
    }
}
