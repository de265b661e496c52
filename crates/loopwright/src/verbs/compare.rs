//! `loopwright compare`: two states side by side.

use crate::args::{Cli, CompareArgs};
use crate::failure::Failure;
use crate::state;
use crate::terminal::{print, style};

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<u8, Failure> {
    let before = state::load_side(cli, &args.before)?;
    let after = state::load_side(cli, &args.after)?;
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
