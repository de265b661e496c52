//! The gain model: what a change is predicted to be worth.
//!
//! Every number here is *modelled*, so every result is a range. The parts:
//!
//! * **Amdahl's law** (G. Amdahl, AFIPS 1967). A change that makes a share *s* of the time *g* times
//!   faster makes the program `1 / ((1 - s) + s / g)` times faster. [`amdahl`]
//! * **Composition.** Changes to one loop exclude or contain each other, so their gains are never added
//!   or multiplied: the best one counts. Changes to disjoint shares *s_i* compose as
//!   `1 / (1 - Σ s_i + Σ s_i / g_i)`. [`together`]
//! * **Vector gain.** A loop costs the weighted sum of its instructions; vectorised with *L* lanes, each
//!   class costs its own fraction of that: `1/L` for arithmetic and unit-stride memory operations, 1 for
//!   operands that must be collected element by element, `1/2` for f64 divisions and square roots,
//!   whose units are narrower than the registers (Agner Fog, *Instruction tables*). The ratio is
//!   the upper end, at most [`BEST_EFFICIENCY`] of *L*. The lower end is [`POOR_EFFICIENCY`] of the same at 256 bits,
//!   the width that compilers prefer. [`vectorise`]
//! * **Roofline cap** (Williams, Waterman, Patterson, CACM 52(4), 2009), when the machine's ceilings are
//!   measured: with *F* FLOP and *B* bytes per element, the loop cannot run faster than
//!   `max(F / peak, B / bandwidth)` afterwards; before, it takes what was measured, or as much without counts. The data's
//!   place is not known without a footprint, so the low end takes the slowest level that is not slower than the
//!   loop already is, the high end takes L1.
//! * **Short loops.** *n* iterations on *L* lanes take `n / L` vector iterations and `n mod L` scalar ones. [`trips`]

use loopwright_analysis::model::{LoopFacts, MachineFacts};
use loopwright_analysis::uarch::{
    CALL_IN_ADDITIONS, DIVISION_IN_ADDITIONS, FUSED_FLOP_PER_CYCLE, SEPARATE_FLOP_PER_CYCLE,
};
use loopwright_binary::facts::{ElementType, StaticStride, Trait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Best share of the vector length seen in practice: loop control and the first and last iteration remain.
pub const BEST_EFFICIENCY: f64 = 0.94;
/// Share of the modelled best that a badly suited loop still reaches. The DL_MESO loop gained 1.44 of 4
/// (36 %) from `omp simd` alone, stride-3 loads and scalar remainder included; a little below that.
pub const POOR_EFFICIENCY: f64 = 0.27;
/// Width that GCC and clang choose with -march=native on most AVX-512 machines (-mprefer-vector-width=256).
const USUAL_BITS: u32 = 256;
/// Gains beyond this are not predicted: no model here is good enough to promise more.
pub const LARGEST_GAIN: f64 = 64.0;
/// What is left of it per element in a vector: the divider is half as wide as the widest register or less.
const DIVIDE_VECTOR_FRACTION: f64 = 0.5;

/// A speed-up as a range: `low <= high`, both finite and at least 1. Serialised as `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(f64, f64)", into = "(f64, f64)")]
#[schemars(with = "(f64, f64)")]
pub struct Gain {
    low: f64,
    high: f64,
}

impl From<(f64, f64)> for Gain {
    fn from((low, high): (f64, f64)) -> Self {
        Self::new(low, high)
    }
}

impl From<Gain> for (f64, f64) {
    fn from(gain: Gain) -> Self {
        (gain.low, gain.high)
    }
}

impl Gain {
    /// No gain at all.
    pub const NONE: Self = Self { low: 1.0, high: 1.0 };

    /// A range; the ends are ordered and clamped to `1..=LARGEST_GAIN`, and what is no number is 1.
    pub fn new(low: f64, high: f64) -> Self {
        let clean = |x: f64| if x.is_nan() { 1.0 } else { x.clamp(1.0, LARGEST_GAIN) };
        let (low, high) = (clean(low), clean(high));
        Self { low: low.min(high), high: low.max(high) }
    }

    /// The least that is expected.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The most that is expected.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The geometric middle: what recommendations are ordered by.
    pub fn middle(self) -> f64 {
        (self.low * self.high).sqrt()
    }

    /// The program's gain when this applies to `share` of its time.
    #[must_use]
    pub fn of_program(self, share: f64) -> Self {
        Self::new(amdahl(share, self.low), amdahl(share, self.high))
    }

    /// No more than `most` at the upper end.
    #[must_use]
    pub fn capped(self, most: f64) -> Self {
        Self::new(self.low.min(most), self.high.min(most))
    }

    /// This gain on `part` of the loop's time, the rest unchanged.
    #[must_use]
    pub fn on_part(self, part: f64) -> Self {
        self.of_program(part)
    }
}

/// A share that is a share: between 0 and 1, and 0 for what is no number.
pub fn clean_share(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

/// Amdahl's law.
pub fn amdahl(share: f64, gain: f64) -> f64 {
    let share = clean_share(share);
    1.0 / ((1.0 - share) + share / gain.max(f64::MIN_POSITIVE))
}

/// What leaving out a share of the time gains.
pub fn removing(share: f64) -> f64 {
    amdahl(share, f64::INFINITY)
}

/// The program's gain from changes to disjoint shares of its time.
pub fn together(parts: &[(f64, Gain)]) -> Gain {
    let total: f64 = parts.iter().map(|(share, _)| clean_share(*share)).sum();
    // Shares that overlap after all (rounding, a wrong tree) are scaled down, so that the rest is not negative.
    let scale = if total > 1.0 { 1.0 / total } else { 1.0 };
    let end = |pick: fn(Gain) -> f64| {
        let saved: f64 = parts.iter().map(|(s, g)| clean_share(*s) * scale * (1.0 - 1.0 / pick(*g))).sum();
        1.0 / (1.0 - saved).max(1.0 / LARGEST_GAIN)
    };
    Gain::new(end(Gain::low), end(Gain::high))
}

/// Speed-up of a loop of `trips` iterations on `length` lanes, with a scalar remainder and without one
/// (padded), when a vector iteration costs as much as a scalar one.
pub fn trips(trips: u64, length: u32) -> Option<(f64, f64)> {
    let length = u64::from(length);
    if trips == 0 || length == 0 {
        return None;
    }
    let with_remainder = trips as f64 / (trips / length + trips % length) as f64;
    let padded = trips as f64 / trips.div_ceil(length) as f64;
    Some((with_remainder, padded))
}

/// [`trips`] over a counted distribution `(lowest, highest, entries)` of scalar iterations per entry: scalar iterations over
/// vector iterations, entries of no iteration left out. A step that holds several counts is taken at its middle.
pub fn trips_of(histogram: &[(u64, u64, u64)], length: u32) -> Option<(f64, f64)> {
    let length = f64::from(length);
    if length < 1.0 {
        return None;
    }
    let (mut scalar, mut with_remainder, mut padded) = (0.0, 0.0, 0.0);
    for &(low, high, entries) in histogram {
        // In floating point: counts times entries may exceed an integer.
        let (middle, entries) = (((low as f64 + high as f64) / 2.0).round(), entries as f64);
        // The remainder of an unknown count is (length - 1) / 2 on average.
        let left = if low == high { middle % length } else { (length - 1.0) / 2.0 };
        scalar += middle * entries;
        with_remainder += ((middle - left).max(0.0) / length + left.min(middle)) * entries;
        padded += (middle / length).ceil() * entries;
    }
    (padded > 0.0 && with_remainder > 0.0).then(|| (scalar / with_remainder, scalar / padded))
}

/// Speed-up of a group of which `share` (0..=1) goes to remainder or peel iterations on `length` lanes,
/// if those were done by full vectors. A remainder of *k* scalar iterations becomes one vector iteration, so
/// its time shrinks by *k*: 1 to `length - 1`, `length / 2` on average.
pub fn without_remainder(share: f64, length: u32, iterations: Option<u64>) -> Gain {
    let share = clean_share(share);
    let most = f64::from(length.saturating_sub(1).max(1));
    let left = |k: f64| amdahl(share, k.max(1.0));
    match iterations {
        Some(k) if k > 0 => {
            let exact = left((k as f64).min(most));
            // A vector iteration is not free of masks and shuffles: half of the saving is the careful end.
            Gain::new(1.0 + (exact - 1.0) / 2.0, exact)
        }
        _ => Gain::new(left(f64::from(length) / 3.0), left(most)),
    }
}

/// Speed-up from registers of `to` bits where `from` bits are used now.
pub fn wider(facts: &LoopFacts, machine: &MachineFacts, from: u32, to: u32) -> Gain {
    if from == 0 || to <= from {
        return Gain::NONE;
    }
    let ratio = f64::from(to) / f64::from(from);
    let element = element(facts);
    // Wider registers help least where data streams from memory; a tenth of the way is what is left then.
    let mut gain = Gain::new(1.0 + (ratio - 1.0) / 10.0, ratio * BEST_EFFICIENCY);
    if let (Some(a), Some(b)) = (peak(machine, from, element), peak(machine, to, element)) {
        gain = gain.capped((b / a).max(1.0));
    }
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
    let best = |bits: u32| {
        let lanes = effective_lanes(machine, bits, element);
        let (now, then) = costs(facts, lanes);
        (now / then).min(lanes * BEST_EFFICIENCY)
    };
    // Compilers use the widest registers only when asked to; the careful end is that of the usual width.
    let gain = Gain::new(best(bits.min(USUAL_BITS)) * POOR_EFFICIENCY, best(bits));
    Some(VectorEstimate { gain: roofline_cap(gain, facts, machine, 0, bits), length, bits, element })
}

/// Lanes that a register width is worth: those that fit, or, where the ceilings are known, what its peak is above
/// the scalar one. Registers may be wider than the units behind them (AVX-512 on Zen 4, AVX on Jaguar).
fn effective_lanes(machine: &MachineFacts, bits: u32, element: ElementType) -> f64 {
    let fit = f64::from((bits / element.bits()).max(1));
    match (peak(machine, 0, element), peak(machine, bits, element)) {
        (Some(scalar), Some(vector)) => fit.min((vector / scalar).max(1.0)),
        _ => fit,
    }
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

/// Cost of one iteration in additions, now and per element once vectorised.
fn costs(facts: &LoopFacts, lanes: f64) -> (f64, f64) {
    let mix = &facts.instruction_mix;
    let count = f64::from;
    let strided = (count(mix.load) + count(mix.store)) * strided_share(facts);
    let heavy = count(mix.divide) + count(mix.square_root);
    let calls = count(mix.call);
    // Classes overlap (a load may be an addition as well), so the plain rest is taken from the total.
    let rest = (count(facts.instructions) - strided - heavy - calls).max(1.0);
    let now = rest + strided + heavy * DIVISION_IN_ADDITIONS + calls * CALL_IN_ADDITIONS;
    let heavy_left = if facts.traits.contains(&Trait::IntegerDivide) { 1.0 } else { DIVIDE_VECTOR_FRACTION };
    let then = rest / lanes
        + strided
        + heavy * DIVISION_IN_ADDITIONS * heavy_left
        + calls * CALL_IN_ADDITIONS / (lanes * POOR_EFFICIENCY).max(1.0);
    (now, then)
}

/// The name that ceilings have for a register width.
pub fn level(bits: u32) -> &'static str {
    match bits {
        0..=64 => "scalar",
        65..=128 => "SSE",
        129..=256 => "AVX2",
        _ => "AVX-512",
    }
}

/// Highest measured one-core peak at a register width, GFLOP/s.
pub fn peak(machine: &MachineFacts, bits: u32, element: ElementType) -> Option<f64> {
    let ceilings = machine.ceilings.as_ref()?;
    let of_level =
        ceilings.flops.iter().filter(|c| c.cores == 1 && c.level == level(bits) && c.element == element);
    of_level.map(|c| c.gflops).filter(|g| *g > 0.0).reduce(f64::max)
}

/// The processor's clock in GHz while its scalar peak was measured.
pub fn clock_ghz(machine: &MachineFacts) -> Option<f64> {
    let ceilings = machine.ceilings.as_ref()?;
    let best = |fma: bool| {
        let scalar = ceilings.flops.iter().filter(|c| c.cores == 1 && c.level == "scalar" && c.fma == fma);
        scalar.map(|c| c.gflops).filter(|g| *g > 0.0).reduce(f64::max)
    };
    best(true).map(|g| g / FUSED_FLOP_PER_CYCLE).or_else(|| best(false).map(|g| g / SEPARATE_FLOP_PER_CYCLE))
}

/// Highest measured one-core bandwidth of a level, GB/s.
pub fn bandwidth(machine: &MachineFacts, level: &str) -> Option<f64> {
    let ceilings = machine.ceilings.as_ref()?;
    let of_level = ceilings.bandwidths.iter().filter(|c| c.cores == 1 && c.level == level);
    of_level.map(|c| c.gbytes).filter(|g| *g > 0.0).reduce(f64::max)
}

/// Levels of memory, the slowest first.
const LEVELS: [&str; 4] = ["DRAM", "L3", "L2", "L1"];
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
    let (Some(before), Some(after)) = (peak(machine, from, element), peak(machine, to, element)) else {
        return gain;
    };
    let flop: u32 = facts.flop_per_iteration.values().sum();
    let bytes = facts.bytes_loaded_per_iteration.saturating_add(facts.bytes_stored_per_iteration);
    if flop == 0 || bytes == 0 {
        return gain;
    }
    // A chain that one iteration hands to the next bounds the scalar loop, and vectorising breaks it.
    let chain = facts.chains.iter().map(|c| c.latency_cycles).max().unwrap_or(0);
    let clock = clock_ghz(machine).filter(|_| from == 0);
    let chain_nanoseconds = clock.map_or(0.0, |ghz| f64::from(chain) / ghz);
    let measured = nanoseconds_per_pass(facts).filter(|_| from == 0);
    let fixed =
        facts.strides.iter().filter(|s| s.bytes == 0).fold(0, |sum: u32, s| sum.saturating_add(s.size));
    let moving = if from == 0 { bytes.saturating_sub(fixed).max(1) } else { bytes };
    let ratio = |level: &str| {
        let nanoseconds = |bytes: u32| Some(f64::from(bytes) / bandwidth(machine, level)?);
        let now = (f64::from(flop) / before).max(nanoseconds(bytes)?).max(chain_nanoseconds);
        let then = (f64::from(flop) / after).max(nanoseconds(moving)?);
        Some(measured.unwrap_or(now) / then)
    };
    let possible = |level: &&str| {
        let needed = bandwidth(machine, level).map(|gbytes| f64::from(moving) / gbytes);
        needed.zip(measured).is_none_or(|(needed, measured)| measured >= FASTER_THAN_LEVEL * needed)
    };
    let slowest = LEVELS.into_iter().find(possible).unwrap_or("L1");
    let low = ratio(slowest).map_or(gain.low, |r| gain.low.min(r));
    let high = ratio("L1").map_or(gain.high, |r| gain.high.min(r.max(1.0)));
    Gain::new(low.min(high), high)
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
