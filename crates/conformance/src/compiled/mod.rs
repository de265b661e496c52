//! Generated programs in C: what compilers do with functions all of whose callers they know, in every kind of executable.

pub mod build;
pub mod compare;
pub mod source;
