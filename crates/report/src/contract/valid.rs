//! Whether a document is as the contract says, and has no key that the contract does not know.

use serde_json::{Value, json};

/// Fails when `value` is no `name` of the contract.
pub(crate) fn assert_valid(name: &str, value: &Value) {
    let mut definitions = super::schema::definitions();
    // Readers have to accept new keys; what is written here has none that is not described.
    for schema in definitions.values_mut().filter(|schema| schema["properties"].is_object()) {
        let others = if schema["anyOf"].is_null() { "additionalProperties" } else { "unevaluatedProperties" };
        schema[others] = json!(false);
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/$defs/{name}"),
        "$defs": definitions,
    });
    hold(schema, value);
}

/// Fails when `value` is no document of the contract, as a whole.
pub(crate) fn assert_document(value: &Value) {
    hold(super::schema::schema(), value);
}

fn hold(schema: Value, value: &Value) {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("contract.json", schema).expect("a schema");
    let index = compiler.compile("contract.json", &mut schemas).expect("a schema");
    if let Err(error) = schemas.validate(value, index) {
        panic!("{error:#}");
    }
}

#[test]
#[should_panic(expected = "unknown")]
fn a_key_that_is_not_described_is_refused() {
    assert_valid("OperandUse", &json!({"address_loads": 1, "invariant_divisors": 0, "unknown": 1}));
}

#[test]
#[should_panic(expected = "address_loads")]
fn a_fact_of_another_type_is_refused() {
    assert_valid("OperandUse", &json!({"address_loads": "1", "invariant_divisors": 0}));
}

#[test]
#[should_panic(expected = "anyOf")]
fn what_is_no_document_is_refused() {
    assert_document(&json!({"schema": 1, "recommendations": [{"id": 7}]}));
}
