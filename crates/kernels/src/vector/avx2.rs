//! Vectors of 256 bits; ends are loaded and stored under a mask of sign bits.

use super::words::words;
use super::{floats, instruction, integers, level};
use std::arch::asm;
use std::arch::x86_64::*;

level! {
    /// AVX2 with FMA, BMI1, BMI2, LZCNT, F16C and MOVBE.
    Avx2, avx512 |_| None
}

integers! {
    Avx2, __m256i, 32 bytes, set _mm256_setzero_si256 _mm256_set1_epi16 _mm256_broadcastsi128_si256,
    memory _mm256_loadu_si256 _mm256_storeu_si256 _mm256_stream_si256,
    bytes _mm256_shuffle_epi8 _mm256_sad_epu8 _mm256_maddubs_epi16 _mm256_madd_epi16,
    add _mm256_add_epi32 _mm256_add_epi64 _mm256_sub_epi64, shift _mm256_slli_epi64 _mm256_srli_epi64 _mm256_srli_epi32
}

floats! {
    Singles, Avx2, __m256, 8 of f32,
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps _mm256_add_ps _mm256_mul_ps,
    first load_singles, store_singles
}

floats! {
    Doubles, Avx2, __m256d, 4 of f64,
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd _mm256_add_pd _mm256_mul_pd,
    first load_doubles, store_doubles
}

/// All bits of the first `count` lanes of 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn mask32(count: usize) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
}

/// All bits of the first `count` lanes of 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn mask64(count: usize) -> __m256i {
    _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_setr_epi64x(0, 1, 2, 3))
}

/// # Safety
/// `from` has `count` readable elements; the processor has AVX2, here and below.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_singles(from: *const f32, count: usize) -> __m256 {
    // SAFETY: only the elements that the caller has are read.
    unsafe { _mm256_maskload_ps(from, mask32(count)) }
}

/// # Safety
/// `to` has `count` writable elements.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_singles(to: *mut f32, count: usize, vector: __m256) {
    // SAFETY: only the elements that the caller has are written.
    unsafe { _mm256_maskstore_ps(to, mask32(count), vector) }
}

/// # Safety
/// `from` has `count` readable elements.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_doubles(from: *const f64, count: usize) -> __m256d {
    // SAFETY: only the elements that the caller has are read.
    unsafe { _mm256_maskload_pd(from, mask64(count)) }
}

/// # Safety
/// `to` has `count` writable elements.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_doubles(to: *mut f64, count: usize, vector: __m256d) {
    // SAFETY: only the elements that the caller has are written.
    unsafe { _mm256_maskstore_pd(to, mask64(count), vector) }
}

words! {
    /// Eight words of 32 bits.
    Words32(__m256i) of Avx2, 8 of u32 as i32,
    splat _mm256_set1_epi32, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi32, xor _mm256_xor_si256,
    shift _mm256_srl_epi32, bytes _mm256_shuffle_epi8 _mm256_broadcastsi128_si256, keep keep,
    rotate shifts(_mm256_srl_epi32, _mm256_sll_epi32, _mm256_or_si256), logic several(_mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi32),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64]
}

words! {
    /// Four words of 64 bits.
    Words64(__m256i) of Avx2, 4 of u64 as i64,
    splat _mm256_set1_epi64x, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi64, xor _mm256_xor_si256,
    shift _mm256_srl_epi64, bytes _mm256_shuffle_epi8 _mm256_broadcastsi128_si256, keep keep,
    rotate shifts(_mm256_srl_epi64, _mm256_sll_epi64, _mm256_or_si256), logic several(_mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi32),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64]
}

/// [`Words::keep`](super::words::Words::keep).
#[inline]
#[target_feature(enable = "avx2")]
pub fn keep(mut v: __m256i) -> __m256i {
    // SAFETY: nothing is executed.
    unsafe { asm!("/* {0} */", inout(ymm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}
