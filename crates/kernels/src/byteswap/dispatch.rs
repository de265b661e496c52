//! Which loop runs: by level, width, stores and threads.

use super::error::ByteswapError;
use super::{Width, reference};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, sse42};
use crate::aliasing::{Aliasing, aliasing};
use crate::isa::Isa;
use crate::plan::{CACHED, Plan};
use crate::threads::{Shared, each_piece};
use crate::tuning::{Constant, Tuning};

/// Whether to use threads.
#[derive(Clone, Copy)]
pub enum Threads {
    One,
    /// Those of rayon's pool above the measured size.
    BySize,
    /// Those of rayon's pool.
    All,
}

/// Swaps `bytes` bytes from `source` to `destination`, after checking what can be checked.
///
/// # Safety
/// `source` can be read and `destination` written for `bytes` bytes, and nobody else uses them meanwhile.
pub unsafe fn swap(
    plan: Plan,
    threads: Threads,
    width: Width,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) -> Result<(), ByteswapError> {
    let plan = plan.require()?;
    if !bytes.is_multiple_of(width.bytes()) {
        return Err(ByteswapError::Length { length: bytes, width: width.bytes() });
    }
    let in_place = match aliasing(source, destination, bytes) {
        Aliasing::Disjoint => false,
        Aliasing::Same => true,
        Aliasing::Partial => {
            return Err(ByteswapError::Overlap { distance: source.addr().abs_diff(destination.addr()) });
        }
    };
    let all = if in_place { bytes } else { bytes.saturating_mul(2) };
    let measured = || Tuning::active().bytes(Constant::ByteswapNonTemporal);
    let words_aligned = destination.addr().is_multiple_of(width.bytes());
    // In place the lines have been read when they are written: there is nothing to save.
    let stream = !in_place && words_aligned && plan.stores.non_temporal(all, measured);
    let parallel = match threads {
        Threads::One => false,
        Threads::BySize => all > CACHED && all as u64 > Tuning::active().bytes(Constant::ByteswapParallel),
        Threads::All => true,
    };
    if !parallel {
        // SAFETY: the level is available, the length whole words, the arrays the same or disjoint, the destination
        // aligned where `stream` is set; the rest is the caller's promise.
        unsafe { one(plan.isa, width, stream, source, destination, bytes) };
        return Ok(());
    }
    // SAFETY: pieces are disjoint, and each is used by one thread.
    let (from, to) = unsafe { (Shared::new(source.cast_mut()), Shared::new(destination)) };
    each_piece(destination.addr(), bytes, width.bytes(), |piece| {
        // SAFETY: as above for the whole; a piece lies within both arrays, is whole words, and keeps alignment.
        unsafe {
            let (from, to) = (from.get().add(piece.start), to.get().add(piece.start));
            one(plan.isa, width, stream, from, to, piece.len());
        }
    });
    Ok(())
}

/// Swaps on this thread.
///
/// # Safety
/// As for [`lanes::swap`](super::lanes::swap), with `isa` available and `stream` for `STREAM`.
unsafe fn one(isa: Isa, width: Width, stream: bool, source: *const u8, destination: *mut u8, bytes: usize) {
    // SAFETY: the caller's promises.
    unsafe {
        match width {
            Width::Two => at_level::<2>(isa, stream, source, destination, bytes),
            Width::Four => at_level::<4>(isa, stream, source, destination, bytes),
            Width::Eight => at_level::<8>(isa, stream, source, destination, bytes),
        }
    }
}

/// # Safety
/// As for [`one`].
unsafe fn at_level<const WIDTH: usize>(
    isa: Isa,
    stream: bool,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) {
    // SAFETY: the caller's promises.
    unsafe {
        match (isa, stream) {
            #[cfg(target_arch = "x86_64")]
            (Isa::Sse42, false) => sse42::swap::<WIDTH, false>(source, destination, bytes),
            #[cfg(target_arch = "x86_64")]
            (Isa::Sse42, true) => sse42::swap::<WIDTH, true>(source, destination, bytes),
            #[cfg(target_arch = "x86_64")]
            (Isa::Avx2, false) => avx2::swap::<WIDTH, false>(source, destination, bytes),
            #[cfg(target_arch = "x86_64")]
            (Isa::Avx2, true) => avx2::swap::<WIDTH, true>(source, destination, bytes),
            #[cfg(target_arch = "x86_64")]
            (Isa::Avx512, false) => avx512::swap::<WIDTH, false>(source, destination, bytes),
            #[cfg(target_arch = "x86_64")]
            (Isa::Avx512, true) => avx512::swap::<WIDTH, true>(source, destination, bytes),
            _ => reference::swap::<WIDTH>(source, destination, bytes),
        }
    }
}
