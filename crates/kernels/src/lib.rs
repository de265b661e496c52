//! Tuned kernels that advice can point to where no vendor's library has one.
//!
//! A kernel is one module:
//!
//! ```text
//! NAME/mod.rs        the public functions, their contract, the choice of a level
//!      reference.rs  plain and obviously right; the oracle of the tests and the `scalar` level's yardstick
//!      scalar.rs     the portable level, where the reference is not fast enough to be it
//!      sse42.rs avx2.rs avx512.rs   one file per instruction-set level ([`Isa`])
//! ```
//!
//! Every public function chooses its level once per process ([`Isa::best`], overridable with the variable
//! [`isa::VARIABLE`]) and has a twin `.._with(isa, ..)` that runs the level it is told and refuses one that the
//! processor lacks. What a function computes never depends on the level.
//!
//! Nothing here prints, panics on bad input or exits: errors are values ([`error`]). What the kernels' speed is
//! compared with is left to the crate `kernels-bench`.

#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod cipher;
pub mod error;
pub mod fletcher;
#[cfg(all(test, unix))]
mod guarded;
pub mod isa;

pub use error::IsaError;
pub use isa::{Extra, Isa};
