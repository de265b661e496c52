//! Byte swapping, in place, from one buffer to another, from file to file.

use crate::buffer::Buffer;
use crate::error::Raised;
use crate::isa::level_of;
use loopwright_kernels::Routine;
use loopwright_kernels::byteswap::{ByteswapError, Width, swap_file, swap_raw};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Swaps from one buffer to another, which may be the same.
fn swap(
    py: Python<'_>,
    source: &Buffer,
    destination: &Buffer,
    width: Option<usize>,
    parallel: bool,
    isa: Option<&str>,
) -> Result<(), Raised> {
    let width = Width::of_bytes(width.unwrap_or(source.item_size()))?;
    let isa = level_of(isa, Routine::swap(width, source.pointer() == destination.pointer()))?;
    if source.length() != destination.length() {
        let (source_length, destination_length) = (source.length(), destination.length());
        return Err(ByteswapError::Lengths { source_length, destination_length }.into());
    }
    py.detach(|| {
        // SAFETY: both buffers are held, contiguous and of this length; the destination is writable. The
        // caller must not let other threads use them meanwhile.
        unsafe { swap_raw(isa, parallel, width, source.pointer(), destination.pointer(), source.length()) }
    })?;
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (data, width = None, *, parallel = false, isa = None))]
fn byteswap(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    width: Option<usize>,
    parallel: bool,
    isa: Option<&str>,
) -> Result<(), Raised> {
    let data = Buffer::writable(data, "data")?;
    swap(py, &data, &data, width, parallel, isa)
}

#[pyfunction]
#[pyo3(signature = (source, destination, width = None, *, parallel = false, isa = None))]
fn byteswap_into(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
    width: Option<usize>,
    parallel: bool,
    isa: Option<&str>,
) -> Result<(), Raised> {
    let source = Buffer::readable(source, "source")?;
    let destination = Buffer::writable(destination, "destination")?;
    swap(py, &source, &destination, width, parallel, isa)
}

#[pyfunction]
fn byteswap_file(py: Python<'_>, input: PathBuf, output: PathBuf, width: usize) -> Result<u64, Raised> {
    let width = Width::of_bytes(width)?;
    Ok(py.detach(|| swap_file(input, output, width))?)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(byteswap, module)?)?;
    module.add_function(wrap_pyfunction!(byteswap_into, module)?)?;
    module.add_function(wrap_pyfunction!(byteswap_file, module)?)
}
