//! The command `loopwright-kernels`: arguments and printing; no measuring.
//!
//! Exit status: 0 done, 1 failed, 2 misuse.

#![forbid(unsafe_code)]

mod verbs;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Verifies and measures the kernels of loopwright.
#[derive(Debug, Parser)]
#[command(name = "loopwright-kernels", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Verify kernels, then measure them against peers and bounds.
    Bench(verbs::bench::Arguments),
    /// Measure the sizes from which kernels work in another way, and store them for this user's programs.
    Calibrate(verbs::calibrate::Arguments),
    /// Report how many bytes under a directory exist more than once.
    Dedup(verbs::dedup::Arguments),
    /// Run one operation of a kernel once, for observation from outside.
    #[command(hide = true)]
    Exercise(verbs::exercise::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(error) = loopwright_kernels::isa::override_error() {
        eprintln!("loopwright-kernels: {error}");
    }
    if let Some(error) = loopwright_kernels::processor::override_error() {
        eprintln!("loopwright-kernels: {error}");
    }
    let done = match &cli.verb {
        Verb::Bench(arguments) => verbs::bench::run(arguments),
        Verb::Calibrate(arguments) => verbs::calibrate::run(arguments),
        Verb::Dedup(arguments) => verbs::dedup::run(arguments),
        Verb::Exercise(arguments) => verbs::exercise::run(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has ended (`| head`).
        Err(error) if verbs::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("loopwright-kernels: {error:#}");
            ExitCode::from(if error.is::<verbs::Misuse>() { 2 } else { 1 })
        }
    }
}
