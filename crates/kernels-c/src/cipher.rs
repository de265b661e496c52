//! AES-CBC with HMAC.

use crate::isa::level;
use crate::memory::{bytes, disjoint_all, elements, elements_mut, object, output, put};
use crate::status::lw_status::{LW_ERROR_LENGTH, LW_ERROR_REJECTED, LW_ERROR_VALUE};
use crate::status::{Failure, lw_status, run, value};
use kernels::Isa;
use kernels::cipher::{
    Aes128, Aes256, CbcHmac, Cipher, CipherError, HmacSha1, HmacSha256, Mac, Message, Tag,
};
use kernels::overlap::Extent;
use std::ffi::c_void;

/// A cipher in CBC mode.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_cipher {
    /// A key of 16 bytes.
    LW_AES_128 = 0,
    /// A key of 32 bytes.
    LW_AES_256 = 1,
}

/// A MAC.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_mac {
    /// Tags of 10 to 20 bytes.
    LW_HMAC_SHA1 = 0,
    /// Tags of 16 to 32 bytes.
    LW_HMAC_SHA256 = 1,
}

/// The keys of a cipher and a MAC, expanded. Made by lw_cbc_hmac_new(), erased and given back by lw_cbc_hmac_free(); used by any
/// number of threads at once.
pub struct lw_cbc_hmac(pub(crate) Pair);

pub(crate) enum Pair {
    Aes128Sha1(CbcHmac<Aes128, HmacSha1>),
    Aes128Sha256(CbcHmac<Aes128, HmacSha256>),
    Aes256Sha1(CbcHmac<Aes256, HmacSha1>),
    Aes256Sha256(CbcHmac<Aes256, HmacSha256>),
}

impl Pair {
    fn with_tag_bytes(self, bytes: usize) -> Result<Pair, Failure> {
        Ok(match self {
            Pair::Aes128Sha1(keys) => Pair::Aes128Sha1(keys.with_tag_bytes(bytes)?),
            Pair::Aes128Sha256(keys) => Pair::Aes128Sha256(keys.with_tag_bytes(bytes)?),
            Pair::Aes256Sha1(keys) => Pair::Aes256Sha1(keys.with_tag_bytes(bytes)?),
            Pair::Aes256Sha256(keys) => Pair::Aes256Sha256(keys.with_tag_bytes(bytes)?),
        })
    }
}

/// Runs an expression for the keys of whichever algorithms.
macro_rules! each {
    ($pair:expr, $keys:ident => $value:expr) => {
        match $pair {
            Pair::Aes128Sha1($keys) => $value,
            Pair::Aes128Sha256($keys) => $value,
            Pair::Aes256Sha1($keys) => $value,
            Pair::Aes256Sha256($keys) => $value,
        }
    };
}
pub(crate) use each;

/// A message for lw_cbc_hmac_seal_many().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lw_cbc_hmac_message {
    /// Its keys, which may be those of other messages, too.
    pub keys: *const lw_cbc_hmac,
    /// Associated data: authenticated, not encrypted. May be null when there is none.
    pub aad: *const c_void,
    /// Bytes of it.
    pub aad_length: usize,
    /// The data, encrypted in place. May be null when there is none.
    pub data: *mut c_void,
    /// Bytes of it, a multiple of 16.
    pub length: usize,
    /// 16 unpredictable bytes, new for each message.
    pub iv: [u8; 16],
    /// The tag is written to the first bytes, as many as lw_cbc_hmac_tag_bytes() says; the others are as before.
    pub tag: [u8; 32],
}

impl From<CipherError> for Failure {
    fn from(error: CipherError) -> Failure {
        let status = match error {
            CipherError::Isa(error) => return error.into(),
            // The kernel's own text names a function that has another name in C.
            CipherError::Length { length } => {
                let text = format!(
                    "{length} bytes of data are not a multiple of 16, the cipher's block; pad them, or use \
                     lw_cbc_hmac_seal_padded"
                );
                return Failure::new(LW_ERROR_LENGTH, text);
            }
            CipherError::CipherKey { .. } | CipherError::MacKey { .. } => LW_ERROR_LENGTH,
            CipherError::Rejected => LW_ERROR_REJECTED,
            _ => LW_ERROR_VALUE,
        };
        Failure::new(status, error.to_string())
    }
}

fn pair(isa: Isa, cipher: u32, mac: u32, cipher_key: &[u8], mac_key: &[u8]) -> Result<Pair, Failure> {
    const AES_128: u32 = lw_cipher::LW_AES_128 as u32;
    const AES_256: u32 = lw_cipher::LW_AES_256 as u32;
    const SHA1: u32 = lw_mac::LW_HMAC_SHA1 as u32;
    const SHA256: u32 = lw_mac::LW_HMAC_SHA256 as u32;
    Ok(match (cipher, mac) {
        (AES_128, SHA1) => Pair::Aes128Sha1(CbcHmac::new_with(isa, cipher_key, mac_key)?),
        (AES_128, SHA256) => Pair::Aes128Sha256(CbcHmac::new_with(isa, cipher_key, mac_key)?),
        (AES_256, SHA1) => Pair::Aes256Sha1(CbcHmac::new_with(isa, cipher_key, mac_key)?),
        (AES_256, SHA256) => Pair::Aes256Sha256(CbcHmac::new_with(isa, cipher_key, mac_key)?),
        (AES_128 | AES_256, _) => {
            let text = format!("{mac} is no MAC; use LW_HMAC_SHA1 or LW_HMAC_SHA256");
            return Err(Failure::new(LW_ERROR_VALUE, text));
        }
        _ => {
            let text = format!("{cipher} is no cipher; use LW_AES_128 or LW_AES_256");
            return Err(Failure::new(LW_ERROR_VALUE, text));
        }
    })
}

/// One message as C passes it.
pub(crate) struct Given {
    pub(crate) keys: *const lw_cbc_hmac,
    pub(crate) iv: *const u8,
    pub(crate) aad: *const c_void,
    pub(crate) aad_length: usize,
    pub(crate) data: *mut c_void,
    pub(crate) length: usize,
}

/// The same, checked.
pub(crate) struct Checked<'a> {
    pub(crate) keys: &'a lw_cbc_hmac,
    pub(crate) iv: [u8; 16],
    pub(crate) aad: &'a [u8],
    pub(crate) data: &'a mut [u8],
}

impl Checked<'_> {
    /// Memory that nothing else may be written to.
    pub(crate) fn extents(&self) -> [Extent; 3] {
        let of = |bytes: &[u8]| (bytes.as_ptr().addr(), bytes.len());
        [of(self.aad), of(self.data), extent(self.keys)]
    }
}

/// Memory of the keys, which is never that of data.
fn extent(keys: &lw_cbc_hmac) -> Extent {
    (std::ptr::from_ref(keys).addr(), size_of::<lw_cbc_hmac>())
}

/// # Safety
/// As the header says.
unsafe fn check<'a>(given: Given) -> Result<Checked<'a>, Failure> {
    let Given { keys, iv, aad, aad_length, data, length } = given;
    // SAFETY: the caller's promises.
    let (keys, iv, aad) =
        unsafe { (object(keys, "keys")?, *object(iv.cast::<[u8; 16]>(), "iv")?, bytes(aad, aad_length)?) };
    disjoint_all("data", &[(data.addr(), length)], &[(aad.as_ptr().addr(), aad.len()), extent(keys)])?;
    // SAFETY: the caller's promise; no byte of it is that of anything else of the call.
    let data = unsafe { elements_mut(data.cast(), length, "data")? };
    Ok(Checked { keys, iv, aad, data })
}

/// [`check`], with a tag that is to be written.
///
/// # Safety
/// As the header says.
pub(crate) unsafe fn to_seal<'a>(
    given: Given,
    tag: *mut u8,
    tag_bytes: usize,
) -> Result<Checked<'a>, Failure> {
    // SAFETY: the caller's promises.
    let checked = unsafe { check(given)? };
    disjoint_all("tag", &[(tag.addr(), tag_bytes)], &checked.extents())?;
    Ok(checked)
}

/// [`check`], with a tag that is to be verified.
///
/// # Safety
/// As the header says.
pub(crate) unsafe fn to_open<'a>(
    given: Given,
    tag: *const u8,
    tag_bytes: usize,
) -> Result<(Checked<'a>, &'a [u8]), Failure> {
    // SAFETY: the caller's promise.
    let tag = unsafe { bytes(tag.cast(), tag_bytes)? };
    disjoint_all("data", &[(given.data.addr(), given.length)], &[(tag.as_ptr().addr(), tag.len())])?;
    // SAFETY: the caller's promises.
    Ok((unsafe { check(given)? }, tag))
}

/// # Safety
/// As the header says.
unsafe fn seal(isa: Isa, given: Given, tag: *mut u8, tag_bytes: usize) -> Result<(), Failure> {
    // SAFETY: the caller's promises.
    let Checked { keys, iv, aad, data } = unsafe { to_seal(given, tag, tag_bytes)? };
    each!(&keys.0, keys => {
        // SAFETY: the caller's promise; no byte of it is that of anything else of the call.
        let place = unsafe { output(tag, tag_bytes, keys.tag_bytes(), "tag")? };
        place.copy_from_slice(&keys.seal_in_place_with(isa, &iv, aad, data)?);
    });
    Ok(())
}

/// # Safety
/// As the header says.
unsafe fn open(isa: Isa, given: Given, tag: *const u8, tag_bytes: usize) -> Result<(), Failure> {
    // SAFETY: the caller's promises.
    let (Checked { keys, iv, aad, data }, tag) = unsafe { to_open(given, tag, tag_bytes)? };
    each!(&keys.0, keys => keys.open_in_place_with(isa, &iv, aad, data, tag)?);
    Ok(())
}

/// # Safety
/// As the header says.
unsafe fn seal_many(isa: Isa, messages: *mut lw_cbc_hmac_message, count: usize) -> Result<(), Failure> {
    // SAFETY: the caller's promise; nothing is written to the array while it is borrowed.
    let given = unsafe { elements(messages, count, "messages")? };
    let Some(first) = given.first() else { return Ok(()) };
    // SAFETY: the caller's promises.
    let tags = unsafe {
        macro_rules! of {
            ($kind:ident) => {
                tags(isa, given, |pair| match pair {
                    Pair::$kind(keys) => Some(keys),
                    _ => None,
                })?
            };
        }
        match object(first.keys, "messages[0].keys")?.0 {
            Pair::Aes128Sha1(_) => of!(Aes128Sha1),
            Pair::Aes128Sha256(_) => of!(Aes128Sha256),
            Pair::Aes256Sha1(_) => of!(Aes256Sha1),
            Pair::Aes256Sha256(_) => of!(Aes256Sha256),
        }
    };
    // SAFETY: the caller's promise; the borrow before has ended.
    let messages = unsafe { elements_mut(messages, count, "messages")? };
    for (message, tag) in messages.iter_mut().zip(tags) {
        message.tag[..tag.len()].copy_from_slice(&tag);
    }
    Ok(())
}

/// Seals messages whose keys are those that `keys_of` takes; their tags.
///
/// # Safety
/// As the header says.
unsafe fn tags<C: Cipher, M: Mac>(
    isa: Isa,
    given: &[lw_cbc_hmac_message],
    keys_of: fn(&Pair) -> Option<&CbcHmac<C, M>>,
) -> Result<Vec<Tag>, Failure> {
    let data = |message: &lw_cbc_hmac_message| (message.data.addr(), message.length);
    let mut reads = vec![(given.as_ptr().addr(), size_of_val(given))];
    for message in given {
        // SAFETY: the caller's promise.
        reads.push(extent(unsafe { object(message.keys, "keys")? }));
        reads.push((message.aad.addr(), message.aad_length));
    }
    disjoint_all("data of message", &given.iter().map(data).collect::<Vec<_>>(), &reads)?;
    let mut messages = Vec::with_capacity(given.len());
    for (index, message) in given.iter().enumerate() {
        // SAFETY: the caller's promises; no byte of the data is that of anything else of the call.
        let (keys, aad, data) = unsafe {
            (
                object(message.keys, "keys")?,
                bytes(message.aad, message.aad_length)?,
                elements_mut(message.data.cast::<u8>(), message.length, "data")?,
            )
        };
        let keys = keys_of(&keys.0).ok_or_else(|| {
            let text = format!(
                "the keys of message {index} are of another cipher or MAC than those of message 0; seal it in \
                 another call"
            );
            Failure::new(LW_ERROR_VALUE, text)
        })?;
        messages.push(Message::new(keys, &message.iv, aad, data));
    }
    CbcHmac::seal_many_with(isa, &mut messages)?;
    Ok(messages.iter().filter_map(|message| message.tag().copied()).collect())
}

/// Expands the keys of an lw_cipher and an lw_mac, which must be independent of each other: 16 or 32 bytes for the cipher, at least
/// 16 for the MAC, else LW_ERROR_LENGTH. tag_bytes cuts tags: half the hash to all of it, at least 10; 0 does not. The keys
/// are written to keys. Their own memory stays the caller's to erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_new(
    cipher: u32,
    cipher_key: *const c_void,
    cipher_key_length: usize,
    mac: u32,
    mac_key: *const c_void,
    mac_key_length: usize,
    tag_bytes: usize,
    keys: *mut *mut lw_cbc_hmac,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        put(keys, "keys", || {
            let cipher_key = bytes(cipher_key, cipher_key_length)?;
            let mut pair = pair(Isa::best(), cipher, mac, cipher_key, bytes(mac_key, mac_key_length)?)?;
            if tag_bytes != 0 {
                pair = pair.with_tag_bytes(tag_bytes)?;
            }
            Ok(Box::into_raw(Box::new(lw_cbc_hmac(pair))))
        })
    })
}

/// Bytes of a tag; 0 of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_tag_bytes(keys: *const lw_cbc_hmac) -> usize {
    value(0, || {
        // SAFETY: the caller passes keys, or null.
        let keys = unsafe { object(keys, "keys") }?;
        Ok(each!(&keys.0, keys => keys.tag_bytes()))
    })
}

/// Encrypts length bytes at data, a multiple of 16, else LW_ERROR_LENGTH, in place, and writes the tag to tag, which has tag_bytes
/// bytes, as many as lw_cbc_hmac_tag_bytes() says, else LW_ERROR_LENGTH. iv has 16 unpredictable bytes, new for
/// each message. aad is authenticated, not encrypted. data, aad and tag have no byte in common, else LW_ERROR_OVERLAP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_seal(
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    tag: *mut u8,
    tag_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { seal(Isa::best(), Given { keys, iv, aad, aad_length, data, length }, tag, tag_bytes) })
}

/// lw_cbc_hmac_seal() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_seal_with(
    isa: u32,
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    tag: *mut u8,
    tag_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { seal(level(isa)?, Given { keys, iv, aad, aad_length, data, length }, tag, tag_bytes) })
}

/// Verifies the tag, in constant time, and decrypts length bytes at data in place. LW_ERROR_REJECTED when tag, IV, associated data
/// or ciphertext are not those that were sealed with these keys; data is as it was then. data has no byte in common with
/// aad and tag, else LW_ERROR_OVERLAP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_open(
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    tag: *const u8,
    tag_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { open(Isa::best(), Given { keys, iv, aad, aad_length, data, length }, tag, tag_bytes) })
}

/// lw_cbc_hmac_open() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_open_with(
    isa: u32,
    keys: *const lw_cbc_hmac,
    iv: *const u8,
    aad: *const c_void,
    aad_length: usize,
    data: *mut c_void,
    length: usize,
    tag: *const u8,
    tag_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { open(level(isa)?, Given { keys, iv, aad, aad_length, data, length }, tag, tag_bytes) })
}

/// lw_cbc_hmac_seal() for count messages, several at a time, each with its own keys, IV and lengths, and its tag in the array.
/// The keys are of one cipher and one MAC, else LW_ERROR_VALUE. Data of a message has no byte in common with that of
/// others, with associated data and with the array, else LW_ERROR_OVERLAP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_seal_many(
    messages: *mut lw_cbc_hmac_message,
    count: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { seal_many(Isa::best(), messages, count) })
}

/// lw_cbc_hmac_seal_many() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_seal_many_with(
    isa: u32,
    messages: *mut lw_cbc_hmac_message,
    count: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { seal_many(level(isa)?, messages, count) })
}

/// Erases keys and gives back their memory. Null is nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_cbc_hmac_free(keys: *mut lw_cbc_hmac) {
    if !keys.is_null() {
        run(|| {
            // SAFETY: the caller passes what lw_cbc_hmac_new() made, once. The kernel's keys erase themselves.
            drop(unsafe { Box::from_raw(keys) });
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    /// What `lw_cbc_hmac_free` does, but for the memory itself, which could not be looked at afterwards.
    #[test]
    fn keys_are_erased() {
        let (cipher_key, mac_key): ([u8; 16], [u8; 32]) =
            (std::array::from_fn(|i| 0xa0 + i as u8), std::array::from_fn(|i| 0x50 + i as u8));
        let mut place = Box::new(MaybeUninit::<lw_cbc_hmac>::zeroed());
        let bytes = |place: &MaybeUninit<lw_cbc_hmac>| -> Vec<u8> {
            let begin = place.as_ptr().cast::<u8>();
            // SAFETY: within the place, which was zeroed before anything was written.
            (0..size_of::<lw_cbc_hmac>()).map(|at| unsafe { begin.add(at).read_volatile() }).collect()
        };
        place.write(lw_cbc_hmac(pair(Isa::best(), 0, 1, &cipher_key, &mac_key).ok().unwrap()));
        let before = bytes(&place);
        assert!(before.windows(16).any(|window| window == cipher_key), "the first round key is the key");
        // SAFETY: it was written, and is not used any more.
        unsafe { place.as_mut_ptr().drop_in_place() };
        let after = bytes(&place);
        // Left are the numbers of rounds, of the algorithms and of bytes of a tag.
        let left = after.iter().filter(|byte| **byte != 0).count();
        assert!(left < 16 && before.iter().filter(|byte| **byte != 0).count() > 300, "{left} bytes are left");
    }
}
