//! Pointers of callers: null, lengths, results.

use crate::status::Failure;
use crate::status::lw_status::{LW_ERROR_ALIGNMENT, LW_ERROR_LENGTH, LW_ERROR_NULL, LW_ERROR_OVERLAP};
use kernels::overlap::{Extent, shared};
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The bytes behind a pointer, which may be null when there are none.
///
/// # Safety
/// `length` bytes can be read there, and nothing changes them while they are borrowed.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    not_null(data, "data")?;
    if isize::try_from(length).is_err() {
        return Err(Failure::new(
            LW_ERROR_LENGTH,
            format!("{length} bytes are more than a process can have; pass the length of the data"),
        ));
    }
    // SAFETY: not null, not too long; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// What can be wrong with an array before its memory is looked at.
fn check<T>(data: *const T, count: usize, name: &str) -> Result<(), Failure> {
    not_null(data, name)?;
    if !data.is_aligned() {
        let bytes = size_of::<T>();
        let text =
            format!("{name} is not aligned to its elements of {bytes} bytes; copy it to aligned memory");
        return Err(Failure::new(LW_ERROR_ALIGNMENT, text));
    }
    if count.checked_mul(size_of::<T>()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let text = format!("{name}: {count} elements are more than a process can have; pass their number");
        return Err(Failure::new(LW_ERROR_LENGTH, text));
    }
    Ok(())
}

/// The elements behind a pointer, which may be null when there are none.
///
/// # Safety
/// `count` elements can be read there, and nothing changes them while they are borrowed.
pub(crate) unsafe fn elements<'a, T>(data: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(data, count, name)?;
    // SAFETY: not null, aligned, not too long; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// The elements behind a pointer, to be written.
///
/// # Safety
/// `count` elements can be read and written there, and nothing else uses them while they are borrowed.
pub(crate) unsafe fn elements_mut<'a, T>(
    data: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(data, count, name)?;
    // SAFETY: not null, aligned, not too long; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, count) })
}

/// Refuses a source `x` and a result `y` that have a byte in common.
pub(crate) fn disjoint<S, T>(
    x: *const S,
    x_count: usize,
    y: *const T,
    y_count: usize,
) -> Result<(), Failure> {
    let range = |begin: usize, bytes: usize| (begin, begin.saturating_add(bytes));
    let (x_begin, x_end) = range(x.addr(), x_count.saturating_mul(size_of::<S>()));
    let (y_begin, y_end) = range(y.addr(), y_count.saturating_mul(size_of::<T>()));
    if x_begin < y_end && y_begin < x_end {
        return Err(Failure::new(LW_ERROR_OVERLAP, "x and y overlap in memory; pass a result of its own"));
    }
    Ok(())
}

/// Refuses memory to be written, `name`, that has a byte in common with other memory to be written or with what is read.
pub(crate) fn disjoint_all(name: &str, writes: &[Extent], reads: &[Extent]) -> Result<(), Failure> {
    let Some(index) = shared(writes, reads) else { return Ok(()) };
    let which = if writes.len() > 1 { format!("{name} {index}") } else { name.to_owned() };
    let text = format!("{which} overlaps other memory of the call; pass memory of its own");
    Err(Failure::new(LW_ERROR_OVERLAP, text))
}

/// A place for a result, which has the size it must have.
///
/// # Safety
/// As for [`elements_mut`].
pub(crate) unsafe fn output<'a>(
    place: *mut u8,
    given: usize,
    wanted: usize,
    name: &str,
) -> Result<&'a mut [u8], Failure> {
    if given != wanted {
        let text = format!("{name} has {given} bytes where {wanted} are written; pass memory of that size");
        return Err(Failure::new(LW_ERROR_LENGTH, text));
    }
    // SAFETY: the caller's promise.
    unsafe { elements_mut(place, given, name) }
}

/// The object behind a pointer that a function of the library made.
///
/// # Safety
/// A pointer that is not null is one to such an object, which is not given back while it is borrowed.
pub(crate) unsafe fn object<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    not_null(pointer, name)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { &*pointer })
}

/// Reads a value of any alignment.
///
/// # Safety
/// A pointer that is not null is one to a value that can be read.
pub(crate) unsafe fn get<T: Copy>(place: *const T, name: &str) -> Result<T, Failure> {
    not_null(place, name)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { place.read_unaligned() })
}

/// Writes what `work` yields to `place`, of any alignment. A null pointer is refused before anything is computed; a
/// failure leaves the place as it is.
///
/// # Safety
/// A pointer that is not null is one to a value that can be written.
pub(crate) unsafe fn put<T>(
    place: *mut T,
    name: &str,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    not_null(place, name)?;
    let value = work()?;
    // SAFETY: the caller's promise.
    unsafe { place.write_unaligned(value) };
    Ok(())
}

/// The name of a file, in whatever bytes.
///
/// # Safety
/// A pointer that is not null is one to bytes that end with a zero.
pub(crate) unsafe fn file_name<'a>(text: *const c_char, name: &str) -> Result<&'a Path, Failure> {
    not_null(text, name)?;
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    Ok(Path::new(OsStr::from_bytes(bytes)))
}

/// Refuses a null pointer by the name of its parameter.
pub(crate) fn not_null<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::new(LW_ERROR_NULL, format!("{name} is null; pass a valid pointer")));
    }
    Ok(())
}
