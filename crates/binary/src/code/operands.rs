//! Where a loop's operands come from: addresses that it loads before it can load data, divisors that it never
//! changes, and single bits (in [`super::bits`]).

use super::bits;
use super::body::Body;
use super::operation::{Class, Operation};
use super::step::{Slot, Step};
use crate::facts::OperandUse;
use rustc_hash::FxHashSet as HashSet;

/// General registers.
const REGISTERS: usize = 16;
/// Most loads of addresses that are distinguished; further ones count as one.
const MOST_LOADS: u32 = 63;

/// Counts all of them. What the conditions of branches are made of follows from formulas ([`super::carried`]).
pub fn uses(body: &Body) -> OperandUse {
    OperandUse {
        address_loads: address_loads(body),
        invariant_divisors: invariant_divisors(body),
        bit_shifts: bits::shifts(body),
        bit_tests: bits::tests(body),
        appended_bits: bits::appended(body),
        ..OperandUse::default()
    }
}

/// Loads of 8 bytes whose value is the base of another access in the same iteration, directly or
/// after additions. A linked list's next pointer is not among them where it is used an iteration later.
fn address_loads(body: &Body) -> u32 {
    /// For each register the loads whose values are summed in it.
    type State = [u64; REGISTERS];
    let mut ends: Vec<State> = Vec::with_capacity(body.blocks.len());
    let (mut loads, mut used) = (0u32, 0u64);
    for block in &body.blocks {
        let mut state: State = [0; REGISTERS];
        for &p in &block.before {
            for (a, b) in state.iter_mut().zip(&ends[p]) {
                *a |= b;
            }
        }
        for step in &body.steps[block.steps.0..block.steps.1] {
            if let Some(m) = step.memory.filter(|m| !m.on_stack()) {
                let index = m.index.filter(|_| m.scale == 1);
                used |= [m.base, index].into_iter().flatten().map(|r| of(&state, r)).fold(0, |a, b| a | b);
            }
            let value = if is_address_load(step) {
                loads = (loads + 1).min(MOST_LOADS);
                1 << loads
            } else if adds(step) {
                step.reads.iter().map(|&r| of(&state, r)).fold(0, |a, b| a | b)
            } else {
                0
            };
            for &w in &step.writes {
                if let Some(register) = state.get_mut(usize::from(w)) {
                    *register = value;
                }
            }
        }
        ends.push(state);
    }
    used.count_ones()
}

fn of(state: &[u64; REGISTERS], register: Slot) -> u64 {
    state.get(usize::from(register)).copied().unwrap_or(0)
}

/// A plain load of 8 bytes into a general register, neither from the stack nor of a global variable.
fn is_address_load(step: &Step) -> bool {
    step.operation.class == Class::Move
        && step.memory.is_some_and(|m| m.load && m.size == 8 && !m.on_stack() && !m.global && !m.indexed)
        && step.writes.iter().any(|&w| usize::from(w) < REGISTERS)
}

/// Copies and sums of registers, which keep an address an address. A scaled operand of `lea` is an index; it
/// is not distinguished from the other operand, because both are rarely loaded.
fn adds(step: &Step) -> bool {
    step.memory.is_none() && matches!(step.operation.class, Class::Move | Class::Lea | Class::Add)
}

/// Floating-point divisions whose divisor has the same value in every iteration: a register that only copies
/// of such registers write, or memory at a fixed address that the loop does not store to.
fn invariant_divisors(body: &Body) -> u32 {
    let changing = changing_places(body);
    let fixed = |step: &&Step| {
        let Some(divisor) = divisor(step) else { return false };
        match divisor {
            Divisor::Register(slot) => !changing.contains(&slot),
            Divisor::Memory => {
                step.memory.is_some_and(|m| m.slot.is_none() && !m.indexed)
                    && step.address.iter().all(|a| !changing.contains(a))
            }
        }
    };
    let divisions = body.steps.iter().filter(|s| is_float_division(&s.operation));
    u32::try_from(divisions.filter(fixed).count()).unwrap_or(u32::MAX)
}

/// Places whose value may differ from iteration to iteration.
fn changing_places(body: &Body) -> HashSet<Slot> {
    let mut changing: HashSet<Slot> = (0..=super::step::CARRY).filter(|&s| body.inner.contains(s)).collect();
    // A place that only copies of invariant registers and memory write is invariant where it is read after
    // them; a chain of copies needs as many rounds as it is long.
    loop {
        let before = changing.len();
        for step in &body.steps {
            let fixed = step.reads.iter().chain(&step.address).all(|r| !changing.contains(r));
            let loaded =
                step.memory.map_or(!step.reads.is_empty(), |m| m.load && !m.store && m.slot.is_none());
            if !(fixed && loaded && matches!(step.operation.class, Class::Move | Class::Broadcast)) {
                changing.extend(step.writes.iter().copied());
            }
        }
        if changing.len() == before {
            return changing;
        }
    }
}

fn is_float_division(operation: &Operation) -> bool {
    operation.class == Class::Divide && operation.is_float()
}

enum Divisor {
    Register(Slot),
    Memory,
}

/// The divisor of a floating-point division: the last operand, which may be in memory.
fn divisor(step: &Step) -> Option<Divisor> {
    if !is_float_division(&step.operation) {
        return None;
    }
    if step.memory.is_some_and(|m| m.load) {
        return Some(Divisor::Memory);
    }
    let last = step.instruction.op_count().checked_sub(1)?;
    super::step::slot_of(step.instruction.op_register(last)).map(Divisor::Register)
}
