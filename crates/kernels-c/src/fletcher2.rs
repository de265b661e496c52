//! Fletcher-2, as ZFS computes it.

use crate::fletcher::{combine, update, whole, zfs};
use crate::isa::level;
use crate::status::{lw_status, run};
use kernels::fletcher::Fletcher2;
use kernels::{Isa, Routine};
use std::ffi::c_void;

/// The Fletcher-2 sums of a beginning of the input, or of all of it: a0, a1, b0, b1, the words of
/// ZFS's zio_cksum_t. All zeros are those of no input.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lw_fletcher2_sums {
    /// a0, a1, b0, b1.
    pub words: [u64; 4],
}

zfs!(Fletcher2, lw_fletcher2_sums, fletcher2_with, fletcher2_swapped_with);

/// The Fletcher-2 checksum of length bytes at data, words of 64 bits in pairs, least significant byte first. data has any alignment;
/// length is a multiple of 16, else LW_ERROR_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2(
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher2_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher2>(Routine::Fletcher2.level(), false, data, length, sums) })
}

/// lw_fletcher2() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher2_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher2>(level(isa)?, false, data, length, sums) })
}

/// The Fletcher-2 checksum of length bytes at data, words of 64 bits in pairs, most significant byte first. data has any alignment;
/// length is a multiple of 16, else LW_ERROR_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_swapped(
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher2_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher2>(Routine::Fletcher2Swapped.level(), true, data, length, sums) })
}

/// lw_fletcher2_swapped() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_swapped_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher2_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher2>(level(isa)?, true, data, length, sums) })
}

/// Goes on with length bytes at data, words of 64 bits in pairs, least significant byte first: sums become those of all input so far.
/// length is a multiple of 16, else LW_ERROR_LENGTH, and nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_update(
    sums: *mut lw_fletcher2_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher2>(Routine::Fletcher2.level(), false, data, length, sums) })
}

/// lw_fletcher2_update() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_update_with(
    isa: u32,
    sums: *mut lw_fletcher2_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher2>(level(isa)?, false, data, length, sums) })
}

/// Goes on with length bytes at data, words of 64 bits in pairs, most significant byte first: sums become those of all input so far.
/// length is a multiple of 16, else LW_ERROR_LENGTH, and nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_update_swapped(
    sums: *mut lw_fletcher2_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher2>(Routine::Fletcher2Swapped.level(), true, data, length, sums) })
}

/// lw_fletcher2_update_swapped() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_update_swapped_with(
    isa: u32,
    sums: *mut lw_fletcher2_sums,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher2>(level(isa)?, true, data, length, sums) })
}

/// Writes the sums of two neighbouring pieces to sums: first are the first one's, next are the second one's, which has
/// next_bytes bytes (a multiple of 16). Pieces can be summed in any order, or on several threads. sums may be first or
/// next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher2_combine(
    first: *const lw_fletcher2_sums,
    next: *const lw_fletcher2_sums,
    next_bytes: u64,
    sums: *mut lw_fletcher2_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { combine::<Fletcher2>(first, next, next_bytes, sums) })
}
