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
