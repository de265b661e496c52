//! The matrix as users give it: compressed sparse rows.

use super::element::Number;
use super::error::SparseError;
use crate::pages;

/// A constant sparse matrix in compressed sparse rows, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<T> {
    rows: usize,
    cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

/// Rows and columns are numbered with 32 bits, and gathers read numbers as signed.
pub(super) fn check_size(rows: usize, cols: usize) -> Result<(), SparseError> {
    const LIMIT: usize = i32::MAX as usize;
    if rows > LIMIT || cols > LIMIT {
        return Err(SparseError::Size { rows: rows as u64, columns: cols as u64 });
    }
    Ok(())
}

impl<T: Number> SparseMatrix<T> {
    /// A matrix from compressed sparse rows: row `r` has the elements `indptr[r] .. indptr[r + 1]` of `indices` (columns
    /// from 0, rising) and of `values`. Zeros among the values are kept as elements.
    pub fn from_csr(
        rows: usize,
        cols: usize,
        indptr: &[usize],
        indices: &[u32],
        values: &[T],
    ) -> Result<Self, SparseError> {
        check_size(rows, cols)?;
        if indices.len() != values.len() {
            return Err(SparseError::Lengths { columns: indices.len() as u64, values: values.len() as u64 });
        }
        let wrong = |cause: String| Err(SparseError::Pointers { cause, expected: rows as u64 + 1 });
        if indptr.len() != rows + 1 {
            return wrong(format!("there are {}", indptr.len()));
        }
        if indptr[0] != 0 || indptr[rows] != values.len() {
            let (first, last) = (indptr[0], indptr[rows]);
            return wrong(format!("they go from {first} to {last} with {} values", values.len()));
        }
        // All of them before any is used: the last pointer alone does not bound those before it.
        if let Some(row) = indptr.windows(2).position(|pair| pair[0] > pair[1]) {
            return wrong(format!("they fall after row {row}"));
        }
        for row in 0..rows {
            let mut least = 0;
            for &column in &indices[indptr[row]..indptr[row + 1]] {
                if column as usize >= cols {
                    let (row, column) = (row as u64, column.into());
                    return Err(SparseError::Column { row, column, columns: cols as u64 });
                }
                if column < least {
                    return Err(SparseError::Order { row: row as u64, column: column.into() });
                }
                least = column + 1;
            }
        }
        let (indptr, indices, values) = (indptr.to_vec(), indices.to_vec(), values.to_vec());
        Ok(SparseMatrix { rows, cols, indptr, indices, values })
    }

    /// A matrix from elements in any order; elements of the same place are refused.
    pub fn from_triplets(rows: usize, cols: usize, elements: &[(u32, u32, T)]) -> Result<Self, SparseError> {
        check_size(rows, cols)?;
        let mut sorted: Vec<&(u32, u32, T)> = elements.iter().collect();
        sorted.sort_by_key(|(row, column, _)| (*row, *column));
        if let Some((row, column, _)) = sorted.last().filter(|(row, ..)| *row as usize >= rows) {
            let cause = format!("row {row} (column {column}) of {rows} rows");
            return Err(SparseError::Pointers { cause, expected: rows as u64 + 1 });
        }
        let mut indptr = vec![0; rows + 1];
        sorted.iter().for_each(|(row, ..)| indptr[*row as usize + 1] += 1);
        (0..rows).for_each(|row| indptr[row + 1] += indptr[row]);
        let indices: Vec<u32> = sorted.iter().map(|(_, column, _)| *column).collect();
        let values: Vec<T> = sorted.iter().map(|(.., value)| *value).collect();
        Self::from_csr(rows, cols, &indptr, &indices, &values)
    }

    /// A matrix without elements.
    pub(super) fn empty(rows: usize, cols: usize) -> Self {
        SparseMatrix { rows, cols, indptr: vec![0; rows + 1], indices: Vec::new(), values: Vec::new() }
    }

    /// Moves it into large pages.
    pub(super) fn enlarge_pages(&mut self) {
        pages::enlarge(&mut self.indices);
        pages::enlarge(&mut self.values);
    }

    /// Number of rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements that are stored.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// Stored elements over all; 0 of an empty matrix.
    pub fn density(&self) -> f64 {
        match self.rows * self.cols {
            0 => 0.0,
            all => self.nnz() as f64 / all as f64,
        }
    }

    /// The row pointers: rows and one more.
    pub fn indptr(&self) -> &[usize] {
        &self.indptr
    }

    /// The column of each element.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The elements.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The elements of a row with their columns; none of a row that is not there.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, T)> {
        let range = if row < self.rows { self.indptr[row]..self.indptr[row + 1] } else { 0..0 };
        self.indices[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }
}
