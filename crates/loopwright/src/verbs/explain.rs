//! `loopwright explain`: the reasons why loops are not vectorised, in plain words.

use crate::args::{Cli, ExplainArgs};
use crate::failure::Failure;
use crate::terminal::{print, style};
use loopwright_remarks::reasons;

pub fn run(cli: &Cli, args: &ExplainArgs) -> Result<u8, Failure> {
    let Some(name) = &args.reason else {
        print(&loopwright_report::reasons(&style(cli)))?;
        return Ok(0);
    };
    match reasons::find(name) {
        Some(reason) => print(&loopwright_report::explain(reason, &style(cli)))?,
        None => {
            return Err(Failure::misuse(format!(
                "there is no reason `{name}`; `loopwright explain` lists all of them"
            )));
        }
    }
    Ok(0)
}
