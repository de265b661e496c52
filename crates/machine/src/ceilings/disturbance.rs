//! Other load while ceilings were measured: a disturbed sample is slower, and a ceiling without an
//! undisturbed sample is too low.
//!
//! Sources: `/proc/thread-self/schedstat` (the scheduler's account of a thread's run time and of its waiting
//! for a CPU), `/proc/stat` (the CPUs' time, and what the hypervisor gave to others); `proc(5)`.

use super::report::{Ceilings, Conditions};
use std::time::{Duration, Instant};

/// Measuring threads that wait for a CPU for a larger part of their time share it with other programs.
const DELAYED: f64 = 0.05;
/// The same for CPU time that the hypervisor takes away.
const STOLEN: f64 = 0.05;
/// A median below this share of the best sample shows that another program was running.
const STEADY: f64 = 0.75;
/// A larger part of points with such a variation is not accidental.
const VARIED: f64 = 0.1;
/// Other programs that use a smaller part of the CPUs disturb few of many short samples.
const QUIET: f64 = 0.05;
/// Time for which that is observed: ten clock ticks of the coarsest kernel, so that one tick does not count as load.
const LOOK: Duration = Duration::from_millis(250);

/// Run time and waiting for a CPU of the calling thread, nanoseconds.
pub fn own_schedule() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut words = text.split_whitespace().map_while(|word| word.parse().ok());
    Some((words.next()?, words.next()?))
}

/// The CPUs' time so far, in clock ticks.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime {
    at: Instant,
    busy: u64,
    idle: u64,
    stolen: u64,
}

impl CpuTime {
    /// The present times; `None` where they cannot be read.
    pub fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let sums = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = sums.split_whitespace().map_while(|word| word.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guest time is part of user time.
        let sum = |fields: &[usize]| fields.iter().filter_map(|&at| ticks.get(at)).sum();
        (ticks.len() >= 4).then(|| Self {
            at: Instant::now(),
            busy: sum(&[0, 1, 2, 5, 6]),
            idle: sum(&[3, 4]),
            stolen: sum(&[7]),
        })
    }

    /// Shares of all CPUs' time since then: busy and stolen.
    fn shares_since(&self, before: &Self) -> (f64, f64) {
        let passed = |part: fn(&Self) -> u64| part(self).saturating_sub(part(before)) as f64;
        let (busy, idle, stolen) = (passed(|t| t.busy), passed(|t| t.idle), passed(|t| t.stolen));
        let all = (busy + idle + stolen).max(1.0);
        (busy / all, stolen / all)
    }
}

/// Whether almost nothing else runs on this machine now. Takes a quarter of a second; unknown counts as busy.
pub fn is_quiet() -> bool {
    let before = CpuTime::now();
    std::thread::sleep(LOOK);
    let shares = before.zip(CpuTime::now()).map(|(before, now)| now.shares_since(&before));
    shares.is_some_and(|(busy, stolen)| busy < QUIET && stolen < STOLEN)
}

/// The conditions of a measurement, from the state at its beginning, the crews' schedule (run time, waiting),
/// and its results.
pub fn conditions(
    begun: Option<CpuTime>,
    schedule: (u64, u64),
    own_seconds: f64,
    report: &Ceilings,
) -> Conditions {
    let now = CpuTime::now();
    let (ran, delayed) = schedule;
    let delayed_share = if ran + delayed > 0 { delayed as f64 / (ran + delayed) as f64 } else { 0.0 };
    let cpus = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let (other_cpus, stolen_share) = begun.zip(now).map_or((0.0, 0.0), |(begun, now)| {
        let elapsed = now.at.saturating_duration_since(begun.at).as_secs_f64().max(1e-3);
        let (busy, stolen) = now.shares_since(&begun);
        ((busy * cpus - own_seconds / elapsed).max(0.0), stolen)
    });
    let (varied_points, points) = varied(report);
    let disturbed = delayed_share >= DELAYED || stolen_share >= STOLEN || is_many(varied_points, points);
    Conditions { delayed_share, other_cpus, stolen_share, varied_points, points, attempts: 1, disturbed }
}

/// The number of points with much variation between their samples, and the number of all points.
pub fn varied(report: &Ceilings) -> (u32, u32) {
    let flops = report.flops.iter().map(|f| f.spread);
    let spreads = || flops.clone().chain(report.bandwidths.iter().map(|b| b.spread));
    (spreads().filter(|&spread| spread < STEADY).count() as u32, spreads().count() as u32)
}

/// Whether enough of the points varied to show a disturbance.
pub fn is_many(varied: u32, points: u32) -> bool {
    f64::from(varied) > VARIED * f64::from(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_cpus_time() {
        let at = |text: &str| CpuTime::parse(text).unwrap();
        let (busy, stolen) =
            at("cpu  60 0 10 130 0 0 0 20\n").shares_since(&at("cpu  10 0 10 100 0 0 0 0\n"));
        assert_eq!((busy, stolen), (0.5, 0.2));
        assert!(CpuTime::parse("intr 5").is_none() && CpuTime::parse("cpu  x").is_none());
    }

    #[test]
    fn waiting_threads_are_disturbed_and_quiet_ones_are_not() {
        let of = |delayed| conditions(None, (1_000_000, delayed), 0.0, &Ceilings::default());
        assert!(!of(10_000).disturbed && of(100_000).disturbed);
        assert!((of(1_000_000).delayed_share - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_own_schedule_grows() {
        let Some((before, _)) = own_schedule() else { return };
        let spin = Instant::now();
        while spin.elapsed() < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        assert!(own_schedule().unwrap().0 > before);
    }
}
