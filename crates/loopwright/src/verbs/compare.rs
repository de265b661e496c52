//! `loopwright compare`: two states side by side.

use crate::args::{Cli, CompareArgs};
use crate::failure::Failure;
use crate::state;
use crate::terminal::{print, style};
use loopwright_advise::{Side, predictions};
use loopwright_report::page::comparison::ComparisonDocument;

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<u8, Failure> {
    let before = state::load_side(cli, &args.before)?;
    let after = state::load_side(cli, &args.after)?;
    let comparison = loopwright_analysis::compare::compare(
        (&args.before, &before.analysis),
        (&args.after, &after.analysis),
    );
    let (advised, later) =
        (state::recommendations(&before.analysis), state::recommendations(&after.analysis));
    let held = predictions(
        Side { analysis: &before.analysis, recommendations: &advised },
        Side { analysis: &after.analysis, recommendations: &later },
        &comparison,
    );
    if args.json {
        let document = ComparisonDocument { comparison: &comparison, findings: None, predictions: &held };
        print(&loopwright_report::json::document("comparison", &document)?)?;
    } else {
        let style = style(cli);
        let text = loopwright_report::comparison(&comparison, &style);
        print(&(text + &loopwright_report::predictions(&held, &style)))?;
    }
    Ok(0)
}
