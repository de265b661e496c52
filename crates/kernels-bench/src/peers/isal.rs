//! ISA-L crypto: its multi-buffer hashes through the interface that chooses the code itself (`md5_mb.h`, `sha1_mb.h`,
//! `sha256_mb.h`, `sha512_mb.h`, `multi_buffer.h` of version 2.25 or later).

use super::Peers;
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// Name in tables and sentences.
pub const PEER: &str = "ISA-L crypto";

type Init = unsafe extern "C" fn(*mut c_void) -> c_int;
type Submit =
    unsafe extern "C" fn(*mut c_void, *mut Context, *mut *mut Context, *const c_void, u32, c_int) -> c_int;
type Flush = unsafe extern "C" fn(*mut c_void, *mut *mut Context) -> c_int;

/// `ISAL_HASH_ENTIRE`: the piece is the whole message.
const ENTIRE: c_int = 3;
/// `ISAL_HASH_CTX_STS_COMPLETE`: the state in which a context takes a new message.
const COMPLETE: u32 = 4;

/// A context, which begins with its job: the digest is at the same place in all of them (a multiple of 64 after a
/// pointer and a length). The largest, of SHA-512, has 576 bytes; the place of the status depends on the function.
#[repr(C, align(64))]
struct Context {
    job: [u64; 8],
    digest: [u8; 64],
    rest: [u8; 896],
}

/// More than the largest manager needs, that of MD5 with 32 lanes.
#[repr(C, align(64))]
struct Manager([u8; 1 << 16]);

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The part of the function names in the interface: "sha256".
    pub name: &'static str,
    /// Bytes of a word of the digest, which is in the processor's order.
    pub word: usize,
    /// Whether digests are written most significant byte first.
    pub big: bool,
    /// Offset of a context's status.
    pub status: usize,
}

/// The scheduler of one function, with a context per message.
pub struct Hasher {
    function: Function,
    submit: Submit,
    flush: Flush,
    manager: Box<Manager>,
    contexts: Vec<Context>,
    _library: Rc<Library>,
}

impl Hasher {
    /// The installed library's scheduler for up to `messages` messages.
    pub fn new(peers: &mut Peers, function: Function, messages: usize) -> Option<Hasher> {
        let library = peers.library(PEER, "LOOPWRIGHT_PEER_ISAL_CRYPTO", &["libisal_crypto.so.2"])?;
        let name = |verb: &str| format!("isal_{}_ctx_mgr_{verb}", function.name);
        // SAFETY: the types are those of the headers; the hasher keeps the library.
        let (init, submit, flush) = unsafe {
            (
                peers.function::<Init>(PEER, &library, &name("init"))?,
                peers.function::<Submit>(PEER, &library, &name("submit"))?,
                peers.function::<Flush>(PEER, &library, &name("flush"))?,
            )
        };
        let mut manager = Box::new(Manager([0; 1 << 16]));
        // SAFETY: the manager has the room and the alignment that the function requires.
        let refused = unsafe { init((&raw mut *manager).cast()) };
        if refused != 0 {
            peers.leave_out(format!("{PEER}: {} cannot be started (error {refused})", function.name));
            return None;
        }
        let mut contexts = Vec::with_capacity(messages);
        contexts.resize_with(messages, || Context { job: [0; 8], digest: [0; 64], rest: [0; 896] });
        for context in &mut contexts {
            // The values that the header's macro sets, besides zeros.
            let at = function.status - 128;
            context.rest[at..at + 4].copy_from_slice(&COMPLETE.to_ne_bytes());
        }
        Some(Hasher { function, submit, flush, manager, contexts, _library: library })
    }

    /// Hashes messages, of at most 4 GiB each and at most as many as there are contexts.
    pub fn hash(&mut self, messages: &[impl AsRef<[u8]>]) {
        let manager = (&raw mut *self.manager).cast();
        let contexts = self.contexts.as_mut_ptr();
        let mut done = std::ptr::null_mut();
        for (index, message) in messages.iter().enumerate().take(self.contexts.len()) {
            let message = message.as_ref();
            // SAFETY: the manager was started; the context takes a new message, for the last one is complete; the
            // message lives until the flush below.
            unsafe {
                let bytes = message.as_ptr().cast();
                (self.submit)(manager, contexts.add(index), &mut done, bytes, message.len() as u32, ENTIRE);
            }
        }
        loop {
            // SAFETY: as above.
            unsafe { (self.flush)(manager, &mut done) };
            if done.is_null() {
                break;
            }
        }
    }

    /// The digest of message `index`.
    pub fn digest(&self, index: usize) -> Vec<u8> {
        let Function { word, big, .. } = self.function;
        let mut bytes = self.contexts[index].digest.to_vec();
        if big {
            bytes.chunks_exact_mut(word).for_each(|word| word.reverse());
        }
        bytes
    }
}
