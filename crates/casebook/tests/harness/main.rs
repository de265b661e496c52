//! The harness on cases of its own: reading, verifying, measuring, advice, and whole runs.

mod advising;
mod case_files;
mod outputs;
mod records;
mod rounds;
mod runs;
mod searching;
