//! Fletcher-4, as ZFS computes it.

use crate::fletcher::{combine, update, whole, zfs};
use crate::isa::level;
use crate::status::{lw_status, run};
use kernels::fletcher::Fletcher4;
use kernels::{Isa, Routine};
use std::ffi::c_void;

/// The Fletcher-4 sums of a beginning of the input, or of all of it: a, b, c, d, the words of
/// ZFS's zio_cksum_t. All zeros are those of no input.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lw_fletcher4_sums {
    /// a, b, c, d.
    pub words: [u64; 4],
}

zfs!(Fletcher4, lw_fletcher4_sums, fletcher4_with, fletcher4_swapped_with);

/// The Fletcher-4 checksum of length bytes at data, words of 32 bits, least significant byte first. data has any alignment;
/// length is a multiple of 4, else LW_ERROR_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4(
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher4_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher4>(Routine::Fletcher4.level(), false, data, length, sums) })
}

/// lw_fletcher4() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher4_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher4>(level(isa)?, false, data, length, sums) })
}

/// The Fletcher-4 checksum of length bytes at data, words of 32 bits, most significant byte first. data has any alignment;
/// length is a multiple of 4, else LW_ERROR_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_swapped(
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher4_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher4>(Routine::Fletcher4Swapped.level(), true, data, length, sums) })
}

/// lw_fletcher4_swapped() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_swapped_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher4_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher4>(level(isa)?, true, data, length, sums) })
}

/// Goes on with length bytes at data, words of 32 bits, least significant byte first: sums become those of all input so far.
/// length is a multiple of 4, else LW_ERROR_LENGTH, and nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_update(
    sums: *mut lw_fletcher4_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher4>(Routine::Fletcher4.level(), false, data, length, sums) })
}

/// lw_fletcher4_update() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_update_with(
    isa: u32,
    sums: *mut lw_fletcher4_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher4>(level(isa)?, false, data, length, sums) })
}

/// Goes on with length bytes at data, words of 32 bits, most significant byte first: sums become those of all input so far.
/// length is a multiple of 4, else LW_ERROR_LENGTH, and nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_update_swapped(
    sums: *mut lw_fletcher4_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher4>(Routine::Fletcher4Swapped.level(), true, data, length, sums) })
}

/// lw_fletcher4_update_swapped() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_update_swapped_with(
    isa: u32,
    sums: *mut lw_fletcher4_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher4>(level(isa)?, true, data, length, sums) })
}

/// Writes the sums of two neighbouring pieces to sums: first are the first one's, next are the second one's, which has
/// next_bytes bytes (a multiple of 4). Pieces can be summed in any order, or on several threads. sums may be first or
/// next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4_combine(
    first: *const lw_fletcher4_sums,
    next: *const lw_fletcher4_sums,
    next_bytes: u64,
    sums: *mut lw_fletcher4_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { combine::<Fletcher4>(first, next, next_bytes, sums) })
}
