//! How the time is shared: what the program's runs ask for, what the program against itself gets, each change and the best together.
//!
//! Whole runs are what costs: a pair for each observation. Where runs are long, fewer pairs are taken, and claims need all of them
//! (`loopwright_analysis::tried`): something that can be said is worth more than a precise number that there is no time for.

use crate::asked::Asked;
use loopwright_analysis::tried::{FEW_ITSELF, FEW_PAIRS, LEAST_PAIRS};
use std::time::{Duration, Instant};

/// Limits of the budget that is chosen for a program: an experienced user waits for minutes without a thought, not for hours.
const CHOSEN: (Duration, Duration) = (Duration::from_secs(600), Duration::from_secs(1800));
/// Part of the budget that is kept for the best changes together.
const FOR_TOGETHER: f64 = 0.2;
/// Part of the budget that is left to the changes by more than the fewest pairs of the program against itself.
const FOR_CHANGES: f64 = 0.8;

/// Most time before the runs of the program are known: of each compiler and of each run.
pub(crate) fn at_first(asked: &Asked) -> Duration {
    asked.budget.unwrap_or(CHOSEN.1)
}

/// The whole time: what the user gives, else what is wanted, within the limits of what is chosen.
pub(crate) fn whole(given: Option<Duration>, wanted: Duration) -> Duration {
    given.unwrap_or_else(|| wanted.clamp(CHOSEN.0, CHOSEN.1))
}

/// The time of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    start: Instant,
    whole: Duration,
    /// About the time of one pair of runs.
    pair: Duration,
}

impl Budget {
    /// `given` by the user, or what the changes ask for; `builds` has about the time that compilers take for each.
    pub fn new(start: Instant, given: Option<Duration>, pair: Duration, builds: &[Duration]) -> Self {
        let mut this = Self { start, whole: Duration::ZERO, pair };
        this.whole = whole(given, this.wanted(builds));
        this
    }

    /// All of it.
    pub fn whole(&self) -> Duration {
        self.whole
    }

    /// When it ends.
    pub fn deadline(&self) -> Instant {
        self.start + self.whole
    }

    /// With this much, after what was built and run so far, everything has the pairs that it should have.
    fn wanted(&self, builds: &[Duration]) -> Duration {
        let itself = times(self.pair, LEAST_PAIRS);
        self.start.elapsed() + (itself + self.changes(builds, LEAST_PAIRS)).div_f64(1.0 - FOR_TOGETHER)
    }

    /// The time of several changes with this number of pairs each.
    fn changes(&self, builds: &[Duration], pairs: usize) -> Duration {
        builds.iter().map(|build| self.change(*build, pairs)).sum()
    }

    /// Whether one more pair of the program against itself, after `done`, leaves enough to the changes.
    pub fn has_time_for_itself(&self, done: usize) -> bool {
        done < FEW_ITSELF || Instant::now() + self.pair + self.whole.mul_f64(FOR_CHANGES) <= self.deadline()
    }

    /// What is left for changes.
    pub fn left(&self) -> Duration {
        let end = self.deadline() - self.whole.mul_f64(FOR_TOGETHER);
        end.saturating_duration_since(Instant::now())
    }

    /// Pairs that the first of the `waiting` changes, by the time of their builds, has at least; none where there is no time for it.
    pub fn least_pairs(&self, waiting: &[Duration]) -> Option<usize> {
        let left = self.left();
        if self.changes(waiting, LEAST_PAIRS) <= left {
            return Some(LEAST_PAIRS);
        }
        let first = waiting.first().copied().unwrap_or_default();
        (self.change(first, FEW_PAIRS) <= left).then_some(FEW_PAIRS)
    }

    /// The time of one change with this number of pairs.
    pub fn change(&self, build: Duration, pairs: usize) -> Duration {
        build + times(self.pair, pairs)
    }

    /// Pairs that fit until the end.
    pub fn pairs_to_the_end(&self) -> usize {
        let left = self.deadline().saturating_duration_since(Instant::now());
        (left.as_secs_f64() / self.pair.as_secs_f64().max(1e-6)) as usize
    }

    /// The budget with which these changes would have been tried, too.
    pub fn with_more(&self, builds: &[Duration]) -> Duration {
        self.whole + self.changes(builds, FEW_PAIRS).div_f64(1.0 - FOR_TOGETHER)
    }
}

fn times(one: Duration, many: usize) -> Duration {
    one * u32::try_from(many).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn budget(given: Option<u64>, pair: u32, changes: usize) -> Budget {
        Budget::new(Instant::now(), given.map(Duration::from_secs), pair * SECOND, &vec![SECOND; changes])
    }

    #[test]
    fn a_budget_fits_the_runs_unless_the_user_gives_one() {
        assert_eq!(budget(None, 1, 5).whole(), CHOSEN.0, "short runs");
        let long = budget(None, 8, 20).whole();
        assert!(long > CHOSEN.0 && long < CHOSEN.1, "{long:?}");
        assert_eq!(budget(None, 600, 20).whole(), CHOSEN.1);
        assert_eq!(budget(Some(45), 8, 20).whole(), 45 * SECOND);
    }

    #[test]
    fn what_is_built_slowly_does_not_keep_the_others_from_being_tried() {
        let budget = budget(Some(60), 1, 0);
        let slow = [100 * SECOND, SECOND];
        assert_eq!((budget.least_pairs(&slow), budget.least_pairs(&slow[1..])), (None, Some(LEAST_PAIRS)));
    }

    #[test]
    fn long_runs_have_fewer_pairs_and_none_where_none_fit() {
        assert_eq!(budget(None, 1, 5).least_pairs(&[SECOND; 5]), Some(LEAST_PAIRS));
        assert_eq!(budget(Some(45), 8, 3).least_pairs(&[SECOND; 3]), Some(FEW_PAIRS));
        assert_eq!(budget(Some(20), 8, 3).least_pairs(&[SECOND; 3]), None);
        let more = budget(Some(20), 8, 3).with_more(&[SECOND; 2]);
        assert!(more > 80 * SECOND && more < 90 * SECOND, "{more:?}");
        assert!(budget(Some(1), 8, 3).has_time_for_itself(1), "noise must be known");
        assert!(!budget(Some(30), 8, 3).has_time_for_itself(FEW_ITSELF));
    }
}
