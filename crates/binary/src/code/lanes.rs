//! How many bits of a vector register are in use.
//!
//! The width of an encoding can mislead: compilers put scalars through packed instructions (`andps` for an
//! absolute value, `cvtps2pd` for a conversion free of false dependences, `unpcklps x, x` before it), and GCC
//! vectorises two floats in the lower half of an XMM register. So the number of live bits is followed from
//! loads and scalar results through the loop: an operation is packed when more bits are live than one element
//! has. Constants and loop-invariant registers are not counted, since a mask or a splat has full width
//! whatever it is used with.
//!
//! Sums across the lanes of one register, which end a reduction, are not "packed across iterations" and
//! are recognised here as well: an operand is a rearranged copy of the other.

use super::body::Body;
use super::operation::{Class, Operation};
use super::step::{Slot, Step};
use iced_x86::{Instruction, OpKind, Register};
use rustc_hash::FxHashMap as HashMap;

/// Use of lanes by one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// Live bits of the result; 0 when it works on constants and invariants only.
    pub bits: u32,
    /// Combines lanes of one register.
    pub horizontal: bool,
}

/// Number of registers in a state: vector registers only.
const REGISTERS: usize = 32;
type State = [u16; REGISTERS];

/// Live bits of a tracked place in memory before a store to it was seen.
const UNSTORED: u32 = u32::MAX;

/// Rounds until the widths along cycles are stable; widths only grow, through six values.
const ROUNDS: usize = 8;

/// Live bits for every step of `body`.
pub fn analyze(body: &Body) -> Vec<Lanes> {
    let mut lanes = vec![Lanes::default(); body.steps.len()];
    if !body.steps.iter().any(|s| s.operation.vector) {
        return lanes;
    }
    let mut ends: Vec<State> = vec![[0; REGISTERS]; body.blocks.len()];
    let mut carried: State = [0; REGISTERS];
    let mut slots: HashMap<Slot, u16> = HashMap::default();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for k in 0..body.blocks.len() {
            let mut state = if k == 0 { carried } else { [0; REGISTERS] };
            for &p in &body.blocks[k].before {
                join(&mut state, &ends[p]);
            }
            let range = body.blocks[k].steps;
            let steps = body.steps[range.0..range.1].iter();
            for (step, lanes) in steps.zip(&mut lanes[range.0..range.1]) {
                let bits = apply(step, &mut state, &mut slots);
                changed |= lanes.bits != bits;
                lanes.bits = bits;
            }
            changed |= ends[k] != state;
            ends[k] = state;
            if body.blocks[k].latch {
                join(&mut carried, &state);
            }
        }
        if !changed {
            break;
        }
    }
    mark_horizontal(body, &mut lanes);
    lanes
}

fn join(state: &mut State, other: &State) {
    for (a, b) in state.iter_mut().zip(other) {
        *a = (*a).max(*b);
    }
}

/// Number of a vector register.
pub fn vector_index(register: Register) -> Option<usize> {
    register.is_vector_register().then(|| register.number()).filter(|&n| n < REGISTERS)
}

/// Width of the widest vector register that an instruction names.
pub fn register_bits(i: &Instruction) -> u32 {
    let of = |k: u32| match i.op_kind(k) {
        OpKind::Register if i.op_register(k).is_vector_register() => i.op_register(k).size() as u32 * 8,
        OpKind::Register if i.op_register(k).is_mm() => 64,
        _ => 0,
    };
    (0..i.op_count()).map(of).max().unwrap_or(0)
}

/// Computes the live bits of one step's result and updates the state.
fn apply(step: &Step, state: &mut State, slots: &mut HashMap<Slot, u16>) -> u32 {
    let i = &step.instruction;
    if !step.operation.vector {
        for &w in &step.writes {
            if (16..48).contains(&w) {
                state[w as usize - 16] = 0;
            }
        }
        return 0;
    }
    let bits = result_bits(i, &step.operation, &inputs(step, state, slots));
    if let Some(slot) = step.stores_slot() {
        let source = (0..i.op_count())
            .filter(|&k| i.op_kind(k) == OpKind::Register)
            .find_map(|k| vector_index(i.op_register(k)));
        let live = source.map_or(0, |s| state[s]);
        let entry = slots.entry(slot).or_default();
        *entry = (*entry).max(live);
    }
    if i.op_count() > 0
        && i.op0_kind() == OpKind::Register
        && let Some(d) = vector_index(i.op0_register())
        && step.writes.contains(&(16 + d as Slot))
    {
        state[d] = bits as u16;
    }
    bits
}

/// What is known of the operands of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Most live bits of the vector registers that it reads; `None` when it reads none, 0 for constants.
    pub registers: Option<u32>,
    /// Registers that it reads, of any kind.
    pub reads: usize,
    /// Reads a general register for its value.
    pub general: bool,
    /// Its memory operand.
    pub memory: Option<MemoryInput>,
}

/// What is known of a memory operand.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryInput {
    /// It is read.
    pub load: bool,
    /// It is written.
    pub store: bool,
    /// Bits transferred.
    pub bits: u32,
    /// Live bits, where it is known what was stored there.
    pub live: Option<u32>,
    /// Holds a constant, or one value for all lanes: takes the width of the other operand.
    pub neutral: bool,
}

fn inputs(step: &Step, state: &State, slots: &HashMap<Slot, u16>) -> Inputs {
    let vectors = step.reads.iter().filter(|&&r| (16..48).contains(&r));
    Inputs {
        registers: vectors.map(|&r| u32::from(state[r as usize - 16])).max(),
        reads: step.reads.len(),
        general: step.reads.iter().any(|&r| r < 16),
        memory: step.memory.map(|m| MemoryInput {
            load: m.load,
            store: m.store,
            bits: m.size * 8,
            live: m.slot.filter(|_| m.load).map(|s| slots.get(&s).copied().map_or(UNSTORED, u32::from)),
            neutral: m.global || step.instruction.is_broadcast() || step.address.is_empty(),
        }),
    }
}

/// Live bits of the result of a vector instruction.
pub fn result_bits(i: &Instruction, operation: &Operation, inputs: &Inputs) -> u32 {
    let full = register_bits(i);
    if !operation.packed {
        return scalar_bits(i, operation, inputs);
    }
    // A constant without inputs: `pxor x, x`.
    if inputs.reads == 0 && inputs.memory.is_none() {
        return 0;
    }
    let from_memory = inputs.memory.filter(|m| m.load).map_or(0, |m| match m.live {
        Some(UNSTORED) => 0,
        Some(live) => live,
        None if m.neutral => 0,
        None => m.bits,
    });
    let widest = inputs.registers.unwrap_or(0).max(from_memory);
    match operation.class {
        Class::Move => {
            if inputs.memory.is_some_and(|m| m.store) {
                widest.min(full)
            } else {
                widest
            }
        }
        Class::Insert => insert_bits(i, widest, full),
        Class::Shuffle => {
            let same = inputs.reads <= 1 && inputs.memory.is_none();
            let name = i.mnemonic();
            let unpacks = starts_with_any(name, &["unpckl", "punpckl", "vunpckl", "vpunpckl"]);
            if widest == 0 {
                0
            } else if unpacks && !same {
                (2 * widest).min(full)
            } else if unpacks && i.op0_register().is_vector_register() && same {
                widest // scalar idiom: the upper copy is never used
            } else {
                full
            }
        }
        // One value in all lanes: takes the width of the other operand.
        Class::Broadcast => {
            if inputs.memory.is_some() || widest > 0 || inputs.general {
                full
            } else {
                0
            }
        }
        Class::Gather | Class::Expand | Class::Compress | Class::Blend
            if widest > 0 || inputs.memory.is_some() =>
        {
            full.max(widest.min(full))
        }
        Class::Convert => converted_bits(i, operation, widest, full),
        Class::Extract => widest.min(full),
        Class::Horizontal => widest.min(full),
        _ => widest.min(full.max(64)),
    }
}

fn starts_with_any(mnemonic: iced_x86::Mnemonic, prefixes: &[&str]) -> bool {
    let name = super::operation::name(mnemonic);
    prefixes.iter().any(|p| name.starts_with(p))
}

fn scalar_bits(i: &Instruction, operation: &Operation, inputs: &Inputs) -> u32 {
    if let Some(e) = operation.element {
        return e.bits();
    }
    // `movd`, `movq`: between memory or general registers and vectors.
    if let Some(m) = inputs.memory {
        return m.live.unwrap_or(m.bits).min(m.bits);
    }
    if starts_with_any(i.mnemonic(), &["movd", "vmovd"]) {
        return 32;
    }
    inputs.registers.map_or(64, |b| b.min(64))
}

/// Live bits after elements were inserted.
fn insert_bits(i: &Instruction, widest: u32, full: u32) -> u32 {
    use iced_x86::Mnemonic as M;
    match i.mnemonic() {
        // Two floats into the lower half.
        M::Movlps | M::Movlpd | M::Vmovlps | M::Vmovlpd => widest.max(64),
        M::Insertps
        | M::Vinsertps
        | M::Pinsrb
        | M::Pinsrw
        | M::Pinsrd
        | M::Pinsrq
        | M::Vpinsrb
        | M::Vpinsrw
        | M::Vpinsrd
        | M::Vpinsrq => {
            let element = match i.mnemonic() {
                M::Pinsrb | M::Vpinsrb => 8,
                M::Pinsrw | M::Vpinsrw => 16,
                M::Pinsrq | M::Vpinsrq => 64,
                _ => 32,
            };
            let last = i.immediate(i.op_count() - 1) as u32;
            let lane = if element == 32 && matches!(i.mnemonic(), M::Insertps | M::Vinsertps) {
                last >> 4 & 3
            } else {
                last
            };
            widest.max(((lane + 1) * element).min(full))
        }
        _ => full,
    }
}

/// Live bits after a conversion that changes the element size.
fn converted_bits(i: &Instruction, operation: &Operation, widest: u32, full: u32) -> u32 {
    let (from, to) = conversion_sizes(i, operation);
    (widest * to).checked_div(from).unwrap_or(widest).min(full)
}

/// Element bits before and after a packed conversion; 0 when the mnemonic does not show them.
pub fn conversion_sizes(i: &Instruction, operation: &Operation) -> (u32, u32) {
    let name = super::operation::name(i.mnemonic());
    let size = |token: &str| match token {
        "ps" | "dq" | "udq" | "pi" => 32,
        "pd" | "qq" | "uqq" => 64,
        "ph" | "w" | "uw" | "pbf16" => 16,
        _ => 0,
    };
    if let Some((from, to)) =
        name.trim_start_matches('v').trim_start_matches("cvt").trim_start_matches('t').split_once('2')
    {
        return (size(from), size(to));
    }
    let letter = |b: Option<u8>| match b {
        Some(b'b') => 8,
        Some(b'w') => 16,
        Some(b'd') => 32,
        Some(b'q') => 64,
        _ => 0,
    };
    let bytes = name.as_bytes();
    let from = letter(bytes.len().checked_sub(2).and_then(|k| bytes.get(k)).copied());
    let to = operation.element.map_or(0, |e| e.bits());
    (from, to)
}

/// Finds operations that combine a register with a rearranged copy of itself.
fn mark_horizontal(body: &Body, lanes: &mut [Lanes]) {
    for block in &body.blocks {
        // Value numbers of registers; a rearranged copy remembers its source.
        let mut value: HashMap<Slot, u32> = HashMap::default();
        let mut made_of: HashMap<u32, u32> = HashMap::default();
        let mut next = 0u32;
        let range = block.steps.0..block.steps.1;
        for (step, lanes) in body.steps[range.clone()].iter().zip(&mut lanes[range]) {
            let mut number = |slot: Slot| {
                *value.entry(slot).or_insert_with(|| {
                    next += 1;
                    next
                })
            };
            let vectors: Vec<u32> =
                step.reads.iter().filter(|r| (16..48).contains(*r)).map(|&r| number(r)).collect();
            if !step.operation.vector {
                for w in &step.writes {
                    value.remove(w);
                }
                continue;
            }
            let arithmetic = step.operation.is_arithmetic() && step.operation.class != Class::Convert;
            if arithmetic && step.operation.packed {
                let related = |a: &u32, b: &u32| made_of.get(a) == Some(b);
                let crossed = vectors.iter().any(|a| vectors.iter().any(|b| a != b && related(a, b)));
                let itself =
                    step.operation.class == Class::Horizontal && vectors.len() == 1 && step.memory.is_none();
                lanes.horizontal = crossed || itself;
            }
            let destination = step.writes.iter().copied().find(|w| (16..48).contains(w));
            let rearranges = matches!(step.operation.class, Class::Shuffle | Class::Extract | Class::Insert)
                || step.operation.class == Class::Shift && step.memory.is_none();
            let origin = match vectors.as_slice() {
                [one] => Some(*one),
                // `movhlps x, y` and `shufps x, y` merge into a copy or an unused register.
                [_, other] if rearranges => Some(source_value(step, &value).unwrap_or(*other)),
                _ => None,
            };
            let Some(destination) = destination else { continue };
            let copied = step.operation.class == Class::Move && step.memory.is_none() && vectors.len() == 1;
            if copied {
                value.insert(destination, vectors[0]);
                continue;
            }
            next += 1;
            value.insert(destination, next);
            if let Some(origin) = origin.filter(|_| rearranges) {
                made_of.insert(next, made_of.get(&origin).copied().unwrap_or(origin));
            }
        }
    }
}

/// The value number of the last register operand.
fn source_value(step: &Step, value: &HashMap<Slot, u32>) -> Option<u32> {
    let i = &step.instruction;
    let register =
        (0..i.op_count()).rev().find(|&k| i.op_kind(k) == OpKind::Register).map(|k| i.op_register(k))?;
    value.get(&super::step::slot_of(register)?).copied()
}
