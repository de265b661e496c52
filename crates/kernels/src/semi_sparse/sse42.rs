//! Vectors of 128 bits, for f32: a line is four registers, and GATHER is a shuffle of bytes for each block of `x`.

use super::strip::{Level, entries};
use super::tiles::Line;
use std::arch::x86_64::*;

pub struct F32;

impl Level for F32 {
    type Element = f32;
    type Values = [__m128; 4];
    type Hints = [__m128i; 4];

    #[inline(always)]
    unsafe fn zero() -> [__m128; 4] {
        // SAFETY: the caller has the level.
        unsafe { [_mm_setzero_ps(); 4] }
    }
    #[inline(always)]
    unsafe fn add(a: [__m128; 4], b: [__m128; 4]) -> [__m128; 4] {
        // SAFETY: the caller has the level.
        std::array::from_fn(|k| unsafe { _mm_add_ps(a[k], b[k]) })
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> [__m128i; 4] {
        // SAFETY: the caller has the level and the line.
        std::array::from_fn(|k| unsafe { _mm_load_si128(line.cast::<__m128i>().add(k)) })
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: [__m128i; 4]) -> [__m128i; 4] {
        // SAFETY: the caller has the level.
        hints.map(|hints| unsafe {
            match W {
                8 => _mm_srli_epi32::<3>(hints),
                16 => _mm_srli_epi32::<4>(hints),
                32 => _mm_srli_epi32::<5>(hints),
                _ => _mm_srli_epi32::<6>(hints),
            }
        })
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const f32, hints: [__m128i; 4]) -> [__m128; 4] {
        // SAFETY: the caller has the level and `W` elements.
        hints.map(|hints| unsafe {
            // The hint's four bytes 4 h .. 4 h + 3: below 256 for every width.
            let hint = _mm_and_si128(hints, _mm_set1_epi32(W as i32 - 1));
            let first = _mm_slli_epi32::<2>(hint);
            let all = _mm_shuffle_epi8(first, _mm_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));
            let bytes = _mm_or_si128(all, _mm_set1_epi32(0x03020100));
            let mut found = _mm_setzero_si128();
            for b in 0..W / 4 {
                let block = _mm_castps_si128(_mm_loadu_ps(x.add(4 * b)));
                // The shuffle gives zero where a byte's sign is set: what is not in this block saturates above 127.
                let within = _mm_sub_epi8(bytes, _mm_set1_epi8((16 * b) as u8 as i8));
                let within = _mm_adds_epu8(within, _mm_set1_epi8(0x70));
                found = _mm_or_si128(found, _mm_shuffle_epi8(block, within));
            }
            _mm_castsi128_ps(found)
        })
    }
    #[inline(always)]
    unsafe fn mul_add(sums: [__m128; 4], line: *const Line, x: [__m128; 4]) -> [__m128; 4] {
        let line = line.cast::<f32>();
        // SAFETY: the caller has the level and the line.
        std::array::from_fn(|k| unsafe {
            _mm_add_ps(sums[k], _mm_mul_ps(_mm_load_ps(line.add(4 * k)), x[k]))
        })
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const f32) -> [__m128; 4] {
        // SAFETY: the caller has the level and an element.
        unsafe { [_mm_set1_ps(*x); 4] }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: [__m128; 4],
        values: *const f32,
        columns: *const u8,
        x: &[f32],
    ) -> [__m128; 4] {
        // SAFETY: the caller has the level, 16 values and 16 columns within `x`.
        std::array::from_fn(|k| unsafe {
            let at = |lane: usize| {
                let number = 4 * k + lane;
                let column = match WIDE {
                    true => columns.cast::<u32>().add(number).read_unaligned() as usize,
                    false => usize::from(columns.cast::<u16>().add(number).read_unaligned()),
                };
                *x.as_ptr().add(column)
            };
            let x = _mm_set_ps(at(3), at(2), at(1), at(0));
            _mm_add_ps(sums[k], _mm_mul_ps(_mm_loadu_ps(values.add(4 * k)), x))
        })
    }
    #[inline(always)]
    unsafe fn store(sums: [__m128; 4], to: *mut f32) {
        for (k, sums) in sums.into_iter().enumerate() {
            // SAFETY: the caller has the level and room for 16 sums.
            unsafe { _mm_storeu_ps(to.add(4 * k), sums) };
        }
    }
}

entries!("sse4.2,popcnt", of_f32, F32, f32, sums: 2, batch: 1);
