//! What can go wrong with an experiment file.

use std::path::PathBuf;

/// An error of the store; names the file, the cause and the way out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file does not exist.
    #[error("no experiment at {}; collect one with `loopwright advise -- PROGRAM`, or name another with `-e FILE`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a loopwright experiment; name another file with `-e FILE`", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Written by a newer version.
    #[error("{} was written by a newer loopwright (format {found}, this one reads up to {known}); update loopwright", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// One value of it was.
    #[error("{} holds a {what} that a newer loopwright wrote (form {found}, this one reads up to {known}); update loopwright, or collect it again", path.display())]
    NewerForm {
        /// The file.
        path: PathBuf,
        /// Which value: a kind of run, or a part of what the binaries say.
        what: &'static str,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// SQLite reported an error.
    #[error("{}: {source}; check free space and permissions, or write elsewhere with `-e FILE`", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: rusqlite::Error,
    },
    /// A stored value does not decode.
    #[error("{} is damaged ({what}: {detail}); collect it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part.
        what: &'static str,
        /// Why.
        detail: String,
    },
    /// Reading or writing beside the database failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// Another process merges, and has been for minutes.
    #[error("another loopwright has been merging for ten minutes (it holds {}); if it does not run any more, remove that file", path.display())]
    Merging {
        /// Its claim.
        path: PathBuf,
    },
    /// A name that is not there.
    #[error("no {kind} `{name}` in {}; there are: {known}", path.display())]
    NoSuch {
        /// `snapshot` or `run`.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: String,
        /// The file.
        path: PathBuf,
    },
    /// A snapshot name that exists.
    #[error("snapshot `{name}` exists already in {}; snapshots are read-only, choose another name", path.display())]
    SnapshotExists {
        /// The requested name.
        name: String,
        /// The file.
        path: PathBuf,
    },
    /// Nothing collected yet.
    #[error("{} holds no survey, counts or traces yet; collect one with `loopwright advise -- PROGRAM`", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}
