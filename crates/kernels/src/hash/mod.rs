//! Hashes of many messages at once: MD5, SHA-1, SHA-256 and SHA-512.
//!
//! # What is computed
//! The digests of RFC 1321 and FIPS 180-4, of messages of any number of bytes. [`Digest`] holds a digest's bytes in the
//! order of its hexadecimal text.
//!
//! # How to call it
//! - [`hash_many`]: all messages are there.
//! - [`Scheduler`]: messages come one by one, whole or in pieces; jobs are hashed several at a time.
//! - [`Context`]: one message in pieces. [`hash()`]: one message.
//!
//! Any alignment and any lengths, mixed; nothing is copied but the ends of messages. Messages may overlap: they are
//! only read. Not for secrets where time is watched: the time depends on lengths (not on contents).
//!
//! # How
//! A hash function is a chain: each round waits for the one before, and most of the processor waits with it. Messages
//! are independent of each other, so lane `l` of every vector computes message `l` (J. Guilford et al., "Processing
//! Multiple Buffers in Parallel to Increase Performance on Intel Architecture Processors", 2010), or the SHA instructions of
//! several messages alternate. Which of these, and how many messages at once, follows from how many there are and how
//! long: [`engine`] holds what each way costs, [`slots`] the messages in work, [`many`] the choice of order and
//! number. The compression functions are written once for every width, in [`lanes`].

#[cfg(target_arch = "x86_64")]
mod ahead;
mod algorithm;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod constants;
mod context;
pub(crate) mod engine;
mod lanes;
pub(crate) mod many;
pub mod reference;
pub(crate) mod rows;
mod scalar;
mod scheduler;
pub(crate) mod slots;
#[cfg(target_arch = "x86_64")]
mod sse42;

pub use algorithm::{Algorithm, Digest, Md5, Sha1, Sha256, Sha512, Word};
pub use context::Context;
pub use engine::Engine;
pub use many::{hash, hash_many, hash_many_with, hash_with};
pub use scheduler::{Done, Outcome, Scheduler};

use crate::error::IsaError;
use thiserror::Error;

/// Why messages cannot be hashed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HashError {
    /// There is not one place for a digest per message.
    #[error("{messages} messages need as many digests, not {digests}; pass slices of one length")]
    Count {
        /// Messages given.
        messages: usize,
        /// Places for digests given.
        digests: usize,
    },
    /// The level cannot run here.
    #[error(transparent)]
    Isa(#[from] IsaError),
}
