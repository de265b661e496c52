//! `loopwright compare`: two states side by side.

use crate::args::{Cli, CompareArgs};
use crate::comparing::Compared;
use crate::failure::Failure;
use crate::state;
use crate::terminal::{print, style};
use loopwright_report::page::comparison::ComparisonDocument;

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<u8, Failure> {
    let before = state::load_side(cli, &args.before)?;
    let after = state::load_side(cli, &args.after)?;
    let compared = Compared::of((&args.before, &before), (&args.after, &after));
    if args.json {
        let document = ComparisonDocument {
            comparison: &compared.comparison,
            findings: None,
            predictions: &compared.predictions,
        };
        print(&loopwright_report::json::document("comparison", &document)?)?;
    } else {
        let style = style(cli);
        let text = loopwright_report::comparison(&compared.comparison, &style);
        print(&(text + &loopwright_report::predictions(&compared.predictions, &style)))?;
    }
    Ok(0)
}
