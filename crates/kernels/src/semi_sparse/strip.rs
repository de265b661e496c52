//! The loop over strips and tiles, written once for every vector width.
//!
//! A level gives its vectors the operations of [`Level`] and instantiates the loops with `entries!`. GATHER is
//! [`Level::lookup`]: from the 1 to 8 SIMD blocks of `x` under a tile to the lanes of one line, by hints.

use super::element::Number;
use super::interleaved;
use super::tail::Tail;
use super::tiles::{DENSE, Head, Line, Tiles, group};

/// A line of 64 bytes in registers.
///
/// # Safety of the methods
/// The processor must have the instructions of the level that implements them.
pub trait Level {
    /// Type of elements.
    type Element: Number;
    /// A line of sums, or of values of `x`.
    type Values: Copy;
    /// A line of hints.
    type Hints: Copy;

    unsafe fn zero() -> Self::Values;
    unsafe fn add(a: Self::Values, b: Self::Values) -> Self::Values;
    unsafe fn hints(line: *const Line) -> Self::Hints;
    /// The hints of the next slot: every word shifted by the bits of a hint of `W` columns.
    unsafe fn next<const W: usize>(hints: Self::Hints) -> Self::Hints;
    /// The elements of `x` that the lowest bits of the hint words name. `x` has `W` elements.
    unsafe fn lookup<const W: usize>(x: *const Self::Element, hints: Self::Hints) -> Self::Values;
    /// `sums + line * x`.
    unsafe fn mul_add(sums: Self::Values, line: *const Line, x: Self::Values) -> Self::Values;
    /// The first element of `x`, or as many as a row has in a line, in every row's lanes.
    unsafe fn broadcast(x: *const Self::Element) -> Self::Values;
    /// `sums` and the products of a line of SELL: a value and a column number (32 bits when `WIDE`, else 16) for each
    /// row, all of them within `x`.
    unsafe fn gather<const WIDE: bool>(
        sums: Self::Values,
        values: *const Self::Element,
        columns: *const u8,
        x: &[Self::Element],
    ) -> Self::Values;
    /// Writes the strip's sums.
    unsafe fn store(sums: Self::Values, to: *mut <Self::Element as Number>::Sum);
    /// A square of lines turned ([`interleaved::Turn`]).
    #[inline(always)]
    unsafe fn turn(
        from: *const <Self::Element as Number>::Sum,
        stride: usize,
        count: usize,
        to: *mut <Self::Element as Number>::Sum,
    ) {
        // SAFETY: as the caller's.
        unsafe { interleaved::turn::<Self::Element>(from, stride, count, to) }
    }
}

/// `A` sums, of which each takes every `A`-th slot, so that additions need not wait for one another.
type Sums<S, const A: usize> = [<S as Level>::Values; A];

/// `N` slots from the same line of hints.
#[inline(always)]
unsafe fn run<S: Level, const W: usize, const N: usize, const A: usize, const V: usize>(
    sums: &mut [Sums<S, A>; V],
    lines: *const Line,
    mut hints: S::Hints,
    x: &[*const S::Element; V],
) -> S::Hints {
    for slot in 0..N {
        prefetch(lines.wrapping_add(slot));
        for (sums, &x) in sums.iter_mut().zip(x) {
            // SAFETY: the caller has the level, `N` lines and `W` elements of `x`.
            sums[slot % A] = unsafe { S::mul_add(sums[slot % A], lines.add(slot), S::lookup::<W>(x, hints)) };
        }
        // SAFETY: the caller has the level.
        hints = unsafe { S::next::<W>(hints) };
    }
    hints
}

/// A tile of hints; returns where the next one begins.
#[inline(always)]
unsafe fn tile<S: Level, const W: usize, const A: usize, const V: usize>(
    sums: &mut [Sums<S, A>; V],
    mut lines: *const Line,
    slots: usize,
    x: &[*const S::Element; V],
) -> *const Line {
    let group = const { group::<S::Element>(W.trailing_zeros() as u8) };
    let mut left = slots;
    // SAFETY: the caller has the level, the tile's lines (`Head::lines`) and `W` elements of `x`.
    unsafe {
        while left > 0 {
            let mut hints = S::hints(lines);
            lines = lines.add(1);
            let mut count = left.min(group);
            left -= count;
            while group >= 8 && count >= 8 {
                hints = run::<S, W, 8, A, V>(sums, lines, hints, x);
                lines = lines.add(8);
                count -= 8;
            }
            // Unrolled for each count: counts repeat from tile to tile, so that the jump is foreseen.
            match count {
                1 => run::<S, W, 1, A, V>(sums, lines, hints, x),
                2 => run::<S, W, 2, A, V>(sums, lines, hints, x),
                3 => run::<S, W, 3, A, V>(sums, lines, hints, x),
                4 => run::<S, W, 4, A, V>(sums, lines, hints, x),
                5 => run::<S, W, 5, A, V>(sums, lines, hints, x),
                6 => run::<S, W, 6, A, V>(sums, lines, hints, x),
                7 => run::<S, W, 7, A, V>(sums, lines, hints, x),
                _ => hints,
            };
            lines = lines.add(count);
        }
    }
    lines
}

/// As many tiles as are like the first; returns how many, and where the next one begins.
#[inline(always)]
unsafe fn tiles_of<S: Level, const W: usize, const A: usize, const V: usize>(
    sums: &mut [Sums<S, A>; V],
    lines: *const Line,
    heads: &[Head],
    x: &[&[S::Element]; V],
    tails: &[Tail<S::Element>; V],
) -> (usize, *const Line) {
    let group = const { group::<S::Element>(W.trailing_zeros() as u8) };
    // SAFETY: as the caller's; tiles that share one line of hints are distinguished by their slots.
    unsafe {
        match usize::from(heads[0].slots) {
            1 => alike::<S, W, 1, A, V>(sums, lines, heads, x, tails),
            2 => alike::<S, W, 2, A, V>(sums, lines, heads, x, tails),
            3 if group >= 3 => alike::<S, W, 3, A, V>(sums, lines, heads, x, tails),
            4 if group >= 4 => alike::<S, W, 4, A, V>(sums, lines, heads, x, tails),
            5 if group >= 5 => alike::<S, W, 5, A, V>(sums, lines, heads, x, tails),
            6 if group >= 6 => alike::<S, W, 6, A, V>(sums, lines, heads, x, tails),
            slots => {
                let mut windows = [std::ptr::null(); V];
                for v in 0..V {
                    windows[v] = tails[v].window(x[v], heads[0].column as usize, W);
                }
                (1, tile::<S, W, A, V>(sums, lines, slots, &windows))
            }
        }
    }
}

/// Tiles of `N` slots and one line of hints, as long as they follow each other: most pieces of a matrix are packed
/// alike, and a loop that is made for their number begins a tile sooner.
#[inline(always)]
unsafe fn alike<S: Level, const W: usize, const N: usize, const A: usize, const V: usize>(
    sums: &mut [Sums<S, A>; V],
    mut lines: *const Line,
    heads: &[Head],
    x: &[&[S::Element]; V],
    tails: &[Tail<S::Element>; V],
) -> (usize, *const Line) {
    let bits = const { W.trailing_zeros() as u8 };
    let mut done = 0;
    for head in heads {
        if head.bits != bits || usize::from(head.slots) != N {
            break;
        }
        let mut windows = [std::ptr::null(); V];
        for v in 0..V {
            windows[v] = tails[v].window(x[v], head.column as usize, W);
        }
        // SAFETY: as the caller's: a line of hints, then `N` lines of values.
        unsafe {
            run::<S, W, N, A, V>(sums, lines.add(1), S::hints(lines), &windows);
            lines = lines.add(1 + N);
        }
        done += 1;
    }
    (done, lines)
}

/// A dense tile; returns where the next one begins.
#[inline(always)]
unsafe fn dense<S: Level, const A: usize, const V: usize>(
    sums: &mut [Sums<S, A>; V],
    mut lines: *const Line,
    count: usize,
    x: &[*const S::Element; V],
) -> *const Line {
    let mut x = *x;
    let mut left = count;
    // SAFETY: the caller has the level, `count` lines and that many (pairs of) elements of `x`.
    unsafe {
        while left >= 8 {
            for line in 0..8 {
                prefetch(lines.add(line));
                for (sums, x) in sums.iter_mut().zip(&x) {
                    let x = S::broadcast(x.add(line * S::Element::PER_ROW));
                    sums[line % A] = S::mul_add(sums[line % A], lines.add(line), x);
                }
            }
            lines = lines.add(8);
            x = x.map(|x| x.add(8 * S::Element::PER_ROW));
            left -= 8;
        }
        for _ in 0..left {
            for (sums, x) in sums.iter_mut().zip(&x) {
                sums[0] = S::mul_add(sums[0], lines, S::broadcast(*x));
            }
            lines = lines.add(1);
            x = x.map(|x| x.add(S::Element::PER_ROW));
        }
    }
    lines
}

/// `y = A x`, or `y += A x` when `add`, for `V` vectors at once.
///
/// # Safety
/// The processor must have the instructions of `S`'s level. Each `x` has the columns, each `y` the rows of the tiles,
/// which [`Tiles`] checked or built.
#[inline(always)]
pub unsafe fn multiply<S: Level, const A: usize, const V: usize>(
    tiles: &Tiles<S::Element>,
    x: [&[S::Element]; V],
    y: &mut [&mut [<S::Element as Number>::Sum]; V],
    add: bool,
) {
    let tails = x.map(Tail::of);
    let mut lines = tiles.lines.as_ptr();
    for (strip, bounds) in tiles.strips.windows(2).enumerate() {
        // SAFETY: the caller has the level; `Tiles` made sure that the heads' lines are all there are, that a
        // tile begins within `x` and is no wider than a `Tail` can serve.
        let sums = unsafe {
            let mut sums = [[S::zero(); A]; V];
            let mut heads = &tiles.heads[bounds[0] as usize..bounds[1] as usize];
            while let Some(head) = heads.first() {
                let next = match head.bits {
                    DENSE => {
                        let mut windows = [std::ptr::null(); V];
                        for v in 0..V {
                            let (column, width) = (head.column as usize, head.width::<S::Element>());
                            windows[v] = tails[v].window(x[v], column, width);
                        }
                        let count = usize::from(head.slots);
                        (1, dense::<S, A, V>(&mut sums, lines, count, &windows))
                    }
                    3 => tiles_of::<S, 8, A, V>(&mut sums, lines, heads, &x, &tails),
                    4 => tiles_of::<S, 16, A, V>(&mut sums, lines, heads, &x, &tails),
                    5 => tiles_of::<S, 32, A, V>(&mut sums, lines, heads, &x, &tails),
                    _ => tiles_of::<S, 64, A, V>(&mut sums, lines, heads, &x, &tails),
                };
                heads = &heads[next.0..];
                lines = next.1;
            }
            sums
        };
        // SAFETY: the caller has the level.
        unsafe { finish::<S, A, V>(&sums, strip, y, add) };
    }
}

/// Writes a strip's sums to its rows, or adds them.
///
/// # Safety
/// The processor must have the instructions of `S`'s level.
#[inline(always)]
pub unsafe fn finish<S: Level, const A: usize, const V: usize>(
    sums: &[Sums<S, A>; V],
    strip: usize,
    y: &mut [&mut [<S::Element as Number>::Sum]; V],
    add: bool,
) {
    for (sums, y) in sums.iter().zip(y.iter_mut()) {
        let y = &mut y[strip * S::Element::ROWS..];
        let count = y.len().min(S::Element::ROWS);
        let mut whole = [<S::Element as Number>::Sum::default(); 16];
        // SAFETY: the caller has the level; a line has at most 16 sums.
        unsafe {
            let mut sum = sums[0];
            for &more in &sums[1..] {
                sum = S::add(sum, more);
            }
            S::store(sum, whole.as_mut_ptr());
        }
        if add {
            y[..count].iter_mut().zip(whole).for_each(|(y, sum)| *y = S::Element::add(*y, sum));
        } else {
            y[..count].copy_from_slice(&whole[..count]);
        }
    }
}

/// Lines that are asked for ahead of the one that is read. A processor fetches ahead by itself, but not beyond a page: from
/// beyond the second cache this saves a fifth, within it it costs nothing (docs/kernels/semi-sparse.md).
const AHEAD: usize = 16;

/// Asks for the line that is read [`AHEAD`] lines after `line`; it need not exist.
#[inline(always)]
pub fn prefetch(line: *const Line) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address has no effect that a program sees; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(AHEAD).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
