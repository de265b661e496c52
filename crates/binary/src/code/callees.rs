//! What a call does to registers: which its function reads before it writes them, and which it writes at all.
//!
//! A value can be carried round a loop in a register that no instruction of the loop names: one call returns
//! it and the next takes it (`x = f(x)` leaves it in xmm0 all the time). And a compiler that sees the called
//! function keeps values in registers which that function does not write, though the ABI lets it (`-fipa-ra`,
//! part of gcc's -O2). Functions of the same binary are decoded for both; others are known to take arguments
//! when they are mathematical functions, and otherwise may take what the loop puts into argument registers.

use super::blocks::Graph;
use super::decode::{self, Decoded};
use super::memo::{Effect, Returns};
use super::source::CodeSource;
use super::step::{self, Places, Step, clobbered_by_call, is_call, slot_of};
use crate::facts::CallSite;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register};

/// Most instructions of a called function that are examined; in longer ones all arguments count as read.
const MOST_INSTRUCTIONS: usize = 4000;

/// Functions that return their first argument (C17 7.24.2, 7.24.6), and their checked variants.
const RETURN_FIRST: [&str; 6] =
    ["memset", "memcpy", "memmove", "__memset_chk", "__memcpy_chk", "__memmove_chk"];

/// Mathematical functions with one or two floating-point arguments, without type suffixes.
const MATHEMATICS: [&str; 24] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log",
    "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "fmod", "floor", "ceil", "atan2", "hypot",
];

/// Those of [`MATHEMATICS`] that take two arguments.
const TWO_ARGUMENTS: [&str; 4] = ["pow", "fmod", "atan2", "hypot"];

/// The functions that the code of a binary calls.
#[derive(Clone, Copy)]
pub struct Callees<'a> {
    source: &'a dyn CodeSource,
}

impl<'a> Callees<'a> {
    /// The called functions of a binary.
    pub fn new(source: &'a dyn CodeSource) -> Self {
        Self { source }
    }

    /// A copy of the step in which a call writes what the called function writes.
    pub fn step(&self, step: &Step) -> Step {
        let mut step = step.clone();
        if is_call(&step.instruction) {
            let writes = self.writes(&step.instruction);
            step.writes.retain(|place| writes.contains(*place));
        }
        step
    }

    /// Registers that may hold another value after a call.
    pub fn writes(&self, call: &Instruction) -> Places {
        self.own(call).map_or_else(clobbered_by_call, |effect| effect.writes)
    }

    /// The call returns its first argument.
    pub fn returns_first(&self, call: &Instruction) -> bool {
        is_call(call) && RETURN_FIRST.contains(&self.name(call).as_str())
    }

    fn name(&self, call: &Instruction) -> String {
        call_site(self.source, call).target.unwrap_or_default()
    }

    /// The effect of a call on registers.
    pub fn effect(&self, call: &Instruction) -> Effect {
        if let Some(effect) = self.own(call) {
            return effect;
        }
        let name = self.name(call);
        let plain = name.trim_start_matches('_').trim_end_matches(['f', 'l']);
        let is_one_of = |list: &[&str]| list.contains(&plain) || list.contains(&name.as_str());
        let reads = if RETURN_FIRST.contains(&name.as_str()) {
            registers(&[Register::RDI, Register::RSI, Register::RDX])
        } else if is_one_of(&TWO_ARGUMENTS) {
            // Numbers in, a number out.
            registers(&[Register::XMM0, Register::XMM1])
        } else if is_one_of(&MATHEMATICS) {
            registers(&[Register::XMM0])
        } else {
            return Effect { may_read: all_arguments(), writes: clobbered_by_call(), ..Effect::default() };
        };
        Effect { reads, may_read: reads, writes: clobbered_by_call() }
    }

    /// The effect of calling a function of the same binary.
    fn own(&self, call: &Instruction) -> Option<Effect> {
        let source = self.source;
        let target = Some(call.near_branch_target()).filter(|target| *target != 0)?;
        let function = source.function_at(target).filter(|function| function.address == target)?;
        if source.code(function.address, function.end).is_none()
            || is_stub(source, function.address, function.end)
        {
            return None;
        }
        let find = |returns: &Returns| {
            let decoded = decode::decode(source, function, returns);
            if decoded.instructions.len() > MOST_INSTRUCTIONS {
                return Effect {
                    may_read: all_arguments(),
                    writes: clobbered_by_call(),
                    ..Effect::default()
                };
            }
            let graph = Graph::new(&decoded);
            let (reads, may_read) = read_first(&graph);
            Effect { reads, may_read, writes: written(&decoded) }
        };
        Some(match source.memo() {
            Some(memo) => memo.effect(function.address, || find(&memo.returns)),
            None => find(&Returns::default()),
        })
    }
}

fn registers(all: &[Register]) -> Places {
    let mut places = Places::default();
    all.iter().filter_map(|&register| slot_of(register)).for_each(|place| places.insert(place));
    places
}

/// Entries of procedure linkage tables lead elsewhere.
fn is_stub(source: &dyn CodeSource, start: u64, end: u64) -> bool {
    end - start <= 16
        && source.code(start, end).is_some_and(|code| code.windows(2).any(|w| w == [0xff, 0x25]))
}

/// The registers that hold arguments (System V ABI for x86-64, 3.2.3).
fn all_arguments() -> Places {
    use Register::{R8, R9, RCX, RDI, RDX, RSI, XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7};
    registers(&[RDI, RSI, RDX, RCX, R8, R9, XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7])
}

/// Caller-saved registers that a function may change. All of them where it calls others, or leaves in a way that is not
/// a return.
fn written(decoded: &Decoded) -> Places {
    let all = clobbered_by_call();
    let understood = decoded.unresolved.is_empty()
        && decoded.leaving.is_empty()
        && decoded.gaps.is_empty()
        && !decoded.overlapping;
    let mut factory = InstructionInfoFactory::new();
    let mut places = Places::default();
    for i in &decoded.instructions {
        let leaves = match i.flow_control() {
            FlowControl::Call | FlowControl::IndirectCall => !decoded.never_returns(i.ip()),
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                i.op0_kind() != OpKind::NearBranch64 || !decoded.contains(i.near_branch_target())
            }
            FlowControl::XbeginXabortXend | FlowControl::Interrupt => true,
            _ => false,
        };
        if leaves || !understood {
            return all;
        }
        step::step(i, 0, &mut factory).writes.into_iter().for_each(|place| places.insert(place));
    }
    Places(places.0 & all.0)
}

/// Argument registers that are read before they are written, on some path from the entry: by instructions,
/// and those that functions called there may read as well.
fn read_first(graph: &Graph) -> (Places, Places) {
    let mut factory = InstructionInfoFactory::new();
    let count = graph.blocks.len();
    let (mut reads, mut may_read, mut writes) = (vec![0u128; count], vec![0u128; count], vec![0u128; count]);
    for b in 0..count {
        for i in graph.code(b as u32) {
            let step = step::step(i, 0, &mut factory);
            let used = step.reads.iter().chain(&step.address).fold(0, |all, &r| all | 1u128 << r);
            // Saving a register does not use its value.
            if step.operation.class != super::operation::Class::Stack {
                reads[b] |= used & !writes[b];
            }
            if is_call(i) || graph.blocks[b].leaves && i.is_jmp_short_or_near() {
                // A function that it calls (also by a tail call) may take them.
                may_read[b] |= all_arguments().0 & !writes[b];
            }
            writes[b] |= step.writes.iter().fold(0, |all, &w| all | 1u128 << w);
        }
        may_read[b] |= reads[b];
    }
    let at_entry = |reads: Vec<u128>| {
        let mut live = reads;
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..count).rev() {
                let after = graph.blocks[b].successors.iter().fold(0, |all, &s| all | live[s as usize]);
                let now = live[b] | after & !writes[b];
                changed |= now != live[b];
                live[b] = now;
            }
        }
        let entry = graph.roots.first().map_or(0, |&entry| live[entry as usize]);
        Places(entry & all_arguments().0)
    };
    (at_entry(reads), at_entry(may_read))
}

/// A call with the name of its target.
pub fn call_site(source: &dyn CodeSource, i: &Instruction) -> CallSite {
    let name = match i.op0_kind() {
        OpKind::NearBranch64 => source.name_at(i.near_branch_target()),
        OpKind::Memory if i.is_ip_rel_memory_operand() => source.name_at(i.ip_rel_memory_address()),
        _ if i.mnemonic() == Mnemonic::Syscall => Some("syscall".to_string()),
        _ => None,
    };
    CallSite { address: i.ip(), target: name.map(|n| n.trim_end_matches("@plt").to_string()) }
}
