//! The portable level: the formats read lane by lane. It runs plans of any level.

use super::element::Number;
use super::interleaved::{put, turn, turned};
use super::matrix::SparseMatrix;
use super::sell::{Columns, Sell, scatter};
use super::tiles::{DENSE, Tiles, WIDEST, hint_word, lines_of, value};
use super::windows::{Windows, padded};

/// `y = A x`, or `y += A x` when `add`. `x` has the columns, `y` the rows.
pub fn tiles<T: Number>(tiles: &Tiles<T>, x: &[T], y: &mut [T::Sum], add: bool) {
    let mut lines = tiles.lines.as_slice();
    for (y, bounds) in y.chunks_mut(T::ROWS).zip(tiles.strips.windows(2)) {
        if !add {
            y.fill(T::Sum::default());
        }
        for head in &tiles.heads[bounds[0] as usize..bounds[1] as usize] {
            let (tile, rest) = lines.split_at(head.lines::<T>());
            lines = rest;
            let x = &x[head.column as usize..];
            for slot in 0..usize::from(head.slots) {
                for (row, y) in y.iter_mut().enumerate() {
                    for item in 0..T::PER_ROW {
                        let lane = row * T::PER_ROW + item;
                        let (line, place) = if head.bits == DENSE {
                            (slot, slot * T::PER_ROW + item)
                        } else {
                            let (hints, values, shift) = lines_of::<T>(head.bits, slot);
                            let word = hint_word::<T>(&tile[hints], lane) >> shift;
                            (values, (word & ((1 << head.bits) - 1)) as usize)
                        };
                        // Past the end of `x` only padding reads.
                        let x = x.get(place).copied().unwrap_or_default();
                        *y = T::mul_add(*y, value(&tile[line], lane), x);
                    }
                }
            }
        }
    }
}

/// The same of windows.
pub fn windows<T: Number>(matrix: &Windows<T>, x: &[T], y: &mut [T::Sum], add: bool) {
    let shape = matrix.shape;
    let mut room = [T::default(); WIDEST];
    let x = padded(x, shape.width(), &mut room);
    let (windows, lines) = (shape.windows::<T>(), shape.lines::<T>());
    for (y, bounds) in y.chunks_mut(T::ROWS).zip(matrix.strips.windows(2)) {
        if !add {
            y.fill(T::Sum::default());
        }
        for block in bounds[0] as usize..bounds[1] as usize {
            let columns = &matrix.columns[block * windows..][..windows];
            let (hints, values) = matrix.lines[block * lines..][..lines].split_at(1);
            for (slot, line) in values.iter().enumerate() {
                let x = &x[columns[slot / usize::from(shape.slots)] as usize..];
                for (row, y) in y.iter_mut().enumerate() {
                    for lane in row * T::PER_ROW..(row + 1) * T::PER_ROW {
                        let word = hint_word::<T>(&hints[0], lane) >> (slot * usize::from(shape.bits));
                        *y = T::mul_add(*y, value(line, lane), x[word as usize % shape.width()]);
                    }
                }
            }
        }
    }
}

/// The same of SELL-C-sigma.
pub fn sell<T: Number>(matrix: &Sell<T>, x: &[T], y: &mut [T::Sum], add: bool) {
    for (bounds, order) in matrix.chunks.windows(2).zip(matrix.order.chunks(T::ROWS)) {
        let mut sums = [T::Sum::default(); 16];
        for line in bounds[0] as usize..bounds[1] as usize {
            for (lane, sum) in sums[..T::ROWS].iter_mut().enumerate() {
                let place = line * T::ROWS + lane;
                let column = match &matrix.columns {
                    Columns::Narrow(columns) => usize::from(columns[place]),
                    Columns::Wide(columns) => columns[place] as usize,
                };
                *sum = T::mul_add(*sum, matrix.values[place], x[column]);
            }
        }
        scatter::<T>(&sums, order, y, add);
    }
}

/// The same of compressed rows, with four sums to a row: a processor adds no faster one after the other.
#[inline(always)]
pub fn csr<T: Number>(matrix: &SparseMatrix<T>, x: &[T], y: &mut [T::Sum], add: bool) {
    let (indptr, indices, values) = (matrix.indptr(), matrix.indices(), matrix.values());
    for (row, y) in y.iter_mut().enumerate() {
        let range = indptr[row]..indptr[row + 1];
        let (columns, end) = indices[range.clone()].as_chunks::<4>();
        let (fours, last) = values[range].as_chunks::<4>();
        let mut sums = [T::Sum::default(); 4];
        for (columns, values) in columns.iter().zip(fours) {
            for k in 0..4 {
                sums[k] = T::mul_add(sums[k], values[k], x[columns[k] as usize]);
            }
        }
        for (&column, &value) in end.iter().zip(last) {
            sums[0] = T::mul_add(sums[0], value, x[column as usize]);
        }
        let sum = T::add(T::add(sums[0], sums[1]), T::add(sums[2], sums[3]));
        *y = if add { T::add(*y, sum) } else { sum };
    }
}

/// The same of compressed rows times `count` vectors.
pub fn interleaved<T: Number>(matrix: &SparseMatrix<T>, count: usize, x: &[T], y: &mut [T::Sum], add: bool) {
    // SAFETY: plain loads and stores, which every processor has.
    let lines = unsafe { turned(count, matrix.cols(), x, turn::<T>) };
    let rows = matrix.rows();
    let (mut square, mut of_vectors) = ([T::Sum::default(); 256], [T::Sum::default(); 256]);
    for first in (0..rows).step_by(T::ROWS) {
        for (row, whole) in (first..rows).zip(square.chunks_exact_mut(T::ROWS)).take(T::ROWS) {
            let mut sums = [T::Sum::default(); 16];
            for (column, a) in matrix.row(row) {
                let line = &lines[column as usize];
                for (lane, sum) in sums[..T::ROWS].iter_mut().enumerate() {
                    *sum = T::mul_add(*sum, a, value(line, lane * T::PER_ROW));
                }
            }
            whole.copy_from_slice(&sums[..T::ROWS]);
        }
        // SAFETY: as above.
        unsafe { put::<T>(&square, &mut of_vectors, first, rows, y, add, turn::<T>) };
    }
}
