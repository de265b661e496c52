//! Vectors of 256 bits: SHA of eight lanes, AES of two lanes per vector with VAES and of one without. Fewer lanes run
//! the loops of 128 bits in their two-operand form, the only one that the SHA extensions have: beside three-operand forms
//! two lanes of SHA-1 took a quarter longer.

use super::decrypt::{Blocks, decryption};
use super::lanes::{Chain, Lanes, engine, lower_engine};
use super::ni;
use super::ring::Rows;
use super::words::{self, of_rows};
use crate::vector::Avx2;
use crate::vector::avx2::Words32;
use crate::vector::words::{Words, transposed};
use std::arch::x86_64::*;

lower_engine!(SHA1_NI_1, super::sse42::SHA1_NI_1);
lower_engine!(SHA1_NI_2, super::sse42::SHA1_NI_2);
lower_engine!(SHA1_NI_4, super::sse42::SHA1_NI_4);
engine!(SHA1_1, "avx2,bmi1,bmi2,aes", words::Sha1<u32>, ni::Aes<1>, 1, from 1);
engine!(SHA1_8, "avx2,bmi1,bmi2,aes", words::Sha1<Words32>, ni::Aes<8>, 8, from 3);
engine!(SHA1_VAES_8, "avx2,bmi1,bmi2,aes,vaes", words::Sha1<Words32>, rows of Vaes<4>, 8, from 6);
lower_engine!(SHA256_NI_1, super::sse42::SHA256_NI_1);
lower_engine!(SHA256_NI_2, super::sse42::SHA256_NI_2);
lower_engine!(SHA256_NI_4, super::sse42::SHA256_NI_4);
engine!(SHA256_1, "avx2,bmi1,bmi2,aes", words::Sha256<u32>, ni::Aes<1>, 1, from 1);
engine!(SHA256_8, "avx2,bmi1,bmi2,aes", words::Sha256<Words32>, ni::Aes<8>, 8, from 3);

decryption!(decrypt, "avx2,bmi1,bmi2,aes", __m128i);
decryption!(decrypt_vaes, "avx2,bmi1,bmi2,aes,vaes", __m256i);

/// CBC encryption of lanes, two per vector.
#[derive(Clone, Copy)]
pub struct Vaes<const PAIRS: usize>([__m256i; PAIRS]);

impl<const PAIRS: usize> Vaes<PAIRS> {
    #[inline(always)]
    unsafe fn key(lanes: &Lanes, pair: usize, round: usize) -> __m256i {
        // SAFETY: the caller has set the keys of all lanes in the table.
        unsafe { _mm256_loadu_si256(lanes.row(round).add(2 * pair).cast()) }
    }
}

impl<const PAIRS: usize> Chain for Vaes<PAIRS> {
    const TABLE: bool = true;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, _rounds: usize) -> Self {
        // SAFETY: the caller vouches for the instructions; a pair is two of the lanes.
        unsafe {
            let mut all = [_mm256_setzero_si256(); PAIRS];
            for (pair, state) in all.iter_mut().enumerate() {
                *state = _mm256_loadu_si256(lanes.chain.as_ptr().add(2 * pair).cast());
            }
            Vaes(all)
        }
    }
    #[inline(always)]
    unsafe fn first(&mut self, lanes: &Lanes, at: usize) {
        for (pair, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions, the pointers and the keys.
            unsafe {
                let low = _mm_loadu_si128(lanes.data[2 * pair].add(at).cast());
                let high = _mm_loadu_si128(lanes.data[2 * pair + 1].add(at).cast());
                let block = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
                *state = _mm256_xor_si256(*state, _mm256_xor_si256(block, Self::key(lanes, pair, 0)));
            }
        }
    }
    #[inline(always)]
    unsafe fn round(&mut self, lanes: &Lanes, round: usize) {
        for (pair, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions and the keys.
            unsafe { *state = _mm256_aesenc_epi128(*state, Self::key(lanes, pair, round)) };
        }
    }
    #[inline(always)]
    unsafe fn last(&mut self, lanes: &Lanes, at: usize, rounds: usize) {
        for (pair, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions, the pointers and the keys.
            unsafe {
                *state = _mm256_aesenclast_epi128(*state, Self::key(lanes, pair, rounds));
                _mm_storeu_si128(lanes.data[2 * pair].add(at).cast(), _mm256_castsi256_si128(*state));
                let high = _mm256_extracti128_si256::<1>(*state);
                _mm_storeu_si128(lanes.data[2 * pair + 1].add(at).cast(), high);
            }
        }
    }
    #[inline(always)]
    unsafe fn end(self, lanes: &mut Lanes) {
        for (pair, state) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for the instructions; a pair is two of the lanes.
            unsafe { _mm256_storeu_si256(lanes.chain.as_mut_ptr().add(2 * pair).cast(), state) };
        }
    }
}

impl Rows for Vaes<4> {
    type Row = [__m256i; 4];

    #[inline(always)]
    unsafe fn row(&self) -> [__m256i; 4] {
        self.0
    }
    #[inline(always)]
    unsafe fn read(lanes: &Lanes, at: usize) -> [__m256i; 4] {
        // SAFETY: the caller vouches for the instructions and for 16 bytes in each lane.
        unsafe {
            let mut row = [_mm256_setzero_si256(); 4];
            for (pair, both) in row.iter_mut().enumerate() {
                let low = _mm_loadu_si128(lanes.hash[2 * pair].add(at).cast());
                let high = _mm_loadu_si128(lanes.hash[2 * pair + 1].add(at).cast());
                *both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
            }
            row
        }
    }
}

of_rows!(Words32 of Avx2, Vaes<4>);

impl Blocks for __m256i {
    const COUNT: usize = 2;

    #[inline(always)]
    unsafe fn splat(block: __m128i) -> Self {
        // SAFETY: the caller has the level, here and below.
        unsafe { _mm256_broadcastsi128_si256(block) }
    }
    #[inline(always)]
    unsafe fn load(blocks: *const [u8; 16]) -> Self {
        // SAFETY: the caller has the level and two blocks.
        unsafe { _mm256_loadu_si256(blocks.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, blocks: *mut [u8; 16]) {
        // SAFETY: the caller has the level and two blocks.
        unsafe { _mm256_storeu_si256(blocks.cast(), self) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm256_xor_si256(self, other) }
    }
    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { _mm256_aesdec_epi128(self, key) }
    }
    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { _mm256_aesdeclast_epi128(self, key) }
    }
    #[inline(always)]
    unsafe fn shifted(self, earlier: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { _mm256_permute2x128_si256::<0x21>(earlier, self) }
    }
}
