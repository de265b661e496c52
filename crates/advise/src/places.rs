//! The loops of a recommendation that is about several, and the form in which they and its likely gains are written.
//!
//! A recommendation has one prediction for all of its places; each place has its own besides.

use crate::recommendation::{Confidence, Recommendation};
use loopwright_costs::Gain;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A loop that a change touches.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AdvisedPlace")]
pub struct Place {
    /// The change there: the recommendation's `id`, or one of its `changes`.
    pub change: String,
    /// The loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<u32>,
    /// The loop's group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// The function in whose source the loop is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// `file:line` or an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The share of the time that is concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Its predicted speed-up.
    #[serde(flatten, serialize_with = "of_loop")]
    #[schemars(with = "OfLoop")]
    pub loop_gain: Option<Gain>,
    /// What that alone is worth to the program.
    #[serde(flatten, serialize_with = "of_program")]
    #[schemars(with = "OfProgram")]
    pub program_gain: Option<Gain>,
    /// How sure.
    pub confidence: Confidence,
}

impl Place {
    /// Where a recommendation for one loop applies.
    pub fn of(one: &Recommendation) -> Self {
        Self {
            change: one.id.clone(),
            loop_id: one.loop_id,
            group: one.group,
            function: one.name().map(str::to_owned),
            place: one.place.clone(),
            share: one.share,
            loop_gain: one.loop_gain,
            program_gain: one.program_gain,
            confidence: one.confidence,
        }
    }

    /// The place of this recommendation, which is about one.
    pub fn is_of(&self, one: &Recommendation) -> bool {
        self.change == one.id && self.group == one.group && self.group.is_some()
    }
}

/// The two forms of a predicted gain of a loop.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OfLoop {
    /// Its predicted speed-up, `[low, high]`; absent where waiting is what could be saved. Below 1 it may become slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_gain: Option<Gain>,
    /// The likely value in that range.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_gain_likely: Option<f64>,
}

/// The two forms of a predicted gain of the program.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OfProgram {
    /// The program's predicted speed-up, `[low, high]`. Below 1 it may become slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    program_gain: Option<Gain>,
    /// The likely value in that range.
    #[serde(skip_serializing_if = "Option::is_none")]
    program_gain_likely: Option<f64>,
}

/// The two forms of the program's gain by the model of one change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OfModel {
    /// What the model gives for this change alone, `[low, high]`; `program_gain` counts what programs gained from whole changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    modelled_gain: Option<Gain>,
    /// The likely value in that range.
    #[serde(skip_serializing_if = "Option::is_none")]
    modelled_gain_likely: Option<f64>,
}

/// What a recommendation for several loops has besides.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Written<'a> {
    /// Where there are `places`: ids of the changes there. Those of a package are several, or another than its `id`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<&'a str>,
    /// All loops that it is about, where there are several or it is a package, the most valuable first. `share` and the gains beside are those of
    /// all of them together, `loop_id`, `function`, `place` and the evidence those of the first.
    #[serde(skip_serializing_if = "<[Place]>::is_empty")]
    places: &'a [Place],
}

/// Writes a gain as `loop_gain` and `loop_gain_likely` of the object around.
#[allow(clippy::ref_option, reason = "serde hands over a reference")]
pub(crate) fn of_loop<S: Serializer>(gain: &Option<Gain>, to: S) -> Result<S::Ok, S::Error> {
    OfLoop { loop_gain: *gain, loop_gain_likely: gain.map(Gain::likely) }.serialize(to)
}

/// Writes a gain as `program_gain` and `program_gain_likely` of the object around.
#[allow(clippy::ref_option, reason = "serde hands over a reference")]
pub(crate) fn of_program<S: Serializer>(gain: &Option<Gain>, to: S) -> Result<S::Ok, S::Error> {
    OfProgram { program_gain: *gain, program_gain_likely: gain.map(Gain::likely) }.serialize(to)
}

/// Writes a gain as `modelled_gain` and `modelled_gain_likely` of the object around.
#[allow(clippy::ref_option, reason = "serde hands over a reference")]
pub(crate) fn of_model<S: Serializer>(gain: &Option<Gain>, to: S) -> Result<S::Ok, S::Error> {
    OfModel { modelled_gain: *gain, modelled_gain_likely: gain.map(Gain::likely) }.serialize(to)
}

/// Writes places as `changes` and `places` of the object around.
pub(crate) fn write<S: Serializer>(places: &[Place], to: S) -> Result<S::Ok, S::Error> {
    Written { changes: changes(places), places }.serialize(to)
}

/// The changes at these places, each once, in their order.
pub(crate) fn changes(places: &[Place]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for place in places {
        if !found.contains(&place.change.as_str()) {
            found.push(&place.change);
        }
    }
    found
}
