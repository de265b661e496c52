//! Which loops are traced when: each chosen one at its first entries until it has its share, then in turn.
//!
//! A thread without a chunk that enters a loop (or begins an iteration of it) which has not had its share
//! requests one and waits for the answer, some tens of microseconds. So a loop is seen however early, late or
//! briefly it runs. The number of requests of a loop is bounded, and so is what it gets; further records of
//! it come from windows ([`super::lending`]).

use super::registry::Registry;
use crate::runtime::areas::trace::{MOST_SHARES, PASSED, SERVED};
use crate::runtime::shared_memory::Area;

/// Most chunks that are lent for one loop: several, so that entries from different parts of the run and of
/// several threads are recorded.
const MOST_GRANTS: u8 = 4;
/// Words of records that are enough of a loop: with an address for every other word some thousands of accesses, which
/// show strides and distances. Less than a loop may write of a chunk that it requested (37 KiB).
const ENOUGH: u64 = 4 << 10;

/// The shares that loops have had.
#[derive(Debug, Default)]
pub struct Shares {
    grants: Vec<u8>,
    asked: Vec<bool>,
    seen: Vec<u64>,
    /// Number of shares in the emitted code.
    known: u32,
}

impl Shares {
    /// Adds newly registered loops, and the words that were read of each.
    pub fn learn(&mut self, registry: &Registry, seen: Vec<u64>) {
        self.known = registry.known().shares.len() as u32;
        self.seen = seen;
    }

    /// Words of a share that were read.
    fn words(&self, share: u32) -> u64 {
        self.seen.get(share as usize).copied().unwrap_or(0)
    }

    /// Whether a loop may request a chunk. Of an unknown loop nothing was seen.
    pub fn is_owed(&self, share: u32) -> bool {
        let grants = self.grants.get(share as usize).copied().unwrap_or(0);
        grants < MOST_GRANTS && self.words(share) < ENOUGH
    }

    /// Whether a chunk was lent for the loop, or records of it have been read.
    pub fn was_granted(&self, share: u32) -> bool {
        self.grants.get(share as usize).is_some_and(|&grants| grants > 0) || self.words(share) > 0
    }

    /// Whether code of the loop ran, in either copy.
    pub fn was_entered(&self, share: u32) -> bool {
        self.asked.get(share as usize).copied().unwrap_or(false) || self.words(share) > 0
    }

    /// A thread requests a chunk for a loop: whether it may have one.
    pub fn ask(&mut self, share: u32) -> bool {
        if share >= MOST_SHARES {
            return false; // The emitted code did not write this number.
        }
        let at = share as usize;
        if self.asked.len() <= at {
            self.asked.resize(at + 1, false);
            self.grants.resize(at + 1, 0);
        }
        self.asked[at] = true;
        self.is_owed(share)
    }

    /// A chunk was lent to a thread for a loop: it makes no request for it until [`Shares::rearm`].
    pub fn granted(&mut self, share: u32, area: &Area) {
        if let Some(grants) = self.grants.get_mut(share as usize) {
            *grants = grants.saturating_add(1);
        }
        area.mark(share, SERVED);
    }

    /// Sets what a thread does at each loop in a window in which the loops in `traced` are traced.
    pub fn open_window(&self, area: &Area, traced: &dyn Fn(u32) -> bool) {
        area.choose(self.known, |share| match traced(share) {
            _ if self.is_owed(share) => 0,
            true => SERVED,
            false => PASSED | SERVED,
        });
    }

    /// Saves a thread that made its first request all requests that would be refused.
    pub fn introduce(&self, area: &Area) {
        area.choose(self.known, |share| if self.is_owed(share) { 0 } else { SERVED });
    }

    /// Lets a thread make requests again for loops that have not had their share.
    pub fn rearm(&self, area: &Area) {
        for first in (0..self.known).step_by(8) {
            let bits = |k: u32| u64::from((PASSED | SERVED) * u8::from(self.is_owed(first + k))) << (8 * k);
            area.clear_marks(first, (0..8).map(bits).fold(0, |a, b| a | b));
        }
    }

    /// Which loops to trace in a window: all in every other one, else those with no more words than the
    /// average of the loops that were seen.
    pub fn wanted(&self, window: u64) -> Vec<bool> {
        let counts = || (0..self.known).map(|s| self.words(s));
        let active = counts().filter(|&words| words > 0).count().max(1) as u64;
        let mean = counts().sum::<u64>() / active;
        counts().map(|words| window.is_multiple_of(2) || words <= mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_owed_until_it_has_been_seen_or_asked_often() {
        let mut shares = Shares::default();
        assert!(shares.is_owed(5) && !shares.was_entered(5));
        assert!(shares.ask(5));
        assert!(shares.was_entered(5) && !shares.was_entered(4));
        shares.grants[5] = MOST_GRANTS;
        assert!(!shares.ask(5));
        shares.seen = vec![ENOUGH - 1, ENOUGH, 0];
        assert!(shares.is_owed(0) && !shares.is_owed(1));
        assert!(!shares.ask(1) && !shares.ask(MOST_SHARES));
        assert!(shares.was_entered(0) && !shares.was_entered(2));
    }

    #[test]
    fn windows_prefer_what_was_seen_little() {
        let shares = Shares { known: 4, seen: vec![100, 10, 0], ..Shares::default() };
        assert_eq!(shares.wanted(2), [true; 4]);
        assert_eq!(shares.wanted(3), [false, true, true, true]);
    }
}
