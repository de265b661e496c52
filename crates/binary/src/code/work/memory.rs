//! Bytes that one instruction moves between registers and memory.
//!
//! Bytes are counted by operand size: explicit operands, and the stack accesses of `push`, `pop`, `call`,
//! `ret`, `enter` and `leave`, which are loads and stores like any other. `lea`, `nop`, prefetches and
//! cache-line instructions move nothing.

use super::super::operation::{Class, Operation, repeats};
use iced_x86::{Instruction, InstructionInfo, MemorySize, Mnemonic, OpAccess, OpKind, Register};

/// What the bytes of a [`Transfer`] are counted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// Each execution.
    #[default]
    Execution,
    /// Each repetition of a string instruction, of which `rcx` holds the number.
    Repetition,
    /// Each comparison of `repe cmps` or `repne scas`, whose number is not known beforehand.
    Search,
}

/// Bytes moved by one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// Bytes loaded, of all lanes.
    pub loaded: u32,
    /// Bytes stored, of all lanes.
    pub stored: u32,
    /// The store bypasses the caches.
    pub streamed: bool,
    /// What each count of these bytes is.
    pub per: Per,
}

impl Transfer {
    /// One of `lanes`.
    pub fn share(&self, lanes: u32) -> Self {
        let lanes = lanes.max(1);
        Self { loaded: self.loaded / lanes, stored: self.stored / lanes, ..*self }
    }
}

/// Least bytes that `xsave` and its family transfer: the legacy area and the header. What follows depends on
/// the processor and on the mask in `edx:eax`.
const XSAVE_LEAST: u32 = 512 + 64;

/// Rows times bytes per row of a full tile.
const TILE: u32 = 16 * 64;

/// The bytes that `i` moves; masked lanes count as if all were switched on.
pub fn transfer(i: &Instruction, operation: &Operation, info: &InstructionInfo) -> Transfer {
    let mut out = Transfer::default();
    if names_only(i, operation) {
        return out;
    }
    for used in info.used_memory() {
        let size = match used.memory_size() {
            _ if matches!(operation.class, Class::Gather | Class::Scatter) => gathered_bytes(i),
            // iced reports no size for repeated ones.
            _ if operation.class == Class::StringOp => i.memory_size().size() as u32,
            MemorySize::Xsave | MemorySize::Xsave64 => XSAVE_LEAST,
            MemorySize::Tile => TILE,
            size => size.size() as u32,
        };
        let (load, store) = directions(used.access());
        out.loaded += if load { size } else { 0 };
        out.stored += if store { size } else { 0 };
    }
    out.streamed = out.stored > 0 && bypasses_caches(i.mnemonic());
    if repeats(i) {
        out.per = if searches(i) { Per::Search } else { Per::Repetition };
    }
    out
}

/// Whether the instruction names an address and transfers nothing.
pub fn touches_nothing(i: &Instruction) -> bool {
    names_only(i, &Operation::of(i))
}

fn names_only(i: &Instruction, operation: &Operation) -> bool {
    matches!(operation.class, Class::Lea | Class::Nop | Class::Prefetch) || works_on_lines(i.mnemonic())
}

fn directions(access: OpAccess) -> (bool, bool) {
    match access {
        OpAccess::Read | OpAccess::CondRead => (true, false),
        OpAccess::Write | OpAccess::CondWrite => (false, true),
        // `cmpxchg` writes the old value back when it does not exchange.
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
        OpAccess::None | OpAccess::NoMemAccess => (false, false),
    }
}

/// Elements of a gather or scatter: as many as both the data and the indices have.
pub fn gathered_lanes(i: &Instruction) -> u32 {
    let element = i.memory_size().element_size().max(1);
    let data = (0..i.op_count())
        .filter(|&k| i.op_kind(k) == OpKind::Register && i.op_register(k).is_vector_register())
        .map(|k| i.op_register(k).size())
        .next()
        .unwrap_or(0);
    let index = if i.is_vsib32() { 4 } else { 8 };
    let indices = i.memory_index();
    let indices = if indices == Register::None { 0 } else { indices.size() };
    (data / element).min(indices / index) as u32
}

fn gathered_bytes(i: &Instruction) -> u32 {
    gathered_lanes(i) * i.memory_size().element_size() as u32
}

/// Cache-line and page instructions, which move nothing to registers.
fn works_on_lines(mnemonic: Mnemonic) -> bool {
    matches!(
        mnemonic,
        Mnemonic::Clflush
            | Mnemonic::Clflushopt
            | Mnemonic::Clwb
            | Mnemonic::Cldemote
            | Mnemonic::Invlpg
            | Mnemonic::Monitor
            | Mnemonic::Monitorx
            | Mnemonic::Umonitor
    )
}

/// Stores with a non-temporal hint, and direct stores.
pub fn bypasses_caches(mnemonic: Mnemonic) -> bool {
    matches!(
        mnemonic,
        Mnemonic::Movntps
            | Mnemonic::Movntpd
            | Mnemonic::Movntdq
            | Mnemonic::Movntq
            | Mnemonic::Movnti
            | Mnemonic::Movntss
            | Mnemonic::Movntsd
            | Mnemonic::Vmovntps
            | Mnemonic::Vmovntpd
            | Mnemonic::Vmovntdq
            | Mnemonic::Maskmovdqu
            | Mnemonic::Vmaskmovdqu
            | Mnemonic::Maskmovq
            | Mnemonic::Movdiri
            | Mnemonic::Movdir64b
    )
}

/// `cmps` and `scas` end a repetition early.
fn searches(i: &Instruction) -> bool {
    matches!(
        i.mnemonic(),
        Mnemonic::Cmpsb
            | Mnemonic::Cmpsw
            | Mnemonic::Cmpsd
            | Mnemonic::Cmpsq
            | Mnemonic::Scasb
            | Mnemonic::Scasw
            | Mnemonic::Scasd
            | Mnemonic::Scasq
    )
}
