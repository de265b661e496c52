//! Functions of input and output.

pub mod functions;
pub mod gather;

use super::Library;

/// `struct process` of `handler.c`.
pub fn process(library: &Library<'_>) -> Vec<u64> {
    let [fileno, errno] = library.addresses(["fileno", "__errno_location"]);
    vec![library.shared, fileno, errno]
}
