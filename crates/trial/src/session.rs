//! A call of `try`: the unchanged program first, then one change after the other, then the best of them together.
//!
//! The unchanged program is built again, too, from the same commands: versions differ by their change alone. It has to give the
//! answer of the program that the user runs, and it is measured against itself, which shows what may be claimed. Each run of a
//! change is beside one of the unchanged program, in random order; the answer of each is compared. What cannot be
//! faster any more is given up early. Whatever was finished when the time is up, or when the user stops, is kept.

use crate::alike::alike;
use crate::answer::{Given, keep_worse};
use crate::asked::{Asked, Error, Stage};
use crate::budget::{self, Budget};
use crate::builder::{Builder, Made, candidates};
use crate::called::Called;
use crate::cargo::{self, CargoShop};
use crate::change::{Candidate, variables};
use crate::fault::Fault;
use crate::in_run::{self, Hot, InRuns};
use crate::line::Lines;
use crate::merged::merged;
use crate::rebuild::Workshop;
use crate::runner::{Ran, Runner};
use crate::running::Limits;
use crate::rustc::RustcShop;
use crate::touched::{share_of_build, touched};
use crate::unchanged::{self, Unchanged};
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, Clock, TriedOutcome};
use loopwright_analysis::tried::{self, FEW_PAIRS};
use loopwright_experiment::trials::{Answer, End, Pair, Part, Trial, Trials, Verdict, Way, Why};
use loopwright_remarks::build::step::Step;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pairs of the program against itself.
const PAIRS_ITSELF: usize = 9;
/// Pairs of one change.
const PAIRS: Pairs = Pairs { least: tried::LEAST_PAIRS, most: 9, most_elapsed: 15 };
/// Pairs of the changes together, which are claimed: at least, and at most.
pub(crate) const PAIRS_TOGETHER: Pairs = Pairs { least: 9, most: 15, most_elapsed: 25 };
/// A ratio that is known to this part of itself is known well enough.
const NARROW: f64 = 0.02;
/// Pairs of runs that take this long are few in a budget.
const LONG: Duration = Duration::from_secs(4);
/// Pairs after which a change that cannot be faster is given up.
const HOPELESS_AFTER: usize = 3;
/// Numbers of pairs.
#[derive(Clone, Copy)]
pub(crate) struct Pairs {
    pub least: usize,
    pub most: usize,
    /// The most where elapsed time is compared, which scatters more than CPU time.
    pub most_elapsed: usize,
}

/// The commands of builds, by what they make.
pub struct Commands(Lines);

impl Commands {
    /// Of the steps of builds.
    pub fn of(steps: &[Step]) -> Self {
        Self(Lines::of(steps))
    }

    /// The same where each source that a command compiles and links is compiled by a command of its own.
    pub(crate) fn apart(&self) -> Self {
        Self(self.0.apart())
    }
}

/// The program that is tried, and what builds it.
pub struct Ready<'a> {
    pub(crate) lines: &'a Lines,
    pub(crate) called: Called,
    pub(crate) builder: Builder<'a>,
}

/// Finds the program and the commands that make it: to be asked before anything runs for a trial.
///
/// # Errors
/// When something is missing.
pub fn ready<'a>(asked: &Asked<'a>, commands: &'a Commands) -> Result<Ready<'a>, Error> {
    let lines = &commands.0;
    let limits = Limits { time: budget::at_first(asked), file: asked.disk, stop: asked.stop };
    let (called, builder) = Called::find(asked, |program| {
        if let Some(builder) = builder(asked, lines, program, limits)? {
            return Ok(Some((program.to_path_buf(), builder)));
        }
        // Makefiles copy programs to where users expect them.
        let Some(made) = lines.copied(program).or_else(|| cargo::copied(&asked.steps, program)) else {
            return Ok(None);
        };
        Ok(builder(asked, lines, &made, limits)?.map(|builder| (made, builder)))
    })?;
    Ok(Ready { lines, called, builder })
}

/// Tries everything.
///
/// # Errors
/// When the unchanged program cannot be built, run or judged.
pub fn run(
    asked: &Asked,
    ready: Ready,
    analysis: &Analysis,
    cards: &[Recommendation],
    progress: &dyn Fn(Stage),
) -> Result<Trials, Error> {
    let choose = |builder: &mut Builder, program: &Path| candidates(analysis, builder, program, cards, asked);
    try_all(asked, ready, choose, |program| in_run::hot(analysis, program), progress)
}

/// Tries what `choose` finds.
pub(crate) fn try_all(
    asked: &Asked,
    ready: Ready,
    choose: impl FnOnce(&mut Builder, &Path) -> Vec<Candidate>,
    hot: impl FnOnce(&Path) -> Vec<Hot>,
    progress: &dyn Fn(Stage),
) -> Result<Trials, Error> {
    let start = Instant::now();
    progress(Stage::Unchanged);
    let Ready { lines, called, mut builder } = ready;
    // Checks in between have taken a part of what was given.
    builder.limit(budget::at_first(asked));
    let program = called.started.program.clone();
    let candidates = choose(&mut builder, &program);
    let has = |name: &&String| candidates.iter().any(|candidate| candidate.change == **name);
    if let Some(name) = asked.names.iter().find(|name| !has(name)) {
        return Err(Error::NoChange { name: name.clone() });
    }
    let compiled = touched(&candidates);
    if let Builder::Commands(workshop) = &mut builder {
        for source in &compiled {
            workshop.always_compile(source);
        }
    }
    let Unchanged { runner, version: unchanged, build, run: first, own } =
        unchanged::settle(asked, called, &mut builder)?;
    let builds: Vec<Duration> = candidates
        .iter()
        .filter(|candidate| candidate.parts.is_ok())
        .map(|one| build.mul_f64(share_of_build(one, &builder, lines, &program, compiled.len())))
        .collect();
    let changes = builds.len();
    let pair = Duration::from_secs_f64(2.0 * first);
    let budget = Budget::new(start, asked.budget, pair, &builds);
    progress(Stage::Planned(changes, budget.whole()));
    let mut session = Session {
        trials: Trials {
            outputs: asked.outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            ..Trials::default()
        },
        runner,
        builder,
        unchanged,
        budget,
        no_time: None,
        built: Vec::new(),
        hot: hot(&program),
        wrong: Given::default(),
    };
    // Two runs of the program of the user are a pair, too; short ones are repeated with warm caches instead.
    if pair >= LONG {
        session.trials.itself.push(own);
    }
    if changes > 0 {
        session.itself()?;
    }
    session.all(&candidates, &builds, progress)?;
    session.together(progress)?;
    session.trials.unsteady = session.runner.not_compared();
    Ok(session.trials)
}

/// What builds a program; nothing where no command makes it.
fn builder<'a>(
    asked: &Asked<'a>,
    lines: &'a Lines,
    program: &Path,
    limits: Limits<'a>,
) -> Result<Option<Builder<'a>>, Error> {
    // rustc calls the linker of C: what that was given is gone.
    if let Some(shop) = RustcShop::find(&asked.steps, program, limits)? {
        return Ok(Some(Builder::Rustc(shop)));
    }
    if lines.making(program).is_some() {
        return Ok(Some(Builder::Commands(Workshop::new(lines, program.to_path_buf(), limits)?)));
    }
    Ok(CargoShop::find(&asked.steps, program, limits)?.map(Builder::Cargo))
}

/// The trials of one call.
pub(crate) struct Session<'a> {
    trials: Trials,
    pub(crate) runner: Runner<'a>,
    pub(crate) builder: Builder<'a>,
    pub(crate) unchanged: PathBuf,
    budget: Budget,
    /// Why changes are left out since the time is up.
    no_time: Option<Why>,
    /// Programs of earlier trials, with the names of their changes.
    built: Vec<(PathBuf, String)>,
    /// Functions that take time.
    pub(crate) hot: Vec<Hot>,
    /// What a changed program gave that answered otherwise.
    wrong: Given,
}

impl Session<'_> {
    fn is_stopped(&self) -> bool {
        self.runner.asked.stop.load(Ordering::SeqCst)
    }

    /// The unchanged program against itself.
    fn itself(&mut self) -> Result<(), Error> {
        let unchanged = self.unchanged.clone();
        while self.trials.itself.len() < PAIRS_ITSELF {
            if self.is_stopped() || !self.budget.has_time_for_itself(self.trials.itself.len()) {
                break;
            }
            match self.pair(&unchanged, &[])? {
                Ok((pair, _)) => self.trials.itself.push(pair),
                Err(Ran::Stopped) => break,
                Err(_) => return Err(self.runner.ends_otherwise()),
            }
        }
        Ok(())
    }

    /// One run of each version, in random order.
    fn pair(
        &mut self,
        version: &Path,
        variables: &[(&str, &str)],
    ) -> Result<Result<(Pair, Answer), Ran>, Error> {
        let changed_first = self.runner.changed_first();
        let unchanged = self.unchanged.clone();
        let (mut before, mut after) = (None, None);
        for changed in [changed_first, !changed_first] {
            let ran = if changed {
                self.runner.run(version, variables)?
            } else {
                self.runner.run(&unchanged, &[])?
            };
            match ran {
                Ran::Well(time, answer) if changed => {
                    if answer.verdict == Verdict::Different {
                        self.wrong = self.runner.given()?;
                    }
                    after = Some((time, answer));
                }
                Ran::Well(time, answer) => {
                    if answer.verdict == Verdict::Different {
                        self.runner.learn_last()?;
                    }
                    before = Some(time);
                }
                // What disturbs the unchanged program is no result of the change.
                Ran::Badly(_) if !changed => return Err(self.runner.ends_otherwise()),
                other => return Ok(Err(other)),
            }
        }
        let Some((before, (after, answer))) = before.zip(after) else { return Ok(Err(Ran::Stopped)) };
        Ok(Ok((Pair { before, after }, answer)))
    }

    /// `builds` has about the time that compilers take for each change that can be made.
    fn all(
        &mut self,
        candidates: &[Candidate],
        builds: &[Duration],
        progress: &dyn Fn(Stage),
    ) -> Result<(), Error> {
        let mut waiting = builds;
        for (number, candidate) in candidates.iter().enumerate() {
            if self.is_stopped() {
                return Ok(());
            }
            progress(Stage::Trying(&candidate.change, number + 1, candidates.len()));
            if let Some(trial) = self.one(candidate, waiting)? {
                self.trials.trials.push(trial);
            }
            if candidate.parts.is_ok() {
                waiting = waiting.get(1..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Tries one change; `waiting` are the times of the builds of those that are still to be tried, this one included; `None` when the
    /// user stopped in between.
    fn one(&mut self, candidate: &Candidate, waiting: &[Duration]) -> Result<Option<Trial>, Error> {
        let parts = candidate.parts.clone().unwrap_or_default();
        let predicted = candidate.predicted;
        let mut trial = Trial { predicted, ..Trial::new(&candidate.change, candidate.way, parts) };
        if let Err(why) = &candidate.parts {
            trial.end = End::LeftAlone { why: why.clone() };
            return Ok(Some(trial));
        }
        let Some(least) = self.budget.least_pairs(waiting) else {
            // All that is left out for the time has the same reason.
            let seconds = |time: Duration| Some(time.as_secs_f64().ceil() as u64);
            let build = waiting.first().copied().unwrap_or_default();
            let why = self.no_time.get_or_insert_with(|| Why::NoTime {
                needed: seconds(self.budget.change(build, FEW_PAIRS)),
                budget: seconds(self.budget.with_more(waiting)),
            });
            trial.end = End::LeftAlone { why: why.clone() };
            return Ok(Some(trial));
        };
        // Its share of the time: more pairs than a claim needs are taken only where the others need not wait for them.
        let until =
            Instant::now() + self.budget.left() / u32::try_from(waiting.len().max(1)).unwrap_or(u32::MAX);
        self.measure(trial, Pairs { least, ..PAIRS }, until, true)
    }

    /// Builds and measures a trial.
    fn measure(
        &mut self,
        mut trial: Trial,
        wanted: Pairs,
        until: Instant,
        may_be_known: bool,
    ) -> Result<Option<Trial>, Error> {
        let parts = trial.parts.clone();
        let variables = variables(&parts);
        let version = match self.builder.made(&mut self.runner, &parts)? {
            Made::Version(version) => version,
            Made::Ended(end) => return Ok(Some(Trial { end, ..trial })),
            Made::Stopped => return Ok(None),
        };
        if may_be_known && variables.is_empty() {
            if alike(&version, &self.unchanged) {
                return Ok(Some(Trial { end: End::SameCode { of: None }, ..trial }));
            }
            if let Some((_, of)) = self.built.iter().find(|(earlier, _)| alike(&version, earlier)) {
                return Ok(Some(Trial { end: End::SameCode { of: Some(of.clone()) }, ..trial }));
            }
            self.built.push((version.clone(), trial.change.clone()));
            match self.inside_runs(&trial, until) {
                Ok(InRuns::Measured(in_run, answer)) => {
                    return Ok(Some(Trial { in_run: Some(in_run), answer: Some(answer), ..trial }));
                }
                Ok(InRuns::Not(why)) => trial.not_in_run = Some(why),
                Ok(InRuns::Other) => {}
                Ok(InRuns::Stopped) | Err(Fault::Stopped) => return Ok(None),
                Err(Fault::Io(cause)) => return Err(cause.into()),
                // The program was built with it: what one object lacks is no reason against whole runs.
                Err(Fault::NotBuilt(_) | Fault::Slow(..) | Fault::Why(_)) => {}
            }
        }
        let mut is_steady = false;
        loop {
            match self.pair(&version, &variables)? {
                Ok((pair, answer)) if answer.verdict == Verdict::Different && !is_steady => {
                    // The change is to blame only if the unchanged program does not print something else, too.
                    is_steady = true;
                    let unchanged = self.unchanged.clone();
                    let given = std::mem::take(&mut self.wrong);
                    if self.runner.excused(&given, &unchanged)?.is_none() {
                        trial.pairs.push(pair);
                        trial.answer = Some(answer);
                        return Ok(Some(trial));
                    }
                }
                Ok((pair, answer)) => {
                    trial.pairs.push(pair);
                    let is_wrong = answer.verdict == Verdict::Different;
                    keep_worse(&mut trial.answer, answer);
                    if is_wrong {
                        return Ok(Some(trial));
                    }
                }
                Err(Ran::Badly(end)) => return Ok(Some(Trial { end, ..trial })),
                Err(_) => return Ok(None),
            }
            if is_enough(&trial, wanted, until) {
                return Ok(Some(trial));
            }
        }
    }

    /// The faster changes together, on fresh runs; where that is no better than the best of them, that one.
    fn together(&mut self, progress: &dyn Fn(Stage)) -> Result<(), Error> {
        let itself = self.trials.itself.clone();
        let median = |trial: &Trial| tried::gain(trial).map_or(1.0, |measured| measured.speedup.estimate);
        let mut faster: Vec<Trial> = self
            .trials
            .trials
            .iter()
            .filter(|trial| tried::outcome(trial, &itself) == TriedOutcome::Faster)
            .cloned()
            .collect();
        faster.sort_by(|a, b| median(b).total_cmp(&median(a)));
        let Some(best) = faster.first().cloned() else { return Ok(()) };
        if self.is_stopped() {
            return Ok(());
        }
        progress(Stage::Together);
        let parts = merged(&faster);
        let confirmed = self.confirm(parts.clone())?;
        let better = confirmed.as_ref().is_some_and(|trial| {
            tried::outcome(trial, &itself) == TriedOutcome::Faster
                && median(trial) >= median(&best) * (1.0 - NARROW)
        });
        self.trials.together = confirmed;
        if !better && parts != best.parts && !self.is_stopped() {
            let alone = self.confirm(best.parts)?;
            let faster = |trial: &Option<Trial>| {
                trial
                    .as_ref()
                    .filter(|trial| tried::outcome(trial, &itself) == TriedOutcome::Faster)
                    .map(median)
            };
            if faster(&alone) > faster(&self.trials.together) || self.trials.together.is_none() {
                self.trials.together = alone;
            }
        }
        Ok(())
    }

    fn confirm(&mut self, parts: Vec<Part>) -> Result<Option<Trial>, Error> {
        let trial = Trial::new("together", Way::Several, parts);
        let least = self.budget.pairs_to_the_end().min(PAIRS_TOGETHER.least);
        if least < FEW_PAIRS {
            return Ok(None);
        }
        let wanted = Pairs { least, ..PAIRS_TOGETHER };
        self.measure(trial, wanted, self.budget.deadline(), false)
    }
}

/// Whether a trial has the pairs that it needs: it is known well, cannot be faster any more, or its time is up.
pub(crate) fn is_enough(trial: &Trial, wanted: Pairs, until: Instant) -> bool {
    let pairs = trial.pairs.len();
    let Some(measured) = tried::gain(trial) else { return false };
    let most = if measured.clock == Clock::Cpu { wanted.most } else { wanted.most_elapsed };
    let narrow = measured.speedup.relative_width() < NARROW;
    let hopeless = measured.speedup.high < 1.0;
    let known = narrow || Instant::now() >= until || pairs >= most;
    (pairs >= wanted.least && known) || (pairs >= HOPELESS_AFTER && hopeless)
}

#[cfg(test)]
pub(crate) mod tests;
