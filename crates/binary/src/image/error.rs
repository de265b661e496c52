//! Errors when a binary is opened. Damage further inside (a broken line table, a debug file that does not
//! match) is not an error: the image answers what it can and `facts().warnings` lists the rest.

use std::path::PathBuf;

/// Why a file cannot be analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}; check the path and its permissions", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// Neither ELF nor another known kind of file.
    #[error("{} is {found}, not an ELF binary; {advice}", path.display())]
    NotElf {
        /// Path of the file.
        path: PathBuf,
        /// The kind of file, with its article.
        found: &'static str,
        /// The advice to the user.
        advice: &'static str,
    },
    /// ELF of another kind of machine.
    #[error("{} is built for {found}; only 64-bit x86-64 code can be analysed, build it for that", path.display())]
    OtherMachine {
        /// Path of the file.
        path: PathBuf,
        /// The machine that the header names.
        found: String,
    },
    /// ELF, but neither executable nor shared library.
    #[error("{} is {found}, not a linked program; name the executable or shared library instead", path.display())]
    NotLinked {
        /// Path of the file.
        path: PathBuf,
        /// The kind of file, with its article.
        found: &'static str,
    },
    /// ELF with invalid headers.
    #[error("{} is damaged or cut short ({detail}); build or copy it again", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The first invalid value.
        detail: String,
    },
}
