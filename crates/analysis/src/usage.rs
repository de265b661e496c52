//! CPU usage: for how long how many CPUs were busy.
//!
//! Time is cut into bins; of each bin it is known for how long exactly one, two, .. CPUs ran the program. A survey that
//! recorded context switches knows that exactly. Without them every sample is the time before it on its CPU, bins span at
//! least ten sampling periods, so that the jitter of a timer does not look like idleness, and a bin in which 1.3 CPUs
//! were busy on average counts for 0.7 of its width as one and for 0.3 as two: nothing is rounded, so that the average
//! over the run is that of the samples. Ranks run on one clock; within a bin they are taken as independent of each other.

use loopwright_experiment::{Facts, Run};
use loopwright_sample::recording::Recording;

/// Bins are never finer than this: 10 periods at the default rate.
const FINEST_NS: u64 = 10_000_000;
/// And never more than this many, ...
const MOST_BINS: u64 = 4096;
/// ... of large jobs fewer, so that ranks times bins stay within what takes a second, ...
const MOST_PARTS: u64 = 1 << 18;
/// ... but not fewer than these.
const FEWEST_BINS: u64 = 32;
/// No machine has more CPUs (Linux: NR_CPUS is at most 8192); larger levels mean a damaged file.
const MOST_CPUS: u32 = 8192;
/// No job has more.
const MOST_OF_A_JOB: u32 = 1 << 20;
/// Numbers of CPUs that were busy for a smaller part of a bin than this are left out: of many ranks the numbers that occur are
/// close to their mean, and all others would take most of the time. Of 10,000 ranks at most 1e-5 of the time is lost.
const NEGLIGIBLE: f64 = 1e-9;

/// For how many nanoseconds of a bin each number of CPUs was busy, by ascending number, idle time left out.
type Levels = Vec<(u32, f64)>;

/// CPU usage over the run, all ranks on one clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Width of a bin.
    bin_ns: u64,
    bins: Vec<Levels>,
    /// Elapsed time covered.
    elapsed_ns: u64,
    /// Start of each survey on the common clock.
    starts_ns: Vec<u64>,
    /// Of each bin: [`Usage::serial_at`] and [`Usage::busy_at`].
    shares: Vec<(f64, f64)>,
}

/// For how many nanoseconds of a bin each number of CPUs was busy, idle time included.
#[derive(Clone, Debug)]
struct Together {
    /// The lowest number.
    low: u32,
    /// For it and those that follow.
    ns: Vec<f64>,
}

impl Together {
    /// Of no program.
    fn idle(width: f64) -> Self {
        Self { low: 0, ns: vec![width] }
    }

    /// With one more program, which runs at the same time independently of these; `spare` keeps its memory from call to call.
    fn add(&mut self, own: &Levels, width: f64, spare: &mut Vec<f64>) {
        let busy: f64 = own.iter().map(|(_, ns)| ns).sum();
        let idle = [(0, (width - busy).max(0.0))];
        let levels = || idle.iter().chain(own).copied();
        let highest = levels().map(|(level, _)| level).max().unwrap_or(0);
        let most = MOST_OF_A_JOB.saturating_sub(self.low) as usize;
        spare.clear();
        spare.resize((self.ns.len() + highest as usize).min(most + 1), 0.0);
        for (level, ns) in levels() {
            let share = ns / width;
            let from = (level as usize).min(spare.len());
            let (inside, beyond) = self.ns.split_at((spare.len() - from).min(self.ns.len()));
            for (sum, ns) in spare[from..].iter_mut().zip(inside) {
                *sum += ns * share;
            }
            if let Some(last) = spare.last_mut() {
                *last += beyond.iter().sum::<f64>() * share;
            }
        }
        std::mem::swap(&mut self.ns, spare);
        let counts = |ns: &f64| *ns > NEGLIGIBLE * width;
        let first = self.ns.iter().position(counts).unwrap_or(0);
        let end = self.ns.iter().rposition(counts).map_or(1, |last| last + 1);
        self.ns.truncate(end.max(1));
        self.ns.drain(..first);
        self.low += first as u32;
    }

    /// Idle time left out.
    fn levels(&self) -> Levels {
        let all = (self.low..).zip(self.ns.iter().copied());
        all.filter(|&(level, ns)| level > 0 && ns > 0.0).collect()
    }
}

impl Usage {
    /// Measures the usage of all surveys together.
    pub fn of(facts: &Facts) -> Self {
        let begins = facts.surveys.iter().map(|s| s.target.started_unix);
        let first = begins.clone().fold(f64::INFINITY, f64::min);
        let starts_ns: Vec<u64> = begins.map(|begin| ((begin - first).max(0.0) * 1e9) as u64).collect();
        let surveys = || facts.surveys.iter().zip(&starts_ns);
        let elapsed_ns = surveys()
            .map(|(survey, start)| {
                let last = survey.facts.samples.last().map_or(0, |sample| sample.time_ns);
                start + last.max((survey.target.elapsed_seconds * 1e9) as u64)
            })
            .max()
            .unwrap_or(0);
        let finest = surveys().map(|(survey, _)| finest(survey)).max().unwrap_or(FINEST_NS);
        let most = (MOST_PARTS / (facts.surveys.len() as u64).max(1)).clamp(FEWEST_BINS, MOST_BINS);
        let bin_ns = finest.max(elapsed_ns / most + 1);
        let mut usage = Self { bin_ns, elapsed_ns, starts_ns: starts_ns.clone(), ..Self::default() };
        let many = (elapsed_ns / bin_ns + 1) as usize;
        let mut all: Vec<Together> = (0..many).map(|bin| Together::idle(usage.width(bin))).collect();
        let (mut own, mut spare) = (vec![Levels::new(); many], Vec::new());
        for (survey, start) in surveys() {
            own.iter_mut().for_each(Vec::clear);
            match &survey.facts.clocks.running {
                Some(_) => usage.switched(survey, *start, &mut own),
                None => usage.sampled(survey, *start, &mut own),
            }
            for (bin, own) in own.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
                all[bin].add(own, usage.width(bin), &mut spare);
            }
        }
        usage.bins = all.iter().map(Together::levels).collect();
        usage.shares = usage.bins.iter().map(shares).collect();
        usage
    }

    /// Part of the run that a bin covers.
    fn width(&self, bin: usize) -> f64 {
        self.bin_ns.min(self.elapsed_ns.saturating_sub(bin as u64 * self.bin_ns)).max(1) as f64
    }

    /// A survey's levels by its context switches, in the bins of all.
    fn switched(&self, survey: &Run<Recording>, start: u64, bins: &mut [Levels]) {
        let Some(running) = &survey.facts.clocks.running else { return };
        for (index, levels) in (0u64..).zip(&running.bins) {
            // The last bin ends with the run.
            let from = start.saturating_add(index.saturating_mul(running.bin_ns));
            let until = from.saturating_add(running.bin_ns).min(self.elapsed_ns).max(from.saturating_add(1));
            for_each_part(from, until, self.bin_ns, |bin, part| {
                let Some(slot) = bins.get_mut(bin) else { return };
                for &(level, ns) in levels.iter().filter(|(level, _)| *level <= MOST_CPUS) {
                    let ns = ns as f64 * part as f64 / (until - from) as f64;
                    match slot.binary_search_by_key(&level, |(known, _)| *known) {
                        Ok(at) => slot[at].1 += ns,
                        Err(at) => slot.insert(at, (level, ns)),
                    }
                }
            });
        }
    }

    /// A survey's levels by its samples.
    fn sampled(&self, survey: &Run<Recording>, start: u64, bins: &mut [Levels]) {
        let mut busy_ns = vec![0u64; bins.len()];
        for sample in &survey.facts.samples {
            let end = start.saturating_add(sample.time_ns);
            let from = end.saturating_sub(u64::from(sample.weight_ns));
            for_each_part(from, end, self.bin_ns, |bin, part| {
                if let Some(slot) = busy_ns.get_mut(bin) {
                    *slot += part;
                }
            });
        }
        for (bin, ns) in busy_ns.into_iter().enumerate() {
            let width = self.width(bin);
            let mean = (ns as f64 / width).min(f64::from(MOST_CPUS));
            let (whole, part) = (mean.floor(), mean.fract());
            let levels = [(whole as u32, (1.0 - part) * width), (whole as u32 + 1, part * width)];
            bins[bin].extend(levels.into_iter().filter(|&(level, ns)| level > 0 && ns > 0.0));
        }
    }

    fn shares_at(&self, survey: usize, time_ns: u64) -> (f64, f64) {
        // A sample ends the time that it is of.
        let time = self.starts_ns[survey].saturating_add(time_ns).saturating_sub(1);
        let bin = time.checked_div(self.bin_ns);
        bin.and_then(|bin| self.shares.get(bin as usize)).copied().unwrap_or((1.0, 1.0))
    }

    /// Share of a running thread's time around here during which it ran alone; 1 where nothing is known.
    pub fn serial_at(&self, survey: usize, time_ns: u64) -> f64 {
        self.shares_at(survey, time_ns).0
    }

    /// CPUs that were busy while a thread ran around here, on average; at least its own.
    pub fn busy_at(&self, survey: usize, time_ns: u64) -> f64 {
        self.shares_at(survey, time_ns).1
    }

    /// Seconds in which exactly `k` CPUs were busy, for `k` from 0 to the highest seen.
    pub fn histogram(&self) -> Vec<f64> {
        let highest = self.bins.iter().flatten().map(|(level, _)| *level).max().unwrap_or(0) as usize;
        let mut seconds = vec![0.0; highest + 1];
        for &(level, ns) in self.bins.iter().flatten() {
            seconds[level as usize] += ns / 1e9;
        }
        let busy: f64 = seconds.iter().sum();
        seconds[0] = (self.elapsed_ns as f64 / 1e9 - busy).max(0.0);
        seconds
    }
}

/// The finest bins that a survey's evidence allows.
fn finest(survey: &Run<Recording>) -> u64 {
    match &survey.facts.clocks.running {
        Some(running) => FINEST_NS.max(running.bin_ns),
        None => FINEST_NS.max(10 * 1_000_000_000 / u64::from(survey.facts.sampler.frequency_hz.max(1))),
    }
}

/// Calls `part(bin, nanoseconds)` for each bin that an interval covers.
fn for_each_part(mut from: u64, end: u64, bin_ns: u64, mut part: impl FnMut(usize, u64)) {
    while from < end {
        let bin = from / bin_ns;
        let until = end.min((bin + 1).saturating_mul(bin_ns));
        part(bin as usize, until - from);
        from = until;
    }
}

/// Of a bin: the share of a running thread's time during which it ran alone, and the CPUs that were busy while one ran.
fn shares(levels: &Levels) -> (f64, f64) {
    let all: f64 = levels.iter().map(|&(level, ns)| f64::from(level) * ns).sum();
    let alone: f64 = levels.iter().filter(|(level, _)| *level == 1).map(|(_, ns)| ns).sum();
    let squares: f64 = levels.iter().map(|&(level, ns)| f64::from(level).powi(2) * ns).sum();
    if all > 0.0 { (alone / all, squares / all) } else { (1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_experiment::Run;
    use loopwright_sample::recording::{Recording, Sample};

    fn survey(begin: f64, seconds: f64, samples: impl Iterator<Item = (u64, u32)>) -> Run<Recording> {
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
        Run { id: 1, target: recording.target.clone(), facts: recording, ..Run::default() }
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
        assert!(usage.serial_at(0, 205_000_000) < 0.01 && usage.busy_at(0, 205_000_000) > 1.99);
        assert!(usage.serial_at(0, 705_000_000) > 0.99 && usage.busy_at(0, 705_000_000) < 1.01);
    }

    #[test]
    fn ranks_share_one_clock() {
        let first = survey(100.0, 1.0, (1..=1000).map(|ms| (ms, 0)));
        let second = survey(100.5, 1.0, (1..=1000).map(|ms| (ms, 1)));
        let usage = Usage::of(&Facts { surveys: vec![first, second], ..Facts::default() });
        let histogram = usage.histogram();
        assert!((histogram[1] - 1.0).abs() < 0.03 && (histogram[2] - 0.5).abs() < 0.03, "{histogram:?}");
        assert!(usage.serial_at(0, 105_000_000) > 0.99 && usage.serial_at(1, 105_000_000) < 0.01);
    }

    /// The number of busy CPUs of independent ranks is distributed as a binomial.
    #[test]
    fn many_ranks_are_taken_together() {
        let half =
            |rank: u32| survey(0.0, 0.1, (0..100u64).filter(|ms| ms % 2 == 0).map(move |ms| (ms + 1, rank)));
        for ranks in [2, 10, 300] {
            let usage = Usage::of(&Facts { surveys: (0..ranks).map(half).collect(), ..Facts::default() });
            let histogram = usage.histogram();
            let mean: f64 =
                (0u32..).zip(&histogram).map(|(busy, seconds)| f64::from(busy) * seconds / 0.1).sum();
            assert!((mean - f64::from(ranks) / 2.0).abs() < 1e-3 * f64::from(ranks), "{ranks}: {mean}");
            // n p (1 - p) + (n p)^2 over n p.
            let busy = usage.busy_at(0, 50_000_000);
            assert!((busy - (0.5 + f64::from(ranks) / 2.0)).abs() < 1e-3 * busy, "{ranks}: {busy}");
        }
        let two = Usage::of(&Facts { surveys: (0..2).map(half).collect(), ..Facts::default() }).histogram();
        assert!(
            [0.025, 0.05, 0.025].iter().zip(&two).all(|(known, found)| (known - found).abs() < 1e-6),
            "{two:?}"
        );
    }

    #[test]
    fn a_third_of_a_cpu_is_no_whole_one() {
        // 32 of 100 ms, spread over every bin.
        let samples = (0..1000u64).filter(|ms| ms % 25 < 8).map(|ms| (ms + 1, 0));
        let facts = Facts { surveys: vec![survey(0.0, 1.0, samples)], ..Facts::default() };
        let histogram = Usage::of(&facts).histogram();
        assert!((histogram[1] - 0.32).abs() < 0.01 && (histogram[0] - 0.68).abs() < 0.01, "{histogram:?}");
        assert_eq!(histogram.len(), 2);
    }

    #[test]
    fn context_switches_are_exact() {
        use loopwright_sample::clocks::Running;
        let mut first = survey(0.0, 0.1, std::iter::empty());
        let bin = vec![(1, 2_000_000), (2, 3_000_000)];
        first.facts.clocks.running = Some(Running { bin_ns: 10_000_000, bins: vec![bin; 10] });
        let usage = Usage::of(&Facts { surveys: vec![first], ..Facts::default() });
        let histogram = usage.histogram();
        for (busy, seconds) in [(0, 0.05), (1, 0.02), (2, 0.03)] {
            assert!((histogram[busy] - seconds).abs() < 1e-6, "{busy}: {histogram:?}");
        }
        assert!((usage.serial_at(0, 50_000_000) - 0.25).abs() < 1e-6, "2 of 8 ms of CPU time");
    }

    #[test]
    fn a_level_that_cannot_be_is_left_out() {
        use loopwright_sample::clocks::Running;
        let mut hostile = survey(0.0, 0.1, std::iter::empty());
        hostile.facts.clocks.running =
            Some(Running { bin_ns: u64::MAX, bins: vec![vec![(u32::MAX, 5), (1, u64::MAX)]] });
        assert!(Usage::of(&Facts { surveys: vec![hostile], ..Facts::default() }).histogram().len() < 10);
    }

    #[test]
    fn nothing_sampled_is_idle() {
        let facts = Facts { surveys: vec![survey(0.0, 0.5, std::iter::empty())], ..Facts::default() };
        assert!((Usage::of(&facts).histogram()[0] - 0.5).abs() < 1e-9);
        assert_eq!(Usage::of(&Facts::default()).histogram(), vec![0.0]);
    }
}
