//! The bytes of a file: mapped where they come from disk, owned where they come from memory.
//!
//! This module holds the crate's only unsafe block, because mapping a file cannot be proven safe in
//! Rust: another process may change it. Reading the files instead was rejected: a survey opens every
//! module of a process, and large debug files would be read whole for a few of their pages.

use loopwright_files::regular;
use std::ops::Deref;
use std::path::Path;

/// An immutable run of bytes.
pub(super) enum FileBytes {
    /// A mapped file.
    Mapped(memmap2::Mmap),
    /// Bytes in memory.
    Owned(Vec<u8>),
}

impl FileBytes {
    /// Maps `path`. Empty files are represented without a mapping.
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        // Mapping a directory or device fails late and obscurely; opening a pipe would block.
        let file = regular::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Self::Owned(Vec::new()));
        }
        // SAFETY: the map is private and read-only. Its bytes may only change when another process
        // writes to or truncates the file in place; linkers and package managers replace files by
        // unlinking or renaming, which leaves this mapping intact. No value derived from the bytes
        // is used without a bounds check, so that a change can garble results but not memory.
        #[allow(unsafe_code, reason = "see the module's opening comment")]
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self::Mapped(map))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl std::fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}
