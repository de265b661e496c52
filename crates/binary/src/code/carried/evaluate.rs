//! Evaluates instructions on formulas: what registers, flags and variables of the frame hold after them.

use super::super::chains::is_immediate;
use super::super::operation::Class;
use super::super::step::{self, STACK_POINTER, Slot, Step, is_call, slot_of};
use super::formula::{Formula, Formulas, Id};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use std::collections::{BTreeMap, BTreeSet};

/// Distinguishes the operators of this module from instruction codes.
const OWN: u32 = 1 << 16;

/// Places of registers and of the carry flag.
const REGISTERS: usize = step::MEMORY as usize;

/// What registers hold, by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers([Option<Id>; REGISTERS]);

impl Default for Registers {
    fn default() -> Self {
        Self([None; REGISTERS])
    }
}

impl Registers {
    /// What a register holds, if it was written.
    pub fn get(&self, place: Slot) -> Option<Id> {
        self.0.get(usize::from(place)).copied().flatten()
    }

    /// Sets a register.
    pub fn insert(&mut self, place: Slot, value: Id) {
        if let Some(own) = self.0.get_mut(usize::from(place)) {
            *own = Some(value);
        }
    }
}

/// Values of places and of memory in the frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Registers by place; what is absent is as it was at the start.
    pub places: Registers,
    /// The flags, as the operation that set them.
    pub flags: Option<Id>,
    /// Variables in the frame by address: value and bytes.
    pub frame: BTreeMap<Id, (Id, u32)>,
    /// Number of stores to memory other than the frame, and of calls; `None` where they are not counted. They
    /// are not counted in the loop: the memory trace decides whether they meet its loads.
    pub stores: Option<u32>,
    /// Formulas that equal a number on every path to here, because a branch compared them.
    pub equal: Vec<(Id, i64)>,
}

impl State {
    /// What a register holds.
    pub fn register(&self, formulas: &mut Formulas, place: Slot) -> Id {
        self.places.get(place).unwrap_or_else(|| formulas.start(place))
    }

    /// The address that a memory operand names.
    pub fn address(&self, formulas: &mut Formulas, i: &Instruction) -> Id {
        if i.is_ip_rel_memory_operand() {
            return formulas.constant(i.ip_rel_memory_address() as i64);
        }
        if matches!(i.memory_segment(), Register::FS | Register::GS) || i.memory_index().is_vector_register()
        {
            return formulas.unknown();
        }
        let mut parts = Vec::new();
        for (register, factor) in
            [(i.memory_base(), 1), (i.memory_index(), i64::from(i.memory_index_scale()))]
        {
            if let Some(place) = slot_of(register) {
                parts.push((self.register(formulas, place), factor));
            }
        }
        let displacement = i.memory_displacement64() as i64;
        formulas.sum(&parts, displacement)
    }

    /// What memory at an address holds.
    pub fn load(&self, formulas: &mut Formulas, address: Id, size: u32) -> Id {
        match self.frame.get(&address) {
            Some(&(value, stored)) if stored == size => value,
            Some(_) => formulas.unknown(),
            None => {
                let stores = if in_frame(formulas, address) { 0 } else { self.stores.unwrap_or(0) };
                formulas.intern(Formula::Load(address, size, stores))
            }
        }
    }

    fn store(&mut self, formulas: &mut Formulas, address: Id, size: u32, value: Id) {
        if !in_frame(formulas, address) {
            self.count_store();
            return;
        }
        let meets: Vec<Id> = (self.frame.iter())
            .filter(|&(&other, &(_, length))| {
                let apart = formulas.apart(other, address);
                other != address && apart.is_some_and(|d| d < i64::from(size) && d > -i64::from(length))
            })
            .map(|(&other, _)| other)
            .collect();
        for other in meets {
            let unknown = formulas.unknown();
            if let Some(known) = self.frame.get_mut(&other) {
                known.0 = unknown;
            }
        }
        self.frame.insert(address, (value, size));
    }

    /// A store outside of the frame, or a call.
    pub fn count_store(&mut self) {
        self.stores = self.stores.map(|stores| stores.wrapping_add(1));
    }

    /// Keeps what holds on both of two paths; what differs becomes unknown.
    pub fn join(&mut self, formulas: &mut Formulas, other: &Self) {
        let written = |place: &Slot| self.places.get(*place).or(other.places.get(*place)).is_some();
        let places: Vec<Slot> = (0..REGISTERS as Slot).filter(written).collect();
        for place in places {
            let (a, b) = (self.register(formulas, place), other.register(formulas, place));
            if a != b {
                let same = self.as_on_both(formulas, (a, b), other);
                let value = same.unwrap_or_else(|| either(formulas, a, b));
                self.places.insert(place, value);
            }
        }
        if self.flags != other.flags {
            self.flags = Some(match (self.flags, other.flags) {
                (Some(a), Some(b)) => either(formulas, a, b),
                _ => formulas.unknown(),
            });
        }
        let addresses: BTreeSet<Id> = if self.frame == other.frame {
            BTreeSet::new()
        } else {
            self.frame.keys().chain(other.frame.keys()).copied().collect()
        };
        for address in addresses {
            let (a, b) = (self.frame.get(&address).copied(), other.frame.get(&address).copied());
            if a != b {
                let size = a.or(b).map_or(8, |(_, size)| size);
                // Stored on one path only: on the other it holds what it held at the start.
                let value = match (a, b) {
                    (Some((a, _)), Some((b, _))) => either(formulas, a, b),
                    _ => formulas.unknown(),
                };
                self.frame.insert(address, (value, size));
            }
        }
        self.stores = self.stores.max(other.stores);
        self.equal.retain(|known| other.equal.contains(known));
    }

    /// One of two values that is right on both paths. Where a path is taken for one value of a counter only, compilers write
    /// the number in its place.
    fn as_on_both(&self, formulas: &Formulas, (own, theirs): (Id, Id), other: &Self) -> Option<Id> {
        let is = |id: Id, number: Id, equal: &[(Id, i64)]| {
            let (terms, plus) = formulas.terms(id);
            let value = terms.iter().try_fold(plus, |sum, (term, factor)| {
                let known = equal.iter().find(|known| known.0 == *term)?.1;
                Some(sum.wrapping_add(known.wrapping_mul(*factor)))
            });
            value.is_some() && value == formulas.as_constant(number)
        };
        if is(own, theirs, &other.equal) {
            Some(own)
        } else if is(theirs, own, &self.equal) {
            Some(theirs)
        } else {
            None
        }
    }

    /// One instruction. `copies` says that a call returns its first argument (`memset` and the like).
    pub fn step(&mut self, formulas: &mut Formulas, step: &Step, copies: bool) {
        let i = &step.instruction;
        if is_call(i) {
            let first = slot_of(Register::RDI).map(|place| self.register(formulas, place));
            for &place in &step.writes {
                let value =
                    if step::returns_value(place) { formulas.unknown() } else { formulas.left_over() };
                self.places.insert(place, value);
            }
            if let (true, Some(first), Some(rax)) = (copies, first, slot_of(Register::RAX)) {
                self.places.insert(rax, first);
            }
            self.flags = Some(formulas.unknown());
            self.count_store();
            return;
        }
        if step.operation.class == Class::Stack {
            return self.stack(formulas, step);
        }
        let memory = step.memory;
        let address = memory.map(|_| self.address(formulas, i));
        let loaded = match (memory.filter(|m| m.load), address) {
            (Some(m), Some(address)) => Some(self.load(formulas, address, m.size)),
            _ => None,
        };
        let value = self.value(formulas, step, loaded);
        for &place in &step.writes {
            if place != step::CARRY {
                self.places.insert(place, value);
            }
        }
        if i.rflags_modified() != 0 {
            self.flags = Some(self.flags_of(formulas, step, loaded, value));
        }
        if let (Some(m), Some(address)) = (memory.filter(|m| m.store), address) {
            self.store(formulas, address, m.size, value);
        }
    }

    /// Pushes and pops.
    fn stack(&mut self, formulas: &mut Formulas, step: &Step) {
        let i = &step.instruction;
        for &place in &step.writes {
            let unknown = formulas.unknown();
            self.places.insert(place, unknown);
        }
        let before = self.register(formulas, STACK_POINTER);
        let after = match i.mnemonic() {
            Mnemonic::Leave | Mnemonic::Enter => formulas.unknown(),
            _ => formulas.sum(&[(before, 1)], i64::from(i.stack_pointer_increment())),
        };
        if i.mnemonic() == Mnemonic::Push {
            let unknown = formulas.unknown();
            self.store(formulas, after, 8, unknown);
        }
        self.places.insert(STACK_POINTER, after);
    }

    /// Operand `k` of an instruction.
    fn operand(
        &mut self,
        formulas: &mut Formulas,
        i: &Instruction,
        k: u32,
        loaded: Option<Id>,
    ) -> Option<Id> {
        match i.op_kind(k) {
            OpKind::Register => Some(self.register(formulas, slot_of(i.op_register(k))?)),
            OpKind::Memory => loaded,
            kind if is_immediate(kind) => {
                let value = i.immediate(k) as i64;
                let narrow = matches!(kind, OpKind::Immediate8to32 | OpKind::Immediate32);
                Some(formulas.constant(if narrow { i64::from(value as i32) } else { value }))
            }
            _ => None,
        }
    }

    /// The result of an instruction.
    fn value(&mut self, formulas: &mut Formulas, step: &Step, loaded: Option<Id>) -> Id {
        let i = &step.instruction;
        self.plain(formulas, step, loaded).unwrap_or_else(|| {
            let mut operands: Vec<Id> = step.reads.iter().map(|&r| self.register(formulas, r)).collect();
            operands.extend(loaded);
            if i.rflags_read() != 0 {
                let flags = self.flags;
                operands.push(flags.unwrap_or_else(|| formulas.start(step::CARRY)));
            }
            if step.operation.class == Class::Gather {
                let unknown = formulas.unknown();
                operands.push(unknown);
            }
            formulas.intern(Formula::Operator(i.code() as u32, immediates(i), operands))
        })
    }

    /// Moves and integer sums.
    fn plain(&mut self, formulas: &mut Formulas, step: &Step, loaded: Option<Id>) -> Option<Id> {
        let i = &step.instruction;
        let register_operands =
            (0..i.op_count()).all(|k| i.op_kind(k) != OpKind::Register || wide(i.op_register(k)));
        match i.mnemonic() {
            Mnemonic::Lea => Some(self.address(formulas, i)),
            Mnemonic::Xor | Mnemonic::Pxor | Mnemonic::Xorps | Mnemonic::Xorpd
                if i.op1_kind() == OpKind::Register && i.op0_register() == i.op1_register() =>
            {
                Some(formulas.constant(0))
            }
            Mnemonic::Vpxor | Mnemonic::Vxorps | Mnemonic::Vxorpd
                if i.op2_kind() == OpKind::Register && i.op1_register() == i.op2_register() =>
            {
                Some(formulas.constant(0))
            }
            Mnemonic::Mov | Mnemonic::Movsxd if register_operands => {
                let source = self.operand(formulas, i, 1, loaded)?;
                Some(source)
            }
            Mnemonic::Cdqe => slot_of(Register::RAX).map(|rax| self.register(formulas, rax)),
            // Not the forms that sort bytes of less than 32 bits.
            Mnemonic::Add | Mnemonic::Sub if register_operands => {
                let (a, b) = (self.operand(formulas, i, 0, loaded)?, self.operand(formulas, i, 1, loaded)?);
                let sign = if i.mnemonic() == Mnemonic::Add { 1 } else { -1 };
                Some(formulas.sum(&[(a, 1), (b, sign)], 0))
            }
            Mnemonic::Inc | Mnemonic::Dec if register_operands => {
                let a = self.operand(formulas, i, 0, loaded)?;
                Some(formulas.sum(&[(a, 1)], if i.mnemonic() == Mnemonic::Inc { 1 } else { -1 }))
            }
            Mnemonic::Neg if register_operands => {
                let a = self.operand(formulas, i, 0, loaded)?;
                Some(formulas.sum(&[(a, -1)], 0))
            }
            Mnemonic::Shl if register_operands && is_immediate(i.op1_kind()) && i.immediate(1) < 32 => {
                let a = self.operand(formulas, i, 0, loaded)?;
                Some(formulas.sum(&[(a, 1 << i.immediate(1))], 0))
            }
            Mnemonic::Imul if i.op_count() == 3 && register_operands => {
                let (a, b) = (self.operand(formulas, i, 1, loaded)?, self.operand(formulas, i, 2, loaded)?);
                let factor = formulas.as_constant(b)?;
                Some(formulas.sum(&[(a, factor)], 0))
            }
            // Whole vector registers and scalars are moved alike.
            _ if step.operation.class == Class::Move && step.operation.vector && unmasked(i) => {
                let last = i.op_count().checked_sub(1)?;
                self.operand(formulas, i, last, loaded)
            }
            _ => None,
        }
    }

    /// What an instruction leaves in the flags.
    fn flags_of(&mut self, formulas: &mut Formulas, step: &Step, loaded: Option<Id>, value: Id) -> Id {
        let i = &step.instruction;
        let mut operands: Vec<Id> = Vec::new();
        match i.mnemonic() {
            // Nothing is known of the result but its operands.
            Mnemonic::Cmp | Mnemonic::Test => {
                operands.extend((0..i.op_count()).filter_map(|k| self.operand(formulas, i, k, loaded)));
            }
            _ if step.writes.iter().any(|&w| w != step::CARRY) || step.memory.is_some_and(|m| m.store) => {
                operands.push(value);
            }
            _ => {
                operands.extend(step.reads.iter().map(|&r| self.register(formulas, r)));
                operands.extend(loaded);
            }
        }
        formulas.intern(Formula::Operator(OWN | i.code() as u32, immediates(i), operands))
    }
}

/// The operator that joins two values: the path through the loop decides which of them it is.
pub const EITHER: u32 = 1 << 17;

/// One of two values. What a call leaves on one path is of no use after both.
fn either(formulas: &mut Formulas, a: Id, b: Id) -> Id {
    if formulas.is_left_over(a) {
        a
    } else if formulas.is_left_over(b) {
        b
    } else if formulas.is_unclear(a) || formulas.is_unclear(b) {
        formulas.unclear()
    } else {
        // Each join is an operator of its own: elsewhere the choice between the same two values may differ.
        let number = formulas.unknown();
        formulas.intern(Formula::Operator(EITHER, u64::from(number), vec![a, b]))
    }
}

/// The address is at a fixed distance from the stack pointer (or from a frame pointer).
pub fn in_frame(formulas: &Formulas, address: Id) -> bool {
    let base = match formulas.get(address) {
        Formula::Sum(terms, _) => match terms.as_slice() {
            [(one, 1)] => formulas.get(*one),
            _ => return false,
        },
        other => other,
    };
    match base {
        Formula::Start(STACK_POINTER) => true,
        Formula::Start(FRAME_POINTER) => formulas.frame_pointer,
        _ => false,
    }
}

/// The place of `rbp`.
const FRAME_POINTER: Slot = 5;

/// A register of 32 bits or more: a narrower write keeps part of the old value.
pub fn wide(register: Register) -> bool {
    !register.is_gpr8() && !register.is_gpr16()
}

/// All lanes are written.
fn unmasked(i: &Instruction) -> bool {
    let count = i.op_count();
    let merges = count == 3 && i.op_kind(2) == OpKind::Register;
    // `movhps`, `movlps` and their kind write half a register.
    let half = matches!(
        i.mnemonic(),
        Mnemonic::Movhps
            | Mnemonic::Movhpd
            | Mnemonic::Movlps
            | Mnemonic::Movlpd
            | Mnemonic::Movhlps
            | Mnemonic::Movlhps
            | Mnemonic::Vmovhps
            | Mnemonic::Vmovhpd
            | Mnemonic::Vmovlps
            | Mnemonic::Vmovlpd
            | Mnemonic::Vmovhlps
            | Mnemonic::Vmovlhps
    );
    i.op_mask() == Register::None && !merges && !half
}

/// Immediate operands as one number: the same instruction with another immediate is another operator.
fn immediates(i: &Instruction) -> u64 {
    let all = (0..i.op_count()).filter(|&k| is_immediate(i.op_kind(k)));
    all.fold(0, |sum: u64, k| sum.wrapping_mul(257).wrapping_add(i.immediate(k)).wrapping_add(1))
}
