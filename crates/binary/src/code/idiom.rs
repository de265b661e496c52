//! Loops that reimplement `memset` or `memcpy`, which the library does faster.

use super::affine::Stride;
use super::body::Body;
use super::chains::immediate;
use super::operation::Class;
use super::step::{Slot, Step};
use crate::facts::Idiom;
use rustc_hash::FxHashSet as HashSet;

/// Recognises an innermost loop without arithmetic whose stores cover memory without gaps and whose stored
/// values are either one repeated byte, or just loaded from another contiguous stretch. Any other value that
/// does not change (`1.0`) is not a `memset`: that repeats one byte (C17 7.24.6.1). `repeats` answers for a
/// register that does not change whether its bytes are all the same.
pub fn find(
    body: &Body,
    strides: &[Stride],
    innermost: bool,
    repeats: &dyn Fn(Slot) -> bool,
) -> Option<Idiom> {
    if !innermost || body.blocks.iter().filter(|b| b.always).count() != body.blocks.len() {
        return None;
    }
    let covers = |store: bool| {
        let of_kind: Vec<&Stride> =
            strides.iter().filter(|s| s.fact.store == store && s.fact.bytes != 0).collect();
        let size: u64 = of_kind.iter().map(|s| u64::from(s.fact.size)).sum();
        !of_kind.is_empty() && of_kind.iter().all(|s| s.fact.bytes.unsigned_abs() == size)
    };
    let mut loaded: HashSet<Slot> = HashSet::default();
    let (mut loads, mut stores) = (0, 0);
    let mut one_byte = true;
    for (k, s) in body.steps.iter().enumerate() {
        let known = strides.iter().any(|stride| stride.step == k);
        match s.memory {
            Some(m) if s.operation.class != Class::Move || !known || m.load && m.store => return None,
            Some(m) if m.load => {
                loads += 1;
                loaded.extend(&s.writes);
            }
            Some(m) => {
                let fills = s.reads.iter().all(|&r| !body.changes(r));
                let copies = !s.reads.is_empty() && s.reads.iter().all(|r| loaded.contains(r));
                if !fills && !copies {
                    return None;
                }
                one_byte &= m.size == 1
                    || stored_number(s).map_or_else(
                        || !s.reads.is_empty() && s.reads.iter().all(|&r| repeats(r)),
                        |value| is_one_byte(value, m.size),
                    );
                stores += 1;
            }
            None => {
                // Only loop control: no arithmetic may use loaded values.
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
        (0, 1..) if covers(true) && one_byte => Some(Idiom::Memset),
        (1.., 1..) if covers(true) && covers(false) => Some(Idiom::Memcpy),
        _ => None,
    }
}

/// The immediate operand that a store writes.
fn stored_number(store: &Step) -> Option<i64> {
    immediate(store).filter(|_| store.reads.is_empty())
}

/// All bytes of a number of this size are the same.
pub fn is_one_byte(value: i64, size: u32) -> bool {
    let bytes = value.to_le_bytes();
    let used = &bytes[..(size as usize).clamp(1, bytes.len())];
    used.iter().all(|byte| *byte == used[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_byte() {
        assert!(is_one_byte(0, 8) && is_one_byte(-1, 4) && is_one_byte(0x0101_0101, 4));
        assert!(!is_one_byte(1, 4) && !is_one_byte(1.0f64.to_bits() as i64, 8));
        assert!(is_one_byte(5, 1), "memset writes any byte");
    }
}
