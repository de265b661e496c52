//! Errors, each with its file, its cause and advice.

use std::path::PathBuf;

/// Why a case cannot be read, built or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of cases does not exist or has none.
    #[error("{}: {cause}; name the folder with --casebook DIR or LOOPWRIGHT_CASEBOOK", folder.display())]
    NoCasebook {
        /// Path of the casebook.
        folder: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// No case has this name.
    #[error("there is no case `{name}` in {}; there are: {known}", folder.display())]
    UnknownCase {
        /// The unknown name.
        name: String,
        /// Path of the casebook.
        folder: PathBuf,
        /// The existing names.
        known: String,
    },
    /// `case.toml` has invalid content.
    #[error("{}: {cause}", file.display())]
    BadCase {
        /// Path of the file.
        file: PathBuf,
        /// The error, and what to write instead.
        cause: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {cause}", file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// The operating system's error.
        cause: std::io::Error,
    },
    /// No compiler that the case needs was found.
    #[error("{case}: no compiler for {languages} was found; install gcc or clang (and gfortran for Fortran)")]
    NoCompiler {
        /// Name of the case.
        case: String,
        /// The languages of its sources.
        languages: String,
    },
    /// The case cannot be run here, which is no fault of it.
    #[error("{case}: {cause}")]
    LeftOut {
        /// Name of the case.
        case: String,
        /// What is missing, and how to get it.
        cause: String,
    },
    /// A program of the case, or the workbench, failed or gave a wrong result.
    #[error("{command}: {cause}")]
    Program {
        /// The command that was run.
        command: String,
        /// The failure.
        cause: String,
    },
    /// A recorded run cannot be read.
    #[error("{}: {cause}; make it again with `loopwright case run`", file.display())]
    BadRecord {
        /// Path of the file.
        file: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The user asked to stop.
    #[error("stopped; what was measured so far is kept")]
    Stopped,
}

impl Error {
    /// A closure for `map_err` that names the file.
    pub(crate) fn file(file: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let file = file.into();
        move |cause| Self::File { file, cause }
    }

    /// The command line requests something that does not exist (as opposed to a failure).
    pub fn is_misuse(&self) -> bool {
        matches!(self, Self::NoCasebook { .. } | Self::UnknownCase { .. } | Self::BadCase { .. })
    }
}
