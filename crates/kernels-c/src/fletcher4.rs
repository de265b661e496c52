//! Fletcher-4, as ZFS computes it.

use crate::isa::level;
use crate::memory::{bytes, get, put};
use crate::status::{lw_status, run};
use kernels::Isa;
use kernels::fletcher::{self, Fletcher4};
use std::ffi::c_void;

/// The Fletcher-4 sums of a beginning of the input, or of all of it: a, b, c, d, the words of
/// ZFS's zio_cksum_t. All zeros are those of no input.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lw_fletcher4_sums {
    /// a, b, c, d.
    pub words: [u64; 4],
}

impl From<Fletcher4> for lw_fletcher4_sums {
    fn from(sums: Fletcher4) -> lw_fletcher4_sums {
        lw_fletcher4_sums { words: sums.words }
    }
}

impl From<lw_fletcher4_sums> for Fletcher4 {
    fn from(sums: lw_fletcher4_sums) -> Fletcher4 {
        Fletcher4 { words: sums.words }
    }
}

/// The Fletcher-4 checksum of length bytes at data, words of 32 bits, least significant byte first. data has any alignment;
/// length is a multiple of 4, else LW_ERROR_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fletcher4(
    data: *const c_void,
    length: usize,
    sums: *mut lw_fletcher4_sums,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { put(sums, "sums", || Ok(fletcher::fletcher4(bytes(data, length)?)?.into())) })
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
    run(|| unsafe {
        put(sums, "sums", || Ok(fletcher::fletcher4_with(level(isa)?, bytes(data, length)?)?.into()))
    })
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
    run(|| unsafe { put(sums, "sums", || Ok(fletcher::fletcher4_swapped(bytes(data, length)?)?.into())) })
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
    run(|| unsafe {
        put(sums, "sums", || Ok(fletcher::fletcher4_swapped_with(level(isa)?, bytes(data, length)?)?.into()))
    })
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
    run(|| unsafe {
        put(sums, "sums", || {
            let mut sums = Fletcher4::from(get(sums, "sums")?);
            sums.update_with(Isa::best(), bytes(data, length)?)?;
            Ok(sums.into())
        })
    })
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
    run(|| unsafe {
        put(sums, "sums", || {
            let mut sums = Fletcher4::from(get(sums, "sums")?);
            sums.update_with(level(isa)?, bytes(data, length)?)?;
            Ok(sums.into())
        })
    })
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
    run(|| unsafe {
        put(sums, "sums", || {
            let mut sums = Fletcher4::from(get(sums, "sums")?);
            sums.update_swapped_with(Isa::best(), bytes(data, length)?)?;
            Ok(sums.into())
        })
    })
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
    run(|| unsafe {
        put(sums, "sums", || {
            let mut sums = Fletcher4::from(get(sums, "sums")?);
            sums.update_swapped_with(level(isa)?, bytes(data, length)?)?;
            Ok(sums.into())
        })
    })
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
    run(|| unsafe {
        put(sums, "sums", || {
            let first = Fletcher4::from(get(first, "first")?);
            Ok(first.combine(get(next, "next")?.into(), next_bytes)?.into())
        })
    })
}
