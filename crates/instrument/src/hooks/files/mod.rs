//! Functions of input and output.

pub mod functions;
pub mod gather;

use super::Library;

/// `struct process` of `handler.c`.
pub fn process(library: &Library<'_>) -> Vec<u64> {
    let [fileno] = library.addresses(["fileno"]);
    vec![library.shared, fileno]
}
