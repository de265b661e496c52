//! The tables of keys in docs/json.md: each type of the contract has its own, between two marks.
//!
//! A block opens with `<!-- keys of A, B -->` and ends with `<!-- end -->`; what is around blocks is written by hand.

use super::{description, kinds, names, properties, required, type_of};
use serde_json::{Map, Value};

const BEGIN: &str = "<!-- keys of ";
const END: &str = "<!-- end -->";

/// The document with its tables as the types say, and the types that it shows.
pub(super) fn document(text: &str, definitions: &Map<String, Value>) -> (String, Vec<String>) {
    let (mut out, mut shown, mut within) = (String::new(), Vec::new(), false);
    for line in text.lines() {
        if line == END {
            within = false;
        }
        if !within {
            out.push_str(line);
            out.push('\n');
        }
        let Some(list) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        within = true;
        for name in list.split(", ") {
            let schema =
                definitions.get(name).unwrap_or_else(|| panic!("docs/json.md names the type {name}"));
            out.push_str(&table(name, schema));
            shown.push(name.to_owned());
        }
        out.push('\n');
    }
    (out, shown)
}

/// A type with its doc comment and its keys, or its names.
fn table(name: &str, schema: &Value) -> String {
    let mut out = format!("\n### {name}\n\n");
    if let Some(text) = description(schema) {
        out.push_str(&format!("{text}\n\n"));
    }
    if let Some(names) = names(schema) {
        let (all, meanings): (Vec<_>, Vec<_>) = names.into_iter().unzip();
        if meanings.iter().all(Option::is_none) {
            let all: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
            out.push_str(&format!("One of {}.\n", all.join(", ")));
            return out;
        }
        out.push_str("| value | meaning |\n| --- | --- |\n");
        for (name, meaning) in all.into_iter().zip(meanings) {
            out.push_str(&row(&[format!("`{name}`"), meaning.unwrap_or_default()]));
        }
        return out;
    }
    if let Some(kinds) = kinds(schema) {
        out.push_str("| kind | meaning | other keys |\n| --- | --- | --- |\n");
        for (kind, part) in kinds {
            out.push_str(&row(&[format!("`{kind}`"), description(part).unwrap_or_default(), keys(part)]));
        }
        return out;
    }
    let Some(properties) = properties(schema).filter(|_| schema["anyOf"].is_null()) else {
        out.push_str(&format!("In JSON: {}.\n", linked(schema)));
        return out;
    };
    let always = required(schema);
    out.push_str("| key | value | meaning |\n| --- | --- | --- |\n");
    for (key, property) in properties {
        let optional = if always.contains(&key.as_str()) { "" } else { "?" };
        out.push_str(&row(&[
            format!("`{key}`{optional}"),
            linked(property),
            description(property).unwrap_or_default(),
        ]));
    }
    out
}

/// The keys of a kind of object beside `kind`, each with its type and its meaning.
fn keys(part: &Value) -> String {
    let always = required(part);
    let key = |(key, of): (&String, &Value)| {
        let optional = if always.contains(&key.as_str()) { "" } else { "?" };
        format!("`{key}`{optional} {}: {}", linked(of), description(of).unwrap_or_default())
    };
    let others = properties(part).into_iter().flatten().filter(|(name, _)| *name != "kind");
    others.map(key).collect::<Vec<_>>().join("<br>")
}

/// A type as Markdown: the names of other types lead to their tables.
fn linked(of: &Value) -> String {
    // The name of a type is between the two marks.
    let text = type_of(of, &|name| format!("\u{1}{name}\u{2}"));
    let code = |part: &str| if part.is_empty() { String::new() } else { format!("`{part}`") };
    let mut parts = text.split('\u{1}');
    let mut out = code(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once('\u{2}').unwrap_or((part, ""));
        out.push_str(&format!("[{name}](#{}){}", name.to_lowercase(), code(rest)));
    }
    out
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}
