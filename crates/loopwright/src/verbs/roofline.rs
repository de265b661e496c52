//! `loopwright roofline`: every loop under the machine's ceilings; what is missing for it is run first.

use crate::args::{Cli, RooflineArgs};
use crate::collect;
use crate::counting::{self, Before, How};
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::sampling;
use crate::state::{self, Loaded};
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_experiment::{MachineRecord, Run};
use loopwright_instrument::facts::Counts;
use loopwright_report::RooflineOptions;
use loopwright_sample::recording::Outcome;

pub fn run(cli: &Cli, args: &RooflineArgs, console: &Console) -> Result<u8, Failure> {
    // Found out before minutes are spent on ceilings.
    let known = if args.command.is_empty() { Some(state::load(cli, "latest")?) } else { None };
    let measure = !args.no_measure && crate::ranks::own().is_none();
    let machine = machine::record(measure, console);
    let (loaded, status) = match known {
        Some(loaded) => (Some(loaded), 0),
        None => collected(cli, args, &machine, console)?,
    };
    if let Some(loaded) = loaded {
        let loaded = loaded.with_ceilings(&machine);
        let options = RooflineOptions { all: args.all };
        print(&loopwright_report::roofline(&loaded.analysis, &options, &style(cli)))?;
    }
    Ok(status)
}

/// Runs what is missing of survey and counts. No state when another rank reports.
fn collected(
    cli: &Cli,
    args: &RooflineArgs,
    machine: &MachineRecord,
    console: &Console,
) -> Result<(Option<Loaded>, u8), Failure> {
    let command = &args.command;
    let images = collect::images(&args.sampling.debug_dir);
    let known = || Ok::<_, Failure>(state::newest_survey(cli, command)?.filter(state::is_current));
    let counted_now = |run: &Run<Counts>| run.code.iter().all(|module| state::is_unchanged(&module.facts));
    let has_counts = |loaded: Loaded| loaded.facts.counts.iter().any(counted_now);
    let (surveyed, mut counted) = known()?.map_or((false, false), |loaded| (true, has_counts(loaded)));
    let mut input = Input::own();
    let mut outcome = None;
    let mut before = None;
    let mut reports = true;
    if !surveyed {
        let announcement = Some("sampling the program; what is counted needs another run");
        let written = Output::now();
        let survey = sampling::survey(cli, &args.sampling, command, &images, machine, announcement, console)?;
        reports = survey.reports;
        outcome = Some(survey.target.outcome);
        before = Some(Before { outcome: survey.target.outcome, output: Output::now().since(written) });
        if crate::ranks::own().is_some() {
            if reports {
                console.note("a rank can join its job only once: the same command again counts");
            }
            counted = true;
        } else if known()?.is_some_and(has_counts) {
            // Counted before it was surveyed, and not rebuilt since.
            counted = true;
        } else if !input.again() {
            console.note("standard input can be read only once: the same command again counts");
            counted = true;
        }
    }
    if !counted && outcome != Some(Outcome::Interrupted) {
        console.note("counting the program");
        let choice = counting::usual(cli, command)?;
        let how = How::full(choice, &images);
        let count = counting::count(cli, how, command, machine, before, console)?;
        if !count.used {
            console
                .note("the counted run did something else than the sampled one, so its counts are not used");
        }
        reports = count.reports;
        outcome = Some(count.target.outcome);
    }
    let status = outcome.filter(|_| args.sampling.propagate_exit).map_or(0, collect::propagated);
    if !reports {
        return Ok((None, status));
    }
    Ok((state::newest_survey(cli, command)?, status))
}
