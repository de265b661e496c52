//! Streaming: copy, fill, scale, add and triad over arrays of `f32` or `f64`.
//!
//! # What is computed
//! ```text
//! copy    a[i] = b[i]
//! fill    a[i] = s
//! scale   a[i] = s b[i]
//! add     a[i] = b[i] + c[i]
//! triad   a[i] = b[i] + s c[i]
//! ```
//!
//! The triad rounds after the product and after the sum: a fused multiplication and addition would give other bits at
//! levels that have it, and the work is bound by memory.
//!
//! # Input
//! The destination comes first, as the formula reads. All arrays have the same length, else a [`StreamError`], before
//! anything is written. Any alignment that the element has. Slices cannot overlap; for callers who hold pointers
//! [`run_raw`] accepts a destination that is one of the sources and refuses other overlaps.
//!
//! # How
//! A plain store to a line that is in no cache makes the processor read the line first. Stores past the caches save
//! that read: Hager, "A case for the non-temporal store" (2008). They want whole aligned lines, and arrays begin
//! anywhere: the elements before the destination's first line and those after its last are written by plain stores,
//! under a mask where the level has one, element by element where it has none. The article's way, MASKMOVDQU, is not
//! taken: it takes any address, but it writes 16 bytes at most, is slower than every other store by an order of
//! magnitude on current processors, evicts the line, and is needed for at most two lines of an array, which are better
//! off in the cache, where their neighbours outside the array may be used.
//!
//! From which size on stores pass the caches is measured per operation ([`crate::tuning`]). The `_par` functions cut
//! arrays into the same pieces for the same threads each time, so that pages first touched by [`fill_par_with`] are
//! near the threads that use them later.

pub(crate) mod dispatch;
mod element;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod operation;
mod reference;

pub use element::Element;
pub use operation::{
    add, add_par, add_par_with, add_with, copy, copy_par, copy_par_with, copy_with, fill, fill_par,
    fill_par_with, fill_with, run_raw, scale, scale_par, scale_par_with, scale_with, triad, triad_par,
    triad_par_with, triad_with,
};

use crate::error::IsaError;
use crate::tuning::Constant;
use thiserror::Error;

/// One of the operations, with its scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation<T> {
    /// `a = b`
    Copy,
    /// `a = s`
    Fill(T),
    /// `a = s b`
    Scale(T),
    /// `a = b + c`
    Add,
    /// `a = b + s c`
    Triad(T),
}

impl<T> Operation<T> {
    /// How many source arrays it reads: `b`, then `c`.
    pub const fn sources(&self) -> usize {
        match self {
            Operation::Fill(_) => 0,
            Operation::Copy | Operation::Scale(_) => 1,
            Operation::Add | Operation::Triad(_) => 2,
        }
    }

    /// The constant that holds its switch-over size.
    pub const fn constant(&self) -> Constant {
        match self {
            Operation::Copy => Constant::CopyNonTemporal,
            Operation::Fill(_) => Constant::FillNonTemporal,
            Operation::Scale(_) => Constant::ScaleNonTemporal,
            Operation::Add => Constant::AddNonTemporal,
            Operation::Triad(_) => Constant::TriadNonTemporal,
        }
    }
}

/// Why an operation is refused. Nothing has been written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A source is not as long as the destination.
    #[error("{array} has {found} elements where the destination has {expected}; pass arrays of one length")]
    Length {
        /// `b` or `c`.
        array: char,
        /// The destination's elements.
        expected: usize,
        /// The source's.
        found: usize,
    },
    /// A source and the destination share some bytes but not all.
    #[error(
        "{array} and the destination overlap {distance} bytes apart; pass the same array, or disjoint ones"
    )]
    Overlap {
        /// `b` or `c`.
        array: char,
        /// Bytes between their beginnings.
        distance: usize,
    },
    /// A pointer is not aligned to its element.
    #[error(
        "the array at {address:#x} is not aligned to its elements of {bytes} bytes; copy it to aligned memory"
    )]
    Misaligned {
        /// Where the array begins.
        address: usize,
        /// Bytes of an element.
        bytes: usize,
    },
    /// An array that is larger than the address space.
    #[error(
        "{elements} elements of {bytes} bytes are more than an address space holds; pass the number of elements"
    )]
    Size {
        /// Elements asked for.
        elements: usize,
        /// Bytes of an element.
        bytes: usize,
    },
    /// The level cannot run here.
    #[error(transparent)]
    Isa(#[from] IsaError),
}
