//! Vectors of 512 bits: SHA and AES of sixteen lanes; and of eight and four lanes in 256 and 128 bits, with the rotations
//! and the three-operand logic of this level. All of it needs VAES, but for the engines of the SHA extensions.

use super::avx2::{self, four_words};
use super::decrypt::{Blocks, decryption};
use super::lanes::{Chain, Lanes, Several, engine};
use super::ni;
use super::ring::Rows;
use super::words::{self, Words, WordsOfRows};
use crate::sha1_ni::Sha1;
use std::arch::x86_64::*;

engine!(SHA1_NI_1, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,sha", Sha1<true>, ni::Aes<1>, 1, from 1, clear_upper);
engine!(SHA1_NI_2, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,sha", Several<Sha1<true>, 2>, ni::Aes<2>, 2, from 2, clear_upper);
engine!(SHA1_NI_4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,sha", Several<Sha1<true>, 4>, ni::Aes<4>, 4, from 3, clear_upper);
engine!(SHA1_4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha1<Four>, avx2::Vaes<2>, 4, from 3);
engine!(SHA1_8, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha1<Eight>, rows of avx2::Vaes<4>, 8, from 5);
engine!(SHA1_16, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha1<__m512i>, rows of Vaes, 16, from 11);
engine!(SHA256_8, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha256<Eight>, rows of avx2::Vaes<4>, 8, from 6);
engine!(SHA256_16, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", words::Sha256<__m512i>, rows of Vaes, 16, from 12);

decryption!(decrypt, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,vaes", __m512i);

/// Truth tables of VPTERNLOGD: bit `4 a + 2 b + c`.
const XOR3: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

/// A word of four lanes.
#[derive(Clone, Copy)]
pub struct Four(__m128i);

/// A word of eight lanes.
#[derive(Clone, Copy)]
pub struct Eight(__m256i);

macro_rules! words {
    ($of:expr, $($function:ident = $intrinsic:ident),+; $splat:ident $load:ident $store:ident $rotate:ident
     $shift:ident $logic:ident) => {
        #[inline(always)]
        unsafe fn splat(word: u32) -> Self {
            // SAFETY: the caller has the level, here and below.
            unsafe { $of($splat(word as i32)) }
        }
        #[inline(always)]
        unsafe fn load(words: *const u32) -> Self {
            // SAFETY: the caller has the level and a word per lane.
            unsafe { $of($load(words.cast())) }
        }
        #[inline(always)]
        unsafe fn store(self, words: *mut u32) {
            // SAFETY: the caller has the level and a word per lane.
            unsafe { $store(words.cast(), self.vector()) }
        }
        $(
            #[inline(always)]
            unsafe fn $function(self, other: Self) -> Self {
                // SAFETY: the caller has the level.
                unsafe { $of($intrinsic(self.vector(), other.vector())) }
            }
        )+
        #[inline(always)]
        unsafe fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $of($rotate::<LEFT>(self.vector())) }
        }
        #[inline(always)]
        unsafe fn xor3(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $of($logic::<XOR3>(self.vector(), b.vector(), c.vector())) }
        }
        #[inline(always)]
        unsafe fn choose(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $of($logic::<CHOOSE>(self.vector(), b.vector(), c.vector())) }
        }
        #[inline(always)]
        unsafe fn majority(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $of($logic::<MAJORITY>(self.vector(), b.vector(), c.vector())) }
        }
    };
}

/// The intrinsics' vector.
trait Vector {
    type Inner;
    fn vector(self) -> Self::Inner;
}

impl Vector for Eight {
    type Inner = __m256i;
    #[inline(always)]
    fn vector(self) -> __m256i {
        self.0
    }
}

impl Vector for __m512i {
    type Inner = __m512i;
    #[inline(always)]
    fn vector(self) -> __m512i {
        self
    }
}

impl Vector for Four {
    type Inner = __m128i;
    #[inline(always)]
    fn vector(self) -> __m128i {
        self.0
    }
}

impl Words for Four {
    words!(Four, add = _mm_add_epi32, xor = _mm_xor_si128; _mm_set1_epi32 _mm_loadu_si128
        _mm_storeu_si128 _mm_rol_epi32 _mm_srli_epi32 _mm_ternarylogic_epi32);

    #[inline(always)]
    unsafe fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { Four(_mm_srli_epi32::<N>(self.0)) }
    }
    #[inline(always)]
    unsafe fn blocks(lanes: &Lanes, lane: usize, at: usize) -> [Self; 16] {
        // SAFETY: the caller has the level and 64 bytes in each lane.
        unsafe {
            let turn = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            let mut words = [Four::splat(0); 16];
            for quarter in 0..4 {
                let row = |n: usize| {
                    let row = lanes.hash[lane + n].add(at + 16 * quarter).cast();
                    _mm_shuffle_epi8(_mm_loadu_si128(row), turn)
                };
                let (a, b) = (_mm_unpacklo_epi32(row(0), row(1)), _mm_unpackhi_epi32(row(0), row(1)));
                let (c, d) = (_mm_unpacklo_epi32(row(2), row(3)), _mm_unpackhi_epi32(row(2), row(3)));
                words[4 * quarter] = Four(_mm_unpacklo_epi64(a, c));
                words[4 * quarter + 1] = Four(_mm_unpackhi_epi64(a, c));
                words[4 * quarter + 2] = Four(_mm_unpacklo_epi64(b, d));
                words[4 * quarter + 3] = Four(_mm_unpackhi_epi64(b, d));
            }
            words
        }
    }
}

impl Words for Eight {
    words!(Eight, add = _mm256_add_epi32, xor = _mm256_xor_si256; _mm256_set1_epi32 _mm256_loadu_si256
        _mm256_storeu_si256 _mm256_rol_epi32 _mm256_srli_epi32 _mm256_ternarylogic_epi32);

    #[inline(always)]
    unsafe fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: the caller has the level.
        unsafe { Eight(_mm256_srli_epi32::<N>(self.0)) }
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

impl Words for __m512i {
    words!(std::convert::identity, add = _mm512_add_epi32, xor = _mm512_xor_si512; _mm512_set1_epi32
        _mm512_loadu_si512 _mm512_storeu_si512 _mm512_rol_epi32 _mm512_srli_epi32 _mm512_ternarylogic_epi32);

    #[inline(always)]
    unsafe fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: the caller has the level; the count is between 1 and 31.
        unsafe { _mm512_srl_epi32(self, _mm_cvtsi32_si128(N)) }
    }
    #[inline(always)]
    unsafe fn blocks(lanes: &Lanes, _lane: usize, at: usize) -> [Self; 16] {
        // SAFETY: the caller has the level and 64 bytes in each lane.
        unsafe {
            let mut words = [_mm512_setzero_si512(); 16];
            for quarter in 0..4 {
                let mut rows = [_mm512_setzero_si512(); 4];
                for (lane, row) in rows.iter_mut().enumerate() {
                    *row = quadruple(lanes.hash.as_ptr().add(lane), 4, at + 16 * quarter);
                }
                words[4 * quarter..][..4].copy_from_slice(&turned(&rows));
            }
            words
        }
    }
}

impl WordsOfRows<Vaes> for __m512i {
    #[inline(always)]
    unsafe fn of_rows(rows: [&[__m512i; 4]; 4]) -> [Self; 16] {
        // SAFETY: the caller has the level.
        unsafe {
            let mut words = [_mm512_setzero_si512(); 16];
            for (words, row) in words.chunks_exact_mut(4).zip(rows) {
                words.copy_from_slice(&turned(row));
            }
            words
        }
    }
}

impl WordsOfRows<avx2::Vaes<4>> for Eight {
    #[inline(always)]
    unsafe fn of_rows(rows: [&[__m256i; 4]; 4]) -> [Self; 16] {
        // SAFETY: the caller has the level.
        unsafe {
            let mut words = [Eight::splat(0); 16];
            for (words, row) in words.chunks_exact_mut(4).zip(rows) {
                words.iter_mut().zip(avx2::turned(row)).for_each(|(word, turned)| *word = Eight(turned));
            }
            words
        }
    }
}

/// 4 x 4 words, most significant byte first, change places within 128 bits.
#[inline(always)]
unsafe fn turned(rows: &[__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller has the level.
    unsafe {
        let turn = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
        let mut rows = *rows;
        for row in &mut rows {
            *row = _mm512_shuffle_epi8(*row, turn);
        }
        let (a, b) = (_mm512_unpacklo_epi32(rows[0], rows[1]), _mm512_unpackhi_epi32(rows[0], rows[1]));
        let (c, d) = (_mm512_unpacklo_epi32(rows[2], rows[3]), _mm512_unpackhi_epi32(rows[2], rows[3]));
        [
            _mm512_unpacklo_epi64(a, c),
            _mm512_unpackhi_epi64(a, c),
            _mm512_unpacklo_epi64(b, d),
            _mm512_unpackhi_epi64(b, d),
        ]
    }
}

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
