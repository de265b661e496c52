//! Intel's multi-buffer library for IPsec (`intel-ipsec-mb.h`, version 1.x): AES-CBC with HMAC through its job manager.

use super::Peers;
use libloading::Library;
use loopwright_kernels::{Extra, Isa};
use std::ffi::c_void;
use std::rc::Rc;

/// Name in tables and sentences.
const PEER: &str = "ipsec-mb";

/// The beginning of `IMB_MGR`, up to the functions called here.
#[repr(C)]
struct Manager {
    flags: u64,
    features: u64,
    reserved: [u64; 5],
    used_arch: u32,
    errno: i32,
    get_next_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit_job_nocheck: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    get_completed_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    flush_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    queue_size: *const c_void,
    keyexp_128: unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void),
    keyexp_192: unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void),
    keyexp_256: unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void),
    cmac_subkey_gen: *const c_void,
    xcbc_keyexp: *const c_void,
    des_key_sched: *const c_void,
    sha1_one_block: unsafe extern "C" fn(*const c_void, *mut c_void),
    sha224_one_block: *const c_void,
    sha256_one_block: unsafe extern "C" fn(*const c_void, *mut c_void),
}

/// The beginning of `IMB_JOB`, up to the fields for HMAC.
#[repr(C)]
struct Job {
    enc_keys: *const c_void,
    dec_keys: *const c_void,
    key_bytes: u64,
    src: *const u8,
    dst: *mut u8,
    cipher_start: u64,
    cipher_bytes: u64,
    hash_start: u64,
    hash_bytes: u64,
    iv: *const u8,
    iv_bytes: u64,
    tag: *mut u8,
    tag_bytes: u64,
    inner: *const u8,
    outer: *const u8,
    third: u64,
    status: u32,
    cipher_mode: u32,
    direction: u32,
    hash_alg: u32,
    chain_order: u32,
}

const CBC: u32 = 1;
const ENCRYPT: u32 = 1;
const CIPHER_THEN_HASH: u32 = 1;
const HMAC_SHA_1: u32 = 1;
const HMAC_SHA_256: u32 = 3;
const COMPLETED: u32 = 3;

/// Longest message that its CBC lanes and HMAC take, which count in 16 bits: longer jobs come back undone.
const MOST: usize = 65_534;

/// Round keys, aligned as the library requires.
#[repr(C, align(64))]
struct RoundKeys([u8; 15 * 16]);

/// A manager with keys.
pub struct Multi {
    manager: *mut Manager,
    free: unsafe extern "C" fn(*mut Manager),
    keys: Box<RoundKeys>,
    key_bytes: u64,
    inner: Box<[u32; 8]>,
    outer: Box<[u32; 8]>,
    sha256: bool,
    // Keeps the functions loaded.
    _library: Rc<Library>,
}

impl Drop for Multi {
    fn drop(&mut self) {
        // SAFETY: the manager is this value's own.
        unsafe { (self.free)(self.manager) };
    }
}

impl Multi {
    /// Name in tables.
    pub fn name(&self) -> String {
        PEER.to_owned()
    }

    /// A manager of the library's best level here, if it is installed, for buffers of up to `longest` bytes.
    /// `mac_key` has at most 64 bytes.
    pub fn open(
        peers: &mut Peers,
        cipher_key: &[u8],
        mac_key: &[u8],
        sha256: bool,
        longest: usize,
    ) -> Option<Multi> {
        if longest > MOST {
            peers.leave_out(format!("{PEER}: it takes messages of up to {MOST} bytes, not of {longest}"));
            return None;
        }
        // It crashes on processors (emulated ones, mostly) that lack the instructions for AES.
        if !Extra::AesNi.is_available(Isa::Sse42) {
            peers.leave_out(format!("{PEER}: this processor lacks the AES instructions"));
            return None;
        }
        let library = peers.library(PEER, "LOOPWRIGHT_PEER_IPSEC_MB", &["libIPSec_MB.so.1"])?;
        type Allocate = unsafe extern "C" fn(u64) -> *mut Manager;
        type Initialise = unsafe extern "C" fn(*mut Manager, *mut u32);
        type Free = unsafe extern "C" fn(*mut Manager);
        // SAFETY: the types are those of intel-ipsec-mb.h; the value keeps the library.
        let (allocate, initialise, free) = unsafe {
            (
                peers.function::<Allocate>(PEER, &library, "alloc_mb_mgr")?,
                peers.function::<Initialise>(PEER, &library, "init_mb_mgr_auto")?,
                peers.function::<Free>(PEER, &library, "free_mb_mgr")?,
            )
        };
        let mut keys = Box::new(RoundKeys([0; 240]));
        let mut unused = RoundKeys([0; 240]);
        let (mut inner, mut outer) = (Box::new([0u32; 8]), Box::new([0u32; 8]));
        let mut padded = [[0x36u8; 64], [0x5c; 64]];
        for block in &mut padded {
            block.iter_mut().zip(mac_key).for_each(|(byte, key)| *byte ^= key);
        }
        // SAFETY: the manager is one that the library has made and set up; keys and blocks have the sizes that its
        // functions read and write.
        unsafe {
            let manager = allocate(0);
            if manager.is_null() {
                peers.leave_out(format!("{PEER}: it has no memory for a manager"));
                return None;
            }
            initialise(manager, std::ptr::null_mut());
            let of = &*manager;
            if of.errno != 0 || of.used_arch == 0 {
                free(manager);
                peers.leave_out(format!("{PEER}: it has no code for this processor"));
                return None;
            }
            let expand = if cipher_key.len() == 16 { of.keyexp_128 } else { of.keyexp_256 };
            expand(cipher_key.as_ptr().cast(), (&raw mut *keys).cast(), (&raw mut unused).cast());
            let one_block = if sha256 { of.sha256_one_block } else { of.sha1_one_block };
            one_block(padded[0].as_ptr().cast(), inner.as_mut_ptr().cast());
            one_block(padded[1].as_ptr().cast(), outer.as_mut_ptr().cast());
            let key_bytes = cipher_key.len() as u64;
            Some(Multi { manager, free, keys, key_bytes, inner, outer, sha256, _library: library })
        }
    }

    /// Seals buffers that consist of IV, data and eight zeros, and returns the tags.
    pub fn seal(&mut self, buffers: &mut [impl AsMut<[u8]>]) -> Vec<[u8; 32]> {
        let mut tags = vec![[0; 32]; buffers.len()];
        let mut done = 0;
        let completed = |job: *mut Job| {
            // SAFETY: a job that the library returns is one of its own ring, or null.
            let job = unsafe { job.as_ref() };
            usize::from(job.is_some_and(|job| job.status == COMPLETED))
        };
        for (buffer, tag) in buffers.iter_mut().zip(&mut tags) {
            let buffer = buffer.as_mut();
            let bytes = buffer.len() as u64;
            // SAFETY: the manager is this value's own; a job of its ring is filled with buffers, which live until the
            // manager has been flushed below.
            unsafe {
                let of = &*self.manager;
                let job = &mut *(of.get_next_job)(self.manager);
                job.enc_keys = (&raw const *self.keys).cast();
                job.dec_keys = job.enc_keys;
                job.key_bytes = self.key_bytes;
                job.src = buffer.as_ptr();
                job.dst = buffer.as_mut_ptr().add(16);
                job.cipher_start = 16;
                job.cipher_bytes = bytes - 24;
                job.hash_start = 0;
                job.hash_bytes = bytes;
                job.iv = buffer.as_ptr();
                job.iv_bytes = 16;
                job.tag = tag.as_mut_ptr();
                job.tag_bytes = if self.sha256 { 32 } else { 20 };
                job.inner = self.inner.as_ptr().cast();
                job.outer = self.outer.as_ptr().cast();
                job.cipher_mode = CBC;
                job.direction = ENCRYPT;
                job.hash_alg = if self.sha256 { HMAC_SHA_256 } else { HMAC_SHA_1 };
                job.chain_order = CIPHER_THEN_HASH;
                done += completed((of.submit_job)(self.manager));
                loop {
                    let next = (of.get_completed_job)(self.manager);
                    if next.is_null() {
                        break;
                    }
                    done += completed(next);
                }
            }
        }
        loop {
            // SAFETY: as above.
            let job = unsafe { ((*self.manager).flush_job)(self.manager) };
            if job.is_null() {
                break;
            }
            done += completed(job);
        }
        if done < tags.len() {
            // The comparison fails because tags are missing.
            tags.clear();
        }
        tags
    }
}
