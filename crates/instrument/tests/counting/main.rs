//! The proof of the counting engine: counts against closed forms, against a single-stepper, against valgrind, and
//! the programs' own results with and without it.

mod builds;
mod endings;
mod engine;
mod exact;
mod expected;
mod judge;
mod matrix;
mod mutated;
mod profile;
mod repeated;
mod stepped;
mod stepper;
mod valgrind;
