//! What divisions and square roots cost a loop, and what it gains without them. Whole loops are estimated by the cost model, not
//! simulated.

use crate::facts::Facts;
use crate::traffic::traffic;
use loopwright_analysis::model::LoopFacts;
use loopwright_costs::clean_share;
use loopwright_costs::estimates::{
    BESIDE_DIVIDER, COUNTED_ERROR, LEVEL_IN_TIME, OVERLAPPED, WITH_DIVISION, WITH_ERRNO,
};
use loopwright_costs::{Core, Gain, Iteration};

/// A divider that is busy for so much of the time is what the loop waits for. Half of the divisions gone gained 1.31 at 100 %
/// and all roots gone 1.43 at 87 %, but nothing in three loops at 49, 64 and 70 % (Zen 4).
pub const SURELY: f64 = 0.8;

/// Cycles of one iteration that the divider is busy, and that everything else takes.
pub fn cycles(of: &LoopFacts, core: &Core) -> (f64, f64) {
    let (iteration, bits) = (float_only(of.iteration()), bits(of));
    (iteration.divider(core, bits), iteration.beside_divider(core, bits))
}

/// The same of the executed divisions and instructions, where they were counted.
pub fn executed_cycles(facts: &Facts, of: &LoopFacts) -> Option<(f64, f64)> {
    let work = of.work.as_ref()?;
    let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)? as f64;
    let each = |count: u64| count as f64 / iterations;
    let executed = Iteration {
        instructions: each(work.instructions),
        loads: each(work.mix.load),
        stores: each(work.mix.store),
        divisions: each(work.mix.divide),
        roots: each(work.mix.square_root),
        ..float_only(of.iteration())
    };
    let (core, bits) = (facts.core(), bits(of));
    Some((executed.divider(core, bits), executed.beside_divider(core, bits)))
}

/// The divisions of a loop with any integer ones count as such in the model; here all are floating-point ones.
fn float_only(of: Iteration) -> Iteration {
    Iteration { divisions: of.divisions + of.integer_divisions, integer_divisions: 0.0, ..of }
}

/// Width of the loop's operations, 0 for scalar ones.
fn bits(of: &LoopFacts) -> u32 {
    of.vector.as_ref().filter(|_| of.vectorized).map_or(0, |v| v.bits)
}

/// Whether the divider is busier than everything else.
pub fn bound(of: &LoopFacts, core: &Core) -> bool {
    let (divider, rest) = cycles(of, core);
    divider > rest
}

/// Share of the loop's time that the divider is busy, from executed divisions and roots, time and clock; absent without
/// counts.
pub fn busy_share(facts: &Facts, of: &LoopFacts) -> Option<f64> {
    let mix = &of.work.as_ref().filter(|_| of.self_seconds > 0.0 && facts.rates_hold())?.mix;
    let (divisions, roots) = (mix.divide as f64, mix.square_root as f64);
    let executed = Iteration { divisions, roots, ..float_only(of.iteration()) };
    let seconds = executed.divider(facts.core(), bits(of)) / (facts.clock_ghz()? * 1e9);
    Some(seconds / of.self_seconds)
}

/// The loop's gain if `count` of its divisions or roots became multiplications.
pub fn without(of: &LoopFacts, core: &Core, count: u32) -> Gain {
    let (divider, rest) = cycles(of, core);
    let heavy = of.instruction_mix.divide + of.instruction_mix.square_root;
    if heavy == 0 {
        return Gain::NONE;
    }
    let left = divider * (1.0 - f64::from(count.min(heavy)) / f64::from(heavy));
    // Other waits (memory, a chain) hide most of it.
    Gain::of(divider.max(rest) / left.max(rest)).hedged(OVERLAPPED)
}

/// The loop's gain without this share of its executed divisions and of its roots: what is left takes the slowest of the divider,
/// the other units, and what memory delivers. Time that this does not explain stays at the careful end. None without counts.
pub fn counted_without(facts: &Facts, of: &LoopFacts, divisions: f64, roots: f64) -> Option<Gain> {
    let busy = busy_share(facts, of)?;
    let work = of.work.as_ref()?;
    let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)? as f64;
    let now = of.self_seconds * facts.clock_ghz()? * 1e9 / iterations;
    let each = |count: u64| count as f64 / iterations;
    let (divides, square_roots) = (each(work.mix.divide), each(work.mix.square_root));
    let (divisions, roots) = (divides * clean_share(divisions), square_roots * clean_share(roots));
    if divisions + roots <= 0.0 || now <= 0.0 {
        return Some(Gain::NONE);
    }
    let each_root = if sets_errno(of) { WITH_ERRNO } else { WITH_DIVISION };
    let (core, width) = (facts.core(), bits(of));
    let executed = Iteration {
        instructions: each(work.instructions),
        loads: each(work.mix.load),
        stores: each(work.mix.store),
        divisions: divides,
        roots: square_roots,
        ..float_only(of.iteration())
    };
    let left = Iteration {
        instructions: (executed.instructions - WITH_DIVISION * divisions - each_root * roots)
            .max(executed.instructions * 0.25),
        divisions: divides - divisions,
        roots: square_roots - roots,
        ..executed
    };
    let (least, most) = facts.traced(of).map_or((0.0, 0.0), |traced| {
        let traffic = traffic(facts, traced);
        if traffic.timed { traffic.share() } else { (0.0, 0.0) }
    });
    let memory = |part: f64| (least + (most - least) * part) * now;
    let bound = |iteration: &Iteration, reached: f64, part: f64| {
        let beside = iteration.beside_divider(core, width) / reached;
        iteration.divider(core, width).max(beside).max(memory(part))
    };
    let unexplained = (now - bound(&executed, 1.0, LEVEL_IN_TIME)).max(0.0);
    let after = bound(&left, BESIDE_DIVIDER, LEVEL_IN_TIME);
    if busy < SURELY {
        // A divider that is idle for most of the time cannot be what all of it is spent on: no more than its own time goes.
        let removed = executed.divider(core, width) - left.divider(core, width);
        return Some(Gain::removing((removed / now).min(busy)).at_most());
    }
    let low = now / (bound(&left, BESIDE_DIVIDER, 2.0 * LEVEL_IN_TIME) + unexplained / 2.0);
    let likely = now / (after + unexplained / 4.0);
    let high = now / bound(&left, 1.0, 0.0);
    Some(Gain::around((low / COUNTED_ERROR).max(1.0), likely.max(1.0), high.max(1.0)))
}

/// A square root of the loop calls the library's function for negative arguments, to set errno: a loop with a call stays scalar.
pub(crate) fn sets_errno(of: &LoopFacts) -> bool {
    of.calls.iter().any(|c| matches!(c.target.as_deref(), Some("sqrt" | "sqrtf")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{scalar_loop, vector_loop};

    #[test]
    fn wider_vectors_keep_the_divider_busier() {
        let core = Core::of(None);
        let divide = |l: &mut LoopFacts| l.instruction_mix.divide = 1;
        let (scalar, _) = cycles(&scalar_loop(divide), core);
        let (vector, _) = cycles(&vector_loop(divide), core);
        assert!(vector > scalar);
        assert!(bound(&scalar_loop(divide), core) && !bound(&scalar_loop(|_| ()), core));
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
        let core = Core::of(None);
        let of = scalar_loop(|l| l.instruction_mix.divide = 2);
        assert_eq!(without(&of, core, 0), Gain::NONE);
        assert!(without(&of, core, 2).high() > without(&of, core, 1).high());
        assert_eq!(without(&scalar_loop(|_| ()), core, 1), Gain::NONE);
    }
}
