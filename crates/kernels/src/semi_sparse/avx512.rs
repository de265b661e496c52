//! Vectors of 512 bits: a line is one register, and GATHER is one permute from two blocks of `x`.

use super::entries::entries;
use super::strip::Level;
use super::tiles::Line;
use std::arch::x86_64::*;

pub struct F32;
pub struct F64;
pub struct I16;

impl Level for F32 {
    type Element = f32;
    type Values = __m512;
    type Hints = __m512i;

    #[inline(always)]
    unsafe fn zero() -> __m512 {
        // SAFETY: the caller has the level.
        unsafe { _mm512_setzero_ps() }
    }
    #[inline(always)]
    unsafe fn add(a: __m512, b: __m512) -> __m512 {
        // SAFETY: the caller has the level.
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> __m512i {
        // SAFETY: the caller has the level and the line.
        unsafe { _mm512_load_si512(line.cast()) }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: __m512i) -> __m512i {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => _mm512_srli_epi32::<3>(hints),
                16 => _mm512_srli_epi32::<4>(hints),
                32 => _mm512_srli_epi32::<5>(hints),
                _ => _mm512_srli_epi32::<6>(hints),
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const f32, hints: __m512i) -> __m512 {
        // SAFETY: the caller has the level and `W` elements.
        unsafe {
            match W {
                // The permute reads four bits: with eight elements in both halves the fourth does not matter.
                8 => _mm512_permutexvar_ps(hints, _mm512_broadcast_f32x8(_mm256_loadu_ps(x))),
                16 => _mm512_permutexvar_ps(hints, _mm512_loadu_ps(x)),
                32 => _mm512_permutex2var_ps(_mm512_loadu_ps(x), hints, _mm512_loadu_ps(x.add(16))),
                _ => {
                    let upper = _mm512_test_epi32_mask(hints, _mm512_set1_epi32(32));
                    let low = _mm512_permutex2var_ps(_mm512_loadu_ps(x), hints, _mm512_loadu_ps(x.add(16)));
                    let high =
                        _mm512_permutex2var_ps(_mm512_loadu_ps(x.add(32)), hints, _mm512_loadu_ps(x.add(48)));
                    _mm512_mask_blend_ps(upper, low, high)
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: __m512, line: *const Line, x: __m512) -> __m512 {
        // SAFETY: the caller has the level and the line.
        unsafe { _mm512_fmadd_ps(_mm512_load_ps(line.cast()), x, sums) }
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const f32) -> __m512 {
        // SAFETY: the caller has the level and an element.
        unsafe { _mm512_set1_ps(*x) }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: __m512,
        values: *const f32,
        columns: *const u8,
        x: &[f32],
    ) -> __m512 {
        // SAFETY: the caller has the level, 16 values and 16 columns within `x`.
        unsafe {
            let columns = columns16::<WIDE>(columns);
            let x = _mm512_i32gather_ps::<4>(columns, x.as_ptr());
            _mm512_fmadd_ps(_mm512_loadu_ps(values), x, sums)
        }
    }
    #[inline(always)]
    unsafe fn store(sums: __m512, to: *mut f32) {
        // SAFETY: the caller has the level and room for 16 sums.
        unsafe { _mm512_storeu_ps(to, sums) }
    }
    #[inline(always)]
    unsafe fn turn(from: *const f32, stride: usize, count: usize, to: *mut f32) {
        // SAFETY: the caller has the level, 16 elements at each of `count` strides, and room for 256.
        unsafe {
            // Pairs of rows first; pairs of elements are then turned like doubles, even and odd columns apart.
            let mut low = [_mm512_setzero_pd(); 8];
            let mut high = low;
            for pair in 0..8 {
                let a = _mm512_loadu_ps(from.add((2 * pair).min(count - 1) * stride));
                let b = _mm512_loadu_ps(from.add((2 * pair + 1).min(count - 1) * stride));
                low[pair] = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
                high[pair] = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
            }
            // `unpacklo` has columns 0, 1 of each four, `unpackhi` 2, 3.
            for (half, pairs) in [low, high].into_iter().enumerate() {
                for (k, line) in turned8(pairs).into_iter().enumerate() {
                    let column = 4 * (k / 2) + 2 * half + k % 2;
                    _mm512_storeu_ps(to.add(16 * column), _mm512_castpd_ps(line));
                }
            }
        }
    }
}

/// Eight vectors of eight doubles, turned.
#[inline(always)]
unsafe fn turned8(rows: [__m512d; 8]) -> [__m512d; 8] {
    // SAFETY: the caller has the level.
    unsafe {
        let [a, b, c, d, e, f, g, h] = rows;
        // Columns 0, 2, 4, 6 of pairs of rows in `even`, 1, 3, 5, 7 in `odd`; then quarters of vectors move.
        let even = [
            _mm512_unpacklo_pd(a, b),
            _mm512_unpacklo_pd(c, d),
            _mm512_unpacklo_pd(e, f),
            _mm512_unpacklo_pd(g, h),
        ];
        let odd = [
            _mm512_unpackhi_pd(a, b),
            _mm512_unpackhi_pd(c, d),
            _mm512_unpackhi_pd(e, f),
            _mm512_unpackhi_pd(g, h),
        ];
        let (even, odd) = (quarters(even), quarters(odd));
        [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
    }
}

/// Four vectors of four quarters, turned.
#[inline(always)]
unsafe fn quarters([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: the caller has the level.
    unsafe {
        let (ab, ab_upper) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        let (cd, cd_upper) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
        // a0 a2 b0 b2 and a1 a3 b1 b3.
        [
            _mm512_shuffle_f64x2::<0x88>(ab, cd),
            _mm512_shuffle_f64x2::<0x88>(ab_upper, cd_upper),
            _mm512_shuffle_f64x2::<0xdd>(ab, cd),
            _mm512_shuffle_f64x2::<0xdd>(ab_upper, cd_upper),
        ]
    }
}

/// Sixteen column numbers.
#[inline(always)]
unsafe fn columns16<const WIDE: bool>(columns: *const u8) -> __m512i {
    // SAFETY: the caller has the level and the numbers.
    unsafe {
        match WIDE {
            true => _mm512_loadu_si512(columns.cast()),
            false => _mm512_cvtepu16_epi32(_mm256_loadu_si256(columns.cast())),
        }
    }
}

impl Level for F64 {
    type Element = f64;
    type Values = __m512d;
    type Hints = __m512i;

    #[inline(always)]
    unsafe fn zero() -> __m512d {
        // SAFETY: the caller has the level.
        unsafe { _mm512_setzero_pd() }
    }
    #[inline(always)]
    unsafe fn add(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: the caller has the level.
        unsafe { _mm512_add_pd(a, b) }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> __m512i {
        // SAFETY: the caller has the level and the line.
        unsafe { _mm512_load_si512(line.cast()) }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: __m512i) -> __m512i {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => _mm512_srli_epi64::<3>(hints),
                16 => _mm512_srli_epi64::<4>(hints),
                32 => _mm512_srli_epi64::<5>(hints),
                _ => _mm512_srli_epi64::<6>(hints),
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const f64, hints: __m512i) -> __m512d {
        // SAFETY: the caller has the level and `W` elements.
        unsafe {
            match W {
                8 => _mm512_permutexvar_pd(hints, _mm512_loadu_pd(x)),
                16 => _mm512_permutex2var_pd(_mm512_loadu_pd(x), hints, _mm512_loadu_pd(x.add(8))),
                32 => {
                    let upper = _mm512_test_epi64_mask(hints, _mm512_set1_epi64(16));
                    let low = _mm512_permutex2var_pd(_mm512_loadu_pd(x), hints, _mm512_loadu_pd(x.add(8)));
                    let high =
                        _mm512_permutex2var_pd(_mm512_loadu_pd(x.add(16)), hints, _mm512_loadu_pd(x.add(24)));
                    _mm512_mask_blend_pd(upper, low, high)
                }
                _ => {
                    // Four permutes take longer than the loads.
                    let places = _mm512_and_si512(hints, _mm512_set1_epi64(63));
                    _mm512_i64gather_pd::<8>(places, x)
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: __m512d, line: *const Line, x: __m512d) -> __m512d {
        // SAFETY: the caller has the level and the line.
        unsafe { _mm512_fmadd_pd(_mm512_load_pd(line.cast()), x, sums) }
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const f64) -> __m512d {
        // SAFETY: the caller has the level and an element.
        unsafe { _mm512_set1_pd(*x) }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: __m512d,
        values: *const f64,
        columns: *const u8,
        x: &[f64],
    ) -> __m512d {
        // SAFETY: the caller has the level, 8 values and 8 columns within `x`.
        unsafe {
            let columns = match WIDE {
                true => _mm256_loadu_si256(columns.cast()),
                false => _mm256_cvtepu16_epi32(_mm_loadu_si128(columns.cast())),
            };
            let x = _mm512_i32gather_pd::<8>(columns, x.as_ptr());
            _mm512_fmadd_pd(_mm512_loadu_pd(values), x, sums)
        }
    }
    #[inline(always)]
    unsafe fn store(sums: __m512d, to: *mut f64) {
        // SAFETY: the caller has the level and room for 8 sums.
        unsafe { _mm512_storeu_pd(to, sums) }
    }
    #[inline(always)]
    unsafe fn turn(from: *const f64, stride: usize, count: usize, to: *mut f64) {
        // SAFETY: the caller has the level, 8 elements at each of `count` strides, and room for 64.
        unsafe {
            let mut rows = [_mm512_setzero_pd(); 8];
            for (r, row) in rows.iter_mut().enumerate() {
                *row = _mm512_loadu_pd(from.add(r.min(count - 1) * stride));
            }
            for (c, line) in turned8(rows).into_iter().enumerate() {
                _mm512_storeu_pd(to.add(8 * c), line);
            }
        }
    }
}

impl Level for I16 {
    type Element = i16;
    type Values = __m512i;
    type Hints = __m512i;

    #[inline(always)]
    unsafe fn zero() -> __m512i {
        // SAFETY: the caller has the level.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller has the level.
        unsafe { _mm512_add_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> __m512i {
        // SAFETY: the caller has the level and the line.
        unsafe { _mm512_load_si512(line.cast()) }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: __m512i) -> __m512i {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => _mm512_srli_epi16::<3>(hints),
                16 => _mm512_srli_epi16::<4>(hints),
                32 => _mm512_srli_epi16::<5>(hints),
                _ => _mm512_srli_epi16::<6>(hints),
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const i16, hints: __m512i) -> __m512i {
        // SAFETY: the caller has the level and `W` elements.
        unsafe {
            match W {
                // The permute reads five bits: a block that is repeated makes the upper ones not matter.
                8 => {
                    let block = _mm512_broadcast_i32x4(_mm_loadu_si128(x.cast()));
                    _mm512_permutexvar_epi16(hints, block)
                }
                16 => {
                    let block = _mm512_broadcast_i64x4(_mm256_loadu_si256(x.cast()));
                    _mm512_permutexvar_epi16(hints, block)
                }
                32 => _mm512_permutexvar_epi16(hints, _mm512_loadu_si512(x.cast())),
                _ => {
                    let (low, high) = (_mm512_loadu_si512(x.cast()), _mm512_loadu_si512(x.add(32).cast()));
                    _mm512_permutex2var_epi16(low, hints, high)
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: __m512i, line: *const Line, x: __m512i) -> __m512i {
        // SAFETY: the caller has the level and the line.
        unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_load_si512(line.cast()), x)) }
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const i16) -> __m512i {
        // SAFETY: the caller has the level and two elements, of any alignment.
        unsafe { _mm512_set1_epi32(x.cast::<i32>().read_unaligned()) }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: __m512i,
        values: *const i16,
        columns: *const u8,
        x: &[i16],
    ) -> __m512i {
        // SAFETY: the caller has the level, 16 values and 16 columns within `x`.
        unsafe {
            let columns = columns16::<WIDE>(columns);
            let values = _mm512_cvtepu16_epi32(_mm256_loadu_si256(values.cast()));
            let x = if x.len() < 2 {
                // One column: there is no pair to load.
                _mm512_set1_epi32(if x.is_empty() { 0 } else { i32::from(x[0]) })
            } else {
                // Pairs are loaded, from even columns so that none crosses a cache line; the last one may not be even.
                let even = _mm512_and_si512(columns, _mm512_set1_epi32(-2));
                let begin = _mm512_min_epi32(even, _mm512_set1_epi32(x.len() as i32 - 2));
                let pairs = _mm512_i32gather_epi32::<2>(begin, x.as_ptr().cast());
                _mm512_srlv_epi32(pairs, _mm512_slli_epi32::<4>(_mm512_sub_epi32(columns, begin)))
            };
            // The upper half of each value's lane is zero: the pair's other element does not count.
            _mm512_add_epi32(sums, _mm512_madd_epi16(values, x))
        }
    }
    #[inline(always)]
    unsafe fn store(sums: __m512i, to: *mut i32) {
        // SAFETY: the caller has the level and room for 16 sums.
        unsafe { _mm512_storeu_si512(to.cast(), sums) }
    }
}

entries!(
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt",
    of_f32, F32, f32, sums: 6, batch: 1,
    windows: [(5, 1), (5, 2), (5, 3), (5, 6), (6, 1)]
);
entries!(
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt",
    of_f64, F64, f64, sums: 6, batch: 1,
    windows: [(4, 1), (4, 2), (4, 4), (5, 1), (5, 2), (5, 3)]
);
entries!(
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt",
    of_i16, I16, i16, sums: 4, batch: 1,
    windows: [(5, 1), (5, 3), (6, 1), (6, 2)]
);
