//! Compressed rows with hardware gathers: whole vectors of a row at a time, the rest one by one.

use super::element::Number;
use super::matrix::SparseMatrix;
use super::strip::Level;

/// Vectors of a row from which on it pays to add across lanes.
const VECTORS: usize = 2;

/// `y = A x`, or `y += A x` when `add`.
///
/// # Safety
/// The processor must have the instructions of `S`'s level; `x` has the columns, `y` the rows of the matrix, which
/// [`SparseMatrix`] checked.
#[inline(always)]
pub unsafe fn multiply<S: Level>(
    matrix: &SparseMatrix<S::Element>,
    x: &[S::Element],
    y: &mut [<S::Element as Number>::Sum],
    add: bool,
) {
    type Sum<S> = <<S as Level>::Element as Number>::Sum;
    let lanes = S::Element::ROWS;
    let (indptr, indices, values) = (matrix.indptr(), matrix.indices(), matrix.values());
    for (row, y) in y.iter_mut().enumerate() {
        let range = indptr[row]..indptr[row + 1];
        let (columns, values) = (&indices[range.clone()], &values[range]);
        let mut begin = 0;
        let mut sum = Sum::<S>::default();
        if values.len() >= VECTORS * lanes {
            let mut whole = [Sum::<S>::default(); 16];
            // SAFETY: the caller has the level; `begin + lanes` stays within the row, whose columns are within `x`.
            unsafe {
                let mut sums = [S::zero(), S::zero()];
                while begin + lanes <= values.len() {
                    let turn = begin / lanes % 2;
                    let (values, columns) = (values.as_ptr().add(begin), columns.as_ptr().add(begin));
                    sums[turn] = S::gather::<true>(sums[turn], values, columns.cast(), x);
                    begin += lanes;
                }
                S::store(S::add(sums[0], sums[1]), whole.as_mut_ptr());
            }
            // In halves: additions need not wait for one another.
            let mut width = lanes / 2;
            while width > 0 {
                for lane in 0..width {
                    whole[lane] = S::Element::add(whole[lane], whole[lane + width]);
                }
                width /= 2;
            }
            sum = whole[0];
        }
        for (&column, &value) in columns[begin..].iter().zip(&values[begin..]) {
            sum = S::Element::mul_add(sum, value, x[column as usize]);
        }
        *y = if add { S::Element::add(*y, sum) } else { sum };
    }
}
