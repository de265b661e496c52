//! Vector loops that execute much of their arithmetic on one lane, or on lanes that are switched off.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Vanishing, VectorPart, Vectors, Work};
use crate::prelude::*;
use crate::rules::in_order_fp_sum;
use loopwright_analysis::model::WorkRow;
use loopwright_binary::facts::Trait;
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "idle-lanes",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[in_order_fp_sum::REORDER_SUM],
    doc: Doc::parse(include_str!("idle_lanes.md")),
};

/// A loop with more of its FLOP packed than this has its lanes in use.
const PACKED: f64 = 0.8;
/// Fewer lanes in use than this are worth compressing the data: packing costs about as much as a quarter of the lanes.
const IN_USE: f64 = 0.6;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let work = of.work.as_ref().filter(|w| w.flop > 0 && w.instructions > 0)?;
    let vector = of.vector.as_ref().filter(|v| v.length > 1 && across_iterations(of, v.bits))?;
    if work.mix.fp_vector == 0 {
        return None;
    }
    let packed = work.packed_share?;
    let lanes = lanes(work, vector.bits);
    if lanes < 2.0 {
        return None;
    }
    if packed < PACKED {
        return scalar_part(facts, of, work, packed, lanes);
    }
    // Upper bounds say nothing about the lanes in use.
    let masked = of.traits.contains(&Trait::Masked) && !work.flop_is_bound;
    masked.then(|| masked_part(facts, of, work, lanes)).flatten()
}

/// The vectors hold elements of several iterations: the loop advances by a whole one at least. Values of one iteration that lie side by side
/// (x and y of a point) are packed in pairs without that.
fn across_iterations(of: &LoopFacts, bits: u32) -> bool {
    let several = of.trip_count.as_ref().and_then(|t| t.source_factor).is_some_and(|factor| factor > 1);
    let whole = of.strides.iter().any(|s| s.size * 8 == bits && s.bytes.unsigned_abs() >= u64::from(s.size));
    several || whole || of.strides.is_empty()
}

/// Lanes that a register has for the type of most FLOP; the loop's vector length may be that of narrower integers.
fn lanes(work: &WorkRow, bits: u32) -> f64 {
    let types = [(work.flop_f64, 64), (work.flop_f32, 32), (work.flop_f16, 16), (work.flop_bf16, 16)];
    let (_, element) = types.into_iter().max_by_key(|&(flop, width)| (flop, width)).unwrap_or((0, 64));
    f64::from(bits / element)
}

fn scalar_part(
    facts: &Facts,
    of: &LoopFacts,
    work: &WorkRow,
    packed: f64,
    lanes: f64,
) -> Option<Recommendation> {
    // Scalar instructions that one packed one in `lanes` would replace.
    let vanishing = work.mix.fp_scalar as f64 * (1.0 - 1.0 / lanes);
    let gain = Gain::removing((vanishing / work.instructions as f64).min(0.95)).at_most();
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let slots =
        work.mix.fp_scalar as f64 / saturating_sum([work.mix.fp_scalar, work.mix.fp_vector]).max(1) as f64;
    Some(
        facts
            .about_loop(&RULE, of)
            .named("vectorise-rest", "Vectorise the rest of this loop: part of its arithmetic is scalar")
            .because(Provenance::Counted, Vectors::PackedShare { packed, lanes, scalar: slots })
            .because(
                Provenance::Modelled,
                Work::Vanishing { share: vanishing / work.instructions as f64, when: Vanishing::Packed },
            )
            .gain(of.group_share, gain)
            .confidence(Confidence::Low)
            .next(format!("loopwright show source {}", of.id))
            .how(how!(RULE, "vectorise-rest")),
    )
}

/// FLOP that the vector instructions would do with all lanes on: two for a fused one.
fn masked_part(facts: &Facts, of: &LoopFacts, work: &WorkRow, lanes: f64) -> Option<Recommendation> {
    let mix = &work.mix;
    let fused = mix.fma.min(mix.fp_vector);
    // Comparisons and conversions count as instructions and do no FLOP.
    let computing = (mix.fp_vector - fused).saturating_sub(mix.conversion) as f64 + 2.0 * fused as f64;
    let most = computing * lanes;
    let in_use = work.flop as f64 * work.packed_share.unwrap_or(1.0) / most.max(1.0);
    if !(0.0..=IN_USE).contains(&in_use) || in_use <= 0.0 {
        return None;
    }
    // Gathering the active elements costs; at best all lanes are in use for the arithmetic.
    let arithmetic = mix.fp_vector as f64 / work.instructions as f64;
    let gain = Gain::removing(arithmetic * (1.0 - in_use)).at_most();
    if gain.high() < LEAST_GAIN {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                "compress-active-elements",
                "Gather the active elements: most lanes of this loop are masked off",
            )
            .because(Provenance::Counted, Vectors::LanesInUse { share: in_use })
            .because(
                Provenance::Binary,
                Vectors::ElementsAtATime { part: VectorPart::Masked, elements: lanes as u32 },
            )
            .gain(of.group_share, gain)
            .confidence(Confidence::Low)
            .how(how!(RULE, "compress-active-elements")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{count, fired_on, near, states, stride, vector_loop};

    fn vector(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        vector_loop(|l| {
            count(l, 10, 100_000);
            change(l);
        })
    }

    #[test]
    fn fires_on_scalar_arithmetic_in_a_vector_loop() {
        let r = fired_on(
            &RULE,
            vector(|l| {
                l.instruction_mix.fp_scalar = 3;
                l.instructions = 9;
                count(l, 10, 100_000);
                l.work.as_mut().unwrap().packed_share = Some(0.7);
            }),
        )
        .unwrap();
        assert_eq!(r.id, "vectorise-rest");
        // Three scalar ones of nine, three quarters of which vanish: 1 / (1 - 0.25).
        assert!((r.loop_gain.unwrap().high() - 4.0 / 3.0).abs() < 1e-9);
        assert!(states!(r, Vectors::PackedShare { packed, .. } if near(*packed, 0.7)));
    }

    #[test]
    fn silent_on_pairs_of_one_iteration() {
        let with = |bytes: i64, factor| {
            vector(|l| {
                l.instruction_mix.fp_scalar = 3;
                l.instructions = 9;
                count(l, 10, 100_000);
                l.work.as_mut().unwrap().packed_share = Some(0.7);
                let size = l.vector.as_ref().unwrap().bits / 8;
                l.strides = vec![stride(bytes, size, false)];
                l.trip_count.as_mut().unwrap().source_factor = factor;
            })
        };
        assert!(fired_on(&RULE, with(8, Some(1))).is_none(), "x and y of one point");
        assert!(fired_on(&RULE, with(64, Some(1))).is_some());
        assert!(fired_on(&RULE, with(8, Some(4))).is_some());
    }

    #[test]
    fn fires_on_masked_lanes_when_masks_were_counted() {
        let masked = |bound: bool| {
            vector(move |l| {
                l.traits.push(Trait::Masked);
                (l.instruction_mix.fp_vector, l.instruction_mix.fma) = (4, 0);
                count(l, 10, 100_000);
                let work = l.work.as_mut().unwrap();
                // 4e6 instructions of 4 lanes could do 16e6 FLOP.
                (work.flop, work.flop_is_bound) = (4_000_000, bound);
            })
        };
        let r = fired_on(&RULE, masked(false)).unwrap();
        assert_eq!(r.id, "compress-active-elements");
        assert!(states!(r, Vectors::LanesInUse { share } if near(*share, 0.25)), "{:?}", r.said());
        assert!(fired_on(&RULE, masked(true)).is_none(), "an upper bound says nothing");
    }

    #[test]
    fn silent_on_full_lanes_scalar_loops_and_without_counts() {
        assert!(fired_on(&RULE, vector(|_| ())).is_none());
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, vector(|l| l.vector = None)).is_none());
    }
}
