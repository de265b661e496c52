//! The figures of a processor core, and what follows from them.

use crate::estimates::SUSTAINED_INSTRUCTIONS;
use loopwright_vocabulary::{ElementType, MemoryLevel, VectorWidth};

/// A figure for each [`VectorWidth`]: scalar operations and registers of 128, 256 and 512 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByWidth(pub [f64; 4]);

impl ByWidth {
    /// The figure for a register width; up to 64 bits it is the scalar one.
    pub fn at(&self, bits: u32) -> f64 {
        self.0[VectorWidth::from_bits(bits) as usize]
    }
}

/// An operation that can start every cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pipelined {
    /// Cycles until the result can be used.
    pub latency: f64,
    /// Operations that start per cycle.
    pub per_cycle: ByWidth,
}

impl Pipelined {
    /// Scalar operations that must be independent for one to start on each unit in every cycle.
    pub fn in_flight(&self) -> f64 {
        self.latency * self.per_cycle.at(0)
    }
}

/// An operation that keeps its unit busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unpipelined {
    /// Cycles until the result can be used, of a scalar operation.
    pub latency: f64,
    /// Cycles from one operation to the next.
    pub cycles: ByWidth,
}

/// Cycles from a load's address to its value, by the level that holds the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// First level, into a vector register.
    pub l1: f64,
    /// Second level.
    pub l2: f64,
    /// Last level, of the core's own part.
    pub l3: f64,
}

/// A core; the sources of the figures are in `tables.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Core {
    /// Its name, in words.
    pub name: &'static str,
    /// Instructions that it renames per cycle.
    pub rename: f64,
    /// Instructions that the cache of decoded ones holds.
    pub decoded: f64,
    /// Loads per cycle.
    pub loads: ByWidth,
    /// Stores per cycle.
    pub stores: ByWidth,
    /// Floating-point additions.
    pub add: Pipelined,
    /// Floating-point multiplications.
    pub multiply: Pipelined,
    /// Fused multiply-adds.
    pub fma: Pipelined,
    /// Scalar additions and multiplications per cycle where both are mixed and not fused.
    pub separate: f64,
    /// Divisions of f64.
    pub divide_f64: Unpipelined,
    /// Divisions of f32.
    pub divide_f32: Unpipelined,
    /// Square roots of f64.
    pub root_f64: Unpipelined,
    /// Square roots of f32.
    pub root_f32: Unpipelined,
    /// Cycles of an integer division (its latency).
    pub integer_division: f64,
    /// Load latencies.
    pub latency: Latency,
    /// Cycles per element of a gather from L1.
    pub gather: f64,
    /// Cycles lost by a mispredicted branch.
    pub mispredict: f64,
    /// Cycles from a store to a load of the same bytes.
    pub store_forward: f64,
    /// Cycles that a load waits when its address ends in the 12 bits of an earlier store.
    pub alias_4k: f64,
    /// Cycles of a call with its return, saved registers and the schedule that it interrupts.
    pub call: f64,
}

impl Core {
    /// Cycles in which this number of instructions is executed when nothing else limits them.
    pub fn issue(&self, instructions: f64) -> f64 {
        instructions / self.rename.min(SUSTAINED_INSTRUCTIONS)
    }

    /// Divisions of f32 (`single`) or f64.
    pub fn divide(&self, single: bool) -> Unpipelined {
        if single { self.divide_f32 } else { self.divide_f64 }
    }

    /// Square roots of f32 (`single`) or f64.
    pub fn root(&self, single: bool) -> Unpipelined {
        if single { self.root_f32 } else { self.root_f64 }
    }

    /// Scalar FLOP per cycle at the peak of fused multiply-adds, or of additions and multiplications apart: with the measured
    /// peak they give the clock.
    pub fn flop_per_cycle(&self, fused: bool) -> f64 {
        if fused { 2.0 * self.fma.per_cycle.at(0) } else { self.separate }
    }

    /// Lanes that a register width is worth: those that fit, fewer where wide operations start less often than scalar ones
    /// (512 bits on Zen 4, 256 bits on Zen).
    pub fn lanes(&self, bits: u32, element: ElementType) -> f64 {
        let fit = f64::from((bits / element.bits().max(1)).max(1));
        (fit * self.fma.per_cycle.at(bits) / self.fma.per_cycle.at(0)).max(1.0)
    }

    /// Cycles until the core can use a line of `level`; none for main memory and for caches beyond the third.
    pub fn load_latency(&self, level: MemoryLevel) -> Option<f64> {
        match level {
            MemoryLevel::L1 => Some(self.latency.l1),
            MemoryLevel::L2 => Some(self.latency.l2),
            MemoryLevel::L3 => Some(self.latency.l3),
            _ => None,
        }
    }
}
