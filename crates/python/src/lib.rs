//! The extension module `loopwright._native`: the functions of the crates for Python in one module. Nothing
//! is computed here.

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    loopwright_kernels_python::register(module)
}
