//! Fletcher-16, -32 and -64: sums modulo 2^k - 1. The sum of sums is above the sum, in one number.

use crate::fletcher::{combine, modular, update, whole};
use crate::isa::level;
use crate::status::{lw_status, run};
use kernels::fletcher::{Fletcher16, Fletcher32, Fletcher64};
use kernels::{Isa, Routine};
use std::ffi::c_void;

modular!(Fletcher16, u16, fletcher16_with);
modular!(Fletcher32, u32, fletcher32_with);
modular!(Fletcher64, u64, fletcher64_with);

/// The Fletcher-16 checksum of length bytes at data, of any alignment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher16(data: *const c_void, length: usize, checksum: *mut u16) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher16>(Routine::Fletcher16.level(), false, data, length, checksum) })
}

/// lw_fletcher16() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher16_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    checksum: *mut u16,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher16>(level(isa)?, false, data, length, checksum) })
}

/// Goes on with length bytes at data: checksum, 0 at first, becomes that of all input so far.
/// LW_ERROR_VALUE when *checksum is no checksum. Nothing changes then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher16_update(
    checksum: *mut u16,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher16>(Routine::Fletcher16.level(), false, data, length, checksum) })
}

/// lw_fletcher16_update() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher16_update_with(
    isa: u32,
    checksum: *mut u16,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher16>(level(isa)?, false, data, length, checksum) })
}

/// Writes the checksum of two neighbouring pieces to checksum: first is the first one's, next is the second one's, which
/// has next_bytes bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher16_combine(
    first: u16,
    next: u16,
    next_bytes: u64,
    checksum: *mut u16,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { combine::<Fletcher16>(&raw const first, &raw const next, next_bytes, checksum) })
}

/// The Fletcher-32 checksum of length bytes at data, of any alignment; bytes missing to a whole word of 2 at the end count as zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher32(data: *const c_void, length: usize, checksum: *mut u32) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher32>(Routine::Fletcher32.level(), false, data, length, checksum) })
}

/// lw_fletcher32() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher32_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    checksum: *mut u32,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher32>(level(isa)?, false, data, length, checksum) })
}

/// Goes on with length bytes at data: checksum, 0 at first, becomes that of all input so far. length is a multiple of
/// 2, else LW_ERROR_LENGTH.
/// LW_ERROR_VALUE when *checksum is no checksum. Nothing changes then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher32_update(
    checksum: *mut u32,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher32>(Routine::Fletcher32.level(), false, data, length, checksum) })
}

/// lw_fletcher32_update() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher32_update_with(
    isa: u32,
    checksum: *mut u32,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher32>(level(isa)?, false, data, length, checksum) })
}

/// Writes the checksum of two neighbouring pieces to checksum: first is the first one's, next is the second one's, which
/// has next_bytes bytes, a multiple of 2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher32_combine(
    first: u32,
    next: u32,
    next_bytes: u64,
    checksum: *mut u32,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { combine::<Fletcher32>(&raw const first, &raw const next, next_bytes, checksum) })
}

/// The Fletcher-64 checksum of length bytes at data, of any alignment; bytes missing to a whole word of 4 at the end count as zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher64(data: *const c_void, length: usize, checksum: *mut u64) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher64>(Routine::Fletcher64.level(), false, data, length, checksum) })
}

/// lw_fletcher64() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher64_with(
    isa: u32,
    data: *const c_void,
    length: usize,
    checksum: *mut u64,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { whole::<Fletcher64>(level(isa)?, false, data, length, checksum) })
}

/// Goes on with length bytes at data: checksum, 0 at first, becomes that of all input so far. length is a multiple of
/// 4, else LW_ERROR_LENGTH.
/// LW_ERROR_VALUE when *checksum is no checksum. Nothing changes then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher64_update(
    checksum: *mut u64,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher64>(Routine::Fletcher64.level(), false, data, length, checksum) })
}

/// lw_fletcher64_update() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher64_update_with(
    isa: u32,
    checksum: *mut u64,
    data: *const c_void,
    length: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { update::<Fletcher64>(level(isa)?, false, data, length, checksum) })
}

/// Writes the checksum of two neighbouring pieces to checksum: first is the first one's, next is the second one's, which
/// has next_bytes bytes, a multiple of 4.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher64_combine(
    first: u64,
    next: u64,
    next_bytes: u64,
    checksum: *mut u64,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { combine::<Fletcher64>(&raw const first, &raw const next, next_bytes, checksum) })
}
