//! Which half of the corpus a pair belongs to.

use serde::{Deserialize, Serialize};

/// A half of the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    /// For working on: whoever writes rules may look at its programs.
    Open,
    /// Only scored: its programs are not looked at, so that its score is that of unknown programs.
    Closed,
}

impl Half {
    /// The half of a program: the last bit of a checksum of its text.
    pub fn of(source: &[u8]) -> Self {
        if crc32fast::hash(source) & 1 == 0 { Self::Open } else { Self::Closed }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}
