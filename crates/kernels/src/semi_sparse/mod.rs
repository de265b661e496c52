//! Semi-sparse matrix times vector: constant matrices of which 1 to 50 % are not zero.
//!
//! # What is computed
//! `y = A x` and `y += A x` for [`SparseMatrix`]es of f32, f64 and i16 (sums in i32, modulo 2^32), for one vector or several
//! at once. The matrix is planned once ([`SemiSparse::plan`]) and multiplied often: planning takes some thousand times as
//! long as a product.
//!
//! # Contract
//! - `x` has as many elements as the matrix has columns, `y` as it has rows; other lengths are a [`SparseError`].
//!   Any alignment. `x` and `y` cannot overlap: Rust's references see to it.
//! - i16 is exact. f32 and f64 are summed in an order that depends on the plan and the level, with fused
//!   multiplications where the level has them: each `y[r]` is within `(n + 8) u sum |A[r, c] x[c]|` of the exact sum, `n` being
//!   the row's elements and `u` 2^-24 or 2^-53 (for a sum that exists; docs/kernels/semi-sparse.md derives it).
//! - `x` is to be finite: packed forms multiply zeros, too, as a dense product does, so that an infinity or NaN in `x` may
//!   reach rows whose elements do not meet it.
//! - A plan runs at every level, fastest at the one that it was made for ([`Options::isa`]).
//!
//! # How
//! Non-zero elements of neighbouring columns are moved together, and the elements of `x` that belong to them are
//! gathered by permutes in registers instead of loads: the method of "Fast Gathering-based SpMxV for Linear Feature
//! Extraction" (Intel, 2013), here with rows in lanes. [`tiles`] has the layout, [`strip`] the loop, [`partition`] the
//! search for the pieces, [`costs`] the model. The page named above derives them and has the measurements.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod calibrate;
mod costs;
mod csr;
mod dispatch;
mod element;
mod entries;
mod error;
mod interleaved;
mod market;
mod matrix;
mod pack;
mod partition;
mod plan;
pub(crate) mod product;
mod reference;
mod scalar;
mod sell;
pub(crate) mod slide;
#[cfg(target_arch = "x86_64")]
mod sse42;
pub(crate) mod stored;
mod strip;
mod tail;
mod tiles;
pub(crate) mod windows;

pub use calibrate::measure;
pub use costs::{Costs, TypeCosts};
pub use dispatch::Element;
pub use element::{Kind, Number};
pub use error::SparseError;
pub use matrix::SparseMatrix;
pub use partition::Search;
pub use plan::{Choice, Estimate, Form, Options};
pub use product::SemiSparse;
pub use stored::stored_kind;

/// `y = A x` (`y += A x` when `add`) by the definition, element by element in the order of the rows: what other forms
/// are held to. Refuses vectors of other lengths than the matrix has.
pub fn multiply_reference<T: Element>(
    matrix: &SparseMatrix<T>,
    x: &[T],
    y: &mut [T::Sum],
    add: bool,
) -> Result<(), SparseError> {
    let lengths = [("x", x.len(), matrix.cols()), ("y", y.len(), matrix.rows())];
    if let Some((which, length, expected)) = lengths.into_iter().find(|(_, is, should)| is != should) {
        return Err(SparseError::Vector { which, length: length as u64, expected: expected as u64 });
    }
    match add {
        true => reference::multiply::<T, true>(matrix, x, y),
        false => reference::multiply::<T, false>(matrix, x, y),
    }
    Ok(())
}
