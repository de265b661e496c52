//! From samples to times, gains and rates.

use crate::ceiling::{Work, share};
use crate::measure::Sample;
use crate::record::{Estimate, Measured};
use loopwright_machine::{Ceilings, Machine};
use loopwright_stats::{bootstrap_median, paired_ratio};

/// Times and gains from a stage's samples; `from` and `first` are the samples of the stages that it is
/// compared with. `None` without samples.
pub fn measured(
    own: &[Sample],
    from: Option<&[Sample]>,
    first: Option<&[Sample]>,
    work: &Work,
    machine: &Machine,
    ceilings: Option<&Ceilings>,
) -> Option<Measured> {
    let seconds: Estimate = bootstrap_median(&of(own, |s| s.seconds))?.into();
    let elapsed: Estimate = bootstrap_median(&of(own, |s| s.elapsed))?.into();
    let ratio = |other: Option<&[Sample]>, part: fn(&Sample) -> f64| {
        paired_ratio(&of(other?, part), &of(own, part)).map(Estimate::from)
    };
    let rate = |amount: Option<f64>| amount.map(|a| a / seconds.median / 1e9).filter(|rate| rate.is_finite());
    let (gflops, gbytes) = (rate(work.flop), rate(work.bytes));
    Some(Measured {
        gain: ratio(from, |s| s.seconds),
        gain_first: ratio(first, |s| s.seconds),
        program_gain: ratio(from, |s| s.elapsed),
        ceiling: ceilings.and_then(|ceilings| share(gflops, gbytes, work, machine, ceilings)),
        seconds,
        elapsed,
        gflops,
        gbytes,
    })
}

fn of(samples: &[Sample], part: impl Fn(&Sample) -> f64) -> Vec<f64> {
    samples.iter().map(part).collect()
}
