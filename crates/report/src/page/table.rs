//! Long lists as tables: how the page keeps a report of 20,000 loops small.
//!
//! Numbers of one kind pack well beside each other and badly between the names of keys, so the page holds each list of
//! eight or more objects (or lists) column by column. It is the same document: `ui/src/logic` turns it back right after it
//! was unpacked, and both sides are tested with `ui/vectors/tables.json`. What `--json` writes has no tables.
//!
//! `{"$table": COLUMN}` represents a list; a COLUMN is one of
//!
//! - a list: the values themselves; `null` represents a key that is absent (`parent` is then `null`);
//! - `{"rows": n, "present": "1101..", "columns": {key: COLUMN, ..}}`: objects; where `present` has a 0 there is none;
//! - `{"rows": n, "tuples": [COLUMN, ..]}`: lists of equal length, by their places;
//! - `{"same": key}`: within `columns`, the values of the column of that key, which precedes;
//! - `{"lengths": [2, 0, -1, ..], "items": COLUMN}`: lists of any length, one after the other; -1 where there is none.

use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Shorter lists stay as they are.
const SHORTEST: usize = 8;

/// The value of a key that a row lacks.
static ABSENT: Value = Value::Null;

/// The same with its long lists as tables. (Rows are borrowed: a document of 20,000 loops is as large as the tables are small.)
pub(super) fn tabulate(value: &Value) -> Value {
    match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), tabulate(value))).collect(),
        Value::Array(rows)
            if rows.len() >= SHORTEST && rows.iter().all(|row| row.is_object() || row.is_array()) =>
        {
            json!({"$table": column(&rows.iter().collect::<Vec<_>>())})
        }
        Value::Array(values) => values.iter().map(tabulate).collect(),
        other => other.clone(),
    }
}

/// A column of these values.
fn column(values: &[&Value]) -> Value {
    let all = |fits: fn(&Value) -> bool| {
        let mut present = values.iter().filter(|value| !value.is_null()).peekable();
        present.peek().is_some() && present.all(|value| fits(value))
    };
    if all(Value::is_object) {
        objects(values)
    } else if all(Value::is_array) {
        lists(values)
    } else {
        values.iter().map(|value| (*value).clone()).collect()
    }
}

fn objects(rows: &[&Value]) -> Value {
    let mut columns: Vec<(&str, Vec<&Value>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (row, value) in rows.iter().enumerate() {
        for (key, value) in value.as_object().into_iter().flatten() {
            let place = *places.entry(key).or_insert_with(|| {
                columns.push((key, Vec::with_capacity(rows.len())));
                columns.len() - 1
            });
            let column = &mut columns[place].1;
            column.resize(row, &ABSENT);
            column.push(value);
        }
    }
    let columns = columns.into_iter().map(|(key, mut values)| {
        values.resize(rows.len(), &ABSENT);
        (key.to_owned(), column(&values))
    });
    let columns = without_repetition(columns.collect());
    let present: String = rows.iter().map(|value| if value.is_null() { '0' } else { '1' }).collect();
    let mut table = Map::new();
    table.insert("rows".to_owned(), json!(rows.len()));
    if present.contains('0') {
        table.insert("present".to_owned(), json!(present));
    }
    table.insert("columns".to_owned(), Value::Object(columns));
    Value::Object(table)
}

/// Facts that agree in every row (FLOP of all types and of doubles, where there are no others) are held once.
fn without_repetition(mut columns: Map<String, Value>) -> Map<String, Value> {
    let keys: Vec<String> = columns.keys().cloned().collect();
    for (at, key) in keys.iter().enumerate().rev() {
        if let Some(same) = keys[..at].iter().find(|other| columns[*other] == columns[key]) {
            columns[key] = json!({"same": same});
        }
    }
    columns
}

fn lists(rows: &[&Value]) -> Value {
    let items: Vec<Option<&Vec<Value>>> = rows.iter().map(|row| row.as_array()).collect();
    let length = |row: &Option<&Vec<Value>>| row.map(Vec::len);
    let first = items.first().and_then(length).filter(|length| *length > 0);
    if let Some(places) = first.filter(|_| items.iter().all(|row| length(row) == first)) {
        let place = |at| items.iter().flatten().map(|row| &row[at]).collect::<Vec<_>>();
        let tuples: Vec<Value> = (0..places).map(|at| column(&place(at))).collect();
        return json!({"rows": rows.len(), "tuples": tuples});
    }
    let lengths: Vec<i64> = items.iter().map(|row| length(row).map_or(-1, |length| length as i64)).collect();
    json!({"lengths": lengths, "items": column(&items.into_iter().flatten().flatten().collect::<Vec<_>>())})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::json::analysis_value;

    /// What the page does, once more: the reference for `ui/src/logic`.
    fn expand(value: Value) -> Value {
        match value {
            Value::Object(mut map) => match map.shift_remove("$table") {
                Some(column) => Value::Array(values(column)),
                None => map.into_iter().map(|(key, value)| (key, expand(value))).collect(),
            },
            Value::Array(values) => values.into_iter().map(expand).collect(),
            other => other,
        }
    }

    fn values(column: Value) -> Vec<Value> {
        let mut column = match column {
            Value::Array(values) => return values,
            Value::Object(column) => column,
            other => panic!("{other}"),
        };
        if let Some(Value::Object(columns)) = column.shift_remove("columns") {
            let rows = column["rows"].as_u64().unwrap() as usize;
            let present = column.get("present").and_then(Value::as_str);
            let mut objects: Vec<Map<String, Value>> = vec![Map::new(); rows];
            for (key, mut each) in columns.clone() {
                if let Some(same) = each.get("same").and_then(Value::as_str) {
                    each = columns[same].clone();
                }
                for (object, value) in objects.iter_mut().zip(values(each)) {
                    if !value.is_null() || key == "parent" {
                        object.insert(key.clone(), value);
                    }
                }
            }
            let is_present = |row: usize| present.is_none_or(|present| present.as_bytes()[row] == b'1');
            return (objects.into_iter().enumerate())
                .map(|(row, object)| if is_present(row) { Value::Object(object) } else { Value::Null })
                .collect();
        }
        if let Some(Value::Array(tuples)) = column.shift_remove("tuples") {
            let places: Vec<Vec<Value>> = tuples.into_iter().map(values).collect();
            let rows = column["rows"].as_u64().unwrap() as usize;
            return (0..rows).map(|row| places.iter().map(|place| place[row].clone()).collect()).collect();
        }
        let mut items = values(column["items"].take()).into_iter();
        let lengths = column["lengths"].as_array().unwrap();
        lengths
            .iter()
            .map(|length| match length.as_i64().unwrap() {
                -1 => Value::Null,
                length => items.by_ref().take(length as usize).collect(),
            })
            .collect()
    }

    fn examples() -> Vec<Value> {
        let rows = |row: &dyn Fn(i64) -> Value| (0..9).map(row).collect::<Value>();
        vec![
            json!({"short": [{"a": 1}, {"a": 2}], "numbers": [1, 2, 3, 4, 5, 6, 7, 8, 9]}),
            json!({"objects": rows(&|n| json!({"id": n, "name": format!("f{n}")}))}),
            json!({"absent": rows(&|n| if n % 3 == 0 { json!({"id": n}) } else { json!({"id": n, "late": n * n}) })}),
            json!({"tree": rows(&|n| json!({"parent": if n == 0 { Value::Null } else { json!(n - 1) }, "self": 0.5}))}),
            json!({"inner": rows(&|n| if n == 4 { json!({}) } else { json!({"work": {"flop": n, "mix": {"load": 1}}}) })}),
            json!({"same": rows(&|n| json!({"flop": n, "flop_f64": n, "flop_f32": 0, "a": 0, "b": {"c": n}, "d": {"c": n}}))}),
            json!({"pairs": rows(&|n| json!([n, 0.25])), "rows": rows(&|n| json!(["0x1", "ret", null, n, {"a": n}]))}),
            json!({"lists": rows(&|n| json!({"why": (0..n % 3).map(|at| json!({"line": at})).collect::<Value>()}))}),
            json!({"deep": rows(&|n| json!({"loops": (0..n % 4).collect::<Vec<_>>(), "spans": [[n, n + 1], [n, 2]]}))}),
            json!({"sometimes": rows(&|n| if n > 5 { json!({"calls": [{"at": n}]}) } else { json!({"x": n}) })}),
            json!({"mixed": rows(&|n| if n % 2 == 0 { json!({"v": n}) } else { json!({"v": [n]}) })}),
            json!({"nested": [rows(&|n| json!({"n": n})), rows(&|n| json!([n]))]}),
        ]
    }

    #[test]
    fn every_list_comes_back() {
        for example in examples() {
            assert_eq!(expand(tabulate(&example)), example);
        }
        let bound = fixture::bottlenecks::injected();
        for facts in [fixture::analysis(), fixture::counts::counted(), fixture::patterns::traced(), bound] {
            let value = analysis_value(&facts, &fixture::recommendations()).unwrap();
            assert_eq!(expand(tabulate(&value)), value);
        }
    }

    #[test]
    fn the_page_is_tested_with_these_tables() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/vectors/tables.json");
        let rows: Vec<String> = examples()
            .into_iter()
            .map(|plain| json!({"packed": tabulate(&plain), "plain": plain}).to_string())
            .collect();
        let text = format!("[\n  {}\n]\n", rows.join(",\n  "));
        if std::env::var_os("LOOPWRIGHT_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, &text).expect("ui/vectors can be written");
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            known == text,
            "ui/vectors/tables.json is not what page/table.rs makes: LOOPWRIGHT_BLESS=1 writes it"
        );
    }
}
