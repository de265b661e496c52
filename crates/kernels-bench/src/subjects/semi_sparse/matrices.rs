//! The measured matrices: elements spread evenly, which no order of rows or columns brings together.

use loopwright_kernels::semi_sparse::{Element, SparseMatrix};

/// A matrix, vectors one after the other, and their products by the definition.
pub struct Problem<T: Element> {
    pub matrix: SparseMatrix<T>,
    pub count: usize,
    pub x: Vec<T>,
    pub expected: Vec<T::Sum>,
    /// For each row of each product the largest error of a sum: `2 (n + 8) u sum |a x|`, as both sides round.
    pub tolerance: Vec<f64>,
}

/// Properties of a type that checking needs.
pub trait Measured: Element {
    /// Half the distance from 1 to the next value; 0 where sums are exact.
    const UNIT: f64;
    /// The value nearest to `share` (-1 to 1) of what the type can hold.
    fn of_share(share: f64) -> Self;
    fn number(self) -> f64;
    fn sum_number(sum: Self::Sum) -> f64;
}

impl Measured for f32 {
    const UNIT: f64 = f32::EPSILON as f64 / 2.0;
    fn of_share(share: f64) -> f32 {
        share as f32
    }
    fn number(self) -> f64 {
        self.into()
    }
    fn sum_number(sum: f32) -> f64 {
        sum.into()
    }
}

impl Measured for f64 {
    const UNIT: f64 = f64::EPSILON / 2.0;
    fn of_share(share: f64) -> f64 {
        share
    }
    fn number(self) -> f64 {
        self
    }
    fn sum_number(sum: f64) -> f64 {
        sum
    }
}

impl Measured for i16 {
    const UNIT: f64 = 0.0;
    fn of_share(share: f64) -> i16 {
        (share * 32767.0) as i16
    }
    fn number(self) -> f64 {
        self.into()
    }
    fn sum_number(sum: i32) -> f64 {
        sum.into()
    }
}

impl<T: Measured> Problem<T> {
    /// A problem of this shape, the same every time: `density` in thousandths, `count` vectors.
    pub fn new((rows, cols): (usize, usize), density: u32, count: usize) -> Problem<T> {
        // xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
        let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ (rows as u64) << 32 ^ u64::from(density);
        let mut share = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for _ in 0..rows {
            for column in 0..cols {
                if share() * 1000.0 < f64::from(density) {
                    indices.push(column as u32);
                    values.push(T::of_share(2.0 * share() - 1.0));
                }
            }
            indptr.push(values.len());
        }
        let x: Vec<T> = (0..count * cols).map(|_| T::of_share(2.0 * share() - 1.0)).collect();
        // The pieces are right by construction; an empty matrix would fail the verification of everything.
        let matrix =
            SparseMatrix::from_csr(rows, cols, &indptr, &indices, &values).unwrap_or_else(|_| empty());
        let mut expected = vec![T::Sum::default(); count * rows];
        let mut tolerance = Vec::with_capacity(count * rows);
        for (x, expected) in x.chunks_exact(cols).zip(expected.chunks_exact_mut(rows)) {
            let done = loopwright_kernels::semi_sparse::multiply_reference(&matrix, x, expected, false);
            debug_assert!(done.is_ok());
            tolerance.extend((0..rows).map(|row| {
                let magnitude: f64 =
                    matrix.row(row).map(|(c, a)| (a.number() * x[c as usize].number()).abs()).sum();
                2.0 * (matrix.row(row).count() + 8) as f64 * T::UNIT * magnitude
            }));
        }
        Problem { matrix, count, x, expected, tolerance }
    }

    /// All elements, row by row.
    pub fn dense(&self) -> Vec<T> {
        let cols = self.matrix.cols();
        let mut dense = vec![T::default(); self.matrix.rows() * cols];
        for row in 0..self.matrix.rows() {
            self.matrix.row(row).for_each(|(column, a)| dense[row * cols + column as usize] = a);
        }
        dense
    }

    /// Describes what is wrong with a product.
    pub fn verify(&self, y: &[T::Sum]) -> Result<(), String> {
        for (row, ((&found, &expected), bound)) in
            y.iter().zip(&self.expected).zip(&self.tolerance).enumerate()
        {
            let off = (T::sum_number(found) - T::sum_number(expected)).abs();
            if off.is_nan() || off > *bound {
                return Err(format!(
                    "row {row} is {found:?} where the reference has {expected:?} (+- {bound:e})"
                ));
            }
        }
        Ok(())
    }
}

fn empty<T: Element>() -> SparseMatrix<T> {
    SparseMatrix::from_csr(0, 0, &[0], &[], &[]).unwrap_or_else(|_| unreachable!())
}
