//! Load latency: a chain of dependent loads through a random cycle over all lines of a working set.
//!
//! Each load's address is the previous load's value, so nothing overlaps and no prefetcher can guess. The
//! cycle is Sattolo's: one cycle through every line. Sizes beyond the huge-page TLB include its misses.

use super::memory::Arena;
use std::arch::asm;

/// Bytes between two nodes: one line of the common x86-64 caches.
const LINE: usize = 64;
const WORDS_PER_LINE: usize = LINE / 8;

/// Smallest working set of the ladder.
pub(crate) const FIRST: usize = 4096;

/// Working sets from 4 KiB to `last` in powers of two.
pub(crate) fn ladder(last: usize) -> Vec<usize> {
    std::iter::successors(Some(FIRST), |size| size.checked_mul(2)).take_while(|&size| size <= last).collect()
}

/// Links every line of the arena's first `bytes` into one random cycle.
pub(crate) fn link(arena: &mut Arena, bytes: usize) {
    let base = arena.as_mut_ptr() as u64;
    let nodes = bytes.min(arena.len()) / LINE;
    let words = arena.integers_mut();
    for node in 0..nodes {
        words[node * WORDS_PER_LINE] = base + (node * LINE) as u64;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for node in (1..nodes).rev() {
        // xorshift64* (Vigna 2016); the high half scaled to 0..node.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let draw = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        let other = ((draw * node as u64) >> 32) as usize;
        words.swap(node * WORDS_PER_LINE, other * WORDS_PER_LINE);
    }
}

/// Loads of one iteration of [`chase`].
pub(crate) const UNROLL: u64 = 16;

/// Follows the cycle that [`link`] wrote for `iterations` x [`UNROLL`] loads; returns the last address.
pub(crate) fn chase(arena: &mut Arena, iterations: u64) -> u64 {
    let mut at = arena.as_mut_ptr() as u64;
    // SAFETY: `link` left in each visited line the address of another line of the arena, which `arena`
    // keeps mapped; only loads are made.
    unsafe {
        asm!(
            "2:",
            ".rept 16",
            "mov {at}, [{at}]",
            ".endr",
            "dec {n}",
            "jnz 2b",
            at = inout(reg) at,
            n = inout(reg) iterations.max(1) => _,
            options(nostack, readonly),
        );
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_visits_every_line_once() {
        let bytes = 64 * 1024;
        let mut arena = Arena::new(bytes).unwrap();
        link(&mut arena, bytes);
        let base = arena.as_mut_ptr() as u64;
        let words = arena.integers_mut();
        let (mut at, mut steps) = (base, 0);
        loop {
            at = words[((at - base) / 8) as usize];
            steps += 1;
            if at == base {
                break;
            }
            assert!(steps <= bytes / LINE, "a cycle that misses the start");
        }
        assert_eq!(steps, bytes / LINE);
        // The assembly makes exactly the stated number of steps: one full cycle ends at the start.
        assert_eq!(chase(&mut arena, (bytes / LINE) as u64 / UNROLL), base);
        assert_ne!(chase(&mut arena, 1), base);
    }

    #[test]
    fn ladder_covers_the_range() {
        assert_eq!(ladder(20_000), [4096, 8192, 16384]);
        assert!(ladder(1).is_empty());
    }
}
