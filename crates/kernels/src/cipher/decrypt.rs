//! CBC decryption: no block waits for another, so that as many are under way as the units take.

use std::arch::x86_64::*;

/// Vectors of blocks.
pub trait Blocks: Copy {
    /// Blocks in a vector.
    const COUNT: usize;

    /// The same block throughout.
    ///
    /// # Safety
    /// The processor must have the instructions of the implementation, here and in the other functions.
    unsafe fn splat(block: __m128i) -> Self;
    /// # Safety
    /// As for `splat`, and the pointer must be followed by a vector.
    unsafe fn load(blocks: *const [u8; 16]) -> Self;
    /// # Safety
    /// As for `load`, writable.
    unsafe fn store(self, blocks: *mut [u8; 16]);
    /// # Safety
    /// As for `splat`.
    unsafe fn xor(self, other: Self) -> Self;
    /// # Safety
    /// As for `splat`.
    unsafe fn round(self, key: Self) -> Self;
    /// # Safety
    /// As for `splat`.
    unsafe fn last_round(self, key: Self) -> Self;
    /// The blocks before these: the last one of `earlier`, then all but the last of `self`.
    ///
    /// # Safety
    /// As for `splat`.
    unsafe fn shifted(self, earlier: Self) -> Self;
}

/// Decrypts eight vectors at a time and returns how many blocks that were. `keys` are those of the equivalent inverse
/// cipher (FIPS 197, section 5.3.5), in the order of their use.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub unsafe fn decrypt<V: Blocks>(keys: &[[u8; 16]], iv: &[u8; 16], blocks: &mut [[u8; 16]]) -> usize {
    let ([first, middle @ ..], Some(last)) = (keys, keys.last()) else { return 0 };
    let middle = &middle[..middle.len().saturating_sub(1)];
    let groups = blocks.len() / (8 * V::COUNT);
    // SAFETY: the caller vouches for the instructions; `groups` keeps the vectors within the blocks.
    unsafe {
        let key = |key: &[u8; 16]| V::splat(_mm_loadu_si128(key.as_ptr().cast()));
        let (first, last) = (key(first), key(last));
        let mut earlier = key(iv);
        for group in 0..groups {
            let begin = blocks.as_mut_ptr().add(8 * V::COUNT * group);
            let mut before = [first; 8];
            let mut states = [first; 8];
            for n in 0..8 {
                let vector = V::load(begin.add(V::COUNT * n));
                before[n] = vector.shifted(earlier).xor(last);
                states[n] = vector.xor(first);
                earlier = vector;
            }
            for one in middle {
                let one = key(one);
                for state in &mut states {
                    *state = state.round(one);
                }
            }
            for n in 0..8 {
                // The last step of the inverse cipher adds the key, and with it the block before.
                states[n].last_round(before[n]).store(begin.add(V::COUNT * n));
            }
        }
    }
    8 * V::COUNT * groups
}

/// Decrypts blocks one by one: what vectors leave.
///
/// # Safety
/// The processor must have AES-NI.
#[inline(always)]
pub unsafe fn decrypt_rest(keys: &[[u8; 16]], iv: &[u8; 16], blocks: &mut [[u8; 16]]) {
    let ([first, middle @ ..], Some(last)) = (keys, keys.last()) else { return };
    let middle = &middle[..middle.len().saturating_sub(1)];
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let load = |block: &[u8; 16]| _mm_loadu_si128(block.as_ptr().cast());
        let mut before = load(iv);
        for block in blocks {
            let ciphertext = load(block);
            let mut state = _mm_xor_si128(ciphertext, load(first));
            for key in middle {
                state = _mm_aesdec_si128(state, load(key));
            }
            let plain = _mm_aesdeclast_si128(state, _mm_xor_si128(load(last), before));
            _mm_storeu_si128(block.as_mut_ptr().cast(), plain);
            before = ciphertext;
        }
    }
}

/// Defines a level's function that decrypts everything: whole groups of vectors, then single blocks.
macro_rules! decryption {
    ($name:ident, $features:literal, $vector:ty) => {
        /// Decrypts in CBC mode.
        ///
        /// # Safety
        /// The processor must have the features.
        #[target_feature(enable = $features)]
        pub unsafe fn $name(keys: &[[u8; 16]], iv: &[u8; 16], blocks: &mut [[u8; 16]]) {
            let chains = |index: usize, blocks: &[[u8; 16]]| match index {
                0 => *iv,
                _ => blocks[index - 1],
            };
            let whole = blocks.len() / (8 * <$vector as $crate::cipher::decrypt::Blocks>::COUNT)
                * (8 * <$vector as $crate::cipher::decrypt::Blocks>::COUNT);
            // The chain of the rest is ciphertext that the vectors overwrite.
            let chain = chains(whole, blocks);
            // SAFETY: the caller has the features.
            unsafe {
                let done = $crate::cipher::decrypt::decrypt::<$vector>(keys, iv, blocks);
                $crate::cipher::decrypt::decrypt_rest(keys, &chain, &mut blocks[done..]);
            }
        }
    };
}
pub(super) use decryption;

impl Blocks for __m128i {
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn splat(block: __m128i) -> __m128i {
        block
    }
    #[inline(always)]
    unsafe fn load(blocks: *const [u8; 16]) -> __m128i {
        // SAFETY: the caller vouches for a block.
        unsafe { _mm_loadu_si128(blocks.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, blocks: *mut [u8; 16]) {
        // SAFETY: the caller vouches for a block.
        unsafe { _mm_storeu_si128(blocks.cast(), self) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: __m128i) -> __m128i {
        // SAFETY: every processor of the architecture has SSE2.
        unsafe { _mm_xor_si128(self, other) }
    }
    #[inline(always)]
    unsafe fn round(self, key: __m128i) -> __m128i {
        // SAFETY: the caller vouches for AES-NI.
        unsafe { _mm_aesdec_si128(self, key) }
    }
    #[inline(always)]
    unsafe fn last_round(self, key: __m128i) -> __m128i {
        // SAFETY: the caller vouches for AES-NI.
        unsafe { _mm_aesdeclast_si128(self, key) }
    }
    #[inline(always)]
    unsafe fn shifted(self, earlier: __m128i) -> __m128i {
        earlier
    }
}
