//! Vectors of 128 bits (SSSE3 shuffles bytes).

use super::lanes::{Lanes, entries};
use std::arch::x86_64::*;

entries!("sse4.2,popcnt", __m128i, 16, four: 1, two: 4);

impl Lanes for __m128i {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_setzero_si128() }
    }
    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the caller has the level and 16 bytes there.
        unsafe { _mm_loadu_si128(bytes.cast()) }
    }
    #[inline(always)]
    unsafe fn add64(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_add_epi64(self, other) }
    }
    #[inline(always)]
    unsafe fn sub64(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_sub_epi64(self, other) }
    }
    #[inline(always)]
    unsafe fn add32(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_add_epi32(self, other) }
    }
    #[inline(always)]
    unsafe fn upper(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_slli_epi64::<32>(self) }
    }
    #[inline(always)]
    unsafe fn odd32(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_srli_epi64::<32>(self) }
    }
    #[inline(always)]
    unsafe fn odd16(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_srli_epi32::<16>(self) }
    }
    #[inline(always)]
    unsafe fn swap32(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_shuffle_epi8(self, _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203)) }
    }
    #[inline(always)]
    unsafe fn swap64(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_shuffle_epi8(self, _mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607)) }
    }
    #[inline(always)]
    unsafe fn sum_bytes(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_sad_epu8(self, _mm_setzero_si128()) }
    }
    #[inline(always)]
    unsafe fn weigh_bytes(self, weights: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_madd_epi16(_mm_maddubs_epi16(self, weights), _mm_set1_epi16(1)) }
    }
    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a prefetch reads nothing, so any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[inline(always)]
    unsafe fn store(self, lanes: *mut u64) {
        // SAFETY: the caller has the level and room for 16 bytes there.
        unsafe { _mm_storeu_si128(lanes.cast(), self) };
    }
    #[inline(always)]
    unsafe fn lanes(self) -> [u64; 8] {
        let mut lanes = [0; 8];
        // SAFETY: the caller has the level; 16 of 64 bytes are written.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), self) };
        lanes
    }
}
