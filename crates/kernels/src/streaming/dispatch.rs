//! Checks an operation's arrays, then runs it: by level, stores and threads.

use super::element::Arrays;
use super::{Element, Operation, StreamError};
use crate::aliasing::{Aliasing, aliasing};
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

/// Runs `operation` after checking what can be checked. Pointers to sources that it does not use are not looked at.
///
/// # Safety
/// For `elements` elements `a` can be written and the sources that the operation uses can be read, and no other
/// thread uses them meanwhile.
pub unsafe fn run<T: Element>(
    plan: Plan,
    threads: Threads,
    operation: Operation<T>,
    a: *mut T,
    sources: [*const T; 2],
    elements: usize,
) -> Result<(), StreamError> {
    let plan = plan.require()?;
    let unit = size_of::<T>();
    let bytes = elements.checked_mul(unit).filter(|&bytes| bytes <= isize::MAX as usize);
    let bytes = bytes.ok_or(StreamError::Size { elements, bytes: unit })?;
    let used = &sources[..operation.sources()];
    for address in [a.addr()].into_iter().chain(used.iter().map(|source| source.addr())) {
        if address % align_of::<T>() != 0 {
            return Err(StreamError::Misaligned { address, bytes: unit });
        }
    }
    let mut in_place = false;
    for (&source, array) in used.iter().zip(['b', 'c']) {
        match aliasing(a, source, bytes) {
            Aliasing::Disjoint => {}
            Aliasing::Same => in_place = true,
            Aliasing::Partial => {
                return Err(StreamError::Overlap { array, distance: a.addr().abs_diff(source.addr()) });
            }
        }
    }
    let arrays = 1 + used.len() - usize::from(in_place);
    let all = bytes.saturating_mul(arrays);
    let measured = || Tuning::active().bytes(operation.constant());
    // A destination that is a source has been read when it is written: there is nothing to save.
    let stream = !in_place && plan.stores.non_temporal(all, measured);
    let parallel = match threads {
        Threads::One => false,
        Threads::BySize => all > CACHED && all as u64 > Tuning::active().bytes(Constant::StreamingParallel),
        Threads::All => true,
    };
    let s = match operation {
        Operation::Fill(s) | Operation::Scale(s) | Operation::Triad(s) => s,
        Operation::Copy | Operation::Add => T::default(),
    };
    let [b, c] = sources;
    if !parallel {
        // SAFETY: alignment and aliasing were checked; the rest is the caller's promise.
        unsafe { T::run(plan.isa, stream, operation, Arrays { a, b, c, s, elements }) };
        return Ok(());
    }
    // SAFETY: pieces are disjoint, and each is used by one thread.
    let shared = unsafe { [Shared::new(a), Shared::new(b.cast_mut()), Shared::new(c.cast_mut())] };
    each_piece(a.addr(), bytes, unit, |piece| {
        let at = piece.start / unit;
        // A source that is not used may point anywhere.
        let [a, b, c] = shared.map(|array| array.get().wrapping_add(at));
        let arrays = Arrays { a, b: b.cast_const(), c: c.cast_const(), s, elements: piece.len() / unit };
        // SAFETY: as above for the whole; a piece is within the arrays and consists of whole elements.
        unsafe { T::run(plan.isa, stream, operation, arrays) };
    });
    Ok(())
}
