//! Searches for the best build in the store: which builds and settings were tried, what their runs took and answered. Gains, and
//! which of them may be claimed, are computed from these when they are shown.

use crate::pieces::{Pieces, Stored};
use crate::trials::{Pair, Trial, Unsteady, must_be_sound};
use crate::{Collected, Error};
use loopwright_binary::facts::Isa;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One call of `loopwright tune`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The program, as its build makes it, in both places of each pair.
    pub itself: Vec<Pair>,
    /// Files that were compared beside standard output, as the user named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Lines that runs of the unchanged program printed differently, so that only what was the same in them was compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsteady: Vec<Unsteady>,
    /// What the options of the build itself allow.
    pub semantics: Semantics,
    /// What was compared, where the user said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// The candidates, in the order in which they were tried.
    pub candidates: Vec<Candidate>,
    /// The best of them, on runs of its own: its name is that of the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Trial>,
    /// Hot loops in the unchanged program and in the best one, where a survey says which are hot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<RebuiltLoop>,
    /// Processors of the nodes that jobs ran on; empty for a search on this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<String>,
    /// Runs of the program, all versions together.
    pub runs: u32,
}

/// A loop in two builds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RebuiltLoop {
    /// The source that has it.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function in which it is written.
    pub function: String,
    /// Its share of the time of the unchanged program.
    pub share: f64,
    /// In the unchanged program.
    pub before: BuiltLoop,
    /// In the best one.
    pub after: BuiltLoop,
}

/// What a build made of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuiltLoop {
    /// The instruction set of its vectors; absent for a scalar loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<Isa>,
    /// Bits of a vector; 0 for a scalar loop.
    pub bits: u32,
    /// Elements of a vector; 0 for a scalar loop.
    pub elements: u32,
    /// Vectors that an iteration handles of each operation; 0 for a scalar loop.
    pub unroll: u32,
    /// Instructions of an iteration.
    pub instructions: u32,
}

/// What of runs is compared, as the user asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[schemars(rename = "TuneMetric")]
pub enum Metric {
    /// CPU time.
    Cpu,
    /// Elapsed time.
    Wall,
    /// A number that the program prints.
    SelfReported {
        /// The regular expression that finds it.
        pattern: String,
        /// It is a rate: larger is better.
        rate: bool,
    },
}

/// A build, or a setting, that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// What is varied.
    pub axis: Axis,
    /// What its options allow.
    pub semantics: Semantics,
    /// Seconds of its build; absent where nothing was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<f64>,
    /// Its parts, runs and answer.
    pub trial: Trial,
}

/// What a candidate varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "TuneAxis")]
pub enum Axis {
    /// Options of the compiler.
    Flags,
    /// Another compiler.
    Compiler,
    /// Link-time optimisation.
    Lto,
    /// The profile of a run.
    Pgo,
    /// Options of single sources.
    Files,
    /// Settings of memory, and allocators.
    Env,
    /// Settings of threads.
    Threads,
    /// Several of these that were faster one by one.
    Several,
}

/// What a compiler may do to the results of floating-point operations, each more than those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "FloatSemantics")]
pub enum Semantics {
    /// Each operation is rounded as the source has it.
    #[default]
    Exact,
    /// A multiplication and an addition may become one operation, which is rounded once.
    Contract,
    /// Operations may be reordered, and divisions become multiplications.
    Reassoc,
    /// NaN, infinities and signed zeros may be ignored, too.
    Fast,
}

impl Collected for Tuning {
    const KIND: &'static str = "tuning";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("tuning", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let tuning: Self = stored.json("tuning")?;
        let trials = tuning.candidates.iter().map(|one| &one.trial).chain(&tuning.confirmed);
        must_be_sound(stored, "tuning", trials, &tuning.itself)?;
        if !tuning.loops.iter().all(|one| one.share.is_finite()) {
            return Err(stored.damaged("tuning", "the share of a loop is none"));
        }
        let is_time = |seconds: &f64| seconds.is_finite() && *seconds >= 0.0;
        if !tuning.candidates.iter().filter_map(|one| one.build.as_ref()).all(is_time) {
            return Err(stored.damaged("tuning", "the time of a build is none"));
        }
        Ok(tuning)
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use crate::trials::{End, Timed, Way};
    use loopwright_sample::recording::{Recording, Target};

    fn tuning(build: f64) -> Tuning {
        let timed = Timed { cpu: 1.0, elapsed: 1.0, ..Timed::default() };
        let trial = Trial {
            change: "native".into(),
            way: Way::Options,
            parts: Vec::new(),
            predicted: None,
            end: End::Ran,
            pairs: vec![Pair { before: timed, after: timed }],
            answer: None,
            in_run: None,
            not_in_run: None,
        };
        let candidate = Candidate {
            axis: Axis::Flags,
            semantics: Semantics::Exact,
            build: Some(build),
            trial: trial.clone(),
        };
        Tuning { candidates: vec![candidate], confirmed: Some(trial), runs: 9, ..Tuning::default() }
    }

    #[test]
    fn a_search_belongs_to_the_survey_before_it_and_one_that_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        experiment.add(&Recording::default(), Some(&target), None).unwrap();
        experiment.add(&tuning(1.0), Some(&target), None).unwrap();
        let facts = crate::Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.tuning.iter().map(|run| &run.facts).collect::<Vec<_>>(), [&tuning(1.0)]);
        let damaged = experiment.add(&tuning(-1.0), Some(&target), None).unwrap();
        assert!(experiment.collected::<Tuning>(damaged).is_err());
    }

    #[test]
    fn semantics_are_ordered_by_what_they_allow() {
        assert!(Semantics::Exact < Semantics::Contract && Semantics::Reassoc < Semantics::Fast);
    }
}
