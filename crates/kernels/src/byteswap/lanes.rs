//! The loop, written once for every vector width.

use super::dispatch::Swap;
use super::reference;
use crate::vector::{Integers, Level, Sse42, Task, avx512, fence};

impl<L: Level, const WIDTH: usize, const STREAM: bool> Task<L> for Swap<WIDTH, STREAM> {
    type Output = ();

    #[inline(always)]
    fn run(self, level: L) {
        // SAFETY: what `new` demands.
        unsafe { swap::<L::Integers, WIDTH, STREAM>(level, self.source, self.destination, self.bytes) }
    }
}

/// A line of the caches. Non-temporal stores that fill it from its first byte on leave as one write.
const LINE: usize = 64;

/// Vectors per turn: enough loads under way to hide their latency; more did not gain.
const UNROLL: usize = 4;

/// Swaps `bytes` bytes.
///
/// # Safety
/// As for [`Swap::new`].
#[inline(always)]
unsafe fn swap<V: Integers, const WIDTH: usize, const STREAM: bool>(
    level: V::Level,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) {
    let align = if STREAM { LINE } else { V::BYTES };
    let gap = destination.align_offset(align);
    // Less than a turn is not worth an extra store; words across the boundary cannot be aligned.
    let head = if bytes >= UNROLL * V::BYTES + LINE && gap % WIDTH == 0 { gap } else { 0 };
    // SAFETY: every access is between 0 and `bytes`; at the turns that stream, the destination has been aligned to a
    // line by `head`, and a turn is whole vectors; the rest is the caller's promise.
    unsafe {
        if head > 0 {
            plain::<V, WIDTH>(level, source, destination, head);
        }
        let turn = UNROLL * V::BYTES;
        let end = head + (bytes - head) / turn * turn;
        let mut at = head;
        let aligned = STREAM && destination.add(head).align_offset(LINE) == 0;
        // Loops by hand: those over steps count their turns first, which takes as long as some turns.
        if aligned {
            while at < end {
                let vectors = load_turn::<V, WIDTH>(level, source.add(at));
                for (k, vector) in vectors.into_iter().enumerate() {
                    vector.stream(destination.add(at + k * V::BYTES));
                }
                at += turn;
            }
            // Non-temporal stores are ordered with nothing; a thread that is notified of the end must see them.
            fence();
        } else {
            while at < end {
                let vectors = load_turn::<V, WIDTH>(level, source.add(at));
                for (k, vector) in vectors.into_iter().enumerate() {
                    vector.store(destination.add(at + k * V::BYTES));
                }
                at += turn;
            }
        }
        if at < bytes {
            plain::<V, WIDTH>(level, source.add(at), destination.add(at), bytes - at);
        }
    }
}

/// The swapped vectors of one turn. All are loaded before any is stored, so that none waits for a store that might
/// have written it.
///
/// # Safety
/// `source` has a turn of readable bytes.
#[inline(always)]
unsafe fn load_turn<V: Integers, const WIDTH: usize>(level: V::Level, source: *const u8) -> [V; UNROLL] {
    // SAFETY: four vectors are a turn.
    unsafe {
        [
            V::load(level, source).reversed::<WIDTH>(),
            V::load(level, source.add(V::BYTES)).reversed::<WIDTH>(),
            V::load(level, source.add(2 * V::BYTES)).reversed::<WIDTH>(),
            V::load(level, source.add(3 * V::BYTES)).reversed::<WIDTH>(),
        ]
    }
}

/// Swaps with plain stores, vector by vector; what is left under a mask where the level has one, else 16 bytes at a time
/// and word by word.
///
/// # Safety
/// As for [`swap`].
#[inline(always)]
unsafe fn plain<V: Integers, const WIDTH: usize>(
    level: V::Level,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) {
    // SAFETY: every access is between 0 and `bytes`.
    unsafe {
        let whole = vectors::<V, WIDTH>(level, source, destination, bytes);
        if whole == bytes {
            return;
        }
        let (source, destination, rest) = (source.add(whole), destination.add(whole), bytes - whole);
        if let Some(level) = level.avx512() {
            avx512::Integers::load_first(level, source, rest)
                .reversed::<WIDTH>()
                .store_first(destination, rest);
        } else {
            let whole =
                vectors::<<Sse42 as Level>::Integers, WIDTH>(level.sse42(), source, destination, rest);
            reference::swap::<WIDTH>(source.add(whole), destination.add(whole), rest - whole);
        }
    }
}

/// Swaps as many bytes as are whole vectors; returns how many.
///
/// # Safety
/// As for [`swap`].
#[inline(always)]
unsafe fn vectors<V: Integers, const WIDTH: usize>(
    level: V::Level,
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) -> usize {
    let whole = bytes / V::BYTES * V::BYTES;
    for at in (0..whole).step_by(V::BYTES) {
        // SAFETY: every access is between 0 and `bytes`.
        unsafe { V::load(level, source.add(at)).reversed::<WIDTH>().store(destination.add(at)) };
    }
    whole
}
