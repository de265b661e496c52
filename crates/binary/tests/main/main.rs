//! Functions, loops and instructions read from real executables, held against other tools and against the source.

mod agreement;
mod image;
mod matrix;
