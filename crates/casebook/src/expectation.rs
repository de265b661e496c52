//! How a result is compared, as `[compare]` states it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The expectation of a result: relative to the first stage's, a bound or an analytic answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expectation {
    /// Difference relative to the larger of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// Difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absolute: Option<f64>,
    /// Equal to the last bit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// No more than this, whatever the first stage had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Not compared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore: bool,
    /// An analytic answer instead of the first stage's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl Expectation {
    /// What is wrong with it.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let ways = [
            self.relative.is_some(),
            self.absolute.is_some(),
            self.exact,
            self.at_most.is_some(),
            self.ignore,
        ];
        if ways.iter().filter(|way| **way).count() != 1 {
            return Some("needs exactly one of `relative`, `absolute`, `exact`, `at_most` and `ignore`");
        }
        let tolerances = [self.relative, self.absolute];
        if tolerances.iter().flatten().any(|t| !(t.is_finite() && *t >= 0.0)) {
            return Some("has a tolerance that is not a number from 0 on");
        }
        (self.value.is_some() && (self.at_most.is_some() || self.ignore))
            .then_some("has a `value` that nothing compares with")
    }
}
