//! Functions, loops and instructions read from real executables, compared with other tools and with the source.

mod agreement;
mod image;
mod matrix;
