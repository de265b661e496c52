//! What vectors gain a loop: the parts of the gain model that need facts of a loop and of the machine.
//!
//! Every number here is *modelled*, so every result is a range. Gains and the cost of an iteration are those of
//! `loopwright_costs`; here is
//!
//! * **Vector gain.** The cycles of the scalar iteration over those of a vectorised one are the upper end, at most
//!   [`BEST_EFFICIENCY`] of the lanes. The lower end is [`POOR_EFFICIENCY`] of the same at 256 bits, the width that compilers
//!   prefer. [`vectorise`]
//! * **Roofline cap** (Williams, Waterman, Patterson, CACM 52(4), 2009), when the machine's ceilings are
//!   measured: with *F* FLOP and *B* bytes per element, the loop cannot run faster than
//!   `max(F / peak, B / bandwidth)` afterwards; before, it takes what was measured, or as much without counts. The data's
//!   place is not known without a footprint, so the low end takes the slowest level that is not slower than the
//!   loop already is, the high end takes L1.

use loopwright_analysis::model::{LoopFacts, MachineFacts};
use loopwright_binary::facts::{ElementType, StaticStride};
use loopwright_costs::Gain;
use loopwright_costs::estimates::{BEST_EFFICIENCY, HIDDEN, POOR_EFFICIENCY, USUAL_BITS};
use loopwright_vocabulary::MemoryLevel;

/// Speed-up from registers of `to` bits where `from` bits are used now.
pub fn wider(facts: &LoopFacts, machine: &MachineFacts, from: u32, to: u32) -> Gain {
    if from == 0 || to <= from {
        return Gain::NONE;
    }
    let ratio = f64::from(to) / f64::from(from);
    let element = element(facts);
    // Wider registers help least where data streams from memory.
    let gain = Gain::of(ratio).hedged(HIDDEN).reaching(ratio * BEST_EFFICIENCY);
    let measured = machine.peak(from, element).zip(machine.peak(to, element)).map(|(a, b)| b / a);
    let units = || machine.core().lanes(to, element) / machine.core().lanes(from, element);
    let gain = gain.capped(measured.unwrap_or_else(units).max(1.0));
    roofline_cap(gain, facts, machine, from, to)
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

/// What vectorising a scalar loop would be worth on a machine; absent when the machine has no vectors
/// or the loop's elements fill a register alone.
pub fn vectorise(facts: &LoopFacts, machine: &MachineFacts) -> Option<VectorEstimate> {
    let element = element(facts);
    let bits = machine.vector_bits;
    let length = bits.checked_div(element.bits()).filter(|&length| length > 1)?;
    let (core, collected) = (machine.core(), strided_share(facts));
    let scalar = facts.iteration();
    let best = |bits: u32| {
        let (fit, lanes) = (f64::from((bits / element.bits()).max(1)), machine.lanes(bits, element));
        let vector = scalar.vectorised(core, bits, fit, lanes, collected);
        (scalar.cycles(core, 0) / vector).min(lanes * BEST_EFFICIENCY)
    };
    // Compilers use the widest registers only when asked to; the careful end is that of the usual width.
    let gain = Gain::between(best(bits.min(USUAL_BITS)) * POOR_EFFICIENCY, best(bits));
    Some(VectorEstimate { gain: roofline_cap(gain, facts, machine, 0, bits), length, bits, element })
}

/// The upper end for this loop with consecutive elements, which another layout or order of its loops would give it.
pub fn vectorise_consecutive(facts: &LoopFacts, machine: &MachineFacts) -> Option<VectorEstimate> {
    let mut consecutive = facts.clone();
    consecutive.strides.iter_mut().for_each(|s| s.bytes = i64::from(s.size));
    vectorise(&consecutive, machine)
}

/// The element type that decides the vector length: the dominant one, f64 when none is known (the
/// shortest vectors, hence the careful answer).
pub fn element(facts: &LoopFacts) -> ElementType {
    facts.types.iter().copied().find(|t| *t != ElementType::F80).unwrap_or(ElementType::F64)
}

/// Share of the memory operands with a known stride that are neither uniform nor consecutive.
pub fn strided_share(facts: &LoopFacts) -> f64 {
    let moving: Vec<_> = facts.strides.iter().filter(|s| s.bytes != 0).collect();
    if moving.is_empty() {
        return 0.0;
    }
    let strided = moving
        .iter()
        .filter(|s| s.bytes.unsigned_abs() > unit_stride(facts, s.size) && !unrolled(facts, s))
        .count();
    strided as f64 / moving.len() as f64
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

/// The stride of consecutive elements of `size` bytes per machine iteration of this loop.
pub fn unit_stride(facts: &LoopFacts, size: u32) -> u64 {
    let unroll = facts.vector.as_ref().map_or(1, |v| v.unroll.max(1));
    u64::from(size) * u64::from(unroll)
}

/// Levels of memory, the slowest first.
const LEVELS: [MemoryLevel; 4] = [MemoryLevel::Dram, MemoryLevel::L3, MemoryLevel::L2, MemoryLevel::L1];
/// A loop this much faster than a level delivers has its data nearer: bandwidths and times vary by a few percent.
const FASTER_THAN_LEVEL: f64 = 0.9;

/// Lowers both ends of a gain to what the ceilings allow: the low end with data from the slowest level that can have
/// served the loop, the high end with data from L1. Does nothing without ceilings.
///
/// What a scalar loop takes now is measured where its iterations were counted; scalar code rarely comes near the roofs of
/// arithmetic and never near those of bandwidth, which whole vectors are needed for. Operands that do not move are
/// loaded once per vector at most, from L1.
fn roofline_cap(gain: Gain, facts: &LoopFacts, machine: &MachineFacts, from: u32, to: u32) -> Gain {
    let element = element(facts);
    let (Some(before), Some(after)) = (machine.peak(from, element), machine.peak(to, element)) else {
        return gain;
    };
    let flop: u32 = facts.flop_per_iteration.values().sum();
    let bytes = facts.bytes_loaded_per_iteration.saturating_add(facts.bytes_stored_per_iteration);
    if flop == 0 || bytes == 0 {
        return gain;
    }
    // A chain that one iteration hands to the next bounds the scalar loop, and vectorising breaks it.
    let chain = facts.chains.iter().map(|c| c.latency_cycles).max().unwrap_or(0);
    let clock = machine.clock_ghz().filter(|_| from == 0);
    let chain_nanoseconds = clock.map_or(0.0, |ghz| f64::from(chain) / ghz);
    let measured = nanoseconds_per_pass(facts).filter(|_| from == 0);
    let fixed =
        facts.strides.iter().filter(|s| s.bytes == 0).fold(0, |sum: u32, s| sum.saturating_add(s.size));
    let moving = if from == 0 { bytes.saturating_sub(fixed).max(1) } else { bytes };
    let ratio = |level: MemoryLevel| {
        let nanoseconds = |bytes: u32| Some(f64::from(bytes) / machine.bandwidth(level)?);
        let now = (f64::from(flop) / before).max(nanoseconds(bytes)?).max(chain_nanoseconds);
        let then = (f64::from(flop) / after).max(nanoseconds(moving)?);
        Some(measured.unwrap_or(now) / then)
    };
    let possible = |level: &MemoryLevel| {
        let needed = machine.bandwidth(*level).map(|gbytes| f64::from(moving) / gbytes);
        needed.zip(measured).is_none_or(|(needed, measured)| measured >= FASTER_THAN_LEVEL * needed)
    };
    let slowest = LEVELS.into_iter().find(possible).unwrap_or(MemoryLevel::L1);
    let low = ratio(slowest).map_or(gain.low(), |r| gain.low().min(r));
    let high = ratio(MemoryLevel::L1).map_or(gain.high(), |r| gain.high().min(r.max(1.0)));
    Gain::between(low.min(high), high)
}

/// Measured time of one machine iteration, where counts and time were joined.
fn nanoseconds_per_pass(facts: &LoopFacts) -> Option<f64> {
    let passes =
        facts.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0 && facts.roofline.is_some())?;
    let nanoseconds = facts.self_seconds * 1e9 / passes as f64;
    (nanoseconds > 0.0 && nanoseconds.is_finite()).then_some(nanoseconds)
}

#[cfg(test)]
mod tests;
