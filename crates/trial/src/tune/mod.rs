//! A call of `tune`: which build and which settings make the program fastest, with the same answer.
//!
//! First a ladder of levels, instruction sets and compilers, then settings of the environment, then what may be added to the best of
//! them; each step by halving ([`search`]). All versions run in rounds with the unchanged program, in random order; each answer is
//! compared. The best is measured again on runs of its own, and is called one only when it is faster beyond the noise of the program
//! against itself (`loopwright_analysis::tried`).

pub mod emit;
mod rebuilt_loops;
mod search;
mod semantics;
mod sets;

use crate::alike::alike;
use crate::answer::keep_worse;
use crate::asked::{Asked, Error};
use crate::budget;
use crate::builder::{Builder, Made};
use crate::change::variables;
use crate::merged::merged;
use crate::metric::Measure;
use crate::runner::{EXCUSES, Ran, Runner};
use crate::session::{PAIRS_TOGETHER, Pairs, Ready, is_enough};
use crate::settings::{is_of_threads, loaded, setting_sets};
use crate::unchanged::{self, Unchanged};
use loopwright_analysis::model::{Analysis, TriedOutcome};
use loopwright_analysis::tried::{self, FEW_PAIRS};
use loopwright_experiment::trials::{Answer, End, Pair, Timed, Trial, Verdict, Way, Why};
use loopwright_experiment::tuning::{Axis, Candidate, Semantics, Tuning};
use loopwright_stats::shuffle;
use search::{Placed, Rounds, halve};
use sets::{Build, candidate, named};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pairs of the program against itself.
const ITSELF: usize = 9;
/// Part of the time, and of the runs, that is kept for the runs that confirm the best.
const FOR_CONFIRMING: f64 = 0.25;
/// Builds of a search, about.
const BUILDS: u32 = 18;
/// Runs that a search has where the user gives no number.
pub const RUNS: u32 = 100;
/// Rounds of all candidates of a step for which its builds leave time.
const ROUNDS: u32 = 3;
/// An addition counts as one that gains when it is this much faster than what it was added to.
const ADDS: f64 = 0.005;

/// What is varied, and how far.
pub struct How {
    /// What is varied.
    pub axes: Vec<Axis>,
    /// What options may allow.
    pub semantics: Semantics,
    /// Most runs of the program.
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
    let busy = own.after.cpu / own.after.elapsed;
    let mut tuner = Tuner {
        tuning: Tuning {
            outputs: asked.outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            semantics: build.semantics(&[]),
            metric: asked.measure.as_ref().map(Measure::metric),
            ..Tuning::default()
        },
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
    };
    let settings = || {
        let known = analysis.map(loaded).unwrap_or_default();
        setting_sets(busy, &known, &program)
    };
    tuner.search(how, &build, &hot(analysis), settings)?;
    let best = tuner.confirm()?;
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

/// A search.
struct Tuner<'a, 'p> {
    tuning: Tuning,
    runner: Runner<'a>,
    builder: Builder<'a>,
    /// The programs of candidates, by their numbers.
    versions: BTreeMap<usize, PathBuf>,
    /// The unchanged program.
    version: PathBuf,
    deadline: Instant,
    /// Time and runs that are kept for the end.
    keep: Duration,
    reserve: u32,
    /// Seconds of a run of the unchanged program.
    seconds: Duration,
    /// The longest build so far.
    build: Duration,
    most: u32,
    round: u64,
    progress: &'p dyn Fn(Stage),
}

impl Tuner<'_, '_> {
    fn is_stopped(&self) -> bool {
        self.runner.asked.stop.load(Ordering::SeqCst)
    }

    fn search(
        &mut self,
        how: &How,
        build: &Build,
        hot: &[(String, f64)],
        settings: impl FnOnce() -> Vec<crate::change::Candidate>,
    ) -> Result<(), Error> {
        // The unchanged program is the first candidate to go on from; it has no parts.
        let unchanged = candidate("", Axis::Flags, Way::Options, self.tuning.semantics, Ok(Vec::new()));
        let ladder = self.step(build.ladder(&how.axes, how.semantics), Vec::new())?;
        let mut best = self.ahead(&ladder);
        let base = self.base(best.as_ref(), &unchanged);
        // Settings need no build, so that they come before what takes one for each.
        if how.axes.contains(&Axis::Env) || how.axes.contains(&Axis::Threads) {
            let of = |one: crate::change::Candidate| {
                let axis = if is_of_threads(&one.change) { Axis::Threads } else { Axis::Env };
                let parts = one.parts.map(|parts| [base.trial.parts.clone(), parts].concat());
                let name = named(&base.trial.change, &one.change);
                candidate(&name, axis, Way::Environment, base.semantics, parts)
            };
            let all = settings().into_iter().map(of).filter(|one| how.axes.contains(&one.axis));
            best = self.extended(best, all.collect())?;
        }
        let base = self.base(best.as_ref(), &unchanged);
        best = self.extended(best, build.additions(&base, &how.axes))?;
        if how.axes.contains(&Axis::Files)
            && let Some(second) = ladder.get(1).map(|second| self.tuning.candidates[second.candidate].clone())
        {
            let base = self.base(best.as_ref(), &unchanged);
            self.extended(best, build.files(&base, &second, hot))?;
        }
        Ok(())
    }

    /// What other candidates go on from.
    fn base(&self, best: Option<&Placed>, unchanged: &Candidate) -> Candidate {
        best.map_or(unchanged, |best| &self.tuning.candidates[best.candidate]).clone()
    }

    /// The first, where it is ahead of the unchanged program at all.
    fn ahead(&self, order: &[Placed]) -> Option<Placed> {
        order.first().filter(|first| first.median() > 0.0).cloned()
    }

    /// Tries additions to what is the best so far; where several gain, they are tried together. The best then.
    fn extended(&mut self, best: Option<Placed>, additions: Vec<Candidate>) -> Result<Option<Placed>, Error> {
        if additions.is_empty() {
            return Ok(best);
        }
        let beaten = best.as_ref().map_or(0.0, Placed::median);
        let known: Vec<Placed> = best.clone().into_iter().collect();
        let order = self.step(additions, known)?;
        let gains: Vec<&Placed> = order
            .iter()
            .filter(|one| Some(one.candidate) != best.as_ref().map(|best| best.candidate))
            .filter(|one| one.median() > beaten + ADDS)
            .collect();
        let first = self.ahead(&order);
        let Some(together) = self.together(best.as_ref(), &gains) else { return Ok(first) };
        let order = self.step(vec![together], first.into_iter().collect())?;
        Ok(self.ahead(&order))
    }

    /// Several additions that gain, as one candidate: the parts that can be made together, the best first.
    fn together(&self, base: Option<&Placed>, gains: &[&Placed]) -> Option<Candidate> {
        if gains.len() < 2 {
            return None;
        }
        let name = base.map_or("", |base| self.tuning.candidates[base.candidate].trial.change.as_str());
        let all: Vec<&Candidate> = gains.iter().map(|one| &self.tuning.candidates[one.candidate]).collect();
        let trials: Vec<Trial> = all.iter().map(|one| one.trial.clone()).collect();
        let parts = merged(&trials);
        // One of them may be all of it.
        let is_in = |one: &&&Candidate| one.trial.parts.iter().all(|part| parts.contains(part));
        if all.iter().any(|one| is_in(&one) && one.trial.parts.len() == parts.len()) {
            return None;
        }
        let taken: Vec<&&Candidate> = all.iter().filter(is_in).collect();
        let addition = |one: &&&Candidate| {
            let addition = one.trial.change.strip_prefix(name).unwrap_or(&one.trial.change);
            addition.trim_start_matches(" + ").to_owned()
        };
        let names: Vec<String> = taken.iter().map(addition).collect();
        let semantics = taken.iter().map(|one| one.semantics).max().unwrap_or_default();
        let name = named(name, &names.join(" + "));
        Some(candidate(&name, Axis::Several, Way::Several, semantics, Ok(parts)))
    }

    /// Builds candidates, runs them beside those that are known, and orders all: the best first.
    fn step(&mut self, all: Vec<Candidate>, known: Vec<Placed>) -> Result<Vec<Placed>, Error> {
        let number = all.len();
        let mut placed = known;
        for (at, one) in all.into_iter().enumerate() {
            if self.is_stopped() {
                break;
            }
            (self.progress)(Stage::Building(&one.trial.change, at + 1, number));
            let index = self.tuning.candidates.len();
            let one = self.built(one, index, placed.len())?;
            let Some(one) = one else { break };
            if one.trial.end == End::Ran {
                placed.push(Placed::new(index));
            }
            self.tuning.candidates.push(one);
        }
        let order = halve(self, placed)?;
        if self.is_stopped() {
            return Ok(order);
        }
        // One that never ran has no result.
        for one in &mut self.tuning.candidates {
            if one.trial.end == End::Ran && one.trial.pairs.is_empty() && one.trial.answer.is_none() {
                one.trial.end = End::LeftAlone { why: Why::NoTime { needed: None, budget: None } };
            }
        }
        Ok(order)
    }

    /// Builds a candidate; its end is another one where there is nothing to run. `None` when the user stopped. `beside` is the number of
    /// those that wait for their runs: another build must leave time for them.
    fn built(&mut self, mut one: Candidate, index: usize, beside: usize) -> Result<Option<Candidate>, Error> {
        if one.trial.end != End::Ran {
            return Ok(Some(one));
        }
        let needs_build = !matches!(one.axis, Axis::Env | Axis::Threads);
        let build = if needs_build { self.build } else { Duration::ZERO };
        let runs = u32::try_from(beside + 3).unwrap_or(u32::MAX) * ROUNDS;
        if !self.has_time(1) || Instant::now() + build + self.seconds * runs + self.keep > self.deadline {
            one.trial.end = End::LeftAlone { why: Why::NoTime { needed: None, budget: None } };
            return Ok(Some(one));
        }
        let began = Instant::now();
        let parts = one.trial.parts.clone();
        match self.builder.made(&mut self.runner, &parts)? {
            Made::Version(version) => {
                if needs_build {
                    self.build = self.build.max(began.elapsed());
                    one.build = Some(began.elapsed().as_secs_f64());
                    if let Some(of) = self.twin(&version, &variables(&parts)) {
                        one.trial.end = End::SameCode { of };
                    }
                }
                self.versions.insert(index, version);
            }
            Made::Ended(end) => one.trial.end = end,
            Made::Stopped => return Ok(None),
        }
        Ok(Some(one))
    }

    /// The earlier candidate that has the same code and the same settings, where there is one: nothing inside for the unchanged program.
    #[allow(
        clippy::option_option,
        reason = "as the end of a trial has it: of no candidate is the unchanged program"
    )]
    fn twin(&self, version: &Path, set: &[(&str, &str)]) -> Option<Option<String>> {
        if set.is_empty() && alike(version, &self.version) {
            return Some(None);
        }
        let twin = self.versions.iter().find(|(index, known)| {
            let one = &self.tuning.candidates[**index].trial;
            one.end == End::Ran && variables(&one.parts) == set && alike(version, known)
        });
        twin.map(|(index, _)| Some(self.tuning.candidates[*index].trial.change.clone()))
    }

    /// One run of each candidate, and one of the unchanged program, which runs twice until it is known how much it differs from itself.
    fn one_round(&mut self, candidates: &[usize]) -> Result<Option<Vec<Option<Pair>>>, Error> {
        const BEFORE: usize = usize::MAX;
        const ITSELF_AGAIN: usize = usize::MAX - 1;
        let again = self.tuning.itself.len() < ITSELF;
        let mut order: Vec<usize> =
            candidates.iter().copied().chain([BEFORE]).chain(again.then_some(ITSELF_AGAIN)).collect();
        self.round += 1;
        let round = self.round;
        // Each version comes at each place in the long run: the order of hashes.
        shuffle(&mut order, round);
        let mut times: BTreeMap<usize, Timed> = BTreeMap::new();
        for one in order {
            let unchanged = one >= ITSELF_AGAIN;
            let (version, parts) = if unchanged {
                (self.version.clone(), Vec::new())
            } else {
                (self.versions[&one].clone(), self.tuning.candidates[one].trial.parts.clone())
            };
            match self.runner.run(&version, &variables(&parts))? {
                Ran::Well(time, answer) if unchanged => {
                    if answer.verdict == Verdict::Different {
                        self.runner.learn_last()?;
                    }
                    times.insert(one, time);
                }
                Ran::Well(time, answer) => {
                    if self.accepts(one, answer)? {
                        times.insert(one, time);
                    }
                }
                Ran::Badly(_) if unchanged => return Err(self.runner.ends_otherwise()),
                Ran::Badly(end) => self.tuning.candidates[one].trial.end = end,
                Ran::Stopped => return Ok(None),
            }
        }
        let Some(before) = times.get(&BEFORE).copied() else { return Ok(None) };
        if let Some(after) = times.get(&ITSELF_AGAIN) {
            self.tuning.itself.push(Pair { before, after: *after });
        }
        let pair = |one: &usize| times.get(one).map(|after| Pair { before, after: *after });
        Ok(Some(candidates.iter().map(pair).collect()))
    }

    /// Keeps the answer of a candidate; whether it is one to go on with.
    fn accepts(&mut self, one: usize, mut answer: Answer) -> Result<bool, Error> {
        // A change is to blame only if the unchanged program does not print something else, too.
        if answer.verdict == Verdict::Different && self.runner.runs + EXCUSES <= self.most {
            let unchanged = self.version.clone();
            let given = self.runner.given()?;
            if let Some(excused) = self.runner.excused(&given, &unchanged)? {
                answer = excused;
            }
        }
        let is_accepted = answer.verdict != Verdict::Different;
        keep_worse(&mut self.tuning.candidates[one].trial.answer, answer);
        Ok(is_accepted)
    }

    /// Measures the fastest again; where that is not faster, the fastest of the ladder, which has less that can go wrong. The program that
    /// is faster, where there is one.
    fn confirm(&mut self) -> Result<Option<PathBuf>, Error> {
        let speed = |one: &Candidate| {
            let is_open = one.trial.end == End::Ran && one.trial.pairs.len() >= FEW_PAIRS;
            let accepted =
                one.trial.answer.as_ref().is_some_and(|answer| answer.verdict != Verdict::Different);
            (is_open && accepted).then(|| tried::speedup(&one.trial.pairs)).flatten()
        };
        let mut order: Vec<(usize, f64)> = (0..)
            .zip(&self.tuning.candidates)
            .filter_map(|(index, one)| Some((index, speed(one)?.speedup.estimate)))
            .filter(|(_, estimate)| *estimate > 1.0)
            .collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let first = order.first().map(|(index, _)| *index);
        let simple = order
            .iter()
            .map(|(index, _)| *index)
            .find(|index| matches!(self.tuning.candidates[*index].axis, Axis::Flags | Axis::Compiler));
        let (mut shown, mut best) = (None, None);
        for index in first.into_iter().chain(simple.filter(|simple| Some(*simple) != first)) {
            if self.is_stopped() {
                break;
            }
            let name = self.tuning.candidates[index].trial.change.clone();
            (self.progress)(Stage::Confirming(&name));
            let Some(trial) = self.measured(index)? else { break };
            let is_faster = tried::outcome(&trial, &self.tuning.itself) == TriedOutcome::Faster;
            if is_faster || shown.is_none() {
                shown = Some(trial);
            }
            if is_faster {
                best = self.versions.get(&index).cloned();
                break;
            }
        }
        self.tuning.confirmed = shown;
        Ok(best)
    }

    /// A candidate on fresh runs; nothing where there is no time for them.
    fn measured(&mut self, index: usize) -> Result<Option<Trial>, Error> {
        let mut trial = Trial { pairs: Vec::new(), ..self.tuning.candidates[index].trial.clone() };
        let runs = self.most.saturating_sub(self.runner.runs) as usize / 2;
        let fits = self.deadline.saturating_duration_since(Instant::now()).as_secs_f64()
            / (2.0 * self.seconds.as_secs_f64()).max(1e-6);
        let least = runs.min(fits as usize).min(PAIRS_TOGETHER.least);
        if least < FEW_PAIRS {
            return Ok(None);
        }
        let wanted = Pairs { least, ..PAIRS_TOGETHER };
        loop {
            let Some(pairs) = self.one_round(&[index])? else { return Ok(None) };
            let one = &self.tuning.candidates[index].trial;
            trial.end = one.end.clone();
            trial.answer.clone_from(&one.answer);
            match pairs.first().copied().flatten() {
                Some(pair) => trial.pairs.push(pair),
                None => return Ok(Some(trial)),
            }
            let used_up = self.runner.runs + 2 > self.most || self.is_stopped();
            if used_up || is_enough(&trial, wanted, self.deadline) {
                return Ok(Some(trial));
            }
        }
    }
}

impl Rounds for Tuner<'_, '_> {
    type Error = Error;

    fn has_time(&self, candidates: usize) -> bool {
        let runs = u32::try_from(candidates + 2).unwrap_or(u32::MAX);
        !self.is_stopped()
            && self.runner.runs.saturating_add(runs) + self.reserve <= self.most
            && Instant::now() + self.seconds * runs + self.keep <= self.deadline
    }

    fn round(&mut self, candidates: &[usize]) -> Result<Vec<Option<f64>>, Error> {
        (self.progress)(Stage::Running(candidates.len(), self.runner.runs, self.most));
        let Some(pairs) = self.one_round(candidates)? else { return Ok(vec![None; candidates.len()]) };
        for (one, pair) in candidates.iter().zip(&pairs) {
            self.tuning.candidates[*one].trial.pairs.extend(*pair);
        }
        let of =
            |pair: &Pair| tried::speedup(std::slice::from_ref(pair)).map(|one| one.speedup.estimate.ln());
        Ok(pairs.iter().map(|pair| pair.as_ref().and_then(of)).collect())
    }
}

#[cfg(test)]
mod tests;
