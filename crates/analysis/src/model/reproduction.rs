//! What `loopwright reproduce` found, as it is shown.

use super::{TriedFacts, Unsteady, Verdict};
pub use loopwright_experiment::reproduction::{
    CodeChange, CodeChangeKind, Condition, CulpritFunction, FileCulprits, Halted, Inlining, Side, Unit,
    repair,
};
use loopwright_experiment::trials::FirstDifference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The newest comparison of the answers of two builds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReproductionFacts {
    /// The build whose answer counts.
    pub good: Side,
    /// The build that is compared with it.
    pub bad: Side,
    /// What the comparison showed.
    pub outcome: ReproductionOutcome,
    /// The answer of the second build.
    pub answer: AnswerFacts,
    /// Files that were compared beside standard output.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outputs: Vec<String>,
    /// What runs of the first build wrote differently, so that it was not compared.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unsteady: Vec<Unsteady>,
    /// What only runs of the second build wrote differently.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unsteady_bad: Vec<Unsteady>,
    /// Runs of the first build under other conditions.
    pub conditions: Vec<ConditionFacts>,
    /// Sets of parts of the program: those of a set change the answer together, with the options of the second build.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub culprits: Vec<Vec<Unit>>,
    /// The functions of these sources.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<FileCulprits>,
    /// Sets of options, each of which changes the answer where these sources have it; the words of the link line where that does.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub options: Vec<Vec<String>>,
    /// Why the search ended before all was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub halted: Option<Halted>,
    /// The smallest speed-up that is called one: what the first build against itself showed, at least 1 %.
    pub claimed_from: f64,
    /// The second build, then what keeps the answer, each measured beside the first build.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub repairs: Vec<TriedFacts>,
    /// The fastest that keeps the answer: its number among them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cheapest: Option<usize>,
    /// Versions of the program that were linked.
    pub builds: u32,
    /// Runs of the program, all versions together.
    pub runs: u32,
}

/// What a comparison of two builds showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReproductionOutcome {
    /// Both builds give the same answer.
    Same,
    /// The answers differ within the tolerance.
    Within,
    /// The second build was not made.
    NotBuilt,
    /// Words of the link line alone change the answer.
    Link,
    /// Sources change it.
    Sources,
    /// It changes, and the search ended before anything was found.
    NotFound,
}

/// An answer beside that of the first build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ComparedAnswer")]
pub struct AnswerFacts {
    /// Whether it is the same; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<Verdict>,
    /// Largest difference of a number, as a share of the largest magnitude in its column.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub largest_difference: Option<f64>,
    /// Bits in which the numbers agree: `-log2` of that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub significant_bits: Option<f64>,
    /// The first line that is not accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_difference: Option<FirstDifference>,
    /// What a compiler said, or how the program ended, where there is no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// A run of the first build under another condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionFacts {
    /// The condition.
    pub condition: Condition,
    /// Its answer.
    pub answer: AnswerFacts,
}
