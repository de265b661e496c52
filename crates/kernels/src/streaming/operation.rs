//! The public functions: slices and their lengths.

use super::dispatch::{Threads, run};
use super::{Element, Operation, StreamError};
use crate::plan::Plan;
use crate::routine::Routine;
use std::ptr::null;

/// Checks the lengths of the sources and runs the operation, as a plan says or as is best.
fn on_slices<T: Element>(
    plan: Option<Plan>,
    threads: Threads,
    operation: Operation<T>,
    a: &mut [T],
    sources: [Option<&[T]>; 2],
) -> Result<(), StreamError> {
    for (source, array) in sources.iter().zip(['b', 'c']) {
        if let Some(source) = source.filter(|source| source.len() != a.len()) {
            return Err(StreamError::Length { array, expected: a.len(), found: source.len() });
        }
    }
    let sources = sources.map(|source| source.map_or(null(), <[T]>::as_ptr));
    let plan = plan.unwrap_or_else(|| Routine::stream(&operation).plan());
    // SAFETY: the slices are borrowed for the call, have one length, and are those that the operation uses.
    unsafe { run(plan, threads, operation, a.as_mut_ptr(), sources, a.len()) }
}

/// The four functions of an operation.
macro_rules! operation {
    (
        $about:literal, $operation:expr, ($($name:ident: $kind:ty),*), [$b:expr, $c:expr],
        $plain:ident $with:ident $par:ident $par_with:ident
    ) => {
        #[doc = concat!("`", $about, "` for every element.")]
        pub fn $plain<T: Element>(a: &mut [T], $($name: $kind),*) -> Result<(), StreamError> {
            on_slices(None, Threads::One, $operation, a, [$b, $c])
        }

        #[doc = concat!("`", $about, "` as a plan says.")]
        pub fn $with<T: Element>(plan: impl Into<Plan>, a: &mut [T], $($name: $kind),*) -> Result<(), StreamError> {
            on_slices(Some(plan.into()), Threads::One, $operation, a, [$b, $c])
        }

        #[doc = concat!("`", $about, "` on threads above a measured size.")]
        pub fn $par<T: Element>(a: &mut [T], $($name: $kind),*) -> Result<(), StreamError> {
            on_slices(None, Threads::BySize, $operation, a, [$b, $c])
        }

        #[doc = concat!("`", $about, "` as a plan says, on threads whatever the size.")]
        pub fn $par_with<T: Element>(
            plan: impl Into<Plan>, a: &mut [T], $($name: $kind),*
        ) -> Result<(), StreamError> {
            on_slices(Some(plan.into()), Threads::All, $operation, a, [$b, $c])
        }
    };
}

operation! {
    "a[i] = b[i]", Operation::Copy, (b: &[T]), [Some(b), None],
    copy copy_with copy_par copy_par_with
}
operation! {
    "a[i] = s", Operation::Fill(s), (s: T), [None, None],
    fill fill_with fill_par fill_par_with
}
operation! {
    "a[i] = s b[i]", Operation::Scale(s), (s: T, b: &[T]), [Some(b), None],
    scale scale_with scale_par scale_par_with
}
operation! {
    "a[i] = b[i] + c[i]", Operation::Add, (b: &[T], c: &[T]), [Some(b), Some(c)],
    add add_with add_par add_par_with
}
operation! {
    "a[i] = b[i] + s c[i]", Operation::Triad(s), (b: &[T], s: T, c: &[T]), [Some(b), Some(c)],
    triad triad_with triad_par triad_par_with
}

/// Runs `operation` on arrays behind pointers: the destination may be a source, other overlaps are refused. For
/// callers whose arrays come from elsewhere, where Rust's rules on references do not hold. On threads above a measured
/// size if `parallel`. Sources that the operation does not use may be null.
///
/// # Safety
/// For `elements` elements `a` can be written and the sources that the operation uses can be read, and no other
/// thread uses them meanwhile.
pub unsafe fn run_raw<T: Element>(
    plan: impl Into<Plan>,
    parallel: bool,
    operation: Operation<T>,
    a: *mut T,
    b: *const T,
    c: *const T,
    elements: usize,
) -> Result<(), StreamError> {
    let threads = if parallel { Threads::BySize } else { Threads::One };
    // SAFETY: the caller's promises.
    unsafe { run(plan.into(), threads, operation, a, [b, c], elements) }
}
