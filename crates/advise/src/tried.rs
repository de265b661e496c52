//! What a trial of a recommendation measured (`loopwright try`), beside the prediction.
//!
//! A measured gain is what the change is worth in this program on this machine: it ranks before every prediction of the same
//! size. A change that was tried and is no faster comes after those that were not.

use loopwright_analysis::model::{TriedFacts, TriedOutcome, Verdict, Way};
use schemars::JsonSchema;
use serde::Serialize;

/// The best trial of a change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Tried {
    /// How the change was made.
    pub way: Way,
    /// What the trial showed.
    pub outcome: TriedOutcome,
    /// The 95 % interval of the measured speed-up of the program, `[low, high]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<(f64, f64)>,
    /// The median of the measured speed-ups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_median: Option<f64>,
    /// Whether its answer is that of the unchanged program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Verdict>,
}

impl Tried {
    /// Of the trials of one change: of several ways the fastest accepted one, else the first that was tried.
    pub(crate) fn best<'a>(trials: impl Iterator<Item = &'a TriedFacts> + Clone) -> Option<Self> {
        let mut tried = trials.filter(|tried| tried.outcome != TriedOutcome::LeftAlone);
        let faster = tried.clone().filter(|tried| tried.outcome == TriedOutcome::Faster);
        let median = |tried: &TriedFacts| tried.measured_median.unwrap_or(1.0);
        let best = faster.max_by(|a, b| median(a).total_cmp(&median(b))).or_else(|| tried.next())?;
        Some(Self {
            way: best.way,
            outcome: best.outcome,
            measured: best.measured,
            measured_median: best.measured_median,
            answer: best.answer,
        })
    }

    /// It is faster, and its answer is accepted.
    pub fn is_faster(&self) -> bool {
        self.outcome == TriedOutcome::Faster
    }
}
