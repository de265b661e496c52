//! `loopwright check`: a gate for builds, over what `compare` finds.

use crate::args::{CheckArgs, Cli};
use crate::failure::Failure;
use crate::state;
use crate::terminal::{print, style};
use loopwright_analysis::compare::check::{Thresholds, check, passes};
use loopwright_analysis::compare::compare;

/// Exit status when the state is worse.
const WORSE: u8 = 1;

pub fn run(cli: &Cli, args: &CheckArgs) -> Result<u8, Failure> {
    let before = state::load_side(cli, &args.against)?;
    let after = state::load_side(cli, &args.state)?;
    let comparison = compare((&args.against, &before.analysis), (&args.state, &after.analysis));
    let thresholds = Thresholds { slower: args.slower, tolerance: args.tolerance, ..Thresholds::default() };
    let findings = check(&comparison, &thresholds);
    if args.json {
        print(&loopwright_report::json::document("findings", &findings)?)?;
    } else {
        print(&loopwright_report::findings(&comparison, &findings, &style(cli)))?;
    }
    Ok(if passes(&findings) { 0 } else { WORSE })
}
