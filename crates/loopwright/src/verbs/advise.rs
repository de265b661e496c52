//! `loopwright advise`: everything that is needed for an answer, in one go.

use crate::args::{AdviseArgs, Cli};
use crate::collect;
use crate::failure::Failure;
use crate::state;
use crate::terminal::{Console, print, style};
use crate::verbs::{machine, remarks};
use loopwright_experiment::Experiment;

pub fn run(cli: &Cli, args: &AdviseArgs, console: &Console) -> Result<u8, Failure> {
    let parallel = crate::ranks::own().is_some();
    // Ranks that measured a shared node at the same time would measure each other.
    let measure = !args.no_measure && !parallel;
    let machine = machine::record(measure, console);
    let collected = collect::survey(cli, &args.sampling, &args.command, &machine, console)?;
    collect::note_outcome(&collected.recording, console);
    if collected.speaks {
        if !args.no_compiler {
            let mut experiment = Experiment::open(&cli.experiment)?;
            remarks::ask_compilers(&mut experiment, console)?;
        }
        let loaded = state::load(cli, "latest")?;
        let recommendations = state::recommendations(&loaded.analysis);
        print(&loopwright_report::advice(&loaded.analysis, &recommendations, &style(cli)))?;
    }
    let status = collected.recording.target.outcome;
    Ok(if args.sampling.propagate_exit { collect::propagated(status) } else { 0 })
}
