//! Vectors of 512 bits.

use super::lanes::{Lanes, entries};
use std::arch::x86_64::*;

entries!("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt", __m512i, 64, four: 1, two: 2);

impl Lanes for __m512i {
    const BYTES: usize = 64;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the caller has the level and 64 bytes there.
        unsafe { _mm512_loadu_si512(bytes.cast()) }
    }
    #[inline(always)]
    unsafe fn add64(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_add_epi64(self, other) }
    }
    #[inline(always)]
    unsafe fn sub64(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_sub_epi64(self, other) }
    }
    #[inline(always)]
    unsafe fn add32(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_add_epi32(self, other) }
    }
    #[inline(always)]
    unsafe fn upper(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_slli_epi64::<32>(self) }
    }
    #[inline(always)]
    unsafe fn odd32(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_srli_epi64::<32>(self) }
    }
    #[inline(always)]
    unsafe fn odd16(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_srli_epi32::<16>(self) }
    }
    #[inline(always)]
    unsafe fn swap32(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe {
            _mm512_shuffle_epi8(
                self,
                _mm512_set_epi64(
                    0x0c0d0e0f_08090a0b,
                    0x04050607_00010203,
                    0x0c0d0e0f_08090a0b,
                    0x04050607_00010203,
                    0x0c0d0e0f_08090a0b,
                    0x04050607_00010203,
                    0x0c0d0e0f_08090a0b,
                    0x04050607_00010203,
                ),
            )
        }
    }
    #[inline(always)]
    unsafe fn swap64(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe {
            _mm512_shuffle_epi8(
                self,
                _mm512_set_epi64(
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                ),
            )
        }
    }
    #[inline(always)]
    unsafe fn sum_bytes(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_sad_epu8(self, _mm512_setzero_si512()) }
    }
    #[inline(always)]
    unsafe fn weigh_bytes(self, weights: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_madd_epi16(_mm512_maddubs_epi16(self, weights), _mm512_set1_epi16(1)) }
    }
    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a prefetch reads nothing, so any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[inline(always)]
    unsafe fn store(self, lanes: *mut u64) {
        // SAFETY: the caller has the level and room for 64 bytes there.
        unsafe { _mm512_storeu_si512(lanes.cast(), self) };
    }
    #[inline(always)]
    unsafe fn lanes(self) -> [u64; 8] {
        let mut lanes = [0; 8];
        // SAFETY: the caller has the level; 64 bytes are written.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self) };
        lanes
    }
}
