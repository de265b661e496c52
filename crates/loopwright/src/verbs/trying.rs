//! `loopwright try`: carries out the advice on a copy, checks its answer and measures it.

use crate::args::{Cli, KindChoice, TryArgs};
use crate::destination::Destination;
use crate::failure::Failure;
use crate::input::Input;
use crate::interrupt::{self, INTERRUPTED};
use crate::state::{self, Loaded};
use crate::terminal::{Console, print, style};
use crate::verbs::build::folder;
use loopwright_experiment::Experiment;
use loopwright_experiment::trials::{Part, Trials};
use loopwright_remarks::build::step::{Kept, Step};
use loopwright_sample::recording::{Outcome, Target};
use loopwright_trial::{Asked, Kind, Stage};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

pub fn run(cli: &Cli, args: &TryArgs, console: &Console) -> Result<u8, Failure> {
    if crate::ranks::own().is_some() {
        return Err(Failure::misuse(
            "a rank of a parallel job cannot be tried by itself; start `loopwright try` without the launcher",
        ));
    }
    let loaded = surveyed(cli, args)?;
    let steps = steps(cli)?;
    let input = match Input::own() {
        Input::File(file, from) => Some((file, from)),
        Input::Same => None,
        Input::Once => {
            return Err(Failure::misuse(
                "standard input is a pipe, which a second run would find empty; give it from a file (`< file`)",
            ));
        }
    };
    let directory = std::env::current_dir()?.canonicalize()?;
    let command = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    interrupt::install()?;
    let asked = Asked {
        command,
        leave: own_files(cli, args),
        directory,
        input,
        steps,
        outputs: args.output.clone(),
        check: args.check,
        verify: args.verify.clone(),
        kinds: kinds(&args.only),
        budget: args.budget,
        disk: args.disk,
        stop: &INTERRUPTED,
    };
    let started = Instant::now();
    let cards = loopwright_advise::cards(&loaded.analysis, loaded.recommendations());
    let bar = console.progress("building and running the unchanged program");
    let tried = loopwright_trial::run(&asked, &loaded.analysis, &cards, &|stage| {
        bar.set_message(match stage {
            Stage::Unchanged => "building and running the unchanged program".to_owned(),
            Stage::Trying(change, number, all) => format!("trying {change} ({number} of {all})"),
            Stage::Together => "measuring the best changes together".to_owned(),
        });
    });
    bar.finish_and_clear();
    let trials = tried.map_err(|error| match error.is_misuse() {
        true => Failure::misuse(error.to_string()),
        false => error.into(),
    })?;
    store(cli, &loaded, &asked, &trials, started, console)?;
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
    let Some(loaded) = state::newest_survey(cli, &args.command)? else {
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

/// The commands of the user's own builds.
fn steps(cli: &Cli) -> Result<Vec<Step>, Failure> {
    let own = loopwright_machine::own_folder()?;
    let kept = Kept::of(&own, &cli.experiment).filter(|kept| !kept.steps.is_empty());
    kept.map(|kept| kept.steps).ok_or_else(|| {
        Failure::misuse(format!(
            "no build into {} is known on this machine; run `loopwright build -- make` (or cmake, ninja, .., after a clean) first",
            cli.experiment.display()
        ))
    })
}

/// What this command writes itself: it is no input of the program.
fn own_files(cli: &Cli, args: &TryArgs) -> Vec<PathBuf> {
    let experiment = cli.experiment.clone();
    let parts = {
        let mut name = experiment.clone().into_os_string();
        name.push(".parts");
        PathBuf::from(name)
    };
    let all = [folder(&experiment), parts, experiment].into_iter().chain(args.patch.clone());
    all.filter_map(|path| path.canonicalize().ok()).collect()
}

fn kinds(only: &[KindChoice]) -> Vec<Kind> {
    let all = [KindChoice::Advice, KindChoice::Options, KindChoice::Environment];
    let chosen: &[KindChoice] = if only.is_empty() { &all } else { only };
    let kind = |choice: &KindChoice| match choice {
        KindChoice::Advice => Kind::Advice,
        KindChoice::Options => Kind::Options,
        KindChoice::Environment => Kind::Environment,
    };
    chosen.iter().map(kind).collect()
}

fn store(
    cli: &Cli,
    loaded: &Loaded,
    asked: &Asked,
    trials: &Trials,
    started: Instant,
    console: &Console,
) -> Result<(), Failure> {
    let surveyed = loaded.facts.surveys.first().map(|survey| survey.target.clone()).unwrap_or_default();
    let interrupted = asked.stop.load(Ordering::SeqCst);
    let target = Target {
        command: surveyed.command,
        host: surveyed.host,
        directory: surveyed.directory,
        executable: surveyed.executable,
        elapsed_seconds: started.elapsed().as_secs_f64(),
        outcome: if interrupted { Outcome::Interrupted } else { Outcome::Exited(0) },
        ..Target::default()
    };
    let machine = loaded.facts.machine();
    let run = Experiment::open(&cli.experiment)?.add(trials, Some(&target), machine)?;
    console.costs.stored(run);
    Ok(())
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
