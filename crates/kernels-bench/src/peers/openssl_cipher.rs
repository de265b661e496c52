//! OpenSSL's libcrypto (`openssl/evp.h`, `openssl/hmac.h`): AES-CBC, then HMAC; and its stitched ciphers for TLS, which
//! hash the plaintext while they encrypt it.

use super::Peers;
use super::openssl::{PEER, library};
use libloading::Library;
use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::rc::Rc;

/// `EVP_CTRL_AEAD_SET_MAC_KEY`.
const SET_MAC_KEY: c_int = 0x17;

type Context = *mut c_void;
type New = unsafe extern "C" fn() -> Context;
type Free = unsafe extern "C" fn(Context);
type Algorithm = unsafe extern "C" fn() -> *const c_void;
type Initialise =
    unsafe extern "C" fn(Context, *const c_void, *mut c_void, *const c_uchar, *const c_uchar) -> c_int;
type Update = unsafe extern "C" fn(Context, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
type Control = unsafe extern "C" fn(Context, c_int, c_int, *mut c_void) -> c_int;
type Padding = unsafe extern "C" fn(Context, c_int) -> c_int;
type Hmac = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    c_int,
    *const c_uchar,
    usize,
    *mut c_uchar,
    *mut c_uint,
) -> *mut c_uchar;

/// A cipher's context, with the MAC that follows where it is not stitched.
pub struct Cipher {
    context: Context,
    free: Free,
    initialise: Initialise,
    update: Update,
    mac: Option<(Hmac, *const c_void, Vec<u8>)>,
    // Keeps the functions loaded.
    _library: Rc<Library>,
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: the context is this value's own.
        unsafe { (self.free)(self.context) };
    }
}

impl Cipher {
    /// Name in tables.
    pub fn name(&self) -> String {
        if self.mac.is_some() { "OpenSSL CBC, HMAC".into() } else { "OpenSSL stitched".into() }
    }

    /// A context with keys, if the library is installed and has the cipher.
    pub fn open(
        peers: &mut Peers,
        cipher_key: &[u8],
        mac_key: &[u8],
        sha256: bool,
        stitched: bool,
    ) -> Option<Cipher> {
        let library = library(peers)?;
        let bits = 8 * cipher_key.len();
        let name = match (stitched, sha256) {
            (false, _) => format!("EVP_aes_{bits}_cbc"),
            (true, false) => format!("EVP_aes_{bits}_cbc_hmac_sha1"),
            (true, true) => format!("EVP_aes_{bits}_cbc_hmac_sha256"),
        };
        let digest = if sha256 { "EVP_sha256" } else { "EVP_sha1" };
        // SAFETY: the types are those of the headers, the value keeps the library; the key and the MAC key have the
        // lengths that are passed or that the cipher's name defines.
        unsafe {
            let new = peers.function::<New>(PEER, &library, "EVP_CIPHER_CTX_new")?;
            let free = peers.function::<Free>(PEER, &library, "EVP_CIPHER_CTX_free")?;
            let cipher = peers.function::<Algorithm>(PEER, &library, &name)?;
            let digest = peers.function::<Algorithm>(PEER, &library, digest)?;
            let initialise = peers.function::<Initialise>(PEER, &library, "EVP_EncryptInit_ex")?;
            let update = peers.function::<Update>(PEER, &library, "EVP_EncryptUpdate")?;
            let control = peers.function::<Control>(PEER, &library, "EVP_CIPHER_CTX_ctrl")?;
            let padding = peers.function::<Padding>(PEER, &library, "EVP_CIPHER_CTX_set_padding")?;
            let hmac = peers.function::<Hmac>(PEER, &library, "HMAC")?;
            let algorithm = cipher();
            let context = new();
            let mac = (!stitched).then(|| (hmac, digest(), mac_key.to_vec()));
            let done = Cipher { context, free, initialise, update, mac, _library: library };
            let zero = [0; 16];
            let ready = !algorithm.is_null()
                && initialise(context, algorithm, std::ptr::null_mut(), cipher_key.as_ptr(), zero.as_ptr())
                    == 1
                && padding(context, 0) == 1;
            let mut key = mac_key.to_vec();
            if !ready
                || stitched && control(context, SET_MAC_KEY, key.len() as c_int, key.as_mut_ptr().cast()) != 1
            {
                peers.leave_out(format!("{PEER}: it has no {name} for this processor"));
                return None;
            }
            Some(done)
        }
    }

    /// Whether it returns tags like ours: the stitched ciphers hash for TLS.
    pub fn has_tags(&self) -> bool {
        self.mac.is_some()
    }

    /// Seals a buffer that consists of IV, data and eight zeros; the tag is zero where it has none.
    pub fn seal(&mut self, buffer: &mut [u8]) -> [u8; 32] {
        let (mut tag, mut written) = ([0; 32], 0);
        let (iv, data) = buffer.split_at_mut(16);
        // No case is longer than an int can hold.
        let bytes = c_int::try_from(data.len() - 8).unwrap_or(0);
        // SAFETY: the context has its keys; IV, data and tag have the lengths that are passed or that the algorithms define.
        unsafe {
            (self.initialise)(
                self.context,
                std::ptr::null(),
                std::ptr::null_mut(),
                std::ptr::null(),
                iv.as_ptr(),
            );
            (self.update)(self.context, data.as_mut_ptr(), &mut written, data.as_ptr(), bytes);
            if let Some((hmac, digest, key)) = &self.mac {
                let mut length = 0;
                hmac(
                    *digest,
                    key.as_ptr().cast(),
                    key.len() as c_int,
                    buffer.as_ptr(),
                    buffer.len(),
                    tag.as_mut_ptr(),
                    &mut length,
                );
            }
        }
        tag
    }
}
