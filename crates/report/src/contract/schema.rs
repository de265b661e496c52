//! The schema of every document, from the types that are serialised.

use crate::casebook::{CaseSummary, CasebookDocument};
use crate::json::Advised;
use crate::page::Report;
use crate::page::comparison::ComparisonDocument;
use loopwright_advise::Recommendation;
use loopwright_analysis::compare::check::Finding;
use loopwright_analysis::model::{Analysis, PlacementFacts};
use loopwright_casebook::record::CaseRecord;
use loopwright_casebook::throughput::Throughput;
use loopwright_experiment::MachineRecord;
use loopwright_remarks::remark::Remark;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The one key that is `null` where it does not apply; every other absent fact is an absent key.
const NULLABLE: &str = "parent";
/// Fields of [`Advised`], and the types that have them as `recommendations`.
const ADVISED: [(&str, &str); 2] = [("analysis", "Analysis"), ("each_loop", "LoopFacts")];
/// Whole documents, beside those that hold one key.
const WHOLE: [&str; 3] = ["Analysis", "Report", "CasebookDocument"];
/// Keys beside `schema` of documents that hold one, and the type of the value; `true` for lists of it.
const KEYED: [(&str, &str, bool); 21] = [
    ("recommendations", "Recommendation", true),
    ("functions", "FunctionFacts", true),
    ("threads", "ThreadFacts", true),
    ("modules", "ModuleSummary", true),
    ("tree", "FlatNode", true),
    ("comparison", "ComparisonDocument", false),
    ("findings", "Finding", true),
    ("casebook", "CaseRecord", true),
    ("throughput", "Throughput", true),
    ("machine", "MachineRecord", false),
    ("remarks", "Remark", true),
    ("cases", "CaseSummary", true),
    ("trials", "TrialFacts", false),
    ("tuning", "TuneFacts", false),
    ("reproduction", "ReproductionFacts", false),
    ("energy", "EnergyFacts", false),
    ("comm", "CommFacts", false),
    ("io", "IoFacts", false),
    ("heap", "HeapFacts", false),
    ("job", "JobFacts", false),
    ("placement", "PlacementFacts", false),
];

/// The types of the contract by their names: in the order of their names.
pub(super) fn definitions() -> Map<String, Value> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Analysis>();
    generator.subschema_for::<Advised>();
    generator.subschema_for::<Recommendation>();
    generator.subschema_for::<ComparisonDocument<'_>>();
    generator.subschema_for::<Finding>();
    generator.subschema_for::<CaseRecord>();
    generator.subschema_for::<CasebookDocument<'_>>();
    generator.subschema_for::<Throughput>();
    generator.subschema_for::<MachineRecord>();
    generator.subschema_for::<Remark>();
    generator.subschema_for::<CaseSummary<'_>>();
    generator.subschema_for::<PlacementFacts>();
    generator.subschema_for::<Report<'_>>();
    let mut definitions = generator.take_definitions(true);
    let advised = definitions.remove("Advised").unwrap_or_default();
    for (field, name) in ADVISED {
        definitions[name]["properties"]["recommendations"] = advised["properties"][field].clone();
    }
    definitions["Analysis"]["properties"]["advice"] = advised["properties"]["advice"].clone();
    definitions.values_mut().for_each(tidy);
    // The generator numbers types of one name: such names would change when a type is added.
    let numbered: Vec<&String> = definitions
        .keys()
        .filter(|name| {
            let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            stem.len() < name.len() && definitions.contains_key(stem)
        })
        .collect();
    assert!(
        numbered.is_empty(),
        "two types have the same name, rename one with #[schemars(rename)]: {numbered:?}"
    );
    definitions.sort_keys();
    definitions
}

/// What the contract says and the types do not: facts that are not known have no key. Formats such as `uint32` are this
/// program's own matter.
fn tidy(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    map.shift_remove("format");
    map.shift_remove("default");
    if let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) {
        let mut optional = Vec::new();
        for (key, property) in properties.iter_mut() {
            if key != NULLABLE && without_null(property) {
                optional.push(key.clone());
            }
        }
        if let Some(required) = map.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|key| optional.iter().all(|optional| key != optional.as_str()));
        }
    }
    if let Some(text) = super::description(&Value::Object(map.clone())) {
        map.insert("description".to_owned(), text.into());
    }
    for (key, inner) in map.iter_mut() {
        match inner {
            Value::Object(properties) if key == "properties" => properties.values_mut().for_each(tidy),
            Value::Object(_) if key != "const" && key != "enum" => tidy(inner),
            Value::Array(parts) => parts.iter_mut().for_each(tidy),
            _ => {}
        }
    }
}

/// Takes `null` out of what a value can be; false when it could not be that.
fn without_null(schema: &mut Value) -> bool {
    let null = |value: &Value| value == "null" || value["type"] == "null";
    if let Some(kinds) = schema["type"].as_array() {
        let rest: Vec<Value> = kinds.iter().filter(|kind| !null(kind)).cloned().collect();
        let found = rest.len() < kinds.len();
        schema["type"] = if rest.len() == 1 { rest[0].clone() } else { rest.into() };
        return found;
    }
    let Some(parts) = schema["anyOf"].as_array() else { return false };
    let rest: Vec<Value> = parts.iter().filter(|part| !null(part)).cloned().collect();
    let found = rest.len() < parts.len();
    if let (true, [Value::Object(only)], Some(map)) = (found, rest.as_slice(), schema.as_object_mut()) {
        map.shift_remove("anyOf");
        map.extend(only.clone());
    }
    found
}

/// The schema as a document of its own: each document that a command prints is one of its alternatives.
pub(super) fn schema() -> Value {
    let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    let mut documents: Vec<Value> = WHOLE.into_iter().map(reference).collect();
    documents.extend(KEYED.iter().map(|(key, name, list)| {
        let content =
            if *list { json!({"type": "array", "items": reference(name)}) } else { reference(name) };
        json!({
            "type": "object",
            "properties": {"schema": {"type": "integer"}, *key: content},
            "required": ["schema", key],
        })
    }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON that loopwright prints, version 1",
        "description": "Described in json.md. New keys may come at any time: none is forbidden here.",
        "anyOf": documents,
        "$defs": definitions(),
    })
}

/// The schema as a text in which each key of the contract is one line.
pub(super) fn text() -> String {
    /// Levels that are broken into lines: the schema, its types, a type, its keys.
    const BROKEN: usize = 4;
    fn write(out: &mut String, value: &Value, level: usize) {
        let Some(map) = value.as_object().filter(|map| level < BROKEN && !map.is_empty()) else {
            return out.push_str(&value.to_string());
        };
        let indent = "  ".repeat(level + 1);
        for (at, (key, inner)) in map.iter().enumerate() {
            out.push_str(if at == 0 { "{\n" } else { ",\n" });
            out.push_str(&format!("{indent}{}: ", json!(key)));
            write(out, inner, level + 1);
        }
        out.push_str(&format!("\n{}}}", "  ".repeat(level)));
    }
    let mut out = String::new();
    write(&mut out, &schema(), 0);
    out + "\n"
}
