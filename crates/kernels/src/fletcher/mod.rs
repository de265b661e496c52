//! Fletcher checksums: Fletcher-4 and Fletcher-2 as ZFS defines them, Fletcher-16, -32 and -64 modulo 2^k - 1.
//!
//! # What is computed
//! Of words `x[1] .. x[n]`, least significant byte first:
//!
//! ```text
//! Fletcher-4   32-bit words, modulo 2^64:  a += x; b += a; c += b; d += c
//! Fletcher-2   64-bit words, modulo 2^64:  two such pairs (a, b), one over the even words, one over the odd ones
//! Fletcher-16, -32, -64   words of 8, 16, 32 bits, modulo 2^8 - 1, 2^16 - 1, 2^32 - 1:  a += x; b += a
//! ```
//!
//! Fletcher-4 and Fletcher-2 agree bit for bit with ZFS (`zio_cksum_t`, words in order a, b, c, d and a0, a1, b0, b1);
//! the `_swapped` functions read words most significant byte first, which is what ZFS calls byte-swapped on this
//! side. The modular ones return `b` above `a`, both in `0 .. 2^k - 2`; bytes missing to a whole word at the end
//! count as zero.
//!
//! # Input
//! Any alignment. Fletcher-4 takes whole 4-byte words, Fletcher-2 whole 16-byte pairs: other lengths are a
//! [`FletcherError`]. No length overflows.
//!
//! # How
//! The words are dealt to stripes (lane `j` of `L` takes every `L`-th word), each stripe sums its own words, and
//! [`recombine`] makes the checksum of the whole from the stripes' for any number of them: the method of Guilford and
//! Gopal, "Fast Computation of Fletcher Checksums" (Intel, 2016), with the formulas derived in
//! docs/kernels/fletcher.md. [`lanes`] holds the loops, written once for every vector width.

pub(crate) mod dispatch;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod modular;
mod recombine;
pub(crate) mod reference;
mod scalar;
mod zfs;

pub use modular::{
    Fletcher16, Fletcher32, Fletcher64, fletcher16, fletcher16_with, fletcher32, fletcher32_with, fletcher64,
    fletcher64_with,
};
pub use zfs::{
    Fletcher2, Fletcher4, fletcher2, fletcher2_swapped, fletcher2_swapped_with, fletcher2_with, fletcher4,
    fletcher4_swapped, fletcher4_swapped_with, fletcher4_with,
};

use crate::error::IsaError;
use thiserror::Error;

/// Why a checksum cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FletcherError {
    /// The input does not end with a whole word.
    #[error(
        "{length} bytes are not a multiple of {word}, the word of this checksum; pass whole words, pad the last one"
    )]
    Length {
        /// Bytes given.
        length: u64,
        /// Bytes of the checksum's unit.
        word: u64,
    },
    /// The number is no modular checksum.
    #[error(
        "{value:#x} is no checksum: its halves are to be below {modulus:#x}; pass what a function returned"
    )]
    Value {
        /// The number given.
        value: u64,
        /// 2^k - 1.
        modulus: u64,
    },
    /// The level cannot run here.
    #[error(transparent)]
    Isa(#[from] IsaError),
}

/// Refuses input that does not consist of whole words.
fn whole(length: u64, word: u64) -> Result<(), FletcherError> {
    if length.is_multiple_of(word) { Ok(()) } else { Err(FletcherError::Length { length, word }) }
}
