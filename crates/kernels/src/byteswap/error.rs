//! Why words cannot be swapped.

use crate::error::IsaError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why an array cannot be swapped. Nothing has been written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ByteswapError {
    /// The bytes are not whole words.
    #[error("{length} bytes are not a multiple of {width}, the word's; pass whole words")]
    Length {
        /// Bytes given.
        length: usize,
        /// Bytes of a word.
        width: usize,
    },
    /// Source and destination differ in length.
    #[error(
        "source and destination differ in length ({source_length} and {destination_length}); pass the same"
    )]
    Lengths {
        /// Elements of the source.
        source_length: usize,
        /// Elements of the destination.
        destination_length: usize,
    },
    /// Source and destination share some bytes but not all.
    #[error(
        "source and destination overlap {distance} bytes apart; pass the same array twice, or two disjoint ones"
    )]
    Overlap {
        /// Bytes between their beginnings.
        distance: usize,
    },
    /// Words of this size cannot be swapped.
    #[error("words of {bytes} bytes cannot be swapped; use 2, 4 or 8")]
    Width {
        /// The size asked for.
        bytes: usize,
    },
    /// The level cannot run here.
    #[error(transparent)]
    Isa(#[from] IsaError),
}

/// Why a file cannot be swapped. An output that was begun has been removed, where it is a regular file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SwapFileError {
    /// The input cannot be opened or read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The output cannot be created or written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The input does not end with a whole word.
    #[error("{}: {length} bytes are not a multiple of {width}, the word's; choose the width that the file has", path.display())]
    Length {
        /// The input.
        path: PathBuf,
        /// Its bytes.
        length: u64,
        /// Bytes of a word.
        width: usize,
    },
    /// Both names are the same file.
    #[error("{}: input and output are the same file; write to another one and rename it", path.display())]
    Same {
        /// The file, by the output's name.
        path: PathBuf,
    },
}
