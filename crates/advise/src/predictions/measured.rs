//! What a change was worth by the two runs, and what that says of a predicted range.

use super::{Outcome, Scope};
use loopwright_analysis::compare::{LoopChange, SMALLEST_CHANGE};
use loopwright_analysis::model::{Analysis, LoopFacts};
use loopwright_costs::Gain;
use loopwright_stats::sampled_ratio;

/// An interval wider than this (highest over lowest) does not establish a gain.
const WIDEST: f64 = 2.0;

/// A measured speed-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub speedup: f64,
    /// By the numbers of samples; elapsed times have none.
    pub interval: Option<(f64, f64)>,
}

impl Measured {
    /// The speed-up of what a prediction is about; in words why there is none.
    pub(super) fn of(
        scope: Scope,
        change: Option<&LoopChange>,
        before: &Analysis,
        after: &Analysis,
    ) -> Result<Self, &'static str> {
        let (old, new) = (&before.program, &after.program);
        match scope {
            Scope::Loop | Scope::LoopTotal => {
                let change = change.ok_or("the loop is not among those compared")?;
                let sides = change.before.as_ref().zip(change.after.as_ref());
                let (was, is) = sides.ok_or("the loop has no counterpart in the later state")?;
                if scope == Scope::Loop {
                    Self::sampled((was.self_seconds, was.samples), (is.self_seconds, is.samples))
                } else {
                    Self::sampled(total(was, before), total(is, after))
                }
                .ok_or("the loop has no samples in one of the states: its time is not resolved")
            }
            Scope::Program => Self::sampled((old.cpu_seconds, old.samples), (new.cpu_seconds, new.samples))
                .ok_or("the program has no samples in one of the states"),
            Scope::Elapsed if old.elapsed_seconds > 0.0 && new.elapsed_seconds > 0.0 => {
                Ok(Self { speedup: old.elapsed_seconds / new.elapsed_seconds, interval: None })
            }
            Scope::Elapsed => Err("the elapsed time of one of the states is not known"),
        }
    }

    fn sampled(before: (f64, u64), after: (f64, u64)) -> Option<Self> {
        let ratio = sampled_ratio(before, after)?;
        Some(Self { speedup: ratio.estimate, interval: Some((ratio.low, ratio.high)) })
    }
}

/// Seconds in a loop with all below it, and about how many samples they rest on.
fn total(of: &LoopFacts, analysis: &Analysis) -> (f64, u64) {
    (of.total_seconds, (of.total_share * analysis.program.samples as f64).round() as u64)
}

/// A range compared with a measurement. Beside the scatter of samples, two runs of one program differ by a few percent.
pub(super) fn judge(predicted: Gain, measured: &Measured) -> (Outcome, Option<String>) {
    let (low, high) = measured.interval.unwrap_or((measured.speedup, measured.speedup));
    if high > low * WIDEST {
        return (Outcome::Unknown, Some("too few samples fell into it to measure a gain".to_owned()));
    }
    let (low, high) = (low / (1.0 + SMALLEST_CHANGE), high * (1.0 + SMALLEST_CHANGE));
    if high < predicted.low() {
        (Outcome::Less, None)
    } else if low > predicted.high() {
        (Outcome::More, None)
    } else if low <= 1.0 && high >= 1.0 {
        // A range that begins at no gain would else come true whenever nothing happens.
        let why = if predicted.low() > 1.0 {
            "what was predicted cannot be distinguished from no change: two runs of one program differ by as much"
        } else {
            "no change was seen, which the predicted range allows for: that confirms nothing"
        };
        (Outcome::Unknown, Some(why.to_owned()))
    } else {
        (Outcome::CameTrue, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(predicted: (f64, f64), interval: (f64, f64)) -> Outcome {
        let speedup = (interval.0 * interval.1).sqrt();
        judge(predicted.into(), &Measured { speedup, interval: Some(interval) }).0
    }

    #[test]
    fn overlap_is_what_came_true() {
        assert_eq!(outcome((2.0, 4.0), (2.5, 2.6)), Outcome::CameTrue);
        assert_eq!(outcome((2.0, 4.0), (1.8, 2.1)), Outcome::CameTrue);
        assert_eq!(outcome((2.0, 4.0), (1.5, 1.6)), Outcome::Less);
        assert_eq!(outcome((2.0, 4.0), (0.8, 0.9)), Outcome::Less);
        assert_eq!(outcome((2.0, 4.0), (4.6, 5.0)), Outcome::More);
    }

    #[test]
    fn what_could_be_nothing_confirms_nothing() {
        assert_eq!(outcome((1.02, 1.06), (1.0, 1.02)), Outcome::Unknown);
        assert_eq!(outcome((1.0, 4.0), (0.99, 1.01)), Outcome::Unknown);
        assert_eq!(outcome((1.0, 4.0), (0.8, 0.9)), Outcome::Less);
        assert_eq!(outcome((1.0, 4.0), (1.3, 1.4)), Outcome::CameTrue);
        assert_eq!(outcome((2.0, 4.0), (1.0, 3.0)), Outcome::Unknown, "too wide");
        assert_eq!(outcome((1.02, 1.06), (1.04, 1.06)), Outcome::CameTrue);
    }

    #[test]
    fn a_loss_that_the_range_allows_for_came_true() {
        let predicted = Gain::around(0.7, 1.1, 1.5);
        let judged = |low: f64, high: f64| {
            judge(predicted, &Measured { speedup: (low * high).sqrt(), interval: Some((low, high)) }).0
        };
        assert_eq!(judged(0.8, 0.85), Outcome::CameTrue);
        assert_eq!(judged(0.98, 1.01), Outcome::Unknown);
        assert_eq!(judged(0.5, 0.55), Outcome::Less);
    }
}
