//! `loopwright advise`: everything that is needed for an answer, in one go.

use crate::args::{AdviseArgs, Cli, HOT_LOOPS};
use crate::collect;
use crate::counting::{self, Before};
use crate::failure::Failure;
use crate::gathering::LATEST;
use crate::injecting;
use crate::input::Input;
use crate::output::Output;
use crate::sampling::{self, Around, Surveyed};
use crate::state::{self, Beside};
use crate::terminal::{Console, print, style};
use crate::tracing::{self, How};
use crate::verbs::machine;
use crate::verbs::remarks::{Asking, Questions};
use loopwright_binary::image::Images;
use loopwright_experiment::MachineRecord;
use loopwright_experiment::describe::{Described, Extent};
use loopwright_experiment::{Experiment, Phase};
use loopwright_instrument::Choice;
use loopwright_sample::recording::Outcome;
use std::path::PathBuf;

pub fn run(cli: &Cli, args: &AdviseArgs, console: &Console) -> Result<u8, Failure> {
    let parallel = crate::ranks::own().is_some();
    // Ranks that measured a shared node at the same time would measure each other.
    let measure = !args.no_measure && !parallel;
    let machine = machine::record(measure, console);
    let mut input = Input::own();
    let once = why_once(args, &input);
    let announcement = match &once {
        None if args.deep => {
            "the program runs four times: it is sampled now, then counted, its hot loops are traced, and operations injected into them"
        }
        None => "the program runs twice: it is sampled now, then counted (once only with --once)",
        Some(why) => why,
    };
    let announcement = Some(announcement).filter(|text| !text.is_empty());
    let around = Around { announcement, ..Around::default() };
    let written = Output::now();
    // What one of its runs reads of a file, the others need not read again.
    let images = collect::images(&args.sampling.debug_dir);
    let surveyed = sampling::survey(cli, &args.sampling, &args.command, &images, &machine, around, console)?;
    let first = Before { outcome: surveyed.ran.target.outcome, output: Output::now().since(written) };
    // Ranks find the merged survey below, once all have delivered.
    let known = match parallel {
        true => surveyed.ran.reports.then(|| state::load(cli, &surveyed.ran.state)).transpose()?,
        false => state::newest_survey_with(cli, &args.command, Beside::Nothing)?,
    };
    let questions = known
        .as_ref()
        .filter(|_| surveyed.ran.reports && !args.no_compiler)
        .map(|known| Questions::about(&known.facts, &known.analysis));
    let choice = known.as_ref().map(counting::hot_modules).unwrap_or_default();
    let choice = counting::where_time_was_seen(choice, &surveyed, &images);
    let partly = choice.partly.clone();
    drop(known);
    std::thread::scope(|scope| -> Result<(), Failure> {
        let asking = questions.map(|questions| Asking::begin(scope, cli, questions));
        if once.is_none() {
            let (second, counted) =
                count(cli, args, choice, first, &surveyed, &images, &mut input, &machine, console);
            if args.deep {
                let described: Vec<&Described> = surveyed.described.iter().chain(&counted).collect();
                deepen(cli, args, second, &described, &partly, &images, &mut input, &machine, console);
            }
        }
        console.costs.end(Phase::Choose);
        match asking {
            Some(asking) => asking.finish(&mut Experiment::open(&cli.experiment)?, console),
            None => Ok(()),
        }
    })?;
    console.costs.end(Phase::Compilers);
    if surveyed.ran.reports {
        let state = if parallel { surveyed.ran.state.as_str() } else { LATEST };
        let loaded = state::load(cli, state)?;
        console.costs.end(Phase::Join);
        print(&loopwright_report::advice(
            &loaded.analysis,
            loaded.recommendations(),
            cli.verbose,
            &style(cli),
        ))?;
    }
    Ok(if args.sampling.propagate_exit { collect::propagated(surveyed.ran.target.outcome) } else { 0 })
}

/// Why the program is run only once, in words unless it was asked for; `None` when it runs again.
fn why_once(args: &AdviseArgs, input: &Input) -> Option<String> {
    let (nothing, verbs) = if args.deep {
        ("counted, traced or injected", "`loopwright tripcounts`, `map`, `dependencies` and `bottlenecks`")
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

/// How far the second run came.
enum Second {
    /// Its counts are stored, or could not be had for a reason that says nothing of the program.
    Done,
    /// It was interrupted.
    Interrupted,
    /// It did not do what the first did.
    Otherwise,
}

/// The second run, with what the binaries say of it; without it there is still the survey, so that its failure is a note.
#[allow(clippy::too_many_arguments, reason = "one call, of what only the caller knows")]
fn count(
    cli: &Cli,
    args: &AdviseArgs,
    choice: Choice,
    first: Before,
    surveyed: &Surveyed,
    images: &Images,
    input: &mut Input,
    machine: &MachineRecord,
    console: &Console,
) -> (Second, Vec<Described>) {
    if first.outcome == Outcome::Interrupted {
        console.note("nothing is counted after an interruption");
        return (Second::Interrupted, Vec::new());
    }
    if !input.again() {
        console.note("standard input cannot be read again, so nothing is counted");
        return (Second::Done, Vec::new());
    }
    let before: Vec<&Described> = surveyed.described.iter().collect();
    let how = counting::How { choice, extent: Extent::WhatMatters, before: &before, images };
    match counting::count(cli, how, &args.command, machine, Some(first), console) {
        Err(failure) => {
            console.note(&format!("advice without counts: {failure}"));
            (Second::Done, Vec::new())
        }
        Ok(counted) if !counted.used => {
            console.note(&format!(
                "the second run ended otherwise than the first ({}), so its counts are not used; undo what the first run \
                 leaves behind (an output that must not exist, say), or run once with --once",
                difference(first.outcome, counted.ran.target.outcome)
            ));
            (Second::Otherwise, Vec::new())
        }
        Ok(counted) if counted.ran.target.outcome == Outcome::Interrupted => {
            (Second::Interrupted, counted.described)
        }
        Ok(counted) => (Second::Done, counted.described),
    }
}

/// In what the ends of two runs differ.
fn difference(first: Outcome, second: Outcome) -> String {
    let end = |outcome| match outcome {
        Outcome::Exited(status) => format!("status {status}"),
        Outcome::Signalled(signal) => format!("signal {signal}"),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Unknown => "its end was not seen".to_owned(),
    };
    if first == second {
        return "another amount of output".to_owned();
    }
    format!("{}, then {}", end(first), end(second))
}

/// The third and the fourth run: traces of the hot loops, and operations injected into them; `second` is how far the run before came.
#[allow(clippy::too_many_arguments, reason = "one call, of what only the caller knows")]
fn deepen(
    cli: &Cli,
    args: &AdviseArgs,
    second: Second,
    described: &[&Described],
    partly: &[(PathBuf, Vec<u64>)],
    images: &Images,
    input: &mut Input,
    machine: &MachineRecord,
    console: &Console,
) {
    match second {
        Second::Done => {}
        Second::Interrupted => return console.note("nothing is traced after an interruption"),
        Second::Otherwise => return console.note("nothing is traced where two runs do not do the same"),
    }
    if !input.again() {
        return console.note("standard input cannot be read again, so nothing is traced");
    }
    let traced = state::newest_survey_with(cli, &args.command, Beside::Counts).and_then(|loaded| {
        let Some(loaded) = loaded else { return Ok(None) };
        let others = loopwright_advise::to_be_traced(&loaded.analysis, loaded.recommendations());
        let chosen = tracing::hot_and(&loaded, HOT_LOOPS, &others)?;
        drop(loaded);
        let how = How::usual(images, described, partly);
        tracing::trace(cli, &chosen, &how, &args.command, machine, console)
            .map(|traced| Some(traced.target.outcome))
    });
    match traced {
        Err(failure) => console.note(&format!("advice without traces: {failure}")),
        Ok(Some(Outcome::Interrupted)) => return console.note("nothing is injected after an interruption"),
        Ok(_) => {}
    }
    if !input.again() {
        return console.note("standard input cannot be read again, so nothing is injected");
    }
    let injected = state::newest_survey_with(cli, &args.command, Beside::Counts).and_then(|loaded| {
        let Some(loaded) = loaded else { return Ok(()) };
        let chosen = tracing::hot(&loaded, HOT_LOOPS)?;
        let how = injecting::How::usual(images);
        injecting::inject(cli, &loaded, &chosen, &how, &args.command, machine, console).map(drop)
    });
    if let Err(failure) = injected {
        console.note(&format!("advice without what binds the loops: {failure}"));
    }
}
