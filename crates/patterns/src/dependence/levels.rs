//! Which active loop carries an earlier access, and which reads must be kept for that.

use super::iterations::Iterations;
use super::shadow::{HIDDEN, Page, Word};

/// A chosen loop that is active.
#[derive(Debug)]
pub struct Level {
    /// Index in the shape.
    pub loop_: u32,
    /// Module and function of the loop.
    pub function: (u32, u64),
    /// Clock of its first iteration.
    pub entry: u64,
    /// Clock of its current iteration.
    pub start: u64,
    /// Stack pointer at entry.
    pub stack: u64,
    /// Number of this entry.
    pub serial: u64,
    /// Iterations that were seen to begin.
    pub passes: u64,
    /// When its iterations began.
    pub iterations: Iterations,
    /// Places whose history was lost since its entry.
    pub forgotten: u64,
}

/// The level that reaches back to a time: its index, and whether it carries what happened then (else it
/// happened in the level's current iteration).
pub fn reach(levels: &[Level], clock: u64) -> Option<(usize, bool)> {
    let at = levels.iter().rposition(|level| level.entry <= clock)?;
    Some((at, clock < levels[at].start))
}

/// The outermost level for which a read of what was written at `clock` is exposed.
pub fn exposed(levels: &[Level], clock: u64) -> u8 {
    let outermost = levels.iter().position(|level| clock < level.start);
    outermost.map_or(HIDDEN, |at| at.min(usize::from(HIDDEN)) as u8)
}

/// The exposure of an earlier access as far as it concerns entries that are still active.
pub fn effective(levels: &[Level], word: Word) -> u8 {
    let exposure = word.exposure();
    match reach(levels, word.clock()) {
        Some((deepest, _)) if usize::from(exposure) <= deepest => exposure,
        _ => HIDDEN,
    }
}

/// Adds a read to those of a granule; false when an older one had to be dropped.
pub fn remember(page: &mut Page, granule: usize, mut read: Word, levels: &[Level]) -> bool {
    let mut carry = page.get(1, granule);
    let current = reach(levels, read.clock());
    let mut class = reach(levels, carry.clock());
    if carry.clock() == read.clock() || class.is_some() && class == current {
        read = read.exposed(read.exposure().min(effective(levels, carry)));
        return page.set(1, granule, read);
    }
    page.set(1, granule, read);
    let mut plane = 2;
    while class.is_some() {
        let older = page.get(plane, granule);
        let next = reach(levels, older.clock());
        if next == class {
            carry = carry.exposed(effective(levels, carry).min(effective(levels, older)));
            return page.set(plane, granule, carry);
        }
        if !page.set(plane, granule, carry) {
            return false;
        }
        (carry, class) = (older, next);
        plane += 1;
    }
    true
}
