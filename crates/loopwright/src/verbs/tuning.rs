//! `loopwright tune`: searches for the build and the settings with which the program is fastest and answers the same.

use crate::args::{Cli, Emit, TuneArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::rebuilding;
use crate::state;
use crate::terminal::{Console, print, style};
use loopwright_analysis::model::TriedOutcome;
use loopwright_trial::Commands;
use loopwright_trial::tune::{How, Slurm, Stage, emit, tune, tune_by_jobs};
use std::sync::atomic::Ordering;
use std::time::Instant;

mod jobs;

use jobs::task_words;

pub fn run(cli: &Cli, args: &TuneArgs, console: &Console) -> Result<u8, Failure> {
    if let Some(format) = args.emit {
        return written(cli, format);
    }
    if args.array_task.is_none() {
        rebuilding::must_be_alone("tune")?;
    }
    let mut asked = rebuilding::asked(cli, &args.command, &args.answer, None)?;
    asked.budget = args.budget.time;
    asked.measure.clone_from(&args.metric);
    if let Some(request) = &args.array_task {
        return jobs::task(asked, request);
    }
    let jobs = args.jobs.map(|_| jobs::folder(cli)).transpose()?;
    asked.leave.extend(jobs.iter().map(|folder| folder.path().to_owned()));
    let how = How {
        axes: args.axes.iter().map(|axis| axis.axis()).collect(),
        semantics: args.fp.semantics(),
        runs: args.budget.runs,
    };
    // A survey says which files are hot; the search goes without.
    let surveyed = rebuilding::newest(cli, &args.command)?.filter(state::is_current);
    let commands = Commands::of(&asked.steps);
    let ready = loopwright_trial::ready(&asked, &commands).map_err(rebuilding::failure)?;
    interrupt::install()?;
    let started = Instant::now();
    let bar = console.progress("building and running the unchanged program");
    let analysis = surveyed.as_ref().map(|loaded| &loaded.analysis);
    let progress = |stage: Stage| {
        bar.set_message(match stage {
            Stage::Unchanged => "building and running the unchanged program".to_owned(),
            Stage::Planned(most) => {
                let minutes = most.as_secs().div_ceil(60);
                let note = format!("at most {} runs and {minutes} min (--budget)", how.runs);
                bar.suspend(|| console.note(&note));
                return;
            }
            Stage::Building(name, number, all) => format!("building {name} ({number} of {all})"),
            Stage::Running(candidates, runs, most) => {
                format!("running {candidates} candidates (run {runs} of at most {most})")
            }
            Stage::Confirming(name) => format!("measuring {name} again"),
            Stage::Submitted(tasks, job) => format!("job {job} of {tasks} tasks is waiting or running"),
        });
    };
    let tuned = match &jobs {
        None => tune(&asked, &how, ready, analysis, &progress),
        Some(folder) => {
            let slurm =
                Slurm { folder: folder.path().to_owned(), task: &task_words, options: jobs::options(args)? };
            tune_by_jobs(&asked, &how, ready, analysis, &slurm, &progress)
        }
    };
    bar.finish_and_clear();
    let tuning = tuned.map_err(rebuilding::failure)?;
    rebuilding::store(cli, surveyed.as_ref(), &asked, &tuning, started, console)?;
    if INTERRUPTED.load(Ordering::SeqCst) {
        console.note("interrupted; what was measured is kept");
    }
    let shown = state::load(cli, "latest")?;
    let text = if args.json {
        loopwright_report::json::document("tuning", &shown.analysis.tuning)?
    } else {
        loopwright_report::tuning(&shown.analysis, &style(cli))
    };
    print(&text)?;
    Ok(0)
}

/// Writes the best build of the newest search.
fn written(cli: &Cli, format: Emit) -> Result<u8, Failure> {
    let none = || {
        Failure::misuse(format!(
            "{} holds no search; run `loopwright tune -- PROGRAM` first",
            cli.experiment.display()
        ))
    };
    if !cli.experiment.exists() {
        return Err(none());
    }
    let shown = state::load(cli, "latest")?;
    let tuning = shown.analysis.tuning.as_ref().ok_or_else(none)?;
    let best = tuning.best.as_ref().filter(|best| best.outcome == TriedOutcome::Faster).ok_or_else(|| {
        Failure::Failed(anyhow::anyhow!(
            "no build of the last search is faster for certain, so there is nothing to write"
        ))
    })?;
    let text = emit::text(&best.parts, &loopwright_report::tuned_title(best), format.format())
        .map_err(|error| Failure::misuse(error.to_string()))?;
    print(&text)?;
    Ok(0)
}
