//! How entries and iterations of each loop are counted.
//!
//! Cheapest first: an induction register gives the iterations by its difference between entry and exit; a
//! general register that is free throughout the loop counts them; else the header has a counter in memory.
//! Entry and exit are edges, so that their work is done once per entry.

use super::{Region, Slots};
use crate::code::flow::{EdgeKind, End, Flow, Loop, is_call};
use crate::code::induction::{self, Induction};
use crate::code::liveness::Liveness;
use crate::code::registers::{Gprs, RSP, gpr};
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use loopwright_binary::code::block_work;

/// How iterations are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// By the difference of an induction register.
    Induction(Induction),
    /// In a register that the loop does not use; holds the count while the loop runs.
    Register(Register),
    /// By the header's counter in memory.
    Memory,
}

/// Counters of one loop.
#[derive(Clone, Debug)]
pub struct LoopPlan {
    /// Index in [`Flow::loops`].
    pub index: usize,
    /// How iterations are counted.
    pub technique: Technique,
    pub entries: u32,
    /// Sum over all entries: induction differences (in units of the register), or the register's counts.
    pub sum: u32,
    /// State at entry: the induction register or the header's counter.
    pub start: u32,
    /// Most iterations of an entry, among entries beyond the exact buckets.
    pub most: u32,
    /// Complement of the fewest iterations, among the same entries.
    pub fewest: u32,
    /// Entries by iterations.
    pub histogram: u32,
    /// The header's counter, for [`Technique::Memory`].
    pub header_slot: Option<u32>,
    /// The block from which the loop exits before an iteration did any work, where it tests first.
    pub test: Option<usize>,
    /// Entering and leaving are counted on every path.
    pub distinct: bool,
}

/// Chooses a technique for each loop of the region.
pub fn plan(flow: &Flow, live: &Liveness, region: &Region, slots: &mut Slots) -> Vec<LoopPlan> {
    let inside = region.loops(flow);
    inside
        .into_iter()
        .map(|index| {
            let technique = technique(flow, live, region, index);
            let l = &flow.loops[index];
            LoopPlan {
                index,
                technique,
                entries: slots.counter(),
                sum: slots.counter(),
                start: slots.counter(),
                most: slots.counter(),
                fewest: slots.counter(),
                histogram: slots.histogram(),
                header_slot: None,
                test: test(flow, index),
                distinct: !l.body.iter().any(|&b| flow.irreducible[b]) && distinct(flow, region, index),
            }
        })
        .collect()
}

fn technique(flow: &Flow, live: &Liveness, region: &Region, index: usize) -> Technique {
    let l = &flow.loops[index];
    // Original code runs between entry and exit when blocks call, jump through tables or run in place; then
    // only memory is safe.
    let leaves_copy = l.body.iter().any(|&b| {
        matches!(flow.blocks[b].end, End::Call(_) | End::Indirect)
            || region.native[b]
            || region.is_point(b) && b != region.entry
            || flow.irreducible[b]
    });
    if leaves_copy {
        return Technique::Memory;
    }
    if let Some(found) = induction::find(flow, live, index) {
        return Technique::Induction(found);
    }
    if l.innermost {
        let used: Gprs = RSP | live.entry[l.header].gprs | live.touched(flow, &l.body);
        if let Some(free) = (0..16).find(|&n| used >> n & 1 == 0) {
            return Technique::Register(gpr(free));
        }
    }
    Technique::Memory
}

/// The header (or the block after it, when it calls functions), if it only decides whether another iteration
/// runs: the loop exits from it, never from the source of the back edge, and other blocks do the work. A
/// rotated loop tests at its end: an exit from its header is then an early exit out of the iteration.
fn test(flow: &Flow, index: usize) -> Option<usize> {
    let l = &flow.loops[index];
    let head = head(flow, l);
    let test = *head.last()?;
    let exits = |b: usize| {
        let block = &flow.blocks[b];
        matches!(block.end, End::Branch { .. })
            && (block.leaves || block.successors.iter().any(|e| l.body.binary_search(&e.to).is_err()))
    };
    let is_latch = |b: usize| flow.blocks[b].successors.iter().any(|e| e.to == l.header);
    let turned = l.body.iter().any(|&b| is_latch(b) && (b == test || exits(b)));
    if !exits(test) || turned || head.iter().any(|&b| does_work(flow.instructions(b))) {
        return None;
    }
    // In a loop that retries until it succeeds, all work is in the header.
    let idle = |i: &Instruction| {
        let memory = (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
        i.is_jmp_short_or_near() || i.mnemonic() == Mnemonic::Nop || i.mnemonic() == Mnemonic::Mov && !memory
    };
    let rest = || l.body.iter().filter(|b| !head.contains(b));
    rest().any(|&b| !flow.instructions(b).iter().all(idle)).then_some(test)
}

/// The blocks that every pass begins with: the header, and those after its calls.
fn head(flow: &Flow, l: &Loop) -> Vec<usize> {
    let mut head = vec![l.header];
    let mut last = l.header;
    while matches!(flow.blocks[last].end, End::Call(_) | End::Fall(_)) {
        let next = flow.blocks[last].successors.iter().find(|e| e.kind != EdgeKind::Handler).map(|e| e.to);
        let only = |n: &usize| flow.blocks[*n].predecessors.len() == 1 && l.body.binary_search(n).is_ok();
        let Some(next) = next.filter(only) else { break };
        head.push(next);
        last = next;
    }
    head
}

/// Whether a header does part of an iteration's work: it computes with floating-point numbers, or stores
/// elsewhere than to the frame, where unoptimised code keeps its counters. (gfortran tests strided loops
/// after the body in this way.) A call does not count: unoptimised C++ calls functions to compare iterators.
fn does_work(header: &[Instruction]) -> bool {
    let frame = |register| matches!(register, Register::RSP | Register::RBP);
    let mut factory = InstructionInfoFactory::new();
    header.iter().filter(|i| !is_call(i)).any(|i| {
        let mut memory = factory.info(i).used_memory().iter();
        let stores = memory.any(|m| {
            !frame(m.base())
                && matches!(
                    m.access(),
                    OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
                )
        });
        stores || block_work(std::slice::from_ref(i)).fixed.total_flop() > 0
    })
}

/// Whether entries are certain at each place inside the loop where control arrives from original code: it
/// always comes from inside the loop, or never does. Where control leaves, this is not needed: an entry whose
/// end is not seen is missing in the distribution only.
fn distinct(flow: &Flow, region: &Region, index: usize) -> bool {
    region.points.iter().filter(|p| flow.in_loop(index, p.block)).all(|p| {
        let arrives = |b: &&usize| {
            let mut edges = flow.blocks[**b].successors.iter().filter(|e| e.to == p.block);
            edges.any(|e| e.kind.reenters() || region.native[**b] || !region.inside[**b])
        };
        let from = flow.blocks[p.block].predecessors.iter().filter(arrives);
        let mut inside = from.map(|&b| flow.in_loop(index, b)).collect::<Vec<_>>();
        if p.block == region.entry || flow.entries.contains(&p.block) {
            inside.push(false);
        }
        inside.windows(2).all(|w| w[0] == w[1])
    })
}
