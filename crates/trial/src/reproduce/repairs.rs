//! What keeps the answer of the first build, and what each costs: measured beside both builds, in rounds.

use super::{Search, Stage};
use crate::answer::keep_worse;
use crate::asked::Error;
use crate::fault::Fault;
use crate::runner::Ran;
use loopwright_analysis::tried::LEAST_PAIRS;
use loopwright_experiment::reproduction::{Unit, repair};
use loopwright_experiment::trials::{End, Pair, Part, Timed, Trial, Verdict, Way};
use loopwright_stats::shuffle;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Rounds where time is left.
const ROUNDS: usize = 9;
/// The first build in a round, and the same again.
const FIRST: usize = usize::MAX;
const AGAIN: usize = usize::MAX - 1;

/// A version that may keep the answer.
struct Repair {
    name: &'static str,
    /// For a reader.
    shown: Vec<Part>,
    /// For the build.
    parts: Vec<Part>,
}

impl Search<'_, '_> {
    /// Builds what may keep the answer, and measures what does.
    pub(super) fn repairs(&mut self, bad: &Path) -> Result<(), Error> {
        let mut as_it_is = Trial::new(repair::AS_IT_IS, Way::Options, self.second());
        as_it_is.end = self.found.end.clone();
        as_it_is.answer = self.found.answer.clone();
        let mut all = vec![(as_it_is, bad.to_path_buf())];
        for one in self.possible() {
            if all.iter().any(|(known, _)| known.change == one.name) {
                continue;
            }
            all.extend(self.kept_answer(one)?);
        }
        self.measure(&mut all)?;
        self.found.repairs = all.into_iter().map(|(trial, _)| trial).collect();
        Ok(())
    }

    /// The options of the second build, for a reader; none where it is the project's own.
    fn second(&self) -> Vec<Part> {
        let options = self.sides.bad.options.clone();
        let part = Part::Options { files: Vec::new(), options };
        if self.sides.bad.options.is_empty() { Vec::new() } else { vec![part] }
    }

    /// All that may keep the answer; of several with one name the first that does.
    fn possible(&self) -> Vec<Repair> {
        let is_culprit = |unit: &Unit| self.found.culprits.iter().flatten().any(|culprit| culprit == unit);
        let numbers = |wanted: &dyn Fn(&Unit) -> bool| -> Vec<usize> {
            (0..).zip(&self.sides.units).filter(|(_, unit)| wanted(unit)).map(|(number, _)| number).collect()
        };
        let files = numbers(&|unit| matches!(unit, Unit::File { .. }));
        let culprits = numbers(&|unit| matches!(unit, Unit::File { .. }) && is_culprit(unit));
        // What is right in the second build stays as it is there.
        let rest = numbers(&|unit| !is_culprit(unit));
        let link = numbers(&|unit| *unit == Unit::Link && !is_culprit(unit));
        let names: Vec<String> = culprits
            .iter()
            .filter_map(|number| match &self.sides.units[*number] {
                Unit::File { file } => Some(file.clone()),
                Unit::Link => None,
            })
            .collect();
        let of = |files: &[String], options: &[String]| Part::Options {
            files: files.to_vec(),
            options: options.to_vec(),
        };
        let without: Vec<Part> = match is_culprit(&Unit::Link) {
            true => vec![Part::Link { options: Vec::new(), without: self.sides.link_words().to_vec() }],
            false => Vec::new(),
        };
        let bad = self.second();
        let shown = |parts: Vec<Part>| [parts, without.clone()].concat();
        let mut all = Vec::new();
        if culprits.is_empty() {
            let parts = self.sides.parts(&rest, None);
            all.push(Repair { name: repair::LINK, shown: shown(bad), parts });
            return all;
        }
        for options in &self.repaired {
            if culprits.len() < files.len() {
                let parts = self.sides.parts(&rest, Some((&culprits, options)));
                let shown = shown([bad.clone(), vec![of(&names, options)]].concat());
                all.push(Repair { name: repair::OPTIONS_IN_FILES, shown, parts });
            }
            let parts = self.sides.parts(&link, Some((&files, options)));
            all.push(Repair { name: repair::OPTIONS, shown: shown(vec![of(&[], options)]), parts });
        }
        let parts = self.sides.parts(&rest, None);
        let good = of(&names, &self.sides.good.options);
        let shown = shown([bad, vec![good]].concat());
        all.push(Repair { name: repair::FILES, shown, parts });
        all
    }

    /// The version, where it gives the answer of the first build.
    fn kept_answer(&mut self, one: Repair) -> Result<Option<(Trial, PathBuf)>, Error> {
        if self.is_stopped() || Instant::now() + self.run > self.deadline {
            return Ok(None);
        }
        let version = match self.workshop.build(&one.parts) {
            Ok(version) => version,
            Err(Fault::Io(cause)) => return Err(cause.into()),
            Err(_) => return Ok(None),
        };
        self.found.builds += 1;
        Ok(match self.runner.run(&version, &[])? {
            Ran::Well(_, answer) if answer.verdict != Verdict::Different => {
                let trial = Trial { answer: Some(answer), ..Trial::new(one.name, Way::Options, one.shown) };
                Some((trial, version))
            }
            _ => None,
        })
    }

    /// All in rounds with the first build, in random order.
    fn measure(&mut self, all: &mut [(Trial, PathBuf)]) -> Result<(), Error> {
        for round in 0..ROUNDS {
            let runs: Vec<usize> =
                (0..).zip(all.iter()).filter(|(_, (one, _))| one.end == End::Ran).map(|(at, _)| at).collect();
            let needed = self.run * u32::try_from(runs.len() + 2).unwrap_or(u32::MAX);
            if self.is_stopped()
                || (round >= LEAST_PAIRS && Instant::now() + needed > self.deadline)
                || Instant::now() > self.deadline
            {
                return Ok(());
            }
            (self.progress)(Stage::Measuring(round + 1));
            let mut order: Vec<usize> = runs.iter().copied().chain([FIRST, AGAIN]).collect();
            shuffle(&mut order, round as u64);
            let mut times: BTreeMap<usize, Timed> = BTreeMap::new();
            for one in order {
                let version = all.get(one).map_or_else(|| self.good.clone(), |(_, version)| version.clone());
                match self.runner.run(&version, &[])? {
                    Ran::Well(time, answer) => {
                        times.insert(one, time);
                        if let Some((trial, _)) = all.get_mut(one) {
                            keep_worse(&mut trial.answer, answer);
                        }
                    }
                    Ran::Badly(end) => match all.get_mut(one) {
                        Some((trial, _)) => trial.end = end,
                        None => return Err(self.runner.ends_otherwise()),
                    },
                    Ran::Stopped => return Ok(()),
                }
            }
            let Some(before) = times.get(&FIRST).copied() else { return Ok(()) };
            if let Some(after) = times.get(&AGAIN) {
                self.found.itself.push(Pair { before, after: *after });
            }
            for one in runs {
                if let Some(after) = times.get(&one) {
                    all[one].0.pairs.push(Pair { before, after: *after });
                }
            }
        }
        Ok(())
    }
}
