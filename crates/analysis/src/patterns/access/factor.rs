//! How many source iterations one machine iteration does, from what the operands were seen to do.
//!
//! The code of body and remainder tells it first ([`Traced::factor`]). It is held to what was seen: an operand that moves
//! by M bytes from one machine iteration to the next moves by M / F in each source iteration, which must be whole and no
//! less than an element. Where the code tells nothing, copies of one operand do: in a loop unrolled by four each
//! operand stands four times in the code, a quarter of M apart. Where nothing moves lanes about in a vectorised loop and all
//! operands move by the same number of elements, that number is the factor.
//!
//! Lanes may belong to another loop: where the loop around was vectorised (`b[k][j]` in a loop over k, four j at a time), or
//! the statements of one iteration were packed. Then a vector does not reach to where the next iteration's begins: operands
//! leave gaps in what the loop moves over, and no shuffles put four structures' fields together. The lanes then say nothing of
//! this loop.

use super::operand::{Key, Operand};
use crate::patterns::Traced;
use crate::patterns::expression::{self, Language, candidates};
use loopwright_binary::facts::{LoopCode, LoopRole, Trait};
use loopwright_patterns::facts::AccessKind;
use std::collections::BTreeMap;

/// Largest factor that is believed.
const MOST: u64 = 4096;

/// How a loop's iterations relate to those written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    /// Source iterations of one machine iteration.
    pub iterations: u32,
    /// Lanes are iterations of another loop, or packed statements.
    pub lanes_elsewhere: bool,
}

/// Source iterations of one machine iteration.
pub(super) fn factor(traced: &Traced, operands: &[Operand]) -> Factor {
    let regular: Vec<&Operand> = operands.iter().filter(|operand| operand.is_regular()).collect();
    let told = u64::from(traced.factor.max(1));
    let is = |iterations: u64| Factor { iterations: iterations as u32, lanes_elsewhere: false };
    if regular.is_empty() {
        return is(told);
    }
    let fits = |factor: u64| {
        regular.iter().all(|operand| {
            let moves = operand.stride.unwrap_or(0).unsigned_abs();
            moves.is_multiple_of(factor) && moves / factor >= smallest_element(operand)
        })
    };
    if let Some(moved) = moved(traced, operands, true).or_else(|| moved(traced, operands, false))
        && moved <= MOST
        && fits(moved)
    {
        return is(moved);
    }
    let divisors = |of: u64| (1..=of).rev().filter(move |factor| of.is_multiple_of(*factor));
    let counted = || divisors(copies(traced, &regular)).find(|&factor| fits(factor)).unwrap_or(1);
    if lanes_elsewhere(traced.code, &regular, told) {
        return Factor { lanes_elsewhere: true, ..is(counted()) };
    }
    let held = divisors(told.min(MOST)).find(|&factor| fits(factor)).unwrap_or(1);
    if let Some(streams) = plain_streams(traced.code, &regular)
        && streams > held
        && streams.is_multiple_of(held)
        && fits(streams)
    {
        return is(streams);
    }
    is(if held > 1 || told > 1 { held } else { counted() })
}

/// Instructions that bring elements of several places into one vector.
const MOVES: [Trait; 4] = [Trait::Shuffle, Trait::Insert, Trait::Extract, Trait::Gather];

fn moves_lanes(code: &LoopCode) -> bool {
    code.traits.iter().any(|of| MOVES.contains(of))
}

/// Some vector operand cannot hold elements of several iterations of this loop.
fn lanes_elsewhere(code: &LoopCode, regular: &[&Operand], told: u64) -> bool {
    let apart = |operand: &&&Operand| {
        let together =
            || regular.iter().filter(|o| (o.family.0, o.stride) == (operand.family.0, operand.stride));
        let moves = operand.stride.unwrap_or(0).unsigned_abs();
        if covers(together().map(|o| (o.family.1, o.site.size)), moves) {
            return false;
        }
        // Fields of structures that are put together: another structure's stand beside, or reach into the vector.
        let step = moves / told.max(1);
        let beside = || {
            together().any(|o| {
                let distance = o.family.1.wrapping_sub(operand.family.1);
                u64::from(o.site.size) > step
                    || distance.unsigned_abs() % moves != 0 && distance.unsigned_abs() % step == 0
            })
        };
        !moves_lanes(code) || step == 0 || !beside()
    };
    regular.iter().filter(|operand| operand.is_packed() && !operand.site.frame).any(|o| apart(&o))
}

/// The operands (offset and bytes) leave no gap in a period of `moves` bytes.
fn covers(operands: impl Iterator<Item = (i64, u32)>, moves: u64) -> bool {
    let Ok(period) = i64::try_from(moves) else { return false };
    let mut parts: Vec<(i64, i64)> = Vec::new();
    for (offset, size) in operands {
        let (from, size) = (offset.rem_euclid(period.max(1)), i64::from(size));
        let end = from.saturating_add(size);
        parts.push((from, end.min(period)));
        // What reaches into the next period is at the beginning of this one.
        parts.push((0, (end - period).min(period)));
    }
    parts.sort_unstable();
    let end = parts.iter().fold(0, |end, &(from, to)| if from <= end { end.max(to) } else { end });
    end >= period
}

/// Elements that the stores (or loads) of one machine iteration move, by the reference as written: each source iteration
/// moves one. Stores tell best, a compiler leaves none out; loads do when nothing is stored and they fill their stride.
/// Nothing when references are not told apart, or disagree.
fn moved(traced: &Traced, operands: &[Operand], stores: bool) -> Option<u64> {
    let every = operands.iter().filter(|o| o.level == Some(0)).map(|o| o.site.executions).max()?;
    let mut places: BTreeMap<_, Vec<&Operand>> = BTreeMap::new();
    for operand in operands.iter().filter(|o| o.level == Some(0) && !o.site.frame) {
        let wanted = if stores { operand.site.kind.writes() } else { operand.site.kind == AccessKind::Load };
        if wanted && operand.stride != Some(0) {
            let spot = &operand.spot;
            // GNU Fortran gives parts of a statement places outside of it.
            let fortran = is_fortran(spot.file.as_deref());
            let (line, column) = if fortran { (None, None) } else { (spot.line, spot.column) };
            let place = (spot.file.as_deref(), line, column, operand.site.kind, operand.array);
            places.entry(place).or_default().push(operand);
        }
    }
    let mut told: Option<u64> = None;
    for group in places.values() {
        // What does not run in every iteration tells nothing.
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

/// Whether the places of these operands leave one reference open.
fn is_one_reference(traced: &Traced, group: &[&Operand]) -> bool {
    let first = &group[0];
    let Some(file) = first.spot.file.as_deref() else { return false };
    let Some(source) = traced.sources.get(file) else {
        // The place of a store is that of its assignment.
        return first.site.kind.writes() && first.spot.column.is_some() && !is_fortran(Some(file));
    };
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
    candidates(source, Language::of(language, file), &wanted) == 1
}

/// Bytes of one element, where all operands agree or the arithmetic tells.
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

/// Bytes of the smallest element that the operand can hold: instructions that only move data are the same for all types.
fn smallest_element(operand: &Operand) -> u64 {
    if operand.is_packed() { 1 } else { u64::from(operand.site.element.max(1)) }
}

/// Elements by which all operands of a vectorised loop move, when it moves no lanes about.
fn plain_streams(code: &LoopCode, regular: &[&Operand]) -> Option<u64> {
    let bits = code.types.first()?.bits();
    if !code.vectorized
        || moves_lanes(code)
        || code.traits.contains(&Trait::Conversion)
        || code.types.iter().any(|element| element.bits() != bits)
        || regular.iter().any(|operand| !operand.is_packed())
    {
        return None;
    }
    let bytes = u64::from(bits / 8);
    let elements = |operand: &&Operand| operand.stride.unwrap_or(0).unsigned_abs() / bytes;
    let first = regular.first().map(elements)?;
    (first <= MOST && regular.iter().all(|operand| elements(operand) == first)).then_some(first)
}

/// GNU Fortran gives all operands of a statement one column.
fn is_fortran(file: Option<&str>) -> bool {
    let extension = file.and_then(|file| file.rsplit_once('.')).map_or("", |parts| parts.1);
    let extension = extension.to_ascii_lowercase();
    ["for", "ftn", "f"].contains(&extension.as_str())
        || extension.strip_prefix('f').is_some_and(|digits| digits.parse::<u32>().is_ok())
}

/// The number of copies that every operand has.
fn copies(traced: &Traced, regular: &[&Operand]) -> u64 {
    let mut groups: BTreeMap<(Key, u32), Vec<&Operand>> = BTreeMap::new();
    for operand in regular {
        groups.entry((operand.key(), operand.family.0)).or_default().push(operand);
    }
    groups.values().map(|group| copies_in(traced, group)).fold(0, gcd).clamp(1, MOST)
}

/// The largest number of copies that explains all operands at one place.
fn copies_in(traced: &Traced, group: &[&Operand]) -> u64 {
    // Without columns, operands at one place may be neighbours as well as copies; only the body of a loop that has a
    // remainder is unrolled for sure.
    let column = group[0].spot.column.is_some() && !is_fortran(group[0].spot.file.as_deref());
    let told_apart = column || is_one_reference(traced, group);
    if group[0].is_packed() || !told_apart && traced.code.role != LoopRole::Body {
        return 1;
    }
    let moves = group[0].stride.unwrap_or(0).unsigned_abs();
    let mut offsets: Vec<i64> = group.iter().map(|operand| operand.family.1).collect();
    offsets.sort_unstable();
    let explains = |&factor: &u64| {
        moves.is_multiple_of(factor) && are_chains(offsets.clone(), factor, (moves / factor) as i64)
    };
    let n = offsets.len() as u64;
    (1..=n).rev().filter(|factor| n.is_multiple_of(*factor)).find(explains).unwrap_or(1)
}

/// The offsets, ascending, are chains of `length` members that are `step` apart.
fn are_chains(mut offsets: Vec<i64>, length: u64, step: i64) -> bool {
    while !offsets.is_empty() {
        let mut at = offsets.remove(0);
        for _ in 1..length {
            at = at.saturating_add(step);
            let Ok(next) = offsets.binary_search(&at) else { return false };
            offsets.remove(next);
        }
    }
    true
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
