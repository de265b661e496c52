//! The kernel against the standards' answers and the reference: every engine, length and alignment, ends of memory, and
//! input that was changed.

mod engines;
mod erased;
mod opening;
mod reference;
mod standards;

use loopwright_kernels::internals::cipher::Hash;

/// Bytes without a pattern, the same for the same seed.
fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

const HASHES: [Hash; 2] = [Hash::Sha1, Hash::Sha256];
