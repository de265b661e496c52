//! Standard input of a program that is to run twice: a file is wound back, what can be read only once is not read again.

use std::fs::File;
use std::io::{IsTerminal, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;

/// What standard input is.
pub enum Input {
    /// A terminal, `/dev/null`, or nothing: the same for every run.
    Same,
    /// A file, with the place at which the first run began to read.
    File(File, u64),
    /// A pipe or socket: its data is gone after the first run.
    Once,
}

impl Input {
    /// This process's.
    pub fn own() -> Self {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            return Self::Same;
        }
        let Ok(owned) = stdin.as_fd().try_clone_to_owned() else { return Self::Same };
        let mut file = File::from(owned);
        match file.metadata().map(|data| data.file_type()) {
            Ok(kind) if kind.is_file() => match file.stream_position() {
                Ok(place) => Self::File(file, place),
                Err(_) => Self::Once,
            },
            Ok(kind) if kind.is_fifo() || kind.is_socket() => Self::Once,
            _ => Self::Same,
        }
    }

    /// Makes the next run read what the first one read; false when that cannot be.
    pub fn again(&mut self) -> bool {
        match self {
            Self::Same => true,
            Self::File(file, place) => file.seek(SeekFrom::Start(*place)).is_ok(),
            Self::Once => false,
        }
    }
}
