//! The expressions as written behind the accesses of a loop.

use super::operand::Operand;
use crate::patterns::Traced;
use crate::patterns::expression::{self, Language, expressions};
use std::collections::BTreeMap;

/// The expression of each access, where source and debug information tell; `accesses` are the operands of each.
pub(super) fn names(traced: &Traced, accesses: &[Vec<&Operand>]) -> Vec<Option<String>> {
    let mut names = vec![None; accesses.len()];
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, members) in accesses.iter().enumerate() {
        if let Some(file) = members.first().and_then(|first| first.spot.file.as_deref()) {
            files.entry(file).or_default().push(at);
        }
    }
    for (file, accesses_of) in files {
        let Some(text) = traced.sources.get(file) else { continue };
        let unit = traced.function.unit.as_ref().filter(|unit| file.ends_with(&unit.name));
        let language = Language::of(unit.map(|unit| unit.language.as_str()), file);
        let wanted: Vec<expression::Operand> = accesses_of.iter().map(|&at| as_seen(&accesses[at])).collect();
        for (at, name) in accesses_of.iter().zip(expressions(text, language, &wanted)) {
            names[*at] = name;
        }
    }
    names
}

fn as_seen(members: &[&Operand]) -> expression::Operand {
    let first = members[0];
    let strides = first.site.strides.first();
    let nearest = members.iter().map(|operand| operand.family).min_by_key(|family| family.1);
    expression::Operand {
        line: first.spot.line.unwrap_or(0),
        column: first.spot.column.unwrap_or(0),
        kind: first.site.kind,
        element: first.element,
        frame: first.site.frame,
        moves: first.is_gather()
            || strides.is_some_and(|s| s.steps > 0 && s.values.first().is_none_or(|v| v.0 != 0)),
        place: nearest.filter(|_| first.is_regular()),
    }
}
