//! A call of `tune`: which build and which settings make the program fastest, with the same answer.
//!
//! First a ladder of levels, instruction sets and compilers, then settings of the environment, then what may be added to the best of
//! them; each step by halving ([`search`]). All versions run in rounds with the unchanged program, in random order; each answer is
//! compared. The best is measured again on runs of its own, and is called one only when it is faster beyond the noise of the program
//! against itself (`loopwright_analysis::tried`).

mod array;
pub mod emit;
mod here;
mod rebuilt_loops;
mod search;
mod semantics;
mod sets;
mod strategy;

pub use array::{Slurm, task, tune as tune_by_jobs};

use crate::asked::{Asked, Error};
use crate::budget;
use crate::metric::Measure;
use crate::session::{PAIRS_TOGETHER, Ready};
use crate::settings::{loaded, setting_sets};
use crate::unchanged::{self, Unchanged};
use here::Tuner;
use loopwright_analysis::model::Analysis;
use loopwright_experiment::trials::End;
use loopwright_experiment::tuning::{Axis, Candidate, Semantics, Tuning};
use sets::Build;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use strategy::{Measurer as _, Searcher as _};

/// Part of the time, and of the runs, that is kept for the runs that confirm the best.
const FOR_CONFIRMING: f64 = 0.25;
/// Builds of a search, about.
const BUILDS: u32 = 18;
/// Runs that a search has where the user gives no number.
pub const RUNS: u32 = 100;

/// What is varied, and how far.
pub struct How {
    /// What is varied.
    pub axes: Vec<Axis>,
    /// What options may allow.
    pub semantics: Semantics,
    /// Most runs of the program, of a search on this machine.
    pub runs: u32,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    /// The unchanged program is built and run.
    Unchanged,
    /// The time that the search may take.
    Planned(Duration),
    /// A candidate is built: its name, its number and the number of all of this step.
    Building(&'a str, usize, usize),
    /// This number of candidates runs, after this number of runs, of at most this number.
    Running(usize, u32, u32),
    /// The best one is measured again.
    Confirming(&'a str),
    /// This number of jobs was handed to the scheduler, with its number for them.
    Submitted(usize, &'a str),
}

/// Searches for the best build.
///
/// # Errors
/// When the unchanged program cannot be built, run or judged.
pub fn tune(
    asked: &Asked,
    how: &How,
    ready: Ready,
    analysis: Option<&Analysis>,
    progress: &dyn Fn(Stage),
) -> Result<Tuning, Error> {
    let start = Instant::now();
    progress(Stage::Unchanged);
    let Ready { lines, called, mut builder } = ready;
    builder.limit(budget::at_first(asked));
    let program = called.started.program.clone();
    let Unchanged { runner, version, build, run, own } = unchanged::settle(asked, called, &mut builder)?;
    let seconds = Duration::from_secs_f64(run);
    let whole = budget::whole(asked.budget, build * BUILDS + seconds * how.runs);
    progress(Stage::Planned(whole));
    let first_build = build;
    let build = Build::of(&builder, lines, &program);
    let mut tuner = Tuner {
        tuning: empty(asked, &build),
        runner,
        builder,
        versions: BTreeMap::new(),
        version,
        deadline: start + whole,
        keep: whole.mul_f64(FOR_CONFIRMING).min(seconds * 3 * PAIRS_TOGETHER.most as u32),
        seconds,
        build: first_build,
        most: how.runs,
        reserve: ((f64::from(how.runs) * FOR_CONFIRMING) as u32).min(2 * PAIRS_TOGETHER.least as u32),
        round: 0,
        progress,
        busy: own.after.cpu / own.after.elapsed,
    };
    tuner.search(how, &build, &hot(analysis), &settings(analysis, &program))?;
    let best = tuner.confirm()?.and_then(|best| tuner.versions.get(&best).cloned());
    if let Some((best, analysis)) = best.zip(analysis) {
        tuner.tuning.loops = rebuilt_loops::rebuilt(analysis, &tuner.version, &best);
    }
    // What the user kept from running is no row.
    if tuner.is_stopped() {
        let has_run = |one: &Candidate| !one.trial.pairs.is_empty() || one.trial.answer.is_some();
        tuner.tuning.candidates.retain(|one| one.trial.end != End::Ran || has_run(one));
    }
    tuner.tuning.unsteady = tuner.runner.not_compared();
    tuner.tuning.runs = tuner.runner.runs;
    Ok(tuner.tuning)
}

/// Sources by their share of the time, the hottest first.
fn hot(analysis: Option<&Analysis>) -> Vec<(String, f64)> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for of in analysis.iter().flat_map(|analysis| &analysis.loops).filter(|of| of.main_module) {
        if let Some(file) = &of.file {
            *shares.entry(file.clone()).or_default() += of.self_share;
        }
    }
    let mut hot: Vec<(String, f64)> = shares.into_iter().collect();
    hot.sort_by(|a, b| b.1.total_cmp(&a.1));
    hot
}

/// A search that has found nothing yet.
fn empty(asked: &Asked, build: &Build) -> Tuning {
    Tuning {
        outputs: asked.outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        semantics: build.semantics(&[]),
        metric: asked.measure.as_ref().map(Measure::metric),
        ..Tuning::default()
    }
}

/// Settings to try, of a program that keeps this number of CPUs busy.
fn settings<'a>(
    analysis: Option<&'a Analysis>,
    program: &'a Path,
) -> impl Fn(f64) -> Vec<crate::change::Candidate> + 'a {
    move |busy| setting_sets(busy, &analysis.map(loaded).unwrap_or_default(), program)
}

#[cfg(test)]
mod tests;
