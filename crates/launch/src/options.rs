//! Where a program runs and where its standard streams go.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// Where one of the program's standard streams goes.
#[derive(Clone, Debug, Default)]
pub enum Stream {
    /// Where the collector's own goes.
    #[default]
    Inherit,
    /// Nowhere.
    Null,
    /// Into (or from) this file.
    File(Arc<File>),
}

/// How to start a program. `StartOptions::default()` starts it as if by hand.
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
