//! Which registers a call reads: what its function uses before it writes it.
//!
//! A value can go round a loop in a register that no instruction of the loop names, when one call returns it and the next
//! takes it (`x = f(x)` leaves it in xmm0 all the time). Functions of the same binary are decoded for that; others are
//! known to take arguments when they are mathematics, and else to take what the loop puts into argument registers.

use super::super::blocks::Graph;
use super::super::body::{self, Body, is_call, slot_of};
use super::super::decode;
use super::super::noreturn::Returns;
use super::super::source::CodeSource;
use super::super::summary;
use super::flow::{Arguments, CallUse};
use super::value::Set;
use iced_x86::{Instruction, InstructionInfoFactory, Register};

/// Instructions of a called function that are looked at; of longer ones all arguments count as read.
const MOST_INSTRUCTIONS: usize = 4000;

/// Functions that return their first argument (C17 7.24.2, 7.24.6), and their checked variants.
const RETURN_FIRST: [&str; 6] =
    ["memset", "memcpy", "memmove", "__memset_chk", "__memcpy_chk", "__memmove_chk"];

/// Mathematics that takes one or two floating-point arguments, without the suffixes of types.
const MATHEMATICS: [&str; 24] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log",
    "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "fmod", "floor", "ceil", "atan2", "hypot",
];

/// Those among them that take two.
const TWO_ARGUMENTS: [&str; 4] = ["pow", "fmod", "atan2", "hypot"];

/// The registers that calls of a loop read, by step.
pub fn of_calls(source: &dyn CodeSource, body: &Body) -> Arguments {
    let calls = body.steps.iter().enumerate().filter(|(_, step)| is_call(&step.instruction));
    calls
        .map(|(at, step)| {
            let returns_first = returns_first(source, &step.instruction);
            (at, CallUse { reads: of_call(source, body, step), returns_first })
        })
        .collect()
}

/// The call returns its first argument.
pub fn returns_first(source: &dyn CodeSource, call: &Instruction) -> bool {
    let name = || summary::call_site(source, call).target;
    body::is_call(call) && name().is_some_and(|name| RETURN_FIRST.contains(&name.as_str()))
}

fn of_call(source: &dyn CodeSource, body: &Body, call: &body::Step) -> Set {
    let i = &call.instruction;
    let target = i.near_branch_target();
    let own = source.function_at(target).filter(|function| target != 0 && function.address == target);
    let name = summary::call_site(source, i).target.unwrap_or_default();
    if let Some(function) =
        own.filter(|f| source.code(f.address, f.end).is_some() && !is_stub(source, f.address, f.end))
    {
        let find = |returns: &Returns| {
            let decoded = decode::decode(source, function, returns);
            if decoded.instructions.len() > MOST_INSTRUCTIONS {
                return all_arguments();
            }
            read_first(&Graph::new(&decoded))
        };
        return match source.memo() {
            Some(memo) => memo.arguments(function.address, || find(&memo.returns)),
            None => find(&Returns::default()),
        };
    }
    if RETURN_FIRST.contains(&name.as_str()) {
        return registers(&[Register::RDI, Register::RSI, Register::RDX]);
    }
    let plain = name.trim_start_matches('_').trim_end_matches(['f', 'l']);
    if MATHEMATICS.contains(&plain) || MATHEMATICS.contains(&name.as_str()) {
        // Numbers in, a number out.
        let two = TWO_ARGUMENTS.contains(&plain) || TWO_ARGUMENTS.contains(&name.as_str());
        return registers(if two { &[Register::XMM0, Register::XMM1] } else { &[Register::XMM0] });
    }
    let put = body.steps.iter().filter(|step| !is_call(&step.instruction)).flat_map(|step| &step.writes);
    put.fold(0, |all, &w| all | 1u128 << w) & all_arguments()
}

fn registers(all: &[Register]) -> Set {
    all.iter().filter_map(|&register| slot_of(register)).fold(0, |all, slot| all | 1 << slot)
}

/// Entries of procedure linkage tables lead elsewhere.
fn is_stub(source: &dyn CodeSource, start: u64, end: u64) -> bool {
    end - start <= 16
        && source.code(start, end).is_some_and(|code| code.windows(2).any(|w| w == [0xff, 0x25]))
}

/// The registers that hold arguments (System V ABI for x86-64, 3.2.3).
fn all_arguments() -> Set {
    use Register::{R8, R9, RCX, RDI, RDX, RSI, XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7};
    let all = [RDI, RSI, RDX, RCX, R8, R9, XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7];
    all.into_iter().filter_map(slot_of).fold(0, |all, slot| all | 1 << slot)
}

/// Argument registers that are read before they are written, on some way from the entry.
fn read_first(graph: &Graph) -> Set {
    let mut factory = InstructionInfoFactory::new();
    let count = graph.blocks.len();
    let (mut reads, mut writes) = (vec![0u128; count], vec![0u128; count]);
    for b in 0..count {
        for i in graph.code(b as u32) {
            let step = body::step(i, 0, &mut factory);
            let mut used = step.reads.iter().chain(&step.address).fold(0, |all, &r| all | 1u128 << r);
            if is_call(i) || graph.blocks[b].leaves && i.is_jmp_short_or_near() {
                // What it calls (in place of itself) may take them.
                used |= all_arguments();
            }
            // Saving a register is no use of its value.
            if step.operation.class != super::super::operation::Class::Stack {
                reads[b] |= used & !writes[b];
            }
            writes[b] |= step.writes.iter().fold(0, |all, &w| all | 1u128 << w);
        }
    }
    let mut live = reads.clone();
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
    graph.roots.first().map_or(0, |&entry| live[entry as usize]) & all_arguments()
}
