//! Why a version of the program cannot be built.

use crate::running::{self, How, Limits};
use loopwright_experiment::trials::Why;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Why there is no program.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A compiler, archiver or linker refused; its first message.
    NotBuilt(String),
    /// What builds did not end within the time: its name, and seconds.
    Slow(String, u64),
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

/// Runs what builds; what it says goes into a file. `name` is its name for readers.
///
/// # Errors
/// When it does not end well, with its own message.
pub(crate) fn compile(
    command: &mut Command,
    name: &str,
    messages: &Path,
    limits: Limits,
) -> Result<(), Fault> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(messages)?);
    let (how, _) = running::run(command, limits)
        .map_err(|cause| Fault::NotBuilt(format!("{name} does not start: {cause}")))?;
    match how {
        How::Exited(0) => Ok(()),
        How::Stopped => Err(Fault::Stopped),
        How::Hung(seconds) => Err(Fault::Slow(name.to_owned(), seconds)),
        How::Exited(_) | How::Killed(_) => Err(not_built(messages)),
    }
}

/// What a row of the table says of a build that took too long.
pub(crate) fn too_slow(name: &str, seconds: u64) -> String {
    format!("{name} did not end within {seconds} s")
}

/// What the messages of a build say.
pub(crate) fn not_built(messages: &Path) -> Fault {
    let text = std::fs::read(messages).unwrap_or_default();
    Fault::NotBuilt(first_message(&String::from_utf8_lossy(&text)))
}

/// What a compiler's driver and make say after the message that counts.
const SUMMARIES: [&str; 4] =
    ["linker command failed", "ld returned", "compilation terminated", "aborting due to"];

/// The first line that names an error, else the first one; what only sums up is passed over where there is more.
pub(crate) fn first_message(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = || lines().filter(|line| !SUMMARIES.iter().any(|summary| line.contains(summary)));
    let error = telling().find(|line| line.contains("error"));
    let cause =
        || telling().find(|line| line.contains("cannot find") || line.contains("undefined reference"));
    let found = error.or_else(cause).or_else(|| telling().next()).or_else(|| lines().next());
    found.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_that_counts_is_taken() {
        let linker = "/usr/bin/ld: cannot find -lomp: No such file or directory\nclang: error: linker command failed with exit code 1\n";
        assert!(first_message(linker).ends_with("cannot find -lomp: No such file or directory"));
        assert_eq!(first_message("a.c: warning: x\na.c:4:1: error: y\n"), "a.c:4:1: error: y");
        assert_eq!(
            first_message("clang: error: linker command failed\n"),
            "clang: error: linker command failed"
        );
        assert_eq!(first_message("\n"), "no message");
    }
}
