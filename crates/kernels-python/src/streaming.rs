//! Copy, fill, scale, add and triad over buffers of float32 or float64.

use crate::buffer::{Buffer, Item};
use crate::error::Raised;
use crate::isa::level_of;
use loopwright_kernels::Routine;
use loopwright_kernels::streaming::{Element, Operation, StreamError, run_raw};
use pyo3::prelude::*;
use std::ptr::null;

/// The arguments of an operation: the destination, and the sources that it reads.
struct Arrays<'a> {
    a: &'a Buffer,
    sources: [Option<&'a Buffer>; 2],
}

/// Runs the operation of a number's type.
fn typed<T: Element + Item>(
    py: Python<'_>,
    operation: Operation<T>,
    arrays: &Arrays<'_>,
    parallel: bool,
    isa: Option<&str>,
) -> Result<(), Raised> {
    let isa = level_of(isa, Routine::stream(&operation))?;
    let expected = arrays.a.count::<T>()?;
    for (source, array) in arrays.sources.iter().zip(['b', 'c']) {
        let Some(source) = source else { continue };
        let found = source.count::<T>()?;
        if found != expected {
            return Err(StreamError::Length { array, expected, found }.into());
        }
    }
    let pointer = |source: Option<&Buffer>| source.map_or(null(), |s| s.pointer().cast::<T>().cast_const());
    py.detach(|| {
        let [b, c] = arrays.sources.map(pointer);
        // SAFETY: the buffers are held, contiguous, of this type and length; the destination is writable. The
        // caller must not let other threads use them meanwhile.
        unsafe { run_raw(isa, parallel, operation, arrays.a.pointer().cast::<T>(), b, c, expected) }
    })?;
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (operation, a, b, c, scalar, parallel, isa))]
#[allow(clippy::too_many_arguments, reason = "the five functions of the package call this one")]
fn stream(
    py: Python<'_>,
    operation: &str,
    a: &Bound<'_, PyAny>,
    b: Option<&Bound<'_, PyAny>>,
    c: Option<&Bound<'_, PyAny>>,
    scalar: f64,
    parallel: bool,
    isa: Option<&str>,
) -> Result<(), Raised> {
    let a = Buffer::writable(a, "a")?;
    let b = b.map(|b| Buffer::readable(b, "b")).transpose()?;
    let c = c.map(|c| Buffer::readable(c, "c")).transpose()?;
    let arrays = Arrays { a: &a, sources: [b.as_ref(), c.as_ref()] };
    if a.kind() == f32::FORMAT {
        typed(py, named(operation, scalar as f32), &arrays, parallel, isa)
    } else if a.kind() == f64::FORMAT {
        typed(py, named(operation, scalar), &arrays, parallel, isa)
    } else {
        Err(a.wrong_type("float32 or float64").into())
    }
}

/// The operation of a name; the package passes valid names only.
fn named<T>(name: &str, scalar: T) -> Operation<T> {
    match name {
        "copy" => Operation::Copy,
        "fill" => Operation::Fill(scalar),
        "scale" => Operation::Scale(scalar),
        "add" => Operation::Add,
        _ => Operation::Triad(scalar),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(stream, module)?)
}
