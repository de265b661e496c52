//! What a change relieves, and what the measured bottleneck of its loop leaves of its gain.
//!
//! A run with injected operations says how busy an iteration keeps each resource (`docs/bottlenecks.md`). [`of_rule`] says for each
//! rule about a loop which of them its change relieves; [`bounded`] is the one place where both meet. Rules that replace the
//! algorithm, the data or the library that a loop calls relieve everything: nothing measured of the old code bounds the new one.

use crate::evidence::Bottleneck as Fact;
use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{Bottleneck, Cause, CauseKind, LoopFacts, Provenance};
use loopwright_costs::{Relieved, most_faster};

/// What a change relieves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relief {
    /// One vector instruction does what several scalar ones did, and tests become masks.
    Vectors,
    /// These remain in no part; all others as they are.
    Only(&'static [CauseKind]),
    /// Everything but these.
    AllBut(&'static [CauseKind]),
}

/// The bandwidths, and the latency that shows where they are not reached.
const MEMORY: &[CauseKind] =
    &[CauseKind::BandwidthL2, CauseKind::BandwidthL3, CauseKind::BandwidthMemory, CauseKind::MemoryLatency];

/// What the change of a rule relieves; nothing is known of rules that replace the loop as a whole, and those are not bounded.
pub fn of_rule(id: &str) -> Option<Relief> {
    use CauseKind::{
        ChainLatency, Divider, FloatPorts, FrontEnd, IntegerPorts, LoadPorts, MemoryLatency, Multiplier,
        StorePorts,
    };
    Some(match id {
        "hot-scalar-loop"
        | "unexplained-scalar-loop"
        | "unobserved-dependence"
        | "other-compiler-vectorises"
        | "outer-loop-vectors"
        | "scalar-version-runs"
        | "idle-lanes"
        | "narrow-instruction-set" => Relief::Vectors,
        // One chain becomes several, in registers that the loop has free.
        "latency-bound-chain" => Relief::Only(&[ChainLatency]),
        // Additions become one, with their decoding; those of a chain wait for one operation less.
        "no-fma" => Relief::Only(&[FloatPorts, FrontEnd, ChainLatency]),
        // Products instead of quotients, outside the loop or by a reciprocal: the waiting for each quotient goes with it.
        "divide-by-invariant" | "divide-or-root-bound" => Relief::Only(&[Divider, FloatPorts, ChainLatency]),
        "integer-divide" => Relief::Only(&[Divider, IntegerPorts, Multiplier, FrontEnd, ChainLatency]),
        // Loads and stores of the stack, and what waits for their values.
        "register-spills" => Relief::Only(&[LoadPorts, StorePorts, FrontEnd, ChainLatency]),
        // Accesses that are done twice, or again.
        "split-accesses" | "aliasing-4k" => {
            Relief::Only(&[LoadPorts, StorePorts, ChainLatency, MemoryLatency])
        }
        "float-width-conversion" => Relief::Only(&[FloatPorts, FrontEnd, ChainLatency]),
        // Only bytes that come from a level, or the waiting for them, become fewer.
        "bandwidth-bound" | "distant-reuse" | "tlb-reach" | "write-allocate" => Relief::Only(MEMORY),
        // Several of a sum's chains and vectors for them; what else the loop does, vectors do, too.
        "in-order-fp-sum" => Relief::Vectors,
        // Whatever else they do, the bytes remain.
        _ if crate::rules::by_id(id).is_some_and(|rule| rule.leaves_traffic) => {
            Relief::AllBut(&[CauseKind::BandwidthL2, CauseKind::BandwidthL3, CauseKind::BandwidthMemory])
        }
        _ => return None,
    })
}

/// Modelled shares are known to this factor: ceilings and clocks vary by it from run to run on shared machines.
const MODELLED: f64 = 1.35;
/// Vector divisions start in one lane at most as often, against scalar ones, as this part of their lanes says (uops.info: `VDIVPD
/// ymm` against `VDIVSD`: 8 and 5 cycles on Zen 4, 8 and 4 on Skylake).
const DIVIDING_LANES: f64 = 1.0 / 1.6;
/// All causes.
const ALL: [CauseKind; 13] = [
    CauseKind::ChainLatency,
    CauseKind::MemoryLatency,
    CauseKind::BandwidthL2,
    CauseKind::BandwidthL3,
    CauseKind::BandwidthMemory,
    CauseKind::FloatPorts,
    CauseKind::IntegerPorts,
    CauseKind::LoadPorts,
    CauseKind::StorePorts,
    CauseKind::Multiplier,
    CauseKind::Divider,
    CauseKind::FrontEnd,
    CauseKind::BranchMisses,
];

impl Relief {
    /// How many times less of a cause remains, where vectors have at most this number of lanes.
    fn times(self, kind: CauseKind, lanes: f64) -> f64 {
        let (nothing, all) = (f64::INFINITY, 1.0);
        match self {
            Self::Only(kinds) => {
                if kinds.contains(&kind) {
                    nothing
                } else {
                    all
                }
            }
            Self::AllBut(kinds) => {
                if kinds.contains(&kind) {
                    all
                } else {
                    nothing
                }
            }
            Self::Vectors if MEMORY.contains(&kind) => all,
            Self::Vectors => match kind {
                CauseKind::BranchMisses => nothing,
                // Lanes are links of several chains, and several vectors of still more.
                CauseKind::ChainLatency => nothing,
                CauseKind::Divider => (lanes * DIVIDING_LANES).max(1.0),
                _ => lanes,
            },
        }
    }
}

/// A recommendation with no more gain than the measured bottleneck of its loop leaves; none at all where what it relieves has slack.
pub fn bounded(new: Recommendation, of: &LoopFacts, facts: &Facts) -> Option<Recommendation> {
    let Some((relief, measured)) = of_rule(&new.rule).zip(of.bottleneck.as_ref()) else { return Some(new) };
    let (Some(share), Some(gain)) = (new.share, new.loop_gain) else { return Some(new) };
    if measured.counted_in_memory || measured.verdict.is_empty() {
        return Some(new);
    }
    let lanes = lanes(of, facts);
    let causes: Vec<Relieved> = ALL
        .iter()
        .map(|&kind| Relieved { share: share_of(measured, kind), times: relief.times(kind, lanes) })
        .collect();
    let most = most_faster(&causes);
    if gain.high() <= most {
        return Some(new);
    }
    if most < SLACK {
        return None;
    }
    let remains = |c: &&Cause| relief.times(c.kind, lanes) <= 1.0;
    let fact = Fact::Leaves {
        relieved: measured.causes.iter().find(|c| !remains(c)).map(|c| (c.kind, c.share)),
        left: measured.causes.iter().find(remains).map(|c| (c.kind, c.share)),
        most,
    };
    Some(new.gain(share, gain.capped(most)).because(Provenance::Measured, fact))
}

/// A change that gains a loop less is not worth a word (`facts::MIN_SHARE` of the program's time).
const SLACK: f64 = 1.0 + crate::facts::MIN_SHARE;

/// The least and the most of an iteration that a cause takes by itself.
fn share_of(measured: &Bottleneck, kind: CauseKind) -> (f64, f64) {
    let known = measured.causes.iter().find(|c| c.kind == kind);
    match known {
        Some(cause) if cause.provenance == Provenance::Measured => {
            let scatter = scatter(measured);
            let most = if measured.changed_at.is_some() { 1.0 } else { cause.share + scatter };
            (cause.share - scatter, most)
        }
        Some(cause) => {
            let most = if measured.changed_at.is_some() { 1.0 } else { cause.share * MODELLED };
            (cause.share / MODELLED, most)
        }
        None => (0.0, 1.0),
    }
}

/// How far the intervals of an iteration's times reach: half of the median width.
fn scatter(measured: &Bottleneck) -> f64 {
    let points = measured.resources.iter().flat_map(|r| &r.curve);
    let mut widths: Vec<f64> = points.map(|p| (p.high - p.low) / 2.0).filter(|w| w.is_finite()).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied().unwrap_or(0.0)
}

/// Lanes of the machine's widest vectors, of the loop's narrowest elements; of bytes, where no element is known.
fn lanes(of: &LoopFacts, facts: &Facts) -> f64 {
    let bits = of.types.iter().map(|t| t.bits()).min().unwrap_or(8).max(8);
    facts.machine().map_or(f64::INFINITY, |m| (f64::from(m.vector_bits) / f64::from(bits)).max(1.0))
}

#[cfg(test)]
mod tests;
