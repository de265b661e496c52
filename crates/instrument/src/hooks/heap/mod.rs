//! Functions of the heap.

pub mod functions;
pub mod gather;

use super::Library;

/// `struct process` of `handler.c`.
pub fn process(library: &Library<'_>) -> Vec<u64> {
    vec![library.shared]
}
