//! What vectors gain a loop: the parts of the gain model that need facts of a loop and of the machine.
//!
//! Every number here is *modelled*, so every result is a range about a likely value.
//!
//! * **Vectors for a scalar loop.** Passes, entries and remainders from counts, traces and the core's figures. [`passes`],
//!   [`vectorise`]
//! * **Wider registers.** The ratio of the widths on the part of the loop that the core's units do, no gain on what its divider
//!   or memory does. [`wider`]

use crate::facts::{Facts, unit_stride};
use loopwright_analysis::model::{LoopFacts, MachineFacts};
use loopwright_binary::facts::{ChainKind, ElementType, StaticStride};
use loopwright_costs::estimates::{USUAL_BITS, WIDER_AT_WORST};
use loopwright_costs::{Gain, Microarchitecture};

mod passes;

pub use passes::Target;

/// Speed-up from registers of `to` bits where `from` bits are used now. Compilers that use them split more accesses between
/// cache lines and have more left over: the loop may become slower.
pub fn wider(facts: &Facts, of: &LoopFacts, from: u32, to: u32) -> Gain {
    let Some(machine) = facts.machine().filter(|_| from > 0 && to > from) else { return Gain::NONE };
    let sum = of.chains.iter().any(|c| c.kind == ChainKind::VectorReduction);
    let target = Target {
        bits: to,
        consecutive: false,
        endless: false,
        accumulators: sum.then_some(1.0),
        across: false,
    };
    let gain = passes::gain(facts, of, machine, target).capped(f64::from(to) / f64::from(from));
    let peaks = machine.peak(from, element(of)).zip(machine.peak(to, element(of)));
    let gain = gain.capped(peaks.map_or(f64::INFINITY, |(now, then)| then / now));
    gain.down_to(gain.low() * WIDER_AT_WORST)
}

/// The prediction for a scalar loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorEstimate {
    /// Speed-up of the loop.
    pub gain: Gain,
    /// Lanes.
    pub length: u32,
    /// Register width.
    pub bits: u32,
    /// Element.
    pub element: ElementType,
}

/// What vectorising a scalar loop would be worth; absent when the machine is unknown or has no vectors, or the loop's elements
/// fill a register alone.
pub fn vectorise(facts: &Facts, of: &LoopFacts) -> Option<VectorEstimate> {
    estimate(facts, of, Shape::default())
}

/// The same with consecutive elements and full passes, which another layout or order of its loops would give it at best.
pub fn vectorise_consecutive(facts: &Facts, of: &LoopFacts) -> Option<VectorEstimate> {
    estimate(facts, of, Shape { consecutive: true, endless: true, ..Shape::default() })
}

/// The same with iterations of a loop around in the lanes, and the arrays in an order that makes them consecutive.
pub fn vectorise_across(facts: &Facts, of: &LoopFacts) -> Option<VectorEstimate> {
    estimate(facts, of, Shape { consecutive: true, endless: true, across: true, ..Shape::default() })
}

/// The same for a loop whose sum is kept in this number of vectors.
pub fn vectorise_sum(facts: &Facts, of: &LoopFacts, accumulators: f64) -> Option<VectorEstimate> {
    estimate(facts, of, Shape { accumulators: Some(accumulators), ..Shape::default() })
}

/// The same with full passes only, which padding or a longer loop inside would give it.
pub fn vectorise_endless(facts: &Facts, of: &LoopFacts) -> Option<VectorEstimate> {
    estimate(facts, of, Shape { endless: true, ..Shape::default() })
}

/// What is taken of the loop in vectors, see [`Target`].
#[derive(Default)]
struct Shape {
    consecutive: bool,
    endless: bool,
    accumulators: Option<f64>,
    across: bool,
}

fn estimate(facts: &Facts, of: &LoopFacts, shape: Shape) -> Option<VectorEstimate> {
    let machine = facts.machine()?;
    let element = element(of);
    let bits = compiled_bits(machine);
    let length = bits.checked_div(element.bits()).filter(|&length| length > 1)?;
    let Shape { consecutive, endless, accumulators, across } = shape;
    let target = Target { bits, consecutive, endless, accumulators, across };
    let gain = passes::gain(facts, of, machine, target);
    Some(VectorEstimate { gain, length, bits, element })
}

/// The width that compilers choose with -march=native: all of the machine's, but no more than 256 bits on Intel's cores
/// (`-mprefer-vector-width`).
pub fn compiled_bits(machine: &MachineFacts) -> u32 {
    let amd = matches!(
        machine.core,
        Some(
            Microarchitecture::Zen
                | Microarchitecture::Zen2
                | Microarchitecture::Zen3
                | Microarchitecture::Zen4
        )
    );
    if amd { machine.vector_bits } else { machine.vector_bits.min(USUAL_BITS) }
}

/// The element type that decides the vector length: the dominant one, f64 when none is known (the
/// shortest vectors, hence the careful answer).
pub fn element(facts: &LoopFacts) -> ElementType {
    facts.types.iter().copied().find(|t| *t != ElementType::F80).unwrap_or(ElementType::F64)
}

/// It has loads whose addresses follow no counter: looked up, or behind pointers.
pub fn loads_elsewhere(of: &LoopFacts) -> bool {
    let known = of.strides.iter().filter(|stride| !stride.store).count();
    of.instruction_mix.load as usize > known
}

/// Share of the memory operands with a known stride that are neither uniform nor consecutive.
pub fn strided_share(facts: &LoopFacts) -> f64 {
    let moving: Vec<_> = facts.strides.iter().filter(|s| s.bytes != 0).collect();
    if moving.is_empty() {
        return 0.0;
    }
    let strided = moving.iter().filter(|s| !is_consecutive(facts, s)).count();
    strided as f64 / moving.len() as f64
}

/// An operand moves by its own size in each source iteration.
fn is_consecutive(facts: &LoopFacts, of: &StaticStride) -> bool {
    of.bytes.unsigned_abs() <= unit_stride(facts, of.size) || unrolled(facts, of)
}

/// Operands that together fill a stride of three elements, as members of a structure that are all used.
fn interleaved(facts: &LoopFacts, of: &StaticStride) -> bool {
    let alike =
        facts.strides.iter().filter(|s| (s.bytes, s.size, s.store) == (of.bytes, of.size, of.store)).count();
    of.bytes.unsigned_abs() == 3 * u64::from(of.size) && alike.is_multiple_of(3)
}

/// Operands that together fill a stride of 2, 4 or 8 elements: consecutive elements in a loop that was unrolled. (A
/// structure of as many members that are all used looks the same, and loses as little.)
fn unrolled(facts: &LoopFacts, of: &StaticStride) -> bool {
    const MOST: u64 = 8;
    let (bytes, size) = (of.bytes.unsigned_abs(), u64::from(of.size.max(1)));
    let factor = bytes / size;
    let alike =
        facts.strides.iter().filter(|s| (s.bytes, s.size, s.store) == (of.bytes, of.size, of.store)).count();
    bytes % size == 0
        && factor.is_power_of_two()
        && (2..=MOST).contains(&factor)
        && (alike as u64).is_multiple_of(factor)
}

#[cfg(test)]
mod tests;
