//! The definition: the sum of each row's products, element by element; the oracle of the tests.

use super::element::Number;
use super::matrix::SparseMatrix;

/// `y = A x`, or `y += A x` when `ADD`. The lengths are the matrix's.
pub fn multiply<T: Number, const ADD: bool>(matrix: &SparseMatrix<T>, x: &[T], y: &mut [T::Sum]) {
    for (row, y) in y.iter_mut().enumerate() {
        let elements = matrix.row(row);
        let sum = elements.fold(T::Sum::default(), |sum, (c, a)| T::mul_add(sum, a, x[c as usize]));
        *y = if ADD { T::add(*y, sum) } else { sum };
    }
}
