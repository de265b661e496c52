//! The loop, written once for every vector type and operation.

use super::element::{Arrays, Run, code};
use crate::vector::{Floats, Level, Number, Task, fence};

impl<L: Level, T: Number, const CODE: u8, const STREAM: bool> Task<L> for Run<T, CODE, STREAM> {
    type Output = ();

    #[inline(always)]
    fn run(self, level: L) {
        // SAFETY: what `new` demands.
        unsafe { run::<T::Vector<L>, CODE, STREAM>(level, self.0) }
    }
}

/// A line of the caches. Non-temporal stores that fill it from its first byte on leave as one write.
const LINE: usize = 64;

/// Vectors per turn: enough loads under way to hide their latency; more did not gain.
const UNROLL: usize = 4;

/// Runs the operation `CODE`. With `STREAM` the whole lines of the destination are written past the caches, and
/// visible to other threads when it returns.
///
/// # Safety
/// As for [`Arrays`].
#[inline(always)]
unsafe fn run<V: Floats, const CODE: u8, const STREAM: bool>(level: V::Level, arrays: Arrays<V::Element>) {
    let Arrays { a, elements, s, .. } = arrays;
    let align = if STREAM { LINE } else { V::LANES * size_of::<V::Element>() };
    // In elements; the destination is aligned to them.
    let gap = a.cast::<u8>().align_offset(align) / size_of::<V::Element>();
    let turn = UNROLL * V::LANES;
    let worth = elements >= turn + LINE / size_of::<V::Element>();
    let head = if worth { gap } else { 0 };
    // SAFETY: every access is within `elements`; where stores stream, `head` has aligned the destination to a line,
    // and turns are whole vectors; the rest is the caller's promise.
    unsafe {
        let s = V::splat(level, s);
        if head > 0 {
            plain::<V, CODE>(level, arrays, s, 0, head);
        }
        let end = head + (elements - head) / turn * turn;
        let mut at = head;
        // Loops by hand: those over steps count their turns first, which takes as long as some turns.
        if STREAM && worth {
            while at < end {
                let values = turn_at::<V, CODE>(level, arrays, s, at);
                for (k, value) in values.into_iter().enumerate() {
                    value.stream(a.add(at + k * V::LANES));
                }
                at += turn;
            }
            // Non-temporal stores are ordered with nothing; a thread that is notified of the end must see them.
            fence();
        } else {
            while at < end {
                let values = turn_at::<V, CODE>(level, arrays, s, at);
                for (k, value) in values.into_iter().enumerate() {
                    value.store(a.add(at + k * V::LANES));
                }
                at += turn;
            }
        }
        if at < elements {
            plain::<V, CODE>(level, arrays, s, at, elements);
        }
    }
}

/// The results of one turn from element `at` on. All are computed before any is stored, so that no load waits for a
/// store that might have written what it reads.
///
/// # Safety
/// As for [`run`], with a turn of elements at `at`.
#[inline(always)]
unsafe fn turn_at<V: Floats, const CODE: u8>(
    level: V::Level,
    arrays: Arrays<V::Element>,
    s: V,
    at: usize,
) -> [V; UNROLL] {
    let load = |source: *const V::Element| {
        move |k: usize| {
            // SAFETY: the caller has a turn of elements at `at` in the sources that the operation reads.
            unsafe { V::load(level, source.add(at + k * V::LANES)) }
        }
    };
    let (b, c) = (load(arrays.b), load(arrays.c));
    [
        value::<V, CODE>(s, || b(0), || c(0)),
        value::<V, CODE>(s, || b(1), || c(1)),
        value::<V, CODE>(s, || b(2), || c(2)),
        value::<V, CODE>(s, || b(3), || c(3)),
    ]
}

/// The elements from `begin` to `end` with plain stores.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn plain<V: Floats, const CODE: u8>(
    level: V::Level,
    arrays: Arrays<V::Element>,
    s: V,
    begin: usize,
    end: usize,
) {
    let Arrays { a, b, c, .. } = arrays;
    let whole = begin + (end - begin) / V::LANES * V::LANES;
    let rest = end - whole;
    // SAFETY: every access is between `begin` and `end`.
    unsafe {
        for at in (begin..whole).step_by(V::LANES) {
            value::<V, CODE>(s, || V::load(level, b.add(at)), || V::load(level, c.add(at))).store(a.add(at));
        }
        if rest > 0 {
            let first = |source: *const V::Element| V::load_first(level, source.add(whole), rest);
            value::<V, CODE>(s, || first(b), || first(c)).store_first(a.add(whole), rest);
        }
    }
}

/// The operation on one vector; sources that it does not use are not loaded.
#[inline(always)]
fn value<V: Floats, const CODE: u8>(s: V, b: impl FnOnce() -> V, c: impl FnOnce() -> V) -> V {
    match CODE {
        code::COPY => b(),
        code::FILL => s,
        code::SCALE => s.mul(b()),
        code::ADD => b().add(c()),
        _ => b().add(s.mul(c())),
    }
}
