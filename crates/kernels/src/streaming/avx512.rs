//! Vectors of 512 bits; ends are loaded and stored under a mask.

use super::lanes::{Lanes, entries, instructions};
use std::arch::x86_64::*;

entries!("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt", __m512, __m512d);

impl Lanes for __m512 {
    instructions!(f32, 16, _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps _mm512_add_ps _mm512_mul_ps);

    #[inline(always)]
    unsafe fn load_first(source: *const f32, count: usize) -> Self {
        // SAFETY: the caller has the level and `count` elements there; the others are not read.
        unsafe { _mm512_maskz_loadu_ps(((1u32 << count) - 1) as __mmask16, source) }
    }
    #[inline(always)]
    unsafe fn store_first(self, destination: *mut f32, count: usize) {
        // SAFETY: the caller has the level and `count` elements there; the others are not written.
        unsafe { _mm512_mask_storeu_ps(destination, ((1u32 << count) - 1) as __mmask16, self) }
    }
}

impl Lanes for __m512d {
    instructions!(f64, 8, _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd _mm512_add_pd _mm512_mul_pd);

    #[inline(always)]
    unsafe fn load_first(source: *const f64, count: usize) -> Self {
        // SAFETY: the caller has the level and `count` elements there; the others are not read.
        unsafe { _mm512_maskz_loadu_pd(((1u32 << count) - 1) as __mmask8, source) }
    }
    #[inline(always)]
    unsafe fn store_first(self, destination: *mut f64, count: usize) {
        // SAFETY: the caller has the level and `count` elements there; the others are not written.
        unsafe { _mm512_mask_storeu_pd(destination, ((1u32 << count) - 1) as __mmask8, self) }
    }
}
