//! Hooks at the entries and ends of MPI's functions: who calls them, how often, with which bytes, for whom, and how long.
//!
//! Functions are hooked themselves, not their names: a program may call them from C, from Fortran by one of four ways of writing a
//! name, or have the library linked in. The library's functions move to a copy as counted functions do; there a call of the
//! handler is at the entry and before each return. No return address is changed, so that stacks can be walked as before.
//!
//! ```text
//! functions  names, numbers and arguments
//! table      which functions of a module are hooked, and what the handler must know of the library
//! routine    the code between the copy of a function and the handler
//! blob       the handler, compiled from handler.c
//! layout     where the handler writes
//! gather     what it wrote
//! ```

pub mod blob;
pub mod functions;
pub mod gather;
#[allow(dead_code, reason = "the other side needs the rest")]
pub mod layout;
pub mod routine;
pub mod table;

/// What is asked of the hooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// A barrier before each collective call separates waiting for other ranks from the call's own work.
    pub barriers: bool,
}
