//! What arrays consist of, and which loop runs for it.

use super::{Operation, reference};
use crate::isa::Isa;
use crate::vector::{Compiled, Number, compiled};

/// `f32` or `f64`.
pub trait Element: sealed::Run {}

impl Element for f32 {}
impl Element for f64 {}

pub(super) mod sealed {
    use super::{Arrays, Isa, Number, Operation};

    /// The operations of a type. These functions are not generic, so that they are compiled in this crate and not in each
    /// that calls them.
    pub trait Run: Number + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static {
        /// Runs `operation`, whose scalar is also in `arrays`, at an available level; with `stream` past the caches.
        ///
        /// # Safety
        /// As for [`Arrays`].
        unsafe fn run(isa: Isa, stream: bool, operation: Operation<Self>, arrays: Arrays<Self>);
    }

    macro_rules! runs {
        ($element:ident) => {
            impl Run for $element {
                unsafe fn run(isa: Isa, stream: bool, operation: Operation<Self>, arrays: Arrays<Self>) {
                    // SAFETY: the caller's promises.
                    unsafe { super::run(isa, stream, operation, arrays) }
                }
            }
        };
    }
    runs!(f32);
    runs!(f64);
}

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

/// The operation `CODE` on arrays. With `STREAM` the whole lines of the destination are written past the caches, and
/// visible to other threads when it returns.
pub struct Run<T, const CODE: u8, const STREAM: bool>(pub(super) Arrays<T>);

impl<T: Number, const CODE: u8, const STREAM: bool> Run<T, CODE, STREAM> {
    /// # Safety
    /// As for [`Arrays`], until it has run.
    pub unsafe fn new(arrays: Arrays<T>) -> Self {
        Run(arrays)
    }

    /// The definition, where there are no vectors.
    pub fn run_plain(self) {
        // SAFETY: what `new` demands.
        unsafe { reference::run::<T, CODE>(self.0) }
    }
}

compiled! {
    run[T: Number, const CODE: u8, const STREAM: bool] = Run<T, CODE, STREAM> => ();
}

/// [`sealed::Run::run`] of any type.
///
/// # Safety
/// As for [`Arrays`].
#[inline(always)]
unsafe fn run<T: Number>(isa: Isa, stream: bool, operation: Operation<T>, arrays: Arrays<T>) {
    /// # Safety
    /// As for [`Arrays`].
    unsafe fn at<T: Number, const CODE: u8>(isa: Isa, stream: bool, arrays: Arrays<T>) {
        // SAFETY: the caller's promises.
        unsafe {
            match stream {
                false => Run::<T, CODE, false>::new(arrays).at(isa, Run::run_plain),
                true => Run::<T, CODE, true>::new(arrays).at(isa, Run::run_plain),
            }
        }
    }
    let at = match operation {
        Operation::Copy => at::<T, { code::COPY }>,
        Operation::Fill(_) => at::<T, { code::FILL }>,
        Operation::Scale(_) => at::<T, { code::SCALE }>,
        Operation::Add => at::<T, { code::ADD }>,
        Operation::Triad(_) => at::<T, { code::TRIAD }>,
    };
    // SAFETY: the caller's promises.
    unsafe { at(isa, stream, arrays) };
}
