//! Vectors of 512 bits, and narrower ones with the instructions of AVX-512 (rotations, functions of three bits), which
//! finish a few messages sooner.

use super::ahead;
use super::avx2;
use super::lanes;
use super::scalar::entries;
use super::vector::vector;
use std::arch::asm;
use std::arch::x86_64::*;

/// The bytes of 32-bit words reversed.
#[inline(always)]
unsafe fn order32() -> __m512i {
    // SAFETY: the caller has the level.
    unsafe { _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203)) }
}

/// The bytes of 64-bit words reversed.
#[inline(always)]
unsafe fn order64() -> __m512i {
    // SAFETY: the caller has the level.
    unsafe { _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607)) }
}

/// [`Lanes::keep`](lanes::Lanes::keep).
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn keep512(mut v: __m512i) -> __m512i {
    // SAFETY: nothing is executed.
    unsafe { asm!("/* {0} */", inout(zmm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}

vector! {
    Z16(__m512i) of u32 as i32, lanes 16, keep keep512,
    splat _mm512_set1_epi32, load _mm512_loadu_si512, store _mm512_storeu_si512, add _mm512_add_epi32, xor _mm512_xor_si512,
    shift _mm512_srl_epi32, bytes _mm512_shuffle_epi8, zero _mm512_setzero_si512,
    rotate one(_mm512_ror_epi32), logic ternary(_mm512_ternarylogic_epi32),
    first _mm512_castsi128_si512, insert [1 _mm512_inserti32x4, 2 _mm512_inserti32x4, 3 _mm512_inserti32x4],
    unpack [_mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64], order order32
}

vector! {
    Z8(__m512i) of u64 as i64, lanes 8, keep keep512,
    splat _mm512_set1_epi64, load _mm512_loadu_si512, store _mm512_storeu_si512, add _mm512_add_epi64, xor _mm512_xor_si512,
    shift _mm512_srl_epi64, bytes _mm512_shuffle_epi8, zero _mm512_setzero_si512,
    rotate one(_mm512_ror_epi64), logic ternary(_mm512_ternarylogic_epi64),
    first _mm512_castsi128_si512, insert [1 _mm512_inserti32x4, 2 _mm512_inserti32x4, 3 _mm512_inserti32x4],
    unpack [_mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64], order order64
}

vector! {
    Y8(__m256i) of u32 as i32, lanes 8, keep avx2::keep256,
    splat _mm256_set1_epi32, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi32, xor _mm256_xor_si256,
    shift _mm256_srl_epi32, bytes _mm256_shuffle_epi8, zero _mm256_setzero_si256,
    rotate one(_mm256_ror_epi32), logic ternary(_mm256_ternarylogic_epi32),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64], order avx2::order32
}

vector! {
    Y4(__m256i) of u64 as i64, lanes 4, keep avx2::keep256,
    splat _mm256_set1_epi64x, load _mm256_loadu_si256, store _mm256_storeu_si256, add _mm256_add_epi64, xor _mm256_xor_si256,
    shift _mm256_srl_epi64, bytes _mm256_shuffle_epi8, zero _mm256_setzero_si256,
    rotate one(_mm256_ror_epi64), logic ternary(_mm256_ternarylogic_epi64),
    first _mm256_castsi128_si256, insert [1 _mm256_inserti128_si256],
    unpack [_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64], order avx2::order64
}

entries! {
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    md5_8(u32) = lanes::md5::<Y8, 1>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    md5_24(u32) = lanes::md5::<Y8, 3>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    md5_16(u32) = lanes::md5::<Z16, 1>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    md5_32(u32) = lanes::md5::<Z16, 2>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha1_8(u32) = lanes::sha1::<Y8>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha1_16(u32) = lanes::sha1::<Z16>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha256_8(u32) = lanes::sha256::<Y8>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha256_16(u32) = lanes::sha256::<Z16>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha512_4(u64) = lanes::sha512::<Y4>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha512_8(u64) = lanes::sha512::<Z8>;
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    sha512_1(u64) = ahead::sha512::<Z8>;
}
