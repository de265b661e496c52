//! What the report says about the reasons that occur in it: as `loopwright explain` does.

use crate::explanation::joined;
use loopwright_remarks::explain::explain;
use loopwright_remarks::reasons;
use serde::Serialize;
use std::collections::BTreeMap;

/// A reason in words.
#[derive(Debug, Serialize)]
pub(super) struct Explanation {
    title: &'static str,
    /// Nothing needs to be done.
    benign: bool,
    meaning: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    cost: String,
    remedies: Vec<Remedy>,
    #[serde(skip_serializing_if = "String::is_empty")]
    caveats: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
struct Remedy {
    by: &'static str,
    what: String,
}

#[derive(Debug, Serialize)]
struct Example {
    language: &'static str,
    before: &'static str,
    /// Absent when flags alone mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'static str>,
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
