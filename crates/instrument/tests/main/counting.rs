//! The proof of the engine: counts against closed forms, against a single-stepper, against valgrind, traced addresses
//! against the single-stepper, and the programs' own results with and without it.

mod addresses;
mod builds;
mod coverage;
mod endings;
mod engine;
mod exact;
mod expected;
mod injected;
mod judge;
mod matrix;
mod mutated;
mod processes;
mod profile;
mod repeated;
mod stepped;
mod stepper;
mod valgrind;
