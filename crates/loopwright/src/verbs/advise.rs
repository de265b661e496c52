//! `loopwright advise`: everything that is needed for an answer, in one go.

use crate::args::{AdviseArgs, Cli, HOT_LOOPS};
use crate::collect;
use crate::counting::{self, Counted};
use crate::failure::Failure;
use crate::input::Input;
use crate::sampling::{self, Surveyed};
use crate::state::{self, Beside};
use crate::terminal::{Console, print, style};
use crate::tracing::{self, How};
use crate::verbs::machine;
use crate::verbs::remarks::{Asking, Questions};
use loopwright_analysis::describe::{Described, Extent};
use loopwright_analysis::facts::MachineRecord;
use loopwright_experiment::{Experiment, Phase};
use loopwright_instrument::Choice;
use loopwright_sample::recording::Outcome;

pub fn run(cli: &Cli, args: &AdviseArgs, console: &Console) -> Result<u8, Failure> {
    let parallel = crate::ranks::own().is_some();
    // Ranks that measured a shared node at the same time would measure each other.
    let measure = !args.no_measure && !parallel;
    let machine = machine::record(measure, console);
    let mut input = Input::own();
    let once = why_once(args, &input);
    let announcement = match &once {
        None if args.deep => {
            "the program runs three times: it is sampled now, then counted, then its hot loops are traced"
        }
        None => "the program runs twice: it is sampled now, then counted (once only with --once)",
        Some(why) => why,
    };
    let announcement = Some(announcement).filter(|text| !text.is_empty());
    let surveyed = sampling::survey(cli, &args.sampling, &args.command, &machine, announcement, console)?;
    // Ranks find the merged survey below, once all have delivered.
    let known = match parallel {
        true => surveyed.speaks.then(|| state::load(cli, "latest")).transpose()?,
        false => state::newest_survey_with(cli, &args.command, Beside::Nothing)?,
    };
    let questions = known
        .as_ref()
        .filter(|_| surveyed.speaks && !args.no_compiler)
        .map(|known| Questions::about(&known.facts, &known.analysis));
    let choice = known.as_ref().map(counting::hot_modules).unwrap_or_default();
    drop(known);
    std::thread::scope(|scope| -> Result<(), Failure> {
        let asking = questions.map(|questions| Asking::begin(scope, questions));
        if once.is_none() {
            let counted = count(cli, args, choice, &surveyed, &mut input, &machine, console);
            if args.deep {
                deepen(cli, args, &surveyed, counted.as_ref(), &mut input, &machine, console);
            }
        }
        console.costs.end(Phase::Choose);
        match asking {
            Some(asking) => asking.finish(&mut Experiment::open(&cli.experiment)?, console),
            None => Ok(()),
        }
    })?;
    console.costs.end(Phase::Compilers);
    if surveyed.speaks {
        let loaded = state::load(cli, "latest")?;
        console.costs.end(Phase::Join);
        print(&loopwright_report::advice(&loaded.analysis, loaded.recommendations(), &style(cli)))?;
    }
    Ok(if args.sampling.propagate_exit { collect::propagated(surveyed.target.outcome) } else { 0 })
}

/// Why the program is run only once, in words unless it was asked for; `None` when it runs again.
fn why_once(args: &AdviseArgs, input: &Input) -> Option<String> {
    let (nothing, verbs) = if args.deep {
        ("counted or traced", "`loopwright tripcounts`, `map` and `dependencies`")
    } else {
        ("counted", "`loopwright tripcounts`")
    };
    if args.once {
        Some(String::new())
    } else if crate::ranks::own().is_some() {
        // A launcher's process may join its parallel job only once.
        Some(format!(
            "a rank can join its job only once, so nothing is {nothing}; start {verbs} by the same launcher to have more"
        ))
    } else if matches!(input, Input::Once) {
        Some(format!(
            "standard input is a pipe, which a second run would find empty, so nothing is {nothing}; give it from a file \
             (`< file`) to have more"
        ))
    } else {
        None
    }
}

/// The second run. Without it there is still the survey, so that its failure is a note.
fn count(
    cli: &Cli,
    args: &AdviseArgs,
    choice: Choice,
    surveyed: &Surveyed,
    input: &mut Input,
    machine: &MachineRecord,
    console: &Console,
) -> Option<Counted> {
    if surveyed.target.outcome == Outcome::Interrupted {
        console.note("nothing is counted after an interruption");
        return None;
    }
    if !input.again() {
        console.note("standard input cannot be read again, so nothing is counted");
        return None;
    }
    let before: Vec<&Described> = surveyed.described.iter().collect();
    let how = counting::How {
        choice,
        extent: Extent::WhatMatters,
        before: &before,
        debug_dirs: &args.sampling.debug_dir,
    };
    match counting::count(cli, how, &args.command, machine, console) {
        Err(failure) => {
            console.note(&format!("advice without counts: {failure}"));
            None
        }
        Ok(counted) => {
            if counted.target.outcome != surveyed.target.outcome {
                console.note(
                    "the second run ended otherwise than the first: counts and times may not belong together; undo what \
                     the first run leaves behind (an output that must not exist, say), or run once with --once",
                );
            }
            Some(counted)
        }
    }
}

/// The third run, of the hot loops.
fn deepen(
    cli: &Cli,
    args: &AdviseArgs,
    surveyed: &Surveyed,
    counted: Option<&Counted>,
    input: &mut Input,
    machine: &MachineRecord,
    console: &Console,
) {
    let before = counted.map_or(surveyed.target.outcome, |counted| counted.target.outcome);
    if before == Outcome::Interrupted {
        return console.note("nothing is traced after an interruption");
    }
    if !input.again() {
        return console.note("standard input cannot be read again, so nothing is traced");
    }
    let described = surveyed.described.iter().chain(counted.into_iter().flat_map(|run| &run.described));
    let described: Vec<&Described> = described.collect();
    let traced = state::newest_survey_with(cli, &args.command, Beside::Counts).and_then(|loaded| {
        let Some(loaded) = loaded else { return Ok(()) };
        let chosen = tracing::hot(&loaded, HOT_LOOPS)?;
        drop(loaded);
        let how = How::usual(&args.sampling.debug_dir, &described);
        tracing::trace(cli, &chosen, &how, &args.command, machine, console).map(drop)
    });
    if let Err(failure) = traced {
        console.note(&format!("advice without traces: {failure}"));
    }
}
