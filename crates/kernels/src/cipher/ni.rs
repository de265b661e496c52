//! The parts that take lanes one by one in 128-bit vectors: AES-NI chains and the SHA extensions.
//!
//! Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (AESENC, SHA1RNDS4, SHA256RNDS2 and
//! their companions). The same code serves the levels `sse42` and `avx2`; the latter's has three operands.

use super::lanes::{Chain, Compress, Lanes};
use super::sha;
use crate::sha1_ni::{Sha1, Words, words};
use std::arch::x86_64::*;

/// CBC encryption of `N` lanes, block by block side by side.
#[derive(Clone, Copy)]
pub struct Aes<const N: usize>([__m128i; N]);

impl<const N: usize> Aes<N> {
    /// A lane's round key. Pointers to the keys of many lanes would not fit into the registers.
    #[inline(always)]
    unsafe fn key(lanes: &Lanes, lane: usize, round: usize) -> __m128i {
        // SAFETY: the caller has set the keys, for more than four lanes in the table.
        unsafe {
            let key = match Self::TABLE {
                false => (*lanes.keys[lane]).as_ptr().add(round).cast(),
                true => lanes.row(round).add(lane).cast(),
            };
            _mm_loadu_si128(key)
        }
    }
}

impl<const N: usize> Chain for Aes<N> {
    const TABLE: bool = N > 4;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, _rounds: usize) -> Self {
        // SAFETY: the caller vouches for the instructions; there are more lanes than `N`.
        unsafe {
            let mut all = [_mm_setzero_si128(); N];
            for (lane, state) in all.iter_mut().enumerate() {
                *state = _mm_loadu_si128(lanes.chain[lane].as_ptr().cast());
            }
            Aes(all)
        }
    }
    #[inline(always)]
    unsafe fn first(&mut self, lanes: &Lanes, at: usize) {
        for (lane, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions, the pointers and the keys.
            unsafe {
                let block = _mm_loadu_si128(lanes.data[lane].add(at).cast());
                // The chain enters last: it is what the others would wait for.
                *state = _mm_xor_si128(*state, _mm_xor_si128(block, Self::key(lanes, lane, 0)));
            }
        }
    }
    #[inline(always)]
    unsafe fn round(&mut self, lanes: &Lanes, round: usize) {
        for (lane, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions and the keys.
            unsafe { *state = _mm_aesenc_si128(*state, Self::key(lanes, lane, round)) };
        }
    }
    #[inline(always)]
    unsafe fn last(&mut self, lanes: &Lanes, at: usize, rounds: usize) {
        for (lane, state) in self.0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the instructions, the pointers and the keys.
            unsafe {
                *state = _mm_aesenclast_si128(*state, Self::key(lanes, lane, rounds));
                _mm_storeu_si128(lanes.data[lane].add(at).cast(), *state);
            }
        }
    }
    #[inline(always)]
    unsafe fn end(self, lanes: &mut Lanes) {
        for (lane, state) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for the instructions; there are more lanes than `N`.
            unsafe { _mm_storeu_si128(lanes.chain[lane].as_mut_ptr().cast(), state) };
        }
    }
}

impl<const VECTOR: bool> Compress for Sha1<VECTOR> {
    type Message = Words;
    const PARTS: usize = 20;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, lane: usize) -> Self {
        let [a, b, c, d, e, ..] = lanes.state(lane);
        // SAFETY: the caller vouches for the instructions.
        unsafe { Sha1::new([a, b, c, d, e]) }
    }
    #[inline(always)]
    unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> Words {
        // SAFETY: the caller vouches for the instructions and 64 bytes.
        unsafe { words(lanes.hash[lane].add(at)) }
    }
    #[inline(always)]
    unsafe fn part<const P: usize>(&mut self, w: &mut Words) {
        // SAFETY: the caller vouches for the instructions.
        unsafe { self.four::<P>(w) };
    }
    #[inline(always)]
    unsafe fn add(&mut self, before: Self, _lanes: &mut Lanes, _lane: usize) {
        // SAFETY: the caller vouches for the instructions.
        unsafe { Sha1::add(self, before) };
    }
    #[inline(always)]
    unsafe fn end(self, lanes: &mut Lanes, lane: usize) {
        // SAFETY: the caller vouches for the instructions.
        let state = unsafe { self.state() };
        for (row, word) in lanes.state.iter_mut().zip(state) {
            row[lane] = word;
        }
    }
}

/// SHA-256 of one lane, in the order that SHA256RNDS2 wants.
#[derive(Clone, Copy)]
pub struct Sha256 {
    abef: __m128i,
    cdgh: __m128i,
}

impl Sha256 {
    #[inline(always)]
    unsafe fn four(&mut self, w: &mut [__m128i; 4], group: usize) {
        // SAFETY: the caller vouches for the instructions; there are 16 groups of constants.
        unsafe {
            let i = group % 4;
            if group >= 4 {
                let shifted = _mm_alignr_epi8::<4>(w[(i + 3) % 4], w[(i + 2) % 4]);
                let old = _mm_add_epi32(_mm_sha256msg1_epu32(w[i], w[(i + 1) % 4]), shifted);
                w[i] = _mm_sha256msg2_epu32(old, w[(i + 3) % 4]);
            }
            let k = _mm_load_si128(sha::SHA256_WORDS.0.as_ptr().add(4 * group).cast());
            let sum = _mm_add_epi32(w[i], k);
            self.cdgh = _mm_sha256rnds2_epu32(self.cdgh, self.abef, sum);
            self.abef = _mm_sha256rnds2_epu32(self.abef, self.cdgh, _mm_shuffle_epi32::<0x0e>(sum));
        }
    }
}

impl Compress for Sha256 {
    type Message = [__m128i; 4];
    const PARTS: usize = 16;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, lane: usize) -> Self {
        let [a, b, c, d, e, f, g, h] = lanes.state.each_ref().map(|row| row[lane] as i32);
        // SAFETY: the caller vouches for the instructions.
        unsafe { Sha256 { abef: _mm_set_epi32(a, b, e, f), cdgh: _mm_set_epi32(c, d, g, h) } }
    }
    #[inline(always)]
    unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> [__m128i; 4] {
        // SAFETY: the caller vouches for the instructions and 64 bytes.
        unsafe {
            let turn = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            let mut w = [_mm_setzero_si128(); 4];
            for (index, w) in w.iter_mut().enumerate() {
                *w = _mm_shuffle_epi8(_mm_loadu_si128(lanes.hash[lane].add(at + 16 * index).cast()), turn);
            }
            w
        }
    }
    #[inline(always)]
    unsafe fn part<const P: usize>(&mut self, w: &mut [__m128i; 4]) {
        // SAFETY: the caller vouches for the instructions.
        unsafe { self.four(w, P) };
    }
    #[inline(always)]
    unsafe fn add(&mut self, before: Self, _lanes: &mut Lanes, _lane: usize) {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            self.abef = _mm_add_epi32(self.abef, before.abef);
            self.cdgh = _mm_add_epi32(self.cdgh, before.cdgh);
        }
    }
    #[inline(always)]
    unsafe fn end(self, lanes: &mut Lanes, lane: usize) {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            lanes.state[0][lane] = _mm_extract_epi32::<3>(self.abef) as u32;
            lanes.state[1][lane] = _mm_extract_epi32::<2>(self.abef) as u32;
            lanes.state[2][lane] = _mm_extract_epi32::<3>(self.cdgh) as u32;
            lanes.state[3][lane] = _mm_extract_epi32::<2>(self.cdgh) as u32;
            lanes.state[4][lane] = _mm_extract_epi32::<1>(self.abef) as u32;
            lanes.state[5][lane] = _mm_extract_epi32::<0>(self.abef) as u32;
            lanes.state[6][lane] = _mm_extract_epi32::<1>(self.cdgh) as u32;
            lanes.state[7][lane] = _mm_extract_epi32::<0>(self.cdgh) as u32;
        }
    }
}
