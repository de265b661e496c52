//! Vectors of 256 bits: a line is two registers, and GATHER is a shuffle for each block of `x` and blends by the
//! hints' upper bits.

use super::entries::entries;
use super::strip::Level;
use super::tiles::Line;
use std::arch::x86_64::*;

pub struct F32;
pub struct F64;
pub struct I16;

#[inline(always)]
unsafe fn hints(line: *const Line) -> [__m256i; 2] {
    let line = line.cast::<__m256i>();
    // SAFETY: the caller has the level and the line.
    unsafe { [_mm256_load_si256(line), _mm256_load_si256(line.add(1))] }
}

// Functions, not closures: a closure that is not inlined lacks the level's instructions, and calls each of them.

/// Eight elements of `x` by the lowest bits of the hints.
#[inline(always)]
unsafe fn singles<const W: usize>(x: *const f32, hints: __m256i) -> __m256 {
    /// A block of `x`, shuffled by the lowest three bits.
    #[inline(always)]
    unsafe fn shuffled(x: *const f32, hints: __m256i) -> __m256 {
        // SAFETY: the caller has the level and eight elements.
        unsafe { _mm256_permutevar8x32_ps(_mm256_loadu_ps(x), hints) }
    }
    // SAFETY: the caller has the level and `W` elements.
    unsafe {
        // The blend looks at the sign: the bits above the third are shifted there.
        let fourth = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(hints));
        let fifth = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(hints));
        match W {
            8 => shuffled(x, hints),
            16 => _mm256_blendv_ps(shuffled(x, hints), shuffled(x.add(8), hints), fourth),
            32 => {
                let low = _mm256_blendv_ps(shuffled(x, hints), shuffled(x.add(8), hints), fourth);
                let high = _mm256_blendv_ps(shuffled(x.add(16), hints), shuffled(x.add(24), hints), fourth);
                _mm256_blendv_ps(low, high, fifth)
            }
            // Eight shuffles and seven blends take longer than the loads.
            _ => _mm256_i32gather_ps::<4>(x, _mm256_and_si256(hints, _mm256_set1_epi32(63))),
        }
    }
}

/// Four elements of `x` by the lowest bits of the hints.
#[inline(always)]
unsafe fn doubles<const W: usize>(x: *const f64, hints: __m256i) -> __m256d {
    // SAFETY: the caller has the level and `W` elements.
    unsafe {
        if W > 8 {
            // Four shuffles of four doubles and their blends take longer than four loads.
            return _mm256_i64gather_pd::<8>(x, _mm256_and_si256(hints, _mm256_set1_epi64x(W as i64 - 1)));
        }
        // Doubles move as pairs of words: the words 2 h and 2 h + 1 for the hint h of four columns. Above a hint's
        // bits are other hints, which do not matter.
        let twice = _mm256_slli_epi64::<1>(hints);
        let both = _mm256_blend_epi32::<0xaa>(twice, _mm256_slli_epi64::<32>(twice));
        let words = _mm256_or_si256(both, _mm256_set1_epi64x(1 << 32));
        let first = _mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(x)), words);
        let second = _mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(x.add(4))), words);
        let third = _mm256_castsi256_pd(_mm256_slli_epi64::<61>(hints));
        _mm256_blendv_pd(_mm256_castps_pd(first), _mm256_castps_pd(second), third)
    }
}

/// Sixteen elements of `x` by the lowest bits of the hints.
#[inline(always)]
unsafe fn words<const W: usize>(x: *const i16, hints: __m256i) -> __m256i {
    // SAFETY: the caller has the level and `W` elements.
    unsafe {
        // Bytes 2 h and 2 h + 1 for the hint h, which is below 64: both fit a byte.
        let hint = _mm256_and_si256(hints, _mm256_set1_epi16(W as i16 - 1));
        let low = _mm256_slli_epi16::<1>(hint);
        let bytes = _mm256_or_si256(low, _mm256_slli_epi16::<8>(low));
        let bytes = _mm256_or_si256(bytes, _mm256_set1_epi16(0x100));
        let mut found = _mm256_setzero_si256();
        for b in 0..W / 8 {
            let block = _mm256_broadcastsi128_si256(_mm_loadu_si128(x.add(8 * b).cast()));
            // The shuffle gives zero where a byte's sign is set: what is not in this block saturates above 127.
            let within = _mm256_sub_epi8(bytes, _mm256_set1_epi8(16 * b as i8));
            let within = _mm256_adds_epu8(within, _mm256_set1_epi8(0x70));
            found = _mm256_or_si256(found, _mm256_shuffle_epi8(block, within));
        }
        found
    }
}

/// Half a line of SELL: eight sums more.
#[inline(always)]
unsafe fn products<const WIDE: bool>(
    sums: __m256i,
    values: *const i16,
    columns: *const u8,
    half: usize,
    x: &[i16],
) -> __m256i {
    // SAFETY: the caller has the level, 16 values and 16 columns within `x`.
    unsafe {
        let columns = columns8::<WIDE>(columns, half);
        let values = _mm256_cvtepu16_epi32(_mm_loadu_si128(values.add(8 * half).cast()));
        let x = if x.len() < 2 {
            // One column: there is no pair to load.
            _mm256_set1_epi32(if x.is_empty() { 0 } else { i32::from(x[0]) })
        } else {
            // Pairs are loaded, from even columns so that none crosses a cache line; the last one may not be even.
            let even = _mm256_and_si256(columns, _mm256_set1_epi32(-2));
            let begin = _mm256_min_epi32(even, _mm256_set1_epi32(x.len() as i32 - 2));
            let pairs = _mm256_i32gather_epi32::<2>(x.as_ptr().cast(), begin);
            _mm256_srlv_epi32(pairs, _mm256_slli_epi32::<4>(_mm256_sub_epi32(columns, begin)))
        };
        // The upper half of each value's lane is zero: the pair's other element does not count.
        _mm256_add_epi32(sums, _mm256_madd_epi16(values, x))
    }
}

/// Four column numbers: the first or second half of eight.
#[inline(always)]
unsafe fn columns4<const WIDE: bool>(columns: *const u8, half: usize) -> __m128i {
    // SAFETY: the caller has the level and the numbers.
    unsafe {
        match WIDE {
            true => _mm_loadu_si128(columns.add(16 * half).cast()),
            false => _mm_cvtepu16_epi32(_mm_loadl_epi64(columns.add(8 * half).cast())),
        }
    }
}

impl Level for F32 {
    type Element = f32;
    type Values = [__m256; 2];
    type Hints = [__m256i; 2];

    #[inline(always)]
    unsafe fn zero() -> [__m256; 2] {
        // SAFETY: the caller has the level.
        unsafe { [_mm256_setzero_ps(); 2] }
    }
    #[inline(always)]
    unsafe fn add(a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: the caller has the level.
        unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> [__m256i; 2] {
        // SAFETY: as the caller's.
        unsafe { hints(line) }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => [_mm256_srli_epi32::<3>(hints[0]), _mm256_srli_epi32::<3>(hints[1])],
                16 => [_mm256_srli_epi32::<4>(hints[0]), _mm256_srli_epi32::<4>(hints[1])],
                32 => [_mm256_srli_epi32::<5>(hints[0]), _mm256_srli_epi32::<5>(hints[1])],
                _ => [_mm256_srli_epi32::<6>(hints[0]), _mm256_srli_epi32::<6>(hints[1])],
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const f32, hints: [__m256i; 2]) -> [__m256; 2] {
        // SAFETY: as the caller's.
        unsafe { [singles::<W>(x, hints[0]), singles::<W>(x, hints[1])] }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: [__m256; 2], line: *const Line, x: [__m256; 2]) -> [__m256; 2] {
        let line = line.cast::<f32>();
        // SAFETY: the caller has the level and the line.
        unsafe {
            [
                _mm256_fmadd_ps(_mm256_load_ps(line), x[0], sums[0]),
                _mm256_fmadd_ps(_mm256_load_ps(line.add(8)), x[1], sums[1]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const f32) -> [__m256; 2] {
        // SAFETY: the caller has the level and an element.
        unsafe { [_mm256_set1_ps(*x); 2] }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: [__m256; 2],
        values: *const f32,
        columns: *const u8,
        x: &[f32],
    ) -> [__m256; 2] {
        // SAFETY: the caller has the level, 16 values and 16 columns within `x`.
        unsafe {
            let low = _mm256_i32gather_ps::<4>(x.as_ptr(), columns8::<WIDE>(columns, 0));
            let high = _mm256_i32gather_ps::<4>(x.as_ptr(), columns8::<WIDE>(columns, 1));
            [
                _mm256_fmadd_ps(_mm256_loadu_ps(values), low, sums[0]),
                _mm256_fmadd_ps(_mm256_loadu_ps(values.add(8)), high, sums[1]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store(sums: [__m256; 2], to: *mut f32) {
        // SAFETY: the caller has the level and room for 16 sums.
        unsafe {
            _mm256_storeu_ps(to, sums[0]);
            _mm256_storeu_ps(to.add(8), sums[1]);
        }
    }
}

/// Eight column numbers: the first or second half of sixteen.
#[inline(always)]
unsafe fn columns8<const WIDE: bool>(columns: *const u8, half: usize) -> __m256i {
    // SAFETY: the caller has the level and the numbers.
    unsafe {
        match WIDE {
            true => _mm256_loadu_si256(columns.add(32 * half).cast()),
            false => _mm256_cvtepu16_epi32(_mm_loadu_si128(columns.add(16 * half).cast())),
        }
    }
}

impl Level for F64 {
    type Element = f64;
    type Values = [__m256d; 2];
    type Hints = [__m256i; 2];

    #[inline(always)]
    unsafe fn zero() -> [__m256d; 2] {
        // SAFETY: the caller has the level.
        unsafe { [_mm256_setzero_pd(); 2] }
    }
    #[inline(always)]
    unsafe fn add(a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
        // SAFETY: the caller has the level.
        unsafe { [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])] }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> [__m256i; 2] {
        // SAFETY: as the caller's.
        unsafe { hints(line) }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => [_mm256_srli_epi64::<3>(hints[0]), _mm256_srli_epi64::<3>(hints[1])],
                16 => [_mm256_srli_epi64::<4>(hints[0]), _mm256_srli_epi64::<4>(hints[1])],
                32 => [_mm256_srli_epi64::<5>(hints[0]), _mm256_srli_epi64::<5>(hints[1])],
                _ => [_mm256_srli_epi64::<6>(hints[0]), _mm256_srli_epi64::<6>(hints[1])],
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const f64, hints: [__m256i; 2]) -> [__m256d; 2] {
        // SAFETY: as the caller's.
        unsafe { [doubles::<W>(x, hints[0]), doubles::<W>(x, hints[1])] }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: [__m256d; 2], line: *const Line, x: [__m256d; 2]) -> [__m256d; 2] {
        let line = line.cast::<f64>();
        // SAFETY: the caller has the level and the line.
        unsafe {
            [
                _mm256_fmadd_pd(_mm256_load_pd(line), x[0], sums[0]),
                _mm256_fmadd_pd(_mm256_load_pd(line.add(4)), x[1], sums[1]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const f64) -> [__m256d; 2] {
        // SAFETY: the caller has the level and an element.
        unsafe { [_mm256_set1_pd(*x); 2] }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: [__m256d; 2],
        values: *const f64,
        columns: *const u8,
        x: &[f64],
    ) -> [__m256d; 2] {
        // SAFETY: the caller has the level, 8 values and 8 columns within `x`.
        unsafe {
            let low = _mm256_i32gather_pd::<8>(x.as_ptr(), columns4::<WIDE>(columns, 0));
            let high = _mm256_i32gather_pd::<8>(x.as_ptr(), columns4::<WIDE>(columns, 1));
            [
                _mm256_fmadd_pd(_mm256_loadu_pd(values), low, sums[0]),
                _mm256_fmadd_pd(_mm256_loadu_pd(values.add(4)), high, sums[1]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store(sums: [__m256d; 2], to: *mut f64) {
        // SAFETY: the caller has the level and room for 8 sums.
        unsafe {
            _mm256_storeu_pd(to, sums[0]);
            _mm256_storeu_pd(to.add(4), sums[1]);
        }
    }
}

impl Level for I16 {
    type Element = i16;
    type Values = [__m256i; 2];
    type Hints = [__m256i; 2];

    #[inline(always)]
    unsafe fn zero() -> [__m256i; 2] {
        // SAFETY: the caller has the level.
        unsafe { [_mm256_setzero_si256(); 2] }
    }
    #[inline(always)]
    unsafe fn add(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: the caller has the level.
        unsafe { [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])] }
    }
    #[inline(always)]
    unsafe fn hints(line: *const Line) -> [__m256i; 2] {
        // SAFETY: as the caller's.
        unsafe { hints(line) }
    }
    #[inline(always)]
    unsafe fn next<const W: usize>(hints: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: the caller has the level.
        unsafe {
            match W {
                8 => [_mm256_srli_epi16::<3>(hints[0]), _mm256_srli_epi16::<3>(hints[1])],
                16 => [_mm256_srli_epi16::<4>(hints[0]), _mm256_srli_epi16::<4>(hints[1])],
                32 => [_mm256_srli_epi16::<5>(hints[0]), _mm256_srli_epi16::<5>(hints[1])],
                _ => [_mm256_srli_epi16::<6>(hints[0]), _mm256_srli_epi16::<6>(hints[1])],
            }
        }
    }
    #[inline(always)]
    unsafe fn lookup<const W: usize>(x: *const i16, hints: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: as the caller's.
        unsafe { [words::<W>(x, hints[0]), words::<W>(x, hints[1])] }
    }
    #[inline(always)]
    unsafe fn mul_add(sums: [__m256i; 2], line: *const Line, x: [__m256i; 2]) -> [__m256i; 2] {
        let line = line.cast::<__m256i>();
        // SAFETY: the caller has the level and the line.
        unsafe {
            let low = _mm256_madd_epi16(_mm256_load_si256(line), x[0]);
            let high = _mm256_madd_epi16(_mm256_load_si256(line.add(1)), x[1]);
            [_mm256_add_epi32(sums[0], low), _mm256_add_epi32(sums[1], high)]
        }
    }
    #[inline(always)]
    unsafe fn broadcast(x: *const i16) -> [__m256i; 2] {
        // SAFETY: the caller has the level and two elements, of any alignment.
        unsafe { [_mm256_set1_epi32(x.cast::<i32>().read_unaligned()); 2] }
    }
    #[inline(always)]
    unsafe fn gather<const WIDE: bool>(
        sums: [__m256i; 2],
        values: *const i16,
        columns: *const u8,
        x: &[i16],
    ) -> [__m256i; 2] {
        // SAFETY: as the caller's.
        unsafe {
            [
                products::<WIDE>(sums[0], values, columns, 0, x),
                products::<WIDE>(sums[1], values, columns, 1, x),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store(sums: [__m256i; 2], to: *mut i32) {
        let to = to.cast::<__m256i>();
        // SAFETY: the caller has the level and room for 16 sums.
        unsafe {
            _mm256_storeu_si256(to, sums[0]);
            _mm256_storeu_si256(to.add(1), sums[1]);
        }
    }
}

entries!("avx2,fma,bmi1,bmi2,lzcnt,popcnt", of_f32, F32, f32, sums: 3, batch: 1,
    windows: [(3, 1), (3, 2), (4, 1), (4, 2), (4, 4)]);
entries!("avx2,fma,bmi1,bmi2,lzcnt,popcnt", of_f64, F64, f64, sums: 3, batch: 1,
    windows: [(3, 1), (3, 2), (4, 1), (4, 2)]);
entries!("avx2,fma,bmi1,bmi2,lzcnt,popcnt", of_i16, I16, i16, sums: 2, batch: 1,
    windows: [(3, 1), (4, 1), (4, 2)]);
