//! Which loops are traced when: each chosen one at its first entries until it has its share, then in turn.
//!
//! A thread that has no chunk where a loop begins (or goes round) for which a share is owed asks for one and waits for
//! the answer, some tens of microseconds. So a loop is seen however early, late or briefly it runs. How often a loop may
//! ask is bounded, and so is what it gets; what is seen of it beyond that comes from windows ([`super::lending`]).

use super::registry::Registry;
use crate::runtime::areas::trace::{MOST_SHARES, PASSED, SERVED};
use crate::runtime::shared_memory::Area;

/// Chunks that are lent for a loop's sake: several, so that entries from different parts of the run are among them, and
/// entries of several threads.
const MOST_GRANTS: u8 = 4;
/// Words of records that are enough of a loop: with an address for every other word some thousands of accesses, from
/// which strides and distances are known. Less than a loop may write of a chunk that it asked for (37 KiB).
const ENOUGH: u64 = 4 << 10;

/// What loops have had.
#[derive(Debug, Default)]
pub struct Shares {
    grants: Vec<u8>,
    asked: Vec<bool>,
    seen: Vec<u64>,
    /// Shares that the emitted code may know.
    known: u32,
}

impl Shares {
    /// Takes over what has become known: loops, and the words that were read of each.
    pub fn learn(&mut self, registry: &Registry, seen: Vec<u64>) {
        self.known = registry.known().shares.len() as u32;
        self.seen = seen;
    }

    /// Words of a share that were read.
    fn words(&self, share: u32) -> u64 {
        self.seen.get(share as usize).copied().unwrap_or(0)
    }

    /// Whether a loop may ask for a chunk. Of one that is not known yet nothing was seen.
    pub fn is_owed(&self, share: u32) -> bool {
        let grants = self.grants.get(share as usize).copied().unwrap_or(0);
        grants < MOST_GRANTS && self.words(share) < ENOUGH
    }

    /// Whether a chunk was lent for the loop's sake, or records of it have been read.
    pub fn was_granted(&self, share: u32) -> bool {
        self.grants.get(share as usize).is_some_and(|&grants| grants > 0) || self.words(share) > 0
    }

    /// Whether code of the loop ran, in whatever copy.
    pub fn was_entered(&self, share: u32) -> bool {
        self.asked.get(share as usize).copied().unwrap_or(false) || self.words(share) > 0
    }

    /// A thread asks for a chunk for a loop's sake: whether it may have one.
    pub fn ask(&mut self, share: u32) -> bool {
        if share >= MOST_SHARES {
            return false; // Not what the emitted code wrote.
        }
        let at = share as usize;
        if self.asked.len() <= at {
            self.asked.resize(at + 1, false);
            self.grants.resize(at + 1, 0);
        }
        self.asked[at] = true;
        self.is_owed(share)
    }

    /// A chunk was lent to a thread for a loop's sake: it does not ask again until [`Shares::rearm`].
    pub fn granted(&mut self, share: u32, area: &Area) {
        if let Some(grants) = self.grants.get_mut(share as usize) {
            *grants = grants.saturating_add(1);
        }
        area.mark(share, SERVED);
    }

    /// What a thread does at each loop in a window in which those that `traced` names are traced.
    pub fn open_window(&self, area: &Area, traced: &dyn Fn(u32) -> bool) {
        area.choose(self.known, |share| match traced(share) {
            _ if self.is_owed(share) => 0,
            true => SERVED,
            false => PASSED | SERVED,
        });
    }

    /// Spares a thread that asked for the first time all questions that would be refused.
    pub fn introduce(&self, area: &Area) {
        area.choose(self.known, |share| if self.is_owed(share) { 0 } else { SERVED });
    }

    /// Lets a thread ask again for loops that are owed their share.
    pub fn rearm(&self, area: &Area) {
        for first in (0..self.known).step_by(8) {
            let bits = |k: u32| u64::from((PASSED | SERVED) * u8::from(self.is_owed(first + k))) << (8 * k);
            area.clear_marks(first, (0..8).map(bits).fold(0, |a, b| a | b));
        }
    }

    /// Which loops to trace in a window: all in every other one, else those of which no more than the average of those
    /// that were seen at all was seen.
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
