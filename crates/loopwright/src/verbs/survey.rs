//! `loopwright survey`: sample, store, and show the loops.

use crate::args::{Cli, SurveyArgs};
use crate::collect;
use crate::failure::Failure;
use crate::state;
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_report::LoopsOptions;

pub fn run(cli: &Cli, args: &SurveyArgs, console: &Console) -> Result<u8, Failure> {
    let machine = machine::record(false, console);
    let collected = collect::survey(cli, &args.sampling, &args.command, &machine, console)?;
    collect::note_outcome(&collected.recording, console);
    if collected.speaks {
        let loaded = state::load(cli, "latest")?;
        let recommendations = state::recommendations(&loaded.analysis);
        print(&loopwright_report::loops(
            &loaded.analysis,
            &recommendations,
            &LoopsOptions::default(),
            &style(cli),
        ))?;
    }
    let status = collected.recording.target.outcome;
    Ok(if args.sampling.propagate_exit { collect::propagated(status) } else { 0 })
}
