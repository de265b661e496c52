//! Loops that a library call does better: `memset` and `memcpy` in open code.

use super::affine::Stride;
use super::body::{Body, Slot};
use super::lanes::Lanes;
use super::operation::Class;
use crate::facts::Idiom;
use std::collections::HashSet;

/// Recognises an innermost loop without arithmetic whose stores cover memory without gaps and whose stored
/// values are either invariant or just loaded from another contiguous stretch.
pub fn find(body: &Body, _lanes: &[Lanes], strides: &[Stride], innermost: bool) -> Option<Idiom> {
    if !innermost || body.blocks.iter().filter(|b| b.always).count() != body.blocks.len() {
        return None;
    }
    let covers = |store: bool| {
        let of_kind: Vec<&Stride> =
            strides.iter().filter(|s| s.fact.store == store && s.fact.bytes != 0).collect();
        let size: u64 = of_kind.iter().map(|s| u64::from(s.fact.size)).sum();
        !of_kind.is_empty() && of_kind.iter().all(|s| s.fact.bytes.unsigned_abs() == size)
    };
    let mut loaded: HashSet<Slot> = HashSet::new();
    let (mut loads, mut stores) = (0, 0);
    for (k, s) in body.steps.iter().enumerate() {
        let known = strides.iter().any(|stride| stride.step == k);
        match s.memory {
            Some(m) if s.operation.class != Class::Move || !known || m.load && m.store => return None,
            Some(m) if m.load => {
                loads += 1;
                loaded.extend(&s.writes);
            }
            Some(_) => {
                let fills = s.reads.iter().all(|&r| !body.changes(r));
                let copies = s.reads.iter().all(|r| loaded.contains(r));
                if !fills && !copies {
                    return None;
                }
                stores += 1;
            }
            None => {
                // Only what drives the loop: no data arithmetic may touch loaded values.
                let drives = matches!(
                    s.operation.class,
                    Class::Add | Class::Compare | Class::Branch | Class::Lea | Class::Nop
                );
                if !drives || s.operation.vector || s.reads.iter().any(|r| loaded.contains(r)) {
                    return None;
                }
            }
        }
    }
    match (loads, stores) {
        (0, 1..) if covers(true) => Some(Idiom::Memset),
        (1.., 1..) if covers(true) && covers(false) => Some(Idiom::Memcpy),
        _ => None,
    }
}
