//! When threads ran, from their context switches.
//!
//! Source: `perf_event_open(2)`, PERF_RECORD_SWITCH, which ordinary users get for their own programs whatever
//! code may be sampled. At each moment the CPUs that run a thread of the program are known, so that the time
//! with exactly k of them is exact; no bin is rounded. When the kernel could not store a switch, the next
//! switch or sample on the same CPU corrects it.

use super::{Running, ThreadClock};
use rustc_hash::FxHashMap;

/// Width of the first bins: 10 periods of the usual sampling rate.
const FINEST_NS: u64 = 10_000_000;
/// Most bins: beyond this their width doubles.
const MOST_BINS: usize = 4096;

/// A thread's times so far.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    born_ns: Option<u64>,
    ended_ns: Option<u64>,
    ran_ns: u64,
    /// When it left its CPU although it was ready to run.
    preempted_at: Option<u64>,
    /// Time between such moments and the next time on a CPU.
    preempted_ns: u64,
    switches: u64,
    /// The CPU that runs it.
    cpu: Option<u32>,
}

/// What is known of the threads' times up to now.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The thread that each CPU runs, and since when.
    on: FxHashMap<u32, (u32, u64)>,
    now_ns: u64,
    bin_ns: u64,
    bins: Vec<FxHashMap<u32, u64>>,
    accounts: Vec<Account>,
    switches: u64,
}

impl Timeline {
    /// Advances the time to `time_ns` (since the run's start). Records of different CPUs may be slightly out of order.
    fn advance(&mut self, time_ns: u64) {
        let running = self.on.len() as u32;
        let mut from = self.now_ns;
        if self.bin_ns == 0 {
            self.bin_ns = FINEST_NS;
        }
        while running > 0 && from < time_ns {
            let bin = (from / self.bin_ns) as usize;
            if bin >= MOST_BINS {
                self.halve();
                continue;
            }
            let until = time_ns.min((bin as u64 + 1) * self.bin_ns);
            if self.bins.len() <= bin {
                self.bins.resize_with(bin + 1, FxHashMap::default);
            }
            if let Some(levels) = self.bins.get_mut(bin) {
                *levels.entry(running).or_default() += until - from;
            }
            from = until;
        }
        self.now_ns = self.now_ns.max(time_ns);
    }

    /// Bins of twice the width.
    fn halve(&mut self) {
        self.bin_ns *= 2;
        let old = std::mem::take(&mut self.bins);
        self.bins = old
            .chunks(2)
            .map(|pair| {
                let mut levels = FxHashMap::default();
                for (&level, &ns) in pair.iter().flatten() {
                    *levels.entry(level).or_default() += ns;
                }
                levels
            })
            .collect();
    }

    fn account(&mut self, thread: u32) -> &mut Account {
        let index = thread as usize;
        if self.accounts.len() <= index {
            self.accounts.resize_with(index + 1, Account::default);
        }
        &mut self.accounts[index]
    }

    /// A thread was created.
    pub fn born(&mut self, thread: u32, time_ns: u64) {
        self.account(thread).born_ns.get_or_insert(time_ns);
    }

    /// A thread is on a CPU: it was switched in, or a sample or its exec shows it there.
    pub fn runs(&mut self, thread: u32, cpu: u32, time_ns: u64) {
        if self.on.get(&cpu).is_some_and(|&(known, _)| known == thread) {
            return;
        }
        self.leave_cpu(cpu, time_ns);
        // A thread is on one CPU at a time: a switch away from another CPU was lost.
        if let Some(elsewhere) = self.account(thread).cpu {
            self.leave_cpu(elsewhere, time_ns);
        }
        self.advance(time_ns);
        self.on.insert(cpu, (thread, time_ns));
        let account = self.account(thread);
        account.cpu = Some(cpu);
        if let Some(since) = account.preempted_at.take() {
            account.preempted_ns += time_ns.saturating_sub(since);
        }
    }

    /// A thread was switched in or out.
    pub fn switched(&mut self, thread: u32, cpu: u32, time_ns: u64, out: bool, preempted: bool) {
        self.switches += 1;
        self.account(thread).switches += 1;
        if !out {
            return self.runs(thread, cpu, time_ns);
        }
        if self.on.get(&cpu).is_some_and(|&(known, _)| known == thread) {
            self.leave_cpu(cpu, time_ns);
        }
        self.account(thread).preempted_at = preempted.then_some(time_ns);
    }

    /// A thread ended.
    pub fn ended(&mut self, thread: u32, time_ns: u64) {
        if let Some(cpu) = self.account(thread).cpu {
            self.leave_cpu(cpu, time_ns);
        }
        let account = self.account(thread);
        account.ended_ns = Some(time_ns);
        account.preempted_at = None;
    }

    fn leave_cpu(&mut self, cpu: u32, time_ns: u64) {
        if !self.on.contains_key(&cpu) {
            return;
        }
        self.advance(time_ns);
        if let Some((thread, since)) = self.on.remove(&cpu) {
            let account = self.account(thread);
            account.ran_ns += time_ns.saturating_sub(since);
            account.cpu = None;
        }
    }

    /// How many CPUs ran the program; absent without a single switch. The run ended at `end_ns`.
    pub fn running(&mut self, end_ns: u64) -> Option<Running> {
        if self.switches == 0 {
            return None;
        }
        let cpus: Vec<u32> = self.on.keys().copied().collect();
        for cpu in cpus {
            self.leave_cpu(cpu, end_ns);
        }
        let bins = self.bins.iter().map(|levels| {
            let mut levels: Vec<(u32, u64)> = levels.iter().map(|(&level, &ns)| (level, ns)).collect();
            levels.sort_unstable();
            levels
        });
        Some(Running { bin_ns: self.bin_ns, bins: bins.collect() })
    }

    /// The clock of a thread at the end of the run.
    pub fn thread(&self, thread: u32, end_ns: u64) -> ThreadClock {
        let account = self.accounts.get(thread as usize).copied().unwrap_or_default();
        let ended = account.ended_ns.unwrap_or(end_ns);
        let exact = account.switches > 0;
        ThreadClock {
            lifetime_ns: ended.saturating_sub(account.born_ns.unwrap_or(0)),
            ran_ns: exact.then_some(account.ran_ns),
            delayed_ns: exact.then_some(account.preempted_ns),
            ..ThreadClock::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn total(running: &Running) -> Vec<(u32, u64)> {
        let mut levels: FxHashMap<u32, u64> = FxHashMap::default();
        for &(level, ns) in running.bins.iter().flatten() {
            *levels.entry(level).or_default() += ns;
        }
        let mut levels: Vec<_> = levels.into_iter().collect();
        levels.sort_unstable();
        levels
    }

    #[test]
    fn a_third_of_an_interval_is_a_third() {
        let mut timeline = Timeline::default();
        for period in 0..10 {
            timeline.switched(0, 1, period * 10 * MS, false, false);
            timeline.switched(0, 1, period * 10 * MS + 3_200_000, true, false);
        }
        let running = timeline.running(100 * MS).unwrap();
        assert_eq!(total(&running), [(1, 32 * MS)]);
        let thread = timeline.thread(0, 100 * MS);
        assert_eq!(
            (thread.ran_ns, thread.lifetime_ns, thread.delayed_ns),
            (Some(32 * MS), 100 * MS, Some(0))
        );
        assert_eq!(thread.blocked_ns(), Some(68 * MS));
    }

    #[test]
    fn two_threads_overlap_exactly() {
        let mut timeline = Timeline::default();
        timeline.switched(0, 0, 0, false, false);
        timeline.switched(1, 1, 5 * MS, false, false);
        timeline.switched(0, 0, 15 * MS, true, true);
        timeline.switched(1, 1, 20 * MS, true, false);
        timeline.switched(0, 1, 22 * MS, false, false);
        timeline.ended(0, 30 * MS);
        let running = timeline.running(30 * MS).unwrap();
        assert_eq!(total(&running), [(1, 18 * MS), (2, 10 * MS)]);
        assert_eq!(timeline.thread(0, 30 * MS).delayed_ns, Some(7 * MS), "it was preempted");
        assert_eq!(timeline.thread(1, 30 * MS).delayed_ns, Some(0), "it went to sleep");
    }

    #[test]
    fn a_lost_switch_is_made_up_for() {
        let mut timeline = Timeline::default();
        timeline.switched(0, 0, 0, false, false);
        // Its switch out was lost; the next thread on the CPU ends it.
        timeline.switched(1, 0, 10 * MS, false, false);
        // And a sample shows it elsewhere although its switch out and in were lost.
        timeline.runs(1, 1, 14 * MS);
        let running = timeline.running(20 * MS).unwrap();
        assert_eq!(total(&running), [(1, 20 * MS)]);
    }

    #[test]
    fn a_long_run_keeps_few_bins_and_all_of_its_time() {
        let mut timeline = Timeline::default();
        let mut expected = 0;
        for second in 0..200 {
            timeline.switched(0, 0, second * 1000 * MS, false, false);
            timeline.switched(0, 0, second * 1000 * MS + 250 * MS, true, false);
            expected += 250 * MS;
        }
        let running = timeline.running(200_000 * MS).unwrap();
        assert!(running.bins.len() <= MOST_BINS);
        assert_eq!(total(&running), [(1, expected)]);
        assert!(Timeline::default().running(5).is_none());
    }
}
