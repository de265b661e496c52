//! The strategy: what is tried in which order, wherever it runs.
//!
//! A ladder of levels, instruction sets and compilers first, then settings, then what may be added to the best so far, one by one and
//! together, then single files; the best is measured again at last.

use super::How;
use super::search::Placed;
use super::sets::{Build, candidate, named};
use crate::asked::Error;
use crate::merged::merged;
use crate::settings::is_of_threads;
use loopwright_analysis::model::TriedOutcome;
use loopwright_analysis::tried::{self, FEW_PAIRS};
use loopwright_experiment::trials::{End, Trial, Verdict, Way};
use loopwright_experiment::tuning::{Axis, Candidate, Tuning};

/// An addition counts as one that gains when it is this much faster than what it was added to.
const ADDS: f64 = 0.005;

/// What measures candidates: on this machine, or as jobs of a cluster.
pub(crate) trait Measurer {
    /// What was found so far.
    fn tuning(&self) -> &Tuning;

    /// The same, to be changed.
    fn tuning_mut(&mut self) -> &mut Tuning;

    /// The user stopped.
    fn is_stopped(&self) -> bool;

    /// CPUs that the unchanged program keeps busy.
    fn busy(&self) -> f64;

    /// Builds candidates, runs them beside those that are known, and orders all: the best first.
    fn step(&mut self, all: Vec<Candidate>, known: Vec<Placed>) -> Result<Vec<Placed>, Error>;

    /// A candidate on fresh runs; nothing where there is no time for them.
    fn measured(&mut self, index: usize) -> Result<Option<Trial>, Error>;

    /// The best one is measured again from here on.
    fn confirming(&self, name: &str);
}

/// The search.
pub(crate) trait Searcher: Measurer {
    fn search(
        &mut self,
        how: &How,
        build: &Build,
        hot: &[(String, f64)],
        settings: &dyn Fn(f64) -> Vec<crate::change::Candidate>,
    ) -> Result<(), Error> {
        // The unchanged program is the first candidate to go on from; it has no parts.
        let unchanged = candidate("", Axis::Flags, Way::Options, self.tuning().semantics, Ok(Vec::new()));
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
            let all = settings(self.busy()).into_iter().map(of).filter(|one| how.axes.contains(&one.axis));
            best = self.extended(best, all.collect())?;
        }
        let base = self.base(best.as_ref(), &unchanged);
        best = self.extended(best, build.additions(&base, &how.axes))?;
        if how.axes.contains(&Axis::Files)
            && let Some(second) =
                ladder.get(1).map(|second| self.tuning().candidates[second.candidate].clone())
        {
            let base = self.base(best.as_ref(), &unchanged);
            self.extended(best, build.files(&base, &second, hot))?;
        }
        Ok(())
    }

    /// What other candidates go on from.
    fn base(&self, best: Option<&Placed>, unchanged: &Candidate) -> Candidate {
        best.map_or(unchanged, |best| &self.tuning().candidates[best.candidate]).clone()
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
        let name = base.map_or("", |base| self.tuning().candidates[base.candidate].trial.change.as_str());
        let all: Vec<&Candidate> = gains.iter().map(|one| &self.tuning().candidates[one.candidate]).collect();
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

    /// Measures the fastest again; where that is not faster, the fastest of the ladder, which has less that can go wrong. Which one is
    /// faster, where there is one.
    fn confirm(&mut self) -> Result<Option<usize>, Error> {
        let speed = |one: &Candidate| {
            let is_open = one.trial.end == End::Ran && one.trial.pairs.len() >= FEW_PAIRS;
            let accepted =
                one.trial.answer.as_ref().is_some_and(|answer| answer.verdict != Verdict::Different);
            (is_open && accepted).then(|| tried::speedup(&one.trial.pairs)).flatten()
        };
        let mut order: Vec<(usize, f64)> = (0..)
            .zip(&self.tuning().candidates)
            .filter_map(|(index, one)| Some((index, speed(one)?.speedup.estimate)))
            .filter(|(_, estimate)| *estimate > 1.0)
            .collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let first = order.first().map(|(index, _)| *index);
        let simple = order
            .iter()
            .map(|(index, _)| *index)
            .find(|index| matches!(self.tuning().candidates[*index].axis, Axis::Flags | Axis::Compiler));
        let (mut shown, mut best) = (None, None);
        for index in first.into_iter().chain(simple.filter(|simple| Some(*simple) != first)) {
            if self.is_stopped() {
                break;
            }
            let name = self.tuning().candidates[index].trial.change.clone();
            self.confirming(&name);
            let Some(trial) = self.measured(index)? else { break };
            let is_faster = tried::outcome(&trial, &self.tuning().itself) == TriedOutcome::Faster;
            if is_faster || shown.is_none() {
                shown = Some(trial);
            }
            if is_faster {
                best = Some(index);
                break;
            }
        }
        self.tuning_mut().confirmed = shown;
        Ok(best)
    }
}

impl<T: Measurer> Searcher for T {}
