//! How a verb fails: misuse (exit 2) or failure (exit 1).

use std::fmt;

/// Why a verb did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something that cannot be.
    Misuse(anyhow::Error),
    /// It could be, but did not work out.
    Failed(anyhow::Error),
}

impl Failure {
    /// Misuse with a message.
    pub fn misuse(message: impl Into<String>) -> Self {
        Self::Misuse(anyhow::Error::msg(message.into()))
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Self::Misuse(_) => 2,
            Self::Failed(_) => 1,
        }
    }

    /// The reader of our output has gone.
    pub fn is_broken_pipe(&self) -> bool {
        let (Self::Misuse(error) | Self::Failed(error)) = self;
        error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
            .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Misuse(error) | Self::Failed(error)) = self;
        write!(f, "{error:#}")
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
