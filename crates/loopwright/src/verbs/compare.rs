//! `loopwright compare`: two states side by side.

use crate::args::{Cli, CompareArgs};
use crate::failure::Failure;
use crate::state::{self, Loaded};
use crate::terminal::{print, style};
use std::path::Path;

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<u8, Failure> {
    let before = side(cli, &args.before)?;
    let after = side(cli, &args.after)?;
    let comparison = loopwright_analysis::compare::compare(
        (&args.before, &before.analysis),
        (&args.after, &after.analysis),
    );
    if args.json {
        print(&loopwright_report::json::document("comparison", &comparison)?)?;
    } else {
        print(&loopwright_report::comparison(&comparison, &style(cli)))?;
    }
    Ok(0)
}

/// A state of this experiment, or `FILE` or `FILE:STATE` of another one.
fn side(cli: &Cli, name: &str) -> Result<Loaded, Failure> {
    if Path::new(name).is_file() {
        return state::load_from(Path::new(name), "latest");
    }
    if let Some((file, state)) = name.split_once(':')
        && Path::new(file).is_file()
    {
        return state::load_from(Path::new(file), state);
    }
    state::load(cli, name)
}
