//! The Fletcher checksums: functions of a whole input, classes for input in pieces.

use crate::buffer::Buffer;
use crate::error::Raised;
use crate::isa::level_of;
use loopwright_kernels::Routine;
use loopwright_kernels::fletcher as kernel;
use pyo3::prelude::*;

type Words = (u64, u64, u64, u64);

fn tuple(words: [u64; 4]) -> Words {
    words.into()
}

/// The function and the class of a checksum of ZFS.
macro_rules! zfs {
    ($function:ident, $class:ident, $with:ident, $swapped:ident, $swapped_with:ident) => {
        fn $function(
            py: Python<'_>,
            data: &Bound<'_, PyAny>,
            swapped: bool,
            isa: Option<&str>,
        ) -> Result<(kernel::$class, u64), Raised> {
            let data = Buffer::readable(data, "data")?;
            let isa = level_of(isa, if swapped { Routine::$swapped } else { Routine::$class })?;
            let sums = py.detach(|| match swapped {
                true => kernel::$swapped_with(isa, data.bytes()),
                false => kernel::$with(isa, data.bytes()),
            })?;
            Ok((sums, data.length() as u64))
        }

        /// A checksum of input in pieces.
        #[pyclass(module = "loopwright.kernels")]
        #[derive(Default)]
        struct $class(kernel::$class);

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (words = None))]
            fn new(words: Option<[u64; 4]>) -> Self {
                $class(kernel::$class { words: words.unwrap_or_default() })
            }

            #[getter]
            fn words(&self) -> Words {
                tuple(self.0.words)
            }

            // Borrowed only after the piece is summed: another thread may add one meanwhile.
            #[pyo3(signature = (data, *, swapped = false, isa = None))]
            fn update(
                this: &Bound<'_, Self>,
                data: &Bound<'_, PyAny>,
                swapped: bool,
                isa: Option<&str>,
            ) -> Result<(), Raised> {
                let (piece, length) = $function(this.py(), data, swapped, isa)?;
                let mut sums = this.try_borrow_mut().map_err(PyErr::from)?;
                sums.0 = sums.0.combine(piece, length)?;
                Ok(())
            }

            fn combine(&self, next: &Self, next_bytes: u64) -> Result<Self, Raised> {
                Ok($class(self.0.combine(next.0, next_bytes)?))
            }
        }
    };
}

zfs!(sums4, Fletcher4, fletcher4_with, Fletcher4Swapped, fletcher4_swapped_with);
zfs!(sums2, Fletcher2, fletcher2_with, Fletcher2Swapped, fletcher2_swapped_with);

#[pyfunction]
#[pyo3(signature = (data, *, swapped = false, isa = None))]
fn fletcher4(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    swapped: bool,
    isa: Option<&str>,
) -> Result<Words, Raised> {
    Ok(tuple(sums4(py, data, swapped, isa)?.0.words))
}

#[pyfunction]
#[pyo3(signature = (data, *, swapped = false, isa = None))]
fn fletcher2(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    swapped: bool,
    isa: Option<&str>,
) -> Result<Words, Raised> {
    Ok(tuple(sums2(py, data, swapped, isa)?.0.words))
}

/// The function and the class of a modular checksum.
macro_rules! modular {
    ($function:ident, $class:ident, $value:ty, $with:ident) => {
        #[pyfunction]
        #[pyo3(signature = (data, *, isa = None))]
        fn $function(py: Python<'_>, data: &Bound<'_, PyAny>, isa: Option<&str>) -> Result<$value, Raised> {
            let data = Buffer::readable(data, "data")?;
            let isa = level_of(isa, Routine::$class)?;
            Ok(py.detach(|| kernel::$with(isa, data.bytes()))?)
        }

        /// A checksum of input in pieces.
        #[pyclass(module = "loopwright.kernels")]
        #[derive(Default)]
        struct $class(kernel::$class);

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (value = 0))]
            fn new(value: $value) -> Result<Self, Raised> {
                Ok($class(kernel::$class::from_value(value)?))
            }

            #[getter]
            fn value(&self) -> $value {
                self.0.value()
            }

            #[pyo3(signature = (data, *, isa = None))]
            fn update(
                this: &Bound<'_, Self>,
                data: &Bound<'_, PyAny>,
                isa: Option<&str>,
            ) -> Result<(), Raised> {
                let data = Buffer::readable(data, "data")?;
                let isa = level_of(isa, Routine::$class)?;
                let piece = this.py().detach(|| {
                    let mut piece = kernel::$class::default();
                    piece.update_with(isa, data.bytes()).map(|()| piece)
                })?;
                let mut sums = this.try_borrow_mut().map_err(PyErr::from)?;
                sums.0 = sums.0.combine(piece, data.length() as u64)?;
                Ok(())
            }

            fn combine(&self, next: &Self, next_bytes: u64) -> Result<Self, Raised> {
                Ok($class(self.0.combine(next.0, next_bytes)?))
            }
        }
    };
}

modular!(fletcher16, Fletcher16, u16, fletcher16_with);
modular!(fletcher32, Fletcher32, u32, fletcher32_with);
modular!(fletcher64, Fletcher64, u64, fletcher64_with);

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fletcher4, module)?)?;
    module.add_function(wrap_pyfunction!(fletcher2, module)?)?;
    module.add_function(wrap_pyfunction!(fletcher16, module)?)?;
    module.add_function(wrap_pyfunction!(fletcher32, module)?)?;
    module.add_function(wrap_pyfunction!(fletcher64, module)?)?;
    module.add_class::<Fletcher4>()?;
    module.add_class::<Fletcher2>()?;
    module.add_class::<Fletcher16>()?;
    module.add_class::<Fletcher32>()?;
    module.add_class::<Fletcher64>()
}
