//! The kernels against plain references, on every level of the machine: all in one executable, which links the library
//! that the workspace builds anyway. Unit tests beside the code look at parts that reach no engine: generating the engines
//! a second time takes longer than everything else.

#![cfg(unix)]

mod byteswap;
mod byteswap_file;
mod cipher;
mod fletcher;
mod guarded;
mod hash;
mod semi_sparse;
mod streaming;
