#![forbid(unsafe_code)]
//! The command: arguments, progress and wiring; no analysis.
//!
//! Exit status: 0 done, 1 failed, 2 misuse. The program's own status is reported, and passed on with
//! `--propagate-exit`.

mod args;
mod collect;
mod comparing;
mod costs;
mod counting;
mod destination;
mod failure;
mod gathering;
mod injecting;
mod input;
mod interrupt;
mod joined;
mod metering;
mod output;
mod ranks;
mod rebuilding;
mod sampling;
mod sources;
mod state;
mod terminal;
mod top_down;
mod tracing;
mod verbs;

use std::process::ExitCode;

fn main() -> ExitCode {
    // While a build is watched this executable also replaces the compilers.
    if let Some(status) = loopwright_remarks::build::wrapper_main() {
        return ExitCode::from(status.clamp(0, 255) as u8);
    }
    loopwright_launch::survive_file_limit();
    verbs::completion::answer();
    let cli = args::Cli::of_process();
    match verbs::run(&cli) {
        Ok(status) => ExitCode::from(status),
        // Whoever reads our output has seen enough (`| head`).
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("loopwright: {}", terminal::lines(&failure.to_string()));
            ExitCode::from(failure.status())
        }
    }
}
