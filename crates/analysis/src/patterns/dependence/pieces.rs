//! The verdict of a loop as written, from its machine loops: body, peel, remainder and versions.
//!
//! A remainder of few iterations meets no dependence over a longer distance, and a version that did not run meets none at
//! all: what one piece has seen holds for the source loop. The piece that ran most source iterations represents all and lists
//! what all have found; the others keep their own findings and say whose verdict they show. What goes from one piece to
//! another (the last iterations of a body and its remainder) is in neither.

use super::judge::{NOTHING_CHECKED, judge};
use crate::model::{CarriedScalar, DependenceFacts, FoundDependence};
use loopwright_binary::facts::LoopRole;
use std::collections::BTreeMap;

/// Gives all pieces of one loop as written the verdict over all of them.
pub(in super::super) fn unite(pieces: &mut [(LoopRole, DependenceFacts)]) {
    let most = pieces.iter().map(|(_, facts)| facts.checked_iterations).max();
    let Some(speaker) = pieces.iter().position(|(_, facts)| Some(facts.checked_iterations) == most) else {
        return;
    };
    if pieces.len() < 2 {
        return;
    }
    let all = together(pieces, speaker);
    for (at, (_, facts)) in pieces.iter_mut().enumerate() {
        (facts.vector, facts.max_length, facts.parallel) = (all.vector, all.max_length, all.parallel);
        if at == speaker {
            facts.verdict = all.verdict.clone();
            facts.found = all.found.clone();
            facts.early_exits = all.early_exits.clone();
            facts.reductions = all.reductions.clone();
            facts.private = all.private.clone();
            facts.unknown = all.unknown.clone();
        } else {
            facts.verdict = format!("with its other pieces: {}", all.verdict);
        }
    }
}

/// What all pieces have seen, as if of one loop.
fn together(pieces: &[(LoopRole, DependenceFacts)], speaker: usize) -> DependenceFacts {
    let mut all = pieces[speaker].1.clone();
    all.unknown.retain(|reason| reason != NOTHING_CHECKED);
    let mut entries: BTreeMap<bool, u64> = BTreeMap::new();
    (all.checked_iterations, all.checked_machine_iterations) = (0, 0);
    for (at, (role, facts)) in pieces.iter().enumerate() {
        all.checked_iterations = all.checked_iterations.saturating_add(facts.checked_iterations);
        all.checked_machine_iterations =
            all.checked_machine_iterations.saturating_add(facts.checked_machine_iterations);
        // A version runs instead of the others, the others run one after another.
        let known = entries.entry(*role == LoopRole::Version).or_default();
        *known = if *role == LoopRole::Version {
            known.saturating_add(facts.checked_entries)
        } else {
            facts.checked_entries.max(*known)
        };
        all.horizon = all.horizon.max(facts.horizon);
        all.exhaustive &= facts.exhaustive;
        if at == speaker {
            continue;
        }
        for found in &facts.found {
            if all.found.iter().all(|known| !same(known, found)) {
                all.found.push(found.clone());
            }
        }
        for exit in &facts.early_exits {
            if all.early_exits.iter().all(|known| (&known.file, known.line) != (&exit.file, exit.line)) {
                all.early_exits.push(exit.clone());
            }
        }
        for reason in facts.unknown.iter().filter(|reason| *reason != NOTHING_CHECKED) {
            if !all.unknown.contains(reason) {
                all.unknown.push(reason.clone());
            }
        }
        add(&mut all.reductions, &facts.reductions);
        add(&mut all.private, &facts.private);
    }
    all.checked_entries = entries.values().fold(0, |sum, &n| sum.saturating_add(n));
    all.found.sort_by_key(|f| (!f.limits_vectors, f.privatisable, f.kind, f.distance));
    judge(&mut all);
    all
}

/// One dependence as written: pieces have it at different instructions, and in registers or in memory. A distance that
/// one piece proves says nothing of another's operands.
fn same(a: &FoundDependence, b: &FoundDependence) -> bool {
    let of = |f: &FoundDependence| {
        (f.kind, f.distance, f.memory, f.limits_vectors, f.privatisable, f.constant_distance)
    };
    let place =
        |f: &FoundDependence| (f.source.line, f.sink.line, f.source.file.clone(), f.sink.file.clone());
    of(a) == of(b) && place(a) == place(b) && a.source.function == b.source.function
}

/// Adds scalars that are not there yet; a sum is in other registers in each piece.
fn add(to: &mut Vec<CarriedScalar>, from: &[CarriedScalar]) {
    for scalar in from {
        let known = |s: &CarriedScalar| {
            s.name == scalar.name && s.line == scalar.line
                || s.line.is_some() && (s.line, &s.operation) == (scalar.line, &scalar.operation)
        };
        if !to.iter().any(known) {
            to.push(scalar.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ParallelVerdict, VectorVerdict};

    fn piece(iterations: u64, horizon: u64, distances: &[u64]) -> DependenceFacts {
        let found = |&distance| FoundDependence {
            memory: true,
            distance,
            limits_vectors: true,
            constant_distance: true,
            ..Default::default()
        };
        let mut facts = DependenceFacts {
            checked_iterations: iterations,
            checked_machine_iterations: iterations,
            checked_entries: 3,
            horizon,
            exhaustive: true,
            found: distances.iter().map(found).collect(),
            ..DependenceFacts::default()
        };
        judge(&mut facts);
        facts
    }

    #[test]
    fn a_short_remainder_does_not_hide_what_the_body_has() {
        let mut pieces = [(LoopRole::Remainder, piece(4, 3, &[])), (LoopRole::Body, piece(9000, 3000, &[7]))];
        assert_eq!(pieces[0].1.vector, VectorVerdict::Safe);
        unite(&mut pieces);
        for (_, facts) in &pieces {
            assert_eq!((facts.vector, facts.max_length), (VectorVerdict::SafeUpTo, Some(7)));
            assert_eq!(facts.parallel, ParallelVerdict::Dependent);
            assert!(facts.verdict.contains("9,004 checked iterations of 3 entries"), "{}", facts.verdict);
        }
        assert!(pieces[0].1.verdict.starts_with("with its other pieces: vectors of up to 7"));
        assert!(pieces[1].1.verdict.starts_with("vectors of up to 7"));
        assert_eq!((pieces[0].1.checked_iterations, pieces[0].1.found.len()), (4, 0));
    }

    #[test]
    fn a_distance_proven_in_one_piece_is_not_that_of_another() {
        for open in 0..2 {
            let mut pieces =
                [(LoopRole::Body, piece(9000, 3000, &[7])), (LoopRole::Version, piece(50, 20, &[7]))];
            unite(&mut pieces);
            assert_eq!((pieces[0].1.vector, pieces[0].1.found.len()), (VectorVerdict::SafeUpTo, 1));
            pieces[open].1.found[0].constant_distance = false;
            unite(&mut pieces);
            assert!(pieces.iter().all(|(_, f)| (f.vector, f.max_length) == (VectorVerdict::Unsafe, None)));
        }
    }

    #[test]
    fn the_speaker_lists_what_others_found() {
        let mut pieces = [(LoopRole::Body, piece(9000, 3000, &[])), (LoopRole::Version, piece(50, 20, &[1]))];
        unite(&mut pieces);
        assert_eq!((pieces[0].1.vector, pieces[0].1.found.len()), (VectorVerdict::Unsafe, 1));
        assert!(pieces[0].1.verdict.contains("of 6 entries"), "{}", pieces[0].1.verdict);
    }

    #[test]
    fn a_piece_of_one_iteration_takes_nothing_away() {
        let mut pieces = [(LoopRole::Body, piece(9000, 3000, &[])), (LoopRole::Remainder, piece(3, 1, &[]))];
        assert_eq!(pieces[1].1.vector, VectorVerdict::Unknown);
        unite(&mut pieces);
        assert!(pieces.iter().all(|(_, facts)| facts.vector == VectorVerdict::Safe));
        let sum = |name: &str| CarriedScalar {
            name: name.into(),
            line: Some(4),
            operation: Some("+".into()),
            floating: true,
        };
        pieces[0].1.reductions.push(sum("ymm0"));
        pieces[1].1.reductions.push(sum("xmm0"));
        unite(&mut pieces);
        assert_eq!(pieces[0].1.reductions.len(), 1);
        assert_eq!(pieces[1].1.vector, VectorVerdict::SafeWithReductions);
    }
}
