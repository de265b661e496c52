//! `loopwright heap`: counts allocations by place, stores them, and shows those of all ranks.

use super::hooked::{self, Hooked};
use crate::args::{Cli, HookedArgs};
use crate::failure::Failure;
use crate::terminal::Console;
use loopwright_experiment::heap::HeapUse;
use loopwright_instrument::calls::{Called, HookedRun};
use loopwright_instrument::listen;

impl Hooked for HeapUse {
    const WHAT: &'static str = "allocations";

    fn run(&self) -> &HookedRun {
        &self.run
    }

    fn called(&mut self) -> impl Iterator<Item = &mut Called> {
        self.sites.iter_mut().map(|site| &mut site.called)
    }
}

pub fn run(cli: &Cli, args: &HookedArgs, console: &Console) -> Result<u8, Failure> {
    let heard = |options: &_, listener: listen::Listener<'_>| listen::heap(&args.command, options, listener);
    hooked::run(cli, args, console, heard, |analysis, all, style| match style {
        Some(style) => Ok(loopwright_report::heap(analysis, all, style)),
        None => loopwright_report::json::document("heap", &analysis.heap),
    })
}
