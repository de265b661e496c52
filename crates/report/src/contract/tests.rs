//! What is checked in is what the types say.

use super::{columns, schema, tables, typescript, words};
use crate::fleet::Table;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file of the repository with what it has to be; `LOOPWRIGHT_BLESS=1` writes it.
fn hold(file: &str, text: &str) {
    let path = root().join(file);
    if std::env::var_os("LOOPWRIGHT_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == text,
        "{file} is not what the types say: `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-report contract` writes it"
    );
}

#[test]
fn the_page_has_the_types_of_the_contract() {
    hold("ui/src/logic/contract/generated.ts", &typescript::types());
}

#[test]
fn the_page_has_the_words_of_the_text() {
    hold("ui/src/logic/contract/words.ts", &words::words());
}

#[test]
fn the_schema_of_the_contract_is_checked_in() {
    hold("docs/json.schema.json", &schema::text());
}

#[test]
fn every_key_is_documented_once() {
    let text = std::fs::read_to_string(root().join("docs/json.md")).expect("docs/json.md");
    let definitions = schema::definitions();
    let (document, shown) = tables::document(&text, &definitions);
    let once: BTreeSet<&String> = shown.iter().collect();
    assert_eq!(once.len(), shown.len(), "docs/json.md shows a type twice");
    let missing: Vec<&String> = definitions.keys().filter(|name| !once.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "docs/json.md has no place for {missing:?}: name them in a mark `<!-- keys of .. -->`"
    );
    hold("docs/json.md", &document);
}

#[test]
fn every_column_of_the_data_frames_is_documented() {
    let text = std::fs::read_to_string(root().join("docs/fleet.md")).expect("docs/fleet.md");
    let (document, shown) = columns::document(&text, &schema::definitions());
    assert_eq!(shown, Table::ALL, "the tables of docs/fleet.md");
    hold("docs/fleet.md", &document);
}

#[test]
fn every_key_has_a_doc_comment() {
    let mut bare = Vec::new();
    for (name, schema) in schema::definitions() {
        let kinds = super::kinds(&schema).unwrap_or_default();
        let objects = kinds.into_iter().map(|(_, part)| part).chain([&schema]);
        for (key, property) in objects.flat_map(super::properties).flatten() {
            if key != "kind" && super::description(property).is_none() {
                bare.push(format!("{name}.{key}"));
            }
        }
    }
    assert!(bare.is_empty(), "fields of the contract without a doc comment: {bare:?}");
}
