//! Registers that already count a loop's iterations.
//!
//! When a single instruction of a loop changes a register, by a constant, the register's difference between entry and
//! exit gives the number of executions of that instruction. Nothing has to be counted inside the loop.

use super::flow::{End, Flow};
use super::liveness::Liveness;
use super::registers::{gpr, number_of};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// A register that advances by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Induction {
    /// The 64-bit register.
    pub register: Register,
    /// The amount that each execution adds.
    pub step: i64,
    /// Only the lower half counts.
    pub narrow: bool,
    /// Block of the instruction.
    pub block: usize,
}

/// Larger steps are not induction, but for example hash mixing.
const LARGEST_STEP: i64 = 1 << 20;

/// The best induction register of loop `index`, if it has one.
///
/// A 64-bit register cannot wrap around in any run; a 32-bit one can, unless the loop's exit tests it.
pub fn find(flow: &Flow, live: &Liveness, index: usize) -> Option<Induction> {
    let l = &flow.loops[index];
    let mut writers = [(0u32, 0usize, 0usize); 16];
    for &b in &l.body {
        let (first, last) = flow.blocks[b].code;
        for k in first..last {
            let mut writes = live.effects[k].writes;
            while writes != 0 {
                let r = writes.trailing_zeros() as usize;
                writes &= writes - 1;
                writers[r] = (writers[r].0 + 1, b, k);
            }
        }
    }
    let mut best: Option<(u32, Induction)> = None;
    for (number, &(count, block, at)) in writers.iter().enumerate() {
        if count != 1 || number == 4 || flow.loop_of[block] != Some(index) {
            continue;
        }
        let Some((step, narrow)) = constant_step(&flow.code[at]) else { continue };
        if step == 0 || step.abs() > LARGEST_STEP {
            continue;
        }
        let found = Induction { register: gpr(number), step, narrow, block };
        if narrow && !decides_exit(flow, l.body.as_slice(), found.register, at) {
            continue;
        }
        // One that runs in every iteration gives the trip count, too.
        let every = block == l.header || always_runs(flow, index, block);
        let rank = u32::from(every) * 4 + u32::from(!narrow) * 2 + u32::from(step.abs() == 1);
        if best.is_none_or(|(r, _)| rank > r) {
            best = Some((rank, found));
        }
    }
    best.map(|b| b.1)
}

/// What the instruction adds to its first operand, and whether it works on the lower half.
fn constant_step(i: &Instruction) -> Option<(i64, bool)> {
    if i.op_count() == 0 || i.op0_kind() != OpKind::Register {
        return None;
    }
    let register = i.op0_register();
    let narrow = match (register.is_gpr32(), register.is_gpr64()) {
        (true, _) => true,
        (_, true) => false,
        _ => return None,
    };
    let immediate = || {
        let constant = matches!(
            i.op1_kind(),
            OpKind::Immediate8to32 | OpKind::Immediate8to64 | OpKind::Immediate32 | OpKind::Immediate32to64
        );
        constant.then(|| if narrow { i.immediate(1) as u32 as i32 as i64 } else { i.immediate(1) as i64 })
    };
    let step = match i.mnemonic() {
        Mnemonic::Add => immediate()?,
        Mnemonic::Sub => immediate()?.checked_neg()?,
        Mnemonic::Inc => 1,
        Mnemonic::Dec => -1,
        Mnemonic::Lea
            if i.memory_base().is_gpr64()
                && number_of(i.memory_base()) == number_of(register)
                && i.memory_index() == Register::None =>
        {
            if narrow {
                i.memory_displacement64() as u32 as i32 as i64
            } else {
                i.memory_displacement64() as i64
            }
        }
        _ => return None,
    };
    Some((step, narrow))
}

/// Whether an exit of the loop compares the register, or tests the result of its advance.
fn decides_exit(flow: &Flow, body: &[usize], register: Register, advance: usize) -> bool {
    body.iter().any(|&b| {
        let block = &flow.blocks[b];
        let exits = matches!(block.end, End::Branch { .. })
            && (block.leaves || block.successors.iter().any(|e| body.binary_search(&e.to).is_err()));
        if !exits {
            return false;
        }
        let (first, last) = block.code;
        let flags = (first..last - 1).rev().find(|&k| flow.code[k].rflags_modified() != 0);
        flags.is_some_and(|k| {
            let i = &flow.code[k];
            let compares = matches!(i.mnemonic(), Mnemonic::Cmp | Mnemonic::Test)
                && (0..i.op_count()).any(|o| {
                    i.op_kind(o) == OpKind::Register
                        && i.op_register(o).size() >= 4
                        && i.op_register(o).full_register() == register
                });
            k == advance || compares
        })
    })
}

/// Whether every iteration of loop `index` that reaches the back edge runs `block`: without it, the header
/// cannot be reached again.
pub fn always_runs(flow: &Flow, index: usize, block: usize) -> bool {
    let l = &flow.loops[index];
    block == l.header || !reaches(flow, &l.body, l.header, l.header, block)
}

/// Whether, inside `body`, a path of at least one edge leads from `from` to `to` without `avoided`.
fn reaches(flow: &Flow, body: &[usize], from: usize, to: usize, avoided: usize) -> bool {
    let mut seen = vec![false; body.len()];
    let mut work = vec![from];
    while let Some(b) = work.pop() {
        for edge in &flow.blocks[b].successors {
            if edge.to == to && b != avoided {
                return true;
            }
            if edge.to == avoided || edge.to == from {
                continue;
            }
            if let Ok(k) = body.binary_search(&edge.to)
                && !std::mem::replace(&mut seen[k], true)
            {
                work.push(edge.to);
            }
        }
    }
    false
}

/// Whether every path from the header of loop `index` to `block` inside the loop runs `first`.
pub fn runs_before(flow: &Flow, index: usize, first: usize, block: usize) -> bool {
    let l = &flow.loops[index];
    if first == block || first == l.header {
        return true;
    }
    block != l.header && !reaches_once(flow, &l.body, l.header, block, first)
}

/// As [`reaches`], not passing the header again.
fn reaches_once(flow: &Flow, body: &[usize], header: usize, to: usize, avoided: usize) -> bool {
    let mut seen = vec![false; body.len()];
    let mut work = vec![header];
    while let Some(b) = work.pop() {
        if b == to {
            return true;
        }
        for edge in &flow.blocks[b].successors {
            if edge.to == avoided || edge.to == header {
                continue;
            }
            if let Ok(k) = body.binary_search(&edge.to)
                && !std::mem::replace(&mut seen[k], true)
            {
                work.push(edge.to);
            }
        }
    }
    false
}
