//! The definitions element by element. They are the portable level, too: compilers make their best loop of them.

use super::element::{Arrays, code};
use std::ops::{Add, Mul};

/// Runs the operation `CODE`.
///
/// # Safety
/// As for [`Arrays`].
#[inline(always)]
pub unsafe fn run<T: Copy + Add<Output = T> + Mul<Output = T>, const CODE: u8>(arrays: Arrays<T>) {
    let Arrays { a, b, c, s, elements } = arrays;
    for i in 0..elements {
        // SAFETY: `i` is within the arrays that the operation uses.
        unsafe {
            *a.add(i) = match CODE {
                code::COPY => *b.add(i),
                code::FILL => s,
                code::SCALE => s * *b.add(i),
                code::ADD => *b.add(i) + *c.add(i),
                _ => *b.add(i) + s * *c.add(i),
            };
        }
    }
}
