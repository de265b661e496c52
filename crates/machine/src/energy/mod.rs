//! Energy that the processor's own counters show while a program runs, and a model for where they cannot be read.
//!
//! Three interfaces of the kernel show the same counters (RAPL, "running average power limit", of Intel and AMD): perf's `power`
//! events, the powercap folders, and the processor's registers. They are tried in this order ([`Meter::find`]). A counter covers a
//! socket, not a program: everything that runs there is in it.
//!
//! Sources: `arch/x86/events/rapl.c`, `Documentation/power/powercap/powercap.rst` and `arch/x86/include/asm/msr-index.h` of Linux;
//! Intel, *Software Developer's Manual* vol. 3, "Power and Thermal Management"; AMD, *Processor Programming Reference*, MSRC001_0299.

mod calibrate;
mod counter;
mod kept;
mod measured;
mod meter;
mod missing;
mod model;
mod msr;
mod perf_power;
pub(crate) mod powercap;

pub use calibrate::{CalibrateError, calibrate};
pub use kept::{load_model, store_model};
pub use measured::{Domain, DomainEnergy, Fault, Interface, Measured, joules};
pub use meter::{Meter, Running};
pub use missing::{Missing, Why};
pub use model::{Fit, Model, Point, fit};

#[cfg(test)]
mod tests;
