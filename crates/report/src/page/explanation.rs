//! What the report says about the reasons that occur in it: as `loopwright explain` does.

use crate::explanation::joined;
use loopwright_remarks::explain::explain;
use loopwright_remarks::reasons;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A reason in words.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Explanation {
    /// In a few words.
    title: &'static str,
    /// Nothing needs to be done.
    benign: bool,
    /// What it means.
    meaning: String,
    /// What it costs.
    #[serde(skip_serializing_if = "String::is_empty")]
    cost: String,
    /// What can be done.
    remedies: Vec<Remedy>,
    /// What to mind.
    #[serde(skip_serializing_if = "String::is_empty")]
    caveats: String,
    /// Code before and after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Example>,
}

/// A remedy of a reason.
#[derive(Debug, Serialize, JsonSchema)]
struct Remedy {
    /// Whom it is for.
    by: &'static str,
    /// What to do.
    what: String,
}

/// An example of a reason.
#[derive(Debug, Serialize, JsonSchema)]
struct Example {
    /// Language of the code.
    language: &'static str,
    /// The code as it is.
    before: &'static str,
    /// The code as it should be; absent when flags alone mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'static str>,
    /// Compiler options that mend it.
    #[serde(skip_serializing_if = "String::is_empty")]
    flags: String,
}

/// Explains the reasons with these ids; ids that are not known (of a later version) are left out.
pub(super) fn explanations<'a>(ids: impl Iterator<Item = &'a str>) -> BTreeMap<&'static str, Explanation> {
    let mut found = BTreeMap::new();
    let mut last = "";
    for id in ids {
        // Neighbours mostly have the same reason.
        if id != last && !found.contains_key(id) {
            found.extend(reasons::find(id).map(|reason| (reason.id, explanation(reason))));
        }
        last = id;
    }
    found
}

fn explanation(reason: &'static reasons::Reason) -> Explanation {
    let all = explain(reason);
    Explanation {
        title: all.title,
        benign: all.benign,
        meaning: joined(all.meaning),
        cost: joined(all.cost),
        remedies: all.remedies.into_iter().map(|(by, what)| Remedy { by, what: joined(what) }).collect(),
        caveats: joined(all.caveats),
        examples: all
            .examples
            .into_iter()
            .map(|(language, before, after, flags)| Example {
                language,
                before,
                after: (after != before).then_some(after),
                flags,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_explained_once() {
        let ids = ["fp-reduction-order", "not-a-reason", "fp-reduction-order"];
        let found = explanations(ids.into_iter());
        assert_eq!(found.keys().collect::<Vec<_>>(), [&"fp-reduction-order"]);
        let value = serde_json::to_value(&found["fp-reduction-order"]).unwrap();
        assert!(value["remedies"][0]["what"].is_string() && value["title"].is_string(), "{value}");
        assert!(value["examples"][0]["before"].as_str().unwrap().contains("for"), "{value}");
    }
}
