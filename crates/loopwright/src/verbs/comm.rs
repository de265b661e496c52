//! `loopwright comm`: counts the calls of MPI by place, stores them, and shows those of all ranks.

use super::hooked::{self, Hooked};
use crate::args::{Cli, CommArgs};
use crate::failure::Failure;
use crate::terminal::Console;
use loopwright_experiment::communication::Messages;
use loopwright_instrument::calls::{Called, HookedRun};
use loopwright_instrument::listen;

impl Hooked for Messages {
    const WHAT: &'static str = "calls of MPI";

    fn run(&self) -> &HookedRun {
        &self.run
    }

    fn called(&mut self) -> impl Iterator<Item = &mut Called> {
        self.sites.iter_mut().map(|site| &mut site.called)
    }
}

pub fn run(cli: &Cli, args: &CommArgs, console: &Console) -> Result<u8, Failure> {
    let heard = |options: &_, listener: listen::Listener<'_>| {
        listen::messages(&args.run.command, options, args.barriers, listener)
    };
    hooked::run(cli, &args.run, console, heard, |analysis, all, style| match style {
        Some(style) => Ok(loopwright_report::comm(analysis, all, style)),
        None => loopwright_report::json::document("comm", &analysis.comm),
    })
}
