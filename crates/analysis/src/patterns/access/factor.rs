//! How many source iterations one machine iteration does, from what the operands were seen to do.
//!
//! The code of body and remainder tells it first ([`Traced::factor`]). It is held to what was seen: an operand that moves
//! by M bytes from one machine iteration to the next moves by M / F in each source iteration, which must be whole and no
//! less than an element. Where the code tells nothing, copies of one operand do: in a loop unrolled by four each
//! operand stands four times in the code, a quarter of M apart. Where nothing moves lanes about in a vectorised loop and all
//! operands move by the same number of elements, that number is the factor.

use super::operand::{Key, Operand};
use crate::patterns::Traced;
use loopwright_binary::facts::{LoopCode, LoopRole, Trait};
use std::collections::BTreeMap;

/// Largest factor that is believed.
const MOST: u64 = 4096;

/// Source iterations of one machine iteration.
pub(super) fn factor(traced: &Traced, operands: &[Operand]) -> u32 {
    let regular: Vec<&Operand> = operands.iter().filter(|operand| operand.is_regular()).collect();
    let told = u64::from(traced.factor.max(1));
    if regular.is_empty() {
        return told as u32;
    }
    let fits = |factor: u64| {
        regular.iter().all(|operand| {
            let moves = operand.stride.unwrap_or(0).unsigned_abs();
            moves.is_multiple_of(factor) && moves / factor >= smallest_element(operand)
        })
    };
    let divisors = |of: u64| (1..=of).rev().filter(move |factor| of.is_multiple_of(*factor));
    let held = divisors(told.min(MOST)).find(|&factor| fits(factor)).unwrap_or(1);
    if let Some(streams) = plain_streams(traced.code, &regular)
        && streams > held
        && streams.is_multiple_of(held)
        && fits(streams)
    {
        return streams as u32;
    }
    if held > 1 || told > 1 {
        return held as u32;
    }
    divisors(copies(traced.code, &regular)).find(|&factor| fits(factor)).unwrap_or(1) as u32
}

/// Bytes of the smallest element that the operand can hold: instructions that only move data are the same for all types.
fn smallest_element(operand: &Operand) -> u64 {
    if operand.is_packed() { 1 } else { u64::from(operand.site.element.max(1)) }
}

/// Elements by which all operands of a vectorised loop move, when it moves no lanes about.
fn plain_streams(code: &LoopCode, regular: &[&Operand]) -> Option<u64> {
    const MOVES: [Trait; 5] =
        [Trait::Shuffle, Trait::Insert, Trait::Extract, Trait::Gather, Trait::Conversion];
    let bits = code.types.first()?.bits();
    if !code.vectorized
        || code.traits.iter().any(|of| MOVES.contains(of))
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

/// The number of copies that every scalar operand has.
fn copies(code: &LoopCode, regular: &[&Operand]) -> u64 {
    let mut groups: BTreeMap<(Key, u32), Vec<&Operand>> = BTreeMap::new();
    for operand in regular {
        groups.entry((operand.key(), operand.family.0)).or_default().push(operand);
    }
    groups.values().map(|group| copies_in(code, group)).fold(0, gcd).clamp(1, MOST)
}

/// The largest number of copies that explains all operands at one place.
fn copies_in(code: &LoopCode, group: &[&Operand]) -> u64 {
    // Without columns, operands at one place may be neighbours as well as copies; only the body of a loop that has a
    // remainder is unrolled for sure.
    let told_apart = group[0].spot.column.is_some() && !is_fortran(group[0].spot.file.as_deref());
    if group[0].is_packed() || !told_apart && code.role != LoopRole::Body {
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
            at += step;
            let Ok(next) = offsets.binary_search(&at) else { return false };
            offsets.remove(next);
        }
    }
    true
}

/// GNU Fortran gives all operands of a statement one column.
fn is_fortran(file: Option<&str>) -> bool {
    let extension = file.and_then(|file| file.rsplit_once('.')).map_or("", |parts| parts.1);
    let extension = extension.to_ascii_lowercase();
    ["for", "ftn", "f"].contains(&extension.as_str())
        || extension.strip_prefix('f').is_some_and(|digits| digits.parse::<u32>().is_ok())
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
