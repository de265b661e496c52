//! Documents as commands print them, compared with the schema of the contract, docs/json.schema.json.

use serde_json::{Value, json};
use std::path::Path;

/// Reads what a command printed. Fails when the contract does not describe it, down to every key.
pub fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("the output is JSON");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.schema.json");
    let schema = std::fs::read_to_string(file).expect("the schema");
    let mut schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    // Readers have to accept new keys; what is written has none that is not described.
    for described in schema["$defs"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        if !described["properties"].is_object() {
            continue;
        }
        // The keys of a flattened value are described beside `properties`: they are evaluated, too.
        let flattens = ["anyOf", "oneOf", "allOf", "$ref"].iter().any(|key| !described[*key].is_null());
        let closed = if flattens { "unevaluatedProperties" } else { "additionalProperties" };
        described[closed] = json!(false);
    }
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("contract.json", schema).expect("a schema");
    let index = compiler.compile("contract.json", &mut schemas).expect("a schema");
    if let Err(error) = schemas.validate(&document, index) {
        panic!("{error:#}");
    }
    document
}
