//! The expressions as written behind the accesses of a loop.
//!
//! Besides its place in the source, the address of an operand matters: one in a variable goes through a
//! reference to it, or through a pointer. Where no reference on the line can be meant, the variable is the name.

use super::operand::Operand;
use crate::patterns::Traced;
use crate::patterns::expression::{self, Grammar, expressions};
use loopwright_binary::facts::VariableInfo;
use std::collections::BTreeMap;

/// The expression of each access, where source and debug information show it; `accesses` are the operands of each.
pub(super) fn names(traced: &Traced, accesses: &[Vec<&Operand>]) -> Vec<Option<String>> {
    let mut names = vec![None; accesses.len()];
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, members) in accesses.iter().enumerate() {
        if let Some(file) = members.first().and_then(|first| first.spot.file.as_deref()) {
            files.entry(file).or_default().push(at);
        }
    }
    for (file, accesses_of) in files {
        let unit = traced.function.unit.as_ref().filter(|unit| file.ends_with(&unit.name));
        let language = Grammar::of(unit.map(|unit| unit.language.as_str()), file);
        let Some(source) = traced.sources.get(file, language) else { continue };
        let wanted: Vec<expression::Operand> =
            accesses_of.iter().map(|&at| as_seen(traced, &accesses[at])).collect();
        for (at, name) in accesses_of.iter().zip(expressions(&source, &wanted)) {
            names[*at] = name;
        }
    }
    for (name, members) in names.iter_mut().zip(accesses).filter(|(name, _)| name.is_none()) {
        *name = variable(traced, members).map(|variable| by_variable(variable, members));
    }
    names
}

/// The variable that contains all of the operands.
fn variable<'a>(traced: &Traced<'a>, members: &[&Operand]) -> Option<&'a VariableInfo> {
    let low = members.iter().map(|operand| operand.site.low).min()?;
    let high = members.iter().map(|operand| operand.site.high).max()?;
    let known = members.iter().all(|operand| !operand.site.frame && operand.site.low < operand.site.high);
    if known { traced.variable(low, high) } else { None }
}

/// An element of an array without its subscripts; a variable that is no larger than the operand is none.
fn by_variable(variable: &VariableInfo, members: &[&Operand]) -> String {
    let bytes = members.iter().map(|operand| u64::from(operand.site.size.max(operand.element))).max();
    if bytes.is_none_or(|bytes| variable.size > bytes) {
        let file = members.first().and_then(|first| first.spot.file.as_deref()).unwrap_or_default();
        let brackets = if Grammar::of(None, file).is_fortran() { "(…)" } else { "[…]" };
        format!("{}{brackets}", variable.name)
    } else {
        variable.name.clone()
    }
}

fn as_seen<'a>(traced: &Traced<'a>, members: &[&Operand]) -> expression::Operand<'a> {
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
        variable: variable(traced, members).map(|variable| variable.name.as_str()),
        array: first.array,
    }
}
