//! The kernels for C and C++: functions over pointers and lengths, `include/loopwright_kernels.h`.
//!
//! ```text
//! status    what functions return, and the text of a thread's last error
//! memory    pointers of callers: null, lengths, results
//! isa       instruction-set levels by number
//! stores    kinds of stores by number
//! ..        one file per kernel: its functions, nothing computed here
//! ```
//!
//! The header is generated from these sources by a test, which also holds the one in the repository to them. What a
//! kernel computes and when it refuses is the kernel's; this crate checks what only C can get wrong. Names are those that C
//! programs see.

#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![allow(non_camel_case_types, reason = "types and constants have the names of the header")]
#![allow(clippy::too_many_arguments, reason = "three arrays and how to work on them")]
#![allow(clippy::missing_safety_doc, reason = "the header says once what pointers have to fulfil")]

mod byteswap;
mod cipher;
mod cipher_padded;
mod fletcher;
mod fletcher2;
mod fletcher4;
mod fletcher_modular;
mod hash;
mod isa;
mod memory;
mod semi_sparse;
mod semi_sparse_stored;
mod status;
mod stores;
mod streaming;
