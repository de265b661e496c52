//! The work that a stretch of code does each time it runs, in numbers that can be multiplied by a count.
//!
//! Execution counts times these static facts give a loop's or a function's instructions, FLOP,
//! integer operations and bytes. The values are plain sums: two may be added, one may be scaled.

use crate::facts::ElementType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The work of one execution of a block, or summed over any number of executions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// Executed instructions, whatever they compute.
    pub instructions: u64,
    /// Floating-point operations by element type: an addition, multiplication, division, square
    /// root, minimum or maximum counts one per element, a fused multiply-add two; comparisons,
    /// conversions and moves none.
    pub flop: BTreeMap<ElementType, u64>,
    /// The part of `flop` that is done by fused multiply-adds.
    pub fma_flop: u64,
    /// The part of `flop` that is done by packed instructions, on more than one element.
    pub packed_flop: u64,
    /// FLOP of masked vector operations that were counted for all lanes because the mask was not
    /// known: `flop` and the bytes are upper bounds when this is not zero.
    pub bound_flop: u64,
    /// Integer operations on data (one per element): arithmetic, logic, shifts and comparisons of
    /// vectors, and those of general registers that are not address or loop-control overhead (see
    /// [`block_work`](crate::code::block_work)). A multiply-add counts its products and sums.
    pub integer_operations: u64,
    /// The part of `integer_operations` that is done by packed instructions.
    pub packed_integer_operations: u64,
    /// Bytes loaded, by operand size, the stack's included.
    pub bytes_loaded: u64,
    /// Bytes stored, by operand size, the stack's included.
    pub bytes_stored: u64,
    /// The part of `bytes_stored` that bypasses the caches.
    pub bytes_streamed: u64,
    /// Executed instructions by class.
    pub mix: WorkMix,
}

/// Executed instructions by class; the classes are those of [`crate::facts::InstructionMix`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the names are the classes")]
pub struct WorkMix {
    pub fp_scalar: u64,
    pub fp_vector: u64,
    pub int_vector: u64,
    pub integer: u64,
    pub load: u64,
    pub store: u64,
    pub branch: u64,
    pub call: u64,
    pub shuffle: u64,
    pub conversion: u64,
    pub divide: u64,
    pub square_root: u64,
    pub fma: u64,
    pub moves: u64,
    pub other: u64,
}

/// A group of instructions of a block whose work depends on register values at run time: lanes switched on by
/// a mask, repetitions of a string instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableWork {
    /// The counted unit.
    pub unit: Unit,
    /// The instruction before which the value is current.
    pub address: u64,
    /// Work per counted unit (no instructions in it: those are in the fixed part).
    pub each: Work,
    /// Added to the fixed part when the units are not counted: `each` times the largest possible count; its
    /// `bound_flop` is set. Nothing for repetitions, which have no bound.
    pub most: Work,
}

/// What a [`VariableWork`] is proportional to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bits set in this opmask register (1..=7), of the lowest `lanes` bits.
    MaskBits {
        /// Number of the register.
        register: u8,
        /// Lanes of the operation.
        lanes: u8,
    },
    /// Value of `rcx`: repetitions of `rep movs`, `rep stos`, `rep lods`.
    Repetitions,
}

/// The work of one basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockWork {
    /// The work of every execution.
    pub fixed: Work,
    /// The work that depends on registers.
    pub variable: Vec<VariableWork>,
}

impl Work {
    /// FLOP of all types.
    pub fn total_flop(&self) -> u64 {
        self.flop.values().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// Adds `times` executions of `other`.
    pub fn add_times(&mut self, other: &Self, times: u64) {
        let add = |to: &mut u64, n: u64| *to = to.saturating_add(n.saturating_mul(times));
        add(&mut self.instructions, other.instructions);
        for (element, n) in &other.flop {
            add(self.flop.entry(*element).or_default(), *n);
        }
        add(&mut self.fma_flop, other.fma_flop);
        add(&mut self.packed_flop, other.packed_flop);
        add(&mut self.bound_flop, other.bound_flop);
        add(&mut self.integer_operations, other.integer_operations);
        add(&mut self.packed_integer_operations, other.packed_integer_operations);
        add(&mut self.bytes_loaded, other.bytes_loaded);
        add(&mut self.bytes_stored, other.bytes_stored);
        add(&mut self.bytes_streamed, other.bytes_streamed);
        for (to, n) in self.mix.classes_mut().into_iter().zip(other.mix.classes()) {
            add(to, n.1);
        }
    }
}

impl WorkMix {
    /// The mix with these counts, in the order of [`WorkMix::classes`].
    pub(crate) fn of_counts(counts: &[u64; 15]) -> Self {
        let mut out = Self::default();
        for (to, n) in out.classes_mut().into_iter().zip(counts) {
            *to = *n;
        }
        out
    }

    /// The classes with their names, in the order of the fields.
    pub fn classes(&self) -> [(&'static str, u64); 15] {
        [
            ("fp_scalar", self.fp_scalar),
            ("fp_vector", self.fp_vector),
            ("int_vector", self.int_vector),
            ("integer", self.integer),
            ("load", self.load),
            ("store", self.store),
            ("branch", self.branch),
            ("call", self.call),
            ("shuffle", self.shuffle),
            ("conversion", self.conversion),
            ("divide", self.divide),
            ("square_root", self.square_root),
            ("fma", self.fma),
            ("moves", self.moves),
            ("other", self.other),
        ]
    }

    fn classes_mut(&mut self) -> [&mut u64; 15] {
        [
            &mut self.fp_scalar,
            &mut self.fp_vector,
            &mut self.int_vector,
            &mut self.integer,
            &mut self.load,
            &mut self.store,
            &mut self.branch,
            &mut self.call,
            &mut self.shuffle,
            &mut self.conversion,
            &mut self.divide,
            &mut self.square_root,
            &mut self.fma,
            &mut self.moves,
            &mut self.other,
        ]
    }
}
