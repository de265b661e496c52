//! A call of `try`: the unchanged program first, then one change after the other, then the best of them together.
//!
//! The unchanged program is built again, too, from the same commands: versions differ by their change alone. It has to give the
//! answer of the program that the user runs, and it is measured against itself, which shows what may be claimed. Each run of a
//! change is beside one of the unchanged program, in random order; the answer of each is compared. What cannot be
//! faster any more is given up early. Whatever was finished when the time is up, or when the user stops, is kept.

use crate::alike::alike;
use crate::asked::{Asked, Error, Stage};
use crate::builder::{Builder, candidates};
use crate::cargo::CargoShop;
use crate::change::Candidate;
use crate::fault::Fault;
use crate::in_run::{self, Hot, InRuns};
use crate::line::{Lines, resolved};
use crate::rebuild::Workshop;
use crate::runner::{Ran, Runner};
use crate::running::Limits;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, Clock, TriedOutcome};
use loopwright_analysis::tried::{self, LEAST_PAIRS};
use loopwright_experiment::trials::{Answer, End, Pair, Part, Trial, Trials, Verdict, Way, Why};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pairs of the program against itself.
const PAIRS_ITSELF: usize = 9;
/// Pairs of one change.
const PAIRS: Pairs = Pairs { least: LEAST_PAIRS, most: 9, most_elapsed: 15 };
/// Pairs of the changes together, which are claimed: at least, and at most.
const PAIRS_TOGETHER: Pairs = Pairs { least: 9, most: 15, most_elapsed: 25 };
/// A ratio that is known to this part of itself is known well enough.
const NARROW: f64 = 0.02;
/// Pairs after which a change that cannot be faster is given up.
const HOPELESS_AFTER: usize = 3;
/// Part of the budget that is kept for the best changes together.
const FOR_TOGETHER: f64 = 0.2;

/// Part of the budget that more than the least pairs of the program against itself leave to the changes.
const FOR_CHANGES: f64 = 0.8;

/// Numbers of pairs.
#[derive(Clone, Copy)]
struct Pairs {
    least: usize,
    most: usize,
    /// The most where elapsed time is compared, which scatters more than CPU time.
    most_elapsed: usize,
}

/// Tries everything.
///
/// # Errors
/// When the unchanged program cannot be built, run or judged.
pub fn run(
    asked: &Asked,
    analysis: &Analysis,
    cards: &[Recommendation],
    progress: &dyn Fn(Stage),
) -> Result<Trials, Error> {
    let program = program(asked)?;
    let choose = |builder: &Builder| candidates(analysis, builder, &program, cards, &asked.kinds);
    try_all(asked, choose, in_run::hot(analysis), progress)
}

/// Tries what `choose` finds.
pub(crate) fn try_all(
    asked: &Asked,
    choose: impl FnOnce(&Builder) -> Vec<Candidate>,
    hot: Vec<Hot>,
    progress: &dyn Fn(Stage),
) -> Result<Trials, Error> {
    let start = Instant::now();
    progress(Stage::Unchanged);
    let program = program(asked)?;
    let lines = Lines::of(&asked.steps);
    let shown = program.display().to_string();
    if is_script(&program) {
        return Err(Error::Script { program: shown });
    }
    let limits = Limits { time: asked.budget, file: asked.disk, stop: asked.stop };
    let mut builder = if lines.making(&program).is_some() {
        Builder::Commands(Workshop::new(&lines, program.clone(), limits)?)
    } else {
        match CargoShop::find(&asked.steps, &program, limits)? {
            Some(shop) => Builder::Cargo(shop),
            None => return Err(Error::NotOfABuild { program: shown }),
        }
    };
    let candidates = choose(&builder);
    if let Builder::Commands(workshop) = &mut builder {
        for source in touched(&candidates, &lines, &program) {
            workshop.always_compile(&source);
        }
    }
    let mut runner = Runner::new(asked)?;
    let first = runner.settle(&program)?;
    let unchanged = builder.build(&[]).map_err(|fault| match fault {
        Fault::NotBuilt(why) => Error::NotBuilt { why },
        Fault::Why(why) => Error::NotBuilt { why: why.to_string() },
        Fault::Stopped => Error::Stopped,
        Fault::Io(cause) => Error::System(cause),
    })?;
    match runner.run(&unchanged, &[])? {
        Ran::Well(_, answer) if answer.verdict != Verdict::Different => {}
        Ran::Stopped => return Err(Error::Stopped),
        _ => return Err(Error::OtherAnswer { program: shown }),
    }
    let judge = runner.judge.as_ref();
    let mut session = Session {
        trials: Trials {
            outputs: asked.outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            unsteady: judge.map(|judge| judge.unsteady.clone()).unwrap_or_default(),
            ..Trials::default()
        },
        runner,
        builder,
        unchanged,
        deadline: start + asked.budget,
        reserve: asked.budget.mul_f64(FOR_TOGETHER),
        for_changes: asked.budget.mul_f64(FOR_CHANGES),
        pair: Duration::from_secs_f64(2.0 * first),
        built: Vec::new(),
        hot,
    };
    session.itself()?;
    session.all(&candidates, progress)?;
    session.together(progress)?;
    Ok(session.trials)
}

/// The program that the command starts, as a real path.
fn program(asked: &Asked) -> Result<PathBuf, Error> {
    let named = asked.command.first().map_or("", String::as_str);
    let found = if named.contains('/') {
        Some(asked.directory.join(named))
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|folder| folder.join(named)).find(|program| program.is_file())
    };
    let found = found.filter(|path| path.is_file());
    found.map(|path| resolved(&path)).ok_or_else(|| Error::NoProgram { program: named.to_owned() })
}

/// Whether the system starts it by another program (execve(2), *Interpreter scripts*).
fn is_script(program: &Path) -> bool {
    let mut begin = [0; 2];
    let read = std::fs::File::open(program).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"#!"
}

/// Sources that some change compiles: all of them where options are for the whole program.
fn touched(candidates: &[Candidate], lines: &Lines, program: &Path) -> BTreeSet<PathBuf> {
    let parts = candidates.iter().filter_map(|candidate| candidate.parts.as_ref().ok()).flatten();
    let mut sources = BTreeSet::new();
    for part in parts {
        match part {
            Part::Options { files, .. } if files.is_empty() => {
                let all = lines.behind(program);
                sources.extend(all.iter().flat_map(|line| &line.sources).map(|source| source.path.clone()));
            }
            Part::Options { files, .. } | Part::Compiler { files, .. } | Part::Profile { files } => {
                sources.extend(files.iter().map(PathBuf::from));
            }
            Part::Edit { file, .. } => drop(sources.insert(PathBuf::from(file))),
            Part::Variable { .. } => {}
        }
    }
    sources
}

/// The trials of one call.
pub(crate) struct Session<'a> {
    trials: Trials,
    pub(crate) runner: Runner<'a>,
    pub(crate) builder: Builder<'a>,
    pub(crate) unchanged: PathBuf,
    deadline: Instant,
    reserve: Duration,
    for_changes: Duration,
    /// About the time of one pair.
    pair: Duration,
    /// Programs of earlier trials, with the names of their changes.
    built: Vec<(PathBuf, String)>,
    /// Functions that take time.
    pub(crate) hot: Vec<Hot>,
}

impl Session<'_> {
    fn is_stopped(&self) -> bool {
        self.runner.asked.stop.load(Ordering::SeqCst)
    }

    /// Whether this many pairs fit into what is left of the budget.
    fn has_time_for(&self, pairs: usize, reserve: Duration) -> bool {
        let needed = self.pair * u32::try_from(pairs).unwrap_or(u32::MAX) + reserve;
        Instant::now() + needed <= self.deadline
    }

    /// The unchanged program against itself.
    fn itself(&mut self) -> Result<(), Error> {
        let unchanged = self.unchanged.clone();
        for done in 0..PAIRS_ITSELF {
            if self.is_stopped() || (done >= LEAST_PAIRS && !self.has_time_for(1, self.for_changes)) {
                break;
            }
            match self.pair(&unchanged, &[])? {
                Ok((pair, _)) => self.trials.itself.push(pair),
                Err(Ran::Stopped) => break,
                Err(_) => {
                    let program = self.runner.asked.command[0].clone();
                    return Err(Error::Fails {
                        program,
                        how: "does not end in the same way each time".to_owned(),
                    });
                }
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
                Ran::Well(time, answer) if changed => after = Some((time, answer)),
                Ran::Well(time, _) => before = Some(time),
                // What disturbs the unchanged program is no result of the change.
                Ran::Badly(_) if !changed => {
                    let program = self.runner.asked.command[0].clone();
                    return Err(Error::Fails {
                        program,
                        how: "does not end in the same way each time".to_owned(),
                    });
                }
                other => return Ok(Err(other)),
            }
        }
        let Some((before, (after, answer))) = before.zip(after) else { return Ok(Err(Ran::Stopped)) };
        Ok(Ok((Pair { before, after }, answer)))
    }

    fn all(&mut self, candidates: &[Candidate], progress: &dyn Fn(Stage)) -> Result<(), Error> {
        for (number, candidate) in candidates.iter().enumerate() {
            if self.is_stopped() {
                return Ok(());
            }
            progress(Stage::Trying(&candidate.change, number + 1, candidates.len()));
            let waiting = candidates[number..].iter().filter(|candidate| candidate.parts.is_ok()).count();
            if let Some(trial) = self.one(candidate, waiting)? {
                self.trials.trials.push(trial);
            }
        }
        Ok(())
    }

    /// Tries one change, `waiting` is the number of those that are still to be tried, this one included; `None` when the user stopped in between.
    fn one(&mut self, candidate: &Candidate, waiting: usize) -> Result<Option<Trial>, Error> {
        let mut trial = Trial {
            change: candidate.change.clone(),
            way: candidate.way,
            parts: candidate.parts.clone().unwrap_or_default(),
            predicted: candidate.predicted,
            end: End::Ran,
            pairs: Vec::new(),
            answer: None,
            in_run: None,
            not_in_run: None,
        };
        if let Err(why) = &candidate.parts {
            trial.end = End::LeftAlone { why: why.clone() };
            return Ok(Some(trial));
        }
        if !self.has_time_for(LEAST_PAIRS, self.reserve) {
            trial.end = End::LeftAlone { why: Why::NoTime };
            return Ok(Some(trial));
        }
        // Its share of the time: more pairs than a claim needs are taken only where the others need not wait for them.
        let left = self.deadline.saturating_duration_since(Instant::now()).saturating_sub(self.reserve);
        let until = Instant::now() + left / u32::try_from(waiting.max(1)).unwrap_or(u32::MAX);
        self.measure(trial, PAIRS, until, true)
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
        let variables: Vec<(&str, &str)> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Variable { name, value } => Some((name.as_str(), value.as_str())),
                _ => None,
            })
            .collect();
        let trained = match self.builder.trainer(&parts) {
            Ok(Some(trainer)) => match self.runner.run(&trainer, &variables)? {
                Ran::Well(..) => Ok(()),
                Ran::Badly(end) => return Ok(Some(Trial { end, ..trial })),
                Ran::Stopped => return Ok(None),
            },
            Ok(None) => Ok(()),
            Err(fault) => Err(fault),
        };
        let version = match trained.and_then(|()| self.builder.build(&parts)) {
            Ok(version) => version,
            Err(Fault::Stopped) => return Ok(None),
            Err(Fault::Io(cause)) => return Err(cause.into()),
            Err(Fault::NotBuilt(error)) => return Ok(Some(Trial { end: End::NotBuilt { error }, ..trial })),
            Err(Fault::Why(why)) => return Ok(Some(Trial { end: End::LeftAlone { why }, ..trial })),
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
                Err(Fault::NotBuilt(_) | Fault::Why(_)) => {}
            }
        }
        loop {
            match self.pair(&version, &variables)? {
                Ok((pair, answer)) => {
                    trial.pairs.push(pair);
                    let worse = trial.answer.as_ref().is_none_or(|known| answer.verdict >= known.verdict);
                    let is_wrong = answer.verdict == Verdict::Different;
                    if worse {
                        trial.answer = Some(answer);
                    }
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
        let trial = Trial {
            change: "together".to_owned(),
            way: Way::Several,
            parts,
            predicted: None,
            end: End::Ran,
            pairs: Vec::new(),
            answer: None,
            in_run: None,
            not_in_run: None,
        };
        let until = self.deadline;
        self.measure(trial, PAIRS_TOGETHER, until, false)
    }
}

/// Whether a trial has the pairs that it needs: it is known well, cannot be faster any more, or its time is up.
fn is_enough(trial: &Trial, wanted: Pairs, until: Instant) -> bool {
    let pairs = trial.pairs.len();
    let Some(measured) = tried::speedup(&trial.pairs) else { return false };
    let most = if measured.clock == Clock::Cpu { wanted.most } else { wanted.most_elapsed };
    let narrow = measured.speedup.relative_width() < NARROW;
    let hopeless = measured.speedup.high < 1.0;
    let known = narrow || Instant::now() >= until || pairs >= most;
    (pairs >= wanted.least && known) || (pairs >= HOPELESS_AFTER && hopeless)
}

/// The parts of several trials, the best first; of two that change the same lines or the same variable the first one stays.
fn merged(trials: &[Trial]) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for trial in trials {
        if trial.parts.iter().all(|part| all.iter().all(|known| agree(known, part))) {
            let new: Vec<Part> = trial.parts.iter().filter(|part| !all.contains(part)).cloned().collect();
            all.extend(new);
        }
    }
    all
}

/// Both can be made.
fn agree(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Edit { file, line, before, .. }, Part::Edit { file: other, line: at, before: text, .. }) => {
            let end = |line: u32, text: &str| line as usize + text.lines().count();
            a == b || file != other || end(*line, before) <= *at as usize || end(*at, text) <= *line as usize
        }
        (Part::Variable { name, value }, Part::Variable { name: other, value: new }) => {
            name != other || value == new
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests;
