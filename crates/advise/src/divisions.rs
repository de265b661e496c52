//! What divisions and square roots cost a loop, and what it gains without them. Whole loops are estimated from the figures of
//! `uarch`, not simulated.

use crate::facts::Facts;
use crate::gain::{self, Gain};
use loopwright_analysis::model::LoopFacts;
use loopwright_analysis::uarch::{DIVISION_CYCLES, INSTRUCTIONS_PER_CYCLE, MOST_INSTRUCTIONS_PER_CYCLE};

/// A divider that is busy for so much of the time is what the loop waits for.
pub const SURELY: f64 = 0.6;
/// A division that is left out takes another instruction with it: the product beside it becomes part of the factor, or fuses
/// with the sum that follows.
const INSTRUCTIONS_WITH_IT: f64 = 2.0;
/// A root that sets errno takes a zero, a comparison with it and a branch with it.
const WITH_ERRNO: f64 = 4.0;

/// Cycles of one iteration that the divider is busy, and that everything else takes.
pub fn cycles(of: &LoopFacts) -> (f64, f64) {
    let heavy = of.instruction_mix.divide + of.instruction_mix.square_root;
    let all = f64::from(of.instructions.max(heavy + 1));
    (f64::from(heavy) * DIVISION_CYCLES * passes(of), all / INSTRUCTIONS_PER_CYCLE)
}

/// Whether the divider is busier than everything else.
pub fn bound(of: &LoopFacts) -> bool {
    let (divider, rest) = cycles(of);
    divider > rest
}

/// Share of the loop's time that the divider is busy, from executed divisions and roots, time and clock; absent without
/// counts. Packed ones of more than 128 bits take one pass for each half.
pub fn busy_share(facts: &Facts, of: &LoopFacts) -> Option<f64> {
    let mix = &of.work.as_ref().filter(|_| of.self_seconds > 0.0 && facts.rates_hold())?.mix;
    let executed = mix.divide.saturating_add(mix.square_root) as f64;
    let seconds = executed * DIVISION_CYCLES * passes(of) / (facts.clock_ghz()? * 1e9);
    Some(seconds / of.self_seconds)
}

fn passes(of: &LoopFacts) -> f64 {
    of.vector.as_ref().filter(|_| of.vectorized).map_or(1.0, |v| (f64::from(v.bits) / 128.0).max(1.0))
}

/// The loop's gain if `count` of its divisions or roots became multiplications.
pub fn without(of: &LoopFacts, count: u32) -> Gain {
    let (divider, rest) = cycles(of);
    let heavy = of.instruction_mix.divide + of.instruction_mix.square_root;
    if heavy == 0 {
        return Gain::NONE;
    }
    let left = divider * (1.0 - f64::from(count.min(heavy)) / f64::from(heavy));
    let best = divider.max(rest) / left.max(rest);
    // The careful end: other waits (memory, a chain) hide most of it.
    Gain::new(1.0 + (best - 1.0) * 0.2, best)
}

/// The loop's gain without this share of its executed divisions and of its roots: the divider is busy for what is left, and
/// the core still needs its time for the other instructions. The careful end is half of that where the divider bounds the
/// loop, and nothing where it only may. None without counts.
pub fn counted_without(facts: &Facts, of: &LoopFacts, divisions: f64, roots: f64) -> Option<Gain> {
    let busy = busy_share(facts, of)?.min(1.0);
    let mix = &of.work.as_ref()?.mix;
    let (divides, square_roots) = (mix.divide as f64, mix.square_root as f64);
    let (divisions, roots) = (divides * divisions.clamp(0.0, 1.0), square_roots * roots.clamp(0.0, 1.0));
    let removed = divisions + roots;
    let executed = divides + square_roots;
    if executed <= 0.0 || removed <= 0.0 {
        return Some(Gain::NONE);
    }
    let instructions = (of.work.as_ref()?.instructions as f64).max(1.0);
    let errno = of.calls.iter().any(|c| matches!(c.target.as_deref(), Some("sqrt" | "sqrtf")));
    let each_root = if errno { WITH_ERRNO } else { INSTRUCTIONS_WITH_IT };
    let rest = (1.0 - (INSTRUCTIONS_WITH_IT * divisions + each_root * roots) / instructions).max(0.25);
    let issued = facts.instructions_per_cycle(of)? / MOST_INSTRUCTIONS_PER_CYCLE * rest;
    let best = 1.0 / (busy * (1.0 - removed / executed)).max(issued).max(1.0 / gain::LARGEST_GAIN);
    // A divider that is idle for most of the time cannot be what all of it is spent on.
    Some(if busy >= SURELY {
        Gain::new(1.0 + (best - 1.0) / 2.0, best)
    } else {
        Gain::new(1.0, gain::amdahl(busy, best))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{scalar_loop, vector_loop};

    #[test]
    fn wider_vectors_keep_the_divider_busier() {
        let divide = |l: &mut LoopFacts| l.instruction_mix.divide = 1;
        let (scalar, _) = cycles(&scalar_loop(divide));
        let (vector, _) = cycles(&vector_loop(divide));
        assert!(vector > scalar);
        assert!(bound(&scalar_loop(divide)) && !bound(&scalar_loop(|_| ())));
    }

    #[test]
    fn executed_divisions_against_the_clock() {
        use crate::fixtures::{count, measured};
        // 1.2e9 divisions of 5 cycles in 4 s at 3 GHz: half of the time.
        let analysis = measured(vec![scalar_loop(|l| {
            l.instruction_mix.divide = 1;
            count(l, 1, 1_200_000_000);
        })]);
        let share = busy_share(&Facts::new(&analysis), &analysis.loops[0]).unwrap();
        assert!((share - 0.5).abs() < 1e-12, "{share}");
        let uncounted = measured(vec![scalar_loop(|_| ())]);
        assert_eq!(busy_share(&Facts::new(&uncounted), &uncounted.loops[0]), None);
    }

    #[test]
    fn taking_away_nothing_gains_nothing() {
        let of = scalar_loop(|l| l.instruction_mix.divide = 2);
        assert_eq!(without(&of, 0), Gain::NONE);
        assert!(without(&of, 2).high() > without(&of, 1).high());
        assert_eq!(without(&scalar_loop(|_| ()), 1), Gain::NONE);
    }
}
