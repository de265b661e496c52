//! `loopwright survey`: sample, store, and show the loops.

use crate::args::{Cli, SurveyArgs};
use crate::collect;
use crate::failure::Failure;
use crate::sampling::{self, Around};
use crate::state;
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_report::LoopsOptions;

pub fn run(cli: &Cli, args: &SurveyArgs, console: &Console) -> Result<u8, Failure> {
    let machine = machine::record(false, console);
    let images = collect::images(&args.sampling.debug_dir);
    let surveyed =
        sampling::survey(cli, &args.sampling, &args.command, &images, &machine, Around::default(), console)?;
    if surveyed.ran.reports && !args.shown.collect_only {
        let loaded = state::load(cli, &surveyed.ran.state)?;
        print(&loopwright_report::loops(
            &loaded.analysis,
            loaded.recommendations(),
            &LoopsOptions::default(),
            &style(cli),
        ))?;
    }
    Ok(if args.sampling.propagate_exit { collect::propagated(surveyed.ran.target.outcome) } else { 0 })
}
