//! Strides of memory operands: how far an address moves from one machine iteration to the next.
//!
//! Every place has a *delta*, the change of its value between iterations: zero when invariant, the
//! advance of an induction variable, a linear combination of those after `lea`, `add`, `shl`, or unknown.

use super::body::Body;
use super::chains::{Chain, immediate};
use super::operation::Class;
use super::step::{MEMORY, Slot, Slots, Step};
use crate::facts::{ChainKind, StaticStride};
use iced_x86::{Mnemonic, OpKind};
use std::collections::{BTreeMap, BTreeSet};

type State = Vec<Option<i64>>;

/// A stride with the step it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stride {
    /// Index into the body's steps.
    pub step: usize,
    /// The stride; its source line is not filled in yet.
    pub fact: StaticStride,
}

/// Strides of the loop's own memory operands.
pub fn strides(body: &Body, chains: &[Chain]) -> Vec<Stride> {
    let places = (MEMORY + body.slots) as usize;
    let start: State = (0..places as Slot)
        .map(|s| {
            if !body.changes(s) {
                return Some(0);
            }
            chains.iter().find(|c| c.slot == s && c.kind == ChainKind::Induction).and_then(|c| c.advance)
        })
        .collect();
    let mut ends: Vec<State> = Vec::with_capacity(body.blocks.len());
    let mut out = Vec::new();
    for block in &body.blocks {
        let mut before = block.before.iter();
        let mut state = match before.next() {
            Some(&first) => ends[first].clone(),
            None => start.clone(),
        };
        for &p in before {
            for (a, b) in state.iter_mut().zip(&ends[p]) {
                if *a != *b {
                    *a = None;
                }
            }
        }
        for at in block.steps.0..block.steps.1 {
            let step = &body.steps[at];
            if let Some(m) = step.memory.filter(|m| !m.indexed)
                && (!m.on_stack() || body.changes(m.base.unwrap_or(0)))
                && let Some(bytes) = address_delta(step, &state)
            {
                let fact = StaticStride {
                    address: step.instruction.ip(),
                    bytes,
                    size: m.size,
                    store: m.store,
                    line: 0,
                };
                out.push(Stride { step: at, fact });
            }
            apply(step, &mut state);
        }
        ends.push(state);
    }
    out
}

/// How many vectors of one array a machine iteration processes: the accesses of one stream that together
/// cover the stream's stride. Streams with gaps (strided access, also by vectors that overlap) are skipped.
pub fn unroll(body: &Body, strides: &[Stride], bits: u32) -> u32 {
    let mut streams: BTreeMap<(i64, bool, u32, Slots), BTreeSet<u64>> = BTreeMap::new();
    for s in strides {
        let step = &body.steps[s.step];
        if step.operation.vector && step.operation.packed && s.fact.bytes != 0 {
            let displacement = step.memory.map_or(0, |m| m.displacement);
            let key = (s.fact.bytes, s.fact.store, s.fact.size, step.address.clone());
            streams.entry(key).or_default().insert(displacement);
        }
    }
    let of = |size: u32| {
        let contiguous = streams.iter().filter(|((bytes, _, operand, _), accesses)| {
            *operand >= size && covered(accesses, u64::from(*operand)) >= bytes.unsigned_abs()
        });
        contiguous
            .map(|((bytes, _, operand, _), _)| bytes.unsigned_abs() / u64::from((*operand).max(1)))
            .min()
    };
    // Full vectors first: narrower operands belong to conversions.
    let factor = of(bits / 8).or_else(|| of(1)).unwrap_or(1);
    u32::try_from(factor).unwrap_or(1).clamp(1, 64)
}

/// Bytes that accesses of this size at these displacements touch.
fn covered(displacements: &BTreeSet<u64>, size: u64) -> u64 {
    // Displacements are signed numbers.
    let mut starts: Vec<i64> = displacements.iter().map(|&d| d as i64).collect();
    starts.sort_unstable();
    let gaps = starts.windows(2).map(|pair| size.min(pair[1].abs_diff(pair[0])));
    gaps.fold(size, u64::saturating_add)
}

/// Registers stored to the stack and reloaded in the loop: how often, of any kind and of vectors. Unoptimised code
/// keeps the induction variables themselves on the stack; that does not count as spilling.
pub fn spills(body: &Body, chains: &[Chain]) -> (u32, u32) {
    let inductions = || chains.iter().filter(|c| c.kind == ChainKind::Induction);
    if inductions().any(|c| c.slot >= MEMORY) && !inductions().any(|c| c.slot < MEMORY) {
        return (0, 0);
    }
    let saved = body.steps.iter().filter(|s| {
        let saved =
            s.memory.filter(|m| m.store && !m.load && m.on_stack() && s.operation.class == Class::Move);
        saved.is_some_and(|m| m.slot.is_some())
    });
    saved.fold((0, 0), |(all, vectors), s| (all + 1, vectors + u32::from(s.operation.vector)))
}

fn address_delta(step: &Step, state: &State) -> Option<i64> {
    let m = step.memory?;
    let get = |s: Option<Slot>| s.map_or(Some(0), |s| state.get(s as usize).copied().flatten());
    get(m.base)?.checked_add(get(m.index)?.checked_mul(m.scale)?)
}

fn apply(step: &Step, state: &mut State) {
    let value = result(step, state);
    for &w in &step.writes {
        if let Some(place) = state.get_mut(w as usize) {
            *place = value;
        }
    }
    if let Some(slot) = step.stores_slot()
        && let Some(place) = state.get_mut(slot as usize)
    {
        *place = value;
    }
}

/// The delta of a step's result.
fn result(step: &Step, state: &State) -> Option<i64> {
    let i = &step.instruction;
    let get = |s: Slot| state.get(s as usize).copied().flatten();
    let register = |k: u32| super::step::slot_of(i.op_register(k)).and_then(get);
    let operand = |k: u32| match i.op_kind(k) {
        OpKind::Register => register(k),
        OpKind::Memory => match step.memory?.slot {
            Some(slot) => get(slot),
            None => None,
        },
        // Constants do not change.
        _ => Some(0),
    };
    match i.mnemonic() {
        Mnemonic::Lea => {
            let part = |r| super::step::slot_of(r).map_or(Some(0), get);
            part(i.memory_base())?
                .checked_add(part(i.memory_index())?.checked_mul(i64::from(i.memory_index_scale()))?)
        }
        Mnemonic::Mov | Mnemonic::Movsxd => operand(1),
        // The low half of a register keeps the delta unless it wraps; 8 and 16 bits do wrap.
        Mnemonic::Movsx | Mnemonic::Movzx
            if i.op1_kind() == OpKind::Register && i.op_register(1).size() >= 4 =>
        {
            operand(1)
        }
        Mnemonic::Cdqe => get(0),
        Mnemonic::Inc | Mnemonic::Dec => operand(0),
        Mnemonic::Add => operand(0)?.checked_add(operand(1)?),
        Mnemonic::Sub => operand(0)?.checked_sub(operand(1)?),
        Mnemonic::Xor if step.reads.is_empty() && step.memory.is_none() => Some(0),
        Mnemonic::Shl if step.memory.is_none() && i.op_count() == 2 => {
            let by = u32::try_from(immediate(step)?).ok().filter(|&n| n < 32)?;
            operand(0)?.checked_mul(1i64.checked_shl(by)?)
        }
        Mnemonic::Imul if i.op_count() == 3 => operand(1)?.checked_mul(immediate(step)?),
        _ if step.operation.class == Class::Compare => None,
        _ => None,
    }
}
