//! What a change relieves, and what the measured bottleneck of its loop leaves of its gain.
//!
//! A run with injected operations says how busy an iteration keeps each resource (`docs/bottlenecks.md`). [`of_rule`] says for each
//! rule about a loop which of them its change relieves; [`bounded`] is the one place where both meet. Rules that replace the
//! algorithm, the data or the library that a loop calls relieve everything: nothing measured of the old code bounds the new one.

use crate::evidence::Bottleneck as Fact;
use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{Bottleneck, Cause, CauseKind, LoopFacts, Provenance};
use loopwright_binary::facts::ElementType;
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
    /// How many times less of a cause remains, with vectors of this machine.
    fn times(self, kind: CauseKind, vectors: Vectors) -> f64 {
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
                CauseKind::Divider => vectors.dividing,
                _ => vectors.lanes,
            },
        }
    }
}

/// A recommendation with no more gain than the measured bottleneck of its loop leaves; none at all where what it relieves has slack.
pub fn bounded(new: Recommendation, of: &LoopFacts, facts: &Facts) -> Option<Recommendation> {
    let Some((relief, measured)) = of_rule(&new.rule).zip(of.bottleneck.as_ref()) else { return Some(new) };
    let (Some(share), Some(gain)) = (new.share, new.loop_gain) else { return Some(new) };
    // What a thread beside it used would be taken for the loop's own.
    if measured.counted_in_memory || measured.core_shared.is_some() || measured.verdict.is_empty() {
        return Some(new);
    }
    let vectors = Vectors::of(of, facts);
    let causes: Vec<Relieved> = ALL
        .iter()
        .map(|&kind| Relieved { share: share_of(measured, kind), times: relief.times(kind, vectors) })
        .collect();
    let most = most_faster(&causes);
    if gain.high() <= most {
        return Some(new);
    }
    if most < SLACK {
        return None;
    }
    let remains = |c: &&Cause| relief.times(c.kind, vectors) <= 1.0;
    let relieved = measured.causes.iter().find(|c| !remains(c));
    let left = measured.causes.iter().find(remains);
    let of_models = relieved.into_iter().chain(left).any(|c| c.provenance != Provenance::Measured);
    let provenance = if of_models { Provenance::Modelled } else { Provenance::Measured };
    let share_by_kind = |cause: &Cause| (cause.kind, cause.share);
    let fact = Fact::Leaves { relieved: relieved.map(share_by_kind), left: left.map(share_by_kind), most };
    Some(new.gain(share, gain.capped(most)).because(provenance, fact))
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

/// What the machine's widest vectors are worth at most.
#[derive(Clone, Copy)]
struct Vectors {
    /// Lanes, of the loop's narrowest elements; of bytes, where no element is known.
    lanes: f64,
    /// Scalar divisions that the divider does in vectors in the time of one.
    dividing: f64,
}

impl Vectors {
    fn of(of: &LoopFacts, facts: &Facts) -> Self {
        let narrowest = of.types.iter().map(|t| t.bits()).min().unwrap_or(8).max(8);
        let fit = |bits: u32| (f64::from(bits) / f64::from(narrowest)).max(1.0);
        let Some(machine) = facts.machine() else {
            return Self { lanes: f64::INFINITY, dividing: f64::INFINITY };
        };
        let lanes = fit(machine.vector_bits);
        // The careful figures of an unknown core would bound too much.
        let known = machine.core.is_some() && narrowest >= ElementType::F32.bits();
        let cycles = facts.core().divide(narrowest == ElementType::F32.bits()).cycles;
        let at = |bits: u32| fit(bits) * cycles.at(0) / cycles.at(bits);
        let widths = [128, 256, 512].into_iter().filter(|bits| *bits <= machine.vector_bits);
        let dividing = if known { widths.map(at).fold(1.0, f64::max).min(lanes) } else { lanes };
        Self { lanes, dividing }
    }
}

#[cfg(test)]
mod tests;
