//! Vectors of 512 bits, and narrower ones of words with the instructions of AVX-512 (rotations, functions of three bits). Ends
//! are loaded and stored under a mask.

use super::words::words;
use super::{avx2, floats, instruction, integers, level, sse42};
use std::arch::asm;
use std::arch::x86_64::*;
use std::convert::identity;

level! {
    /// AVX-512 F, BW, CD, DQ and VL.
    Avx512, avx512 Some
}

integers! {
    Avx512, __m512i, 64 bytes, set _mm512_setzero_si512 _mm512_set1_epi16 _mm512_broadcast_i32x4,
    memory _mm512_loadu_si512 _mm512_storeu_si512 _mm512_stream_si512,
    bytes _mm512_shuffle_epi8 _mm512_sad_epu8 _mm512_maddubs_epi16 _mm512_madd_epi16,
    add _mm512_add_epi32 _mm512_add_epi64 _mm512_sub_epi64, shift _mm512_slli_epi64 _mm512_srli_epi64 _mm512_srli_epi32
}

impl Integers {
    /// The first `count` bytes, fewer than a vector has; the others are zero.
    ///
    /// # Safety
    /// `from` has as many readable bytes; only those are read.
    #[inline(always)]
    pub unsafe fn load_first(_: Avx512, from: *const u8, count: usize) -> Self {
        // SAFETY: the level's value is here; the caller has the bytes.
        Integers(unsafe { _mm512_maskz_loadu_epi8(_bzhi_u64(u64::MAX, count as u32), from.cast()) })
    }
    /// Stores the first `count` bytes, fewer than a vector has.
    ///
    /// # Safety
    /// `to` has as many writable bytes; only those are written.
    #[inline(always)]
    pub unsafe fn store_first(self, to: *mut u8, count: usize) {
        // SAFETY: a vector is here; the caller has the bytes.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), _bzhi_u64(u64::MAX, count as u32), self.0) }
    }
}

floats! {
    Singles, Avx512, __m512, 16 of f32,
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps _mm512_add_ps _mm512_mul_ps,
    first load_singles, store_singles
}

floats! {
    Doubles, Avx512, __m512d, 8 of f64,
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd _mm512_add_pd _mm512_mul_pd,
    first load_doubles, store_doubles
}

/// Bits of the first `count` lanes, at most 31.
#[inline(always)]
fn mask(count: usize) -> u32 {
    (1 << count) - 1
}

/// # Safety
/// `from` has `count` readable elements; the processor has AVX-512F, here and below.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_singles(from: *const f32, count: usize) -> __m512 {
    // SAFETY: only the elements that the caller has are read.
    unsafe { _mm512_maskz_loadu_ps(mask(count) as __mmask16, from) }
}

/// # Safety
/// `to` has `count` writable elements.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_singles(to: *mut f32, count: usize, vector: __m512) {
    // SAFETY: only the elements that the caller has are written.
    unsafe { _mm512_mask_storeu_ps(to, mask(count) as __mmask16, vector) }
}

/// # Safety
/// `from` has `count` readable elements.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_doubles(from: *const f64, count: usize) -> __m512d {
    // SAFETY: only the elements that the caller has are read.
    unsafe { _mm512_maskz_loadu_pd(mask(count) as __mmask8, from) }
}

/// # Safety
/// `to` has `count` writable elements.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_doubles(to: *mut f64, count: usize, vector: __m512d) {
    // SAFETY: only the elements that the caller has are written.
    unsafe { _mm512_mask_storeu_pd(to, mask(count) as __mmask8, vector) }
}

words! {
    /// Sixteen words of 32 bits.
    Words32(__m512i) of Avx512, 16 of u32 as i32,
    splat _mm512_set1_epi32, load _mm512_loadu_si512, store _mm512_storeu_si512, add _mm512_add_epi32, xor _mm512_xor_si512,
    shift _mm512_srl_epi32, bytes _mm512_shuffle_epi8 _mm512_broadcast_i32x4, keep keep,
    rotate one(_mm512_ror_epi32), logic ternary(_mm512_ternarylogic_epi32),
    first _mm512_castsi128_si512, insert [1 _mm512_inserti32x4, 2 _mm512_inserti32x4, 3 _mm512_inserti32x4],
    unpack [_mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64]
}

words! {
    /// Eight words of 64 bits.
    Words64(__m512i) of Avx512, 8 of u64 as i64,
    splat _mm512_set1_epi64, load _mm512_loadu_si512, store _mm512_storeu_si512, add _mm512_add_epi64, xor _mm512_xor_si512,
    shift _mm512_srl_epi64, bytes _mm512_shuffle_epi8 _mm512_broadcast_i32x4, keep keep,
    rotate one(_mm512_ror_epi64), logic ternary(_mm512_ternarylogic_epi64),
    first _mm512_castsi128_si512, insert [1 _mm512_inserti32x4, 2 _mm512_inserti32x4, 3 _mm512_inserti32x4],
    unpack [_mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64]
}

words! {
    /// Eight words of 32 bits.
    Half32(__m256i) of Avx512, 8 of u32 as i32,
    splat _mm256_set1_epi32, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi32, xor _mm256_xor_si256,
    shift _mm256_srl_epi32, bytes _mm256_shuffle_epi8 _mm256_broadcastsi128_si256, keep avx2::keep,
    rotate one(_mm256_ror_epi32), logic ternary(_mm256_ternarylogic_epi32),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64]
}

words! {
    /// Four words of 64 bits.
    Half64(__m256i) of Avx512, 4 of u64 as i64,
    splat _mm256_set1_epi64x, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi64, xor _mm256_xor_si256,
    shift _mm256_srl_epi64, bytes _mm256_shuffle_epi8 _mm256_broadcastsi128_si256, keep avx2::keep,
    rotate one(_mm256_ror_epi64), logic ternary(_mm256_ternarylogic_epi64),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64]
}

words! {
    /// Four words of 32 bits.
    Quarter32(__m128i) of Avx512, 4 of u32 as i32,
    splat _mm_set1_epi32, load _mm_loadu_si128, store _mm_storeu_si128, add _mm_add_epi32, xor _mm_xor_si128,
    shift _mm_srl_epi32, bytes _mm_shuffle_epi8 identity, keep sse42::keep,
    rotate one(_mm_ror_epi32), logic ternary(_mm_ternarylogic_epi32),
    first identity, insert [],
    unpack [_mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64]
}

/// [`Words::keep`](super::words::Words::keep).
#[inline]
#[target_feature(enable = "avx512f")]
pub fn keep(mut v: __m512i) -> __m512i {
    // SAFETY: nothing is executed.
    unsafe { asm!("/* {0} */", inout(zmm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}
