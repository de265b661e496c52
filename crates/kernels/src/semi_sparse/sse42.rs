//! Vectors of 128 bits, for f32: a line is four registers, and GATHER is a shuffle of bytes for each block of `x`.

use super::entries::entries;
use super::strip::Level;
use super::tiles::Line;
use std::arch::x86_64::*;

pub struct F32;

// Functions, not closures: a closure that is not inlined lacks the level's instructions, and calls each of them.

#[inline(always)]
unsafe fn shifted<const N: i32>(h: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: the caller has the level.
    unsafe {
        [
            _mm_srli_epi32::<N>(h[0]),
            _mm_srli_epi32::<N>(h[1]),
            _mm_srli_epi32::<N>(h[2]),
            _mm_srli_epi32::<N>(h[3]),
        ]
    }
}

/// Four elements of `x` by the lowest bits of the hints.
#[inline(always)]
unsafe fn singles<const W: usize>(x: *const f32, hints: __m128i) -> __m128 {
    // SAFETY: the caller has the level and `W` elements.
    unsafe {
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
    }
}

/// A quarter of a line of SELL, from lane `begin` on.
#[inline(always)]
unsafe fn products<const WIDE: bool>(
    sums: __m128,
    values: *const f32,
    columns: *const u8,
    begin: usize,
    x: *const f32,
) -> __m128 {
    #[inline(always)]
    unsafe fn column<const WIDE: bool>(columns: *const u8, lane: usize) -> usize {
        // SAFETY: the caller has the number.
        unsafe {
            match WIDE {
                true => columns.cast::<u32>().add(lane).read_unaligned() as usize,
                false => usize::from(columns.cast::<u16>().add(lane).read_unaligned()),
            }
        }
    }
    // SAFETY: the caller has the level, 16 values and 16 columns within `x`.
    unsafe {
        let x = _mm_set_ps(
            *x.add(column::<WIDE>(columns, begin + 3)),
            *x.add(column::<WIDE>(columns, begin + 2)),
            *x.add(column::<WIDE>(columns, begin + 1)),
            *x.add(column::<WIDE>(columns, begin)),
        );
        _mm_add_ps(sums, _mm_mul_ps(_mm_loadu_ps(values.add(begin)), x))
    }
}

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
        unsafe {
            [_mm_add_ps(a[0], b[0]), _mm_add_ps(a[1], b[1]), _mm_add_ps(a[2], b[2]), _mm_add_ps(a[3], b[3])]
        }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> [__m128i; 4] {
        // SAFETY: the caller has the level and the line.
        unsafe {
            let line = line.cast::<__m128i>();
            [
                _mm_load_si128(line),
                _mm_load_si128(line.add(1)),
                _mm_load_si128(line.add(2)),
                _mm_load_si128(line.add(3)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: [__m128i; 4]) -> [__m128i; 4] {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => shifted::<3>(hints),
                16 => shifted::<4>(hints),
                32 => shifted::<5>(hints),
                _ => shifted::<6>(hints),
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const f32, hints: [__m128i; 4]) -> [__m128; 4] {
        // SAFETY: as the caller's.
        unsafe {
            [
                singles::<W>(x, hints[0]),
                singles::<W>(x, hints[1]),
                singles::<W>(x, hints[2]),
                singles::<W>(x, hints[3]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: [__m128; 4], line: *const Line, x: [__m128; 4]) -> [__m128; 4] {
        let line = line.cast::<f32>();
        // SAFETY: the caller has the level and the line.
        unsafe {
            [
                _mm_add_ps(sums[0], _mm_mul_ps(_mm_load_ps(line), x[0])),
                _mm_add_ps(sums[1], _mm_mul_ps(_mm_load_ps(line.add(4)), x[1])),
                _mm_add_ps(sums[2], _mm_mul_ps(_mm_load_ps(line.add(8)), x[2])),
                _mm_add_ps(sums[3], _mm_mul_ps(_mm_load_ps(line.add(12)), x[3])),
            ]
        }
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
        // SAFETY: as the caller's.
        unsafe {
            [
                products::<WIDE>(sums[0], values, columns, 0, x.as_ptr()),
                products::<WIDE>(sums[1], values, columns, 4, x.as_ptr()),
                products::<WIDE>(sums[2], values, columns, 8, x.as_ptr()),
                products::<WIDE>(sums[3], values, columns, 12, x.as_ptr()),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store(sums: [__m128; 4], to: *mut f32) {
        // SAFETY: the caller has the level and room for 16 sums.
        unsafe {
            _mm_storeu_ps(to, sums[0]);
            _mm_storeu_ps(to.add(4), sums[1]);
            _mm_storeu_ps(to.add(8), sums[2]);
            _mm_storeu_ps(to.add(12), sums[3]);
        }
    }
}

entries!("sse4.2,popcnt", of_f32, F32, f32, sums: 2, batch: 1, windows: [(3, 1), (3, 2)]);
