//! Whether two operands are the same value: how they were computed, written out.
//!
//! Unoptimised code loads and computes everything anew for each use; `a[i]` of the comparison and `a[i]` of the
//! assignment are in different registers. Written out down to the places that hold variables they are the same text.

use super::super::body::Body;
use super::super::chains::is_immediate;
use super::super::operation::{Class, name};
use super::super::step::{self, Slot};
use iced_x86::OpKind;

/// Deepest expression that is written out.
const DEEPEST: u32 = 16;

/// The value of operand `k` of a step as text.
pub fn of_operand(body: &Body, at: usize, k: u32) -> Option<String> {
    operand(body, at, k, DEEPEST)
}

fn operand(body: &Body, at: usize, k: u32, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let i = &body.steps[at].instruction;
    match i.op_kind(k) {
        OpKind::Register => register(body, at, step::slot_of(i.op_register(k))?, depth),
        OpKind::Memory => memory(body, at, depth),
        kind if is_immediate(kind) => Some(format!("{:#x}", i.immediate(k))),
        _ => None,
    }
}

/// What a register holds before a step.
fn register(body: &Body, at: usize, place: Slot, depth: u32) -> Option<String> {
    let Some(writer) = body.steps[..at].iter().rposition(|step| step.writes.contains(&place)) else {
        return Some(step::name_of(place));
    };
    let step = &body.steps[writer];
    let i = &step.instruction;
    if step.operation.class == Class::Move && i.op_count() == 2 {
        return operand(body, writer, 1, depth);
    }
    let read = |k: &u32| *k > 0 || i.op_kind(0) != OpKind::Register || step.reads.contains(&place);
    let operands: Option<Vec<String>> =
        (0..i.op_count()).filter(read).map(|k| operand(body, writer, k, depth)).collect();
    Some(format!("{}({})", name(i.mnemonic()), operands?.join(", ")))
}

fn memory(body: &Body, at: usize, depth: u32) -> Option<String> {
    let m = body.steps[at].memory;
    if let Some(slot) = m.and_then(|m| m.slot) {
        // Which of its values it is: that of its last store.
        let version = body.steps[..at].iter().rposition(|step| step.stores_slot() == Some(slot));
        return Some(format!("{}@{version:?}", step::name_of(slot)));
    }
    let i = &body.steps[at].instruction;
    let part = |r| match step::slot_of(r) {
        Some(place) => register(body, at, place, depth),
        None => Some(String::new()),
    };
    let (base, index) = (part(i.memory_base())?, part(i.memory_index())?);
    Some(format!("[{base} + {index} * {} + {:#x}]", i.memory_index_scale(), i.memory_displacement64()))
}
