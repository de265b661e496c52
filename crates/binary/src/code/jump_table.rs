//! Targets of indirect jumps: the tables of `switch` and computed `goto`.
//!
//! GCC and Clang lower a `switch` either to `jmp [table + 8*i]` with absolute pointers (code at fixed
//! addresses) or to `table + sign_extend(table32[i])` (position-independent code); unoptimised code
//! does the same in more steps. A few values (constants, scaled indices, table entries, their sums)
//! are followed symbolically through the straight-line code before the jump. Where the table's address
//! was loaded far above (hoisted out of a loop), every `lea` of the same register is tried.
//!
//! The compare before the jump does *not* bound the table: compilers drop and merge such compares, and a
//! truncated table hides live code. The table ends where an entry leaves the function, where it points into
//! the middle of an instruction, or where the next known table begins. The compare only limits up to which
//! entry a target may be elsewhere (a cold part that a stripped binary shows as a function of its own)
//! without ending the table.

use super::decode::Decoded;
use super::source::CodeSource;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Most instructions before the jump that are followed.
const WINDOW: usize = 64;

/// Most entries of one table; larger ones are not written by compilers from source of any real size.
const MOST_ENTRIES: u64 = 1 << 16;

/// What is known of an indirect jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// It goes to one of these addresses of the function.
    Addresses(Vec<u64>),
    /// It goes to one of these addresses of the function, or elsewhere: through a plain pointer, or a table that may hold
    /// places of other functions.
    AlsoOutside(Vec<u64>),
    /// It leaves the function (a tail call through a pointer).
    Outside,
    /// Not understood.
    Unknown,
}

/// A register's value, as far as it matters to a table jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// A known address or number.
    Constant(u64),
    /// Something times 4 or 8.
    Scaled,
    /// A table's address plus a scaled index.
    Slot(Table),
    /// A 32-bit entry of a table.
    Entry32(Table),
    /// A 64-bit entry of a table.
    Entry64(Table),
    /// The sum of a table's base and its 32-bit entry.
    Sum(Table),
    /// Read from memory without an index, or passed in by the caller: a plain pointer.
    Pointer,
    /// An address plus something that is not an entry of its table.
    Computed,
    /// Anything else.
    Other,
}

/// Where a table is: known, or relative to a register that was set before the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    At(u64),
    Behind(Register, u64),
}

/// What a table holds.
#[derive(Clone, Debug, Default)]
struct Entries {
    /// Targets in the function.
    targets: Vec<u64>,
    /// Further entries may be code of other functions, for example parts of one function under several symbols.
    leave: bool,
}

/// What all jumps of one function share.
pub struct Tables<'a> {
    source: &'a dyn CodeSource,
    decoded: &'a Decoded,
    /// `lea reg, [rip + data]`: instruction, register, address.
    bases: Vec<(u64, Register, u64)>,
    /// Addresses that begin something else: a table does not run past them.
    limits: BTreeSet<u64>,
    /// Addresses of the function that are taken: targets of computed `goto`.
    taken: Vec<u64>,
    /// Tables read, by address, size of an entry and bound: an interpreter jumps through one of them at the
    /// end of each of its hundreds of cases.
    read: RefCell<HashMap<(u64, u64, u64), Entries>>,
}

impl<'a> Tables<'a> {
    /// Collects the addresses that the function's code mentions.
    pub fn of(source: &'a dyn CodeSource, decoded: &'a Decoded) -> Self {
        let mut bases = Vec::new();
        let mut taken = BTreeSet::new();
        for (k, i) in decoded.instructions.iter().enumerate() {
            let address = match i.mnemonic() {
                Mnemonic::Lea if i.is_ip_rel_memory_operand() => i.ip_rel_memory_address(),
                Mnemonic::Mov if is_immediate(i, 1) && i.op0_kind() == OpKind::Register => i.immediate(1),
                _ => continue,
            };
            if decoded.contains(address) {
                // `lea` of a place inside the function takes a label's address; an immediate that
                // happens to be in the range must at least start an instruction. What is read through is data.
                let label = if i.mnemonic() == Mnemonic::Lea {
                    !is_read_through(i, &decoded.instructions[k + 1..])
                } else {
                    decoded.starts_instruction(address)
                };
                if label {
                    taken.insert(address);
                }
            } else if source.data(address, 4).is_some() {
                bases.push((i.ip(), i.op0_register().full_register(), address));
            }
        }
        for &(start, end) in &decoded.ranges {
            taken.extend(source.address_taken(start, end));
        }
        for range in &decoded.ranges {
            taken.remove(&range.0);
        }
        let limits = bases.iter().map(|b| b.2).collect();
        Self { source, decoded, bases, limits, taken: taken.into_iter().collect(), read: RefCell::default() }
    }

    /// Where `jump` can go.
    pub fn resolve(&self, jump: &Instruction) -> Target {
        let window = self.window(jump);
        let value = value_of_target(jump, &window);
        let bound = bound(&window);
        let found = match value {
            Value::Sum(table) => self.entries(table, jump.ip(), 4, bound),
            Value::Entry64(table) => self.entries(table, jump.ip(), 8, bound),
            Value::Constant(address) if self.decoded.contains(address) => {
                Entries { targets: vec![address], leave: false }
            }
            Value::Constant(_) => return Target::Outside,
            _ => Entries::default(),
        };
        match found {
            Entries { targets, .. } if targets.is_empty() => {}
            Entries { targets, leave: false } => return Target::Addresses(targets),
            Entries { targets, leave: true } => return Target::AlsoOutside(targets),
        }
        // Code of unequal length is entered at a computed distance: hand-written, unrolled loops. Distances
        // are not pointers either: the table that holds them is not understood.
        let distance = matches!(value, Value::Sum(_) | Value::Entry32(_));
        if distance || matches!(value, Value::Computed | Value::Scaled | Value::Slot(_)) {
            return Target::Unknown;
        }
        let through_got = jump.op0_kind() == OpKind::Memory && jump.is_ip_rel_memory_operand();
        if through_got || leaves_frame(&window) {
            return Target::Outside;
        }
        if !self.taken.is_empty() {
            return Target::AlsoOutside(self.taken.clone());
        }
        let pointers_to_functions = matches!(value, Value::Entry64(Table::At(t)) if self.leads_outside(t));
        if value == Value::Pointer || pointers_to_functions { Target::Outside } else { Target::Unknown }
    }

    /// Whether the pointer stored at `table` is to code of another function.
    fn leads_outside(&self, table: u64) -> bool {
        let target = self.source.pointer_at(table);
        target
            .is_some_and(|t| !self.decoded.contains(t) && self.source.code(t, t.saturating_add(1)).is_some())
    }

    /// The straight-line code that ends at `jump`, the last instruction first.
    fn window(&self, jump: &Instruction) -> Vec<&Instruction> {
        let mut window: Vec<&Instruction> = Vec::new();
        let mut next = jump.ip();
        for i in self.decoded.before(jump.ip()).iter().rev().take(WINDOW) {
            let stops = matches!(
                i.flow_control(),
                FlowControl::UnconditionalBranch
                    | FlowControl::Return
                    | FlowControl::IndirectBranch
                    | FlowControl::Exception
            );
            if i.next_ip() != next || stops {
                break;
            }
            next = i.ip();
            window.push(i);
        }
        window
    }

    /// Reads the table's entries of `size` bytes.
    fn entries(&self, table: Table, jump: u64, size: u64, bound: u64) -> Entries {
        match table {
            Table::At(address) => self.read(address, size, bound),
            Table::Behind(register, displacement) => {
                let mut candidates: Vec<_> = self.bases.iter().filter(|b| b.1 == register).collect();
                // The nearest above the jump is the likeliest.
                candidates.sort_by_key(|b| (b.0 > jump, b.0.abs_diff(jump)));
                let read = |b: &&(u64, Register, u64)| self.read(b.2.wrapping_add(displacement), size, bound);
                let found = candidates.iter().map(read).find(|t| t.targets.len() > 1).unwrap_or_default();
                Entries { leave: true, ..found }
            }
        }
    }

    fn read(&self, table: u64, size: u64, bound: u64) -> Entries {
        let mut read = self.read.borrow_mut();
        read.entry((table, size, bound)).or_insert_with(|| self.read_anew(table, size, bound)).clone()
    }

    fn read_anew(&self, table: u64, size: u64, bound: u64) -> Entries {
        let next = table.checked_add(1).and_then(|t| self.limits.range(t..).next());
        let most = next.map_or(MOST_ENTRIES, |n| (n - table) / size).min(MOST_ENTRIES);
        let mut targets = BTreeSet::new();
        let mut leave = most < bound;
        for k in 0..most {
            let Some(at) = table.checked_add(k * size) else { break };
            let target = if size == 4 {
                let word = self.source.data(at, 4).and_then(|b| b.try_into().ok()).map(i32::from_le_bytes);
                word.map(|w| table.wrapping_add(i64::from(w) as u64))
            } else {
                self.source.pointer_at(at)
            };
            match target {
                Some(t) if self.decoded.contains(t) && !self.decoded.splits_instruction(t) => {
                    targets.insert(t);
                }
                Some(t) if self.source.code(t, t.saturating_add(1)).is_some() => {
                    // After the bound of a table there may be another one. Without a bound only the code that
                    // jumps knows where its table ends.
                    leave |= k < bound || bound == 0;
                    if k >= bound || self.decoded.contains(t) {
                        break;
                    }
                }
                _ => break,
            }
        }
        Entries { targets: targets.into_iter().collect(), leave }
    }
}

/// The value of the address that `jump` goes to.
fn value_of_target(jump: &Instruction, window: &[&Instruction]) -> Value {
    let mut registers = HashMap::default();
    for i in window.iter().rev() {
        step(i, &mut registers);
    }
    if jump.op0_kind() == OpKind::Memory {
        return load(jump, &registers, 8);
    }
    *registers.get(&jump.op0_register().full_register()).unwrap_or(&Value::Pointer)
}

/// Whether the register that `load` fills is used as an address in the straight-line code after it.
fn is_read_through(load: &Instruction, behind: &[Instruction]) -> bool {
    let register = load.op0_register().full_register();
    let mut next = load.next_ip();
    for i in behind.iter().take(WINDOW) {
        if i.ip() != next {
            return false;
        }
        next = i.next_ip();
        let addresses = [i.memory_base(), i.memory_index()].iter().any(|r| r.full_register() == register);
        if addresses && i.mnemonic() != Mnemonic::Lea {
            return true;
        }
        let goes_on = matches!(i.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch);
        let overwritten = i.op0_kind() == OpKind::Register && i.op0_register().full_register() == register;
        if overwritten || !goes_on {
            return false;
        }
    }
    false
}

/// Entries that the nearest compare with a constant allows; 0 without one.
fn bound(window: &[&Instruction]) -> u64 {
    let unsigned =
        |i: &Instruction| matches!(i.mnemonic(), Mnemonic::Ja | Mnemonic::Jae | Mnemonic::Jbe | Mnemonic::Jb);
    let Some(branch) = window.iter().position(|i| unsigned(i)) else { return 0 };
    let compare = window.iter().skip(branch).find(|i| i.mnemonic() == Mnemonic::Cmp && is_immediate(i, 1));
    compare.map_or(0, |i| i.immediate(1).saturating_add(1)).min(MOST_ENTRIES)
}

/// Whether the frame was just taken down: the jump is a tail call.
fn leaves_frame(window: &[&Instruction]) -> bool {
    window.first().is_some_and(|i| match i.mnemonic() {
        Mnemonic::Pop | Mnemonic::Leave => true,
        Mnemonic::Add => i.op0_register() == Register::RSP,
        _ => false,
    })
}

fn is_immediate(i: &Instruction, operand: u32) -> bool {
    matches!(
        i.op_kind(operand),
        OpKind::Immediate8
            | OpKind::Immediate32
            | OpKind::Immediate64
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64
    )
}

/// The value that a memory operand of `size` bytes yields.
fn load(i: &Instruction, registers: &HashMap<Register, Value>, size: u64) -> Value {
    let entry = |t| if size == 4 { Value::Entry32(t) } else { Value::Entry64(t) };
    match address(i, registers) {
        Value::Slot(table) => entry(table),
        Value::Scaled | Value::Constant(_) | Value::Pointer => Value::Pointer,
        _ => Value::Other,
    }
}

/// The address of a memory operand.
fn address(i: &Instruction, registers: &HashMap<Register, Value>) -> Value {
    if i.is_ip_rel_memory_operand() {
        return Value::Constant(i.ip_rel_memory_address());
    }
    let displacement = i.memory_displacement64();
    let value = |r: Register| *registers.get(&r.full_register()).unwrap_or(&Value::Pointer);
    let (base, index) = (i.memory_base(), i.memory_index());
    let scaled = index != Register::None && matches!(i.memory_index_scale(), 4 | 8);
    match (base, index) {
        (Register::None, Register::None) => Value::Constant(displacement),
        (Register::None, _) if scaled && displacement == 0 => Value::Scaled,
        (Register::None, _) if scaled => Value::Slot(Table::At(displacement)),
        (base, Register::None) => match value(base) {
            Value::Constant(c) => Value::Constant(c.wrapping_add(displacement)),
            Value::Slot(Table::At(t)) => Value::Slot(Table::At(t.wrapping_add(displacement))),
            Value::Scaled if displacement != 0 => Value::Slot(Table::At(displacement)),
            _ => Value::Pointer,
        },
        (base, index) => {
            let (b, x) = (value(base), value(index));
            match (b, x) {
                (Value::Constant(c), _) if scaled => Value::Slot(Table::At(c.wrapping_add(displacement))),
                // Unscaled `[scaled + base]` of unoptimised code, in either order.
                (Value::Constant(c), Value::Scaled) | (Value::Scaled, Value::Constant(c)) if !scaled => {
                    Value::Slot(Table::At(c.wrapping_add(displacement)))
                }
                (Value::Constant(c), Value::Entry32(t)) | (Value::Entry32(t), Value::Constant(c))
                    if i.memory_index_scale() == 1 =>
                {
                    plus_base(t, c)
                }
                _ if scaled => Value::Slot(Table::Behind(base.full_register(), displacement)),
                _ => Value::Computed,
            }
        }
    }
}

/// An entry plus an address: a target when the entry is relative to the table itself.
fn plus_base(entry: Table, base: u64) -> Value {
    match entry {
        Table::At(table) if table == base => Value::Sum(entry),
        Table::Behind(..) => Value::Sum(Table::At(base)),
        // Distances from a label of the program itself (`&&case - &&base`).
        Table::At(_) => Value::Computed,
    }
}

/// Applies one instruction to the known registers.
fn step(i: &Instruction, registers: &mut HashMap<Register, Value>) {
    if matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
        registers.clear();
        return;
    }
    let changes_nothing =
        matches!(i.mnemonic(), Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Nop | Mnemonic::Push)
            || i.flow_control() != FlowControl::Next;
    if changes_nothing || i.op_count() == 0 && i.mnemonic() != Mnemonic::Cdqe {
        return;
    }
    if i.mnemonic() == Mnemonic::Cdqe {
        return; // sign-extends rax in place: an entry stays an entry
    }
    if i.op0_kind() != OpKind::Register {
        return;
    }
    let destination = i.op0_register().full_register();
    let get = |r: Register| *registers.get(&r.full_register()).unwrap_or(&Value::Pointer);
    let narrow = i.op0_register().size() == 4;
    let value = match i.mnemonic() {
        Mnemonic::Lea => address(i, registers),
        Mnemonic::Mov if is_immediate(i, 1) => Value::Constant(i.immediate(1)),
        Mnemonic::Mov if i.op1_kind() == OpKind::Memory => load(i, registers, if narrow { 4 } else { 8 }),
        Mnemonic::Movsxd if i.op1_kind() == OpKind::Memory => load(i, registers, 4),
        Mnemonic::Mov | Mnemonic::Movsxd if i.op1_kind() == OpKind::Register => match get(i.op1_register()) {
            Value::Pointer if narrow => Value::Other,
            value => value,
        },
        Mnemonic::Shl if is_immediate(i, 1) && matches!(i.immediate(1), 2 | 3) => Value::Scaled,
        Mnemonic::Add if is_immediate(i, 1) => match get(destination) {
            Value::Constant(c) => Value::Constant(c.wrapping_add(i.immediate(1))),
            Value::Scaled => Value::Slot(Table::At(i.immediate(1))),
            _ => Value::Computed,
        },
        Mnemonic::Add if i.op1_kind() == OpKind::Register => {
            match (get(destination), get(i.op1_register())) {
                (Value::Entry32(t), Value::Constant(c)) | (Value::Constant(c), Value::Entry32(t)) => {
                    match t {
                        // The entry is relative to the table itself.
                        Table::At(table) if table == c => Value::Sum(t),
                        Table::Behind(..) => Value::Sum(Table::At(c)),
                        Table::At(_) => Value::Computed,
                    }
                }
                (Value::Entry32(t), _) | (_, Value::Entry32(t)) => Value::Sum(t),
                (Value::Scaled, Value::Constant(c)) | (Value::Constant(c), Value::Scaled) => {
                    Value::Slot(Table::At(c))
                }
                _ => Value::Computed,
            }
        }
        Mnemonic::Pop => Value::Pointer,
        Mnemonic::Sub | Mnemonic::Or | Mnemonic::And | Mnemonic::Xor => Value::Computed,
        _ => Value::Other,
    };
    registers.insert(destination, value);
}
