//! The SHA instructions (Intel SDM volume 2, SHA1RNDS4 .. SHA256MSG2): one message per register, `K` messages in turn.
//!
//! The rounds of one message wait for each other: SHA256RNDS2 takes several cycles, but a processor can begin one every
//! other cycle, SHA1RNDS4 likewise. Instructions of other messages fill the gaps.

use crate::hash::constants;
use crate::hash::rows::SLOTS;
use crate::hash::scalar::entries;
use crate::sha1_ni::{Sha1, words};
use std::arch::x86_64::*;

entries! {
    "sha,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe":
    sha1_vector_1(u32) = sha1::<1, true>;
    sha1_vector_2(u32) = sha1::<2, true>;
    sha1_vector_3(u32) = sha1::<3, true>;
    sha1_vector_4(u32) = sha1::<4, true>;
}

entries! {
    "sha,sse4.2,ssse3,popcnt":
    sha1_1(u32) = sha1::<1, false>;
    sha1_2(u32) = sha1::<2, false>;
    sha1_3(u32) = sha1::<3, false>;
    sha1_4(u32) = sha1::<4, false>;
    sha256_1(u32) = sha256::<1>;
    sha256_2(u32) = sha256::<2>;
    sha256_3(u32) = sha256::<3>;
}

/// Words of a slot's state as a vector, the first one in the highest place.
///
/// # Safety
/// The processor has SSE4.2; `state` has the rows that are named.
#[inline(always)]
unsafe fn gather(state: *const u32, rows: [usize; 4]) -> __m128i {
    // SAFETY: the caller's duties are the same.
    unsafe {
        let [a, b, c, d] = rows.map(|row| *state.add(row * SLOTS) as i32);
        _mm_set_epi32(a, b, c, d)
    }
}

/// Reverses [`gather`].
///
/// # Safety
/// As for it.
#[inline(always)]
unsafe fn scatter(state: *mut u32, rows: [usize; 4], v: __m128i) {
    // SAFETY: the caller's duties are the same.
    unsafe {
        *state.add(rows[0] * SLOTS) = _mm_extract_epi32::<3>(v) as u32;
        *state.add(rows[1] * SLOTS) = _mm_extract_epi32::<2>(v) as u32;
        *state.add(rows[2] * SLOTS) = _mm_extract_epi32::<1>(v) as u32;
        *state.add(rows[3] * SLOTS) = _mm_extract_epi32::<0>(v) as u32;
    }
}

#[inline(always)]
unsafe fn sha256<const K: usize>(state: *mut u32, rows: *const *const u8, blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for what the pointers reach.
    unsafe {
        let order = _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203);
        let mut abef: [__m128i; K] = std::array::from_fn(|k| gather(state.add(k), [0, 1, 4, 5]));
        let mut cdgh: [__m128i; K] = std::array::from_fn(|k| gather(state.add(k), [2, 3, 6, 7]));
        let row: [*const u8; K] = std::array::from_fn(|k| *rows.add(k));
        for block in 0..blocks {
            let (abef_before, cdgh_before) = (abef, cdgh);
            let mut m = [[order; 4]; K];
            for (m, row) in m.iter_mut().zip(row) {
                for (i, m) in m.iter_mut().enumerate() {
                    let at = row.add(64 * block + 16 * i);
                    *m = _mm_shuffle_epi8(_mm_loadu_si128(at.cast()), order);
                }
            }
            // Four rounds with the words of `i`, and with `extend` those of four rounds sixteen later.
            macro_rules! four {
                ($at:expr, $i:literal, $extend:literal) => {
                    let constant = _mm_loadu_si128(constants::SHA256.as_ptr().add($at + 4 * $i).cast());
                    for k in 0..K {
                        let x = _mm_add_epi32(m[k][$i], constant);
                        cdgh[k] = _mm_sha256rnds2_epu32(cdgh[k], abef[k], x);
                        let x = _mm_shuffle_epi32::<0x0e>(x);
                        abef[k] = _mm_sha256rnds2_epu32(abef[k], cdgh[k], x);
                        if $extend {
                            let [a, b] = [m[k][$i], m[k][($i + 1) & 3]];
                            let [c, d] = [m[k][($i + 2) & 3], m[k][($i + 3) & 3]];
                            let sum = _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8::<4>(d, c));
                            m[k][$i] = _mm_sha256msg2_epu32(sum, d);
                        }
                    }
                };
            }
            macro_rules! sixteen {
                ($at:expr, $extend:literal) => {
                    four!($at, 0, $extend);
                    four!($at, 1, $extend);
                    four!($at, 2, $extend);
                    four!($at, 3, $extend);
                };
            }
            sixteen!(0, true);
            sixteen!(16, true);
            sixteen!(32, true);
            sixteen!(48, false);
            for k in 0..K {
                abef[k] = _mm_add_epi32(abef[k], abef_before[k]);
                cdgh[k] = _mm_add_epi32(cdgh[k], cdgh_before[k]);
            }
        }
        for k in 0..K {
            scatter(state.add(k), [0, 1, 4, 5], abef[k]);
            scatter(state.add(k), [2, 3, 6, 7], cdgh[k]);
        }
    }
}

#[inline(always)]
unsafe fn sha1<const K: usize, const VECTOR: bool>(state: *mut u32, rows: *const *const u8, blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for what the pointers reach.
    unsafe {
        let mut all: [Sha1<VECTOR>; K] =
            std::array::from_fn(|k| Sha1::new(std::array::from_fn(|word| *state.add(word * SLOTS + k))));
        let row: [*const u8; K] = std::array::from_fn(|k| *rows.add(k));
        for block in 0..blocks {
            let before = all;
            let mut w = [[_mm_setzero_si128(); 8]; K];
            for (w, row) in w.iter_mut().zip(row) {
                *w = words(row.add(64 * block));
            }
            macro_rules! four {
                ($($group:literal)+) => {
                    $(for (one, w) in all.iter_mut().zip(&mut w) {
                        one.four::<$group>(w);
                    })+
                };
            }
            four!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            for (one, before) in all.iter_mut().zip(before) {
                one.add(before);
            }
        }
        for (k, one) in all.into_iter().enumerate() {
            for (index, word) in one.state().into_iter().enumerate() {
                *state.add(index * SLOTS + k) = word;
            }
        }
    }
}
