//! `loopwright try`: carries out the advice on a copy, checks its answer and measures it.

use crate::args::{Cli, TryArgs};
use crate::collect;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::rebuilding;
use crate::state::{self, Loaded};
use crate::terminal::{Console, print, style};
use crate::tracing::{self, Aim, How};
use crate::verbs::machine;
use loopwright_experiment::trials::{Part, Trials};
use loopwright_launch::{StartOptions, Stream};

use loopwright_trial::place::Place;
use loopwright_trial::{Asked, Commands, Kind, PARALLELISE, Stage};
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

pub fn run(cli: &Cli, args: &TryArgs, console: &Console) -> Result<u8, Failure> {
    rebuilding::must_be_alone("try")?;
    let mut loaded = surveyed(cli, args)?;
    let mut asked = rebuilding::asked(cli, &args.command, &args.answer, args.patch.as_deref())?;
    (asked.kinds, asked.names) = wanted(&args.only);
    asked.budget = args.budget;
    let commands = Commands::of(&asked.steps);
    let ready = loopwright_trial::ready(&asked, &commands).map_err(rebuilding::failure)?;
    interrupt::install()?;
    let started = Instant::now();
    // What is known of one loop may turn the advice to another one, inside or around it.
    let mut before = Vec::new();
    for _ in 0..CHECKS {
        let ids = unchecked(&loaded, &asked);
        if ids.is_empty() || ids == before || INTERRUPTED.load(Ordering::SeqCst) {
            break;
        }
        before.clone_from(&ids);
        loaded = checked(cli, args, loaded, &ids, &asked, console)?;
    }
    asked.budget = args.budget.map(|budget| budget.saturating_sub(started.elapsed()).max(LEAST));
    let cards = loopwright_advise::cards(&loaded.analysis, loaded.recommendations());
    let bar = console.progress("building and running the unchanged program");
    let tried = loopwright_trial::run(&asked, ready, &loaded.analysis, &cards, &|stage| {
        bar.set_message(match stage {
            Stage::Unchanged => "building and running the unchanged program".to_owned(),
            Stage::Planned(0, _) => return,
            Stage::Planned(changes, most) => {
                let plural = if changes == 1 { "" } else { "s" };
                let most = match most.as_secs() {
                    seconds @ ..120 => format!("{seconds} s"),
                    seconds => format!("{} min", seconds.div_ceil(60)),
                };
                let note = format!("{changes} change{plural} to try, in at most {most} (--budget)");
                bar.suspend(|| console.note(&note));
                return;
            }
            Stage::Trying(change, number, all) => format!("trying {change} ({number} of {all})"),
            Stage::Together => "measuring the best changes together".to_owned(),
        });
    });
    bar.finish_and_clear();
    let trials = tried.map_err(rebuilding::failure)?;
    rebuilding::store(cli, Some(&loaded), &asked, &trials, started, console)?;
    if INTERRUPTED.load(Ordering::SeqCst) {
        console.note("interrupted; the finished trials are kept");
    }
    let shown = state::load(cli, "latest")?;
    let text = if args.json {
        loopwright_report::json::document("trials", &shown.analysis.trials)?
    } else {
        loopwright_report::trials(&shown.analysis, &style(cli))
    };
    print(&text)?;
    if let Some(path) = &args.patch {
        patch(path, &trials, &asked.directory, console)?;
    }
    Ok(0)
}

/// The survey of this command, of the program as it is now.
fn surveyed(cli: &Cli, args: &TryArgs) -> Result<Loaded, Failure> {
    let line: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let line = line.join(" ");
    let Some(loaded) = rebuilding::newest(cli, &args.command)? else {
        return Err(Failure::misuse(format!(
            "nothing is known of this command in this folder; run `loopwright advise -- {line}` first"
        )));
    };
    if !state::is_current(&loaded) {
        return Err(Failure::misuse(format!(
            "the program has been rebuilt since it was surveyed; run `loopwright advise -- {line}` again"
        )));
    }
    Ok(loaded)
}

/// Recommendations whose dependence check is made without being asked for: those that a reader sees first.
const FIRST: usize = 5;
/// Such checks that are made at most, one run of the program each.
const CHECKS: usize = 3;
/// A traced program takes about this many times as long, in bursts.
const TRACED: f64 = 5.0;
/// Part of a given budget that the check may take.
const OF_BUDGET: f64 = 0.3;
/// What remains of a budget at least.
const LEAST: Duration = Duration::from_secs(1);

/// The loops that are to be shared out among threads, as far as no trace has shown yet whether their iterations are independent.
fn unchecked(loaded: &Loaded, asked: &Asked) -> Vec<u32> {
    let elapsed = loaded.analysis.program.elapsed_seconds;
    if asked.budget.is_some_and(|budget| elapsed * TRACED > budget.as_secs_f64() * OF_BUDGET) {
        return Vec::new();
    }
    let cards = loopwright_advise::cards(&loaded.analysis, loaded.recommendations());
    let wanted = cards.iter().take(FIRST).filter(|card| {
        asked.wants(Kind::Advice, &card.id)
            && card.id.starts_with(PARALLELISE)
            && card.how.directive.is_none()
    });
    let mut ids: Vec<u32> =
        wanted.filter_map(|card| card.places.first().map_or(card.loop_id, |place| place.loop_id)).collect();
    // A person has to write such a loop of Rust anew.
    let is_rust = |file: &String| Path::new(file).extension().is_some_and(|extension| extension == "rs");
    ids.retain(|id| {
        let of = loaded.analysis.loops.iter().find(|of| of.id == *id);
        of.is_some_and(|of| of.dependence.is_none() && !of.file.as_ref().is_some_and(is_rust))
    });
    ids.dedup();
    ids
}

/// Traces loops in a copy of the working folder, as `loopwright dependencies` does in the folder itself; then what is known.
fn checked(
    cli: &Cli,
    args: &TryArgs,
    loaded: Loaded,
    ids: &[u32],
    asked: &Asked,
    console: &Console,
) -> Result<Loaded, Failure> {
    let shown: Vec<String> = ids.iter().map(u32::to_string).collect();
    console.note(&format!(
        "loop {} might run in parallel: the program runs once more to see whether its iterations are independent",
        shown.join(", ")
    ));
    let place = Place::copy(&asked.directory, &asked.leave, asked.disk)
        .map_err(|error| Failure::misuse(error.to_string()))?;
    let stdin = match &asked.input {
        Some((file, from)) => {
            let mut file = file.try_clone()?;
            file.seek(SeekFrom::Start(*from))?;
            Stream::File(Arc::new(file))
        }
        None => Stream::Null,
    };
    let start = StartOptions {
        directory: Some(place.working.clone()),
        environment: vec![("PWD".into(), place.working.clone().into())],
        stdin,
        stdout: Stream::Null,
        stderr: Stream::Null,
    };
    let images = collect::images(&[]);
    let aim = Aim { strides: false, dependences: true };
    let how = How { aim, apart: Some(start), ..How::usual(&images, &[], &[]) };
    let machine = machine::record(false, console);
    let chosen = tracing::pieces(&loaded, ids)?;
    match tracing::trace(cli, &chosen, &how, &args.command, &machine, console) {
        Ok(_) => {
            let known = surveyed(cli, args)?;
            let of = known.analysis.loops.iter().filter(|of| ids.contains(&of.id));
            for (id, seen) in of.filter_map(|of| Some((of.id, of.dependence.as_ref()?))) {
                console.note(&format!("loop {id}: {}", seen.verdict));
            }
            Ok(known)
        }
        Err(failure) => {
            console.note(&format!("this could not be seen: {failure}"));
            Ok(loaded)
        }
    }
}

/// Kinds of changes and names of single ones.
fn wanted(only: &[String]) -> (Vec<Kind>, Vec<String>) {
    let kind = |word: &str| match word {
        "advice" => Some(Kind::Advice),
        "options" => Some(Kind::Options),
        "environment" => Some(Kind::Environment),
        _ => None,
    };
    if only.is_empty() {
        return (vec![Kind::Advice, Kind::Options, Kind::Environment], Vec::new());
    }
    let names = only.iter().filter(|word| kind(word).is_none()).cloned().collect();
    (only.iter().filter_map(|word| kind(word)).collect(), names)
}

/// Writes the confirmed changes.
fn patch(path: &Path, trials: &Trials, folder: &Path, console: &Console) -> Result<(), Failure> {
    let shown = loopwright_analysis::tried::facts(trials);
    let faster = |tried: &loopwright_analysis::model::TriedFacts| {
        tried.outcome == loopwright_analysis::model::TriedOutcome::Faster
    };
    let Some(best) = shown.together.filter(faster) else {
        console.note(&format!("no change is faster for certain, so that {} is not written", path.display()));
        return Ok(());
    };
    let parts: &[Part] = &best.parts;
    let text = loopwright_trial::patch::text(parts, folder, |file| std::fs::read_to_string(file))
        .map_err(|cause| anyhow::anyhow!("the changes cannot be written as a patch: {cause}"))?;
    Destination::of(path).write(&text)
}
