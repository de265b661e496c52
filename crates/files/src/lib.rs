#![forbid(unsafe_code)]
//! Opens files that other files name.
//!
//! A program, an experiment or a compilation database from another user names further files: debug files,
//! reports, sources. Such a name is not a permission. [`regular`] opens nothing that could block or never
//! end; [`sources`] decides which files may be read, shown or compiled as sources of a program.

pub mod regular;
pub mod sources;
