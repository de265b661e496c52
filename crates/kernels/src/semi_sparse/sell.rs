//! SELL-C-sigma: rows sorted by length within windows of sigma, cut into chunks of C rows, each chunk as long as its
//! longest row and stored column by column, so that lane `r` of a vector belongs to row `r` of the chunk.
//!
//! Kreutzer, Hager, Wellein, Fehske, Bishop, "A unified sparse matrix data format for efficient general sparse
//! matrix-vector multiplication on modern processors with wide SIMD units", SIAM J. Sci. Comput. 36 (2014). C is the
//! rows of a strip. It holds whole matrices of few elements, and what the tiles leave over.

use super::element::Number;
use super::matrix::SparseMatrix;
use super::strip::Level;
use crate::pages;

/// Column numbers: 16 bits suffice for most matrices, and halve what is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// A matrix in SELL-C-sigma.
#[derive(Clone, Debug, PartialEq)]
pub struct Sell<T> {
    pub rows: usize,
    pub cols: usize,
    /// For each chunk the number of its first line (C values); one more for the end.
    pub chunks: Vec<u32>,
    /// The row of each lane, chunk after chunk; the last chunk may lack lanes.
    pub order: Vec<u32>,
    pub columns: Columns,
    pub values: Vec<T>,
}

impl<T: Number> Sell<T> {
    /// Packs a matrix; rows are sorted by length among `sigma` neighbours.
    pub fn pack(matrix: &SparseMatrix<T>, sigma: usize) -> Self {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let order = order(matrix, sigma);
        let mut chunks = vec![0];
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        let mut lines = 0;
        for lanes in order.chunks(T::ROWS) {
            let length = lanes.iter().map(|&row| length(matrix, row)).max().unwrap_or(0);
            let begin = values.len();
            values.resize(begin + length * T::ROWS, T::default());
            columns.resize(begin + length * T::ROWS, 0);
            for (lane, &row) in lanes.iter().enumerate() {
                let mut last = 0;
                let mut elements = matrix.row(row as usize);
                for line in 0..length {
                    let place = begin + line * T::ROWS + lane;
                    if let Some((column, value)) = elements.next() {
                        values[place] = value;
                        last = column;
                    }
                    // Padding reads what the row has read before.
                    columns[place] = last;
                }
            }
            lines += length as u32;
            chunks.push(lines);
        }
        let columns = match cols <= 1 << 16 {
            true => Columns::Narrow(columns.into_iter().map(|column| column as u16).collect()),
            false => Columns::Wide(columns),
        };
        Sell { rows, cols, chunks, order, columns, values }
    }

    /// Lines of C values that [`Sell::pack`] would make.
    pub fn lines_of(matrix: &SparseMatrix<T>, sigma: usize) -> usize {
        let longest = |lanes: &[u32]| lanes.iter().map(|&row| length(matrix, row)).max().unwrap_or(0);
        order(matrix, sigma).chunks(T::ROWS).map(longest).sum()
    }

    /// A matrix from its parts; says what is wrong with them. Kernels rely on what is checked here.
    pub fn from_parts(
        rows: usize,
        cols: usize,
        chunks: Vec<u32>,
        order: Vec<u32>,
        columns: Columns,
        values: Vec<T>,
    ) -> Result<Self, String> {
        if order.len() != rows || chunks.len() != order.len().div_ceil(T::ROWS) + 1 {
            return Err(format!("{} chunks of {} rows", chunks.len(), order.len()));
        }
        let mut seen = vec![false; rows];
        for &row in &order {
            match seen.get_mut(row as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(format!("row {row} is not there, or twice")),
            }
        }
        let lines = values.len() / T::ROWS;
        let ends = chunks[0] == 0 && chunks[chunks.len() - 1] as usize == lines;
        if !ends || chunks.windows(2).any(|pair| pair[0] > pair[1]) || !values.len().is_multiple_of(T::ROWS) {
            return Err("the chunks do not hold all lines".to_owned());
        }
        let (count, within) = match &columns {
            Columns::Narrow(columns) => (columns.len(), columns.iter().all(|&c| usize::from(c) < cols)),
            Columns::Wide(columns) => (columns.len(), columns.iter().all(|&c| (c as usize) < cols)),
        };
        if count != values.len() || !within {
            return Err("an element is outside the matrix".to_owned());
        }
        Ok(Sell { rows, cols, chunks, order, columns, values })
    }

    /// Bytes that a product reads of it.
    pub fn bytes(&self) -> usize {
        let column = match self.columns {
            Columns::Narrow(_) => 2,
            Columns::Wide(_) => 4,
        };
        self.values.len() * (T::BYTES + column) + 4 * (self.chunks.len() + self.order.len())
    }

    /// Moves it into large pages.
    pub fn enlarge_pages(&mut self) {
        pages::enlarge(&mut self.values);
        match &mut self.columns {
            Columns::Narrow(columns) => pages::enlarge(columns),
            Columns::Wide(columns) => pages::enlarge(columns),
        }
    }

    /// Whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

fn length<T: Number>(matrix: &SparseMatrix<T>, row: u32) -> usize {
    matrix.indptr()[row as usize + 1] - matrix.indptr()[row as usize]
}

/// The rows, longest first within each window.
fn order<T: Number>(matrix: &SparseMatrix<T>, sigma: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..matrix.rows() as u32).collect();
    for window in order.chunks_mut(sigma.max(1)) {
        window.sort_by_key(|&row| std::cmp::Reverse(length(matrix, row)));
    }
    order
}

/// Adds a chunk's sums to the rows of its lanes, or puts them there.
#[inline(always)]
pub fn scatter<T: Number>(sums: &[T::Sum], order: &[u32], y: &mut [T::Sum], add: bool) {
    let consecutive = order.windows(2).all(|pair| pair[0].wrapping_add(1) == pair[1]);
    match order.first() {
        Some(&first) if consecutive && !add => {
            y[first as usize..][..order.len()].copy_from_slice(&sums[..order.len()]);
        }
        _ if add => order.iter().zip(sums).for_each(|(&row, &sum)| {
            y[row as usize] = T::add(y[row as usize], sum);
        }),
        _ => order.iter().zip(sums).for_each(|(&row, &sum)| y[row as usize] = sum),
    }
}

/// `y = A x`, or `y += A x` when `add`.
///
/// # Safety
/// The processor must have the instructions of `S`'s level; `x` has the columns, `y` the rows of the matrix, which
/// [`Sell::from_parts`] checked or [`Sell::pack`] built.
#[inline(always)]
pub unsafe fn multiply<S: Level>(
    matrix: &Sell<S::Element>,
    x: &[S::Element],
    y: &mut [<S::Element as Number>::Sum],
    add: bool,
) {
    let rows = S::Element::ROWS;
    for (bounds, order) in matrix.chunks.windows(2).zip(matrix.order.chunks(rows)) {
        let (begin, end) = (bounds[0] as usize, bounds[1] as usize);
        if begin == end && add {
            continue;
        }
        let values = matrix.values[begin * rows..end * rows].as_ptr();
        // SAFETY: the caller has the level; the lines are within the values and as many columns, each below `x.len()`.
        let sums = unsafe {
            match &matrix.columns {
                Columns::Narrow(c) => {
                    let columns = c[begin * rows..end * rows].as_ptr();
                    chunk::<S, false>(end - begin, values, columns.cast(), x)
                }
                Columns::Wide(c) => {
                    let columns = c[begin * rows..end * rows].as_ptr();
                    chunk::<S, true>(end - begin, values, columns.cast(), x)
                }
            }
        };
        let mut whole = [<S::Element as Number>::Sum::default(); 16];
        // SAFETY: the caller has the level; a line has at most 16 sums.
        unsafe { S::store(sums, whole.as_mut_ptr()) };
        scatter::<S::Element>(&whole, order, y, add);
    }
}

#[inline(always)]
unsafe fn chunk<S: Level, const WIDE: bool>(
    lines: usize,
    values: *const S::Element,
    columns: *const u8,
    x: &[S::Element],
) -> S::Values {
    let rows = S::Element::ROWS;
    let stride = rows * if WIDE { 4 } else { 2 };
    // SAFETY: the caller has the level and `lines` lines of values and columns.
    unsafe {
        let mut sums = [S::zero(), S::zero()];
        let mut line = 0;
        while line + 2 <= lines {
            for (k, sums) in sums.iter_mut().enumerate() {
                let at = line + k;
                *sums = S::gather::<WIDE>(*sums, values.add(at * rows), columns.add(at * stride), x);
            }
            line += 2;
        }
        if line < lines {
            sums[0] = S::gather::<WIDE>(sums[0], values.add(line * rows), columns.add(line * stride), x);
        }
        S::add(sums[0], sums[1])
    }
}
