//! An example use of the hashes: how much of a directory tree exists more than once.
//!
//! ```text
//! tree      the regular files under a directory, in no order
//! chunks    contents cut at positions that depend on the bytes, hashed many at a time
//! ```
//!
//! A file is cut into chunks by its contents (FastCDC: W. Xia et al., "The Design of Fast Content-Defined
//! Chunking for Data Deduplication Based Storage Systems", 2020), so that bytes inserted in one copy move
//! only the cuts next to them. Chunks with equal SHA-256 are equal. Nothing is printed here.

mod chunks;
mod tree;

pub use chunks::{Chunking, ChunkingError};

use chunks::Window;
use serde::Serialize;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most unreadable files that are listed by name.
const NAMED: usize = 100;

/// Statistics of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    /// Regular files that were read to their end.
    pub files: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Chunks that they were cut into.
    pub chunks: u64,
    /// Chunks that were seen before.
    pub duplicate_chunks: u64,
    /// Bytes of the duplicate chunks.
    pub duplicate_bytes: u64,
    /// Further names of files that were already read (hard links), which have no bytes of their own.
    pub further_names: u64,
    /// Files and directories that could not be read, or not to their end.
    pub unreadable: u64,
    /// The first unreadable ones, with the cause.
    pub unreadable_first: Vec<Unreadable>,
}

/// A file or directory that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The path that was tried.
    pub path: PathBuf,
    /// The operating system's error, as text.
    pub cause: String,
}

impl Duplicates {
    fn unreadable(&mut self, path: &Path, cause: &std::io::Error) {
        self.unreadable += 1;
        if self.unreadable_first.len() < NAMED {
            self.unreadable_first.push(Unreadable { path: path.to_owned(), cause: cause.to_string() });
        }
    }
}

/// Bytes of the regular files under a directory, for a progress bar; unreadable files are not counted.
pub fn total_bytes(directory: &Path) -> u64 {
    let mut total = 0;
    tree::walk(directory, |found| {
        if let Ok(file) = found {
            total += file.bytes;
        }
    });
    total
}

/// Reads every regular file under a directory. `progress` gets the number of bytes of each piece that was read.
///
/// Memory: the window, and 16 bytes and their share of a table for each chunk that differs from the others. Links are
/// not followed.
pub fn duplicates(directory: &Path, chunking: Chunking, mut progress: impl FnMut(u64)) -> Duplicates {
    let mut found = Duplicates::default();
    let mut seen = Seen::default();
    let mut window = Window::new(chunking);
    tree::walk(directory, |file| {
        let file = match file {
            Ok(file) => file,
            Err((path, cause)) => return found.unreadable(&path, &cause),
        };
        if !seen.files.is_new(&file) {
            found.further_names += 1;
            return;
        }
        let read = File::open(&file.path).and_then(|mut open| {
            loop {
                let room = window.room(|chunk| seen.chunk(chunk, &mut found));
                let count = match open.read(room) {
                    Ok(0) => return Ok(()),
                    Ok(count) => count,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                window.filled(count);
                found.bytes += count as u64;
                progress(count as u64);
            }
        });
        // Bytes read before an error are counted: they exist.
        window.end_of_file();
        match read {
            Ok(()) => found.files += 1,
            Err(cause) => found.unreadable(&file.path, &cause),
        }
    });
    window.finish(|chunk| seen.chunk(chunk, &mut found));
    found
}

/// The chunks seen so far.
#[derive(Default)]
struct Seen {
    files: tree::Names,
    chunks: HashSet<[u8; 16]>,
}

impl Seen {
    fn chunk(&mut self, chunk: chunks::Chunk, found: &mut Duplicates) {
        found.chunks += 1;
        // Half of the digest: of 2^40 chunks two differ and agree in it with a probability of 2^-49.
        let (key, _) = chunk.digest.0.split_at(16);
        let new = <[u8; 16]>::try_from(key).is_ok_and(|key| self.chunks.insert(key));
        if !new {
            found.duplicate_chunks += 1;
            found.duplicate_bytes += chunk.bytes as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::Buffer;

    const SMALL: (usize, usize, usize) = (1 << 10, 4 << 10, 16 << 10);

    fn chunking() -> Chunking {
        Chunking::new(SMALL.1).unwrap()
    }

    fn scan(directory: &Path) -> Duplicates {
        let mut progress = 0;
        let found = duplicates(directory, chunking(), |bytes| progress += bytes);
        assert_eq!(progress, found.bytes);
        found
    }

    #[test]
    fn copies_are_found_even_when_bytes_are_inserted() {
        let folder = tempfile::tempdir().unwrap();
        let original = Buffer::random(1 << 20, 1);
        std::fs::write(folder.path().join("a"), &*original).unwrap();
        let alone = scan(folder.path());
        assert_eq!((alone.files, alone.bytes, alone.duplicate_bytes), (1, 1 << 20, 0));
        assert_eq!(total_bytes(folder.path()), 1 << 20);
        std::fs::create_dir(folder.path().join("b")).unwrap();
        std::fs::write(folder.path().join("b/a"), &*original).unwrap();
        let twice = scan(folder.path());
        assert_eq!((twice.files, twice.duplicate_bytes), (2, 1 << 20));
        assert_eq!(twice.chunks, 2 * alone.chunks);

        let mut inserted = original[..300_000].to_vec();
        inserted.extend_from_slice(b"something else");
        inserted.extend_from_slice(&original[300_000..]);
        std::fs::write(folder.path().join("b/a"), &inserted).unwrap();
        let shifted = scan(folder.path());
        let lost = (1 << 20) - shifted.duplicate_bytes;
        assert!(lost > 0 && lost < 4 * SMALL.2 as u64, "{lost} bytes are not found again");
    }

    #[test]
    fn chunks_do_not_depend_on_what_was_read_before() {
        let folder = tempfile::tempdir().unwrap();
        // Longer than a window, in one file and after a short one.
        let long = Buffer::random(9 << 20, 2);
        for (name, bytes) in [("0", &[][..]), ("1", &[7; 100]), ("2", &long), ("3", &[8; 5000]), ("4", &long)]
        {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let found = scan(folder.path());
        assert_eq!((found.files, found.duplicate_bytes), (5, 9 << 20));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_counted_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, &*Buffer::random(100_000, 3)).unwrap();
        std::fs::hard_link(&path, folder.path().join("b")).unwrap();
        std::os::unix::fs::symlink(&path, folder.path().join("c")).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        let found = scan(folder.path());
        assert_eq!((found.files, found.further_names, found.duplicate_bytes), (1, 1, 0));
    }

    #[test]
    fn what_cannot_be_read_is_counted_and_named() {
        let found = scan(Path::new("/no/such/directory"));
        assert_eq!((found.files, found.unreadable), (0, 1));
        assert_eq!(found.unreadable_first[0].path, Path::new("/no/such/directory"));
    }
}
