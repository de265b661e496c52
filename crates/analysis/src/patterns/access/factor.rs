//! How many source iterations one machine iteration does, from what the operands were seen to do.
//!
//! The code of body and remainder gives it first ([`Traced::factor`]). It is compared with what was seen: an operand that moves
//! by M bytes from one machine iteration to the next moves by M / F in each source iteration, which must be whole and no
//! less than an element. Where the code does not show it, copies of one operand do: in a loop unrolled by four each
//! operand is four times in the code, a quarter of M apart. Where nothing moves lanes about in a vectorised loop and all
//! operands move by the same number of elements, that number is the factor.
//!
//! Lanes may belong to another loop: where the loop around was vectorised (`b[k][j]` in a loop over k, four j at a time), or
//! the statements of one iteration were packed. Then a vector does not reach to where the next iteration's begins: operands
//! leave gaps in what the loop moves over, and no shuffles put four structures' fields together. The lanes then say nothing of
//! this loop.

use super::moved::{moved, summed};
use super::operand::{Key, Operand};
use crate::patterns::Traced;
use loopwright_binary::facts::{LoopCode, LoopRole, Trait};
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
    if let Some(moved) = moved(traced, operands, true).filter(|&moved| moved <= MOST && fits(moved)) {
        return is(moved);
    }
    let divisors = |of: u64| (1..=of).rev().filter(move |factor| of.is_multiple_of(*factor));
    let counted = || divisors(copies(traced.code, &regular)).find(|&factor| fits(factor)).unwrap_or(1);
    if lanes_elsewhere(traced.code, &regular, told) {
        return Factor { lanes_elsewhere: true, ..is(counted()) };
    }
    if let Some(moved) = moved(traced, operands, false).filter(|&moved| moved <= MOST && fits(moved)) {
        return is(moved);
    }
    let held = divisors(told.min(MOST)).find(|&factor| fits(factor)).unwrap_or(1);
    if let Some(streams) = plain_streams(traced.code, &regular)
        && streams > held
        && streams.is_multiple_of(held)
        && fits(streams)
    {
        return is(streams);
    }
    if held > 1 || told > 1 {
        return is(held);
    }
    let summed = || summed(traced, operands).filter(|&copies| copies <= MOST && fits(copies));
    is(Some(counted()).filter(|&copies| copies > 1).or_else(summed).unwrap_or(1))
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
        // Fields of structures that are put together: another structure's are beside, or reach into the vector.
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

/// The number of copies that every operand has.
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
    if !group[0].has_own_column() && code.role != LoopRole::Body {
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
