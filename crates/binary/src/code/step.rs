//! One instruction: the places that it reads and writes, and the memory it accesses.
//!
//! All analyses of data flow work on *places*: registers, and the memory operands whose address does not change while a
//! loop runs (stack slots, accumulators in memory). Flags are not places, except the carry flag that `adc` and similar
//! instructions read; the latency of chains follows the others from comparisons to selections.

use super::operation::{Class, Operation};
use iced_x86::{
    EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, RflagsBits,
};
use smallvec::SmallVec;

/// A register or an invariant memory operand, as a small number.
pub type Slot = u16;
/// The places of one instruction; all but calls have fewer than eight.
pub type Slots = SmallVec<[Slot; 8]>;

/// General registers are 0..16, vector registers 16..48, opmasks 48..56, MMX and x87 56..64.
const VECTORS: Slot = 16;
const MASKS: Slot = 48;
/// First of the x87 and MMX registers.
pub(super) const STACK: Slot = 56;
/// Place of `rsp`.
pub const STACK_POINTER: Slot = 4;
/// Place of `rbp`.
pub const FRAME_POINTER: Slot = 5;
/// Place of the carry flag.
pub const CARRY: Slot = 64;
/// First number of the invariant memory operands.
pub const MEMORY: Slot = 65;

/// The place of a register, if it is one that carries data.
pub fn slot_of(register: Register) -> Option<Slot> {
    let number = register.number() as Slot;
    if register.is_gpr() {
        // The numbers of byte registers count from `al` and are not those of the registers around them.
        Some(register.full_register().number() as Slot)
    } else if register.is_vector_register() {
        Some(VECTORS + number)
    } else if register.is_k() {
        Some(MASKS + number)
    } else if register.is_mm() || register.is_st() {
        Some(STACK + number)
    } else {
        None
    }
}

/// Assembler spelling of a register's place.
pub fn name_of(slot: Slot) -> String {
    const GENERAL: [&str; 16] = [
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15",
    ];
    match slot {
        s if s < VECTORS => GENERAL[s as usize].to_string(),
        s if s < MASKS => format!("xmm{}", s - VECTORS),
        s if s < STACK => format!("k{}", s - MASKS),
        s if s < CARRY => format!("st{}", s - STACK),
        CARRY => "carry".to_string(),
        s => format!("mem{}", s - MEMORY),
    }
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Base register.
    pub base: Option<Slot>,
    /// Index register; for gathers the index is a vector and this is absent.
    pub index: Option<Slot>,
    /// Scale of the index.
    pub scale: i64,
    /// Displacement, or the address itself for operands relative to the instruction pointer.
    pub displacement: u64,
    /// Bytes transferred (all lanes).
    pub size: u32,
    /// Reads memory.
    pub load: bool,
    /// Writes memory.
    pub store: bool,
    /// Relative to the instruction pointer: a global.
    pub global: bool,
    /// Addressed by a vector of indices.
    pub indexed: bool,
    /// The base is the stack pointer, or the frame pointer of a function that has one.
    pub frame: bool,
    /// The place, when the address does not change in the loop and the loop stores there.
    pub slot: Option<Slot>,
}

impl Memory {
    /// A variable of the stack frame.
    pub fn on_stack(&self) -> bool {
        self.index.is_none() && self.frame
    }
}

/// One instruction of the loop.
#[derive(Clone, Debug)]
pub struct Step {
    /// Index in [`Graph::instructions`](super::blocks::Graph::instructions).
    pub at: usize,
    pub instruction: Instruction,
    /// What it does.
    pub operation: Operation,
    /// Places whose values it computes with; address registers are not among them.
    pub reads: Slots,
    /// Places it writes.
    pub writes: Slots,
    /// Registers that form its memory operand's address.
    pub address: Slots,
    /// The memory operand, if it has one.
    pub memory: Option<Memory>,
}

impl Step {
    /// Reads an invariant memory operand that the loop also writes.
    pub fn loads_slot(&self) -> Option<Slot> {
        self.memory.filter(|m| m.load).and_then(|m| m.slot)
    }

    /// Writes an invariant memory operand.
    pub fn stores_slot(&self) -> Option<Slot> {
        self.memory.filter(|m| m.store).and_then(|m| m.slot)
    }
}

/// A set of register places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places(pub u128);

impl Places {
    /// Adds a place; invariant memory is not tracked here.
    pub fn insert(&mut self, slot: Slot) {
        if slot < 128 {
            self.0 |= 1 << slot;
        }
    }

    /// Whether the place is in the set.
    pub fn contains(&self, slot: Slot) -> bool {
        slot < 128 && self.0 >> slot & 1 == 1
    }
}

/// Registers that a call may change under the System V ABI (caller-saved).
pub fn clobbered_by_call() -> Places {
    let general: u128 = [0u32, 1, 2, 6, 7, 8, 9, 10, 11].iter().map(|r| 1u128 << r).sum();
    let others: u128 = ((1u128 << (CARRY - VECTORS + 1)) - 1) << VECTORS;
    Places(general | others)
}

/// Whether a function returns a value in this register (System V ABI for x86-64, 3.2.3: rax, rdx, xmm0 and xmm1).
pub fn returns_value(slot: Slot) -> bool {
    const RAX: Slot = 0;
    const RDX: Slot = 2;
    [RAX, RDX, VECTORS, VECTORS + 1].contains(&slot)
}

/// Whether this is a call to another function.
pub fn is_call(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Call | Mnemonic::Syscall)
}

/// Whether an operand is read.
pub fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Whether an operand is written.
pub fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Describes one instruction. Whether `rbp` is a frame pointer, only the function shows (see [`Memory::frame`]).
pub fn step(i: &Instruction, at: usize, factory: &mut InstructionInfoFactory) -> Step {
    let operation = Operation::of(i);
    let info = factory.info(i);
    let (reads_of, writes_of, address) = Default::default();
    let mut out =
        Step { at, instruction: *i, operation, reads: reads_of, writes: writes_of, address, memory: None };
    let memory_operand = (0..i.op_count()).find(|&k| i.op_kind(k) == OpKind::Memory);
    if let Some(k) = memory_operand
        && !matches!(operation.class, Class::Lea | Class::Nop | Class::Prefetch)
    {
        let access = info.op_access(k);
        let index = i.memory_index();
        let indexed = index.is_vector_register();
        let base = if i.is_ip_rel_memory_operand() { None } else { slot_of(i.memory_base()) };
        out.memory = Some(Memory {
            base,
            index: if indexed { None } else { slot_of(index) },
            scale: i64::from(i.memory_index_scale()),
            displacement: i.memory_displacement64(),
            size: transferred(i),
            load: reads(access),
            store: writes(access),
            global: i.is_ip_rel_memory_operand() || base.is_none() && index == Register::None,
            indexed,
            frame: base == Some(STACK_POINTER),
            slot: None,
        });
    }
    // A long `nop` has a memory operand that it does not use.
    if memory_operand.is_some() && operation.class != Class::Nop {
        out.address.extend([i.memory_base(), i.memory_index()].into_iter().filter_map(slot_of));
    }
    let explicit: SmallVec<[Register; 5]> = (0..i.op_count())
        .filter(|&k| i.op_kind(k) == OpKind::Register)
        .map(|k| i.op_register(k).full_register())
        .collect();
    let merged = merged_operand(i, &operation);
    for k in 0..i.op_count() {
        if i.op_kind(k) == OpKind::Register
            && reads(info.op_access(k))
            && Some(k) != merged
            && let Some(slot) = slot_of(i.op_register(k))
        {
            out.reads.push(slot);
        }
    }
    for used in info.used_registers() {
        let register = used.register().full_register();
        let Some(slot) = slot_of(register) else { continue };
        if writes(used.access()) && !out.writes.contains(&slot) {
            out.writes.push(slot);
        }
        if reads(used.access()) && !explicit.contains(&register) && !out.address.contains(&slot) {
            out.reads.push(slot);
        }
    }
    if sets_all_ones(i) || sets_mask(i) {
        out.reads.clear();
    }
    if operation.class == Class::Lea {
        // Its address is its result.
        out.reads.append(&mut out.address);
    }
    let reads_carry = i.rflags_read() & RflagsBits::CF != 0;
    if reads_carry
        && matches!(
            i.mnemonic(),
            Mnemonic::Adc | Mnemonic::Sbb | Mnemonic::Adcx | Mnemonic::Rcl | Mnemonic::Rcr
        )
    {
        out.reads.push(CARRY);
    }
    if i.rflags_modified() & RflagsBits::CF != 0 {
        out.writes.push(CARRY);
    }
    if is_call(i) {
        let clobbered = clobbered_by_call();
        out.writes.extend((0..=CARRY).filter(|&s| clobbered.contains(s)));
        out.writes.sort_unstable();
        out.writes.dedup();
        out.reads.clear();
    }
    if operation.class == Class::Stack || is_call(i) {
        // The stack pointer's own changes are not data: a function restores it before it returns.
        out.reads.retain(|s| *s != STACK_POINTER);
        out.writes.retain(|s| *s != STACK_POINTER);
    }
    if operation.class == Class::Stack {
        out.memory = None;
    }
    out.reads.sort_unstable();
    out.reads.dedup();
    out
}

/// Bytes that the memory operand transfers.
fn transferred(i: &Instruction) -> u32 {
    let size = i.memory_size();
    if i.is_broadcast() || size.is_broadcast() {
        return size.element_size() as u32;
    }
    if i.memory_index().is_vector_register() {
        // Lanes of the narrower of data and index.
        let data = i.op0_register().size().max(i.op1_register().size());
        let element = size.element_size().max(1);
        let lanes = (data / element).min(i.memory_index().size() / element.min(8)).max(1);
        return (lanes * element) as u32;
    }
    size.size() as u32
}

/// Scalar conversions and the like copy the upper lanes of one operand: no dependence on its value.
pub fn merged_operand(i: &Instruction, operation: &Operation) -> Option<u32> {
    let merges = operation.vector
        && !operation.packed
        && (matches!(operation.class, Class::Convert | Class::SquareRoot | Class::Unary | Class::Reciprocal)
            || operation.class == Class::Move && i.op_count() >= 2);
    if !merges || i.op0_kind() != OpKind::Register || !i.op0_register().is_vector_register() {
        return None;
    }
    if i.encoding() == EncodingKind::Legacy {
        Some(0)
    } else if i.op_count() >= 3 {
        Some(1)
    } else {
        None
    }
}

/// `kxnorw k, x, x` makes ones, `kxorw k, x, x` zeroes, whatever `x` held.
fn sets_mask(i: &Instruction) -> bool {
    let constant = matches!(
        i.mnemonic(),
        Mnemonic::Kxnorb
            | Mnemonic::Kxnorw
            | Mnemonic::Kxnord
            | Mnemonic::Kxnorq
            | Mnemonic::Kxorb
            | Mnemonic::Kxorw
            | Mnemonic::Kxord
            | Mnemonic::Kxorq
    );
    constant && i.op1_register() == i.op2_register()
}

/// `pcmpeqd x, x` makes ones whatever `x` held.
pub fn sets_all_ones(i: &Instruction) -> bool {
    let same = |a: u32, b: u32| {
        i.op_kind(a) == OpKind::Register
            && i.op_kind(b) == OpKind::Register
            && i.op_register(a) == i.op_register(b)
    };
    let equal = matches!(
        i.mnemonic(),
        Mnemonic::Pcmpeqb
            | Mnemonic::Pcmpeqw
            | Mnemonic::Pcmpeqd
            | Mnemonic::Pcmpeqq
            | Mnemonic::Vpcmpeqb
            | Mnemonic::Vpcmpeqw
            | Mnemonic::Vpcmpeqd
            | Mnemonic::Vpcmpeqq
    );
    let ternary_ones = matches!(i.mnemonic(), Mnemonic::Vpternlogd | Mnemonic::Vpternlogq)
        && i.op_count() == 4
        && matches!(i.immediate(3), 0 | 0xff);
    ternary_ones || equal && (if i.op_count() == 2 { same(0, 1) } else { i.op_count() == 3 && same(1, 2) })
}
