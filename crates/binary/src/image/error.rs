//! What can go wrong when a binary is opened. Damage further inside (a broken line table, a debug
//! file that does not match) is no error: the image answers what it can and `facts().warnings`
//! tells the rest.

use std::path::PathBuf;

/// Why a file cannot be analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}; check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Neither ELF nor anything that is recognised.
    #[error("{} is {found}, not an ELF binary; {advice}", path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
        /// What it is instead, with its article.
        found: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// ELF of another kind of machine.
    #[error("{} is built for {found}; only 64-bit x86-64 code can be analysed, build it for that", path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// The machine that the header names.
        found: String,
    },
    /// ELF, but neither executable nor shared library.
    #[error("{} is {found}, not a linked program; name the executable or shared library instead", path.display())]
    NotLinked {
        /// The file.
        path: PathBuf,
        /// What it is instead, with its article.
        found: &'static str,
    },
    /// ELF whose headers make no sense.
    #[error("{} is damaged or cut short ({detail}); build or copy it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first thing that makes no sense.
        detail: String,
    },
}
