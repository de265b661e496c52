//! What can keep a function from being analysed.

/// Why a function could not be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The index is not one of the image's functions.
    #[error("function index {0} is out of range; list the functions of this file again")]
    NoSuchFunction(usize),
    /// The bounds of the function are not code of this file.
    #[error("function {name} at {address:#x} has no code in this file; is it the file that was run?")]
    NoCode {
        /// The function's name.
        name: String,
        /// The function's entry address.
        address: u64,
    },
}
