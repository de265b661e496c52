//! What can go wrong, each with its file, its cause and the way out.

use std::path::PathBuf;

/// Why a case cannot be read, built or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of cases is not there or holds none.
    #[error("{}: {cause}; name the folder with --casebook DIR or LOOPWRIGHT_CASEBOOK", folder.display())]
    NoCasebook {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// No case has this name.
    #[error("there is no case `{name}` in {}; there are: {known}", folder.display())]
    UnknownCase {
        /// The name.
        name: String,
        /// The casebook.
        folder: PathBuf,
        /// The names that there are.
        known: String,
    },
    /// `case.toml` says something that cannot be.
    #[error("{}: {cause}", file.display())]
    BadCase {
        /// The file.
        file: PathBuf,
        /// What is wrong, and what to write instead.
        cause: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {cause}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
    /// No compiler that the case needs was found.
    #[error("{case}: no compiler for {languages} was found; install gcc or clang (and gfortran for Fortran)")]
    NoCompiler {
        /// The case.
        case: String,
        /// The languages.
        languages: String,
    },
    /// A program of the case or the workbench did not do what it should.
    #[error("{command}: {cause}")]
    Program {
        /// What was run.
        command: String,
        /// What happened.
        cause: String,
    },
    /// A recorded run cannot be read.
    #[error("{}: {cause}; make it again with `loopwright case run`", file.display())]
    BadRecord {
        /// The file.
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

    /// The command line asks for something that is not there, as opposed to something that did not work.
    pub fn is_misuse(&self) -> bool {
        matches!(self, Self::NoCasebook { .. } | Self::UnknownCase { .. } | Self::BadCase { .. })
    }
}
