//! The planned matrix and its products.

use super::costs::Levels;
use super::dispatch::Element;
use super::error::SparseError;
use super::interleaved;
use super::matrix::SparseMatrix;
use super::plan::{Estimate, Form, Options, Planner};
use super::sell::Sell;
use super::tiles::Tiles;
use super::windows::Windows;
use crate::isa::Isa;
use crate::pages;

/// A constant matrix in the form that suits it best, to be multiplied by many vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct SemiSparse<T> {
    form: Form,
    nnz: usize,
    body: Body<T>,
}

/// What the forms consist of.
#[derive(Clone, Debug, PartialEq)]
pub enum Body<T> {
    Tiles { tiles: Tiles<T>, left: Sell<T> },
    Windows { windows: Windows<T>, left: Sell<T> },
    Sell(Sell<T>),
    Csr(SparseMatrix<T>),
}

/// Vectors whose products share what is read of the matrix.
const BATCH: usize = 4;

impl<T: Element> SemiSparse<T> {
    /// Puts a matrix into the form that `options` ask for. Takes some thousand times as long as a product.
    pub fn plan(matrix: &SparseMatrix<T>, options: &Options) -> Result<Self, SparseError> {
        Planner::new(matrix, options)?.plan()
    }

    /// What each form is expected to take, cheapest first.
    pub fn estimates(matrix: &SparseMatrix<T>, options: &Options) -> Result<Vec<Estimate>, SparseError> {
        Ok(Planner::new(matrix, options)?.estimates())
    }

    pub(crate) fn of(form: Form, nnz: usize, mut body: Body<T>) -> Self {
        match &mut body {
            Body::Tiles { tiles, left } => {
                pages::enlarge(&mut tiles.lines);
                left.enlarge_pages();
            }
            Body::Windows { windows, left } => {
                pages::enlarge(&mut windows.lines);
                left.enlarge_pages();
            }
            Body::Sell(sell) => sell.enlarge_pages(),
            Body::Csr(matrix) => matrix.enlarge_pages(),
        }
        SemiSparse { form, nnz, body }
    }

    pub(super) fn body(&self) -> &Body<T> {
        &self.body
    }

    /// The form it is in.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Number of rows of the matrix.
    pub fn rows(&self) -> usize {
        match &self.body {
            Body::Tiles { tiles, .. } => tiles.rows,
            Body::Windows { windows, .. } => windows.rows,
            Body::Sell(sell) => sell.rows,
            Body::Csr(matrix) => matrix.rows(),
        }
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        match &self.body {
            Body::Tiles { tiles, .. } => tiles.cols,
            Body::Windows { windows, .. } => windows.cols,
            Body::Sell(sell) => sell.cols,
            Body::Csr(matrix) => matrix.cols(),
        }
    }

    /// Elements of the matrix it was made from.
    pub fn nnz(&self) -> usize {
        self.nnz
    }

    /// Bytes that a product reads of the matrix.
    pub fn bytes(&self) -> usize {
        match &self.body {
            Body::Tiles { tiles, left } => tiles.bytes() + left.bytes(),
            Body::Windows { windows, left } => windows.bytes() + left.bytes(),
            Body::Sell(sell) => sell.bytes(),
            Body::Csr(m) => m.nnz() * (T::BYTES + 4) + 8 * m.indptr().len(),
        }
    }

    /// Lines of 64 bytes of values that tiles or windows have, and elements that are left over with their padding; zeros for
    /// other forms.
    pub fn tiled(&self) -> (usize, usize) {
        match &self.body {
            Body::Tiles { tiles, left } => (tiles.slots(), left.values.len()),
            Body::Windows { windows, left } => (windows.slots(), left.values.len()),
            _ => (0, 0),
        }
    }

    /// `y = A x`. `x` has [`cols`](Self::cols) elements, `y` has [`rows`](Self::rows), of any alignment.
    pub fn multiply(&self, x: &[T], y: &mut [T::Sum]) -> Result<(), SparseError> {
        self.product(Levels::best(T::KIND), x, y, false)
    }

    /// [`multiply`](Self::multiply) at a level.
    pub fn multiply_with(&self, isa: Isa, x: &[T], y: &mut [T::Sum]) -> Result<(), SparseError> {
        self.product(isa.require()?.into(), x, y, false)
    }

    /// `y += A x`.
    pub fn multiply_add(&self, x: &[T], y: &mut [T::Sum]) -> Result<(), SparseError> {
        self.product(Levels::best(T::KIND), x, y, true)
    }

    /// [`multiply_add`](Self::multiply_add) at a level.
    pub fn multiply_add_with(&self, isa: Isa, x: &[T], y: &mut [T::Sum]) -> Result<(), SparseError> {
        self.product(isa.require()?.into(), x, y, true)
    }

    /// `y[i] = A x[i]` for `count` vectors, one after the other in `x` and in `y`: the columns of a matrix that is stored
    /// column by column.
    pub fn multiply_batch(&self, count: usize, x: &[T], y: &mut [T::Sum]) -> Result<(), SparseError> {
        self.batch(Levels::best(T::KIND), count, x, y, false)
    }

    /// [`multiply_batch`](Self::multiply_batch) at a level.
    pub fn multiply_batch_with(
        &self,
        isa: Isa,
        count: usize,
        x: &[T],
        y: &mut [T::Sum],
    ) -> Result<(), SparseError> {
        self.batch(isa.require()?.into(), count, x, y, false)
    }

    /// `y[i] += A x[i]` for `count` vectors, as [`multiply_batch`](Self::multiply_batch) has them.
    pub fn multiply_add_batch(&self, count: usize, x: &[T], y: &mut [T::Sum]) -> Result<(), SparseError> {
        self.batch(Levels::best(T::KIND), count, x, y, true)
    }

    /// [`multiply_add_batch`](Self::multiply_add_batch) at a level.
    pub fn multiply_add_batch_with(
        &self,
        isa: Isa,
        count: usize,
        x: &[T],
        y: &mut [T::Sum],
    ) -> Result<(), SparseError> {
        self.batch(isa.require()?.into(), count, x, y, true)
    }

    fn check(&self, count: usize, x: usize, y: usize) -> Result<(), SparseError> {
        let lengths = [("x", x, self.cols()), ("y", y, self.rows())];
        for (which, length, of_one) in lengths {
            let expected = of_one.checked_mul(count);
            if expected != Some(length) {
                let expected = expected.map_or(u64::MAX, |expected| expected as u64);
                return Err(SparseError::Vector { which, length: length as u64, expected });
            }
        }
        Ok(())
    }

    fn product(&self, levels: Levels, x: &[T], y: &mut [T::Sum], add: bool) -> Result<(), SparseError> {
        self.check(1, x.len(), y.len())?;
        self.one(levels, x, y, add);
        Ok(())
    }

    /// One product; the levels are available and the lengths are checked.
    fn one(&self, levels: Levels, x: &[T], y: &mut [T::Sum], add: bool) {
        match &self.body {
            Body::Tiles { tiles, left } => {
                T::tiles(levels.tiles, tiles, x, y, add);
                if !left.is_empty() {
                    T::sell(levels.sell, left, x, y, true);
                }
            }
            Body::Windows { windows, left } => {
                T::windows(levels.tiles, windows, x, y, add);
                if !left.is_empty() {
                    T::sell(levels.sell, left, x, y, true);
                }
            }
            Body::Sell(sell) => T::sell(levels.sell, sell, x, y, add),
            Body::Csr(matrix) => T::csr(levels.csr, matrix, x, y, add),
        }
    }

    fn batch(
        &self,
        levels: Levels,
        count: usize,
        x: &[T],
        y: &mut [T::Sum],
        add: bool,
    ) -> Result<(), SparseError> {
        self.check(count, x.len(), y.len())?;
        let (rows, cols) = (self.rows(), self.cols());
        if rows == 0 || count == 0 {
            return Ok(());
        }
        let mut done = 0;
        if let Body::Csr(matrix) = &self.body {
            while count - done >= interleaved::FEWEST {
                let some = (count - done).min(interleaved::lanes::<T>());
                let (x, y) = (&x[done * cols..][..some * cols], &mut y[done * rows..][..some * rows]);
                T::interleaved(levels.tiles, matrix, some, x, y, add);
                done += some;
            }
        }
        if let Body::Tiles { left, .. } | Body::Windows { left, .. } = &self.body {
            for group in y.chunks_exact_mut(BATCH * rows) {
                let xs: [&[T]; BATCH] = std::array::from_fn(|v| &x[(done + v) * cols..][..cols]);
                let mut rest = group;
                let mut ys: [&mut [T::Sum]; BATCH] = std::array::from_fn(|_| {
                    let (y, more) = std::mem::take(&mut rest).split_at_mut(rows);
                    rest = more;
                    y
                });
                match &self.body {
                    Body::Tiles { tiles, .. } => T::tiles4(levels.tiles, tiles, xs, &mut ys, add),
                    Body::Windows { windows, .. } => T::windows4(levels.tiles, windows, xs, &mut ys, add),
                    Body::Sell(_) | Body::Csr(_) => {}
                }
                if !left.is_empty() {
                    xs.iter().zip(ys).for_each(|(x, y)| T::sell(levels.sell, left, x, y, true));
                }
                done += BATCH;
            }
        }
        for (v, y) in y.chunks_exact_mut(rows).enumerate().skip(done) {
            self.one(levels, &x[v * cols..][..cols], y, add);
        }
        Ok(())
    }
}
