//! Vectors of 512 bits; ends are loaded and stored under a mask.

use super::lanes::{Lanes, entry, reversed};
use std::arch::x86_64::*;

entry!("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt", __m512i);

impl Lanes for __m512i {
    const BYTES: usize = 64;

    #[inline(always)]
    unsafe fn pattern<const WIDTH: usize>() -> Self {
        // SAFETY: the caller has the level; 16 bytes are read.
        unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(reversed::<WIDTH>().as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: the caller has the level and 64 bytes there.
        unsafe { _mm512_loadu_si512(source.cast()) }
    }
    #[inline(always)]
    unsafe fn shuffled(self, pattern: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_shuffle_epi8(self, pattern) }
    }
    #[inline(always)]
    unsafe fn store(self, destination: *mut u8) {
        // SAFETY: the caller has the level and 64 bytes there.
        unsafe { _mm512_storeu_si512(destination.cast(), self) }
    }
    #[inline(always)]
    unsafe fn stream(self, destination: *mut u8) {
        // SAFETY: the caller has the level and 64 aligned bytes there, and fences.
        unsafe { _mm512_stream_si512(destination.cast(), self) }
    }
    #[inline(always)]
    unsafe fn rest<const WIDTH: usize>(source: *const u8, destination: *mut u8, bytes: usize, pattern: Self) {
        // SAFETY: the caller has the level; bytes outside the mask are neither read nor written.
        unsafe {
            let mask = _bzhi_u64(u64::MAX, bytes as u32);
            let vector = _mm512_maskz_loadu_epi8(mask, source.cast());
            _mm512_mask_storeu_epi8(destination.cast(), mask, _mm512_shuffle_epi8(vector, pattern));
        }
    }
}
