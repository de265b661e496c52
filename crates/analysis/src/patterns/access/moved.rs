//! Source iterations of one machine iteration by what it stores, or loads: each of the source moves one element through
//! each reference.
//!
//! Needs places that leave one reference open, and elements of known size.

use super::operand::Operand;
use crate::patterns::Traced;
use crate::patterns::expression::{self, Grammar, candidates};
use loopwright_binary::facts::{CarriedKind, CarriedValue, LoopCode};
use loopwright_patterns::facts::AccessKind;
use std::collections::BTreeMap;

/// Elements that the stores (or loads) of one machine iteration move, by the reference as written: each source iteration
/// moves one. Stores are the most reliable, a compiler leaves none out; loads do when nothing is stored and they fill their stride.
/// Nothing when references are not distinguished, or disagree.
pub(super) fn moved(traced: &Traced, operands: &[Operand], stores: bool) -> Option<u64> {
    let every = operands.iter().filter(|o| o.level == Some(0)).map(|o| o.site.executions).max()?;
    let mut places: BTreeMap<_, Vec<&Operand>> = BTreeMap::new();
    for operand in operands.iter().filter(|o| o.level == Some(0) && !o.site.frame) {
        let wanted = if stores { operand.site.kind.writes() } else { operand.site.kind == AccessKind::Load };
        if wanted && operand.stride != Some(0) {
            let spot = &operand.spot;
            // GNU Fortran gives parts of a statement places outside of it.
            let fortran = !operand.has_own_column();
            let (line, column) = if fortran { (None, None) } else { (spot.line, spot.column) };
            let place = (spot.file.as_deref(), line, column, operand.site.kind, operand.array);
            places.entry(place).or_default().push(operand);
        }
    }
    let mut told: Option<u64> = None;
    for group in places.values() {
        // What does not run in every iteration shows nothing.
        if group.iter().any(|o| o.site.executions != every) || !is_one_reference(traced, group) {
            continue;
        }
        let Some(element) = element_of(traced.code, group, operands) else { continue };
        let bytes = distinct_bytes(group)?;
        let fills = group.iter().all(|o| o.stride.is_some_and(|s| s.unsigned_abs() == bytes));
        if !stores && !fills || !bytes.is_multiple_of(element) {
            continue;
        }
        let factor = bytes / element;
        if told.is_some_and(|told| told != factor) {
            return None;
        }
        told = Some(factor);
    }
    told
}

/// Source iterations of one machine iteration of an unrolled loop that sums up what it loads: GCC gives the copies
/// different places of one statement, so that all loads of an array are taken together. They must fill their stride, and
/// as many additions to one sum must follow each other: parts of complex numbers go to sums of their own.
pub(super) fn summed(traced: &Traced, operands: &[Operand]) -> Option<u64> {
    let loads = || operands.iter().filter(|o| o.site.kind == AccessKind::Load && o.is_regular());
    let first = loads().next()?;
    let group: Vec<&Operand> = loads().filter(|o| o.array.is_some() && o.array == first.array).collect();
    let every = operands.iter().filter(|o| o.level == Some(0)).map(|o| o.site.executions).max()?;
    let alike = |o: &&Operand| {
        (o.site.size, o.stride, o.spot.file.as_deref(), o.site.executions)
            == (first.site.size, first.stride, first.spot.file.as_deref(), every)
            && !o.is_packed()
            && !o.site.frame
    };
    let copies = group.len() as u64;
    let fills = distinct_bytes(&group)? == first.stride?.unsigned_abs();
    let in_a_row = |value: &CarriedValue| {
        value.kind == CarriedKind::Reduction && value.distance <= 1 && u64::from(value.copies) == copies
    };
    let summed = traced.code.carried.iter().flatten().any(in_a_row);
    (copies > 1 && summed && fills && group.iter().all(alike) && is_one_reference(traced, &group))
        .then_some(copies)
}

/// Whether the places of these operands leave one reference open.
fn is_one_reference(traced: &Traced, group: &[&Operand]) -> bool {
    let first = &group[0];
    let Some(file) = first.spot.file.as_deref() else { return false };
    if !traced.sources.has(file) {
        // The place of a store is that of its assignment.
        return first.site.kind.writes() && first.has_own_column();
    }
    let wanted: Vec<expression::Operand> = group
        .iter()
        .map(|operand| expression::Operand {
            line: operand.spot.line.unwrap_or(0),
            column: operand.spot.column.unwrap_or(0),
            kind: operand.site.kind,
            moves: true,
            ..expression::Operand::default()
        })
        .collect();
    let language = traced.function.unit.as_ref().map(|unit| unit.language.as_str());
    let source = traced.sources.get(file, Grammar::of(language, file));
    source.is_some_and(|source| candidates(&source, &wanted) == 1)
}

/// Bytes of one element, where all operands agree or the arithmetic shows it.
fn element_of(code: &LoopCode, group: &[&Operand], all: &[Operand]) -> Option<u64> {
    let scalar = |o: &&&Operand| !o.is_packed() || o.is_gather();
    let element = match group.iter().find(scalar) {
        Some(scalar) => scalar.site.element,
        None if code.types.is_empty() => gathered(all)?,
        None => {
            let bits = code.types.first()?.bits();
            (code.types.iter().all(|of| of.bits() == bits)).then_some(bits / 8)?
        }
    };
    (element > 0).then_some(u64::from(element))
}

/// Bytes of what is loaded from irregular places (or stored there): where nothing is computed, that is what is copied.
pub(super) fn gathered(all: &[Operand]) -> Option<u32> {
    let irregular = |o: &&Operand| {
        let scattered = o.is_gather() || (!o.is_packed() && o.stride.is_none());
        scattered && o.level == Some(0) && !o.site.frame && o.site.executions > 0
    };
    let mut sizes = all.iter().filter(irregular).map(|o| o.site.element);
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

/// Bytes that the operands touch in one machine iteration.
fn distinct_bytes(group: &[&Operand]) -> Option<u64> {
    let related = group.iter().all(|o| o.is_regular() && o.family.0 == group[0].family.0);
    if !related {
        let bytes = |o: &&Operand| if o.is_gather() { o.site.lanes * o.site.element } else { o.site.size };
        return Some(group.iter().map(|o| u64::from(bytes(o))).sum());
    }
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for o in group {
        ranges.push((o.family.1, o.family.1.checked_add(i64::from(o.site.size))?));
    }
    ranges.sort_unstable();
    let (mut end, mut bytes) = (i64::MIN, 0);
    for (from, to) in ranges {
        bytes += to.saturating_sub(from.max(end)).max(0);
        end = end.max(to);
    }
    u64::try_from(bytes).ok()
}
