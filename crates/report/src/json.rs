//! The JSON contract: what `--json` prints.
//!
//! The model's own serialisation with each loop's recommendations inside it. Two rules are enforced
//! here for every key, so that no type can break them: a fact that is absent has no key (`parent` alone
//! is `null` for an outermost loop and for the tree's root, as documented), and a number that is none is absent too. Classes of
//! the instruction mix that do not occur are left out. A recommendation's `how` is its text; the code
//! before and after (`c`, `fortran`), `flags` and `environment` are separate keys.

use loopwright_advise::{Recommendation, cards};
use loopwright_analysis::model::Analysis;
use loopwright_machine::Ceilings;
use serde_json::{Map, Value, json};

/// The one key that is `null` where it does not apply.
const NULLABLE: &str = "parent";

/// The `recommendations` that the document adds to the analysis and to each of its loops.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[allow(dead_code, reason = "it describes what `analysis_value` inserts")]
pub(crate) struct Advised {
    /// What to change that is not about one of `loops`.
    analysis: Option<Vec<Recommendation>>,
    /// What to do, the most valuable first: of all recommendations here and in `loops` one for each change, with its loops as
    /// `places`; those that are likely to gain less than 2 % come last.
    advice: Option<Vec<Recommendation>>,
    /// What to change here.
    each_loop: Option<Vec<Recommendation>>,
}

/// The whole analysis.
///
/// # Errors
/// Only when a value cannot be represented in JSON, which no value of these types is.
pub fn analysis_value(
    analysis: &Analysis,
    recommendations: &[Recommendation],
) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(analysis)?;
    if let Some(loops) = value.get_mut("loops").and_then(Value::as_array_mut) {
        for each in loops {
            let own: Vec<&Recommendation> =
                recommendations.iter().filter(|advice| belongs(advice, each)).collect();
            if let Some(facts) = each.as_object_mut() {
                if let Some(mix) = facts.get_mut("instruction_mix").and_then(Value::as_object_mut) {
                    mix.retain(|_, count| *count != json!(0));
                }
                if !own.is_empty() {
                    facts.insert("recommendations".to_owned(), serde_json::to_value(&own)?);
                }
            }
        }
    }
    let program_wide: Vec<&Recommendation> = recommendations
        .iter()
        .filter(|advice| !analysis.loops.iter().any(|each| advice.loop_id == Some(each.id)))
        .collect();
    if let (false, Some(all)) = (program_wide.is_empty(), value.as_object_mut()) {
        all.insert("recommendations".to_owned(), serde_json::to_value(&program_wide)?);
    }
    let advice = cards(analysis, recommendations);
    if let (false, Some(all)) = (advice.is_empty(), value.as_object_mut()) {
        all.insert("advice".to_owned(), serde_json::to_value(&advice)?);
    }
    drop_absent(&mut value);
    Ok(value)
}

/// As text, indented, with a final line break.
///
/// # Errors
/// See [`analysis_value`].
pub fn analysis(
    analysis: &Analysis,
    recommendations: &[Recommendation],
) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&analysis_value(analysis, recommendations)?)? + "\n")
}

/// Any other result (a comparison, threads) under its name by the same rules.
///
/// # Errors
/// See [`analysis_value`].
pub fn document<T: serde::Serialize>(key: &str, content: &T) -> Result<String, serde_json::Error> {
    let mut document = Map::new();
    document.insert("schema".to_owned(), json!(loopwright_analysis::model::SCHEMA));
    document.insert(key.to_owned(), serde_json::to_value(content)?);
    let mut value = Value::Object(document);
    drop_absent(&mut value);
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

/// The machine as it is stored, but the warnings of its `ceilings` are sentences.
///
/// # Errors
/// See [`analysis_value`].
pub fn machine(
    record: &impl serde::Serialize,
    ceilings: Option<&Ceilings>,
) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(record)?;
    if let Some(ceilings) = ceilings {
        let sentences = ceilings.warnings.iter().map(ToString::to_string);
        value["ceilings"]["warnings"] = sentences.collect();
    }
    document("machine", &value)
}

fn belongs(advice: &Recommendation, each: &Value) -> bool {
    advice.loop_id.is_some() && each.get("id").and_then(Value::as_u64) == advice.loop_id.map(u64::from)
}

/// The recommendations alone: each, and as `advice` one for each change.
///
/// # Errors
/// See [`analysis_value`].
pub fn recommendations(
    analysis: &Analysis,
    recommendations: &[Recommendation],
) -> Result<String, serde_json::Error> {
    let mut value = json!({ "schema": loopwright_analysis::model::SCHEMA });
    value["recommendations"] = serde_json::to_value(recommendations)?;
    value["advice"] = serde_json::to_value(cards(analysis, recommendations))?;
    drop_absent(&mut value);
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

/// Takes out what is absent. Recursion is as deep as the model's own, whose tree the analysis bounds.
pub(crate) fn drop_absent(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, value| !value.is_null() || key == NULLABLE);
            map.values_mut().for_each(drop_absent);
        }
        Value::Array(values) => values.iter_mut().for_each(drop_absent),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn nulls(path: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(path.to_owned()),
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| nulls(&format!("{path}/{key}"), value, found))
            }
            Value::Array(values) => values.iter().for_each(|value| nulls(path, value, found)),
            _ => {}
        }
    }

    #[test]
    fn a_printed_analysis_can_be_read_again() {
        let before = fixture::analysis();
        let text = analysis(&before, &fixture::recommendations()).unwrap();
        let after: Analysis = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(&before).unwrap(), serde_json::to_value(&after).unwrap());
    }

    #[test]
    fn absent_facts_are_absent_keys() {
        let mut facts = fixture::analysis();
        facts.loops[0].self_share = f64::NAN;
        facts.machine = None;
        let value = analysis_value(&facts, &fixture::recommendations()).unwrap();
        let mut found = Vec::new();
        nulls("", &value, &mut found);
        assert!(
            !found.is_empty() && found.iter().all(|path| path == "/loops/parent" || path == "/tree/parent"),
            "{found:?}"
        );
        assert!(value.get("machine").is_none());
        assert!(value["loops"][0].get("self_share").is_none());
    }

    #[test]
    fn each_recommendation_stands_in_one_place() {
        let recommendations = fixture::recommendations();
        let value = analysis_value(&fixture::analysis(), &recommendations).unwrap();
        let inside: usize = value["loops"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|each| each["recommendations"].as_array())
            .map(Vec::len)
            .sum();
        let outside = value["recommendations"].as_array().unwrap();
        assert_eq!(inside + outside.len(), recommendations.len());
        assert!(outside.iter().all(|advice| advice.get("loop_id").is_none()));
    }

    /// The fixtures have each optional fact somewhere.
    #[test]
    fn an_analysis_is_as_the_contract_says() {
        for facts in [fixture::analysis(), fixture::counts::counted(), fixture::patterns::traced()] {
            let value = analysis_value(&facts, &fixture::recommendations()).unwrap();
            crate::contract::assert_valid("Analysis", &value);
            crate::contract::assert_document(&value);
        }
        let text = super::recommendations(&fixture::analysis(), &fixture::recommendations()).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        crate::contract::assert_document(&value);
        let all = [&value["recommendations"], &value["advice"]];
        for each in all.into_iter().flat_map(|list| list.as_array().unwrap()) {
            crate::contract::assert_valid("Recommendation", each);
        }
    }

    #[test]
    fn how_is_a_text() {
        let text = super::recommendations(&fixture::analysis(), &fixture::recommendations()).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let first = &value["recommendations"][0];
        assert!(first["how"].as_str().is_some_and(|how| how.starts_with("Let the compiler")), "{text}");
        assert_eq!(first["flags"][0]["compiler"], "gcc");
        assert!(first["c"]["after"].is_string() && value["recommendations"][2].get("c").is_none());
    }

    #[test]
    fn the_contract_s_keys_come_first_and_in_its_order() {
        let text = analysis(&fixture::analysis(), &fixture::recommendations()).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().take(4).collect();
        assert_eq!(keys, ["schema", "program", "machine", "loops"]);
        assert_eq!(value["schema"], 1);
        assert_eq!(value["loops"][0]["instruction_mix"].get("divide"), None);
        insta::assert_snapshot!(text);
    }
}
