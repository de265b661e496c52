//! Vectors of 256 bits, and single messages with rotations that leave their source alone.

use super::ahead;
use super::lanes;
use super::scalar::entries;
use super::vector::vector;
use std::arch::asm;
use std::arch::x86_64::*;

/// The bytes of 32-bit words reversed.
#[inline(always)]
pub unsafe fn order32() -> __m256i {
    // SAFETY: the caller has the level.
    unsafe { _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203)) }
}

/// The bytes of 64-bit words reversed.
#[inline(always)]
pub unsafe fn order64() -> __m256i {
    // SAFETY: the caller has the level.
    unsafe { _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607)) }
}

/// [`Lanes::keep`](lanes::Lanes::keep).
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn keep256(mut v: __m256i) -> __m256i {
    // SAFETY: nothing is executed.
    unsafe { asm!("/* {0} */", inout(ymm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}

vector! {
    Y8(__m256i) of u32 as i32, lanes 8, keep keep256,
    splat _mm256_set1_epi32, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi32,
    xor _mm256_xor_si256, shift _mm256_srl_epi32, bytes _mm256_shuffle_epi8, zero _mm256_setzero_si256,
    rotate shifts(_mm256_srl_epi32, _mm256_sll_epi32, _mm256_or_si256),
    logic several(_mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi32),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64],
    order order32
}

vector! {
    Y4(__m256i) of u64 as i64, lanes 4, keep keep256,
    splat _mm256_set1_epi64x, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi64,
    xor _mm256_xor_si256, shift _mm256_srl_epi64, bytes _mm256_shuffle_epi8, zero _mm256_setzero_si256,
    rotate shifts(_mm256_srl_epi64, _mm256_sll_epi64, _mm256_or_si256),
    logic several(_mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_set1_epi32),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64],
    order order64
}

entries! {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    md5_8(u32) = lanes::md5::<Y8, 1>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    md5_16(u32) = lanes::md5::<Y8, 2>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha1_8(u32) = lanes::sha1::<Y8>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha256_8(u32) = lanes::sha256::<Y8>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha512_4(u64) = lanes::sha512::<Y4>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha1(u32) = lanes::sha1::<u32>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha256(u32) = lanes::sha256::<u32>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha512(u64) = lanes::sha512::<u64>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha256_1(u32) = ahead::sha256::<Y8>;
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha512_1(u64) = ahead::sha512::<Y4>;
}
