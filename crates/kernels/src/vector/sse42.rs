//! Vectors of 128 bits; ends are loaded and stored element by element.

use super::words::words;
use super::{Level, floats, instruction, integers, level};
use std::arch::asm;
use std::arch::x86_64::*;
use std::convert::identity;

level! {
    /// SSE4.2 with SSSE3 and POPCNT.
    Sse42, avx512 |_| None
}

/// What every level includes.
#[inline(always)]
pub fn of_higher(_: impl Level) -> Sse42 {
    Sse42(())
}

integers! {
    Sse42, __m128i, 16 bytes, set _mm_setzero_si128 _mm_set1_epi16 identity,
    memory _mm_loadu_si128 _mm_storeu_si128 _mm_stream_si128,
    bytes _mm_shuffle_epi8 _mm_sad_epu8 _mm_maddubs_epi16 _mm_madd_epi16,
    add _mm_add_epi32 _mm_add_epi64 _mm_sub_epi64, shift _mm_slli_epi64 _mm_srli_epi64 _mm_srli_epi32
}

floats! {
    Singles, Sse42, __m128, 4 of f32,
    _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_stream_ps _mm_add_ps _mm_mul_ps, first singles::load, singles::store
}

floats! {
    Doubles, Sse42, __m128d, 2 of f64,
    _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_stream_pd _mm_add_pd _mm_mul_pd, first doubles::load, doubles::store
}

/// Loads and stores of less than a vector.
macro_rules! first {
    ($name:ident, $vector:ty, $element:ty, $lanes:literal, $load:ident $store:ident) => {
        mod $name {
            use std::arch::x86_64::*;

            /// # Safety
            /// `from` has `count` readable elements.
            #[inline(always)]
            pub unsafe fn load(from: *const $element, count: usize) -> $vector {
                let mut elements: [$element; $lanes] = [0.0; $lanes];
                for (i, element) in elements.iter_mut().enumerate().take(count) {
                    // SAFETY: the caller has `count` elements there.
                    *element = unsafe { *from.add(i) };
                }
                // SAFETY: the array is a vector; every processor of the architecture has the instruction.
                unsafe { $load(elements.as_ptr()) }
            }

            /// # Safety
            /// `to` has `count` writable elements.
            #[inline(always)]
            pub unsafe fn store(to: *mut $element, count: usize, vector: $vector) {
                let mut elements: [$element; $lanes] = [0.0; $lanes];
                // SAFETY: as above.
                unsafe { $store(elements.as_mut_ptr(), vector) };
                for (i, element) in elements.into_iter().enumerate().take(count) {
                    // SAFETY: the caller has `count` elements there.
                    unsafe { *to.add(i) = element };
                }
            }
        }
    };
}
first!(singles, __m128, f32, 4, _mm_loadu_ps _mm_storeu_ps);
first!(doubles, __m128d, f64, 2, _mm_loadu_pd _mm_storeu_pd);

words! {
    /// Four words of 32 bits.
    Words32(__m128i) of Sse42, 4 of u32 as i32,
    splat _mm_set1_epi32, load _mm_loadu_si128, store _mm_storeu_si128, add _mm_add_epi32, xor _mm_xor_si128,
    shift _mm_srl_epi32, bytes _mm_shuffle_epi8 identity, keep keep,
    rotate shifts(_mm_srl_epi32, _mm_sll_epi32, _mm_or_si128), logic several(_mm_and_si128, _mm_andnot_si128, _mm_or_si128, _mm_xor_si128, _mm_set1_epi32),
    first identity, insert [],
    unpack [_mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64]
}

words! {
    /// Two words of 64 bits.
    Words64(__m128i) of Sse42, 2 of u64 as i64,
    splat _mm_set1_epi64x, load _mm_loadu_si128, store _mm_storeu_si128, add _mm_add_epi64, xor _mm_xor_si128,
    shift _mm_srl_epi64, bytes _mm_shuffle_epi8 identity, keep keep,
    rotate shifts(_mm_srl_epi64, _mm_sll_epi64, _mm_or_si128), logic several(_mm_and_si128, _mm_andnot_si128, _mm_or_si128, _mm_xor_si128, _mm_set1_epi32),
    first identity, insert [],
    unpack [_mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64]
}

/// [`Words::keep`](super::words::Words::keep).
#[inline]
#[target_feature(enable = "sse2")]
pub fn keep(mut v: __m128i) -> __m128i {
    // SAFETY: nothing is executed.
    unsafe { asm!("/* {0} */", inout(xmm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}
