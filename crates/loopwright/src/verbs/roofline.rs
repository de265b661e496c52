//! `loopwright roofline`: every loop under the machine's ceilings; what is missing for it is run first.

use crate::args::{Cli, RooflineArgs};
use crate::collect;
use crate::failure::Failure;
use crate::input::Input;
use crate::joined;
use crate::state;
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_report::RooflineOptions;

pub fn run(cli: &Cli, args: &RooflineArgs, console: &Console) -> Result<u8, Failure> {
    // Found out before minutes are spent on ceilings.
    let known = if args.command.is_empty() { Some(state::load(cli, "latest")?) } else { None };
    let measure = !args.no_measure && crate::ranks::own().is_none();
    let machine = machine::record(measure, console);
    let (loaded, status) = match known {
        Some(loaded) => (Some(loaded), 0),
        None => {
            let images = collect::images(&args.sampling.debug_dir);
            let mut input = Input::own();
            let joined = joined::surveyed_and_counted(
                cli,
                &args.sampling,
                &args.command,
                &images,
                &machine,
                &mut input,
                console,
            )?;
            let status =
                joined.outcome.filter(|_| args.sampling.propagate_exit).map_or(0, collect::propagated);
            (joined.loaded, status)
        }
    };
    if let Some(loaded) = loaded {
        let loaded = loaded.with_ceilings(&machine);
        let options = RooflineOptions { all: args.all };
        print(&loopwright_report::roofline(&loaded.analysis, &options, &style(cli)))?;
    }
    Ok(status)
}
