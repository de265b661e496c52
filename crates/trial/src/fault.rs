//! Why a version of the program cannot be built.

use loopwright_experiment::trials::Why;
use std::io;

/// Why there is no program.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A compiler, archiver or linker refused; its first message.
    NotBuilt(String),
    /// It cannot be tried.
    Why(Why),
    /// The user asked to stop.
    Stopped,
    /// The system failed.
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(cause: io::Error) -> Self {
        Self::Io(cause)
    }
}

/// The first line that names an error, else the first one.
pub(crate) fn first_message(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.contains("error"));
    error.or_else(|| lines.next()).unwrap_or("no message").to_owned()
}
