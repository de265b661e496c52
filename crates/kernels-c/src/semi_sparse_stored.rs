//! Semi-sparse matrices from files: Matrix Market, and the stored form of plans.

use crate::memory::{bytes, elements_mut, file_name, not_null, put};
use crate::semi_sparse::{Planned, each, lw_semi_sparse, lw_semi_sparse_options, options};
use crate::status::lw_status::{LW_ERROR_FILE, LW_ERROR_LENGTH};
use crate::status::{Failure, lw_status, run};
use kernels::semi_sparse::{Element, Kind, SemiSparse, SparseMatrix, stored_kind};
use std::ffi::{c_char, c_void};
use std::fs::File;
use std::io::BufReader;

/// # Safety
/// As the header says.
unsafe fn read<T: Element>(
    path: *const c_char,
    how: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
    planned: fn(SemiSparse<T>) -> Planned,
) -> Result<(), Failure> {
    // SAFETY: the caller passes a name that ends with a zero, and a place for the plan.
    unsafe {
        put(plan, "plan", || {
            let path = file_name(path, "path")?;
            let options = options(how)?;
            let failed = |text: String| Failure::new(LW_ERROR_FILE, format!("{}: {text}", path.display()));
            let file = File::open(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
            let matrix = SparseMatrix::from_matrix_market(BufReader::new(file)).map_err(|error| {
                let Failure { status, text } = error.into();
                Failure::new(status, format!("{}: {text}", path.display()))
            })?;
            let plan = planned(SemiSparse::plan(&matrix, &options)?);
            Ok(Box::into_raw(Box::new(lw_semi_sparse(plan))))
        })
    }
}

/// lw_semi_sparse_plan_f32() of the matrix in a Matrix Market file: coordinate or array format, real, integer or pattern.
/// LW_ERROR_FILE when the file cannot be opened, LW_ERROR_DATA, with the line, when it is no such matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_read_f32(
    path: *const c_char,
    options: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: as the header says.
    run(|| unsafe { read(path, options, plan, Planned::F32) })
}

/// lw_semi_sparse_read_f32() for double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_read_f64(
    path: *const c_char,
    options: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: as the header says.
    run(|| unsafe { read(path, options, plan, Planned::F64) })
}

/// lw_semi_sparse_read_f32() for int16_t; LW_ERROR_DATA for numbers that are no 16-bit integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_read_i16(
    path: *const c_char,
    options: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: as the header says.
    run(|| unsafe { read(path, options, plan, Planned::I16) })
}

/// The plan as bytes, the same on every machine, for lw_semi_sparse_load(). How many there are is written to length in any
/// case; the bytes only when capacity has room for them, else LW_ERROR_LENGTH. With capacity 0 buffer may be null, and
/// only the length is asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_store(
    plan: *const lw_semi_sparse,
    buffer: *mut c_void,
    capacity: usize,
    length: *mut usize,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, a buffer as the header says and a place for the length.
        unsafe {
            not_null(length, "length")?;
            let buffer = elements_mut(buffer.cast::<u8>(), capacity, "buffer")?;
            let stored = each!(&(*plan).0, plan => plan.to_bytes());
            put(length, "length", || Ok(stored.len()))?;
            match buffer.get_mut(..stored.len()) {
                Some(room) => room.copy_from_slice(&stored),
                None if capacity == 0 => {}
                None => {
                    let text = format!("the plan has {} bytes; pass a buffer of as many", stored.len());
                    return Err(Failure::new(LW_ERROR_LENGTH, text));
                }
            }
        }
        Ok(())
    })
}

/// A plan from the bytes that lw_semi_sparse_store() made, of the type that it had. LW_ERROR_DATA when they have changed, or
/// are of a version that this library does not know. The plan is written to plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_load(
    data: *const c_void,
    length: usize,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: the caller passes bytes as the header says, and a place for the plan.
    run(|| unsafe {
        put(plan, "plan", || {
            let bytes = bytes(data, length)?;
            let planned = match stored_kind(bytes)? {
                Kind::F32 => Planned::F32(SemiSparse::from_bytes(bytes)?),
                Kind::F64 => Planned::F64(SemiSparse::from_bytes(bytes)?),
                Kind::I16 => Planned::I16(SemiSparse::from_bytes(bytes)?),
            };
            Ok(Box::into_raw(Box::new(lw_semi_sparse(planned))))
        })
    })
}
