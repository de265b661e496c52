//! The comparison of two states as `compare --json` and the page carry it: source loops side by side, what `check` finds
//! in them, and what became of the earlier state's predictions.

use loopwright_advise::Prediction;
use loopwright_analysis::compare::Comparison;
use loopwright_analysis::compare::check::Finding;
use schemars::JsonSchema;
use serde::Serialize;

/// The document.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ComparisonDocument<'a> {
    /// The two states.
    #[serde(flatten)]
    pub comparison: &'a Comparison,
    /// What `loopwright check` finds; in a report only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<&'a [Finding]>,
    /// The earlier state's recommendations, compared with what changed.
    pub predictions: &'a [Prediction],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use loopwright_advise::{Side, predictions};
    use loopwright_analysis::compare::check::{Thresholds, check};
    use loopwright_analysis::compare::compare;
    use serde_json::Value;

    #[test]
    fn one_object_holds_all_of_it_as_the_contract_says() {
        let (before, recommendations) = (fixture::analysis(), fixture::recommendations());
        let mut after = before.clone();
        after.loops[0].vectorized = true;
        after.loops[0].self_seconds /= 3.0;
        after.loops[0].samples /= 3;
        let comparison = compare(("before", &before), ("after", &after));
        let findings = check(&comparison, &Thresholds::default());
        let held = predictions(
            Side { analysis: &before, recommendations: &recommendations },
            Side { analysis: &after, recommendations: &recommendations[2..] },
            &comparison,
        );
        let document =
            ComparisonDocument { comparison: &comparison, findings: Some(&findings), predictions: &held };
        let text = crate::json::document("comparison", &document).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        crate::contract::assert_document(&value);
        let value = &value["comparison"];
        assert_eq!((&value["before"], &value["after"]), (&"before".into(), &"after".into()));
        assert!(value["findings"].as_array().is_some_and(|findings| !findings.is_empty()));
        let first = &value["predictions"][0];
        assert_eq!(
            (&first["recommendation"], &first["outcome"], &first["scope"]),
            (&"vector-math".into(), &"came-true".into(), &"loop".into())
        );
        assert_eq!(value["predictions"][2]["outcome"], "not-followed");
        crate::contract::assert_valid("ComparisonDocument", value);
    }
}
