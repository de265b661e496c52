//! Comparisons of the answers of two builds in the store: whether the answer depends on the run, on threads or on the machine's library,
//! which part of the program changes it from one build to the other, and what keeps it.

use crate::pieces::{Pieces, Stored};
use crate::trials::{Answer, End, Pair, Trial, Unsteady, must_be_sound};
use crate::{Collected, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One call of `loopwright reproduce`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The build whose answer counts.
    pub good: Side,
    /// The one that is compared with it.
    pub bad: Side,
    /// Files that were compared beside standard output, as the user named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Lines that runs of the first build printed differently, so that only what was the same in them was compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsteady: Vec<Unsteady>,
    /// Runs of the first build under other conditions.
    pub probes: Vec<Probe>,
    /// How the second build ended.
    pub end: End,
    /// In what its answer differs; absent where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Lines that differ from run to run of the second build alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsteady_bad: Vec<Unsteady>,
    /// Sets of parts of the program: the parts of a set change the answer together, with the options of the second build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub culprits: Vec<Vec<Unit>>,
    /// What of these sources it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileCulprits>,
    /// Sets of options, each of which changes the answer where these sources have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Vec<String>>,
    /// Why the search ended before all was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted: Option<Halted>,
    /// The first build against itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub itself: Vec<Pair>,
    /// The second build, and those that keep the answer of the first: each beside the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Trial>,
    /// Versions of the program that were linked.
    pub builds: u32,
    /// Runs of the program, all versions together.
    pub runs: u32,
}

/// Names of the versions that are measured beside the first build.
pub mod repair {
    /// The second build.
    pub const AS_IT_IS: &str = "as-it-is";
    /// It without the options that change the answer, in the whole program.
    pub const OPTIONS: &str = "options-off";
    /// It without these options in the sources that change the answer.
    pub const OPTIONS_IN_FILES: &str = "options-off-in-files";
    /// It with the options of the first build for these sources.
    pub const FILES: &str = "files-as-first";
    /// It without the words of the link line.
    pub const LINK: &str = "link-as-first";
    /// All of them.
    pub const ALL: &[&str] = &[AS_IT_IS, OPTIONS, OPTIONS_IN_FILES, FILES, LINK];
}

/// How one of both builds differs from that of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReproduceSide")]
pub struct Side {
    /// Another compiler of C and C++.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// Options behind those of the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// A run of the first build under another condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The condition.
    pub condition: Condition,
    /// How it ended.
    pub end: End,
    /// In what its answer differs; absent where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// What differs in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[schemars(rename = "RunCondition")]
pub enum Condition {
    /// Nothing.
    Again,
    /// The number of OpenMP threads.
    Threads {
        /// Their number.
        threads: u32,
    },
    /// The functions that the mathematical library has for older processors.
    OlderLibrary,
}

/// A part of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[schemars(rename = "ProgramUnit")]
pub enum Unit {
    /// Options of the commands that link: they may set how the processor treats small numbers when the program starts.
    Link,
    /// A source.
    File {
        /// Its path.
        file: String,
    },
}

/// The functions of a source that change the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileCulprits {
    /// The source.
    pub file: String,
    /// Sets of functions: those of a set change the answer together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Vec<CulpritFunction>>,
    /// Which functions were inlined while these were found.
    #[serde(default)]
    pub inlining: Inlining,
    /// Why the search ended before all of them were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted: Option<Halted>,
}

/// Which functions a compiler inlines: where one is, the function that calls it has its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Inlining {
    /// None, so that what is called is told from what calls it.
    None,
    /// Those that the source declares as such.
    Declared,
    /// Those that both builds inline.
    #[default]
    AsBuilt,
}

/// A function that changes the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CulpritFunction {
    /// Its name, as the source has it where that can be read from the symbol.
    pub name: String,
    /// How its code differs in the second build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CodeChange>,
}

/// A difference of the code of a function in both builds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CodeChange {
    /// What differs.
    pub what: CodeChangeKind,
    /// Line of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The line is in a loop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_loop: bool,
}

/// What differs in the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum CodeChangeKind {
    /// A multiplication and an addition are one operation, which is rounded once.
    Fused,
    /// Operations on several elements at a time in place of one: sums are of partial sums.
    Vectors,
    /// An approximation of a reciprocal, or of one of a square root.
    Approximation,
    /// A division is none any more.
    NoDivision,
    /// Another function is called.
    Calls {
        /// Its name.
        function: String,
    },
}

/// Why a search ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "kebab-case", tag = "because")]
#[schemars(rename = "SearchHalted")]
pub enum Halted {
    /// The time was used up.
    #[error("the time was used up; allow more with --budget")]
    Time,
    /// The user stopped.
    #[error("it was stopped")]
    Stopped,
    /// A version was not built.
    #[error("a version was not built: {error}")]
    NotBuilt {
        /// The first message.
        error: String,
    },
    /// The parts of one build cannot be put into the other one.
    #[error("functions cannot be exchanged: {reason}")]
    NotExchanged {
        /// Why.
        reason: String,
    },
    /// The answer is right once functions are exchanged one by one, so that none can be blamed.
    #[error(
        "the answer is that of the first build as soon as functions are compiled so that they can be exchanged"
    )]
    Vanished,
    /// The options, one by one, give another answer than as they were given.
    #[error("the options taken apart give the answer of the first build")]
    NotTakenApart,
}

impl Collected for Reproduction {
    const KIND: &'static str = "reproduction";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("reproduction", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let found: Self = stored.json("reproduction")?;
        must_be_sound(stored, "reproduction", found.repairs.iter(), &found.itself)?;
        Ok(found)
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use crate::trials::{Timed, Way};
    use loopwright_sample::recording::{Recording, Target};

    fn reproduction(seconds: f64) -> Reproduction {
        let timed = Timed { cpu: seconds, elapsed: seconds, ..Timed::default() };
        let repair = Trial {
            pairs: vec![Pair { before: timed, after: timed }],
            ..Trial::new("bad", Way::Options, vec![])
        };
        Reproduction {
            good: Side::default(),
            bad: Side { compiler: None, options: vec!["-Ofast".into()] },
            outputs: Vec::new(),
            unsteady: Vec::new(),
            probes: vec![Probe { condition: Condition::Threads { threads: 1 }, end: End::Ran, answer: None }],
            end: End::Ran,
            answer: None,
            unsteady_bad: Vec::new(),
            culprits: vec![vec![Unit::Link, Unit::File { file: "a.c".into() }]],
            files: Vec::new(),
            options: Vec::new(),
            halted: Some(Halted::Time),
            itself: Vec::new(),
            repairs: vec![repair],
            builds: 3,
            runs: 9,
        }
    }

    #[test]
    fn a_comparison_belongs_to_the_survey_before_it_and_one_that_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        experiment.add(&Recording::default(), Some(&target), None).unwrap();
        experiment.add(&reproduction(1.0), Some(&target), None).unwrap();
        let facts = crate::Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        let found: Vec<_> = facts.reproductions.iter().map(|run| &run.facts).collect();
        assert_eq!(found, [&reproduction(1.0)]);
        let damaged = experiment.add(&reproduction(-1.0), Some(&target), None).unwrap();
        assert!(experiment.collected::<Reproduction>(damaged).is_err());
    }
}
