//! The registers that a unit's versions use.

use super::calibrate;
use super::kinds;
use super::nest::Nest;
use super::operation::Encoding;
use crate::code::registers::{CALLER_SAVED, Gprs, RSP, gpr, set_of};
use iced_x86::Register;
use loopwright_vocabulary::VectorWidth;

/// A vector register for operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The XMM register.
    pub low: Register,
    pub encoding: Encoding,
    /// It holds a value of the program, which is saved while the unit runs.
    pub saved: bool,
    /// Width of the registers of this processor.
    pub whole: VectorWidth,
}

/// A general register whose value waits in the low half of a vector register while the unit runs. There conservative garbage
/// collectors find it, too: the kernel stores vector registers on the stack of a signal's handler. The vector register's own
/// value waits in the control block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    pub general: Register,
    /// The XMM register.
    pub vector: Register,
}

/// Most general registers that are lent: the countdown, and one for operations.
pub const MOST_LENT: usize = 2;

/// The choice for a unit.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Counts down the iterations until the next change; in memory where no register is free.
    pub countdown: Option<Register>,
    /// A general register without a value at the injected header.
    pub spare: Option<Register>,
    /// A general register whose value is known early in an iteration, and that operations do not write: they wait for nothing.
    pub source: Register,
    pub vector: Option<Vector>,
    /// Registers of the program that are among these, at most [`MOST_LENT`].
    pub lent: Vec<Lent>,
}

impl Registers {
    pub(super) fn of(nest: &Nest<'_>) -> Self {
        let vector = vector(nest);
        let mut lender = Lender::new(nest, vector);
        let countdown = countdown(nest).or_else(|| lender.lend());
        let spare = spare(nest, countdown).or_else(|| lender.lend());
        let source = source(nest, countdown, spare);
        Self { countdown, spare, source, vector, lent: lender.lent }
    }

    /// A register is without a value of the program everywhere in the unit.
    pub fn is_lent(&self, register: Register) -> bool {
        self.lent.iter().any(|l| l.general == register)
    }
}

/// A register that the unit neither uses nor keeps a value of the program in.
fn countdown(nest: &Nest<'_>) -> Option<Register> {
    let used = nest.taken() | nest.live_somewhere();
    // Registers from r8 on are less often borrowed by calls around the loop.
    (0..16).rev().find(|&n| used >> n & 1 == 0).map(gpr)
}

fn spare(nest: &Nest<'_>, countdown: Option<Register>) -> Option<Register> {
    let mut used = RSP | nest.live.entry[nest.header()].gprs;
    used |= countdown.map_or(0, set_of);
    (0..16).find(|&n| used >> n & 1 == 0).map(gpr)
}

/// Only read: its value does not matter, but operations must not wait for it, nor for each other. A value of the program that the
/// unit does not write, so that it is no free register that operations write; else the countdown, or what only counts iterations.
/// The stack pointer is the last resort: some arithmetic with it runs once per cycle on Zen.
fn source(nest: &Nest<'_>, countdown: Option<Register>, spare: Option<Register>) -> Register {
    let busy = RSP | countdown.map_or(0, set_of) | spare.map_or(0, set_of);
    let kept = nest.live.entry[nest.header()].gprs & !busy;
    let first = |set: Gprs| (0..16).find(|&n| set >> n & 1 == 1).map(gpr);
    let counters = || (0..16).filter(|&n| kept >> n & 1 == 1).map(gpr).find(|&r| nest.only_counts(r));
    first(kept & !nest.written()).or(countdown).or_else(counters).unwrap_or(Register::RSP)
}

/// A register that is free at the injected header, else one that the unit does not use and whose value is saved.
fn vector(nest: &Nest<'_>) -> Option<Vector> {
    let encoding = kinds::encoding(nest.code(nest.injected));
    let whole = calibrate::encodings().last().map_or(VectorWidth::Bits128, |e| e.width());
    let live = nest.vectors.entry[nest.header()];
    let busy = if encoding == Encoding::Legacy { live.low } else { live.low | live.high };
    if let Some(free) = (0..16).find(|n| busy >> n & 1 == 0) {
        return Some(Vector { low: Register::XMM0 + free, encoding, saved: false, whole });
    }
    let named = nest.vectors_named();
    // Saving all of a register would mark its upper bits as in use, which slows code without VEX prefixes down: where the
    // loop does not use them, operations keep them.
    let encoding = if encoding == Encoding::Vex128 { Encoding::Legacy } else { encoding };
    let free = (0..16).rev().find(|n| named >> n & 1 == 0)?;
    Some(Vector { low: Register::XMM0 + free, encoding, saved: true, whole })
}

/// Registers to be lent, the last first.
struct Lender {
    general: Vec<Register>,
    vectors: Vec<Register>,
    lent: Vec<Lent>,
}

impl Lender {
    /// Registers that the unit does not use: general ones (those that callees preserve only when there are no others, and never
    /// rbp, by which frames are found), and vector ones to keep their values in.
    fn new(nest: &Nest<'_>, vector: Option<Vector>) -> Self {
        let used = nest.taken() | set_of(Register::RBP);
        let named = nest.vectors_named() | vector.map_or(0, |v| 1 << v.low.number());
        let of = |set: Gprs| (0..16).filter(move |n| set >> n & 1 == 1).map(gpr);
        Self {
            general: of(!CALLER_SAVED & !used).chain(of(CALLER_SAVED & !used)).collect(),
            vectors: (0..16).filter(|&n| named >> n & 1 == 0).map(|n| Register::XMM0 + n).collect(),
            lent: Vec::new(),
        }
    }

    fn lend(&mut self) -> Option<Register> {
        if self.lent.len() == MOST_LENT {
            return None;
        }
        let (general, vector) = self.general.pop().zip(self.vectors.pop())?;
        self.lent.push(Lent { general, vector });
        Some(general)
    }
}
