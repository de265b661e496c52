//! Instruction-set levels by name.

use crate::error::Raised;
use loopwright_kernels::{Isa, Routine};
use pyo3::prelude::*;

/// The level that the user names, or the one at which a routine is fastest here.
pub fn level_of(name: Option<&str>, routine: Routine) -> Result<Isa, Raised> {
    match name {
        None => Ok(routine.level()),
        named => level(named),
    }
}

/// The level that the user names, or the best one: for what chooses among more ways than levels by itself.
pub fn level(name: Option<&str>) -> Result<Isa, Raised> {
    match name {
        None => Ok(Isa::best()),
        Some(name) => Ok(name.parse::<Isa>()?.require()?),
    }
}

#[pyfunction]
fn isa_best() -> &'static str {
    Isa::best().name()
}

#[pyfunction]
fn isa_available() -> Vec<&'static str> {
    Isa::available().map(Isa::name).collect()
}

/// Why the variable LOOPWRIGHT_ISA is ignored, if it is.
#[pyfunction]
fn isa_override_error() -> Option<String> {
    loopwright_kernels::isa::override_error().map(ToString::to_string)
}

/// Whether choices between ways to do the same work are measured when they are first needed.
#[pyfunction]
fn self_calibration(on: bool) {
    loopwright_kernels::tuning::self_calibration(on);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(isa_best, module)?)?;
    module.add_function(wrap_pyfunction!(isa_available, module)?)?;
    module.add_function(wrap_pyfunction!(self_calibration, module)?)?;
    module.add_function(wrap_pyfunction!(isa_override_error, module)?)
}
