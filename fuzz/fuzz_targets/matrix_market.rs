//! Matrix Market files: every type of elements, on anything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_kernels::semi_sparse::SparseMatrix;

fuzz_target!(|bytes: &[u8]| {
    let _ = SparseMatrix::<f32>::from_matrix_market(bytes);
    let _ = SparseMatrix::<f64>::from_matrix_market(bytes);
    let _ = SparseMatrix::<i16>::from_matrix_market(bytes);
});
