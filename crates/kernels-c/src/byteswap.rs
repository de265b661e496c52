//! Byte swapping.

use crate::isa::level;
use crate::memory::{file_name, not_null, put};
use crate::status::lw_status::{LW_ERROR_FILE, LW_ERROR_LENGTH, LW_ERROR_OVERLAP, LW_ERROR_VALUE};
use crate::status::{Failure, lw_status, run};
use crate::stores::of_number;
use kernels::byteswap::{ByteswapError, SwapFileError, Width, swap_file, swap_raw};
use kernels::{Plan, Routine};
use std::ffi::{c_char, c_void};

impl From<ByteswapError> for Failure {
    fn from(error: ByteswapError) -> Failure {
        let status = match error {
            ByteswapError::Isa(error) => return error.into(),
            ByteswapError::Length { .. } | ByteswapError::Lengths { .. } => LW_ERROR_LENGTH,
            ByteswapError::Overlap { .. } => LW_ERROR_OVERLAP,
            _ => LW_ERROR_VALUE,
        };
        Failure::new(status, error.to_string())
    }
}

impl From<SwapFileError> for Failure {
    fn from(error: SwapFileError) -> Failure {
        let status = match error {
            SwapFileError::Length { .. } => LW_ERROR_LENGTH,
            SwapFileError::Same { .. } => LW_ERROR_OVERLAP,
            _ => LW_ERROR_FILE,
        };
        Failure::new(status, error.to_string())
    }
}

/// # Safety
/// As the header says.
unsafe fn swap(
    plan: Option<Plan>,
    parallel: bool,
    width: usize,
    source: *const c_void,
    destination: *mut c_void,
    length: usize,
) -> Result<(), Failure> {
    let width = Width::of_bytes(width)?;
    if length > 0 {
        not_null(source, "source")?;
        not_null(destination, "destination")?;
    }
    let in_place = source == destination.cast_const();
    let plan = plan.unwrap_or_else(|| Routine::swap(width, in_place).plan());
    // SAFETY: the caller's promises; null is refused above, overlaps and lengths by the kernel.
    unsafe { swap_raw(plan, parallel, width, source.cast(), destination.cast(), length) }?;
    Ok(())
}

/// Writes the words of source, the bytes of each reversed, to destination. width is the size of a word: 2, 4 or 8 bytes, else
/// LW_ERROR_VALUE; length is in bytes, a multiple of it, else LW_ERROR_LENGTH. The two are the same (in place) or have no byte
/// in common, else LW_ERROR_OVERLAP. Any alignment. Large results are written past the caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_byteswap(
    width: usize,
    source: *const c_void,
    destination: *mut c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { swap(None, false, width, source, destination, length) })
}

/// lw_byteswap() with the code of one level, and with stores of one kind, an lw_stores.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_byteswap_with(
    isa: u32,
    stores: u32,
    width: usize,
    source: *const c_void,
    destination: *mut c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        let plan = Plan { isa: level(isa)?, stores: of_number(stores)? };
        swap(Some(plan), false, width, source, destination, length)
    })
}

/// lw_byteswap() on threads above a measured size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_byteswap_par(
    width: usize,
    source: *const c_void,
    destination: *mut c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { swap(None, true, width, source, destination, length) })
}

/// Writes the words of the file input, the bytes of each reversed, to the file output, which is created or overwritten, in
/// constant memory. *bytes becomes their number; it may be null. LW_ERROR_FILE: a file cannot be read or written;
/// LW_ERROR_LENGTH: it does not end with a whole word; LW_ERROR_OVERLAP: both are the same file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_byteswap_file(
    width: usize,
    input: *const c_char,
    output: *const c_char,
    bytes: *mut u64,
) -> lw_status {
    run(|| {
        let width = Width::of_bytes(width)?;
        // SAFETY: the caller passes texts that end with a zero, or null.
        let (input, output) = unsafe { (file_name(input, "input")?, file_name(output, "output")?) };
        let written = swap_file(input, output, width)?;
        if bytes.is_null() {
            return Ok(());
        }
        // SAFETY: the caller passes a place for the number.
        unsafe { put(bytes, "bytes", || Ok(written)) }
    })
}
