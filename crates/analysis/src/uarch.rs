//! Figures of processor cores, for models of code whose machine is not known better.
//!
//! Each is a round value for the x86 cores of about the last ten years (Skylake to Golden Cove, Zen to Zen 4), with its
//! source. Agner Fog's *Instruction tables* and *The microarchitecture of Intel, AMD and VIA CPUs* are cited as AF, the
//! measurements of uops.info as uops. A model takes the end of a range that is careful for it and names that end; costs
//! that one rule alone needs are in the rule.

/// Instructions that a core retires per cycle in a loop without long chains: rename width of Skylake 4, of Ice Lake 5, of
/// Zen and Golden Cove 5 to 6 (AF, microarchitecture); few loops reach more than four.
pub const INSTRUCTIONS_PER_CYCLE: f64 = 4.0;
/// Instructions that the widest of these cores retire per cycle: Golden Cove and Zen 3 six (AF, microarchitecture).
pub const MOST_INSTRUCTIONS_PER_CYCLE: f64 = 6.0;
/// Loads per cycle: two ports on all of these cores (AF, microarchitecture), a third on Golden Cove and Zen 3.
pub const LOADS_PER_CYCLE: f64 = 2.0;

/// Scalar floating-point additions or multiplications per cycle: `addsd` every half cycle (AF).
pub const ADDITIONS_PER_CYCLE: f64 = 2.0;
/// Latency of a floating-point addition in cycles: 2 to 4 (AF: Golden Cove 2 to 3, Zen 3, Skylake 4).
pub const ADDITION_LATENCY: f64 = 3.0;
/// FLOP per cycle of scalar fused multiply-adds: two units on every core with FMA but the smallest (AF). Sums and products
/// apart run two per cycle on Intel and four on AMD cores, so that only the fused peak gives the clock.
pub const FUSED_FLOP_PER_CYCLE: f64 = 4.0;
/// The same on cores without FMA, which add one and multiply one per cycle (AF).
pub const SEPARATE_FLOP_PER_CYCLE: f64 = 2.0;

/// Cycles from one `divsd` or `sqrtsd` to the next: 4 to 8, and 4 to 9 (AF, Intel from Skylake and AMD from Zen on).
pub const DIVISION_CYCLES: f64 = 5.0;
/// The least of them; packed divisions take longer by about half the length (uops, `VDIVPD`).
pub const LEAST_DIVISION_CYCLES: f64 = 4.0;
/// A division in additions, both by their throughput.
pub const DIVISION_IN_ADDITIONS: f64 = LEAST_DIVISION_CYCLES * ADDITIONS_PER_CYCLE;
/// Cycles of an integer division: latency of `div r32` and `div r64` 10 to 18 from Ice Lake and Zen 3 on (uops); older
/// cores take 26 to 95.
pub const INTEGER_DIVISION_CYCLES: f64 = 14.0;
/// Cycles of the multiplication and shift that replace it where the divisor is a constant, by their throughput (AF).
pub const CONSTANT_DIVISION_CYCLES: f64 = 2.0;

/// Instructions that close an iteration or test a condition: increment or load, and a compare fused with its branch.
pub const TEST_INSTRUCTIONS: f64 = 2.0;
/// A call in additions, with its saved registers and the schedule that it interrupts: an estimate, no source.
pub const CALL_IN_ADDITIONS: f64 = 20.0;
