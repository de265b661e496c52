//! Python objects as memory: anything with the buffer protocol, whose elements are contiguous.

use loopwright_kernels::overlap::{Extent, shared};
use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;

/// Memory of a Python object, kept in place until this is dropped.
pub struct Buffer {
    buffer: PyUntypedBuffer,
    name: &'static str,
}

impl Buffer {
    /// The memory of `object` for reading. `name` is the parameter's, for messages.
    pub fn readable(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Buffer> {
        let buffer = PyUntypedBuffer::get(object)?;
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err(format!(
                "{name} is not contiguous in memory; pass a contiguous copy (numpy.ascontiguousarray)"
            )));
        }
        Ok(Buffer { buffer, name })
    }

    /// The memory of `object` for writing.
    pub fn writable(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Buffer> {
        let found = Buffer::readable(object, name)?;
        if found.buffer.readonly() {
            return Err(PyBufferError::new_err(format!(
                "{name} is read-only and would be written; pass a bytearray or a writable array"
            )));
        }
        Ok(found)
    }

    /// Bytes in all.
    pub fn length(&self) -> usize {
        self.buffer.len_bytes()
    }

    /// Bytes of an element.
    pub fn item_size(&self) -> usize {
        self.buffer.item_size()
    }

    /// Where the memory begins.
    pub fn pointer(&self) -> *mut u8 {
        self.buffer.buf_ptr().cast()
    }

    /// The memory as bytes.
    pub fn bytes(&self) -> &[u8] {
        match self.length() {
            0 => &[],
            // SAFETY: the object keeps this much contiguous memory in place while the buffer is held. The
            // caller must not let other code write to it meanwhile, as the package's documentation states.
            length => unsafe { std::slice::from_raw_parts(self.pointer(), length) },
        }
    }

    /// The memory as bytes to be written, whatever its elements are. Call for buffers from
    /// [`Buffer::writable`] that overlap no other slice.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self.length() {
            0 => &mut [],
            // SAFETY: as in `bytes`.
            length => unsafe { std::slice::from_raw_parts_mut(self.pointer(), length) },
        }
    }

    /// The memory of each of `objects` for reading; `name` is the parameter's.
    pub fn each(objects: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Vec<Buffer>> {
        let mut found = Vec::with_capacity(objects.len().unwrap_or(0));
        for (index, object) in objects.try_iter()?.enumerate() {
            found.push(
                Buffer::readable(&object?, "the buffer")
                    .map_err(|error| at(objects.py(), name, index, &error))?,
            );
        }
        Ok(found)
    }

    /// Start and length of the memory.
    pub fn extent(&self) -> Extent {
        (self.pointer().addr(), self.length())
    }

    /// The type of the elements.
    pub fn kind(&self) -> ElementType {
        ElementType::from_format(self.buffer.format())
    }

    /// Whether the memory can be used as an array of `T`, which has the type `kind`.
    fn holds<T>(&self, kind: ElementType) -> bool {
        self.kind() == kind && self.item_size() == size_of::<T>() && self.pointer().cast::<T>().is_aligned()
    }

    /// The memory as elements.
    pub fn elements<T: Item>(&self) -> PyResult<&[T]> {
        let count = self.count::<T>()?;
        match count {
            0 => Ok(&[]),
            // SAFETY: type, size and alignment were checked; for the rest as in `bytes`.
            _ => Ok(unsafe { std::slice::from_raw_parts(self.pointer().cast(), count) }),
        }
    }

    /// The memory as elements to be written. Call for buffers from [`Buffer::writable`] that overlap no other slice.
    pub fn elements_mut<T: Item>(&mut self) -> PyResult<&mut [T]> {
        let count = self.count::<T>()?;
        match count {
            0 => Ok(&mut []),
            // SAFETY: type, size and alignment were checked; for the rest as in `bytes`.
            _ => Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer().cast(), count) }),
        }
    }

    /// The number of elements, which must be of the type `T`.
    pub fn count<T: Item>(&self) -> PyResult<usize> {
        if self.length() > 0 && !self.holds::<T>(T::FORMAT) {
            return Err(self.wrong_type(T::NAME));
        }
        Ok(self.length() / size_of::<T>())
    }

    /// The exception for a wrong element type.
    pub fn wrong_type(&self, wanted: &str) -> PyErr {
        PyTypeError::new_err(format!(
            "{} does not consist of aligned {wanted} (its format is {:?}); convert it (numpy.asarray with a dtype)",
            self.name,
            self.buffer.format()
        ))
    }

    /// Whether this and `other` have a byte in common.
    pub fn overlaps(&self, other: &Buffer) -> bool {
        shared(&[self.extent()], &[other.extent()]).is_some()
    }
}

/// An exception that also states which of several arguments it refers to.
pub fn at(py: Python<'_>, name: &str, index: usize, error: &PyErr) -> PyErr {
    PyErr::from_type(error.get_type(py), format!("{name}[{index}]: {}", error.value(py)))
}

/// A type of elements.
pub trait Item: Copy + Send + Sync {
    /// Its description in the buffer protocol.
    const FORMAT: ElementType;
    /// Its name for users.
    const NAME: &'static str;
}

macro_rules! item {
    ($($t:ty, $kind:ident, $name:literal;)*) => { $(
        impl Item for $t {
            const FORMAT: ElementType = ElementType::$kind { bytes: size_of::<$t>() };
            const NAME: &'static str = $name;
        }
    )* };
}

item! {
    f32, Float, "float32";
    f64, Float, "float64";
    i16, SignedInteger, "int16";
    i32, SignedInteger, "int32";
    i64, SignedInteger, "int64";
}
