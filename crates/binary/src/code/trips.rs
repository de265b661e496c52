//! Trip counts that are constants of the code: start, step and bound of the variable that controls the only
//! exit are all known.

use super::blocks::{BlockId, Graph};
use super::body::Body;
use super::chains::{Chain, immediate};
use super::nest::Nest;
use super::step::{Places, Slot, Step, slot_of};
use crate::facts::ChainKind;
use iced_x86::{ConditionCode, Instruction, InstructionInfoFactory, Mnemonic, OpKind};

/// Most blocks and definitions that are followed backwards to find a start value.
const DEPTH: u32 = 12;

/// The facts about a function that the search for start values needs.
pub struct Context<'a> {
    /// Control flow.
    pub graph: &'a Graph,
    /// Loops.
    pub nest: &'a Nest,
    /// What each block writes (blocks in loops only).
    pub written: &'a [Places],
}

/// A value as an unknown plus a constant: the unknown is what a place held where the search ended.
type Value = (Option<(Slot, usize)>, i64);

/// The constant trip count of loop `index`, if it has one.
pub fn constant(context: &Context, index: u32, body: &Body, chains: &[Chain]) -> Option<u64> {
    let l = context.nest.loops.get(index as usize)?;
    let mut exits = l.body.iter().flat_map(|&b| {
        let block = &context.graph.blocks[b as usize];
        let leaving = block.successors.iter().filter(|s| l.body.binary_search(s).is_err()).count();
        std::iter::repeat_n(b, leaving + usize::from(block.leaves))
    });
    let exit = exits.next()?;
    if exits.next().is_some() {
        return None;
    }
    let block = body.blocks.iter().find(|b| b.id == exit && b.always)?;
    let (jump, before) = body.steps[block.steps.0..block.steps.1].split_last()?;
    let target = jump.instruction.near_branch_target();
    let taken_stays = l.body.iter().any(|&b| context.graph.blocks[b as usize].start == target);
    let condition = jump.instruction.condition_code();
    let stays = if taken_stays { condition } else { negate(condition) };
    let test_at = before.iter().rposition(|s| s.instruction.rflags_modified() != 0)?;
    let test = &before[test_at];
    let test_index = block.steps.0 + test_at;
    let (slot, bound, after_update) = controlled(test)?;
    let chain = chains.iter().find(|c| c.slot == slot && c.kind == ChainKind::Induction)?;
    let advance = chain.advance.filter(|&a| a != 0)?;
    let updated = chain.steps.last().is_some_and(|&s| s < test_index || s == test_index && after_update);
    let start = entry_value(context, index, slot)?;
    let bound = match bound {
        Bound::Constant(c) => (None, c),
        Bound::Place(s) if !body.changes(s) => entry_value(context, index, s)?,
        Bound::Place(_) => return None,
    };
    if start.0 != bound.0 {
        return None;
    }
    let first = start.1.checked_add(if updated { advance } else { 0 })?;
    let tests = tests_until_exit(first, advance, bound.1, stays)?;
    // A test at the top runs once more than the body.
    let at_top = exit == l.header && !l.latches.contains(&exit);
    let trips = if at_top { tests.checked_sub(1)? } else { tests };
    (trips > 0).then_some(trips)
}

/// The register has the same value in all bytes when loop `index` is entered: zero, all ones, or such a number.
pub fn repeats_one_byte(context: &Context, index: u32, slot: Slot) -> bool {
    if let Some((None, value)) = entry_value(context, index, slot) {
        return super::idiom::is_one_byte(value, 8)
            || super::idiom::is_one_byte(value, 4) && value >> 32 == 0;
    }
    definition(context, index, slot).is_some_and(|i| {
        let same = |a: u32, b: u32| i.op_kind(b) == OpKind::Register && i.op_register(a) == i.op_register(b);
        let zeroes = match i.mnemonic() {
            Mnemonic::Pxor | Mnemonic::Xorps | Mnemonic::Xorpd => same(0, 1),
            Mnemonic::Vpxor | Mnemonic::Vxorps | Mnemonic::Vxorpd | Mnemonic::Vpxord | Mnemonic::Vpxorq => {
                same(1, 2)
            }
            Mnemonic::Vpbroadcastb => true,
            _ => false,
        };
        zeroes || super::step::sets_all_ones(&i)
    })
}

/// The instruction before loop `index` that sets a register, on the only path to it.
fn definition(context: &Context, index: u32, slot: Slot) -> Option<Instruction> {
    let l = context.nest.loops.get(index as usize)?;
    let header = &context.graph.blocks[l.header as usize];
    let mut outside = header.predecessors.iter().filter(|p| l.body.binary_search(p).is_err());
    let mut block = *outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let mut factory = InstructionInfoFactory::new();
    for _ in 0..DEPTH {
        for i in context.graph.code(block).iter().rev() {
            if super::step::step(i, 0, &mut factory).writes.contains(&slot) {
                return Some(*i);
            }
        }
        match context.graph.blocks[block as usize].predecessors.as_slice() {
            [one] => block = *one,
            _ => return None,
        }
    }
    None
}

enum Bound {
    Constant(i64),
    Place(Slot),
}

/// The place that a test examines, what it is compared with, and whether the test itself updates it.
fn controlled(test: &Step) -> Option<(Slot, Bound, bool)> {
    let i = &test.instruction;
    let place = |k: u32| match i.op_kind(k) {
        OpKind::Register => slot_of(i.op_register(k)),
        OpKind::Memory => test.memory?.slot,
        _ => None,
    };
    match i.mnemonic() {
        Mnemonic::Cmp => {
            let bound = match immediate(test) {
                Some(c) => Bound::Constant(c),
                None => Bound::Place(place(1)?),
            };
            Some((place(0)?, bound, false))
        }
        Mnemonic::Test if i.op0_kind() == OpKind::Register && i.op0_register() == i.op1_register() => {
            Some((place(0)?, Bound::Constant(0), false))
        }
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::Inc | Mnemonic::Dec => {
            Some((place(0)?, Bound::Constant(0), true))
        }
        _ => None,
    }
}

fn negate(c: ConditionCode) -> ConditionCode {
    use ConditionCode as C;
    match c {
        C::e => C::ne,
        C::ne => C::e,
        C::l => C::ge,
        C::ge => C::l,
        C::le => C::g,
        C::g => C::le,
        C::b => C::ae,
        C::ae => C::b,
        C::be => C::a,
        C::a => C::be,
        C::s => C::ns,
        C::ns => C::s,
        _ => C::None,
    }
}

/// How often the test runs until it leaves: the k-th test sees `first + (k - 1) * advance`.
fn tests_until_exit(first: i64, advance: i64, bound: i64, stays: ConditionCode) -> Option<u64> {
    use ConditionCode as C;
    let distance = i128::from(bound) - i128::from(first);
    let step = i128::from(advance);
    // Tests passed before the value reaches `bound + slack` in the direction of the advance.
    let until = |distance: i128| -> Option<u64> {
        if distance <= 0 && step > 0 || distance >= 0 && step < 0 {
            return Some(1);
        }
        let passed = (distance.abs() + step.abs() - 1) / step.abs();
        u64::try_from(passed + 1).ok()
    };
    match stays {
        C::ne if distance % step == 0 && distance / step >= 0 => u64::try_from(distance / step + 1).ok(),
        C::l | C::b if step > 0 => until(distance),
        C::le | C::be if step > 0 => until(distance + 1),
        C::g | C::a if step < 0 => until(distance),
        C::ge | C::ns if step < 0 => until(distance - 1),
        _ => None,
    }
}

/// The value of `slot` when loop `index` is entered.
fn entry_value(context: &Context, index: u32, slot: Slot) -> Option<Value> {
    let l = context.nest.loops.get(index as usize)?;
    let header = &context.graph.blocks[l.header as usize];
    let mut outside = header.predecessors.iter().filter(|p| l.body.binary_search(p).is_err());
    let before = *outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let end = context.graph.blocks[before as usize].instructions.1 as usize;
    value_before(context, before, end, slot, DEPTH)
}

/// The value of `slot` before instruction `at` of `block`.
fn value_before(context: &Context, block: BlockId, at: usize, slot: Slot, depth: u32) -> Option<Value> {
    if depth == 0 || slot >= super::step::CARRY {
        return None;
    }
    let range = context.graph.blocks[block as usize].instructions;
    let mut factory = InstructionInfoFactory::new();
    for k in (range.0 as usize..at).rev() {
        let step = super::step::step(&context.graph.instructions[k], k, &mut factory);
        if step.writes.contains(&slot) {
            return defined_by(context, block, k, &step.instruction, slot, depth - 1);
        }
    }
    let inner = context.nest.innermost[block as usize];
    let predecessors = &context.graph.blocks[block as usize].predecessors;
    if let Some(l) = inner
        && context.nest.loops[l as usize].header == block
    {
        let unchanged =
            context.nest.loops[l as usize].body.iter().all(|&b| !context.written[b as usize].contains(slot));
        return if unchanged { entry_value_at_depth(context, l, slot, depth - 1) } else { None };
    }
    match predecessors.as_slice() {
        [one] => {
            let end = context.graph.blocks[*one as usize].instructions.1 as usize;
            value_before(context, *one, end, slot, depth - 1)
        }
        // The function's entry: the value that the caller passed.
        [] => Some((Some((slot, 0)), 0)),
        _ => None,
    }
}

fn entry_value_at_depth(context: &Context, index: u32, slot: Slot, depth: u32) -> Option<Value> {
    let l = context.nest.loops.get(index as usize)?;
    let header = &context.graph.blocks[l.header as usize];
    let mut outside = header.predecessors.iter().filter(|p| l.body.binary_search(p).is_err());
    let before = *outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let end = context.graph.blocks[before as usize].instructions.1 as usize;
    value_before(context, before, end, slot, depth)
}

fn defined_by(
    context: &Context,
    block: BlockId,
    at: usize,
    i: &Instruction,
    slot: Slot,
    depth: u32,
) -> Option<Value> {
    let unknown: Value = (Some((slot, at + 1)), 0);
    let place = |k: u32| slot_of(i.op_register(k));
    let is_immediate = |k: u32| {
        matches!(
            i.op_kind(k),
            OpKind::Immediate8
                | OpKind::Immediate32
                | OpKind::Immediate64
                | OpKind::Immediate8to32
                | OpKind::Immediate8to64
                | OpKind::Immediate32to64
        )
    };
    let plus = |v: Option<Value>, c: i64| v.and_then(|v| Some((v.0, v.1.checked_add(c)?)));
    let before = |s: Slot| value_before(context, block, at, s, depth);
    match i.mnemonic() {
        Mnemonic::Mov if is_immediate(1) && i.op0_kind() == OpKind::Register => {
            Some((None, i.immediate(1) as i64))
        }
        Mnemonic::Mov if i.op0_kind() == OpKind::Register && i.op1_kind() == OpKind::Register => {
            before(place(1)?)
        }
        Mnemonic::Xor if i.op1_kind() == OpKind::Register && i.op0_register() == i.op1_register() => {
            Some((None, 0))
        }
        Mnemonic::Add if is_immediate(1) => plus(before(slot), i.immediate(1) as i64),
        Mnemonic::Sub if is_immediate(1) => plus(before(slot), (i.immediate(1) as i64).checked_neg()?),
        Mnemonic::Lea if i.is_ip_rel_memory_operand() => Some((None, i.ip_rel_memory_address() as i64)),
        Mnemonic::Lea if i.memory_index() == iced_x86::Register::None => {
            plus(before(slot_of(i.memory_base())?), i.memory_displacement64() as i64)
        }
        _ => Some(unknown),
    }
}
