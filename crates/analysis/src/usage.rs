//! CPU usage: for how long how many CPUs were busy.
//!
//! Every sample stands for the time before it on its CPU. Time is cut into bins of at least ten sampling
//! periods, so that the jitter of a timer does not look like idleness; the busy time within a bin over
//! its width, rounded, is the number of busy CPUs.

use crate::facts::Facts;

/// Bins are never finer than this: 10 periods at the default rate.
const FINEST_NS: u64 = 10_000_000;
/// And never more than this many.
const MOST_BINS: u64 = 4096;

/// CPU usage over the run, all ranks on one clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Width of a bin.
    pub bin_ns: u64,
    /// Busy CPUs in each bin.
    pub busy: Vec<u32>,
    /// Elapsed time covered.
    pub elapsed_ns: u64,
    /// Start of each survey on the common clock.
    starts_ns: Vec<u64>,
}

impl Usage {
    /// Measures the usage of all surveys together.
    pub fn of(facts: &Facts) -> Self {
        let begins = facts.surveys.iter().map(|s| s.recording.target.started_unix);
        let first = begins.clone().fold(f64::INFINITY, f64::min);
        let starts_ns: Vec<u64> = begins.map(|begin| ((begin - first).max(0.0) * 1e9) as u64).collect();
        let elapsed_ns = facts
            .surveys
            .iter()
            .zip(&starts_ns)
            .map(|(survey, start)| {
                let last = survey.recording.samples.last().map_or(0, |sample| sample.time_ns);
                start + last.max((survey.recording.target.elapsed_seconds * 1e9) as u64)
            })
            .max()
            .unwrap_or(0);
        let period = facts
            .surveys
            .iter()
            .map(|s| 1_000_000_000 / u64::from(s.recording.sampler.frequency_hz.max(1)))
            .max()
            .unwrap_or(0);
        let bin_ns = FINEST_NS.max(10 * period).max(elapsed_ns / MOST_BINS + 1);
        let bins = (elapsed_ns / bin_ns + 1) as usize;
        let mut busy_ns = vec![0u64; bins];
        for (survey, start) in facts.surveys.iter().zip(&starts_ns) {
            for sample in &survey.recording.samples {
                spread(&mut busy_ns, bin_ns, start + sample.time_ns, u64::from(sample.weight_ns));
            }
        }
        let width = |bin: usize| bin_ns.min(elapsed_ns.saturating_sub(bin as u64 * bin_ns)).max(1);
        let busy = busy_ns
            .iter()
            .enumerate()
            .map(|(bin, &ns)| (ns as f64 / width(bin) as f64).round() as u32)
            .collect();
        Self { bin_ns, busy, elapsed_ns, starts_ns }
    }

    /// At most one CPU was busy at this time of this survey.
    pub fn serial_at(&self, survey: usize, time_ns: u64) -> bool {
        self.busy_at(survey, time_ns) <= 1
    }

    /// CPUs that were busy at this time of this survey.
    pub fn busy_at(&self, survey: usize, time_ns: u64) -> u32 {
        let bin = (self.starts_ns[survey] + time_ns).checked_div(self.bin_ns);
        bin.and_then(|bin| self.busy.get(bin as usize)).copied().unwrap_or(0)
    }

    /// Seconds in which exactly `k` CPUs were busy, for `k` from 0 to the highest seen.
    pub fn histogram(&self) -> Vec<f64> {
        let highest = self.busy.iter().copied().max().unwrap_or(0) as usize;
        let mut seconds = vec![0.0; highest + 1];
        for (bin, &busy) in self.busy.iter().enumerate() {
            let width = self.bin_ns.min(self.elapsed_ns.saturating_sub(bin as u64 * self.bin_ns));
            seconds[busy as usize] += width as f64 / 1e9;
        }
        seconds
    }
}

/// Adds the interval of `weight` that ends at `end` to the bins it covers.
fn spread(bins: &mut [u64], bin_ns: u64, end: u64, weight: u64) {
    let mut from = end.saturating_sub(weight);
    while from < end {
        let bin = from / bin_ns;
        let until = end.min((bin + 1) * bin_ns);
        if let Some(slot) = bins.get_mut(bin as usize) {
            *slot += until - from;
        }
        from = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::SurveyFacts;
    use loopwright_sample::recording::{Recording, Sample};

    fn survey(begin: f64, seconds: f64, samples: impl Iterator<Item = (u64, u32)>) -> SurveyFacts {
        let mut recording = Recording::default();
        recording.target.started_unix = begin;
        recording.target.elapsed_seconds = seconds;
        recording.sampler.frequency_hz = 1000;
        recording.samples = samples
            .map(|(ms, cpu)| Sample {
                time_ns: ms * 1_000_000,
                thread: 0,
                cpu,
                stack: 0,
                weight_ns: 1_000_000,
                kernel: false,
            })
            .collect();
        SurveyFacts { run: 1, recording, machine: None, code: Vec::new() }
    }

    #[test]
    fn two_busy_cpus_for_half_the_time() {
        let samples = (1..=500).flat_map(|ms| [(ms, 0), (ms, 1)]).chain((501..=900).map(|ms| (ms, 0)));
        let facts = Facts { surveys: vec![survey(0.0, 1.0, samples)], ..Facts::default() };
        let usage = Usage::of(&facts);
        let histogram = usage.histogram();
        assert_eq!(histogram.len(), 3);
        for (busy, seconds) in [(2, 0.5), (1, 0.4), (0, 0.1)] {
            assert!((histogram[busy] - seconds).abs() < 0.011, "{busy}: {histogram:?}");
        }
        assert!(!usage.serial_at(0, 200_000_000));
        assert!(usage.serial_at(0, 700_000_000));
    }

    #[test]
    fn ranks_share_one_clock() {
        let first = survey(100.0, 1.0, (1..=1000).map(|ms| (ms, 0)));
        let second = survey(100.5, 1.0, (1..=1000).map(|ms| (ms, 1)));
        let usage = Usage::of(&Facts { surveys: vec![first, second], ..Facts::default() });
        let histogram = usage.histogram();
        assert!((histogram[1] - 1.0).abs() < 0.03 && (histogram[2] - 0.5).abs() < 0.03, "{histogram:?}");
        assert!(usage.serial_at(0, 100_000_000) && !usage.serial_at(1, 100_000_000));
    }

    #[test]
    fn nothing_sampled_is_idle() {
        let facts = Facts { surveys: vec![survey(0.0, 0.5, std::iter::empty())], ..Facts::default() };
        assert!((Usage::of(&facts).histogram()[0] - 0.5).abs() < 1e-9);
        assert_eq!(Usage::of(&Facts::default()).histogram(), vec![0.0]);
    }
}
