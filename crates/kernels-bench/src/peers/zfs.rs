//! OpenZFS's checksums: the functions that its user-space libraries export (`zfs_fletcher.h`).

use super::Peers;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::rc::Rc;

/// Name in tables and sentences.
const PEER: &str = "OpenZFS";

/// Implementations of Fletcher-4 by the names that `fletcher_4_impl_set` takes.
const IMPLEMENTATIONS: [&CStr; 6] = [c"superscalar4", c"sse2", c"ssse3", c"avx2", c"avx512f", c"avx512bw"];

type Checksum = unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut [u64; 4]);
type Select = unsafe extern "C" fn(*const c_char) -> c_int;
type Start = unsafe extern "C" fn();

/// Kind of checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Fletcher-4, words least significant byte first.
    Four,
    /// Fletcher-4, words most significant byte first.
    FourSwapped,
    /// Fletcher-2, words least significant byte first.
    Two,
    /// Fletcher-2, words most significant byte first.
    TwoSwapped,
}

impl Kind {
    fn symbol(self) -> &'static str {
        match self {
            Kind::Four => "fletcher_4_native",
            Kind::FourSwapped => "fletcher_4_byteswap",
            Kind::Two => "fletcher_2_native",
            Kind::TwoSwapped => "fletcher_2_byteswap",
        }
    }
}

/// A checksum as one of OpenZFS's implementations computes it.
pub struct Implementation {
    name: Option<&'static CStr>,
    select: Select,
    checksum: Checksum,
    // Keeps the functions loaded.
    _library: Rc<Library>,
}

impl Implementation {
    /// Name in tables.
    pub fn name(&self) -> String {
        match self.name {
            Some(name) => format!("{PEER} {}", name.to_string_lossy()),
            None => PEER.to_owned(),
        }
    }

    /// The checksum of `bytes`, whose length is a multiple of 16.
    pub fn checksum(&self, bytes: &[u8]) -> [u64; 4] {
        let mut sums = [0; 4];
        // SAFETY: the types are those of zfs_fletcher.h; the name ends with a zero, the buffer has the length
        // that is passed, the template is not used, and the result has four words.
        unsafe {
            if let Some(name) = self.name {
                (self.select)(name.as_ptr());
            }
            (self.checksum)(bytes.as_ptr().cast(), bytes.len() as u64, std::ptr::null(), &mut sums);
        }
        sums
    }
}

/// The implementations that the installed library has for this processor.
pub fn implementations(peers: &mut Peers, kind: Kind) -> Vec<Implementation> {
    const NAMES: [&str; 6] =
        ["libzpool.so.7", "libzpool.so.6", "libzpool.so.5", "libzfs.so.7", "libzfs.so.6", "libzfs.so.4"];
    let Some(library) = peers.library(PEER, "LOOPWRIGHT_PEER_ZFS", &NAMES) else { return Vec::new() };
    // SAFETY: the types are those of zfs_fletcher.h; each `Implementation` keeps the library.
    let functions = unsafe {
        (
            peers.function::<Checksum>(PEER, &library, kind.symbol()),
            peers.function::<Select>(PEER, &library, "fletcher_4_impl_set"),
            peers.function::<Start>(PEER, &library, "fletcher_4_init"),
        )
    };
    let (Some(checksum), Some(select), Some(start)) = functions else { return Vec::new() };
    // SAFETY: takes no arguments; searches for implementations that the processor can run, and may be called
    // repeatedly.
    unsafe { start() };
    let with = |name| Implementation { name, select, checksum, _library: library.clone() };
    match kind {
        Kind::Two | Kind::TwoSwapped => vec![with(None)],
        // SAFETY: the name ends with a zero; one that the processor cannot run is refused.
        Kind::Four | Kind::FourSwapped => IMPLEMENTATIONS
            .into_iter()
            .filter(|name| unsafe { select(name.as_ptr()) } == 0)
            .map(|name| with(Some(name)))
            .collect(),
    }
}
