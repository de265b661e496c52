//! Stored semi-sparse matrices: loading any bytes, with the right checksum so that the checks after it are
//! reached, and multiplying by every matrix that could be loaded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_kernels::Isa;
use loopwright_kernels::fletcher::fletcher64;
use loopwright_kernels::semi_sparse::{Element, SemiSparse};

/// Offset of the checksum, and of the bytes it covers.
const SUM: usize = 34;
const BODY: usize = 42;

fn load<T: Element>(bytes: &[u8]) {
    if let Ok(plan) = SemiSparse::<T>::from_bytes(bytes) {
        if plan.cols() > 1 << 20 {
            return;
        }
        let x = vec![T::default(); plan.cols()];
        let mut y = vec![T::Sum::default(); plan.rows()];
        for isa in Isa::available() {
            plan.multiply_with(isa, &x, &mut y).unwrap();
        }
        assert_eq!(SemiSparse::<T>::from_bytes(&plan.to_bytes()).unwrap(), plan);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= BODY {
        let sum = fletcher64(&bytes[BODY..]);
        bytes[SUM..BODY].copy_from_slice(&sum.to_le_bytes());
    }
    load::<f32>(&bytes);
    load::<f64>(&bytes);
    load::<i16>(&bytes);
});
