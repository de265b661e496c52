//! The times at which the iterations of a loop entry began.
//!
//! A dependence has the time of its source; its distance is the number of iterations that began since.
//! Successive iterations often take equal time, so that their beginnings are kept as runs of equal steps: one
//! run for a loop without traced inner loops, however long it runs. When the inner loops' lengths vary
//! (triangular nests), runs are short; the oldest are then dropped, and a source before the oldest one that
//! is kept is at least that far away.

use std::collections::VecDeque;

/// Most runs that are kept.
const MOST_RUNS: usize = 1 << 18;

/// Iterations that begin `step` after each other.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    step: u64,
    /// Number of its first iteration.
    first: u64,
    count: u64,
}

/// Beginnings of the iterations of an entry.
#[derive(Clone, Debug, Default)]
pub struct Iterations {
    runs: VecDeque<Span>,
    count: u64,
}

impl Iterations {
    /// An iteration begins.
    pub fn begin(&mut self, clock: u64) {
        let number = self.count;
        self.count += 1;
        if let Some(last) = self.runs.back_mut() {
            let step = clock - (last.start + (last.count - 1) * last.step);
            if last.count == 1 || step == last.step {
                last.step = step;
                last.count += 1;
                return;
            }
            if self.runs.len() == MOST_RUNS {
                self.runs.pop_front();
            }
        }
        self.runs.push_back(Span { start: clock, step: 0, first: number, count: 1 });
    }

    /// Iterations that began since the one that ran at `clock` (a time within this entry).
    pub fn distance(&self, clock: u64) -> u64 {
        let current = self.count.saturating_sub(1);
        let after = self.runs.partition_point(|run| run.start <= clock);
        let number = match after.checked_sub(1).map(|at| self.runs[at]) {
            Some(run) => {
                let steps = (clock - run.start).checked_div(run.step).unwrap_or(0);
                run.first + steps.min(run.count - 1)
            }
            // Before the oldest run that is kept.
            None => self.runs.front().map_or(0, |run| run.first.saturating_sub(1)),
        };
        current - number.min(current)
    }

    /// Bytes that this takes.
    pub fn bytes(&self) -> u64 {
        (self.runs.capacity() * size_of::<Span>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn distances_are_those_of_a_plain_list(steps in prop::collection::vec(1u64..4, 1..60), at in 0usize..60) {
            let mut iterations = Iterations::default();
            let (mut clock, mut starts) = (5, Vec::new());
            for step in &steps {
                clock += step;
                starts.push(clock);
                iterations.begin(clock);
            }
            let now = clock + 3;
            let asked = starts[at % starts.len()] + (at as u64 % 2);
            let asked = asked.min(now);
            let of = |t: u64| starts.iter().filter(|&&s| s <= t).count() as u64;
            prop_assert_eq!(iterations.distance(asked), of(now) - of(asked));
        }
    }

    #[test]
    fn one_run_holds_a_long_loop() {
        let mut iterations = Iterations::default();
        for k in 0..1_000_000 {
            iterations.begin(10 + 3 * k);
        }
        assert_eq!(iterations.runs.len(), 1);
        assert_eq!((iterations.distance(10), iterations.distance(10 + 3 * 999_998 + 2)), (999_999, 1));
    }

    #[test]
    fn what_was_dropped_is_at_least_as_far_as_the_oldest_that_is_kept() {
        let mut iterations = Iterations::default();
        let mut clock = 1;
        for k in 0..3 * MOST_RUNS as u64 {
            clock += 1 + k % 2 * k;
            iterations.begin(clock);
        }
        let kept = iterations.distance(iterations.runs[0].start);
        assert!(iterations.runs.len() == MOST_RUNS && kept > 0);
        assert_eq!(iterations.distance(1), kept + 1);
    }
}
