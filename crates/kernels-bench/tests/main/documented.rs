//! Compares the JSON that the command prints with the page that explains it.

use serde_json::Value;
use std::path::Path;

/// Fails when a key of `value` is not named in docs/kernels/README.md.
pub fn check(value: &Value) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kernels/README.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut found = Vec::new();
    keys(value, &mut found);
    assert!(found.len() > 5, "{found:?}");
    for key in found {
        let forms = [format!("`{key}`"), format!("`{key}[]`"), format!(".{key}`"), format!(".{key}[]`")];
        let named = forms.iter().any(|form| page.contains(form));
        assert!(named, "docs/kernels/README.md does not name `{key}`");
    }
}

fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            found.push(key.clone());
            keys(value, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}
