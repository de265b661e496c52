//! Which code of a function moves to the code cache, and how its executions are counted.
//!
//! A region is a set of blocks that run from their copy. Every address at which control can arrive from
//! original code (the entry, returns of calls, targets of computed jumps, landing pads) gets a jump to the
//! copy, written over bytes that nothing executes any more; see [`windows`]. Blocks without room for a jump
//! are not moved. [`counters`] decides which blocks and edges carry a counter, and [`trips`] how entries and
//! iterations of each loop are counted.

pub mod counters;
pub mod trips;
pub mod windows;

use crate::code::flow::Flow;
use crate::code::liveness::Liveness;
use crate::reason::{Refusal, SystemCall};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use windows::Point;

/// A set of blocks to move.
#[derive(Debug)]
pub struct Region {
    /// Blocks that have a copy, sorted.
    pub blocks: Vec<usize>,
    /// The same by block.
    pub inside: Vec<bool>,
    /// Blocks of the region that also run in place, because no jump fits where control arrives.
    pub native: Vec<bool>,
    /// Where control enters.
    pub entry: usize,
    /// Where jumps to the copy are written.
    pub points: Vec<Point>,
    /// It is the whole function (else a loop).
    pub whole: bool,
}

impl Region {
    /// The whole function; `armed` when its entry already has a jump.
    pub fn function(flow: &Flow, padding: &[(u64, u64)], armed: bool) -> Result<Self, Refusal> {
        let mut inside = vec![true; flow.blocks.len()];
        for &b in &flow.unexplained {
            inside[b] = false;
        }
        Self::of(flow, inside, flow.entry, padding, true, armed)
    }

    /// Loop `index` of a function, with its inner loops.
    pub fn of_loop(flow: &Flow, index: usize, padding: &[(u64, u64)]) -> Result<Self, Refusal> {
        let mut inside = vec![false; flow.blocks.len()];
        for &b in &flow.loops[index].body {
            inside[b] = true;
        }
        Self::of(flow, inside, flow.loops[index].header, padding, false, false)
    }

    fn of(
        flow: &Flow,
        inside: Vec<bool>,
        entry: usize,
        padding: &[(u64, u64)],
        whole: bool,
        armed: bool,
    ) -> Result<Self, Refusal> {
        let blocks: Vec<usize> = (0..inside.len()).filter(|&b| inside[b]).collect();
        for &b in &blocks {
            check(flow.instructions(b))?;
        }
        let (points, native) =
            windows::assign(flow, &inside, entry, padding, armed).ok_or(Refusal::NoRoom)?;
        Ok(Self { blocks, inside, native, entry, points, whole })
    }

    /// Whether control can arrive at this block of the region from original code.
    pub fn is_point(&self, block: usize) -> bool {
        self.points.binary_search_by_key(&block, |p| p.block).is_ok()
    }

    /// Loops whose blocks are all in the region.
    pub fn loops(&self, flow: &Flow) -> Vec<usize> {
        (0..flow.loops.len()).filter(|&l| flow.loops[l].body.iter().all(|&b| self.inside[b])).collect()
    }
}

/// Refuses instructions that cannot run elsewhere.
fn check(code: &[Instruction]) -> Result<(), Refusal> {
    let mut number = None;
    for i in code {
        number = system_call_number(i, number);
        match i.mnemonic() {
            Mnemonic::Xbegin | Mnemonic::Xend | Mnemonic::Xabort => return Err(Refusal::Transaction),
            Mnemonic::Iretq | Mnemonic::Iret | Mnemonic::Iretd | Mnemonic::Sysexit | Mnemonic::Sysexitq => {
                return Err(Refusal::SwitchesContext);
            }
            Mnemonic::Wrgsbase | Mnemonic::Rdgsbase | Mnemonic::Swapgs | Mnemonic::Wrfsbase => {
                return Err(Refusal::UsesGs);
            }
            Mnemonic::Syscall => {
                if let Some(call) = fixed_system_call(number) {
                    return Err(Refusal::SystemCall(call));
                }
            }
            _ => {}
        }
        if i.segment_prefix() == Register::GS {
            return Err(Refusal::UsesGs);
        }
    }
    Ok(())
}

/// The number that rax holds after `i`, where a constant was moved there.
pub fn system_call_number(i: &Instruction, before: Option<u64>) -> Option<u64> {
    let to_rax = i.mnemonic() == Mnemonic::Mov
        && i.op0_kind() == OpKind::Register
        && i.op0_register().full_register() == Register::RAX
        && matches!(i.op1_kind(), OpKind::Immediate32 | OpKind::Immediate32to64);
    if to_rax { Some(i.immediate(1)) } else { before }
}

/// The system call of this number, if code must not move around it.
pub fn fixed_system_call(number: Option<u64>) -> Option<SystemCall> {
    match number? {
        15 => Some(SystemCall::RtSigreturn),
        56 | 435 => Some(SystemCall::Clone),
        58 => Some(SystemCall::Vfork),
        158 => Some(SystemCall::ArchPrctl),
        _ => None,
    }
}

/// Functions of run-time libraries that must not be changed, by name, and why.
pub fn untouchable(name: &str) -> Option<Refusal> {
    const START: [&str; 16] = [
        "_start",
        "execve",
        "__execve",
        "prctl",
        "__prctl",
        "__prctl_time64",
        "syscall",
        "mprotect",
        "__mprotect",
        "pkey_mprotect",
        "_dl_start",
        "_dl_debug_state",
        "_dl_runtime_resolve",
        "_dl_runtime_resolve_xsave",
        "_dl_runtime_resolve_xsavec",
        "_dl_runtime_resolve_fxsave",
    ];
    const CONTEXT: [&str; 19] = [
        "__restore_rt",
        "__clone",
        "clone",
        "__clone3",
        "clone3",
        "vfork",
        "__vfork",
        "setjmp",
        "_setjmp",
        "__sigsetjmp",
        "longjmp",
        "siglongjmp",
        "__longjmp",
        "getcontext",
        "setcontext",
        "swapcontext",
        "makecontext",
        "__start_context",
        "__tls_get_addr",
    ];
    let name = name.split('@').next().unwrap_or(name);
    if START.contains(&name) {
        Some(Refusal::StartCode)
    } else {
        CONTEXT.contains(&name).then_some(Refusal::SwitchesContext)
    }
}

/// The parts of a region that emission and solving share.
#[derive(Debug)]
pub struct Plan {
    /// The blocks and jumps.
    pub region: Region,
    /// Block and edge counters.
    pub counters: counters::Counters,
    /// How each loop's entries and iterations are counted.
    pub loops: Vec<trips::LoopPlan>,
    /// Counters of work that depends on registers: masks, repetitions.
    pub variable: Vec<Variable>,
    /// Counter slots that the region uses.
    pub slots: u32,
    /// Histograms that the region uses.
    pub histograms: u32,
}

/// A counter of units of variable work.
#[derive(Clone, Debug)]
pub struct Variable {
    pub block: usize,
    /// Index in the block's variable work.
    pub index: usize,
    /// Instruction before which the units are counted.
    pub address: u64,
    /// The counted unit.
    pub unit: loopwright_binary::work::Unit,
    /// Number of the counter.
    pub slot: u32,
}

/// Assigns counters.
#[derive(Debug, Default)]
pub struct Slots {
    /// Next free counter.
    pub next: u32,
    /// Next free histogram.
    pub histograms: u32,
}

impl Slots {
    /// One more counter.
    pub fn counter(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// One more histogram.
    pub fn histogram(&mut self) -> u32 {
        self.histograms += 1;
        self.histograms - 1
    }
}

/// Decides how a region is counted.
pub fn plan(
    flow: &Flow,
    live: &Liveness,
    region: Region,
    work: &[loopwright_binary::work::BlockWork],
) -> Result<Plan, Refusal> {
    let mut slots = Slots::default();
    let mut loops = trips::plan(flow, live, &region, &mut slots);
    let counters = counters::place(flow, live, &region, &mut loops, &mut slots).ok_or(Refusal::Unsolvable)?;
    let mut units = Vec::new();
    for &block in &region.blocks {
        for (index, v) in work[block].variable.iter().enumerate() {
            let slot = slots.counter();
            units.push(Variable { block, index, address: v.address, unit: v.unit, slot });
        }
    }
    Ok(Plan { region, counters, loops, variable: units, slots: slots.next, histograms: slots.histograms })
}
