//! Vectors of 128 bits, and the SHA instructions.

pub mod sha_ni;

use super::lanes;
use super::scalar::entries;
use super::vector::vector;
use std::arch::asm;
use std::arch::x86_64::*;

/// The bytes of 32-bit words reversed.
#[inline(always)]
unsafe fn order32() -> __m128i {
    // SAFETY: the caller has the level.
    unsafe { _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203) }
}

/// The bytes of 64-bit words reversed.
#[inline(always)]
unsafe fn order64() -> __m128i {
    // SAFETY: the caller has the level.
    unsafe { _mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607) }
}

/// [`Lanes::keep`](lanes::Lanes::keep).
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn keep128(mut v: __m128i) -> __m128i {
    // SAFETY: nothing is executed.
    unsafe { asm!("/* {0} */", inout(xmm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}

vector! {
    X4(__m128i) of u32 as i32, lanes 4, keep keep128,
    splat _mm_set1_epi32, load _mm_loadu_si128, store _mm_storeu_si128, add _mm_add_epi32, xor _mm_xor_si128,
    shift _mm_srl_epi32, bytes _mm_shuffle_epi8, zero _mm_setzero_si128,
    rotate shifts(_mm_srl_epi32, _mm_sll_epi32, _mm_or_si128),
    logic several(_mm_and_si128, _mm_andnot_si128, _mm_or_si128, _mm_xor_si128, _mm_set1_epi32),
    first whole, insert [],
    unpack [_mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64], order order32
}

vector! {
    X2(__m128i) of u64 as i64, lanes 2, keep keep128,
    splat _mm_set1_epi64x, load _mm_loadu_si128, store _mm_storeu_si128, add _mm_add_epi64, xor _mm_xor_si128,
    shift _mm_srl_epi64, bytes _mm_shuffle_epi8, zero _mm_setzero_si128,
    rotate shifts(_mm_srl_epi64, _mm_sll_epi64, _mm_or_si128),
    logic several(_mm_and_si128, _mm_andnot_si128, _mm_or_si128, _mm_xor_si128, _mm_set1_epi32),
    first whole, insert [],
    unpack [_mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64], order order64
}

/// A vector of 128 bits is all of its pieces.
#[inline(always)]
fn whole(v: __m128i) -> __m128i {
    v
}

entries! {
    #[target_feature(enable = "sse4.2,ssse3,popcnt")]
    md5_4(u32) = lanes::md5::<X4, 1>;
    #[target_feature(enable = "sse4.2,ssse3,popcnt")]
    md5_8(u32) = lanes::md5::<X4, 2>;
    #[target_feature(enable = "sse4.2,ssse3,popcnt")]
    sha1_4(u32) = lanes::sha1::<X4>;
    #[target_feature(enable = "sse4.2,ssse3,popcnt")]
    sha256_4(u32) = lanes::sha256::<X4>;
    #[target_feature(enable = "sse4.2,ssse3,popcnt")]
    sha512_2(u64) = lanes::sha512::<X2>;
}
