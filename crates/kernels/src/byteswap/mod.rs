//! Byte swapping: arrays of 16-, 32- and 64-bit words from one byte order to the other.
//!
//! # What is computed
//! Byte `i` of every word of `w` bytes becomes byte `w - 1 - i`. Swapping twice changes nothing.
//!
//! # Input
//! Typed slices ([`swap16_in_place`], [`swap16_into`] and their like), or bytes of any alignment
//! ([`swap_bytes_in_place`], [`swap_bytes_into`]) whose length is a multiple of the word's; files ([`swap_file`]).
//! Source and destination have the same length. Slices cannot overlap; for callers who hold pointers
//! [`swap_raw`] swaps in place where both are the same, and refuses arrays that overlap otherwise. Every refusal is a
//! [`ByteswapError`], and nothing has been written then.
//!
//! # How
//! One shuffle of bytes per vector, four vectors at a time. The destination is aligned first, with part of a vector;
//! destinations whose words are not aligned to their size cannot be aligned by whole words and are written as they
//! lie. Out of place, above a measured size, stores pass the caches: the destination's lines are not read before they
//! are written, which leaves two thirds of the traffic. In place there is nothing to save: the lines have been read.
//! Above another measured size the `_par` functions use threads. The choice of a kernel by size, from measurements, is
//! that of "A faster heterogeneous programming library" (see docs/kernels/byteswap.md).

mod bytes;
pub(crate) mod dispatch;
mod error;
pub(crate) mod file;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod reference;
mod typed;

pub use bytes::{
    swap_bytes_in_place, swap_bytes_in_place_par, swap_bytes_in_place_par_with, swap_bytes_in_place_with,
    swap_bytes_into, swap_bytes_into_par, swap_bytes_into_par_with, swap_bytes_into_with, swap_raw,
};
pub use error::{ByteswapError, SwapFileError};
pub use file::swap_file;
pub use typed::{
    swap16_in_place, swap16_in_place_par, swap16_in_place_par_with, swap16_in_place_with, swap16_into,
    swap16_into_par, swap16_into_par_with, swap16_into_with, swap32_in_place, swap32_in_place_par,
    swap32_in_place_par_with, swap32_in_place_with, swap32_into, swap32_into_par, swap32_into_par_with,
    swap32_into_with, swap64_in_place, swap64_in_place_par, swap64_in_place_par_with, swap64_in_place_with,
    swap64_into, swap64_into_par, swap64_into_par_with, swap64_into_with,
};

/// The size of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 16 bits.
    Two,
    /// 32 bits.
    Four,
    /// 64 bits.
    Eight,
}

impl Width {
    /// Every width, smallest first.
    pub const ALL: [Width; 3] = [Width::Two, Width::Four, Width::Eight];

    /// Bytes of a word.
    pub const fn bytes(self) -> usize {
        match self {
            Width::Two => 2,
            Width::Four => 4,
            Width::Eight => 8,
        }
    }

    /// Whether `bytes` is a number of whole words. No division: it takes as long as swapping a line of the cache.
    pub(crate) const fn divides(self, bytes: usize) -> bool {
        bytes & (self.bytes() - 1) == 0
    }

    /// The width of words of `bytes` bytes.
    pub fn of_bytes(bytes: usize) -> Result<Width, ByteswapError> {
        let found = Width::ALL.into_iter().find(|width| width.bytes() == bytes);
        found.ok_or(ByteswapError::Width { bytes })
    }
}
