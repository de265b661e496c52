//! Which general registers and flags hold values that the program will still read.
//!
//! Only what is certainly dead is borrowed, so every doubt makes a register live: all of them at calls,
//! system calls, jumps out of the function and exception edges. At a return the caller-saved registers
//! that the function never writes are live too: the compiler may have told a caller that they survive
//! (GCC's `-fipa-ra`).

use super::flow::{EdgeKind, End, Flow, is_call};
use super::registers::{ALL_FLAGS, ALL_GPRS, CALLER_SAVED, Effect, Flags, Gprs, RSP};
use iced_x86::InstructionInfoFactory;

/// What is live at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// General registers.
    pub gprs: Gprs,
    /// Status flags.
    pub flags: Flags,
}

impl Live {
    /// Everything.
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
        // What callees write does not count: they may be known to write little, this function itself among
        // them when it is recursive.
        let own = flow.code.iter().zip(&effects).filter(|(i, _)| !is_call(i));
        let written = own.fold(0, |set, (_, e)| set | e.writes);
        // rax and rdx may hold the result.
        let at_return = ALL_GPRS & !(CALLER_SAVED & written & !(1 | 1 << 2));
        let n = flow.blocks.len();
        let mut this = Self { effects, entry: vec![Live::default(); n], exit: vec![Live::default(); n] };
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..n).rev() {
                let out = this.at_end(flow, b, at_return);
                let (first, last) = flow.blocks[b].code;
                let live = this.effects[first..last].iter().rev().fold(out, Live::before);
                changed |= out != this.exit[b] || live != this.entry[b];
                this.exit[b] = out;
                this.entry[b] = live;
            }
        }
        this
    }

    fn at_end(&self, flow: &Flow, b: usize, at_return: Gprs) -> Live {
        let block = &flow.blocks[b];
        let mut out = Live { gprs: RSP, flags: 0 };
        for edge in &block.successors {
            let next = self.entry[edge.to];
            out.gprs |= if edge.kind == EdgeKind::Handler { ALL_GPRS } else { next.gprs };
            out.flags |= next.flags;
        }
        if block.leaves {
            out = match block.end {
                End::Return => Live { gprs: out.gprs | at_return, flags: out.flags },
                End::Stop => out,
                // A callee does not look at the flags; code reached in other ways might.
                End::Tail(_) | End::IndirectTail => Live { gprs: ALL_GPRS, flags: out.flags },
                _ => Live::ALL,
            };
        }
        out
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
