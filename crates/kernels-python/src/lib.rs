//! The kernels as Python functions over any buffer.
//!
//! ```text
//! buffer    objects of Python as memory: contiguous, of which elements, writable
//! error     the kernels' errors as exceptions
//! ..        one file per kernel: its functions and classes, nothing computed here
//! ```
//!
//! No function copies its arguments or keeps them beyond the call; exceptions (a matrix) are documented. While a kernel
//! works other threads of Python run: they must not write to a buffer that a kernel reads, as with every extension that
//! releases the lock. Names, defaults and types as users see them are in `python/loopwright`.

#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod buffer;
mod byteswap;
mod cipher;
mod error;
mod fletcher;
mod hash;
mod isa;
mod semi_sparse;
mod streaming;

use pyo3::prelude::*;

/// Adds everything to a module of Python.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    isa::register(module)?;
    fletcher::register(module)?;
    byteswap::register(module)?;
    streaming::register(module)?;
    semi_sparse::register(module)?;
    hash::register(module)?;
    cipher::register(module)
}
