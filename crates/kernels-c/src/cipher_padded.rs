//! AES-CBC with HMAC for data of any length.

use crate::cipher::{Checked, Given, Pair, each, lw_cbc_hmac, to_open, to_seal};
use crate::isa::level;
use crate::memory::{disjoint_all, output, put};
use crate::status::lw_status::LW_ERROR_LENGTH;
use crate::status::{Failure, lw_status, run};
use kernels::Isa;
use std::ffi::c_void;

/// Refuses a place for a length that has a byte in common with the message or with its tag.
fn apart(
    name: &str,
    length: *mut usize,
    message: &Checked,
    tag: *const u8,
    tag_bytes: usize,
) -> Result<(), Failure> {
    let [aad, data, keys] = message.extents();
    disjoint_all(name, &[(length.addr(), size_of::<usize>())], &[aad, data, keys, (tag.addr(), tag_bytes)])
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
    let message = unsafe { to_seal(given, tag, tag_bytes)? };
    apart("sealed", sealed, &message, tag, tag_bytes)?;
    let Checked { keys, iv, aad, data } = message;
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
    // SAFETY: the caller's promises.
    let (message, tag) = unsafe { to_open(given, tag, tag_bytes)? };
    apart("opened", opened, &message, tag.as_ptr(), tag.len())?;
    let Checked { keys, iv, aad, data } = message;
    // SAFETY: the caller's promise.
    unsafe {
        put(opened, "opened", || {
            Ok(each!(&keys.0, keys => keys.open_padded_in_place_with(isa, &iv, aad, data, tag)?))
        })
    }
}

/// lw_cbc_hmac_seal() for length bytes, of any number: 1 to 16 bytes of padding (PKCS#7) are written after them, to the next
/// multiple of 16. data has room bytes in all, at least that multiple, else LW_ERROR_LENGTH; the length with padding is written to
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
