//! The proof of the counting engine: counts against closed forms, against a single-stepper, against valgrind, and
//! the programs' own results with and without it.

mod builds;
mod expected;
mod profile;
mod stepped;
mod stepper;
