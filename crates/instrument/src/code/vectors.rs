//! Which vector registers hold values that the program will still read.
//!
//! As for general registers ([`super::liveness`]) no calling convention is assumed: all are live wherever control leaves the
//! known code. The low 128 bits and the rest are separate, because an instruction without VEX prefix keeps the rest.

use super::flow::{EdgeKind, Flow};
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpAccess};

/// A set of the 32 vector registers, by number.
pub type Vectors = u32;

/// The live parts of vector registers at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveVectors {
    /// Registers whose low 128 bits are live.
    pub low: Vectors,
    /// Registers whose upper bits are live.
    pub high: Vectors,
}

const ALL: LiveVectors = LiveVectors { low: Vectors::MAX, high: Vectors::MAX };

/// The effect of an instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Effect {
    reads: LiveVectors,
    kills: LiveVectors,
    /// Control leaves the known code.
    leaves: bool,
}

impl Effect {
    fn of(factory: &mut InstructionInfoFactory, i: &Instruction) -> Self {
        let mut e = Self {
            leaves: matches!(
                i.flow_control(),
                FlowControl::Call | FlowControl::IndirectCall | FlowControl::Interrupt
            ),
            ..Self::default()
        };
        // A conditional or unknown access counts as a read: what is not overwritten for certain survives.
        for used in factory.info(i).used_registers() {
            let register = used.register();
            if !register.is_vector_register() {
                continue;
            }
            let bit = 1 << register.number();
            let reads_high = !register.is_xmm();
            match used.access() {
                OpAccess::Write => {
                    e.kills.low |= bit;
                    // Instructions that clear the upper bits are reported as writing all of the register.
                    if register.is_zmm() {
                        e.kills.high |= bit;
                    }
                }
                OpAccess::None | OpAccess::NoMemAccess => {}
                _ => {
                    e.reads.low |= bit;
                    if reads_high {
                        e.reads.high |= bit;
                    }
                }
            }
        }
        e
    }

    fn before(self, live: LiveVectors) -> LiveVectors {
        if self.leaves {
            return ALL;
        }
        LiveVectors {
            low: live.low & !self.kills.low | self.reads.low,
            high: live.high & !self.kills.high | self.reads.high,
        }
    }
}

/// Liveness of vector registers in a function.
pub struct VectorLiveness {
    effects: Vec<Effect>,
    /// At the start of each block.
    pub entry: Vec<LiveVectors>,
    exit: Vec<LiveVectors>,
}

impl VectorLiveness {
    /// Solves the data-flow equations of `flow`.
    pub fn new(flow: &Flow) -> Self {
        let mut factory = InstructionInfoFactory::new();
        let effects: Vec<Effect> = flow.code.iter().map(|i| Effect::of(&mut factory, i)).collect();
        let none = vec![LiveVectors::default(); flow.blocks.len()];
        let mut this = Self { effects, entry: none.clone(), exit: none };
        let mut changed = true;
        while changed {
            changed = false;
            for (b, block) in flow.blocks.iter().enumerate().rev() {
                let mut out = if block.leaves { ALL } else { LiveVectors::default() };
                for edge in &block.successors {
                    let next = if edge.kind == EdgeKind::Handler { ALL } else { this.entry[edge.to] };
                    out.low |= next.low;
                    out.high |= next.high;
                }
                let (first, last) = block.code;
                let live = this.effects[first..last].iter().rev().fold(out, |live, e| e.before(live));
                changed |= live != this.entry[b] || out != this.exit[b];
                (this.entry[b], this.exit[b]) = (live, out);
            }
        }
        this
    }

    /// Liveness before each instruction of a block.
    pub fn inside(&self, flow: &Flow, b: usize) -> Vec<LiveVectors> {
        let (first, last) = flow.blocks[b].code;
        let mut live = self.exit[b];
        let before = self.effects[first..last].iter().rev().map(|e| {
            live = e.before(live);
            live
        });
        let mut all: Vec<LiveVectors> = before.collect();
        all.reverse();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::code_asm::*;

    fn effect(build: impl FnOnce(&mut CodeAssembler)) -> Effect {
        let mut a = CodeAssembler::new(64).unwrap();
        build(&mut a);
        Effect::of(&mut InstructionInfoFactory::new(), &a.instructions()[0])
    }

    #[test]
    fn an_instruction_without_vex_keeps_the_upper_bits() {
        let sse = effect(|a| a.movaps(xmm3, xmm4).unwrap());
        assert_eq!((sse.kills.low, sse.kills.high, sse.reads.low), (8, 0, 16));
        let avx = effect(|a| a.vmovaps(xmm3, xmm4).unwrap());
        assert_eq!((avx.kills.low, avx.kills.high, avx.reads.high), (8, 8, 0));
        let wide = effect(|a| a.vaddps(ymm3, ymm4, ymm5).unwrap());
        assert_eq!((wide.kills.high, wide.reads.high), (8, 0x30));
    }

    #[test]
    fn an_operation_on_a_register_reads_it() {
        let add = effect(|a| a.addsd(xmm0, xmm1).unwrap());
        assert_eq!((add.kills.low, add.reads.low), (0, 3));
        let scalar = effect(|a| a.movsd_2(xmm0, xmm1).unwrap());
        assert_eq!(
            (scalar.kills.low, scalar.reads.low & 1),
            (0, 1),
            "the upper half of the low part survives"
        );
    }

    #[test]
    fn a_masked_operation_kills_nothing() {
        let masked = effect(|a| a.vaddps(zmm3.k1(), zmm4, zmm5).unwrap());
        assert_eq!(masked.kills.low, 0);
        assert_ne!(masked.reads.low & 8, 0);
    }
}
