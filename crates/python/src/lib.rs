//! The extension module `loopwright._native`: what the crates for Python offer, under one roof. Nothing is computed here.

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    loopwright_kernels_python::register(module)
}
