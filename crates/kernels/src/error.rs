//! Errors that several kernels share. An error that only one kernel can have is in that kernel's module.

use crate::isa::{Isa, VARIABLE};
use thiserror::Error;

/// Why an instruction-set level cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IsaError {
    /// The processor, or the operating system, lacks the level.
    #[error("this processor cannot run the level {wanted}; use {best} or a lower one")]
    Unavailable {
        /// The level asked for.
        wanted: Isa,
        /// The best one there is.
        best: Isa,
    },
    /// Unknown instruction-set level.
    #[error("{text:?} is no instruction-set level; use one of: scalar, sse42, avx2, avx512")]
    Unknown {
        /// What was given.
        text: String,
    },
    /// The variable requests an unavailable level; the best available one is used instead.
    #[error("{VARIABLE} is ignored: {cause}")]
    Variable {
        /// What is wrong with its value.
        cause: Box<IsaError>,
    },
}
