//! Which scalar integer operations of a block work on data rather than on addresses and loop control.
//!
//! An operation is judged by the use of its result within the block, found by walking backwards:
//!
//! - **Not counted**: operations on the stack pointer; setting a register to zero; operations whose results
//!   are used in the block to form addresses (operands of loads and stores, table jumps) and for
//!   nothing else, also through copies and other such operations; the constant step of a register or
//!   named variable (`add i, 1`), unless its result is used as data in the block or continues a
//!   computation; `lea`, unless its result is used as data, is narrower than an address, or replaces
//!   one of its own terms.
//! - **A comparison** (`cmp`, `test`, `bt`) counts when its result is data (`set`, `cmov`, `adc`), or when it
//!   compares data: an element loaded or a value computed in the block, which is not used as an address. All
//!   others compare counters and limits.
//! - **Everything else** counts one: arithmetic, logic, shifts, multiplications, divisions, bit
//!   operations, checksums, also with the result in memory.
//!
//! Named variables are memory operands without an index that are based on the stack or frame pointer, or
//! relative to the instruction pointer: unoptimised code keeps its counters there. They are treated like
//! registers whose use is not known. Loads, stores, moves, extensions and selections are not operations.

use super::super::operation::{Class, Operation};
use super::super::step::{reads, writes};
use iced_x86::{FlowControl, Instruction, InstructionInfo, Mnemonic, OpKind, Register};

/// How the value of a register or of the flags is used, as a set.
type Uses = u8;
/// In an address.
const ADDRESS: Uses = 1;
/// As data.
const DATA: Uses = 2;
/// By a conditional branch.
const CONTROL: Uses = 4;
/// After the block, or in a named variable: not known.
const LATER: Uses = 8;

/// A set of the 16 general registers.
type Registers = u16;
const STACK_POINTER: Registers = 1 << 4;
const FRAME_POINTER: Registers = 1 << 5;
const ACCUMULATOR: Registers = 1;
const COUNT: Registers = 1 << 1;
const HIGH: Registers = 1 << 2;
/// Not preserved by calls (System V ABI).
const CALLER_SAVED: Registers = 0b0000_1111_1100_0111;

/// The role of an instruction in the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Reads data from registers, or only forms addresses.
    Sink,
    /// Copies: its result is used as its source is.
    Copy,
    /// Adds a constant.
    Step,
    /// Any other operation that counts if it is not for addresses.
    Operation,
    /// `lea` of a sum.
    Sum,
    Compare,
    /// Uses the flags as data.
    Select,
    Branch,
    Call,
}

/// One instruction of the block, with the facts that the walk needs.
#[derive(Clone, Copy, Debug)]
struct Record {
    kind: Kind,
    reads: Registers,
    writes: Registers,
    address: Registers,
    /// Stores to memory: whether to a named variable.
    stores: Option<bool>,
    /// Its operand is data: compared, or continued by a step.
    on_data: bool,
    /// The updated register was used as an address before.
    addressed: bool,
    reads_flags: bool,
    writes_flags: bool,
}

/// Follows a block; the buffer is reused for the next block.
#[derive(Debug, Default)]
pub struct Walk {
    records: Vec<Record>,
    /// Some instruction may count.
    candidates: bool,
    /// Registers whose values were loaded from elements or computed in the block.
    data: Registers,
    /// Registers whose values were used as addresses in the block.
    addressed: Registers,
    /// Pointers loaded through themselves: the walk along a list.
    chased: Registers,
}

impl Walk {
    /// Prepares for the next block.
    pub fn start(&mut self) {
        self.records.clear();
        self.candidates = false;
        (self.data, self.addressed, self.chased) = (0, 0, 0);
    }

    /// Adds the next instruction.
    pub fn follow(&mut self, i: &Instruction, operation: &Operation, info: &InstructionInfo) {
        let Some(mut record) = record(i, operation, info) else { return };
        let element = memory_operand(i).is_some_and(|m| !m.named);
        let address = record.address;
        self.addressed |= address;
        record.addressed = record.writes & record.reads & self.addressed != 0;
        let known = self.data & !self.addressed & !self.chased;
        record.on_data = match record.kind {
            Kind::Compare => element || record.reads & known != 0,
            Kind::Step => record.reads & known != 0,
            _ => false,
        };
        let makes_data = match record.kind {
            Kind::Operation => true,
            Kind::Copy => element || record.reads & self.data != 0 || outside_general(operation),
            Kind::Sum => record.reads & self.data != 0,
            Kind::Step => record.on_data,
            _ => false,
        };
        if makes_data {
            self.data |= record.writes;
        } else {
            self.data &= !record.writes;
        }
        // A value computed from the old one is still the same pointer or index.
        self.addressed &= !(record.writes & !record.reads);
        let chases = record.kind == Kind::Copy && element && i.memory_size().size() == 8;
        self.chased &= !record.writes;
        self.chased |= if chases { record.writes & address } else { 0 };
        self.candidates |= matches!(record.kind, Kind::Operation | Kind::Step | Kind::Sum | Kind::Compare);
        self.records.push(record);
    }

    /// The number of operations on data in the block.
    pub fn count(&self) -> u64 {
        if !self.candidates {
            return 0;
        }
        let mut registers = [LATER; 16];
        let mut flags: Uses = 0;
        let mut counted = 0;
        for record in self.records.iter().rev() {
            counted += u64::from(record.undo(&mut registers, &mut flags));
        }
        counted
    }
}

impl Record {
    /// Turns the uses after the instruction into those before it; whether it counts.
    fn undo(&self, registers: &mut [Uses; 16], flags: &mut Uses) -> bool {
        let mut uses = each(self.writes).fold(0, |sum, r| sum | registers[r]);
        uses |= match self.stores {
            Some(true) => LATER,
            Some(false) => DATA,
            None => 0,
        };
        let flag_uses = *flags;
        if self.writes_flags {
            *flags = 0;
        }
        for r in each(self.writes) {
            registers[r] = 0;
        }
        let mut counts = false;
        let passed = match self.kind {
            Kind::Sink => DATA,
            Kind::Copy => uses,
            Kind::Branch => {
                *flags |= CONTROL;
                CONTROL
            }
            Kind::Call => {
                for (r, uses) in registers.iter_mut().enumerate() {
                    *uses = if CALLER_SAVED >> r & 1 == 1 { LATER } else { *uses | LATER };
                }
                *flags = 0;
                ADDRESS
            }
            Kind::Select => {
                *flags |= if uses & (ADDRESS | DATA) == ADDRESS { CONTROL } else { DATA };
                uses
            }
            Kind::Compare => {
                counts = flag_uses & DATA != 0 || self.on_data;
                if counts { DATA } else { CONTROL }
            }
            Kind::Step => {
                let uses = uses | flag_uses;
                counts = uses & DATA != 0 || self.on_data && uses & (ADDRESS | CONTROL) == 0;
                if counts { DATA } else { uses }
            }
            Kind::Operation => {
                let for_address = uses & ADDRESS != 0 || self.addressed;
                counts = (uses | flag_uses) & DATA != 0 || !for_address;
                if counts { DATA } else { ADDRESS }
            }
            Kind::Sum => {
                let own = self.reads & self.writes != 0;
                let for_address = uses & ADDRESS != 0 || self.addressed;
                counts = uses & DATA != 0 || (own || self.on_data) && !for_address;
                if counts { DATA } else { uses }
            }
        };
        if self.writes & STACK_POINTER != 0 {
            counts = false;
        }
        if self.reads_flags && self.kind == Kind::Operation {
            *flags |= DATA;
        }
        for r in each(self.reads) {
            registers[r] |= passed;
        }
        for r in each(self.address) {
            registers[r] |= ADDRESS;
        }
        counts
    }
}

fn each(set: Registers) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let lowest = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lowest < 16).then_some(lowest)
    })
}

fn bit(register: Register) -> Registers {
    if register.is_gpr() { 1 << (register.number() & 15) } else { 0 }
}

#[derive(Clone, Copy, Debug)]
struct MemoryOperand {
    /// Its address has the form of a variable's.
    named: bool,
}

fn memory_operand(i: &Instruction) -> Option<MemoryOperand> {
    (0..i.op_count()).find(|&k| i.op_kind(k) == OpKind::Memory)?;
    let frame = bit(i.memory_base()) & (STACK_POINTER | FRAME_POINTER) != 0;
    let named = i.memory_index() == Register::None
        && (frame || i.is_ip_rel_memory_operand() || i.memory_base() == Register::None);
    Some(MemoryOperand { named })
}

/// Describes an instruction, if it has to do with general registers or flags.
fn record(i: &Instruction, operation: &Operation, info: &InstructionInfo) -> Option<Record> {
    let mut out = Record {
        kind: Kind::Sink,
        reads: 0,
        writes: 0,
        address: 0,
        stores: None,
        on_data: false,
        addressed: false,
        reads_flags: false,
        writes_flags: false,
    };
    for k in 0..i.op_count() {
        let access = info.op_access(k);
        match i.op_kind(k) {
            OpKind::Register => {
                let register = bit(i.op_register(k));
                out.reads |= if reads(access) { register } else { 0 };
                out.writes |= if writes(access) { register } else { 0 };
            }
            OpKind::Memory => {
                out.address = bit(i.memory_base()) | bit(i.memory_index());
                if writes(access) {
                    out.stores = memory_operand(i).map(|m| m.named);
                }
            }
            _ => {}
        }
    }
    implicit(i, operation, &mut out);
    out.kind = kind(i, operation, &mut out)?;
    Some(out)
}

/// Registers that no operand names.
fn implicit(i: &Instruction, operation: &Operation, out: &mut Record) {
    use Mnemonic as M;
    match i.mnemonic() {
        M::Mul | M::Imul if i.op_count() == 1 => {
            out.reads |= ACCUMULATOR;
            out.writes |= ACCUMULATOR | HIGH;
        }
        M::Div | M::Idiv => {
            out.reads |= ACCUMULATOR | HIGH;
            out.writes |= ACCUMULATOR | HIGH;
        }
        M::Mulx => out.reads |= HIGH,
        M::Cwd | M::Cdq | M::Cqo => {
            out.reads |= ACCUMULATOR;
            out.writes |= HIGH;
        }
        M::Cbw | M::Cwde | M::Cdqe => {
            out.reads |= ACCUMULATOR;
            out.writes |= ACCUMULATOR;
        }
        M::Cmpxchg => out.reads |= ACCUMULATOR,
        M::Loop | M::Loope | M::Loopne | M::Jrcxz | M::Jecxz => out.reads |= COUNT,
        _ if operation.class == Class::StringOp => out.address |= 1 << 6 | 1 << 7,
        _ => {}
    }
}

fn kind(i: &Instruction, operation: &Operation, out: &mut Record) -> Option<Kind> {
    let touches = out.reads | out.writes | out.address != 0 || out.stores.is_some();
    if outside_general(operation) {
        // `comisd`, `ptest`, `kortest`.
        out.writes_flags = i.rflags_modified() != 0;
        let kind = if out.writes != 0 { Kind::Copy } else { Kind::Sink };
        if kind == Kind::Copy {
            out.reads = 0;
        }
        return (touches || out.writes_flags).then_some(kind);
    }
    Some(match operation.class {
        Class::Branch if i.flow_control() == FlowControl::ConditionalBranch => Kind::Branch,
        Class::Branch if touches => {
            // The target of a table jump.
            out.address |= out.reads;
            out.reads = 0;
            Kind::Sink
        }
        Class::Call => {
            out.address |= out.reads;
            out.reads = 0;
            Kind::Call
        }
        Class::Compare => {
            out.writes_flags = true;
            Kind::Compare
        }
        Class::Select => Kind::Select,
        Class::Lea => lea(i, out),
        Class::Stack => {
            out.stores = out.stores.or((out.reads != 0).then_some(true));
            Kind::Copy
        }
        Class::Move => Kind::Copy,
        Class::Crypto => Kind::Operation,
        _ if operation.is_arithmetic() => {
            let flags = i.rflags_modified();
            out.writes_flags = flags != 0;
            // `xor x, x` gives a constant.
            if out.writes != 0 && out.reads == 0 && out.stores.is_none() && out.address == 0 && zeroes(i) {
                Kind::Copy
            } else if steps(i) {
                Kind::Step
            } else {
                out.reads_flags = i.rflags_read() != 0;
                Kind::Operation
            }
        }
        _ if touches => Kind::Sink,
        _ => return None,
    })
}

/// Works on registers that are not followed here.
fn outside_general(operation: &Operation) -> bool {
    operation.vector || operation.is_float() || operation.class == Class::Mask
}

/// An address without an index is a copy or a step; one of a variable is a constant.
fn lea(i: &Instruction, out: &mut Record) -> Kind {
    let terms = out.address;
    out.address = 0;
    let base = bit(i.memory_base());
    if i.is_ip_rel_memory_operand() || terms == 0 || base & STACK_POINTER != 0 {
        return Kind::Copy;
    }
    if i.memory_index() == Register::None {
        out.reads = terms;
        let copies = i.memory_displacement64() == 0 || base & FRAME_POINTER != 0;
        return if copies { Kind::Copy } else { Kind::Step };
    }
    out.reads = terms;
    if i.op0_register().size() < 8 { Kind::Operation } else { Kind::Sum }
}

fn zeroes(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Xor | Mnemonic::Sub) && i.op0_register() == i.op1_register()
}

/// `inc`, `dec`, and adding or subtracting a constant.
fn steps(i: &Instruction) -> bool {
    use Mnemonic as M;
    let constant = || {
        i.op_count() == 2
            && matches!(
                i.op_kind(1),
                OpKind::Immediate8
                    | OpKind::Immediate8to16
                    | OpKind::Immediate8to32
                    | OpKind::Immediate8to64
                    | OpKind::Immediate16
                    | OpKind::Immediate32
                    | OpKind::Immediate32to64
            )
    };
    match i.mnemonic() {
        M::Inc | M::Dec => true,
        M::Add | M::Sub => constant(),
        _ => false,
    }
}
