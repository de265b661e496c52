//! The page's types of the contract, from its schema.

use super::{description, kinds, names, properties, required, type_of};
use serde_json::Value;

const HEAD: &str = "\
/**
 * The JSON contract, version 1. An absent fact is an absent key.
 *
 * Derived from the Rust types, from the doc comments of their fields too:
 * `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-report contract` writes this file.
 */
";

/// The whole file.
pub(super) fn types() -> String {
    let mut out = HEAD.to_owned();
    for (name, schema) in super::schema::definitions() {
        out.push('\n');
        comment(&mut out, "", &schema);
        match properties(&schema) {
            Some(_) if schema["anyOf"].is_null() => interface(&mut out, &name, &schema),
            _ => alias(&mut out, &name, &schema),
        }
    }
    out
}

fn comment(out: &mut String, indent: &str, of: &Value) {
    if let Some(text) = description(of) {
        documented(out, indent, &text);
    }
}

/// A comment that its own text (`/dev/cpu/*/msr`) does not end.
fn documented(out: &mut String, indent: &str, text: &str) {
    out.push_str(&format!("{indent}/** {} */\n", text.replace("*/", "*\\/")));
}

fn interface(out: &mut String, name: &str, schema: &Value) {
    let always = required(schema);
    out.push_str(&format!("export interface {name} {{\n"));
    for (key, property) in properties(schema).into_iter().flatten() {
        comment(out, "    ", property);
        let mark = if always.contains(&key.as_str()) { "" } else { "?" };
        let kind = type_of(property, &str::to_owned);
        out.push_str(&format!("    {key}{mark}: {kind};\n"));
    }
    out.push_str("}\n");
}

fn alias(out: &mut String, name: &str, schema: &Value) {
    let parts: Vec<(String, Option<String>)> = if let Some(names) = names(schema) {
        names.into_iter().map(|(value, meaning)| (format!("\"{value}\""), meaning)).collect()
    } else if let Some(kinds) = kinds(schema) {
        kinds.into_iter().map(|(_, part)| (type_of(part, &str::to_owned), description(part))).collect()
    } else {
        out.push_str(&format!("export type {name} = {};\n", type_of(schema, &str::to_owned)));
        return;
    };
    out.push_str(&format!("export type {name} =\n"));
    let last = parts.len().saturating_sub(1);
    for (at, (part, meaning)) in parts.into_iter().enumerate() {
        if let Some(meaning) = meaning {
            documented(out, "    ", &meaning);
        }
        out.push_str(&format!("    | {part}{}\n", if at == last { ";" } else { "" }));
    }
}
