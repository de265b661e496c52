//! The kernels' errors as exceptions with the same text.

use loopwright_kernels::byteswap::{ByteswapError, SwapFileError};
use loopwright_kernels::cipher::CipherError;
use loopwright_kernels::fletcher::FletcherError;
use loopwright_kernels::hash::HashError;
use loopwright_kernels::semi_sparse::SparseError;
use loopwright_kernels::streaming::StreamError;
use loopwright_kernels::{IsaError, byteswap};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::{PyErr, create_exception};

/// An error of a kernel, converted to an exception.
pub struct Raised(pub PyErr);

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> PyErr {
        raised.0
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Raised {
        Raised(error)
    }
}

macro_rules! value_errors {
    ($($error:ty),*) => { $(
        impl From<$error> for Raised {
            fn from(error: $error) -> Raised {
                Raised(PyValueError::new_err(error.to_string()))
            }
        }
    )* };
}

value_errors!(IsaError, FletcherError, ByteswapError, StreamError, SparseError, HashError);

create_exception!(
    loopwright.kernels,
    Rejected,
    PyValueError,
    "A message is not what was sealed with these keys: it was changed, or sealed with others."
);

impl From<CipherError> for Raised {
    fn from(error: CipherError) -> Raised {
        Raised(match error {
            CipherError::Rejected => Rejected::new_err(error.to_string()),
            error => PyValueError::new_err(error.to_string()),
        })
    }
}

impl From<SwapFileError> for Raised {
    fn from(error: SwapFileError) -> Raised {
        let text = error.to_string();
        Raised(match error {
            byteswap::SwapFileError::Read { source, .. } | byteswap::SwapFileError::Write { source, .. } => {
                match source.raw_os_error() {
                    // With a number Python raises the subclass: FileNotFoundError, PermissionError ..
                    Some(number) => PyOSError::new_err((number, text)),
                    None => PyOSError::new_err(text),
                }
            }
            _ => PyValueError::new_err(text),
        })
    }
}
