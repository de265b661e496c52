//! Vectors of 128 bits.

use super::lanes::{Lanes, entry, rest_by_16, reversed};
use std::arch::x86_64::*;

entry!("sse4.2,ssse3,popcnt", __m128i);

impl Lanes for __m128i {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn pattern<const WIDTH: usize>() -> Self {
        // SAFETY: the caller has the level; 16 bytes are read.
        unsafe { _mm_loadu_si128(reversed::<WIDTH>().as_ptr().cast()) }
    }
    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: the caller has the level and 16 bytes there.
        unsafe { _mm_loadu_si128(source.cast()) }
    }
    #[inline(always)]
    unsafe fn shuffled(self, pattern: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm_shuffle_epi8(self, pattern) }
    }
    #[inline(always)]
    unsafe fn store(self, destination: *mut u8) {
        // SAFETY: the caller has the level and 16 bytes there.
        unsafe { _mm_storeu_si128(destination.cast(), self) }
    }
    #[inline(always)]
    unsafe fn stream(self, destination: *mut u8) {
        // SAFETY: the caller has the level and 16 aligned bytes there, and fences.
        unsafe { _mm_stream_si128(destination.cast(), self) }
    }
    #[inline(always)]
    unsafe fn rest<const WIDTH: usize>(source: *const u8, destination: *mut u8, bytes: usize, _: Self) {
        // SAFETY: the caller's promises.
        unsafe { rest_by_16::<WIDTH>(source, destination, bytes) }
    }
}
