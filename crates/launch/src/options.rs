//! Working directory and standard streams of a program.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// The destination (or source) of one of the program's standard streams.
#[derive(Clone, Debug, Default)]
pub enum Stream {
    /// The same as the collector's own.
    #[default]
    Inherit,
    /// `/dev/null`.
    Null,
    /// An open file.
    File(Arc<File>),
}

/// How to start a program. `StartOptions::default()` starts it as from a shell.
#[derive(Clone, Debug, Default)]
pub struct StartOptions {
    /// Working directory of the program.
    pub directory: Option<PathBuf>,
    /// Environment variables added to (or replaced in) the collector's own.
    pub environment: Vec<(OsString, OsString)>,
    /// Standard input.
    pub stdin: Stream,
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
}
