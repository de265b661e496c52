//! Compares predicted with measured gains.
//!
//! The recommendations of an earlier state are predictions; a later state shows which of them were followed and what
//! that was worth. The comparison follows three rules:
//!
//! - A recommendation that was not followed is no wrong prediction. [`followed()`] decides that first.
//! - Several changes to one loop cannot be distinguished. They are compared together with the best of their ranges, which is
//!   how the gain model composes them ([`crate::gain`]), and each names the others.
//! - A measurement that could also be nothing confirms nothing: where the interval holds both the prediction and "as
//!   fast as before", the outcome is unknown.

mod code;
mod followed;
mod measured;

use crate::advise::OF_THREADS;
use crate::recommendation::Recommendation;
use followed::{Followed, followed};
use loopwright_analysis::compare::{Comparison, LoopChange, undecorated};
use loopwright_analysis::model::{Analysis, LoopFacts};
use loopwright_costs::Gain;
use measured::{Measured, judge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A state: what was analysed, and what is recommended there.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The analysed program.
    pub analysis: &'a Analysis,
    /// Its recommendations.
    pub recommendations: &'a [Recommendation],
}

/// What became of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The measured interval, widened by the 3 % that two runs of one program differ by, overlaps the predicted range
    /// and excludes no change.
    CameTrue,
    /// The gain is larger than predicted.
    More,
    /// The gain is smaller than predicted.
    Less,
    /// The recommendation was not followed: the same is still recommended for the same place, or the loop's code and
    /// time are the same.
    NotFollowed,
    /// The two states do not show it; the note says why.
    Unknown,
}

/// What a prediction is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The loop's own time.
    Loop,
    /// The time of the loop with everything inside it and called from it.
    LoopTotal,
    /// The program's CPU time; where the share concerned is not a loop's.
    Program,
    /// The program's elapsed time; for rules about threads.
    Elapsed,
}

/// A recommendation of the earlier state, compared with the later one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// The recommendation's id, as in the first state.
    pub recommendation: String,
    /// The rule that said so.
    pub rule: String,
    /// One line.
    pub title: String,
    /// The loop in the earlier state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub loop_id: Option<u32>,
    /// The function in which the loop is written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    /// Place in the earlier state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// Whose time is compared.
    pub scope: Scope,
    /// Predicted speed-up of that, `[low, high]`; where a part of the loop is concerned, that of the whole loop.
    pub predicted: Gain,
    /// The likely value in that range.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub predicted_likely: Option<f64>,
    /// Measured speed-up of that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured: Option<f64>,
    /// Its 95 % interval by the numbers of samples; absent for elapsed times, which were measured once each.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<(f64, f64)>,
    /// What became of it.
    pub outcome: Outcome,
    /// Other recommendations that were followed at the same time and cannot be distinguished from this
    /// one; those of one loop are held together against the best of their ranges.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub together: Vec<String>,
    /// Why the outcome is what it is, where the numbers do not say it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Every prediction of the earlier state, in the order of its recommendations. Those that promise no number predict
/// nothing.
pub fn predictions(before: Side<'_>, after: Side<'_>, comparison: &Comparison) -> Vec<Prediction> {
    let cases: Vec<Case<'_>> = before
        .recommendations
        .iter()
        .filter_map(|advice| Case::of(advice, before, after, comparison))
        .collect();
    (0..cases.len()).map(|at| cases[at].prediction(&cases, before, after, comparison)).collect()
}

/// A recommendation with what the comparison says of its place.
struct Case<'a> {
    advice: &'a Recommendation,
    change: Option<&'a LoopChange>,
    scope: Scope,
    /// The range that is compared: the loop's where a part of it is concerned.
    predicted: Gain,
    followed: Followed,
}

impl<'a> Case<'a> {
    fn of(
        advice: &'a Recommendation,
        before: Side<'a>,
        after: Side<'a>,
        comparison: &'a Comparison,
    ) -> Option<Self> {
        let own = advice.loop_id.and_then(|id| before.analysis.loops.iter().find(|each| each.id == id));
        let change = own.and_then(|own| counterpart(own, comparison));
        let (scope, predicted) = scope(advice, change.and_then(|change| change.before.as_ref()))?;
        let followed = followed(advice, own, change, before, after);
        Some(Self { advice, change, scope, predicted, followed })
    }

    /// The same source loop, where both are about one.
    fn shares_loop(&self, other: &Self) -> bool {
        match (self.change, other.change) {
            (Some(one), Some(two)) => std::ptr::eq(one, two),
            _ => false,
        }
    }

    /// Other changes that the time compared here holds as well.
    fn mixed_with(&self, other: &Self) -> bool {
        let whole = |case: &Self| matches!(case.scope, Scope::Program | Scope::Elapsed);
        !std::ptr::eq(self, other)
            && other.followed.is_yes()
            && (whole(self)
                || self.shares_loop(other)
                || (other.advice.loop_id.is_none() && other.scope == Scope::Program))
    }

    fn prediction(
        &self,
        cases: &[Case<'_>],
        before: Side<'_>,
        after: Side<'_>,
        comparison: &Comparison,
    ) -> Prediction {
        let advice = self.advice;
        let mut new = Prediction {
            recommendation: advice.id.clone(),
            rule: advice.rule.clone(),
            title: advice.title.clone(),
            loop_id: advice.loop_id,
            function: advice.name().map(str::to_owned),
            place: advice.place.clone(),
            scope: self.scope,
            predicted: self.predicted,
            predicted_likely: Some(self.predicted.likely()),
            measured: None,
            interval: None,
            outcome: Outcome::Unknown,
            together: Vec::new(),
            note: None,
        };
        let measured = Measured::of(self.scope, self.change, before.analysis, after.analysis);
        if let Ok(measured) = &measured {
            new.measured = Some(measured.speedup);
            new.interval = measured.interval;
        }
        if let Followed::No(why) = &self.followed {
            (new.outcome, new.note) = (Outcome::NotFollowed, Some(why.clone()));
            return new;
        }
        if let Some(why) = incomparable(before.analysis, after.analysis) {
            new.note = Some(why.to_owned());
            return new;
        }
        let measured = match measured {
            Ok(measured) => measured,
            Err(why) => {
                let gone = self.change.and_then(|change| change.note.clone());
                new.note = Some(gone.unwrap_or_else(|| why.to_owned()));
                return new;
            }
        };
        for other in cases.iter().filter(|other| self.mixed_with(other)) {
            if other.advice.id != advice.id && !new.together.contains(&other.advice.id) {
                new.together.push(other.advice.id.clone());
            }
        }
        // Changes to one loop: the best of them counts.
        let ranges = cases
            .iter()
            .filter(|other| {
                std::ptr::eq(*other, self) || (other.followed.is_yes() && self.shares_loop(other))
            })
            .filter(|other| other.scope == self.scope)
            .map(|other| other.predicted);
        let joint = ranges.fold(self.predicted, Gain::best);
        (new.outcome, new.note) = judge(joint, &measured);
        let doubt = match &self.followed {
            Followed::Unclear(why) => Some(why),
            _ => None,
        };
        if let (Some(why), Outcome::Less) = (doubt, new.outcome) {
            (new.outcome, new.note) = (Outcome::Unknown, Some(why.clone()));
        } else if joint != self.predicted && new.note.is_none() {
            new.note = Some(format!(
                "held together with the others at this loop against {:.2} to {:.2}",
                joint.low(),
                joint.high()
            ));
        } else if comparison.other_command && new.note.is_none() {
            new.note = Some("the two states ran programs of different names".to_owned());
        }
        new
    }
}

/// The comparison's row for a loop: its group's, or the one that its copy was added to.
fn counterpart<'a>(own: &LoopFacts, comparison: &'a Comparison) -> Option<&'a LoopChange> {
    let side = |change: &'a LoopChange| change.before.as_ref();
    let of_group = comparison.loops.iter().find(|c| side(c).is_some_and(|l| l.group == own.group));
    let at_place = |l: &LoopFacts| {
        own.line.is_some()
            && (&l.file, l.line, l.column, l.depth) == (&own.file, own.line, own.column, own.depth)
            && undecorated(&l.function) == undecorated(&own.function)
    };
    of_group.or_else(|| comparison.loops.iter().find(|c| side(c).is_some_and(at_place)))
}

/// Whose time the prediction is about, and its range for that. The share that a gain applies to is the loop's own time, a
/// part of it, or what the loop takes with its callees; anything else shows in the program alone.
fn scope(advice: &Recommendation, before: Option<&LoopFacts>) -> Option<(Scope, Gain)> {
    /// Shares are sums of rounded numbers.
    const ROUNDING: f64 = 1.02;
    let of_program = advice.program_gain?;
    if OF_THREADS.contains(&advice.rule.as_str()) {
        return Some((Scope::Elapsed, of_program));
    }
    if let (Some(share), Some(gain), Some(before)) = (advice.share, advice.loop_gain, before) {
        for (scope, whole) in [(Scope::Loop, before.self_share), (Scope::LoopTotal, before.total_share)] {
            if share > 0.0 && share <= whole * ROUNDING {
                return Some((scope, gain.on_part(share / whole)));
            }
        }
    }
    Some((Scope::Program, of_program))
}

/// Why no time of the two states can be compared.
fn incomparable(before: &Analysis, after: &Analysis) -> Option<&'static str> {
    let arguments = |analysis: &Analysis| analysis.program.command.get(1..).map(<[String]>::to_vec);
    let machine = |analysis: &Analysis| analysis.machine.as_ref().map(|machine| machine.name.clone());
    if before.program.samples == 0 || after.program.samples == 0 {
        return Some("one of the states has no samples: no time is known");
    }
    if arguments(before) != arguments(after) {
        return Some("the two states ran with different arguments: their times are those of different work");
    }
    match (machine(before), machine(after)) {
        (Some(one), Some(two)) if one != two => {
            Some("the two states ran on different processors: predictions hold for the earlier one")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
