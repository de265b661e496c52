//! Which loop runs: by level, width, stores and threads.

use super::error::ByteswapError;
use super::{Width, reference};

use crate::aliasing::{Aliasing, aliasing};
use crate::isa::Isa;
use crate::plan::{CACHED, Plan};
use crate::threads::{Shared, each_piece};
use crate::tuning::{Constant, Tuning};
use crate::vector::{Compiled, compiled};

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
/// `source` can be read and `destination` written for `bytes` bytes, and nothing else uses them meanwhile.
pub unsafe fn swap(
    plan: Plan,
    threads: Threads,
    width: Width,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) -> Result<(), ByteswapError> {
    let plan = plan.require()?;
    if !width.divides(bytes) {
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
    let words_aligned = width.divides(destination.addr());
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
        // SAFETY: as above for the whole; a piece is within both arrays, is whole words, and keeps alignment.
        unsafe {
            let (from, to) = (from.get().add(piece.start), to.get().add(piece.start));
            one(plan.isa, width, stream, from, to, piece.len());
        }
    });
    Ok(())
}

/// Words swapped from one place to another. With `STREAM` the whole lines of the destination are written past the caches,
/// and visible to other threads when it returns.
pub struct Swap<const WIDTH: usize, const STREAM: bool> {
    pub(super) source: *const u8,
    pub(super) destination: *mut u8,
    pub(super) bytes: usize,
}

impl<const WIDTH: usize, const STREAM: bool> Swap<WIDTH, STREAM> {
    /// # Safety
    /// Until it has run `source` and `destination` have `bytes` bytes, a multiple of `WIDTH`, and are the same or disjoint.
    /// With `STREAM` the destination is aligned to `WIDTH`.
    pub unsafe fn new(source: *const u8, destination: *mut u8, bytes: usize) -> Self {
        Swap { source, destination, bytes }
    }

    /// The definition, where there are no vectors.
    pub fn run_plain(self) {
        // SAFETY: what `new` demands.
        unsafe { reference::swap::<WIDTH>(self.source, self.destination, self.bytes) }
    }
}

compiled! {
    swap[const WIDTH: usize, const STREAM: bool] = Swap<WIDTH, STREAM> => ();
}

/// Swaps on this thread.
///
/// # Safety
/// As for [`Swap::new`], with `stream` for `STREAM`.
unsafe fn one(isa: Isa, width: Width, stream: bool, source: *const u8, destination: *mut u8, bytes: usize) {
    /// # Safety
    /// As for [`Swap::new`].
    unsafe fn at<const WIDTH: usize, const STREAM: bool>(
        isa: Isa,
        source: *const u8,
        destination: *mut u8,
        bytes: usize,
    ) {
        // SAFETY: the caller's promises.
        let swap = unsafe { Swap::<WIDTH, STREAM>::new(source, destination, bytes) };
        swap.at(isa, Swap::run_plain);
    }
    let at = match (width, stream) {
        (Width::Two, false) => at::<2, false>,
        (Width::Two, true) => at::<2, true>,
        (Width::Four, false) => at::<4, false>,
        (Width::Four, true) => at::<4, true>,
        (Width::Eight, false) => at::<8, false>,
        (Width::Eight, true) => at::<8, true>,
    };
    // SAFETY: the caller's promises.
    unsafe { at(isa, source, destination, bytes) };
}
