//! A call of `try`: the unchanged program first, then one change after the other, then the best of them together.
//!
//! The unchanged program is built again, too, from the same commands: versions differ by their change alone. It has to give the
//! answer of the program that the user runs, and it is measured against itself, which shows what may be claimed. Each run of a
//! change is beside one of the unchanged program, in random order; the answer of each is compared. What cannot be
//! faster any more is given up early. Whatever was finished when the time is up, or when the user stops, is kept.

use crate::alike::alike;
use crate::answer::{Given, Judge, STANDARD_OUTPUT};
use crate::builder::{Builder, candidates};
use crate::cargo::CargoShop;
use crate::change::{Candidate, Kind};
use crate::fault::Fault;
use crate::line::{Lines, resolved};
use crate::place::{self, Place};
use crate::rebuild::Workshop;
use crate::running::{self, How, Limits};
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, Clock, TriedOutcome};
use loopwright_analysis::tried::{self, LEAST_PAIRS};
use loopwright_answers::Check;
use loopwright_experiment::trials::{Answer, End, Pair, Part, Timed, Trial, Trials, Verdict, Way, Why};
use loopwright_remarks::build::step::Step;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
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
/// A changed program may take this many times as long as the unchanged one, and some seconds more, before it is ended.
const PATIENCE: (u32, Duration) = (5, Duration::from_secs(5));
/// Part of the budget that is kept for the best changes together.
const FOR_TOGETHER: f64 = 0.2;

/// Numbers of pairs.
#[derive(Clone, Copy)]
struct Pairs {
    least: usize,
    most: usize,
    /// The most where elapsed time is compared, which scatters more than CPU time.
    most_elapsed: usize,
}

/// What is asked for.
pub struct Asked<'a> {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs: a real path.
    pub directory: PathBuf,
    /// Files there that are not copied: those of the experiment.
    pub leave: Vec<PathBuf>,
    /// Standard input, with the place at which it begins; nothing where there is none.
    pub input: Option<(File, u64)>,
    /// The commands of the user's builds.
    pub steps: Vec<Step>,
    /// Files that the program writes and that belong to its answer.
    pub outputs: Vec<PathBuf>,
    /// How answers are compared.
    pub check: Check,
    /// A shell command of the user that accepts an answer by its status 0.
    pub verify: Option<String>,
    /// Which kinds of changes are tried.
    pub kinds: Vec<Kind>,
    /// Most time for all.
    pub budget: Duration,
    /// Most bytes of the copied folder, and of each file that a run writes.
    pub disk: u64,
    /// Set when the user stops.
    pub stop: &'a AtomicBool,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    /// The unchanged program is built and run.
    Unchanged,
    /// A change is built or run: its name, its number and the number of all.
    Trying(&'a str, usize, usize),
    /// The best changes together.
    Together,
}

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Error {
    #[error(
        "no command of a build makes {program}; build it with `loopwright build -- make` (or cmake, ninja, .., after a clean) into \
         the same experiment"
    )]
    NotOfABuild { program: String },
    #[error("{program} is not found; name it as you would to run it")]
    NoProgram { program: String },
    #[error(
        "the commands of the build do not make the program again: {why}; build it again under `loopwright build`"
    )]
    NotBuilt { why: String },
    #[error(
        "the program that the commands of the build make gives another answer than {program}; build it again under `loopwright \
         build`"
    )]
    OtherAnswer { program: String },
    #[error("{program} {how}, so that no change of it can be judged")]
    Fails { program: String, how: String },
    #[error(
        "nothing of the answer can be compared: the program prints nothing, or something else in each run; name the files that it \
         writes with --output, or a command that accepts its answer with --verify"
    )]
    NothingToCompare,
    #[error(
        "the working folder holds more than {most} MiB, and the program is tried in a copy of it; start it from a folder with only \
         what it reads, or allow more with --disk"
    )]
    TooLarge { most: u64 },
    #[error("stopped before anything was tried")]
    Stopped,
    #[error("{0}")]
    System(#[from] io::Error),
}

impl Error {
    /// The user can ask otherwise.
    pub fn is_misuse(&self) -> bool {
        matches!(
            self,
            Self::NotOfABuild { .. }
                | Self::NoProgram { .. }
                | Self::NothingToCompare
                | Self::TooLarge { .. }
        )
    }
}

/// One run of a version.
enum Ran {
    Well(Timed, Answer),
    Badly(End),
    Stopped,
}

/// Runs versions of the program in their place.
struct Runner<'a> {
    asked: &'a Asked<'a>,
    place: Place,
    given: PathBuf,
    judge: Option<Judge>,
    /// The status of the unchanged program.
    status: i32,
    limit: Duration,
    /// Numbers of pairs so far: they decide the order in the next one.
    pairs: u64,
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
    let choose = |builder: &Builder| candidates(analysis, builder, cards, &asked.kinds);
    try_all(asked, choose, progress)
}

/// Tries what `choose` finds.
fn try_all(
    asked: &Asked,
    choose: impl FnOnce(&Builder) -> Vec<Candidate>,
    progress: &dyn Fn(Stage),
) -> Result<Trials, Error> {
    let start = Instant::now();
    progress(Stage::Unchanged);
    let program = program(asked)?;
    let lines = Lines::of(&asked.steps);
    let shown = program.display().to_string();
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
        pair: Duration::from_secs_f64(2.0 * first),
        built: Vec::new(),
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
            Part::Options { files, .. } => sources.extend(files.iter().map(PathBuf::from)),
            Part::Edit { file, .. } => drop(sources.insert(PathBuf::from(file))),
            Part::Variable { .. } => {}
        }
    }
    sources
}

impl<'a> Runner<'a> {
    fn new(asked: &'a Asked<'a>) -> Result<Self, Error> {
        let place = Place::copy(&asked.directory, &asked.leave, asked.disk).map_err(|error| match error {
            place::Error::TooLarge { most } => Error::TooLarge { most },
            copy @ place::Error::Copy { .. } => Error::System(io::Error::other(copy.to_string())),
        })?;
        let given = tempfile::NamedTempFile::new()?.into_temp_path().keep().map_err(|error| error.error)?;
        let limit = asked.budget;
        Ok(Self { asked, place, given, judge: None, status: 0, limit, pairs: 0 })
    }

    /// Runs the program of the user twice: its status, its answer and what differs from run to run. Returns its seconds.
    fn settle(&mut self, program: &Path) -> Result<f64, Error> {
        let shown = program.display().to_string();
        let fails = |how: String| Error::Fails { program: shown.clone(), how };
        let mut seconds: f64 = 0.0;
        let mut given = Vec::new();
        for _ in 0..2 {
            let (how, time) = self.once(program, &[])?;
            self.status = match how {
                How::Exited(status) => status,
                How::Killed(signal) => return Err(fails(format!("is ended by signal {signal}"))),
                How::Hung(limit) => {
                    return Err(fails(format!("does not end within the budget of {limit} s")));
                }
                How::Stopped => return Err(Error::Stopped),
            };
            seconds = seconds.max(time.elapsed);
            given.push(self.given()?);
            if self.accepted()? == Some(false) {
                return Err(fails("is not accepted by the command of --verify".to_owned()));
            }
        }
        let judge = Judge::new(self.asked.check, given.remove(0), &given.remove(0));
        if self.asked.verify.is_none() && !judge.compares() {
            return Err(Error::NothingToCompare);
        }
        self.judge = Some(judge);
        self.limit = Duration::from_secs_f64(seconds) * PATIENCE.0 + PATIENCE.1;
        Ok(seconds)
    }

    /// One run of a version, judged.
    fn run(&mut self, version: &Path, variables: &[(&str, &str)]) -> io::Result<Ran> {
        let (how, time) = self.once(version, variables)?;
        Ok(match how {
            How::Exited(status) if status == self.status => {
                let accepted = self.accepted()?;
                let given = self.given()?;
                let judged = self.judge.as_ref().map(|judge| judge.judge(&given, accepted));
                match judged {
                    Some(_) if accepted == Some(false) => Ran::Badly(End::Refused),
                    Some(answer) => Ran::Well(time, answer),
                    None => Ran::Badly(End::Refused),
                }
            }
            How::Exited(status) => Ran::Badly(End::Exited { status }),
            How::Killed(signal) => Ran::Badly(End::Killed { signal }),
            How::Hung(seconds) => Ran::Badly(End::Hung { seconds }),
            How::Stopped => Ran::Stopped,
        })
    }

    fn once(&mut self, version: &Path, variables: &[(&str, &str)]) -> io::Result<(How, Timed)> {
        self.place.restore()?;
        let mut command = Command::new(version);
        command
            .arg0(&self.asked.command[0])
            .args(&self.asked.command[1..])
            .current_dir(&self.place.working)
            .env("PWD", &self.place.working)
            .envs(variables.iter().copied())
            .stdout(File::create(&self.given)?)
            .stderr(Stdio::null());
        match &self.asked.input {
            Some((file, from)) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(*from))?;
                command.stdin(file);
            }
            None => drop(command.stdin(Stdio::null())),
        }
        let limits = Limits { time: self.limit, file: self.asked.disk, stop: self.asked.stop };
        running::run(&mut command, limits)
    }

    /// What the last run gave.
    fn given(&self) -> io::Result<Given> {
        let mut all = vec![(STANDARD_OUTPUT.to_owned(), Some(std::fs::read(&self.given)?))];
        for output in &self.asked.outputs {
            let name = output.to_string_lossy().into_owned();
            all.push((name, std::fs::read(self.place.working.join(output)).ok()));
        }
        Ok(Given(all))
    }

    /// Whether the command of the user accepts the last answer; it finds what the program printed in its standard input.
    fn accepted(&self) -> io::Result<Option<bool>> {
        let Some(verify) = &self.asked.verify else { return Ok(None) };
        let mut command = Command::new("sh");
        command.args(["-c", verify]).current_dir(&self.place.working).env("PWD", &self.place.working);
        command.stdin(File::open(&self.given)?).stdout(Stdio::null()).stderr(Stdio::null());
        let limits = Limits { time: self.asked.budget, file: self.asked.disk, stop: self.asked.stop };
        let (how, _) = running::run(&mut command, limits)?;
        Ok(Some(how == How::Exited(0)))
    }

    /// Whether the changed program is the first of the next pair. The high bit of a multiple of the golden ratio: in the long
    /// run each comes first equally often, without a period that other work could follow.
    fn changed_first(&mut self) -> bool {
        self.pairs += 1;
        self.pairs.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.given);
    }
}

/// The trials of one call.
struct Session<'a> {
    trials: Trials,
    runner: Runner<'a>,
    builder: Builder<'a>,
    unchanged: PathBuf,
    deadline: Instant,
    reserve: Duration,
    /// About the time of one pair.
    pair: Duration,
    /// Programs of earlier trials, with the names of their changes.
    built: Vec<(PathBuf, String)>,
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
            if self.is_stopped() || (done >= LEAST_PAIRS && !self.has_time_for(1, self.reserve)) {
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
        let version = match self.builder.build(&trial.parts) {
            Ok(version) => version,
            Err(Fault::Stopped) => return Ok(None),
            Err(Fault::Io(cause)) => return Err(cause.into()),
            Err(Fault::NotBuilt(error)) => return Ok(Some(Trial { end: End::NotBuilt { error }, ..trial })),
            Err(Fault::Why(why)) => return Ok(Some(Trial { end: End::LeftAlone { why }, ..trial })),
        };
        let parts = trial.parts.clone();
        let variables: Vec<(&str, &str)> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Variable { name, value } => Some((name.as_str(), value.as_str())),
                _ => None,
            })
            .collect();
        if may_be_known && variables.is_empty() {
            if alike(&version, &self.unchanged) {
                return Ok(Some(Trial { end: End::SameCode { of: None }, ..trial }));
            }
            if let Some((_, of)) = self.built.iter().find(|(earlier, _)| alike(&version, earlier)) {
                return Ok(Some(Trial { end: End::SameCode { of: Some(of.clone()) }, ..trial }));
            }
            self.built.push((version.clone(), trial.change.clone()));
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
        let median =
            |trial: &Trial| tried::speedup(&trial.pairs).map_or(1.0, |measured| measured.speedup.estimate);
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
