//! Intel MKL: compressed rows by its inspector-executor functions (`mkl_spblas.h`), and its dense product; on one thread.

use super::Peers;
use super::blas::{Dense, Real};
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// Name in tables and sentences.
const PEER: &str = "MKL";

/// `MKL_THREADING_SEQUENTIAL`.
const SEQUENTIAL: c_int = 1;
/// `SPARSE_OPERATION_NON_TRANSPOSE`.
const PLAIN: c_int = 10;
/// `SPARSE_STATUS_SUCCESS`.
const SUCCESS: c_int = 0;

/// `struct matrix_descr`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Description {
    kind: c_int,
    mode: c_int,
    diagonal: c_int,
}
/// `SPARSE_MATRIX_TYPE_GENERAL`; the other fields are ignored.
const GENERAL: Description = Description { kind: 20, mode: 0, diagonal: 0 };

type Create<T> = unsafe extern "C" fn(
    *mut *mut c_void,
    c_int,
    c_int,
    c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
) -> c_int;
type Hint = unsafe extern "C" fn(*mut c_void, c_int, Description, c_int) -> c_int;
type OnMatrix = unsafe extern "C" fn(*mut c_void) -> c_int;
type Multiply<T> = unsafe extern "C" fn(c_int, T, *const c_void, Description, *const T, T, *mut T) -> c_int;

type MultiplyMany<T> = unsafe extern "C" fn(
    c_int,
    T,
    *const c_void,
    Description,
    c_int,
    *const T,
    c_int,
    c_int,
    T,
    *mut T,
    c_int,
) -> c_int;
type HintMany = unsafe extern "C" fn(*mut c_void, c_int, Description, c_int, c_int, c_int) -> c_int;
/// `SPARSE_LAYOUT_COLUMN_MAJOR`: vectors one after the other.
const COLUMNS: c_int = 102;

fn library(peers: &mut Peers) -> Option<Rc<Library>> {
    const NAMES: [&str; 3] = ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"];
    let library = peers.library(PEER, "LOOPWRIGHT_PEER_MKL", &NAMES)?;
    type SetLayer = unsafe extern "C" fn(c_int) -> c_int;
    // SAFETY: the function of mkl_service.h; the library outlives the call.
    let set = unsafe { peers.function::<SetLayer>(PEER, &library, "MKL_Set_Threading_Layer") }?;
    // SAFETY: takes a number.
    unsafe { set(SEQUENTIAL) };
    Some(library)
}

/// MKL's dense product.
pub fn dense<T: Real>(peers: &mut Peers, shape: (usize, usize)) -> Option<Dense<T>> {
    let library = library(peers)?;
    Dense::of(peers, PEER, &library, "", shape)
}

/// A matrix in MKL's compressed rows, optimised for many products.
pub struct Csr<T> {
    handle: *mut c_void,
    multiply: Multiply<T>,
    multiply_many: MultiplyMany<T>,
    destroy: OnMatrix,
    rows: usize,
    cols: usize,
    // Arrays that the handle points to.
    _bounds: Vec<c_int>,
    _columns: Vec<c_int>,
    _values: Vec<T>,
    _library: Rc<Library>,
}

impl<T: Real> Csr<T> {
    /// Passes a matrix to MKL, to be multiplied by `count` vectors at once; `None`, with a line, where MKL is
    /// not installed or refuses.
    pub fn new(
        peers: &mut Peers,
        (rows, cols): (usize, usize),
        count: usize,
        indptr: &[usize],
        indices: &[u32],
        values: &[T],
    ) -> Option<Csr<T>> {
        let library = library(peers)?;
        let letter = T::LETTER;
        // SAFETY: the types are those of mkl_spblas.h with 32-bit integers; `Csr` keeps the library.
        let functions = unsafe {
            (
                peers.function::<Create<T>>(PEER, &library, &format!("mkl_sparse_{letter}_create_csr")),
                peers.function::<Hint>(PEER, &library, "mkl_sparse_set_mv_hint"),
                peers.function::<OnMatrix>(PEER, &library, "mkl_sparse_optimize"),
                peers.function::<HintMany>(PEER, &library, "mkl_sparse_set_mm_hint"),
                peers.function::<Multiply<T>>(PEER, &library, &format!("mkl_sparse_{letter}_mv")),
                peers.function::<MultiplyMany<T>>(PEER, &library, &format!("mkl_sparse_{letter}_mm")),
                peers.function::<OnMatrix>(PEER, &library, "mkl_sparse_destroy"),
            )
        };
        let (
            Some(create),
            Some(hint),
            Some(optimize),
            Some(hint_many),
            Some(multiply),
            Some(multiply_many),
            Some(destroy),
        ) = functions
        else {
            return None;
        };
        let bounds: Vec<c_int> = indptr.iter().map(|&bound| bound as c_int).collect();
        let columns: Vec<c_int> = indices.iter().map(|&column| column as c_int).collect();
        let values = values.to_vec();
        let mut handle = std::ptr::null_mut();
        let (begin, end) = (bounds.as_ptr(), bounds[1..].as_ptr());
        let (columns_at, values_at) = (columns.as_ptr(), values.as_ptr());
        // SAFETY: the arrays have the lengths that compressed rows have, and live as long as the handle.
        let status = unsafe {
            let (rows, cols) = (rows as c_int, cols as c_int);
            let made = create(&mut handle, 0, rows, cols, begin, end, columns_at, values_at);
            if made == SUCCESS {
                match count {
                    1 => hint(handle, PLAIN, GENERAL, 1000),
                    _ => hint_many(handle, PLAIN, GENERAL, COLUMNS, count as c_int, 1000),
                };
                optimize(handle);
            }
            made
        };
        if status != SUCCESS {
            peers.leave_out(format!("{PEER}: it refuses a matrix with the status {status}"));
            return None;
        }
        let (_bounds, _columns, _values, _library) = (bounds, columns, values, library);
        Some(Csr {
            handle,
            multiply,
            multiply_many,
            destroy,
            rows,
            cols,
            _bounds,
            _columns,
            _values,
            _library,
        })
    }

    /// `y = A x` for vectors one after the other.
    pub fn multiply(&self, x: &[T], y: &mut [T]) {
        let count = x.len() / self.cols.max(1);
        assert!(x.len() == count * self.cols && y.len() == count * self.rows);
        let (x, y) = (x.as_ptr(), y.as_mut_ptr());
        let (handle, one, zero) = (self.handle, T::ONE, T::default());
        // SAFETY: the handle is valid, the lengths are the matrix's.
        unsafe {
            if count == 1 {
                (self.multiply)(PLAIN, one, handle, GENERAL, x, zero, y);
            } else {
                let (n, ldx, ldy) = (count as c_int, self.cols as c_int, self.rows as c_int);
                (self.multiply_many)(PLAIN, one, handle, GENERAL, COLUMNS, x, n, ldx, zero, y, ldy);
            }
        }
    }
}

impl<T> Drop for Csr<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is this value's own.
        unsafe { (self.destroy)(self.handle) };
    }
}
