use super::*;
use crate::fixture;
use loopwright_analysis::model::Warning;
use proptest::prelude::*;
use serde_json::Value;

/// The OASIS schema, with its formats (URIs among them) checked: draft 7 asserts them.
fn validator() -> (boon::Schemas, boon::SchemaIndex) {
    let schema: Value =
        serde_json::from_str(include_str!("../../tests/data/sarif-schema-2.1.0.json")).unwrap();
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.enable_format_assertions();
    compiler.add_resource("sarif.json", schema).unwrap();
    let index = compiler.compile("sarif.json", &mut schemas).unwrap();
    (schemas, index)
}

fn assert_valid(log: &Value) {
    let (schemas, index) = validator();
    if let Err(error) = schemas.validate(log, index) {
        panic!("{error:#}\n{log:#}");
    }
}

fn log(analysis: &Analysis, recommendations: &[Recommendation]) -> Value {
    let options = SarifOptions { source_root: Some("/home/ada/lbm".into()) };
    serde_json::from_str(&sarif(analysis, recommendations, &options).unwrap()).unwrap()
}

#[test]
fn the_validator_refuses_what_is_wrong() {
    let mut log = log(&fixture::analysis(), &fixture::recommendations());
    let (schemas, index) = validator();
    let location = &mut log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    location["artifactLocation"]["uri"] = "not a uri".into();
    assert!(schemas.validate(&log, index).is_err());
}

#[test]
fn the_log_of_a_program() {
    let log = log(&fixture::patterns::traced(), &fixture::recommendations());
    assert_valid(&log);
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap());
}

#[test]
fn an_empty_log_is_valid() {
    let mut analysis = fixture::analysis();
    (analysis.modules, analysis.program.command, analysis.warnings) = (vec![], vec![], vec![]);
    let log = log(&analysis, &[]);
    assert_valid(&log);
    assert_eq!(log["runs"][0]["results"], Value::Array(vec![]));
    assert_eq!(log["runs"][0]["automationDetails"]["id"], "loopwright/");
}

#[test]
fn results_without_a_line_name_the_module() {
    let mut analysis = fixture::analysis();
    analysis.loops[0].file = None;
    let all = log(&analysis, &fixture::recommendations());
    assert_valid(&all);
    for at in [0, 2] {
        let place = &all["runs"][0]["results"][at]["locations"][0];
        assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "lbm");
        assert!(place["physicalLocation"].get("region").is_none());
    }
    let logical = &all["runs"][0]["results"][0]["locations"][0]["logicalLocations"];
    assert_eq!((&logical[0]["name"], &logical[1]["name"]), (&"collide".into(), &"lbm".into()));

    analysis.modules.clear();
    let none = log(&analysis, &fixture::recommendations());
    assert_valid(&none);
    assert!(none["runs"][0]["results"][2].get("locations").is_none());
}

#[test]
fn fingerprints_outlive_shifted_lines_and_tell_loops_apart() {
    let mut analysis = fixture::analysis();
    let recommendations = |analysis: &Analysis| {
        let first = fixture::recommendations().remove(0);
        let mut second = first.clone();
        (second.loop_id, second.group) = (Some(3), Some(3));
        second.function = Some(analysis.loops[5].function.clone());
        vec![second, first]
    };
    let fingerprints = |analysis: &Analysis| -> Vec<Value> {
        let log = log(analysis, &recommendations(analysis));
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["partialFingerprints"].clone()).collect()
    };
    let before = fingerprints(&analysis);
    assert_ne!(before[0], before[1], "two loops of one function");
    for each in &mut analysis.loops {
        each.line = each.line.map(|line| line + 40);
        each.function = each.function.replace("collide", "collide.constprop.0");
    }
    assert_eq!(fingerprints(&analysis), before);
}

#[test]
fn only_likely_and_noticeable_gains_are_warnings() {
    let log = log(&fixture::analysis(), &fixture::recommendations());
    let levels: Vec<&Value> =
        log["runs"][0]["results"].as_array().unwrap().iter().map(|result| &result["level"]).collect();
    // The second is worth 4 % only, the third is a hint.
    assert_eq!(levels, ["warning", "note", "note"]);
}

#[test]
fn a_rule_is_a_remedy_with_its_condition() {
    let mut first = fixture::recommendations().remove(0);
    (first.id, first.rule) = ("break-recurrence".into(), "carried-dependence".into());
    let mut second = first.clone();
    (second.rule, second.loop_id) = ("latency-bound-chain".into(), Some(20));
    second.title = "Another way".into();
    second.how.text = "Compute it in two passes.".into();
    let log = log(&fixture::analysis(), &[first, second]);
    assert_valid(&log);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 1, "one remedy, one rule");
    assert_eq!(rules[0]["name"], "BreakRecurrence");
    assert_eq!(
        rules[0]["shortDescription"]["text"],
        loopwright_advise::rules::by_id("carried-dependence").unwrap().doc.title,
        "titles that differ name places"
    );
    let conditions = serde_json::json!(["carried-dependence", "latency-bound-chain"]);
    assert_eq!(rules[0]["properties"]["conditions"], conditions);
    let help = rules[0]["help"]["markdown"].as_str().unwrap();
    for part in ["**Detects.**", "**How to verify.**", "in two passes", "vector version of exp", "```fortran"]
    {
        assert!(help.contains(part), "{part}: {help}");
    }
    let indices: Vec<&Value> =
        log["runs"][0]["results"].as_array().unwrap().iter().map(|result| &result["ruleIndex"]).collect();
    assert_eq!(indices, [0, 0]);
}

/// Names as a symbol table, a compiler's report or a path may hold them.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[{}\\[\\]()<>\"'`\\\\%#?&:/ .0-9a-z]{0,60}",
        Just("<script>alert(1)</script>".to_owned()),
        Just("{0} {{1}} [x](javascript:alert(1))".to_owned()),
        Just("operator[](unsigned long)".to_owned()),
        Just("/a/../../b\u{202e}\n\u{0}c".to_owned()),
        Just("x".repeat(10_000)),
    ]
}

/// `text` with its escapes undone, and the links in it: what a reader of SARIF makes of a message.
fn read(text: &str) -> Result<(String, Vec<usize>), String> {
    let (mut out, mut links) = (String::new(), Vec::new());
    let mut rest = text;
    let mut open = None;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        rest = match character {
            '{' | '}' => {
                let doubled = after.strip_prefix(character).ok_or(format!("placeholder in {text}"))?;
                out.push(character);
                doubled
            }
            '\\' if after.starts_with(['[', ']', '\\']) => {
                out.push_str(&after[..1]);
                &after[1..]
            }
            '[' => {
                open = Some(out.len());
                out.push('[');
                after
            }
            ']' if after.starts_with('(') && open.is_some() => {
                let (id, left) = after[1..].split_once(')').ok_or("open link")?;
                links.push(id.parse().map_err(|_| format!("link to {id}"))?);
                left
            }
            _ => {
                out.push(character);
                after
            }
        };
    }
    Ok((out, links))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hostile_names_stay_valid(names in proptest::collection::vec(hostile(), 8), line in any::<u32>()) {
        let mut analysis = fixture::patterns::traced();
        let hot = &mut analysis.loops[0];
        hot.function = names[0].clone();
        hot.file = Some(names[1].clone());
        hot.line = Some(line);
        hot.why_not[0].message = names[2].clone();
        hot.why_not[0].file = Some(names[1].clone());
        analysis.modules[0].path = names[3].clone();
        analysis.program.command = vec![names[4].clone()];
        analysis.warnings = vec![Warning::Said(names[5].clone())];
        let mut recommendations = fixture::recommendations();
        for advice in &mut recommendations {
            advice.title = names[6].clone();
            advice.evidence.push(fixture::remark(&names[7]));
            advice.how.text = names[2].clone();
            advice.function = Some(names[0].clone());
        }
        let log = log(&analysis, &recommendations);
        assert_valid(&log);
        for result in log["runs"][0]["results"].as_array().unwrap() {
            let related = result["relatedLocations"].as_array().map_or(0, Vec::len);
            let (_, links) = read(result["message"]["text"].as_str().unwrap()).unwrap();
            prop_assert_eq!(links, (1..=related).collect::<Vec<_>>());
        }
        for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
            let marked = rule["help"]["markdown"].as_str().unwrap();
            prop_assert!(!marked.contains("<script") && !marked.contains("[x]("));
        }
    }
}
