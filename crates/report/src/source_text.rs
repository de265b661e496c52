//! Whether the text of a source file can be shown beside what was made of it, and the sentence that says why not.

use crate::quantity::{bytes, count};
use std::fmt;

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoText {
    /// It was not kept with a run and cannot be read now, for this cause.
    Unreadable(String),
    /// It is larger than what is shown.
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest size that is shown.
        largest: u64,
    },
    /// It has more lines than are shown.
    TooLong {
        /// Number of lines of the text.
        lines: u64,
        /// The most that are shown.
        longest: u64,
    },
    /// The texts of hotter files take all the room.
    NoRoom {
        /// That room, in bytes.
        room: u64,
    },
}

impl fmt::Display for NoText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(cause) => {
                write!(f, "It cannot be read here ({cause}). Put it at that place to see its text.")
            }
            Self::TooLarge { bytes: size, largest } => {
                write!(f, "It has {}; texts up to {} are shown.", bytes(*size), bytes(*largest))
            }
            Self::TooLong { lines, longest } => {
                write!(f, "It has {} lines; texts up to {} lines are shown.", count(*lines), count(*longest))
            }
            Self::NoRoom { room } => write!(
                f,
                "The files with more time fill the {} that there are for sources; `loopwright show source` shows it.",
                bytes(*room)
            ),
        }
    }
}

/// The reason to take a text for another one than the program was built from: it ends before the last line that the code names.
pub(crate) fn outdated(lines: usize, named: u32) -> Option<String> {
    (u32::try_from(lines).unwrap_or(u32::MAX) < named).then(|| {
        format!(
            "The file has {lines} lines, but the program was built from one with at least {named}: it was changed since."
        )
    })
}
