//! Swapping bytes of any alignment, and arrays behind pointers.

use super::dispatch::{Threads, swap};
use super::{ByteswapError, Width};
use crate::isa::Isa;
use crate::plan::Plan;
use crate::routine::Routine;

fn in_place(isa: Isa, threads: Threads, width: Width, bytes: &mut [u8]) -> Result<(), ByteswapError> {
    let (pointer, length) = (bytes.as_mut_ptr(), bytes.len());
    // SAFETY: the slice is borrowed for the call.
    unsafe { swap(isa.into(), threads, width, pointer, pointer, length) }
}

fn into(
    plan: Plan,
    threads: Threads,
    width: Width,
    source: &[u8],
    destination: &mut [u8],
) -> Result<(), ByteswapError> {
    if source.len() != destination.len() {
        let (source_length, destination_length) = (source.len(), destination.len());
        return Err(ByteswapError::Lengths { source_length, destination_length });
    }
    // SAFETY: the slices are borrowed for the call and have the same length.
    unsafe { swap(plan, threads, width, source.as_ptr(), destination.as_mut_ptr(), source.len()) }
}

/// Swaps the words of `bytes`, which has any alignment.
pub fn swap_bytes_in_place(width: Width, bytes: &mut [u8]) -> Result<(), ByteswapError> {
    in_place(Routine::swap(width, true).level(), Threads::One, width, bytes)
}

/// [`swap_bytes_in_place`] at a level.
pub fn swap_bytes_in_place_with(isa: Isa, width: Width, bytes: &mut [u8]) -> Result<(), ByteswapError> {
    in_place(isa, Threads::One, width, bytes)
}

/// [`swap_bytes_in_place`] on threads above a measured size.
pub fn swap_bytes_in_place_par(width: Width, bytes: &mut [u8]) -> Result<(), ByteswapError> {
    in_place(Routine::swap(width, true).level(), Threads::BySize, width, bytes)
}

/// [`swap_bytes_in_place`] at a level, on threads whatever the size.
pub fn swap_bytes_in_place_par_with(isa: Isa, width: Width, bytes: &mut [u8]) -> Result<(), ByteswapError> {
    in_place(isa, Threads::All, width, bytes)
}

/// Writes the swapped words of `source` to `destination`; both have any alignment and the same length.
pub fn swap_bytes_into(width: Width, source: &[u8], destination: &mut [u8]) -> Result<(), ByteswapError> {
    into(Routine::swap(width, false).plan(), Threads::One, width, source, destination)
}

/// [`swap_bytes_into`] as a plan says.
pub fn swap_bytes_into_with(
    plan: impl Into<Plan>,
    width: Width,
    source: &[u8],
    destination: &mut [u8],
) -> Result<(), ByteswapError> {
    into(plan.into(), Threads::One, width, source, destination)
}

/// [`swap_bytes_into`] on threads above a measured size.
pub fn swap_bytes_into_par(width: Width, source: &[u8], destination: &mut [u8]) -> Result<(), ByteswapError> {
    into(Routine::swap(width, false).plan(), Threads::BySize, width, source, destination)
}

/// [`swap_bytes_into`] as a plan says, on threads whatever the size.
pub fn swap_bytes_into_par_with(
    plan: impl Into<Plan>,
    width: Width,
    source: &[u8],
    destination: &mut [u8],
) -> Result<(), ByteswapError> {
    into(plan.into(), Threads::All, width, source, destination)
}

/// Swaps `bytes` bytes from `source` to `destination`: in place where both are the same, refused where they overlap
/// otherwise. For callers whose arrays come from elsewhere, where Rust's rules on references do not hold. On threads
/// above a measured size if `parallel`.
///
/// # Safety
/// `source` can be read and `destination` written for `bytes` bytes, and no other thread uses them meanwhile.
pub unsafe fn swap_raw(
    plan: impl Into<Plan>,
    parallel: bool,
    width: Width,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) -> Result<(), ByteswapError> {
    let threads = if parallel { Threads::BySize } else { Threads::One };
    // SAFETY: the caller's promises.
    unsafe { swap(plan.into(), threads, width, source, destination, bytes) }
}
