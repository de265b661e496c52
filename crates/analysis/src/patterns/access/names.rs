//! Names accesses as they are written in the source, all of a loop together: they tell each other apart.

use super::operand::Operand;
use crate::model::AccessFacts;
use crate::patterns::Traced;
use crate::patterns::expression::{self, Language, expressions};
use std::collections::BTreeMap;

/// An access, its first machine operand, and where it lies among those of the same array and stride.
pub(super) struct Named<'a> {
    pub first: &'a Operand<'a>,
    /// Number of array and stride, bytes from the first access of it.
    pub place: (u32, i64),
}

/// Fills in the expressions of accesses whose source is known; `named` is in the order of `list`.
pub(super) fn name(traced: &Traced, list: &mut [AccessFacts], named: &[Named]) {
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in named.iter().enumerate() {
        if let Some(file) = one.first.spot.file.as_deref()
            && one.first.spot.line.is_some()
        {
            files.entry(file).or_default().push(at);
        }
    }
    for (file, mut places) in files {
        let Some(source) = traced.sources.get(file) else { continue };
        places.sort_by_key(|&at| (named[at].first.site.function, named[at].first.site.address));
        let operand = |&at: &usize| {
            let Named { first, place } = &named[at];
            expression::Operand {
                line: first.spot.line.unwrap_or(0),
                column: first.spot.column.unwrap_or(0),
                kind: first.site.kind,
                element: first.element,
                frame: first.site.frame,
                moves: first.stride != Some(0),
                place: first.array.map(|_| *place),
            }
        };
        let operands: Vec<expression::Operand> = places.iter().map(operand).collect();
        let language = traced.function.unit.as_ref().map(|unit| unit.language.as_str());
        let found = expressions(source, Language::of(language, file), &operands);
        for (at, expression) in places.into_iter().zip(found) {
            list[at].operand = expression;
        }
    }
}
