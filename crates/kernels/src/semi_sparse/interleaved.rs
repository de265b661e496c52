//! Several vectors at once: compressed rows times a line of vectors.
//!
//! Vectors stored one after the other need a gather for each; *interleaved* ones need none. The elements of all vectors at a
//! column are a line of 64 bytes, and every element of the matrix, in all lanes, is multiplied by the line of its column and
//! added to the line of its row: two loads and a multiplication for as many products as a line has sums. The vectors are turned
//! before, the sums after, at the cost of a load and a store for each of their elements.

use super::element::Number;
use super::matrix::SparseMatrix;
use super::strip::Level;
use super::tiles::Line;

/// Sums of a row, of which each takes every fourth element, so that additions need not wait for one another.
const SUMS: usize = 4;
/// A line has no more lanes.
const MOST: usize = 16;
/// As many lines of sums as a line has lanes.
pub type Square<T> = [<T as Number>::Sum; MOST * MOST];

/// Vectors that are multiplied at once: as many as a line has sums.
pub const fn lanes<T: Number>() -> usize {
    T::ROWS
}

/// Vectors from which on fewer than [`lanes`] are worth a line: the lanes without one are multiplied all the same.
pub const FEWEST: usize = 3;

/// A square of as many rows and columns as a line has lanes, turned: `to[c * lanes + r] = from[min(r, count - 1) * stride + c]`.
pub type Turn<T> = unsafe fn(*const <T as Number>::Sum, usize, usize, *mut <T as Number>::Sum);

/// The vectors with their elements at each column side by side; what lanes beyond `count` have is of no account. A lane of i16
/// has its element and a zero, because products add pairs.
///
/// # Safety
/// The processor must have the instructions of `turn`.
#[inline(always)]
pub unsafe fn turned<T: Number>(count: usize, cols: usize, x: &[T], turn: Turn<T>) -> Vec<Line> {
    let lanes = lanes::<T>();
    assert!((1..=lanes).contains(&count) && x.len() == count * cols);
    let mut lines: Vec<Line> = Vec::with_capacity(cols);
    let mut begin = 0;
    // Elements that are no pairs are sums, too.
    if T::PER_ROW == 1 {
        while begin + lanes <= cols {
            // SAFETY: the caller has the level; `count` vectors have as many columns as there are lanes from `begin` on,
            // and there is room for their lines.
            unsafe {
                let to = lines.as_mut_ptr().add(begin);
                turn(x.as_ptr().add(begin).cast(), cols, count, to.cast());
            }
            begin += lanes;
        }
        // SAFETY: `begin` lines have been written.
        unsafe { lines.set_len(begin) };
    }
    lines.resize(cols, Line::ZERO);
    let to = lines.as_mut_ptr().cast::<T>();
    for (v, x) in x.chunks_exact(cols.max(1)).enumerate() {
        for (column, &element) in x.iter().enumerate().skip(begin) {
            // SAFETY: there are `cols` lines of 64 bytes, and `v` is below the lanes of a line.
            unsafe { to.add((column * lanes + v) * T::PER_ROW).write(element) };
        }
    }
    lines
}

/// Puts the lines of sums of rows from `first` on where the vectors have them, or adds them. There are as many lines as lanes;
/// `y` takes those of rows that it has. `of_vectors` is room.
///
/// # Safety
/// As of [`turned`].
#[inline(always)]
pub unsafe fn put<T: Number>(
    sums: &Square<T>,
    of_vectors: &mut Square<T>,
    first: usize,
    rows: usize,
    y: &mut [T::Sum],
    add: bool,
    turn: Turn<T>,
) {
    let lanes = lanes::<T>();
    // SAFETY: the caller has the level; both squares have room for every lane of every line.
    unsafe { turn(sums.as_ptr(), lanes, lanes, of_vectors.as_mut_ptr()) };
    let count = lanes.min(rows - first);
    for (y, sums) in y.chunks_exact_mut(rows).zip(of_vectors.chunks_exact(lanes)) {
        let y = &mut y[first..][..count];
        match add {
            true => y.iter_mut().zip(sums).for_each(|(y, &sum)| *y = T::add(*y, sum)),
            // The usual count is a constant: one store instead of a call.
            false if count == lanes => y[..lanes].copy_from_slice(&sums[..lanes]),
            false => y.copy_from_slice(&sums[..count]),
        }
    }
}

/// [`Turn`] element by element.
///
/// # Safety
/// `from` and `to` have the elements that [`Turn`] names; `count` is not 0.
#[inline(always)]
pub unsafe fn turn<T: Number>(from: *const T::Sum, stride: usize, count: usize, to: *mut T::Sum) {
    for c in 0..lanes::<T>() {
        for r in 0..lanes::<T>() {
            // SAFETY: as the caller's.
            unsafe { to.add(c * lanes::<T>() + r).write(from.add(r.min(count - 1) * stride + c).read()) };
        }
    }
}

/// An element's products added: `sum + value * line of the column`.
#[inline(always)]
unsafe fn product<S: Level>(
    sum: S::Values,
    lines: &[Line],
    column: *const u32,
    value: *const S::Element,
) -> S::Values {
    // SAFETY: the caller has the level, a column that has a line, and a value, of i16 two.
    unsafe { S::mul_add(sum, lines.as_ptr().add(*column as usize), S::broadcast(value)) }
}

/// `y = A x`, or `y += A x` when `add`, for `count` vectors one after the other.
///
/// # Safety
/// The processor must have the instructions of `S`'s level.
#[inline(always)]
pub unsafe fn multiply<S: Level>(
    matrix: &SparseMatrix<S::Element>,
    count: usize,
    x: &[S::Element],
    y: &mut [<S::Element as Number>::Sum],
    add: bool,
) {
    type Sum<S> = <<S as Level>::Element as Number>::Sum;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let (indptr, indices, values) = (matrix.indptr(), matrix.indices(), matrix.values());
    // SAFETY: the caller has the level.
    let lines = unsafe { turned(count, cols, x, S::turn) };
    // Of i16 a value is read with the one behind it, whose product is zero: the last one has none behind it.
    let own = S::Element::PER_ROW - 1;
    let readable = values.len().saturating_sub(own);
    let mut last = [S::Element::default(); 2];
    last[0] = values.last().copied().unwrap_or_default();

    let lanes = lanes::<S::Element>();
    let mut whole = [Sum::<S>::default(); MOST * MOST];
    let mut of_vectors = whole;
    let mut first = 0;
    while first < rows {
        for (bounds, whole) in indptr[first..].windows(2).zip(whole.chunks_exact_mut(lanes)).take(lanes) {
            let (begin, end) = (bounds[0], bounds[1]);
            // SAFETY: the caller has the level; elements below `readable` can be read with what is read behind them, and
            // columns are below `cols`, which is the number of lines; there is room for a line of sums.
            unsafe {
                let mut sums = [S::zero(); SUMS];
                let (columns, values) = (indices.as_ptr(), values.as_ptr());
                let until = end.min(readable);
                let mut at = begin;
                while at + SUMS <= until {
                    for (k, sum) in sums.iter_mut().enumerate() {
                        *sum = product::<S>(*sum, &lines, columns.add(at + k), values.add(at + k));
                    }
                    at += SUMS;
                }
                while at < until {
                    sums[0] = product::<S>(sums[0], &lines, columns.add(at), values.add(at));
                    at += 1;
                }
                if at < end {
                    sums[0] = product::<S>(sums[0], &lines, columns.add(at), last.as_ptr());
                }
                let sum = S::add(S::add(sums[0], sums[1]), S::add(sums[2], sums[3]));
                S::store(sum, whole.as_mut_ptr());
            }
        }
        // SAFETY: the caller has the level.
        unsafe { put::<S::Element>(&whole, &mut of_vectors, first, rows, y, add, S::turn) };
        first += lanes;
    }
}
