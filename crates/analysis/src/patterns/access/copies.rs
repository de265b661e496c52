//! Which machine operands are one source operand: its copies in an unrolled loop, and the pieces of a vectorised one.
//!
//! Copies are at the same place in the source, do the same, belong to the same array and always keep their distances.
//! Of F source iterations in one machine iteration with stride M, scalar copies are M / F apart and there are F of them;
//! vectors are side by side until they fill M. What is left over (a neighbour that a register holds on to) is an operand of
//! its own, unless it belongs to structures that a vector loop loads in pieces of all sizes: those at one place are one
//! operand. Irregular operands keep no distances: F of them at one place with a column are copies.

use super::operand::Operand;
use std::collections::BTreeMap;

/// Groups of indices into `operands`, each one source operand, in the order of their first operands.
pub(super) fn copies(operands: &[Operand], factor: u32) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, operand) in operands.iter().enumerate() {
        // Irregular ones have no family in common.
        let family = operand.is_regular().then_some(operand.family.0);
        places.entry((operand.key(), family)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for ((_, family), members) in places {
        if members.len() == 1 {
            groups.push(members);
        } else if family.is_some() {
            groups.extend(chains(operands, members, factor));
        } else {
            groups.extend(irregular(operands, members, factor));
        }
    }
    let mut groups = rejoined(operands, groups, factor);
    groups.sort_by_key(|group| group.iter().min().copied());
    groups
}

/// Scalar copies to which the compiler gave different places of one statement: alone none fills the stride of the machine,
/// together they do, each a source stride after the one before.
fn rejoined(operands: &[Operand], groups: Vec<Vec<usize>>, factor: u32) -> Vec<Vec<usize>> {
    let alone = |group: &[usize]| {
        let operand = &operands[group[0]];
        group.len() == 1 && factor > 1 && operand.is_regular() && !operand.is_packed()
    };
    let (single, mut joined): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| alone(group));
    let mut arrays: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for at in single.into_iter().flatten() {
        let operand = &operands[at];
        arrays.entry((operand.key().without_place(), operand.family.0)).or_default().push(at);
    }
    for mut members in arrays.into_values() {
        members.sort_by_key(|&at| operands[at].family.1);
        let stride = operands[members[0]].stride.unwrap_or(0).unsigned_abs();
        let step = |pair: &[usize]| operands[pair[1]].family.1.abs_diff(operands[pair[0]].family.1);
        let even = || members.windows(2).all(|pair| step(pair) == stride / u64::from(factor));
        if members.len() == factor as usize && stride.is_multiple_of(u64::from(factor)) && even() {
            joined.push(with_place_first(operands, members));
        } else {
            joined.extend(members.into_iter().map(|at| vec![at]));
        }
    }
    joined
}

/// The copy that is the last in the code goes first, for its place: those that run before the loop, too, may have the place of
/// the statement before it.
fn with_place_first(operands: &[Operand], mut members: Vec<usize>) -> Vec<usize> {
    if let Some(last) = (0..members.len()).max_by_key(|&k| operands[members[k]].site.address) {
        members.swap(0, last);
    }
    members
}

/// Regular operands of one place and array: chains that fill the machine's stride.
fn chains(operands: &[Operand], mut members: Vec<usize>, factor: u32) -> Vec<Vec<usize>> {
    members.sort_by_key(|&at| (operands[at].family.1, at));
    let mut chains = Vec::new();
    let mut rest = Vec::new();
    while !members.is_empty() {
        let mut chain = vec![members.remove(0)];
        let first = &operands[chain[0]];
        let moves = first.stride.unwrap_or(0).unsigned_abs() as i64;
        let packed = first.is_packed();
        let mut end = first.family.1;
        loop {
            let last = &operands[chain[chain.len() - 1]];
            let step = if packed { i64::from(last.site.size) } else { moves / i64::from(factor.max(1)) };
            end = end.saturating_add(step);
            if step <= 0 || end.saturating_sub(first.family.1) >= moves {
                break;
            }
            let Some(next) = members.iter().position(|&at| operands[at].family.1 == end) else { break };
            chain.push(members.remove(next));
        }
        if end.saturating_sub(first.family.1) >= moves {
            chains.push(chain);
        } else {
            rest.extend(chain);
        }
    }
    let pieces = |&at: &usize| {
        let operand = &operands[at];
        let source = operand.stride.unwrap_or(0).unsigned_abs() / u64::from(factor.max(1));
        factor > 1 && operand.has_own_column() && source > u64::from(operand.element)
    };
    if rest.iter().all(pieces) && !rest.is_empty() {
        rest.sort_unstable();
        chains.push(rest);
    } else {
        chains.extend(rest.into_iter().map(|at| vec![at]));
    }
    chains
}

/// Operands without regular distances.
fn irregular(operands: &[Operand], members: Vec<usize>, factor: u32) -> Vec<Vec<usize>> {
    let first = &operands[members[0]];
    let one_place = first.has_own_column() && first.level == Some(0);
    let scalar = members.iter().all(|&at| !operands[at].is_packed() && !operands[at].is_gather());
    let moves = first.stride != Some(0);
    if moves && one_place && scalar && factor > 1 && members.len() == factor as usize {
        vec![members]
    } else {
        members.into_iter().map(|at| vec![at]).collect()
    }
}
