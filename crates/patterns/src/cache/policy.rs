//! Which line of a set is evicted: the replacement policies for caches that keep a line in one slot (way)
//! while it is there. LRU and FIFO keep their lines in order instead; see [`super::set`].
//!
//! - **PLRU**: a binary tree over the ways; each inner node points to the half used longer ago (Handy, *The Cache
//!   Memory Book*, 1998; measured in many first-level caches: Abel and Reineke, *uops.info*/nanoBench, ISPASS 2020).
//! - **NRU**: a bit per way, set at use; when all are set, all others are cleared; the first way with a clear bit is
//!   evicted (also known as bit-PLRU or MRU: Malamy et al., US patent 5353425, 1994).
//! - **SRRIP**: a two-bit prediction of the next use per way: 2 when filled, 0 at a hit ("hit priority"); the first way
//!   with 3 is evicted, after all have been aged until there is one (Jaleel et al., *High Performance Cache Replacement
//!   Using Re-Reference Interval Prediction*, ISCA 2010).
//! - **Random**: xorshift64* (Vigna, 2016) from a fixed seed, so that results repeat.
//!
//! Empty ways are filled first, lowest first.

use crate::facts::Replacement;

/// Longest predicted interval of two-bit SRRIP.
const DISTANT: u8 = 3;
/// Prediction for a line that was just filled.
const LONG: u8 = 2;

/// Updates the state of a set, one byte per way, after a use. NRU: used; SRRIP: prediction; PLRU: inner node `n` of the
/// tree at index `n` (the root is 1, children of `n` are `2n` and `2n + 1`), 1 when the upper half is older.
pub(super) fn used(policy: Replacement, state: &mut [u8], way: usize, filled: bool) {
    match policy {
        Replacement::Plru => {
            let mut node = state.len() + way;
            while node > 1 {
                // Away from the half that holds this way.
                let lower = node.is_multiple_of(2);
                node /= 2;
                state[node] = u8::from(lower);
            }
        }
        Replacement::Nru => {
            state[way] = 1;
            if state.iter().all(|&bit| bit == 1) {
                state.fill(0);
                state[way] = 1;
            }
        }
        Replacement::Srrip => state[way] = if filled { LONG } else { 0 },
        Replacement::Lru | Replacement::Fifo | Replacement::Random => {}
    }
}

/// The way to evict from a full set.
pub(super) fn victim(policy: Replacement, state: &mut [u8], random: &mut Xorshift) -> usize {
    let ways = state.len();
    match policy {
        Replacement::Plru => {
            let mut node = 1;
            while node < ways {
                node = 2 * node + usize::from(state[node]);
            }
            node - ways
        }
        // With one way its bit is always set.
        Replacement::Nru => state.iter().position(|&bit| bit == 0).unwrap_or(0),
        Replacement::Srrip => {
            let oldest = state.iter().copied().max().unwrap_or(DISTANT);
            for prediction in state.iter_mut() {
                *prediction += DISTANT - oldest;
            }
            state.iter().position(|&prediction| prediction == DISTANT).unwrap_or(0)
        }
        Replacement::Random => random.below(ways),
        Replacement::Lru | Replacement::Fifo => ways - 1,
    }
}

/// Distinct lines that a set must have seen after a gap before all earlier lines are known to be gone.
///
/// LRU: the ways (each new line outlives all that were there). FIFO: `2 ways - 1` (up to `ways` of them may
/// have been there; Reineke et al., *Timing predictability of cache replacement policies*, Real-Time Systems
/// 2007, "evict"). SRRIP: `5 ways` (an old line needs three agings and each aging at most `ways` misses, one
/// more round to be evicted, and up to `ways` lines may have been there). PLRU and NRU: the bound of Reineke
/// et al. (rounded up), which holds when no line is used twice meanwhile. Random: `1 + 8` times the ways,
/// after which an old line is still there with a probability below 0.001.
pub(super) fn turnover(policy: Replacement, ways: u64) -> u64 {
    match policy {
        Replacement::Lru => ways,
        Replacement::Fifo => 2 * ways - 1,
        Replacement::Plru => (ways / 2 * u64::from(ways.max(1).ilog2()) + 1).max(ways),
        Replacement::Nru => (2 * ways).saturating_sub(2).max(ways),
        Replacement::Srrip => 5 * ways,
        Replacement::Random => 9 * ways,
    }
}

/// A small random generator.
#[derive(Clone, Debug)]
pub(super) struct Xorshift(u64);

impl Default for Xorshift {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Xorshift {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * bound as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree of four ways: after uses of A B C D in order, A is the victim; then a use of A points to the other
    /// half, where C is older.
    #[test]
    fn the_tree_points_away_from_what_was_used() {
        let mut tree = [0; 4];
        let mut random = Xorshift::default();
        for way in 0..4 {
            used(Replacement::Plru, &mut tree, way, true);
        }
        assert_eq!(victim(Replacement::Plru, &mut tree, &mut random), 0);
        used(Replacement::Plru, &mut tree, 0, false);
        assert_eq!(victim(Replacement::Plru, &mut tree, &mut random), 2);
        // LRU would take C again; the tree has forgotten that B is younger than D.
        used(Replacement::Plru, &mut tree, 2, false);
        assert_eq!(victim(Replacement::Plru, &mut tree, &mut random), 1);
    }

    /// Figure 4 of Jaleel et al.: a1 a2 a2 a1 b1 b2 b3 b4 a1 a2 on four ways with hit priority: both a's are still
    /// there after the scan, where LRU has lost them.
    #[test]
    fn srrip_resists_a_scan() {
        let mut lines: [Option<&str>; 4] = [None; 4];
        let mut state = [DISTANT; 4];
        let mut random = Xorshift::default();
        let mut hits = Vec::new();
        for line in ["a1", "a2", "a2", "a1", "b1", "b2", "b3", "b4", "a1", "a2"] {
            if let Some(way) = lines.iter().position(|&l| l == Some(line)) {
                hits.push(line);
                used(Replacement::Srrip, &mut state, way, false);
            } else {
                let way = victim(Replacement::Srrip, &mut state, &mut random);
                lines[way] = Some(line);
                used(Replacement::Srrip, &mut state, way, true);
            }
        }
        assert_eq!(hits, ["a2", "a1", "a1", "a2"]);
        assert_eq!(lines, [Some("a1"), Some("a2"), Some("b3"), Some("b4")]);
        assert_eq!(state, [0, 0, 2, 2], "the figure's last row");
    }

    #[test]
    fn random_numbers_stay_below_and_repeat() {
        let draw = || {
            let mut random = Xorshift::default();
            (0..1000).map(|_| random.below(7)).collect::<Vec<_>>()
        };
        let first = draw();
        assert_eq!(first, draw());
        for way in 0..7 {
            let n = first.iter().filter(|&&w| w == way).count();
            assert!((90..200).contains(&n), "way {way}: {n}");
        }
    }
}
