//! AES-CBC with HMAC for data of any length.

use crate::cipher::{Checked, Given, Pair, check, each, extent, lw_cbc_hmac};
use crate::isa::level;
use crate::memory::{bytes, disjoint_all, output, put};
use crate::status::lw_status::LW_ERROR_LENGTH;
use crate::status::{Failure, lw_status, run};
use kernels::Isa;
use std::ffi::c_void;

/// Bytes that a call writes: a tag, or a length.
type Place = (usize, usize);

fn place<T>(pointer: *mut T, count: usize) -> Place {
    (pointer.addr(), count.saturating_mul(size_of::<T>()))
}

/// # Safety
/// As the header says; `given` has all of the data's memory.
unsafe fn seal(
    isa: Isa,
    given: Given,
    length: usize,
    tag: *mut u8,
    tag_bytes: usize,
    sealed: *mut usize,
) -> Result<(), Failure> {
    let room = given.length;
    let padding = 16 - length % 16;
    let padded = length.saturating_add(padding);
    if padded > room {
        let text = format!(
            "data has room for {room} bytes where {length} are padded to {padded}; pass memory for the next multiple \
             of 16 that is larger"
        );
        return Err(Failure::new(LW_ERROR_LENGTH, text));
    }
    // SAFETY: the caller's promises.
    let Checked { keys, iv, aad, data } = unsafe { check(given)? };
    let reads = [(aad.as_ptr().addr(), aad.len()), (data.as_ptr().addr(), data.len()), extent(keys)];
    disjoint_all("tag", &[place(tag, tag_bytes)], &reads)?;
    disjoint_all("sealed", &[place(sealed, 1)], &[reads[0], reads[1], reads[2], place(tag, tag_bytes)])?;
    // SAFETY: the caller's promises; no byte of the tag is that of anything else of the call.
    unsafe {
        put(sealed, "sealed", || {
            each!(&keys.0, keys => {
                let tag = output(tag, tag_bytes, keys.tag_bytes(), "tag")?;
                let data = &mut data[..padded];
                data[length..].fill(padding as u8);
                tag.copy_from_slice(&keys.seal_in_place_with(isa, &iv, aad, data)?);
            });
            Ok(padded)
        })
    }
}

/// # Safety
/// As the header says.
unsafe fn open(
    isa: Isa,
    given: Given,
    tag: *const u8,
    tag_bytes: usize,
    opened: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let tag = unsafe { bytes(tag.cast(), tag_bytes)? };
    let tag_extent = (tag.as_ptr().addr(), tag.len());
    disjoint_all("data", &[place(given.data.cast::<u8>(), given.length)], &[tag_extent])?;
    // SAFETY: the caller's promises.
    let Checked { keys, iv, aad, data } = unsafe { check(given)? };
    let reads =
        [tag_extent, (aad.as_ptr().addr(), aad.len()), (data.as_ptr().addr(), data.len()), extent(keys)];
    disjoint_all("opened", &[place(opened, 1)], &reads)?;
    // SAFETY: the caller's promise.
    unsafe {
        put(opened, "opened", || {
            Ok(each!(&keys.0, keys => keys.open_padded_in_place_with(isa, &iv, aad, data, tag)?))
        })
    }
}

/// lw_cbc_hmac_seal() for length bytes, of any number: 1 to 16 bytes of padding (PKCS#7) are written after them, to the next
/// multiple of 16. data has room bytes in all, at least so many, else LW_ERROR_LENGTH; the length with padding is written to
/// sealed, which has no byte in common with the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_seal_padded(
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    room: usize,
    tag: *mut u8,
    tag_bytes: usize,
    sealed: *mut usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        let given = Given { keys, iv, aad, aad_length, data, length: room };
        seal(Isa::best(), given, length, tag, tag_bytes, sealed)
    })
}

/// lw_cbc_hmac_seal_padded() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_seal_padded_with(
    isa: u32,
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    room: usize,
    tag: *mut u8,
    tag_bytes: usize,
    sealed: *mut usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        let given = Given { keys, iv, aad, aad_length, data, length: room };
        seal(level(isa)?, given, length, tag, tag_bytes, sealed)
    })
}

/// lw_cbc_hmac_open() for what lw_cbc_hmac_seal_padded() sealed: the number of bytes before the padding is written to opened, which
/// has no byte in common with the others. LW_ERROR_REJECTED also where the padding is none; data is as it was then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_open_padded(
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    tag: *const u8,
    tag_bytes: usize,
    opened: *mut usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        open(Isa::best(), Given { keys, iv, aad, aad_length, data, length }, tag, tag_bytes, opened)
    })
}

/// lw_cbc_hmac_open_padded() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_open_padded_with(
    isa: u32,
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    tag: *const u8,
    tag_bytes: usize,
    opened: *mut usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        open(level(isa)?, Given { keys, iv, aad, aad_length, data, length }, tag, tag_bytes, opened)
    })
}
