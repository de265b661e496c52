//! Streaming: copy, fill, scale, add and triad over arrays of float or double.

use crate::isa::level;
use crate::memory::not_null;
use crate::status::lw_status::{LW_ERROR_ALIGNMENT, LW_ERROR_LENGTH, LW_ERROR_OVERLAP, LW_ERROR_VALUE};
use crate::status::{Failure, lw_status, run};
use crate::stores::of_number;
use kernels::streaming::{Element, Operation, StreamError, run_raw};
use kernels::{Plan, Routine};
use std::ptr::null;

/// What the lw_stream functions do with every element.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_operation {
    /// a[i] = b[i]
    LW_COPY = 0,
    /// a[i] = s
    LW_FILL = 1,
    /// a[i] = s b[i]
    LW_SCALE = 2,
    /// a[i] = b[i] + c[i]
    LW_ADD = 3,
    /// a[i] = b[i] + s c[i], rounded after the product and after the sum
    LW_TRIAD = 4,
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Failure {
        let status = match error {
            StreamError::Isa(error) => return error.into(),
            StreamError::Length { .. } | StreamError::Size { .. } => LW_ERROR_LENGTH,
            StreamError::Overlap { .. } => LW_ERROR_OVERLAP,
            StreamError::Misaligned { .. } => LW_ERROR_ALIGNMENT,
            _ => LW_ERROR_VALUE,
        };
        Failure::new(status, error.to_string())
    }
}

/// The operation of a number: C programs can pass any.
fn of_operation<T>(number: u32, s: T) -> Result<Operation<T>, Failure> {
    use lw_operation::*;
    let found = [LW_COPY, LW_FILL, LW_SCALE, LW_ADD, LW_TRIAD].into_iter().find(|o| *o as u32 == number);
    match found {
        Some(LW_COPY) => Ok(Operation::Copy),
        Some(LW_FILL) => Ok(Operation::Fill(s)),
        Some(LW_SCALE) => Ok(Operation::Scale(s)),
        Some(LW_ADD) => Ok(Operation::Add),
        Some(LW_TRIAD) => Ok(Operation::Triad(s)),
        None => Err(Failure::new(
            LW_ERROR_VALUE,
            format!("{number} is no operation; use LW_COPY, LW_FILL, LW_SCALE, LW_ADD or LW_TRIAD"),
        )),
    }
}

/// # Safety
/// As the header says.
unsafe fn stream<T: Element>(
    plan: Option<Plan>,
    parallel: bool,
    operation: Operation<T>,
    a: *mut T,
    [b, c]: [*const T; 2],
    elements: usize,
) -> Result<(), Failure> {
    if elements > 0 {
        not_null(a, "a")?;
        if operation.sources() > 0 {
            not_null(b, "b")?;
        }
        if operation.sources() > 1 {
            not_null(c, "c")?;
        }
    }
    let plan = plan.unwrap_or_else(|| Routine::stream(&operation).plan());
    // SAFETY: the caller's promises; null is refused above, the rest by the kernel.
    unsafe { run_raw(plan, parallel, operation, a, b, c, elements) }?;
    Ok(())
}

/// a[i] = b[i] for i below elements. All arrays have this length. a is one of the
/// sources or has no byte in common with them, else LW_ERROR_OVERLAP. Arrays are aligned to their elements, else
/// LW_ERROR_ALIGNMENT. Large results are written past the caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_copy_f32(a: *mut f32, b: *const f32, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Copy, a, [b, null()], elements) })
}

/// a[i] = s for i below elements. As lw_copy_f32().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fill_f32(a: *mut f32, s: f32, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Fill(s), a, [null(), null()], elements) })
}

/// a[i] = s b[i] for i below elements. As lw_copy_f32().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_scale_f32(a: *mut f32, s: f32, b: *const f32, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Scale(s), a, [b, null()], elements) })
}

/// a[i] = b[i] + c[i] for i below elements. As lw_copy_f32().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_add_f32(a: *mut f32, b: *const f32, c: *const f32, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Add, a, [b, c], elements) })
}

/// a[i] = b[i] + s c[i] for i below elements. As lw_copy_f32().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_triad_f32(
    a: *mut f32,
    b: *const f32,
    s: f32,
    c: *const f32,
    elements: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Triad(s), a, [b, c], elements) })
}

/// Any operation, an lw_operation, with the code of one level and with stores of one kind, an lw_stores. Arrays that the
/// operation does not use may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_stream_f32_with(
    isa: u32,
    stores: u32,
    operation: u32,
    a: *mut f32,
    b: *const f32,
    s: f32,
    c: *const f32,
    elements: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        let plan = Plan { isa: level(isa)?, stores: of_number(stores)? };
        stream(Some(plan), false, of_operation(operation, s)?, a, [b, c], elements)
    })
}

/// Any operation, an lw_operation, on threads above a measured size. Arrays that the operation does not use may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_stream_f32_par(
    operation: u32,
    a: *mut f32,
    b: *const f32,
    s: f32,
    c: *const f32,
    elements: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, true, of_operation(operation, s)?, a, [b, c], elements) })
}

/// a[i] = b[i] for i below elements. All arrays have this length. a is one of the
/// sources or has no byte in common with them, else LW_ERROR_OVERLAP. Arrays are aligned to their elements, else
/// LW_ERROR_ALIGNMENT. Large results are written past the caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_copy_f64(a: *mut f64, b: *const f64, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Copy, a, [b, null()], elements) })
}

/// a[i] = s for i below elements. As lw_copy_f64().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_fill_f64(a: *mut f64, s: f64, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Fill(s), a, [null(), null()], elements) })
}

/// a[i] = s b[i] for i below elements. As lw_copy_f64().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_scale_f64(a: *mut f64, s: f64, b: *const f64, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Scale(s), a, [b, null()], elements) })
}

/// a[i] = b[i] + c[i] for i below elements. As lw_copy_f64().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_add_f64(a: *mut f64, b: *const f64, c: *const f64, elements: usize) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Add, a, [b, c], elements) })
}

/// a[i] = b[i] + s c[i] for i below elements. As lw_copy_f64().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_triad_f64(
    a: *mut f64,
    b: *const f64,
    s: f64,
    c: *const f64,
    elements: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, false, Operation::Triad(s), a, [b, c], elements) })
}

/// Any operation, an lw_operation, with the code of one level and with stores of one kind, an lw_stores. Arrays that the
/// operation does not use may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_stream_f64_with(
    isa: u32,
    stores: u32,
    operation: u32,
    a: *mut f64,
    b: *const f64,
    s: f64,
    c: *const f64,
    elements: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        let plan = Plan { isa: level(isa)?, stores: of_number(stores)? };
        stream(Some(plan), false, of_operation(operation, s)?, a, [b, c], elements)
    })
}

/// Any operation, an lw_operation, on threads above a measured size. Arrays that the operation does not use may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_stream_f64_par(
    operation: u32,
    a: *mut f64,
    b: *const f64,
    s: f64,
    c: *const f64,
    elements: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { stream(None, true, of_operation(operation, s)?, a, [b, c], elements) })
}
