//! One file per verb.

mod advise;
mod bottlenecks;
mod build;
mod case;
mod check;
mod comm;
mod compare;
pub mod completion;
mod energy;
mod explain;
mod heap;
mod hooked;
mod io;
mod job;
mod machine;
mod map;
mod merge;
mod network;
mod placing;
mod remarks;
mod report;
mod reproducing;
mod roofline;
mod show;
mod snapshot;
mod survey;
mod tripcounts;
mod trying;
mod tuning;

pub use build::folder;

use crate::args::{Cli, Verb};
use crate::failure::Failure;
use crate::terminal::{Console, print};
use loopwright_experiment::Phase;

/// Runs the verb; the exit status.
pub fn run(cli: &Cli) -> Result<u8, Failure> {
    if let Some((choice, command)) = cli.verb.chosen_ranks() {
        crate::ranks::become_program_unless_chosen(choice, command)?;
    }
    let console = Console::new(cli);
    let status = dispatch(cli, &console)?;
    console.costs.end(Phase::Answer);
    // A rank's part may be merged and gone by now.
    if crate::ranks::own().is_none() {
        console.costs.store(&cli.experiment)?;
    }
    if let Some(table) = console.costs.table().filter(|_| cli.verbose) {
        eprintln!("{table}");
    }
    Ok(status)
}

fn dispatch(cli: &Cli, console: &Console) -> Result<u8, Failure> {
    match &cli.verb {
        Verb::Advise(args) => advise::run(cli, args, console),
        Verb::Survey(args) => survey::run(cli, args, console),
        Verb::Tripcounts(args) => tripcounts::run(cli, args, console),
        Verb::Map(args) => map::run(cli, args, console),
        Verb::Dependencies(args) => map::dependencies(cli, args, console),
        Verb::Bottlenecks(args) => bottlenecks::run(cli, args, console),
        Verb::Roofline(args) => roofline::run(cli, args, console),
        Verb::Machine(args) => machine::run(cli, args, console),
        Verb::Build(args) => build::run(cli, args, console),
        Verb::Try(args) => trying::run(cli, args, console),
        Verb::Tune(args) => tuning::run(cli, args, console),
        Verb::Reproduce(args) => reproducing::run(cli, args, console),
        Verb::Energy(args) => energy::run(cli, args, console),
        Verb::Comm(args) => comm::run(cli, args, console),
        Verb::Io(args) => io::run(cli, args, console),
        Verb::Heap(args) => heap::run(cli, args, console),
        Verb::Job(args) => job::run(cli, args, console),
        Verb::Place(args) => placing::run(cli, args, console),
        Verb::Remarks(args) => remarks::run(cli, args, console),
        Verb::Show(args) => show::run(cli, args),
        Verb::Report(args) => report::run(cli, args, console),
        Verb::Explain(args) => explain::run(cli, args),
        Verb::Merge(args) => merge::run(cli, args, console),
        Verb::Snapshot(args) => snapshot::run(cli, args, console),
        Verb::Compare(args) => compare::run(cli, args),
        Verb::Check(args) => check::run(cli, args),
        Verb::Case(args) => case::run(cli, args, console),
        Verb::Completions { shell } => {
            print(&completion::script(*shell)?)?;
            Ok(0)
        }
        Verb::Man { folder } => {
            std::fs::create_dir_all(folder)
                .map_err(|e| anyhow::anyhow!("cannot create {}: {e}", folder.display()))?;
            crate::args::write_manual(folder)
                .map_err(|e| anyhow::anyhow!("cannot write manual pages to {}: {e}", folder.display()))?;
            Ok(0)
        }
    }
}
