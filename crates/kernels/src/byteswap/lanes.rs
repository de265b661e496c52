//! The loop, written once for every vector width; a level instantiates it with [`entry!`].

use super::reference;

/// A vector of bytes.
///
/// # Safety of the methods
/// The processor must have the instructions of the level that implements them.
pub trait Lanes: Copy {
    /// Size.
    const BYTES: usize;

    /// The shuffle that reverses the bytes of each word of `WIDTH` bytes.
    unsafe fn pattern<const WIDTH: usize>() -> Self;
    /// `source` has [`Lanes::BYTES`] readable bytes, of any alignment.
    unsafe fn load(source: *const u8) -> Self;
    /// The vector's bytes in the pattern's order.
    unsafe fn shuffled(self, pattern: Self) -> Self;
    /// `destination` has [`Lanes::BYTES`] writable bytes, of any alignment.
    unsafe fn store(self, destination: *mut u8);
    /// Writes past the caches. `destination` is aligned to [`Lanes::BYTES`].
    unsafe fn stream(self, destination: *mut u8);
    /// Swaps fewer than [`Lanes::BYTES`] bytes, whole words of `WIDTH`; source and destination are the same or
    /// disjoint.
    unsafe fn rest<const WIDTH: usize>(source: *const u8, destination: *mut u8, bytes: usize, pattern: Self);
}

/// A line of the caches. Non-temporal stores that fill it from its first byte on leave as one write.
const LINE: usize = 64;

/// Vectors per turn: enough loads under way to hide their latency; more did not gain.
const UNROLL: usize = 4;

/// The index of each of 16 bytes in a shuffle that reverses words of `WIDTH` bytes. Words do not cross lanes of 16
/// bytes, so it serves every lane of a wider vector.
pub const fn reversed<const WIDTH: usize>() -> [u8; 16] {
    let mut pattern = [0; 16];
    let mut at = 0;
    while at < 16 {
        pattern[at] = (at / WIDTH * WIDTH + WIDTH - 1 - at % WIDTH) as u8;
        at += 1;
    }
    pattern
}

/// Swaps `bytes` bytes. With `STREAM` the whole lines of the destination are written past the caches, and visible to
/// other threads when it returns.
///
/// # Safety
/// The processor must have the instructions of `V`'s level. `source` and `destination` have `bytes` bytes, a multiple
/// of `WIDTH`, and are the same or disjoint. With `STREAM` the destination is aligned to `WIDTH`.
#[inline(always)]
pub unsafe fn swap<V: Lanes, const WIDTH: usize, const STREAM: bool>(
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
) {
    let align = if STREAM { LINE } else { V::BYTES };
    let gap = destination.align_offset(align);
    // Less than a turn is not worth an extra store; words across the boundary cannot be aligned.
    let head = if bytes >= UNROLL * V::BYTES + LINE && gap % WIDTH == 0 { gap } else { 0 };
    // SAFETY: every access lies between 0 and `bytes`; at the turns that stream, the destination has been aligned to a
    // line by `head`, and a turn is whole vectors; the rest is the caller's promise.
    unsafe {
        let pattern = V::pattern::<WIDTH>();
        plain::<V, WIDTH>(source, destination, head, pattern);
        let turn = UNROLL * V::BYTES;
        let turns = (bytes - head) / turn * turn;
        let aligned = STREAM && destination.add(head).align_offset(LINE) == 0;
        if aligned {
            for at in (head..head + turns).step_by(turn) {
                let vectors = load_turn::<V>(source.add(at), pattern);
                for (k, vector) in vectors.into_iter().enumerate() {
                    vector.stream(destination.add(at + k * V::BYTES));
                }
            }
            // Non-temporal stores are ordered with nothing; whoever is told that we are done must see them.
            std::arch::x86_64::_mm_sfence();
        } else {
            for at in (head..head + turns).step_by(turn) {
                let vectors = load_turn::<V>(source.add(at), pattern);
                for (k, vector) in vectors.into_iter().enumerate() {
                    vector.store(destination.add(at + k * V::BYTES));
                }
            }
        }
        let at = head + turns;
        plain::<V, WIDTH>(source.add(at), destination.add(at), bytes - at, pattern);
    }
}

/// The swapped vectors of one turn. All are loaded before any is stored, so that none waits for a store that might
/// have written it.
///
/// # Safety
/// As for [`Lanes`]; `source` has a turn of readable bytes.
#[inline(always)]
unsafe fn load_turn<V: Lanes>(source: *const u8, pattern: V) -> [V; UNROLL] {
    // SAFETY: the caller's promises.
    unsafe {
        [
            V::load(source).shuffled(pattern),
            V::load(source.add(V::BYTES)).shuffled(pattern),
            V::load(source.add(2 * V::BYTES)).shuffled(pattern),
            V::load(source.add(3 * V::BYTES)).shuffled(pattern),
        ]
    }
}

/// Swaps with plain stores, vector by vector.
///
/// # Safety
/// As for [`swap`].
#[inline(always)]
unsafe fn plain<V: Lanes, const WIDTH: usize>(
    source: *const u8,
    destination: *mut u8,
    bytes: usize,
    pattern: V,
) {
    let whole = bytes / V::BYTES * V::BYTES;
    // SAFETY: every access lies between 0 and `bytes`.
    unsafe {
        for at in (0..whole).step_by(V::BYTES) {
            V::load(source.add(at)).shuffled(pattern).store(destination.add(at));
        }
        if bytes > whole {
            V::rest::<WIDTH>(source.add(whole), destination.add(whole), bytes - whole, pattern);
        }
    }
}

/// [`Lanes::rest`] of levels without masked stores: 16 bytes at a time, then word by word.
///
/// # Safety
/// As for [`Lanes::rest`]; the processor has SSSE3.
#[inline(always)]
pub unsafe fn rest_by_16<const WIDTH: usize>(source: *const u8, destination: *mut u8, bytes: usize) {
    use std::arch::x86_64::*;
    let whole = bytes / 16 * 16;
    // SAFETY: every access lies between 0 and `bytes`.
    unsafe {
        let pattern = _mm_loadu_si128(reversed::<WIDTH>().as_ptr().cast());
        for at in (0..whole).step_by(16) {
            let vector = _mm_loadu_si128(source.add(at).cast());
            _mm_storeu_si128(destination.add(at).cast(), _mm_shuffle_epi8(vector, pattern));
        }
        reference::swap::<WIDTH>(source.add(whole), destination.add(whole), bytes - whole);
    }
}

/// The level's function, compiled with its features.
macro_rules! entry {
    ($features:literal, $vector:ty) => {
        /// Swaps `bytes` bytes with vectors of this level.
        ///
        /// # Safety
        /// As for [`lanes::swap`](super::lanes::swap).
        #[target_feature(enable = $features)]
        pub unsafe fn swap<const WIDTH: usize, const STREAM: bool>(
            source: *const u8,
            destination: *mut u8,
            bytes: usize,
        ) {
            // SAFETY: the caller's promises; the features are this function's.
            unsafe { super::lanes::swap::<$vector, WIDTH, STREAM>(source, destination, bytes) }
        }
    };
}
pub(super) use entry;
