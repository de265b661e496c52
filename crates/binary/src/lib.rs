#![deny(unsafe_code)]
#![doc = "ELF, DWARF, functions, control flow, loop nests and what each instruction does."]
//!
//! The crate does not depend on samples. `image` opens a file and answers questions about addresses; `code`
//! turns one function into blocks, loops and classified instructions; `facts` are the results.

pub mod code;
pub mod facts;
pub mod image;
pub mod warning;
pub mod work;
pub mod written;
