//! What `loopwright try` measured, as it is shown.

pub use loopwright_experiment::trials::{FirstDifference, Part, Unsteady, Verdict, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The newest trials of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialFacts {
    /// The smallest speed-up that is called one: what the program against itself showed, at least 1 %.
    pub claimed_from: f64,
    /// Files that were compared beside standard output.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outputs: Vec<String>,
    /// What two runs of the unchanged program wrote differently, so that it was not compared.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unsteady: Vec<Unsteady>,
    /// The changes, in the order in which they were tried.
    pub tried: Vec<TriedFacts>,
    /// The best changes together, measured on runs of their own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub together: Option<TriedFacts>,
}

/// One tried change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriedFacts {
    /// Id of the recommendation, or the name of a set of options or settings that is tried for every program.
    pub change: String,
    /// How it was made.
    pub way: Way,
    /// The options, lines and variables that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<Part>,
    /// The predicted speed-up of the program, `[low, high]`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub predicted: Option<(f64, f64)>,
    /// The likely value in that range.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub predicted_likely: Option<f64>,
    /// The 95 % interval of the measured speed-up of the program, `[low, high]`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured: Option<(f64, f64)>,
    /// The median of the measured speed-ups.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured_median: Option<f64>,
    /// Which time was compared.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<Clock>,
    /// Pairs of runs, one with and one without the change.
    #[serde(skip_serializing_if = "is_none", default)]
    pub pairs: u32,
    /// The function whose calls were compared inside runs of the unchanged program, where that was done in place of pairs of runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub in_run: Option<InRunFacts>,
    /// Why that was not done, where a change of single sources was built.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_in_run: Option<String>,
    /// What the trial showed.
    pub outcome: TriedOutcome,
    /// Whether the answer is that of the unchanged program; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Verdict>,
    /// Largest difference of a number in the answers, as a share of the largest magnitude in its column.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub largest_difference: Option<f64>,
    /// The first line that is not accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_difference: Option<FirstDifference>,
    /// Why it was not tried, what a compiler said, or how it ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Calls of a function that alternated between its unchanged and its changed version, in the same runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InRunFacts {
    /// The function.
    pub function: String,
    /// Timed calls of both versions together.
    pub calls: u64,
    /// The function's share of the program's time, with what it calls.
    pub share: f64,
    /// The 95 % interval of the measured speed-up of the function, `[low, high]`.
    pub measured: (f64, f64),
    /// The median of these speed-ups.
    pub measured_median: f64,
}

/// The time that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "TrialClock")]
pub enum Clock {
    /// User and system time: other programs disturb it least.
    Cpu,
    /// Elapsed time, where more than one thread computes.
    Elapsed,
    /// Ticks of the time-stamp counter in calls of one function, in the run.
    Calls,
    /// A number that the program prints, as the user asked.
    Figure,
}

/// What a trial showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TriedOutcome {
    /// Faster by more than the program differs from itself, with an accepted answer.
    Faster,
    /// No difference was seen that is larger than that.
    NoDifference,
    /// Slower.
    Slower,
    /// The answer is not accepted.
    WrongAnswer,
    /// A compiler or linker refused it.
    NotBuilt,
    /// The code is that of the unchanged program, or of an earlier trial.
    SameCode,
    /// It ended with another status, or by a signal.
    Failed,
    /// It did not end in time.
    Hung,
    /// It was not tried.
    LeftAlone,
}

/// No pair.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_none(pairs: &u32) -> bool {
    *pairs == 0
}
