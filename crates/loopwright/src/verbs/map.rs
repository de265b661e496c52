//! `loopwright map` and `loopwright dependencies`: trace, store, and show what was seen.

use crate::args::{Cli, DependenciesArgs, MapArgs};
use crate::collect;
use crate::failure::Failure;
use crate::state;
use crate::terminal::{Console, print, style};
use crate::tracing::{self, Aim, How, Ready};
use crate::verbs::machine;
use loopwright_analysis::model::Analysis;
use loopwright_report::{TerminalStyle, TracedOptions};
use loopwright_sample::recording::Outcome;

pub fn run(cli: &Cli, args: &MapArgs, console: &Console) -> Result<u8, Failure> {
    let images = collect::images(&args.tracing.debug_dir);
    let how = How::of(&args.tracing, Aim { strides: true, dependences: false }, &args.cache, &images);
    traced(cli, &args.tracing, &how, loopwright_report::access_patterns, console)
}

pub fn dependencies(cli: &Cli, args: &DependenciesArgs, console: &Console) -> Result<u8, Failure> {
    let images = collect::images(&args.tracing.debug_dir);
    let how = How::of(&args.tracing, Aim { strides: false, dependences: true }, &[], &images);
    traced(cli, &args.tracing, &how, loopwright_report::dependencies, console)
}

fn traced(
    cli: &Cli,
    options: &crate::args::Tracing,
    how: &How<'_>,
    page: fn(&Analysis, &TracedOptions, &TerminalStyle) -> String,
    console: &Console,
) -> Result<u8, Failure> {
    let machine = machine::record(false, console);
    let status = |outcome: Outcome| if options.propagate_exit { collect::propagated(outcome) } else { 0 };
    let chosen = match tracing::ready(cli, options, how.images, &machine, console)? {
        Ready::Trace(chosen) => chosen,
        Ready::Ended(outcome) => return Ok(status(outcome)),
    };
    let traced = tracing::trace(cli, &chosen, how, &options.command, &machine, console)?;
    if traced.reports {
        let loaded = state::load(cli, &traced.state)?;
        let options = TracedOptions { loops: Some(chosen.ids) };
        print(&page(&loaded.analysis, &options, &style(cli)))?;
    }
    Ok(status(traced.target.outcome))
}
