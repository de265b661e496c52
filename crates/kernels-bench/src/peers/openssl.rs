//! OpenSSL's libcrypto: the library itself, and its digests, one message after the other (`EVP_DigestInit_ex`
//! and similar functions, `openssl/evp.h`).

use super::Peers;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

/// Name in tables and sentences.
pub const PEER: &str = "OpenSSL";

/// The installed library, version 4 or 3.
pub fn library(peers: &mut Peers) -> Option<Rc<Library>> {
    peers.library(PEER, "LOOPWRIGHT_PEER_OPENSSL", &["libcrypto.so.4", "libcrypto.so.3"])
}

type New = unsafe extern "C" fn() -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Fetch = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
type Init = unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> c_int;
type Final = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_uint) -> c_int;

/// A digest function, looked up once, and a context that is used again for each message.
pub struct Hasher {
    init: Init,
    update: Update,
    finish: Final,
    free_context: Free,
    free_function: Free,
    function: *mut c_void,
    context: *mut c_void,
    _library: Rc<Library>,
}

impl Hasher {
    /// The installed library's function of this name ("SHA256").
    pub fn new(peers: &mut Peers, name: &CStr) -> Option<Hasher> {
        let library = library(peers)?;
        // SAFETY: the types are those of openssl/evp.h; the hasher keeps the library.
        unsafe {
            let new = peers.function::<New>(PEER, &library, "EVP_MD_CTX_new")?;
            let fetch = peers.function::<Fetch>(PEER, &library, "EVP_MD_fetch")?;
            let init = peers.function::<Init>(PEER, &library, "EVP_DigestInit_ex")?;
            let update = peers.function::<Update>(PEER, &library, "EVP_DigestUpdate")?;
            let finish = peers.function::<Final>(PEER, &library, "EVP_DigestFinal_ex")?;
            let free_context = peers.function::<Free>(PEER, &library, "EVP_MD_CTX_free")?;
            let free_function = peers.function::<Free>(PEER, &library, "EVP_MD_free")?;
            let function = fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
            if function.is_null() {
                peers.leave_out(format!("{PEER}: it has no {}", name.to_string_lossy()));
                return None;
            }
            let context = new();
            if context.is_null() {
                free_function(function);
                peers.leave_out(format!("{PEER}: no memory for a context"));
                return None;
            }
            Some(Hasher {
                init,
                update,
                finish,
                free_context,
                free_function,
                function,
                context,
                _library: library,
            })
        }
    }

    /// The digest of a message, in the first bytes; zeros when the library fails.
    pub fn digest(&mut self, message: &[u8]) -> [u8; 64] {
        let mut digest = [0; 64];
        // SAFETY: function and context are the library's own and live; a digest has at most 64 bytes.
        unsafe {
            let begun = (self.init)(self.context, self.function, ptr::null_mut()) == 1;
            if begun && (self.update)(self.context, message.as_ptr().cast(), message.len()) == 1 {
                (self.finish)(self.context, digest.as_mut_ptr(), ptr::null_mut());
            }
        }
        digest
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        // SAFETY: both were made by the library, which is still loaded, and they have no other owner.
        unsafe {
            (self.free_context)(self.context);
            (self.free_function)(self.function);
        }
    }
}
