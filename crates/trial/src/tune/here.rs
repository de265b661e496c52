//! A search on this machine: builds candidates one after the other and runs them in rounds with the unchanged program.

use super::Stage;
use super::search::{Placed, Rounds, halve};
use super::strategy::Measurer;
use crate::alike::alike;
use crate::answer::keep_worse;
use crate::asked::Error;
use crate::builder::{Builder, Made};
use crate::change::variables;
use crate::runner::{EXCUSES, Ran, Runner};
use crate::session::{PAIRS_TOGETHER, Pairs, is_enough};
use loopwright_analysis::tried::{self, FEW_PAIRS};
use loopwright_experiment::trials::{Answer, End, Pair, Timed, Trial, Verdict, Why};
use loopwright_experiment::tuning::{Axis, Candidate, Tuning};
use loopwright_stats::shuffle;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pairs of the program against itself.
const ITSELF: usize = 9;
/// Rounds of all candidates of a step for which its builds leave time.
const ROUNDS: u32 = 3;

/// A search on this machine.
pub(crate) struct Tuner<'a, 'p> {
    pub tuning: Tuning,
    pub runner: Runner<'a>,
    pub builder: Builder<'a>,
    /// The programs of candidates, by their numbers.
    pub versions: BTreeMap<usize, PathBuf>,
    /// The unchanged program.
    pub version: PathBuf,
    pub deadline: Instant,
    /// Time and runs that are kept for the end.
    pub keep: Duration,
    pub reserve: u32,
    /// Seconds of a run of the unchanged program.
    pub seconds: Duration,
    /// The longest build so far.
    pub build: Duration,
    pub most: u32,
    pub round: u64,
    pub progress: &'p dyn Fn(Stage),
    /// CPUs that the unchanged program keeps busy.
    pub busy: f64,
}

impl Tuner<'_, '_> {
    /// Builds a candidate; its end is another one where there is nothing to run. `None` when the user stopped. `beside` is the number of
    /// those that wait for their runs: another build must leave time for them.
    pub fn built(
        &mut self,
        mut one: Candidate,
        index: usize,
        beside: usize,
    ) -> Result<Option<Candidate>, Error> {
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
}

impl Measurer for Tuner<'_, '_> {
    fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    fn tuning_mut(&mut self) -> &mut Tuning {
        &mut self.tuning
    }

    fn is_stopped(&self) -> bool {
        self.runner.asked.stop.load(Ordering::SeqCst)
    }

    fn busy(&self) -> f64 {
        self.busy
    }

    fn confirming(&self, name: &str) {
        (self.progress)(Stage::Confirming(name));
    }

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

/// The logarithm of the speed-up that one pair of runs shows.
pub(crate) fn logarithm(pair: &Pair) -> Option<f64> {
    tried::speedup(std::slice::from_ref(pair)).map(|one| one.speedup.estimate.ln())
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
        Ok(pairs.iter().map(|pair| pair.as_ref().and_then(logarithm)).collect())
    }
}
