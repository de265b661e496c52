//! What arrays consist of, and which level's loop runs for it.

use super::{Operation, reference};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, sse42};
use crate::isa::Isa;

/// `f32` or `f64`.
pub trait Element: sealed::Levels {}

impl Element for f32 {}
impl Element for f64 {}

/// The operations as numbers, for loops that are compiled once for each.
pub mod code {
    pub const COPY: u8 = 0;
    pub const FILL: u8 = 1;
    pub const SCALE: u8 = 2;
    pub const ADD: u8 = 3;
    pub const TRIAD: u8 = 4;
}

/// The arrays of an operation.
///
/// # Safety
/// For every function that takes it: `a` can be written, and `b` and `c` read where the operation uses them, for
/// `elements` elements; all are aligned to the element; sources are disjoint from `a` or the same.
#[derive(Clone, Copy)]
pub struct Arrays<T> {
    pub a: *mut T,
    pub b: *const T,
    pub c: *const T,
    pub s: T,
    pub elements: usize,
}

/// Which code runs.
#[derive(Clone, Copy)]
pub struct Choice {
    pub isa: Isa,
    /// Whether stores pass the caches.
    pub stream: bool,
}

pub(super) mod sealed {
    use super::*;

    /// The level's loops for a type.
    pub trait Levels: Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
        const ZERO: Self;

        /// Runs `operation`, whose scalar is also in `arrays`.
        ///
        /// # Safety
        /// The level is available; as for [`Arrays`].
        unsafe fn run(choice: Choice, operation: Operation<Self>, arrays: Arrays<Self>);
    }

    macro_rules! levels {
        ($element:ident) => {
            impl Levels for $element {
                const ZERO: Self = 0.0;

                unsafe fn run(choice: Choice, operation: Operation<Self>, arrays: Arrays<Self>) {
                    /// # Safety
                    /// As for the method.
                    unsafe fn at_level<const CODE: u8>(choice: Choice, arrays: Arrays<$element>) {
                        // SAFETY: the caller's promises.
                        unsafe {
                            match (choice.isa, choice.stream) {
                                #[cfg(target_arch = "x86_64")]
                                (Isa::Sse42, false) => sse42::$element::<CODE, false>(arrays),
                                #[cfg(target_arch = "x86_64")]
                                (Isa::Sse42, true) => sse42::$element::<CODE, true>(arrays),
                                #[cfg(target_arch = "x86_64")]
                                (Isa::Avx2, false) => avx2::$element::<CODE, false>(arrays),
                                #[cfg(target_arch = "x86_64")]
                                (Isa::Avx2, true) => avx2::$element::<CODE, true>(arrays),
                                #[cfg(target_arch = "x86_64")]
                                (Isa::Avx512, false) => avx512::$element::<CODE, false>(arrays),
                                #[cfg(target_arch = "x86_64")]
                                (Isa::Avx512, true) => avx512::$element::<CODE, true>(arrays),
                                _ => reference::run::<$element, CODE>(arrays),
                            }
                        }
                    }
                    // SAFETY: the caller's promises.
                    unsafe {
                        match operation {
                            Operation::Copy => at_level::<{ code::COPY }>(choice, arrays),
                            Operation::Fill(_) => at_level::<{ code::FILL }>(choice, arrays),
                            Operation::Scale(_) => at_level::<{ code::SCALE }>(choice, arrays),
                            Operation::Add => at_level::<{ code::ADD }>(choice, arrays),
                            Operation::Triad(_) => at_level::<{ code::TRIAD }>(choice, arrays),
                        }
                    }
                }
            }
        };
    }
    levels!(f32);
    levels!(f64);
}
