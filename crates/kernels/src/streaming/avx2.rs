//! Vectors of 256 bits; ends are loaded and stored under a mask of sign bits.

use super::lanes::{Lanes, entries, instructions};
use std::arch::x86_64::*;

entries!("avx2,bmi1,bmi2,lzcnt,popcnt", __m256, __m256d);

/// All bits of the first `count` lanes of 32 bits.
#[inline(always)]
unsafe fn mask32(count: usize) -> __m256i {
    // SAFETY: the caller has the level.
    unsafe {
        let indices = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), indices)
    }
}

/// All bits of the first `count` lanes of 64 bits.
#[inline(always)]
unsafe fn mask64(count: usize) -> __m256i {
    // SAFETY: the caller has the level.
    unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_setr_epi64x(0, 1, 2, 3)) }
}

impl Lanes for __m256 {
    instructions!(f32, 8, _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps _mm256_add_ps _mm256_mul_ps);

    #[inline(always)]
    unsafe fn load_first(source: *const f32, count: usize) -> Self {
        // SAFETY: the caller has the level and `count` elements there; the others are not read.
        unsafe { _mm256_maskload_ps(source, mask32(count)) }
    }
    #[inline(always)]
    unsafe fn store_first(self, destination: *mut f32, count: usize) {
        // SAFETY: the caller has the level and `count` elements there; the others are not written.
        unsafe { _mm256_maskstore_ps(destination, mask32(count), self) }
    }
}

impl Lanes for __m256d {
    instructions!(f64, 4, _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd _mm256_add_pd _mm256_mul_pd);

    #[inline(always)]
    unsafe fn load_first(source: *const f64, count: usize) -> Self {
        // SAFETY: the caller has the level and `count` elements there; the others are not read.
        unsafe { _mm256_maskload_pd(source, mask64(count)) }
    }
    #[inline(always)]
    unsafe fn store_first(self, destination: *mut f64, count: usize) {
        // SAFETY: the caller has the level and `count` elements there; the others are not written.
        unsafe { _mm256_maskstore_pd(destination, mask64(count), self) }
    }
}
