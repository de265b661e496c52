//! `loopwright explain`: what the words of tables and pages mean: reasons, traits, columns, rules of advice.

use crate::args::{Cli, ExplainArgs};
use crate::failure::Failure;
use crate::terminal::{print, style};
use loopwright_remarks::reasons;

pub fn run(cli: &Cli, args: &ExplainArgs) -> Result<u8, Failure> {
    let Some(name) = &args.reason else {
        print(&loopwright_report::reasons(&style(cli)))?;
        return Ok(0);
    };
    let reason = reasons::find(name).map(|reason| loopwright_report::explain(reason, &style(cli)));
    let Some(text) = reason.or_else(|| loopwright_report::meaning(name, &style(cli))) else {
        return Err(Failure::misuse(format!(
            "no reason, trait, column or rule is called `{name}`; `loopwright explain` lists all of them"
        )));
    };
    print(&text)?;
    Ok(0)
}
