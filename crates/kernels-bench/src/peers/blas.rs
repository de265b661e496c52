//! Dense products of BLAS libraries (`cblas_sgemv`, `cblas_dgemv`), on one thread.

use super::Peers;
use libloading::Library;
use std::ffi::c_int;
use std::rc::Rc;

/// Types that BLAS multiplies.
pub trait Real: Copy + Default + 'static {
    /// One letter of the functions' names.
    const LETTER: char;
    /// One.
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

type Gemv<T> =
    unsafe extern "C" fn(c_int, c_int, c_int, c_int, T, *const T, c_int, *const T, c_int, T, *mut T, c_int);
type SetThreads = unsafe extern "C" fn(c_int);

/// A library's product of a dense matrix and a vector.
pub struct Dense<T> {
    gemv: Gemv<T>,
    rows: usize,
    cols: usize,
    // Keeps the function where it is.
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
        let name = format!("{prefix}cblas_{}gemv", T::LETTER);
        // SAFETY: the type is that of cblas.h with 32-bit integers; `Dense` keeps the library.
        let gemv = unsafe { peers.function::<Gemv<T>>(peer, library, &name) }?;
        Some(Dense { gemv, rows, cols, _library: library.clone() })
    }

    /// `y = A x` with `A` row by row. Shapes are those the product was made for.
    pub fn multiply(&self, a: &[T], x: &[T], y: &mut [T]) {
        assert!(a.len() == self.rows * self.cols && x.len() == self.cols && y.len() == self.rows);
        let (rows, cols) = (self.rows as c_int, self.cols as c_int);
        let (a, x, y) = (a.as_ptr(), x.as_ptr(), y.as_mut_ptr());
        // SAFETY: the lengths are those that are told.
        unsafe {
            (self.gemv)(ROW_MAJOR, PLAIN, rows, cols, T::ONE, a, cols, x, 1, T::default(), y, 1);
        }
    }
}

/// OpenBLAS's dense product; as packages of Python's registry have it, its symbols begin with `scipy_`.
pub fn openblas<T: Real>(peers: &mut Peers, shape: (usize, usize)) -> Option<Dense<T>> {
    const PEER: &str = "OpenBLAS";
    let library = peers.library(PEER, "LOOPWRIGHT_PEER_OPENBLAS", &["libopenblas.so.0", "libopenblas.so"])?;
    let prefix = ["", "scipy_"].into_iter().find(|prefix| {
        let name = format!("{prefix}cblas_sgemv");
        // SAFETY: only looked for, never called.
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
