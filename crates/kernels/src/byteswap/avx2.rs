//! Vectors of 256 bits.

use super::lanes::{Lanes, entry, rest_by_16, reversed};
use std::arch::x86_64::*;

entry!("avx2,bmi1,bmi2,lzcnt,popcnt", __m256i);

impl Lanes for __m256i {
    const BYTES: usize = 32;

    #[inline(always)]
    unsafe fn pattern<const WIDTH: usize>() -> Self {
        // SAFETY: the caller has the level; 16 bytes are read.
        unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(reversed::<WIDTH>().as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: the caller has the level and 32 bytes there.
        unsafe { _mm256_loadu_si256(source.cast()) }
    }
    #[inline(always)]
    unsafe fn shuffled(self, pattern: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm256_shuffle_epi8(self, pattern) }
    }
    #[inline(always)]
    unsafe fn store(self, destination: *mut u8) {
        // SAFETY: the caller has the level and 32 bytes there.
        unsafe { _mm256_storeu_si256(destination.cast(), self) }
    }
    #[inline(always)]
    unsafe fn stream(self, destination: *mut u8) {
        // SAFETY: the caller has the level and 32 aligned bytes there, and fences.
        unsafe { _mm256_stream_si256(destination.cast(), self) }
    }
    #[inline(always)]
    unsafe fn rest<const WIDTH: usize>(source: *const u8, destination: *mut u8, bytes: usize, _: Self) {
        // SAFETY: the caller's promises.
        unsafe { rest_by_16::<WIDTH>(source, destination, bytes) }
    }
}
