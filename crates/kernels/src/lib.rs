//! Tuned kernels that advice can point to where no vendor's library has one.
//!
//! A kernel is one module:
//!
//! ```text
//! NAME/mod.rs        the public functions, their contract
//!      dispatch.rs   the choice of a level
//!      reference.rs  plain and obviously right; the oracle of the tests and the `scalar` level's yardstick
//!      scalar.rs     the portable level, where the reference is not fast enough to be it
//!      lanes.rs      the loops, written once for the vectors of all levels ([`vector`])
//!      sse42.rs avx2.rs avx512.rs   what only one instruction-set level ([`Isa`]) has
//! ```
//!
//! Every public function chooses its level once per process: the best one for its way of working ([`Routine::level`], the
//! engines of hashes and ciphers), within the one that the variable [`isa::VARIABLE`] names. It has a twin `.._with(isa, ..)` that runs the level that is passed and refuses one that the
//! processor lacks. What a function computes never depends on the level.
//!
//! Kernels that write whole arrays also choose their stores by size; their `.._with` functions take a [`Plan`], which
//! an [`Isa`] converts to. Functions that end with `_par` use the threads of rayon's current pool above a size; their
//! `.._par_with` twins always do. The sizes are measured constants ([`tuning`]).
//!
//! Nothing here prints, panics on bad input or exits: errors are values ([`error`]). What the kernels' speed is
//! compared with is left to the crate `kernels-bench`.

#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod aliasing;
pub mod byteswap;
pub mod cipher;
pub mod error;
mod extra;
pub mod fletcher;
pub mod hash;
#[doc(hidden)]
pub mod internals;
pub mod isa;
#[doc(hidden)]
pub mod overlap;
mod pages;
pub mod plan;
pub mod processor;
pub mod routine;
pub mod semi_sparse;
#[cfg(target_arch = "x86_64")]
mod sha1_ni;
pub mod streaming;
mod threads;
pub mod tuning;
mod vector;

pub use error::IsaError;
pub use extra::Extra;
pub use isa::Isa;
pub use plan::{Plan, Stores};
pub use processor::Profile;
pub use routine::Routine;
