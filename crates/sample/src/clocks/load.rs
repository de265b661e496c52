//! What the whole machine did between two moments, from `/proc/stat` (`proc(5)`), which every user may read.

use super::Load;
use std::time::Instant;

/// The machine's counters at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    at: Instant,
    cpus: u32,
    /// Clock ticks of all CPUs: neither idle nor waiting for a disk nor stolen.
    busy: u64,
    stolen: u64,
}

impl Snapshot {
    /// The counters now; `None` where they cannot be read.
    pub fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let sums = lines.next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = sums.split_whitespace().map_while(|word| word.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guest time is part of user time.
        let field = |at: usize| ticks.get(at).copied().unwrap_or(0);
        (ticks.len() >= 4).then(|| Self {
            at: Instant::now(),
            cpus: lines.take_while(|line| line.starts_with("cpu")).count() as u32,
            busy: [0, 1, 2, 5, 6].into_iter().map(field).sum(),
            stolen: field(7),
        })
    }

    /// The machine's load since `self`.
    pub fn until(&self, now: &Self) -> Load {
        let hertz = ticks_per_second() as f64;
        let seconds = |before: u64, after: u64| after.saturating_sub(before) as f64 / hertz;
        Load {
            cpus: now.cpus,
            elapsed_seconds: now.at.saturating_duration_since(self.at).as_secs_f64(),
            busy_seconds: seconds(self.busy, now.busy),
            stolen_seconds: seconds(self.stolen, now.stolen),
        }
    }
}

/// Clock ticks a second of `/proc` (`sysconf(3)`).
pub fn ticks_per_second() -> u64 {
    // SAFETY: sysconf has no preconditions.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_is_neither_idle_nor_stolen() {
        let before = Snapshot::parse("cpu  10 0 10 100 5 0 0 7 3 0\ncpu0 1\ncpu1 1\nintr 5\n").unwrap();
        let after = Snapshot::parse("cpu  110 20 40 500 9 1 2 57 3 0\ncpu0 1\ncpu1 1\nintr 5\n").unwrap();
        let load = before.until(&after);
        let hertz = ticks_per_second() as f64;
        assert_eq!(load.cpus, 2);
        assert_eq!(load.busy_seconds, 153.0 / hertz);
        assert_eq!(load.stolen_seconds, 50.0 / hertz);
        assert!(Snapshot::parse("cpu  1 x").is_none() && Snapshot::parse("").is_none());
    }
}
