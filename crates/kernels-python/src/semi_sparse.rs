//! Semi-sparse matrices: planned from the arrays of compressed rows, multiplied by buffers.

use crate::buffer::{Buffer, Item};
use crate::error::Raised;
use crate::isa::level;
use loopwright_kernels::semi_sparse as kernel;
use loopwright_kernels::semi_sparse::{Choice, Element, Form, Options, SparseMatrix};
use pyo3::exceptions::{PyBufferError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

enum Planned {
    F32(kernel::SemiSparse<f32>),
    F64(kernel::SemiSparse<f64>),
    I16(kernel::SemiSparse<i16>),
}

/// Runs an expression for the plan of the chosen type.
macro_rules! each {
    ($planned:expr, $plan:ident => $value:expr) => {
        match $planned {
            Planned::F32($plan) => $value,
            Planned::F64($plan) => $value,
            Planned::I16($plan) => $value,
        }
    };
}

/// A constant matrix, planned for many products.
#[pyclass(module = "loopwright.kernels", frozen)]
struct SemiSparse(Planned);

/// Numbers of int32 or int64 as the kernel's type, which has none below zero: the package accepts both.
fn numbers<T: TryFrom<i64>>(buffer: &Buffer, name: &str) -> Result<Vec<T>, Raised> {
    let number = |n: i64| {
        T::try_from(n).map_err(|_| {
            Raised(PyValueError::new_err(format!(
                "{name} has the number {n}; they are to be 0 or more, and to fit"
            )))
        })
    };
    if buffer.kind() == i64::FORMAT {
        buffer.elements::<i64>()?.iter().map(|&n| number(n)).collect()
    } else if buffer.kind() == i32::FORMAT {
        buffer.elements::<i32>()?.iter().map(|&n| number(n.into())).collect()
    } else {
        Err(buffer.wrong_type("int32 or int64").into())
    }
}

fn choice(name: &str) -> Result<Choice, Raised> {
    Ok(match name {
        "model" => Choice::Modelled,
        "measure" => Choice::Measured,
        "tiles" => Choice::Fixed(Form::Tiles),
        "sell" => Choice::Fixed(Form::Sell),
        "csr" => Choice::Fixed(Form::Csr),
        "dense" => Choice::Fixed(Form::Dense),
        "windows" => Choice::Fixed(Form::Windows),
        _ => {
            return Err(Raised(PyValueError::new_err(format!(
                "{name:?} is not a form; use one of: model, measure, tiles, windows, sell, csr, dense"
            ))));
        }
    })
}

fn options(form: &str, vectors: usize, isa: Option<&str>) -> Result<Options, Raised> {
    if vectors == 0 {
        return Err(Raised(PyValueError::new_err("vectors is 0; plan for at least one vector at a time")));
    }
    let isa = isa.map(|isa| level(Some(isa))).transpose()?;
    Ok(Options { choice: choice(form)?, isa, vectors, ..Options::default() })
}

/// Reads and plans the matrix of a file.
fn market<T: Element>(
    py: Python<'_>,
    path: &Path,
    options: &Options,
) -> Result<kernel::SemiSparse<T>, Raised> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| {
        let text = format!("{shown}: cannot be read: {error}");
        Raised(PyOSError::new_err((error.raw_os_error().unwrap_or(0), text)))
    })?;
    let planned = py.detach(|| {
        let matrix = SparseMatrix::from_matrix_market(BufReader::new(file))?;
        kernel::SemiSparse::plan(&matrix, options)
    });
    planned.map_err(|error| Raised(PyValueError::new_err(format!("{shown}: {error}"))))
}

const fn form(form: Form) -> &'static str {
    match form {
        Form::Tiles => "tiles",
        Form::Sell => "sell",
        Form::Csr => "csr",
        Form::Dense => "dense",
        Form::Windows => "windows",
    }
}

#[pymethods]
impl SemiSparse {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "a matrix in rows is three arrays and a shape")]
    #[pyo3(signature = (shape, indptr, indices, data, *, form = "model", vectors = 1, isa = None))]
    fn new(
        py: Python<'_>,
        shape: (usize, usize),
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        form: &str,
        vectors: usize,
        isa: Option<&str>,
    ) -> Result<Self, Raised> {
        let options = options(form, vectors, isa)?;
        let indptr = numbers::<usize>(&Buffer::readable(indptr, "indptr")?, "indptr")?;
        let indices = numbers::<u32>(&Buffer::readable(indices, "indices")?, "indices")?;
        let data = Buffer::readable(data, "data")?;
        let rows = Rows { shape, indptr, indices, options };
        Ok(SemiSparse(if data.kind() == f32::FORMAT {
            Planned::F32(rows.plan(py, &data)?)
        } else if data.kind() == f64::FORMAT {
            Planned::F64(rows.plan(py, &data)?)
        } else if data.kind() == i16::FORMAT {
            Planned::I16(rows.plan(py, &data)?)
        } else {
            return Err(data.wrong_type("float32, float64 or int16").into());
        }))
    }

    /// Plans the matrix of a Matrix Market file.
    #[staticmethod]
    #[pyo3(signature = (path, dtype, *, form = "model", vectors = 1, isa = None))]
    fn from_matrix_market(
        py: Python<'_>,
        path: PathBuf,
        dtype: &str,
        form: &str,
        vectors: usize,
        isa: Option<&str>,
    ) -> Result<Self, Raised> {
        let options = options(form, vectors, isa)?;
        Ok(SemiSparse(match dtype {
            "float32" => Planned::F32(market(py, &path, &options)?),
            "float64" => Planned::F64(market(py, &path, &options)?),
            "int16" => Planned::I16(market(py, &path, &options)?),
            _ => {
                let text = format!("{dtype:?} is not an element type; use float32, float64 or int16");
                return Err(Raised(PyValueError::new_err(text)));
            }
        }))
    }

    /// The plan as bytes, the same on every machine.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| each!(&self.0, plan => plan.to_bytes()));
        PyBytes::new(py, &bytes)
    }

    /// The plan from the bytes of `to_bytes`.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyAny>) -> Result<Self, Raised> {
        let data = Buffer::readable(data, "data")?;
        let planned = py.detach(|| {
            let bytes = data.bytes();
            // Each refuses the others' bytes; the first reports bytes that belong to none.
            kernel::SemiSparse::from_bytes(bytes).map(Planned::F32).or_else(|first| {
                let f64 = kernel::SemiSparse::from_bytes(bytes).map(Planned::F64);
                f64.or_else(|_| kernel::SemiSparse::from_bytes(bytes).map(Planned::I16)).map_err(|_| first)
            })
        })?;
        Ok(SemiSparse(planned))
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        each!(&self.0, plan => (plan.rows(), plan.cols()))
    }

    #[getter]
    fn nnz(&self) -> usize {
        each!(&self.0, plan => plan.nnz())
    }

    #[getter]
    fn form(&self) -> &'static str {
        each!(&self.0, plan => form(plan.form()))
    }

    /// Bytes of the matrix that a product reads.
    #[getter]
    fn nbytes(&self) -> usize {
        each!(&self.0, plan => plan.bytes())
    }

    /// The element types of the vectors: of x, of y.
    #[getter]
    fn dtypes(&self) -> (&'static str, &'static str) {
        match self.0 {
            Planned::F32(_) => ("float32", "float32"),
            Planned::F64(_) => ("float64", "float64"),
            Planned::I16(_) => ("int16", "int32"),
        }
    }

    #[pyo3(signature = (x, y, *, count = 1, add = false, isa = None))]
    fn multiply(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        count: usize,
        add: bool,
        isa: Option<&str>,
    ) -> Result<(), Raised> {
        let isa = level(isa)?;
        let x = Buffer::readable(x, "x")?;
        let mut y = Buffer::writable(y, "y")?;
        if x.overlaps(&y) {
            let text = "x and y overlap in memory; pass a result of its own";
            return Err(Raised(PyBufferError::new_err(text)));
        }
        each!(&self.0, plan => {
            let (x, y) = (x.elements()?, y.elements_mut()?);
            py.detach(|| match add {
                true => plan.multiply_add_batch_with(isa, count, x, y),
                false => plan.multiply_batch_with(isa, count, x, y),
            })?;
        });
        Ok(())
    }
}

/// A matrix in compressed rows, without its values.
struct Rows {
    shape: (usize, usize),
    indptr: Vec<usize>,
    indices: Vec<u32>,
    options: Options,
}

impl Rows {
    fn plan<T: Element + Item>(
        &self,
        py: Python<'_>,
        data: &Buffer,
    ) -> Result<kernel::SemiSparse<T>, Raised> {
        let values = data.elements::<T>()?;
        let (rows, cols) = self.shape;
        Ok(py.detach(|| {
            let matrix = SparseMatrix::from_csr(rows, cols, &self.indptr, &self.indices, values)?;
            kernel::SemiSparse::plan(&matrix, &self.options)
        })?)
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SemiSparse>()
}
