//! AES in CBC mode with HMAC-SHA-1 or HMAC-SHA-256, encrypted and authenticated in one pass, for one message or many.
//!
//! **For a new protocol take an AEAD** (AES-GCM, AES-GCM-SIV, ChaCha20-Poly1305): docs/kernels/cipher.md says why. This is
//! for protocols and files that prescribe CBC with HMAC.
//!
//! # What is computed
//! Encrypt-then-MAC as RFC 7518, section 5.2, composes it, with the two keys given apart:
//!
//! ```text
//! ciphertext = AES-CBC(cipher key, iv, data)                                    (NIST SP 800-38A, section 6.2)
//! tag        = HMAC(mac key, aad || iv || ciphertext || 64-bit length of aad in bits)             (RFC 2104)
//! ```
//!
//! The length makes it impossible to pass off bytes of one part as another's. Tags are as long as the hash, or cut to the
//! length that [`CbcHmac::with_tag_bytes`] sets, at both ends alike.
//!
//! # Input
//! - `data`: any alignment, in place. [`CbcHmac::seal_in_place`] and [`seal_many`](CbcHmac::seal_many) demand a multiple of
//!   16 bytes; [`CbcHmac::seal_padded`] pads a vector by PKCS#7 (RFC 5652, section 6.3).
//! - `iv`: 16 unpredictable bytes, from the system's random numbers, new for each message.
//! - `aad`: associated data, authenticated and not encrypted, any length.
//!
//! # Secrets
//! What runs and which addresses are touched depends on lengths alone, never on keys or data: without AES instructions,
//! AES runs on bit planes. Tags are compared in constant time (`subtle`), before anything is decrypted; every rejection
//! is the same [`CipherError::Rejected`], bad padding included. Expanded keys and states of the hash are erased when they
//! are dropped (`zeroize`), which does not reach copies that the compiler keeps in registers or spills.
//!
//! # How
//! [`lanes`] holds the loop; the levels bring AES and SHA for it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bitslice;
pub(crate) mod choice;
#[cfg(target_arch = "x86_64")]
mod decrypt;
pub(crate) mod dispatch;
pub(crate) mod job;
pub(crate) mod keys;
pub(crate) mod lanes;
mod many;
mod message;
#[cfg(target_arch = "x86_64")]
mod ni;
mod padding;
mod pair;
mod ring;
mod scalar;
pub(crate) mod schedule;
pub(crate) mod sha;
#[cfg(target_arch = "x86_64")]
mod sse42;
mod words;

pub use message::{Message, Received, Tag};
pub use pair::{Aes128, Aes256, CbcHmac, Cipher, HmacSha1, HmacSha256, Mac};

use crate::error::IsaError;
use thiserror::Error;

/// Why a message cannot be sealed or opened, or keys not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CipherError {
    /// The cipher's key has another length.
    #[error("the cipher key has {given} bytes where {wanted} are wanted; pass a key of that length")]
    CipherKey {
        /// Bytes given.
        given: usize,
        /// Bytes that the cipher takes.
        wanted: usize,
    },
    /// The MAC's key is too short to protect anything.
    #[error("the MAC key has {given} bytes; pass at least {least}, best as many as the hash has")]
    MacKey {
        /// Bytes given.
        given: usize,
        /// Fewest bytes taken.
        least: usize,
    },
    /// Tags are cut too short, or are to be longer than the hash.
    #[error("a tag of {given} bytes cannot be; choose between {least} and {most}")]
    TagBytes {
        /// Bytes asked for.
        given: usize,
        /// Fewest: half the hash and 80 bits (RFC 2104, section 5).
        least: usize,
        /// As many as the hash has.
        most: usize,
    },
    /// The data does not consist of whole blocks.
    #[error(
        "{length} bytes of data are not a multiple of 16, the cipher's block; pad them, or use seal_padded"
    )]
    Length {
        /// Bytes given.
        length: usize,
    },
    /// The message is not what was sealed with these keys, or is not whole.
    #[error(
        "the message is rejected: it was not sealed with these keys, or has been changed; ask for it again"
    )]
    Rejected,
    /// The level cannot run here.
    #[error(transparent)]
    Isa(#[from] IsaError),
}
