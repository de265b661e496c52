//! Buffers to measure on: page-aligned, filled with unpredictable bytes, touched before use.

use std::ops::{Deref, DerefMut};

const PAGE: usize = 4096;

/// Page-aligned bytes.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    begin: usize,
    len: usize,
}

impl Buffer {
    /// `len` bytes without a pattern, the same for the same seed.
    pub fn random(len: usize, seed: u64) -> Buffer {
        let mut buffer = Buffer::zeroed(len);
        // xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
        let mut state = seed.wrapping_mul(2).wrapping_add(1);
        for chunk in buffer.chunks_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            chunk.copy_from_slice(&state.to_le_bytes()[..chunk.len()]);
        }
        buffer
    }

    /// `len` zeros, on pages that have been written.
    pub fn zeroed(len: usize) -> Buffer {
        // Not `vec![0; n]`: its pages would be the kernel's one page of zeros until they are written.
        let mut bytes = vec![1; len + PAGE];
        bytes.fill(0);
        let begin = bytes.as_ptr().align_offset(PAGE);
        Buffer { bytes, begin, len }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..self.begin + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..self.begin + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_repeat_by_seed() {
        let a = Buffer::random(1001, 1);
        assert_eq!((a.len(), a.as_ptr() as usize % PAGE), (1001, 0));
        assert_eq!(*a, *Buffer::random(1001, 1));
        assert_ne!(*a, *Buffer::random(1001, 2));
        assert!(Buffer::zeroed(5000).iter().all(|&b| b == 0));
    }
}
