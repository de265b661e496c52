//! Stored plans come back, and changed bytes are refused.

use super::{Checked, fixed, matrix};
use loopwright_kernels::Isa;
use loopwright_kernels::fletcher::fletcher64;
use loopwright_kernels::internals::semi_sparse::HEADER;
use loopwright_kernels::semi_sparse::*;

fn plans<T: Checked>() -> Vec<SemiSparse<T>> {
    let matrix = matrix::<T>(21, 70, 0.3, 5);
    Form::ALL.map(|form| SemiSparse::plan(&matrix, &fixed(form, None)).unwrap()).into()
}

/// The checksum set right again after a change, so that the checks behind it are reached.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= HEADER {
        let sum = fletcher64(&bytes[HEADER..]);
        bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

#[test]
fn plans_come_back() {
    fn one<T: Checked>() {
        for plan in plans::<T>() {
            let bytes = plan.to_bytes();
            assert_eq!(SemiSparse::from_bytes(&bytes), Ok(plan.clone()));
            assert_eq!(stored_kind(&bytes), Ok(T::KIND));
            let other = match T::BYTES {
                4 => SemiSparse::<f64>::from_bytes(&bytes).map(drop),
                _ => SemiSparse::<f32>::from_bytes(&bytes).map(drop),
            };
            assert!(other.unwrap_err().to_string().contains("its elements are not"));
        }
    }
    one::<f32>();
    one::<f64>();
    one::<i16>();
    let empty = SparseMatrix::<f32>::from_csr(0, 0, &[0], &[], &[]).unwrap();
    let plan = SemiSparse::plan(&empty, &Default::default()).unwrap();
    assert_eq!(SemiSparse::from_bytes(&plan.to_bytes()), Ok(plan));
}

#[test]
fn changed_bytes_are_refused_and_never_panic() {
    fn one<T: Checked>() {
        for plan in plans::<T>() {
            let bytes = plan.to_bytes();
            let x = vec![T::default(); plan.cols()];
            for at in 0..bytes.len() {
                for change in [1, 0x80, 0xff] {
                    let mut changed = bytes.clone();
                    changed[at] ^= change;
                    if !(18..34).contains(&at) {
                        // Columns and elements are only numbers: what they say is not in the sections.
                        let loaded = SemiSparse::<T>::from_bytes(&changed);
                        assert!(loaded.is_err() || !(HEADER..).contains(&at), "{at}");
                    }
                    if let Ok(loaded) = SemiSparse::<T>::from_bytes(&resealed(changed)) {
                        let x = vec![T::default(); loaded.cols().min(1 << 20)];
                        let mut y = vec![T::Sum::default(); loaded.rows().min(1 << 20)];
                        for isa in Isa::available() {
                            let _ = loaded.multiply_with(isa, &x, &mut y);
                        }
                    }
                }
            }
            for end in 0..bytes.len() {
                assert!(SemiSparse::<T>::from_bytes(&bytes[..end]).is_err());
                assert!(SemiSparse::<T>::from_bytes(&resealed(bytes[..end].to_vec())).is_err());
            }
            let mut longer = bytes.clone();
            longer.push(0);
            assert!(SemiSparse::<T>::from_bytes(&resealed(longer)).is_err());
            assert_eq!(x.len(), plan.cols());
        }
    }
    one::<f32>();
    one::<i16>();
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = plans::<f32>()[0].to_bytes();
    bytes[4] = 2;
    let error = SemiSparse::<f32>::from_bytes(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "the stored matrix cannot be loaded: it has version 2 where 1 is known; store it again with this version"
    );
}
