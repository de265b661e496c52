//! The factor of a loop whose code leaves it open, by the source text.
//!
//! A loop without remainder does the work of several source iterations, or of several statements or inner iterations of
//! one, and its code looks alike. The text decides: the operators are written in this loop and in none inside it, all that
//! the loop assigns has code of its own, and no complex number or vector gives one operator several elements. Then each
//! operator's elements are the factor, and all must agree, arithmetic with stores, and both with how far operands move.

use super::evidence::{Amount, Profile, element, is_memory};
use super::{Answer, COMPOUND, DISAGREE, Loops, NO_TEXT, NO_UNIT, STATEMENTS};
use loopwright_binary::facts::{LoopCode, SourceKind};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Source iterations of one machine iteration of a piece.
pub(super) fn factor(loops: &Loops, code: &LoopCode, profile: &Profile) -> Answer<u64> {
    let function = loops.question.function;
    let compound = function.unit.as_ref().and_then(|unit| unit.compound_numbers.as_ref()).ok_or(NO_UNIT)?;
    let (nest, written) = loops.written.ok_or(NO_TEXT)?;
    if nest.mentions(written, compound) {
        return Err(COMPOUND);
    }
    let depth = code.inlined_from.len() as u32;
    // The loop's own places are in one file, which is that of its position.
    let (mut seen, mut shown, mut files) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    // By line: GCC gives copies of an operator other columns of it.
    let mut lines: BTreeMap<(u32, SourceKind), (Amount, Option<u64>)> = BTreeMap::new();
    for (key, amount) in &profile.operators {
        let place = function.places.get(key.0 as usize).ok_or(NO_UNIT)?;
        if place.depth != depth {
            continue;
        }
        files.insert(place.file);
        if key.1 != SourceKind::Load {
            seen.insert((place.line, place.column, key.1 == SourceKind::Store));
        }
        if amount.floating && key.1 == SourceKind::Add && !nest.adds(place.line, place.column) {
            return Err(NO_UNIT);
        }
        let own = !amount.conditional && nest.holds(written, place.line, place.column);
        let operators = nest.operators(written, place.line, place.column, key.1).filter(|_| own);
        match lines.entry((place.line, key.1)) {
            Entry::Vacant(entry) => drop(entry.insert((amount.clone(), operators))),
            Entry::Occupied(mut entry) => {
                let (sum, known) = entry.get_mut();
                sum.add(amount);
                // How many loads, or functions of the source, share a line is not in the text.
                let counted =
                    !matches!(key.1, SourceKind::Load | SourceKind::SquareRoot | SourceKind::MinMax);
                *known = known.filter(|&known| counted && Some(known) == operators);
            }
        }
    }
    for ((line, kind), (amount, operators)) in &lines {
        let Some(operators) = operators else { continue };
        let Some(elements) = elements(loops, profile, (*line, *kind), amount)? else { continue };
        if !elements.is_multiple_of(*operators) {
            return Err(DISAGREE);
        }
        shown.insert(elements / operators);
    }
    if files.len() > 1 {
        return Err(NO_TEXT);
    }
    let missing = |&(line, column, memory): &(u32, u32, bool)| match (nest.has_columns(), memory) {
        (true, true) => !seen.contains(&(line, column, true)),
        (true, false) => !seen.contains(&(line, column, false)),
        (false, _) => !seen.iter().any(|place| place.0 == line),
    };
    if nest.assignments(written).iter().any(missing) {
        return Err(STATEMENTS);
    }
    match shown.len() {
        0 => Err(NO_UNIT),
        1 => shown.first().copied().ok_or(NO_UNIT),
        _ => Err(DISAGREE),
    }
}

/// Elements that an operator works on in one machine iteration, where that is certain.
fn elements(
    loops: &Loops,
    profile: &Profile,
    key: (u32, SourceKind),
    amount: &Amount,
) -> Answer<Option<u64>> {
    let function = loops.question.function;
    if is_memory(key.1) {
        // Loads are shared between iterations, or load more than is used, unless they leave no gap.
        let certain = key.1 == SourceKind::Store || amount.is_contiguous();
        let bytes = element(function, key).or_else(|| of_arithmetic(profile)).filter(|_| certain);
        return Ok(bytes
            .filter(|bytes| amount.amount.is_multiple_of(*bytes))
            .map(|bytes| amount.amount / bytes));
    }
    if amount.floating {
        return Ok(Some(amount.amount));
    }
    // Narrow integers are widened, and pairs summed up: elements must be those of memory.
    let bytes = amount.element.map(|element| element * amount.amount);
    let in_memory = profile.operators.iter().any(|(other, of)| {
        is_memory(other.1) && of.is_contiguous() && !of.conditional && Some(of.amount) == bytes
    });
    Ok(Some(amount.amount).filter(|_| amount.packed && in_memory))
}

/// Bytes of the numbers that all arithmetic of the loop is on, where it converts none.
fn of_arithmetic(profile: &Profile) -> Option<u64> {
    let mut sizes = profile.operators.iter().filter(|(key, amount)| amount.floating && !is_memory(key.1));
    let first = sizes.next()?.1.element?;
    (sizes.all(|(_, amount)| amount.element == Some(first)) && !profile.converts).then_some(first)
}
