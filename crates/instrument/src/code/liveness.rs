//! Which general registers and flags hold values that the program will still read.
//!
//! Only registers that are certainly dead are borrowed, and a calling convention makes nothing certain:
//! hand-written assembly returns values in any register and in the flags, Go returns up to nine in registers
//! that C callees may overwrite, GCC's `-fipa-ra` and LLVM's `-enable-ipra` let a caller rely on registers
//! that a callee does not write. So all registers and flags are live wherever control leaves the known code:
//! at calls, returns, jumps out of the function, system calls, traps (a handler sees them) and exceptions.

use super::flow::{EdgeKind, Flow};
use super::registers::{ALL_FLAGS, ALL_GPRS, Effect, Flags, Gprs, RSP};
use iced_x86::InstructionInfoFactory;

/// The live registers and flags at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// General registers.
    pub gprs: Gprs,
    /// Status flags.
    pub flags: Flags,
}

impl Live {
    /// All registers and flags.
    pub const ALL: Self = Self { gprs: ALL_GPRS, flags: ALL_FLAGS };

    fn before(self, e: &Effect) -> Self {
        Self { gprs: self.gprs & !e.kills | e.reads, flags: self.flags & !e.flags_killed | e.flags_read }
    }
}

/// Liveness of a function.
#[derive(Debug)]
pub struct Liveness {
    /// Effects of all instructions, in the order of [`Flow::code`].
    pub effects: Vec<Effect>,
    /// At the start of each block.
    pub entry: Vec<Live>,
    /// At the end of each block.
    pub exit: Vec<Live>,
}

impl Liveness {
    /// Solves the data-flow equations of `flow`.
    pub fn new(flow: &Flow) -> Self {
        let mut factory = InstructionInfoFactory::new();
        let effects: Vec<Effect> = flow.code.iter().map(|i| Effect::of(&mut factory, i)).collect();
        let n = flow.blocks.len();
        let mut this = Self { effects, entry: vec![Live::default(); n], exit: vec![Live::default(); n] };
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..n).rev() {
                let out = this.at_end(flow, b);
                let (first, last) = flow.blocks[b].code;
                let live = this.effects[first..last].iter().rev().fold(out, Live::before);
                changed |= out != this.exit[b] || live != this.entry[b];
                this.exit[b] = out;
                this.entry[b] = live;
            }
        }
        this
    }

    fn at_end(&self, flow: &Flow, b: usize) -> Live {
        let block = &flow.blocks[b];
        if block.leaves {
            return Live::ALL;
        }
        let mut out = Live { gprs: RSP, flags: 0 };
        for edge in &block.successors {
            let next = self.entry[edge.to];
            out.gprs |= if edge.kind == EdgeKind::Handler { ALL_GPRS } else { next.gprs };
            out.flags |= next.flags;
        }
        out
    }

    /// Registers that instructions of these blocks name.
    pub fn touched(&self, flow: &Flow, blocks: &[usize]) -> Gprs {
        let ranges = blocks.iter().map(|&b| flow.blocks[b].code);
        ranges.flat_map(|(first, last)| &self.effects[first..last]).fold(0, |set, e| set | e.touches())
    }

    /// Liveness before each instruction of a block, and after the last.
    pub fn inside(&self, flow: &Flow, b: usize) -> Vec<Live> {
        let (first, last) = flow.blocks[b].code;
        let mut live = vec![self.exit[b]; last - first + 1];
        for k in (0..last - first).rev() {
            live[k] = live[k + 1].before(&self.effects[first + k]);
        }
        live
    }
}
