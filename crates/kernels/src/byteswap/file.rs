//! Swapping a file into another one, in constant memory.
//!
//! The file passes through one window that stays in the second-level cache: read, swapped there in place, written.
//! It is not mapped: a mapped file that somebody shortens meanwhile ends the process with a signal, and copying
//! through the cache costs less than the page faults of a mapping that is read once.

use super::{SwapFileError, Width, swap_bytes_in_place};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// Bytes of the window: large enough that system calls cost little, small enough for the second-level cache.
pub const WINDOW: usize = 512 << 10;

/// Writes the words of the file `input`, their bytes swapped, to the file `output`, which is created or overwritten.
/// Returns the number of bytes. Memory does not grow with the file; pipes and devices will do, too.
///
/// A regular input whose length is no multiple of the width is refused before the output is touched. On a later
/// failure the output is removed if it is a regular file.
pub fn swap_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    width: Width,
) -> Result<u64, SwapFileError> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let cannot_read = |source| SwapFileError::Read { path: input.to_owned(), source };
    let cannot_write = |source| SwapFileError::Write { path: output.to_owned(), source };
    let mut reader = File::open(input).map_err(cannot_read)?;
    let metadata = reader.metadata().map_err(cannot_read)?;
    if metadata.is_dir() {
        return Err(cannot_read(io::ErrorKind::IsADirectory.into()));
    }
    if metadata.is_file() {
        whole_words(input, metadata.len(), width)?;
    }
    // Opened without truncating it: it might be the input.
    let mut writer =
        OpenOptions::new().write(true).create(true).truncate(false).open(output).map_err(cannot_write)?;
    let target = writer.metadata().map_err(cannot_write)?;
    if is_same(&metadata, &target) {
        return Err(SwapFileError::Same { path: output.to_owned() });
    }
    if target.is_file() {
        writer.set_len(0).map_err(cannot_write)?;
    }
    let done = pass(&mut reader, &mut writer, width).map_err(|failure| match failure {
        Failure::Read(source) => cannot_read(source),
        Failure::Write(source) => cannot_write(source),
        Failure::Length(length) => {
            SwapFileError::Length { path: input.to_owned(), length, width: width.bytes() }
        }
    });
    if done.is_err() && target.is_file() {
        // The first error is reported; a partial file that cannot be removed is recognised by its length.
        let _ = std::fs::remove_file(output);
    }
    done
}

fn whole_words(path: &Path, length: u64, width: Width) -> Result<(), SwapFileError> {
    let width = width.bytes();
    match length % width as u64 {
        0 => Ok(()),
        _ => Err(SwapFileError::Length { path: path.to_owned(), length, width }),
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    // Elsewhere a file that is open for reading is not opened for writing by default.
    false
}

/// Why a pass ended early.
pub enum Failure {
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
    /// The input ended within a word; the bytes before its end.
    Length(u64),
}

/// Passes everything that can be read through the window.
pub fn pass(reader: &mut impl Read, writer: &mut impl Write, width: Width) -> Result<u64, Failure> {
    let mut window = vec![0; WINDOW];
    let mut done = 0;
    loop {
        let filled = fill(reader, &mut window).map_err(Failure::Read)?;
        let words = &mut window[..filled];
        swap_bytes_in_place(width, words).map_err(|_| Failure::Length(done + filled as u64))?;
        writer.write_all(words).map_err(Failure::Write)?;
        done += filled as u64;
        if filled < WINDOW {
            writer.flush().map_err(Failure::Write)?;
            return Ok(done);
        }
    }
}

/// Reads until the window is full or the input ends.
fn fill(reader: &mut impl Read, window: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < window.len() {
        match reader.read(&mut window[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
