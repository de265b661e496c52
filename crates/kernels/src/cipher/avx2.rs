//! Vectors of 256 bits: SHA of eight lanes, AES of two lanes per vector with VAES and of one without. Fewer lanes run
//! the loops of 128 bits in their two-operand form, the only one that the SHA extensions have: beside three-operand forms
//! two lanes of SHA-1 took a quarter longer.

use super::decrypt::{Blocks, decryption};
use super::lanes::{Chain, Lanes, Several, engine};
use super::ni;
use super::ring::Rows;
use super::words::{self, Words, WordsOfRows};
use crate::sha1_ni::Sha1;
use std::arch::x86_64::*;

engine!(SHA1_NI_1, "sse4.2,ssse3,popcnt,aes,sha", Sha1<false>, ni::Aes<1>, 1, from 1, clear_upper);
engine!(SHA1_NI_2, "sse4.2,ssse3,popcnt,aes,sha", Several<Sha1<false>, 2>, ni::Aes<2>, 2, from 2, clear_upper);
engine!(SHA1_NI_4, "sse4.2,ssse3,popcnt,aes,sha", Several<Sha1<false>, 4>, ni::Aes<4>, 4, from 3, clear_upper);
engine!(SHA1_1, "avx2,bmi1,bmi2,aes", words::Sha1<u32>, ni::Aes<1>, 1, from 1);
engine!(SHA1_8, "avx2,bmi1,bmi2,aes", words::Sha1<Eight>, ni::Aes<8>, 8, from 3);
engine!(SHA1_VAES_8, "avx2,bmi1,bmi2,aes,vaes", words::Sha1<Eight>, rows of Vaes<4>, 8, from 6);
engine!(SHA256_NI_1, "sse4.2,ssse3,popcnt,aes,sha", ni::Sha256, ni::Aes<1>, 1, from 1, clear_upper);
engine!(SHA256_NI_2, "sse4.2,ssse3,popcnt,aes,sha", Several<ni::Sha256, 2>, ni::Aes<2>, 2, from 2, clear_upper);
engine!(SHA256_NI_4, "sse4.2,ssse3,popcnt,aes,sha", Several<ni::Sha256, 4>, ni::Aes<4>, 4, from 3, clear_upper);
engine!(SHA256_1, "avx2,bmi1,bmi2,aes", words::Sha256<u32>, ni::Aes<1>, 1, from 1);
engine!(SHA256_8, "avx2,bmi1,bmi2,aes", words::Sha256<Eight>, ni::Aes<8>, 8, from 3);

decryption!(decrypt, "avx2,bmi1,bmi2,aes", __m128i);
decryption!(decrypt_vaes, "avx2,bmi1,bmi2,aes,vaes", __m256i);

/// A word of eight lanes.
#[derive(Clone, Copy)]
pub struct Eight(__m256i);

/// Four words of each of eight lanes, `at` bytes after the hash pointers, as four vectors of one word each: lanes `i`
/// and `i + 4` are loaded into vector `i`, then 4 x 4 words change places within 128 bits.
#[inline(always)]
pub unsafe fn four_words(lanes: &Lanes, at: usize) -> [__m256i; 4] {
    // SAFETY: the caller vouches for AVX2 and for 16 bytes in each lane.
    unsafe {
        let mut rows = [_mm256_setzero_si256(); 4];
        for (lane, row) in rows.iter_mut().enumerate() {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(lanes.hash[lane].add(at).cast()));
            *row = _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(lanes.hash[lane + 4].add(at).cast()));
        }
        turned(&rows)
    }
}

/// 4 x 4 words, most significant byte first, change places within 128 bits.
#[inline(always)]
pub unsafe fn turned(rows: &[__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let turn = _mm256_set_epi64x(
            0x0c0d_0e0f_0809_0a0b,
            0x0405_0607_0001_0203,
            0x0c0d_0e0f_0809_0a0b,
            0x0405_0607_0001_0203,
        );
        let mut rows = *rows;
        for row in &mut rows {
            *row = _mm256_shuffle_epi8(*row, turn);
        }
        let (a, b) = (_mm256_unpacklo_epi32(rows[0], rows[1]), _mm256_unpackhi_epi32(rows[0], rows[1]));
        let (c, d) = (_mm256_unpacklo_epi32(rows[2], rows[3]), _mm256_unpackhi_epi32(rows[2], rows[3]));
        [
            _mm256_unpacklo_epi64(a, c),
            _mm256_unpackhi_epi64(a, c),
            _mm256_unpacklo_epi64(b, d),
            _mm256_unpackhi_epi64(b, d),
        ]
    }
}

impl Words for Eight {
    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the caller has the level, here and below.
        unsafe { Eight(_mm256_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: the caller has the level and eight words.
        unsafe { Eight(_mm256_loadu_si256(words.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: the caller has the level and eight words.
        unsafe { _mm256_storeu_si256(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { Eight(_mm256_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe {
            Eight(_mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0)))
        }
    }
    #[inline(always)]
    unsafe fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { Eight(_mm256_srli_epi32::<N>(self.0)) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { Eight(_mm256_xor_si256(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { self.xor(b).xor(c) }
    }
    #[inline(always)]
    unsafe fn choose(self, b: Self, c: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { c.xor(Eight(_mm256_and_si256(self.0, b.xor(c).0))) }
    }
    #[inline(always)]
    unsafe fn majority(self, b: Self, c: Self) -> Self {
        // SAFETY: the caller has the level.
        unsafe {
            let any = _mm256_and_si256(c.0, _mm256_or_si256(self.0, b.0));
            Eight(_mm256_or_si256(_mm256_and_si256(self.0, b.0), any))
        }
    }
    #[inline(always)]
    unsafe fn blocks(lanes: &Lanes, _lane: usize, at: usize) -> [Self; 16] {
        // SAFETY: the caller has the level and 64 bytes in each lane.
        unsafe {
            let mut words = [Eight::splat(0); 16];
            for quarter in 0..4 {
                for (index, word) in four_words(lanes, at + 16 * quarter).into_iter().enumerate() {
                    words[4 * quarter + index] = Eight(word);
                }
            }
            words
        }
    }
}

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

impl WordsOfRows<Vaes<4>> for Eight {
    #[inline(always)]
    unsafe fn of_rows(rows: [&[__m256i; 4]; 4]) -> [Self; 16] {
        // SAFETY: the caller has the level.
        unsafe {
            let mut words = [Eight::splat(0); 16];
            for (words, row) in words.chunks_exact_mut(4).zip(rows) {
                words.iter_mut().zip(turned(row)).for_each(|(word, turned)| *word = Eight(turned));
            }
            words
        }
    }
}

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
