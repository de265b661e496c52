//! `loopwright reproduce`: finds what changes the answer of the program from one build to another, and what keeps it.

use crate::args::{Cli, ReproduceArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::rebuilding;
use crate::state;
use crate::terminal::{Console, print, style};
use loopwright_trial::Commands;
use loopwright_trial::reproduce::{How, Stage, reproduce};
use std::sync::atomic::Ordering;
use std::time::Instant;

pub fn run(cli: &Cli, args: &ReproduceArgs, console: &Console) -> Result<u8, Failure> {
    rebuilding::must_be_alone("reproduce")?;
    let mut asked = rebuilding::asked(cli, &args.command, &args.answer, None)?;
    asked.budget = args.budget;
    let how = How { good: args.good.clone(), bad: args.bad.clone() };
    let surveyed = rebuilding::newest(cli, &args.command)?.filter(state::is_current);
    let commands = Commands::of(&asked.steps);
    interrupt::install()?;
    let started = Instant::now();
    let bar = console.progress("building and running the first build");
    let found = reproduce(&asked, &how, &commands, &|stage| {
        bar.set_message(match stage {
            Stage::Good => "building and running the first build".to_owned(),
            Stage::Planned(most) => {
                let minutes = most.as_secs().div_ceil(60);
                bar.suspend(|| console.note(&format!("at most {minutes} min (--budget)")));
                return;
            }
            Stage::Conditions => "running the first build under other conditions".to_owned(),
            Stage::Bad => "building and running the second build".to_owned(),
            Stage::Searching(what, runs) => format!("searching among {what} ({runs} runs so far)"),
            Stage::Measuring(round) => format!("measuring what keeps the answer, round {round}"),
        });
    });
    bar.finish_and_clear();
    let found = found.map_err(rebuilding::failure)?;
    rebuilding::store(cli, surveyed.as_ref(), &asked, &found, started, console)?;
    if INTERRUPTED.load(Ordering::SeqCst) {
        console.note("interrupted; what was found is kept");
    }
    let shown = state::load(cli, "latest")?;
    let text = if args.json {
        loopwright_report::json::document("reproduction", &shown.analysis.reproduction)?
    } else {
        loopwright_report::reproduction(&shown.analysis, &style(cli))
    };
    print(&text)?;
    Ok(0)
}
