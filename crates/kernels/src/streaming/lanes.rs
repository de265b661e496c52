//! The loop, written once for every vector type and operation; a level instantiates it with [`entries!`].

use super::element::{Arrays, code};

/// A vector of floating-point numbers.
///
/// # Safety of the methods
/// The processor must have the instructions of the level that implements them.
pub trait Lanes: Copy {
    /// What it holds.
    type Element: Copy;
    /// How many.
    const LANES: usize;

    unsafe fn splat(element: Self::Element) -> Self;
    /// `source` has [`Lanes::LANES`] readable elements.
    unsafe fn load(source: *const Self::Element) -> Self;
    /// The first `count` elements, fewer than a vector has; only those are read, the other lanes are zero.
    unsafe fn load_first(source: *const Self::Element, count: usize) -> Self;
    /// `destination` has [`Lanes::LANES`] writable elements.
    unsafe fn store(self, destination: *mut Self::Element);
    /// Writes only the first `count` elements, fewer than a vector has.
    unsafe fn store_first(self, destination: *mut Self::Element, count: usize);
    /// Writes past the caches. `destination` is aligned to the vector.
    unsafe fn stream(self, destination: *mut Self::Element);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
}

/// A line of the caches. Non-temporal stores that fill it from its first byte on leave as one write.
const LINE: usize = 64;

/// Vectors per turn: enough loads under way to hide their latency; more did not gain.
const UNROLL: usize = 4;

/// Runs the operation `CODE`. With `STREAM` the whole lines of the destination are written past the caches, and
/// visible to other threads when it returns.
///
/// # Safety
/// The processor must have the instructions of `V`'s level; as for [`Arrays`].
#[inline(always)]
pub unsafe fn run<V: Lanes, const CODE: u8, const STREAM: bool>(arrays: Arrays<V::Element>) {
    let Arrays { a, elements, s, .. } = arrays;
    let align = if STREAM { LINE } else { V::LANES * size_of::<V::Element>() };
    // In elements; the destination is aligned to them.
    let gap = a.cast::<u8>().align_offset(align) / size_of::<V::Element>();
    let turn = UNROLL * V::LANES;
    let worth = elements >= turn + LINE / size_of::<V::Element>();
    let head = if worth { gap } else { 0 };
    // SAFETY: every access lies within `elements`; where stores stream, `head` has aligned the destination to a line,
    // and turns are whole vectors; the rest is the caller's promise.
    unsafe {
        let s = V::splat(s);
        plain::<V, CODE>(arrays, s, 0, head);
        let turns = head + (elements - head) / turn * turn;
        if STREAM && worth {
            for at in (head..turns).step_by(turn) {
                let values = turn_at::<V, CODE>(arrays, s, at);
                for (k, value) in values.into_iter().enumerate() {
                    value.stream(a.add(at + k * V::LANES));
                }
            }
            // Non-temporal stores are ordered with nothing; whoever is told that we are done must see them.
            std::arch::x86_64::_mm_sfence();
        } else {
            for at in (head..turns).step_by(turn) {
                let values = turn_at::<V, CODE>(arrays, s, at);
                for (k, value) in values.into_iter().enumerate() {
                    value.store(a.add(at + k * V::LANES));
                }
            }
        }
        plain::<V, CODE>(arrays, s, turns, elements);
    }
}

/// The results of one turn from element `at` on. All are computed before any is stored, so that no load waits for a
/// store that might have written what it reads.
///
/// # Safety
/// As for [`run`], with a turn of elements at `at`.
#[inline(always)]
unsafe fn turn_at<V: Lanes, const CODE: u8>(arrays: Arrays<V::Element>, s: V, at: usize) -> [V; UNROLL] {
    let load = |source: *const V::Element| {
        move |k: usize| {
            // SAFETY: the caller has a turn of elements at `at` in the sources that the operation reads.
            unsafe { V::load(source.add(at + k * V::LANES)) }
        }
    };
    let (b, c) = (load(arrays.b), load(arrays.c));
    // SAFETY: the caller's promises.
    unsafe {
        [
            value::<V, CODE>(s, || b(0), || c(0)),
            value::<V, CODE>(s, || b(1), || c(1)),
            value::<V, CODE>(s, || b(2), || c(2)),
            value::<V, CODE>(s, || b(3), || c(3)),
        ]
    }
}

/// The elements from `begin` to `end` with plain stores.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn plain<V: Lanes, const CODE: u8>(arrays: Arrays<V::Element>, s: V, begin: usize, end: usize) {
    let Arrays { a, b, c, .. } = arrays;
    let whole = begin + (end - begin) / V::LANES * V::LANES;
    let rest = end - whole;
    // SAFETY: every access lies between `begin` and `end`.
    unsafe {
        for at in (begin..whole).step_by(V::LANES) {
            value::<V, CODE>(s, || V::load(b.add(at)), || V::load(c.add(at))).store(a.add(at));
        }
        if rest > 0 {
            let first = |source: *const V::Element| V::load_first(source.add(whole), rest);
            value::<V, CODE>(s, || first(b), || first(c)).store_first(a.add(whole), rest);
        }
    }
}

/// The operation on one vector; sources that it does not use are not loaded.
///
/// # Safety
/// As for [`Lanes`].
#[inline(always)]
unsafe fn value<V: Lanes, const CODE: u8>(s: V, b: impl FnOnce() -> V, c: impl FnOnce() -> V) -> V {
    // SAFETY: the caller's promise.
    unsafe {
        match CODE {
            code::COPY => b(),
            code::FILL => s,
            code::SCALE => s.mul(b()),
            code::ADD => b().add(c()),
            _ => b().add(s.mul(c())),
        }
    }
}

/// The level's functions, compiled with its features.
macro_rules! entries {
    ($features:literal, $single:ty, $double:ty) => {
        entries!(@one $features, f32, $single);
        entries!(@one $features, f64, $double);
    };
    (@one $features:literal, $element:ident, $vector:ty) => {
        /// Runs an operation with vectors of this level.
        ///
        /// # Safety
        /// As for [`lanes::run`](super::lanes::run).
        #[target_feature(enable = $features)]
        pub unsafe fn $element<const CODE: u8, const STREAM: bool>(arrays: super::element::Arrays<$element>) {
            // SAFETY: the caller's promises; the features are this function's.
            unsafe { super::lanes::run::<$vector, CODE, STREAM>(arrays) }
        }
    };
}
pub(super) use entries;

/// The methods of a vector that are one instruction each.
macro_rules! instructions {
    ($element:ty, $lanes:literal, $splat:ident $load:ident $store:ident $stream:ident $add:ident $mul:ident) => {
        type Element = $element;
        const LANES: usize = $lanes;

        #[inline(always)]
        unsafe fn splat(element: $element) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $splat(element) }
        }
        #[inline(always)]
        unsafe fn load(source: *const $element) -> Self {
            // SAFETY: the caller has the level and a vector there.
            unsafe { $load(source) }
        }
        #[inline(always)]
        unsafe fn store(self, destination: *mut $element) {
            // SAFETY: the caller has the level and a vector there.
            unsafe { $store(destination, self) }
        }
        #[inline(always)]
        unsafe fn stream(self, destination: *mut $element) {
            // SAFETY: the caller has the level and an aligned vector there, and fences.
            unsafe { $stream(destination, self) }
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $add(self, other) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            // SAFETY: the caller has the level.
            unsafe { $mul(self, other) }
        }
    };
}
pub(super) use instructions;
