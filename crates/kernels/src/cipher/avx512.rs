//! Vectors of 512 bits: SHA and AES of sixteen lanes; and of eight and four lanes in 256 and 128 bits, with the rotations
//! and the three-operand logic of this level. All of it needs VAES, but for the engines of the SHA extensions.

use super::avx2;
use super::decrypt::{Blocks, decryption};
use super::lanes::{Chain, Lanes, Several, engine};
use super::ni;
use super::ring::Rows;
use super::words::{self, of_rows};
use crate::sha1_ni::Sha1;
use crate::vector::Avx512;
use crate::vector::avx512::{Half32, Quarter32, Words32};
use crate::vector::words::{Words, transposed};
use std::arch::x86_64::*;

engine!(SHA1_NI_1, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,sha", Sha1<true>, ni::Aes<1>, 1, from 1, clear_upper);
engine!(SHA1_NI_2, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,sha", Several<Sha1<true>, 2>, ni::Aes<2>, 2, from 2, clear_upper);
engine!(SHA1_NI_4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,sha", Several<Sha1<true>, 4>, ni::Aes<4>, 4, from 3, clear_upper);
engine!(SHA1_4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha1<Quarter32>, avx2::Vaes<2>, 4, from 3);
engine!(SHA1_8, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha1<Half32>, rows of avx2::Vaes<4>, 8, from 5);
engine!(SHA1_16, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha1<Words32>, rows of Vaes, 16, from 11);
engine!(SHA256_8, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha256<Half32>, rows of avx2::Vaes<4>, 8, from 6);
engine!(SHA256_16, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha256<Words32>, rows of Vaes, 16, from 12);

decryption!(decrypt, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", __m512i);

/// A truth table of VPTERNLOGD: bit `4 a + 2 b + c`.
const XOR3: i32 = 0x96;

of_rows!(Words32 of Avx512, Vaes);

of_rows!(Half32 of Avx512, avx2::Vaes<4>);

/// 16 bytes of each of four lanes, `stride` lanes apart.
#[inline(always)]
unsafe fn quadruple(pointers: *const *const u8, stride: usize, at: usize) -> __m512i {
    // SAFETY: the caller vouches for the level, the lanes, and 16 bytes in each.
    unsafe {
        let block = |n: usize| _mm_loadu_si128((*pointers.add(stride * n)).add(at).cast());
        let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(block(0)), block(1));
        let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(block(2)), block(3));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

/// CBC encryption of sixteen lanes, four per vector.
#[derive(Clone, Copy)]
pub struct Vaes([__m512i; 4]);

impl Vaes {
    #[inline(always)]
    unsafe fn key(lanes: &Lanes, four: usize, round: usize) -> __m512i {
        // SAFETY: the caller has set the keys of all lanes in the table.
        unsafe { _mm512_loadu_si512(lanes.row(round).add(4 * four).cast()) }
    }
}

impl Chain for Vaes {
    const TABLE: bool = true;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, _rounds: usize) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let mut all = [_mm512_setzero_si512(); 4];
            for (four, state) in all.iter_mut().enumerate() {
                *state = _mm512_loadu_si512(lanes.chain.as_ptr().add(4 * four).cast());
            }
            Vaes(all)
        }
    }
    #[inline(always)]
    unsafe fn first(&mut self, lanes: &Lanes, at: usize) {
        for (four, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions, the pointers and the keys.
            unsafe {
                let block = quadruple(lanes.data.as_ptr().add(4 * four).cast(), 1, at);
                *state = _mm512_ternarylogic_epi32::<XOR3>(*state, block, Self::key(lanes, four, 0));
            }
        }
    }
    #[inline(always)]
    unsafe fn round(&mut self, lanes: &Lanes, round: usize) {
        for (four, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions and the keys.
            unsafe { *state = _mm512_aesenc_epi128(*state, Self::key(lanes, four, round)) };
        }
    }
    #[inline(always)]
    unsafe fn last(&mut self, lanes: &Lanes, at: usize, rounds: usize) {
        for (four, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions, the pointers and the keys.
            unsafe {
                *state = _mm512_aesenclast_epi128(*state, Self::key(lanes, four, rounds));
                let to = |n: usize| lanes.data[4 * four + n].add(at).cast();
                _mm_storeu_si128(to(0), _mm512_castsi512_si128(*state));
                _mm_storeu_si128(to(1), _mm512_extracti32x4_epi32::<1>(*state));
                _mm_storeu_si128(to(2), _mm512_extracti32x4_epi32::<2>(*state));
                _mm_storeu_si128(to(3), _mm512_extracti32x4_epi32::<3>(*state));
            }
        }
    }
    #[inline(always)]
    unsafe fn end(self, lanes: &mut Lanes) {
        for (four, state) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for the instructions.
            unsafe { _mm512_storeu_si512(lanes.chain.as_mut_ptr().add(4 * four).cast(), state) };
        }
    }
}

impl Rows for Vaes {
    type Row = [__m512i; 4];

    #[inline(always)]
    unsafe fn row(&self) -> [__m512i; 4] {
        self.0
    }
    #[inline(always)]
    unsafe fn read(lanes: &Lanes, at: usize) -> [__m512i; 4] {
        // SAFETY: the caller vouches for the instructions and for 16 bytes in each lane.
        unsafe {
            let mut row = [_mm512_setzero_si512(); 4];
            for (four, blocks) in row.iter_mut().enumerate() {
                *blocks = quadruple(lanes.hash.as_ptr().add(4 * four), 1, at);
            }
            row
        }
    }
}

impl Blocks for __m512i {
    const COUNT: usize = 4;

    #[inline(always)]
    unsafe fn splat(block: __m128i) -> Self {
        // SAFETY: the caller has the level, here and below.
        unsafe { _mm512_broadcast_i32x4(block) }
    }
    #[inline(always)]
    unsafe fn load(blocks: *const [u8; 16]) -> Self {
        // SAFETY: the caller has the level and four blocks.
        unsafe { _mm512_loadu_si512(blocks.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, blocks: *mut [u8; 16]) {
        // SAFETY: the caller has the level and four blocks.
        unsafe { _mm512_storeu_si512(blocks.cast(), self) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_xor_si512(self, other) }
    }
    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { _mm512_aesdec_epi128(self, key) }
    }
    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { _mm512_aesdeclast_epi128(self, key) }
    }
    #[inline(always)]
    unsafe fn shifted(self, earlier: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm512_alignr_epi64::<6>(self, earlier) }
    }
}
