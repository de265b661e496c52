//! `exercise`: one operation, once, between two stops. The test that proves which level runs examines the
//! code executed in between.

use super::{Misuse, subject};
use anyhow::Context;
use loopwright_kernels::Isa;
use loopwright_kernels_bench::cold;
use loopwright_kernels_bench::watched::watched;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The kernel.
    kernel: String,
    /// Its operation.
    operation: String,
    /// Call the `_with` twin with this level instead of the function itself.
    #[arg(long, value_name = "LEVEL")]
    with: Option<Isa>,
    /// Stop the process (SIGSTOP) before and after the operation, for a tracer.
    #[arg(long)]
    stops: bool,
    /// Print the seconds of the first call in this process and of a later one.
    #[arg(long, conflicts_with_all = ["stops", "with"])]
    timed: bool,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let operations = subject(&arguments.kernel)?.operations();
    let names: Vec<&str> = operations.iter().map(|o| o.name).collect();
    let operation = operations.iter().find(|o| o.name == arguments.operation).ok_or_else(|| {
        Misuse(format!(
            "{} has no operation {:?}; it has: {}",
            arguments.kernel,
            arguments.operation,
            names.join(", ")
        ))
    })?;
    if arguments.timed {
        let [first, later] = cold::timed(operation)?;
        println!("{first:e} {later:e}");
        return Ok(());
    }
    // Work done once per process does not belong to the operation.
    Isa::best();
    let run = || (operation.run)(arguments.with);
    let done = if arguments.stops { watched(run) } else { run() };
    done.context("the operation was refused")
}
