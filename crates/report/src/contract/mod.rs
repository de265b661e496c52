//! The JSON contract as it is derived from the Rust types: a JSON schema, the page's TypeScript types and the tables of
//! keys in docs/json.md. All three are checked in; the tests compare them with what is derived now, and
//! `LOOPWRIGHT_BLESS=1` writes them anew. The columns of data frames ([`columns`]) take their meanings from it.
//!
//! The one description of a key is its field with its doc comment. `schemars` reads it together with serde's attributes;
//! the other two forms are made from the schema, so that they cannot say anything else.

mod columns;
mod schema;
mod tables;
mod tests;
mod typescript;
mod valid;
mod words;

pub(crate) use valid::{assert_document, assert_valid};

use serde_json::{Map, Value};

/// The name that a reference refers to.
fn referred(reference: &str) -> &str {
    reference.strip_prefix("#/$defs/").unwrap_or(reference)
}

/// A doc comment as running text: lines joined, links to Rust items reduced to their names.
fn description(of: &Value) -> Option<String> {
    let text = of["description"].as_str()?;
    let paragraphs: Vec<String> =
        text.split("\n\n").map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    Some(paragraphs.join(" ").replace("[`", "`").replace("`]", "`"))
}

/// The names that a type can have, each with its description; nothing when it is no enumeration of names.
fn names(of: &Value) -> Option<Vec<(String, Option<String>)>> {
    let literal = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(values) = of["enum"].as_array() {
        return values.iter().map(|value| Some((literal(value)?, None))).collect();
    }
    if let Some(value) = literal(&of["const"]) {
        return Some(vec![(value, description(of))]);
    }
    let parts = of["oneOf"].as_array()?;
    parts.iter().map(names).collect::<Option<Vec<_>>>().map(|lists| lists.concat())
}

/// The keys of an object that is always present, by their names.
fn required(of: &Value) -> Vec<&str> {
    of["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The keys of an object; nothing when it is none, or a map.
fn properties(of: &Value) -> Option<&Map<String, Value>> {
    of["properties"].as_object()
}

/// The kinds of an object that has a key `kind`: the name of each with its schema; nothing when it is no such type.
fn kinds(of: &Value) -> Option<Vec<(&str, &Value)>> {
    let parts = of["oneOf"].as_array()?;
    parts.iter().map(|part| Some((part["properties"]["kind"]["const"].as_str()?, part))).collect()
}

/// What the TypeScript type of a value is; `refer` writes the name of another type.
fn type_of(of: &Value, refer: &dyn Fn(&str) -> String) -> String {
    let union = |parts: Vec<String>| parts.join(" | ");
    if let Some(reference) = of["$ref"].as_str() {
        return refer(referred(reference));
    }
    if let Some(names) = names(of) {
        return union(names.into_iter().map(|(name, _)| format!("\"{name}\"")).collect());
    }
    if let Some(keys) = properties(of) {
        let own = object_type(keys, &required(of), refer);
        return match of["anyOf"].as_array() {
            Some(parts) => {
                format!("{own} & ({})", union(parts.iter().map(|part| type_of(part, refer)).collect()))
            }
            None => own,
        };
    }
    if let Some(parts) = of["anyOf"].as_array().or(of["oneOf"].as_array()) {
        return union(parts.iter().map(|part| type_of(part, refer)).collect());
    }
    match &of["type"] {
        Value::Array(kinds) => {
            let one = |kind: &Value| {
                let mut part = of.clone();
                part["type"] = kind.clone();
                type_of(&part, refer)
            };
            union(kinds.iter().map(one).collect())
        }
        Value::String(kind) => match kind.as_str() {
            "integer" | "number" => "number".to_owned(),
            "array" => list_type(of, refer),
            "object" => format!("Record<string, {}>", type_of(&of["additionalProperties"], refer)),
            plain => plain.to_owned(),
        },
        _ => panic!("no TypeScript type for {of}"),
    }
}

/// An object with these keys.
fn object_type(keys: &Map<String, Value>, always: &[&str], refer: &dyn Fn(&str) -> String) -> String {
    let key = |(key, of): (&String, &Value)| {
        let mark = if always.contains(&key.as_str()) { "" } else { "?" };
        format!("{key}{mark}: {}", type_of(of, refer))
    };
    format!("{{ {} }}", keys.iter().map(key).collect::<Vec<_>>().join("; "))
}

/// A list: a tuple where its length is fixed.
fn list_type(of: &Value, refer: &dyn Fn(&str) -> String) -> String {
    let tuple = |parts: Vec<String>| format!("[{}]", parts.join(", "));
    if let Some(parts) = of["prefixItems"].as_array() {
        return tuple(parts.iter().map(|part| type_of(part, refer)).collect());
    }
    let item = type_of(&of["items"], refer);
    match (of["minItems"].as_u64(), of["maxItems"].as_u64()) {
        (Some(least), Some(most)) if least == most => tuple(vec![item; most as usize]),
        _ if item.contains(' ') && !item.starts_with('[') => format!("({item})[]"),
        _ => format!("{item}[]"),
    }
}
