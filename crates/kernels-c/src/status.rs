//! What functions return, and the text of a thread's last error.

use kernels::IsaError;
use kernels::fletcher::FletcherError;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};

/// What a function returns: LW_OK, or why it did nothing. lw_error_message() says what a value means in general,
/// lw_last_error() what was wrong this time.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_status {
    /// Done.
    LW_OK = 0,
    /// A pointer is null that must not be.
    LW_ERROR_NULL = 1,
    /// A length is not one that the function takes.
    LW_ERROR_LENGTH = 2,
    /// Memory that is read and memory that is written overlap where they must not.
    LW_ERROR_OVERLAP = 3,
    /// A pointer is not aligned as its type requires.
    LW_ERROR_ALIGNMENT = 4,
    /// A value is outside its range.
    LW_ERROR_VALUE = 5,
    /// Unknown instruction-set level.
    LW_ERROR_ISA_UNKNOWN = 6,
    /// This processor cannot run the level.
    LW_ERROR_ISA_UNAVAILABLE = 7,
    /// A file cannot be read or written.
    LW_ERROR_FILE = 8,
    /// Data is corrupt, or of a version that cannot be read.
    LW_ERROR_DATA = 9,
    /// A defect of the library itself; please report it.
    LW_ERROR_INTERNAL = 10,
    /// A message is not what was sealed with these keys.
    LW_ERROR_REJECTED = 11,
    /// An object cannot do this now.
    LW_ERROR_STATE = 12,
}

use lw_status::*;

impl lw_status {
    const ALL: [lw_status; 13] = [
        LW_OK,
        LW_ERROR_NULL,
        LW_ERROR_LENGTH,
        LW_ERROR_OVERLAP,
        LW_ERROR_ALIGNMENT,
        LW_ERROR_VALUE,
        LW_ERROR_ISA_UNKNOWN,
        LW_ERROR_ISA_UNAVAILABLE,
        LW_ERROR_FILE,
        LW_ERROR_DATA,
        LW_ERROR_INTERNAL,
        LW_ERROR_REJECTED,
        LW_ERROR_STATE,
    ];

    const fn message(self) -> &'static CStr {
        match self {
            LW_OK => c"done",
            LW_ERROR_NULL => c"a pointer is null that must not be",
            LW_ERROR_LENGTH => c"a length is not one that the function takes",
            LW_ERROR_OVERLAP => c"memory that is read and memory that is written overlap",
            LW_ERROR_ALIGNMENT => c"a pointer is not aligned as its type requires",
            LW_ERROR_VALUE => c"a value is outside its range",
            LW_ERROR_ISA_UNKNOWN => c"no such instruction-set level",
            LW_ERROR_ISA_UNAVAILABLE => c"this processor cannot run the instruction-set level",
            LW_ERROR_FILE => c"a file cannot be read or written",
            LW_ERROR_DATA => c"the data is corrupt, or of a version that cannot be read",
            LW_ERROR_INTERNAL => c"a defect of the library; please report it",
            LW_ERROR_REJECTED => c"the message is not what was sealed with these keys",
            LW_ERROR_STATE => c"the object cannot do this now",
        }
    }
}

/// Why a function did nothing.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: lw_status,
    pub text: String,
}

impl Failure {
    pub fn new(status: lw_status, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }
}

impl From<IsaError> for Failure {
    fn from(error: IsaError) -> Failure {
        let status = match error {
            IsaError::Unavailable { .. } => LW_ERROR_ISA_UNAVAILABLE,
            _ => LW_ERROR_ISA_UNKNOWN,
        };
        Failure::new(status, error.to_string())
    }
}

impl From<FletcherError> for Failure {
    fn from(error: FletcherError) -> Failure {
        match error {
            FletcherError::Isa(error) => error.into(),
            FletcherError::Length { .. } => Failure::new(LW_ERROR_LENGTH, error.to_string()),
            _ => Failure::new(LW_ERROR_VALUE, error.to_string()),
        }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a function's work; keeps the text of what went wrong for lw_last_error().
pub(crate) fn run(work: impl FnOnce() -> Result<(), Failure>) -> lw_status {
    // Kernels do not panic. Should one, the caller's program is not to end for it.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Failure::new(LW_ERROR_INTERNAL, "a defect of the library stopped the function; please report it"))
    });
    let Err(Failure { status, text }) = outcome else { return LW_OK };
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no text any more.
    let _ = LAST.try_with(|last| last.replace(text));
    status
}

/// [`run`] for a function that returns a value: `absent` where there is none.
pub(crate) fn value<T>(absent: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut found = absent;
    run(|| {
        found = work()?;
        Ok(())
    });
    found
}

/// An object that calls on several threads wait for. One whose work a defect stopped is not used any more.
pub(crate) fn lock<T>(object: &Mutex<T>) -> Result<MutexGuard<'_, T>, Failure> {
    object.lock().map_err(|_| {
        Failure::new(
            LW_ERROR_INTERNAL,
            "a defect of the library has spoilt the object; free it and report it",
        )
    })
}

/// What a status means in general: a text that is never freed. A number that is not in lw_status has a text, too.
#[unsafe(no_mangle)]
pub extern "C" fn lw_error_message(status: i32) -> *const c_char {
    let found = lw_status::ALL.into_iter().find(|known| *known as i32 == status);
    found.map_or(c"no status of this library", lw_status::message).as_ptr()
}

/// What was wrong when a function last failed on this thread, and what to do about it; empty when none has. The text is
/// valid until a function fails on this thread again, or the thread ends. A success does not change it.
#[unsafe(no_mangle)]
pub extern "C" fn lw_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the pointer is to the text that this thread keeps.
        unsafe { CStr::from_ptr(lw_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn every_status_has_a_message_of_its_own() {
        let texts: std::collections::BTreeSet<_> = lw_status::ALL.iter().map(|s| s.message()).collect();
        assert_eq!(texts.len(), lw_status::ALL.len());
        for (number, status) in lw_status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, number);
        }
        for number in [-1, 13, i32::MIN] {
            // SAFETY: messages are static.
            let text = unsafe { CStr::from_ptr(lw_error_message(number)) };
            assert_eq!(text, c"no status of this library");
        }
    }

    #[test]
    fn the_last_error_is_the_threads() {
        assert_eq!(last(), "");
        assert_eq!(run(|| Err(Failure::new(LW_ERROR_VALUE, "5\0 is odd"))), LW_ERROR_VALUE);
        assert_eq!(last(), "5  is odd");
        assert_eq!(run(|| Ok(())), LW_OK);
        assert_eq!(last(), "5  is odd");
        std::thread::spawn(|| assert_eq!(last(), "")).join().unwrap();
    }

    #[test]
    fn a_panic_does_not_unwind_into_the_caller() {
        assert_eq!(run(|| panic!("as a defect would")), LW_ERROR_INTERNAL);
        assert!(last().starts_with("a defect of the library"));
    }
}
