//! Strides of several elements: one member of each structure in an array is used per iteration.

use crate::evidence::{Memory, Vectors};
use crate::prelude::*;
use crate::rules::row_stride;
use loopwright_binary::facts::{ChainKind, Trait};
use std::collections::BTreeMap;

mod measured;

pub(crate) static RULE: Rule = Rule {
    id: "array-of-structures",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("array_of_structures.md")),
};

/// Strides beyond a page are rows of a matrix, not structures: interchange the loops instead.
const LARGEST_STRUCTURE: u64 = 4096;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if let Some(traced) = facts.traced(of) {
        return measured::check(facts, of, traced);
    }
    let strided = strided_operands(of);
    let mut assembling = vec![Trait::Insert, Trait::Extract, Trait::Shuffle];
    assembling.retain(|t| of.traits.contains(t));
    let assembles = assembling.len();
    if strided.is_empty() && (assembles < 2 || !of.vectorized) {
        return None;
    }
    let mut new = facts.about_loop(&RULE, of);
    let mut complete = true;
    for (&(bytes, size), &(count, lines)) in &strided {
        complete &= u64::from(count) * u64::from(size) >= bytes;
        new = new.because(Provenance::Binary, Memory::AdvancesBy { operands: count, size, bytes, lines });
    }
    if assembles > 0 {
        new = new.because(Provenance::Binary, Vectors::Assembled { by: assembling });
    }
    let sure = !strided.is_empty() && (!complete || assembles > 0);
    let new = if of.vectorized { packed_gain(new, of, &strided) } else { scalar_gain(new, facts, of) };
    Some(
        new.confidence(if sure { Confidence::Medium } else { Confidence::Low })
            .next(facts.collect("map", of))
            .how(how()),
    )
}

/// `(stride, operand size) -> (operands, source lines)` of what advances by more than its unrolled size.
fn strided_operands(of: &LoopFacts) -> BTreeMap<(u64, u32), (u32, u32)> {
    let mut lines: BTreeMap<(u64, u32), Vec<u32>> = BTreeMap::new();
    for stride in &of.strides {
        let bytes = stride.bytes.unsigned_abs();
        if stride.size > 0 && bytes > crate::facts::unit_stride(of, stride.size) && bytes <= LARGEST_STRUCTURE
        {
            lines.entry((bytes, stride.size)).or_default().push(stride.line);
        }
    }
    // In a vector loop a scalar operand with the stride of one vector is a uniform broadcast or an unrolled tail.
    let vector_bytes = of
        .vector
        .as_ref()
        .filter(|_| of.vectorized)
        .map_or(0, |v| u64::from(v.bits / 8) * u64::from(v.unroll.max(1)));
    lines.retain(|(bytes, _), _| *bytes > vector_bytes);
    // Operands that fill a stride of 2, 4, 8, ... elements, as many as the factor says, are an unrolled unit stride.
    // (A structure of two or four members that are all used looks the same, and loses as little.)
    // A chain of as many links as the stride has elements says the same of any factor.
    let links = of
        .chains
        .iter()
        .filter(|c| c.kind != ChainKind::Induction)
        .map(|c| c.instructions.len() as u64)
        .max();
    lines.retain(|(bytes, size), at| {
        let factor = bytes / u64::from(*size);
        let unrolled = bytes % u64::from(*size) == 0
            && (factor.is_power_of_two() || links == Some(factor))
            && (at.len() as u64).is_multiple_of(factor);
        !unrolled
    });
    lines
        .into_iter()
        .map(|(key, mut at)| {
            let count = u32::try_from(at.len()).unwrap_or(u32::MAX);
            at.sort_unstable();
            at.dedup();
            (key, (count, u32::try_from(at.len()).unwrap_or(u32::MAX)))
        })
        .collect()
}

/// For a scalar loop the layout alone gains nothing; with the loop vectorised it gains all that unit strides allow.
fn scalar_gain(new: Recommendation, facts: &Facts, of: &LoopFacts) -> Recommendation {
    let (Some(strided), Some(unit)) = (gain::vectorise(facts, of), gain::vectorise_consecutive(facts, of))
    else {
        return new;
    };
    // The layout is often what keeps the compiler from vectorising at all; then its change brings the whole gain.
    let gain = Gain::up_to(unit.gain.high());
    let fact = Vectors::StridesWhenVectorised {
        unit: unit.gain.high(),
        strided: strided.gain.high(),
        accesses: None,
    };
    new.gain(of.group_share, gain).because(Provenance::Modelled, fact)
}

/// A vector loop loses its assembling instructions: at best their share of the loop, plus the cache lines
/// that are no longer fetched in vain, which counts once more.
fn packed_gain(
    new: Recommendation,
    of: &LoopFacts,
    strided: &BTreeMap<(u64, u32), (u32, u32)>,
) -> Recommendation {
    let mix = &of.instruction_mix;
    let all = of.instructions.max(1);
    let assembling = f64::from(mix.shuffle.min(all)) / f64::from(all);
    let fetched_in_vain = if strided.is_empty() { 1.0 } else { 2.0 };
    let best = Gain::removing(assembling.min(0.75)).high() * fetched_in_vain;
    let fact = Vectors::SingleElements { share: assembling, high: best };
    new.gain(of.group_share, Gain::up_to(best)).because(Provenance::Modelled, fact)
}

/// The layout change.
pub fn how() -> How {
    how!(RULE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, fired_on, scalar_loop, states, stride, vector_loop, with_loops};

    fn three_components() -> LoopFacts {
        scalar_loop(|l| {
            l.strides =
                vec![stride(24, 8, false), stride(24, 8, false), stride(24, 8, false), stride(8, 8, true)]
        })
    }

    #[test]
    fn fires_on_stride_three_and_asks_for_map() {
        let r = fired_on(&RULE, three_components()).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright map --loops 1 -- ./app input"));
        assert_eq!(r.confidence, Confidence::Low, "all three members are used");
        assert!(r.loop_gain.unwrap().low() == 1.0 && r.loop_gain.unwrap().high() > 1.5, "{:?}", r.loop_gain);
    }

    #[test]
    fn unused_bytes_make_it_surer() {
        let r = fired_on(&RULE, scalar_loop(|l| l.strides = vec![stride(152, 8, false)])).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(states!(r, Memory::AdvancesBy { operands: 1, size: 8, bytes: 152, .. }));
    }

    #[test]
    fn fires_on_a_vector_loop_that_assembles_its_registers() {
        let r = fired_on(
            &RULE,
            vector_loop(|l| {
                l.traits = vec![Trait::Shuffle, Trait::Insert];
                l.instruction_mix.shuffle = 6;
                l.instructions = 18;
            }),
        )
        .unwrap();
        assert!((r.loop_gain.unwrap().high() - 1.5).abs() < 0.01);
    }

    #[test]
    fn silent_on_unit_strides_unrolled_loops_and_matrix_rows() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.strides = vec![stride(32, 8, false); 4])).is_none(),
            "unrolled by four"
        );
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.strides = vec![stride(32, 8, false); 8])).is_none(),
            "two arrays"
        );
        assert!(fired_on(&RULE, scalar_loop(|l| l.strides = vec![stride(80_000, 8, false)])).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.strides.clear())).is_none(), "no facts, no advice");
    }

    #[test]
    fn one_shuffle_is_no_layout() {
        assert!(fired_on(&RULE, vector_loop(|l| l.traits = vec![Trait::Shuffle])).is_none());
    }

    #[test]
    fn without_a_machine_there_is_no_prediction() {
        let mut analysis = with_loops(vec![three_components()]);
        analysis.machine = None;
        assert!(fired(&RULE, &analysis).unwrap().loop_gain.is_none());
    }
}
