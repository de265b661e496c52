//! `loopwright tripcounts`: count, store, and show what was counted.

use crate::args::{Cli, TripcountsArgs};
use crate::collect;
use crate::counting::{self, How};
use crate::failure::Failure;
use crate::state;
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_report::TripCountsOptions;

pub fn run(cli: &Cli, args: &TripcountsArgs, console: &Console) -> Result<u8, Failure> {
    let choice = counting::chosen(cli, args)?;
    let machine = machine::record(false, console);
    let images = collect::images(&args.debug_dir);
    let counted = counting::count(cli, How::full(choice, &images), &args.command, &machine, None, console)?;
    if counted.ran.reports && !args.shown.collect_only {
        let loaded = state::load(cli, &counted.ran.state)?;
        let loops = (!args.loops.is_empty()).then(|| args.loops.clone());
        let options = TripCountsOptions { verbose: cli.verbose, loops };
        print(&loopwright_report::trip_counts(&loaded.analysis, &options, &style(cli)))?;
    }
    Ok(if args.propagate_exit { collect::propagated(counted.ran.target.outcome) } else { 0 })
}
