//! From compressed rows to windows: each begins where the next element is.
//!
//! For given windows it is best that a row fills its slots with its first elements, because windows begin and end in
//! rising order: what could be taken earlier is never better taken later. So the only choice is which elements to leave
//! over. A few that are far behind the rest hold the next window back; they are left over when the columns gained are
//! worth more than what remaining elements cost.

use super::costs::Costs;
use super::element::Number;
use super::error::SparseError;
use super::matrix::SparseMatrix;
use super::sell::Sell;
use super::tiles::{FIRST_BITS, Line, put_hint, set_value};
use super::windows::{Shape, Windows};
use crate::isa::Isa;

/// How to slide over a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    pub shape: Shape,
    /// Nanoseconds that a column is worth: elements are left over when windows advance farther for it.
    column: f64,
    /// Nanoseconds of a remaining element.
    left_over: f64,
}

/// Elements that are left over at once, at most; more are hardly worth it, and take long to consider.
const MOST: usize = 6;
/// Strips that represent all where shapes are compared.
const SAMPLE: usize = 8;

/// The elements of a strip's rows that have no place yet.
struct Rows<'a> {
    columns: [&'a [u32]; 16],
}

impl<'a> Rows<'a> {
    fn of<T: Number>(matrix: &'a SparseMatrix<T>, strip: usize) -> Self {
        let columns = std::array::from_fn(|lane| {
            let row = strip * T::ROWS + lane;
            match lane < T::ROWS && row < matrix.rows() {
                true => &matrix.indices()[matrix.indptr()[row]..matrix.indptr()[row + 1]],
                false => &[][..],
            }
        });
        Rows { columns }
    }

    /// The row whose next element is first, with its column.
    fn first(&self) -> Option<(usize, u32)> {
        let heads = self.columns.iter().enumerate().filter_map(|(row, c)| Some((row, *c.first()?)));
        heads.min_by_key(|(_, column)| *column)
    }

    /// Takes up to `room` elements before column `end` from a row.
    fn take(&mut self, row: usize, room: usize, end: u32) -> &'a [u32] {
        let all = self.columns[row];
        let count = all.iter().take(room).take_while(|column| **column < end).count();
        let (taken, rest) = all.split_at(count);
        self.columns[row] = rest;
        taken
    }
}

/// What a strip is cut into, in order.
enum Cut<'a> {
    /// A window begins.
    Window(u32),
    /// Elements of a row in its slots.
    Slots(usize, &'a [u32]),
    /// An element of a row that is left over.
    Left(usize, u32),
}

impl Slide {
    /// Windows of a shape, by what a column and a remaining element are worth; 0 for a column leaves nothing over.
    pub const fn of(shape: Shape, column: f64, left_over: f64) -> Slide {
        Slide { shape, column, left_over }
    }

    /// Cuts a strip.
    fn cut<'a, T: Number>(&self, matrix: &'a SparseMatrix<T>, strip: usize, mut to: impl FnMut(Cut<'a>)) {
        let width = self.shape.width() as u32;
        let room = usize::from(self.shape.slots) * T::PER_ROW;
        let last = (matrix.cols() as u32).saturating_sub(width);
        let mut rows = Rows::of(matrix, strip);
        while let Some((_, first)) = rows.first() {
            let begin = first.min(last);
            to(Cut::Window(begin));
            for row in 0..T::ROWS {
                let taken = rows.take(row, room, begin + width);
                to(Cut::Slots(row, taken));
            }
            if self.column > 0.0 {
                for (row, column) in self.laggards(&mut rows) {
                    to(Cut::Left(row, column));
                }
            }
        }
    }

    /// The elements that are better left over than to hold the next window back; they are taken.
    fn laggards(&self, rows: &mut Rows<'_>) -> Vec<(usize, u32)> {
        let Some((_, begin)) = rows.first() else { return Vec::new() };
        let mut ahead = Rows { columns: rows.columns };
        let (mut found, mut best, mut count) = (Vec::new(), 0.0, 0);
        while let Some((row, column)) = ahead.first() {
            let gain = f64::from(column - begin) * self.column - found.len() as f64 * self.left_over;
            if gain > best {
                (best, count) = (gain, found.len());
            }
            if found.len() == MOST {
                break;
            }
            ahead.take(row, 1, u32::MAX);
            found.push((row, column));
        }
        found.truncate(count);
        for (row, _) in &found {
            rows.take(*row, 1, u32::MAX);
        }
        found
    }

    /// Windows of a strip, and elements that it leaves over.
    fn count<T: Number>(&self, matrix: &SparseMatrix<T>, strip: usize) -> (usize, usize) {
        let (mut windows, mut left) = (0, 0);
        self.cut(matrix, strip, |cut| match cut {
            Cut::Window(_) => windows += 1,
            Cut::Left(..) => left += 1,
            Cut::Slots(..) => {}
        });
        (windows, left)
    }
}

/// The cheapest way to slide over a matrix with one of `shapes`, and what it is expected to take, in nanoseconds; by
/// some of the strips.
pub fn cheapest<T: Number>(
    matrix: &SparseMatrix<T>,
    shapes: &[Shape],
    isa: Isa,
    costs: &Costs,
) -> Option<(Slide, f64)> {
    let of_type = costs.of(isa, T::KIND);
    let strips = matrix.rows().div_ceil(T::ROWS);
    let step = strips.div_ceil(SAMPLE).max(1);
    let sample: Vec<usize> = (0..strips).step_by(step).collect();
    let scale = strips as f64 / sample.len().max(1) as f64;
    // About as much as there will be: a third is padding and hints.
    let byte = costs.byte_of(matrix.nnz() * T::BYTES * 4 / 3);
    let left_over = of_type.left_over_at(T::ROWS, T::BYTES, byte);
    let mut best: Option<(Slide, f64)> = None;
    for &shape in shapes {
        let width = usize::from(shape.bits - FIRST_BITS);
        let window = of_type.window[width] + f64::from(shape.slots) * of_type.slot[width];
        if !window.is_finite() {
            continue;
        }
        let price = |column: f64| {
            let slide = Slide { shape, column, left_over };
            let counts = sample.iter().map(|&strip| slide.count(matrix, strip));
            let (windows, left) = counts.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
            let (windows, left) = (windows as f64 * scale, left as f64 * scale);
            let bytes = windows * 64.0 * shape.lines::<T>() as f64 / shape.windows::<T>() as f64;
            let work = (windows * window).max(bytes * costs.byte_of(bytes as usize));
            (slide, work + left * left_over)
        };
        let mut tried = vec![price(0.0)];
        // What a column of a strip costs without leaving anything over, or somewhat less.
        let column = tried[0].1 / (matrix.cols().max(1) * strips.max(1)) as f64;
        tried.extend([0.6, 1.0].map(|share| price(share * column)));
        for (slide, cost) in tried {
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((slide, cost));
            }
        }
    }
    best
}

/// Windows, and the elements that find no place in them.
pub fn pack<T: Number>(
    matrix: &SparseMatrix<T>,
    slide: &Slide,
    sigma: usize,
) -> Result<(Windows<T>, Sell<T>), SparseError> {
    let shape = slide.shape;
    let (windows, lines_of_block) = (shape.windows::<T>(), shape.lines::<T>());
    let slots = usize::from(shape.slots);
    let (mut strips, mut columns, mut lines) = (vec![0u32], Vec::new(), Vec::<Line>::new());
    let mut left: Vec<(u32, u32, T)> = Vec::new();
    for strip in 0..matrix.rows().div_ceil(T::ROWS) {
        // The next element of each row, as the cut takes them in order.
        let mut next: Vec<usize> = matrix.indptr()[strip * T::ROWS..].iter().take(T::ROWS).copied().collect();
        slide.cut(matrix, strip, |cut| match cut {
            Cut::Window(begin) => {
                if columns.len() % windows == 0 {
                    lines.resize(lines.len() + lines_of_block, Line::ZERO);
                }
                columns.push(begin);
            }
            Cut::Slots(row, taken) => {
                let window = columns.len() - 1;
                let block = &mut lines[window / windows * lines_of_block..];
                for (place, column) in taken.iter().enumerate() {
                    let slot = window % windows * slots + place / T::PER_ROW;
                    let lane = row * T::PER_ROW + place % T::PER_ROW;
                    let hint = column - columns[window];
                    put_hint::<T>(&mut block[0], lane, slot * usize::from(shape.bits), hint);
                    set_value(&mut block[1 + slot], lane, matrix.values()[next[row]]);
                    next[row] += 1;
                }
            }
            Cut::Left(row, column) => {
                left.push(((strip * T::ROWS + row) as u32, column, matrix.values()[next[row]]));
                next[row] += 1;
            }
        });
        // Empty windows fill the last block.
        let full = columns.len().next_multiple_of(windows);
        columns.resize(full, 0);
        strips.push((full / windows) as u32);
    }
    let left = SparseMatrix::from_triplets(matrix.rows(), matrix.cols(), &left)?;
    let packed = Windows::from_parts(matrix.rows(), matrix.cols(), shape, strips, columns, lines);
    // What is built here fits together, unless there are more blocks than 32 bits can number.
    let size = SparseError::Size { rows: matrix.rows() as u64, columns: matrix.cols() as u64 };
    let packed = packed.map_err(|_| size)?;
    Ok((packed, Sell::pack(&left, sigma)))
}
