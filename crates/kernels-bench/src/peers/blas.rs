//! Dense products of BLAS libraries (`cblas_sgemv`, `cblas_dgemv`), on one thread.

use super::Peers;
use libloading::Library;
use std::ffi::c_int;
use std::rc::Rc;

/// Types that BLAS multiplies.
pub trait Real: Copy + Default + 'static {
    /// One letter of the functions' names.
    const LETTER: char;
    /// The number one.
    const ONE: Self;
}
impl Real for f32 {
    const LETTER: char = 's';
    const ONE: f32 = 1.0;
}
impl Real for f64 {
    const LETTER: char = 'd';
    const ONE: f64 = 1.0;
}

/// Row-major, not transposed (cblas.h).
const ROW_MAJOR: c_int = 101;
const PLAIN: c_int = 111;
const TRANSPOSED: c_int = 112;

type Gemv<T> =
    unsafe extern "C" fn(c_int, c_int, c_int, c_int, T, *const T, c_int, *const T, c_int, T, *mut T, c_int);
type Gemm<T> = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    T,
    *const T,
    c_int,
    *const T,
    c_int,
    T,
    *mut T,
    c_int,
);
type SetThreads = unsafe extern "C" fn(c_int);

/// A library's product of a dense matrix and vectors.
pub struct Dense<T> {
    gemv: Gemv<T>,
    gemm: Gemm<T>,
    rows: usize,
    cols: usize,
    // Keeps the function loaded.
    _library: Rc<Library>,
}

impl<T: Real> Dense<T> {
    /// The product of a library that has been opened, for matrices of this shape. Its symbols may have a prefix.
    pub fn of(
        peers: &mut Peers,
        peer: &str,
        library: &Rc<Library>,
        prefix: &str,
        (rows, cols): (usize, usize),
    ) -> Option<Dense<T>> {
        let name = |function| format!("{prefix}cblas_{}{function}", T::LETTER);
        // SAFETY: the types are those of cblas.h with 32-bit integers; `Dense` keeps the library.
        let (gemv, gemm) = unsafe {
            (
                peers.function::<Gemv<T>>(peer, library, &name("gemv"))?,
                peers.function::<Gemm<T>>(peer, library, &name("gemm"))?,
            )
        };
        Some(Dense { gemv, gemm, rows, cols, _library: library.clone() })
    }

    /// `y = A x` with `A` row by row, for vectors one after the other. The matrix must have the shape that
    /// the product was created for.
    pub fn multiply(&self, a: &[T], x: &[T], y: &mut [T]) {
        let count = x.len() / self.cols.max(1);
        assert!(a.len() == self.rows * self.cols);
        assert!(x.len() == count * self.cols && y.len() == count * self.rows);
        let (rows, cols) = (self.rows as c_int, self.cols as c_int);
        let (a, x, y) = (a.as_ptr(), x.as_ptr(), y.as_mut_ptr());
        let (one, zero) = (T::ONE, T::default());
        // SAFETY: the lengths are the ones passed. Vectors one after the other are the rows of a matrix.
        unsafe {
            if count == 1 {
                (self.gemv)(ROW_MAJOR, PLAIN, rows, cols, one, a, cols, x, 1, zero, y, 1);
            } else {
                let n = count as c_int;
                (self.gemm)(
                    ROW_MAJOR, PLAIN, TRANSPOSED, n, rows, cols, one, x, cols, a, cols, zero, y, rows,
                );
            }
        }
    }
}

/// OpenBLAS's dense product; in packages of Python's registry its symbols begin with `scipy_`.
pub fn openblas<T: Real>(peers: &mut Peers, shape: (usize, usize)) -> Option<Dense<T>> {
    const PEER: &str = "OpenBLAS";
    let library = peers.library(PEER, "LOOPWRIGHT_PEER_OPENBLAS", &["libopenblas.so.0", "libopenblas.so"])?;
    let prefix = ["", "scipy_"].into_iter().find(|prefix| {
        let name = format!("{prefix}cblas_sgemv");
        // SAFETY: only looked up, never called.
        unsafe { library.get::<SetThreads>(&name).is_ok() }
    });
    let prefix = prefix.unwrap_or("");
    // SAFETY: the function of openblas_config.h; the library outlives the call.
    let set = unsafe {
        peers.function::<SetThreads>(PEER, &library, &format!("{prefix}openblas_set_num_threads"))
    }?;
    // SAFETY: takes a number.
    unsafe { set(1) };
    Dense::of(peers, PEER, &library, prefix, shape)
}
