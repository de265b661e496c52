//! Starts a program for a collector: found as the shell would, held at a gate until the collector is attached.
//!
//! Both collectors of a run start programs in this way, so that a program that cannot be started is refused
//! with the same sentence by both. The collectors follow and reap the program.

pub mod error;
pub mod options;

mod file_limit;
mod inherited;
mod interruptions;
mod launch;
mod replace;
mod terminal;

pub use error::Error;
pub use file_limit::survive_file_limit;
pub use inherited::was_closed;
pub use interruptions::{Interruptions, signal};
pub use launch::{Held, hold, resolve};
pub use options::{StartOptions, Stream};
pub use replace::replace;
