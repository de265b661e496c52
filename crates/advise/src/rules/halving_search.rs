//! Binary searches whose branches are not predictable: select instead of branching, or lay the keys out as a tree of lines.

use crate::evidence::Shape;
use crate::prelude::*;
use crate::rules::tests_in_loop::BRANCH_FREE_BODY;
use loopwright_binary::facts::ChainKind;

pub(crate) static RULE: Rule = Rule {
    id: "halving-search",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("halving_search.md")),
};

/// Steps of a search over 8 to 2^40 elements.
const STEPS: (f64, f64) = (3.0, 40.0);
/// The longest search is not much longer than the mean: all halve one range.
const EVEN: f64 = 1.35;
/// Fewer searches are start-up.
const FEWEST_SEARCHES: u64 = 10_000;
/// Branches of a step that decides by a branch, its end included; with a select it has one.
const BRANCHES: f64 = 1.4;
/// Loads of a step: the key, and what leads to it.
const MOST_LOADS: f64 = 2.2;
/// A step with a prediction that fails half of the time takes this part of its cost at least.
const MISPREDICTED: f64 = 0.35;
/// Cycles of comparison and selection.
const SELECT: f64 = 2.0;
/// Searches that a core has in flight at a time once their steps do not depend on predictions.
const IN_FLIGHT: f64 = 2.0;
/// A careful gain below this is not certain.
const SURE_GAIN: f64 = 1.1;

/// The loop is such a search, and waits for its branches.
pub fn explains(facts: &Facts, of: &LoopFacts) -> bool {
    check(facts, of).is_some()
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let moves = of.strides.iter().any(|s| s.bytes != 0 && !s.store);
    let carried = of.chains.iter().any(|c| c.kind != ChainKind::Induction);
    let chases = of.chains.iter().any(|c| c.kind == ChainKind::PointerChase);
    let halves = of.operands.bit_shifts > 0 && of.operands.bit_tests == 0;
    if of.vectorized || !of.innermost || moves || !carried || chases || !halves {
        return None;
    }
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref().filter(|t| t.iterations > 0)?);
    let each = |n: u64| n as f64 / trips.iterations as f64;
    let (searches, steps, most) = (trips.entries?, trips.mean?, trips.max?);
    let plain = work.mix.store == 0 && work.mix.call == 0 && work.flop == 0 && work.mix.divide == 0;
    if !plain
        || searches < FEWEST_SEARCHES
        || !(STEPS.0..=STEPS.1).contains(&steps)
        || most as f64 > EVEN * steps + 1.0
        || !(0.5..=MOST_LOADS).contains(&each(work.mix.load))
        || each(work.mix.branch) < BRANCHES
    {
        return None;
    }
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let core = facts.core();
    let cycles = of.self_seconds * ghz * 1e9 / trips.iterations as f64;
    // What a key from L1 takes, one step after the other.
    let step = core.latency.l1 - 1.0 + SELECT;
    if cycles < step + MISPREDICTED * core.mispredict {
        return None;
    }
    let gain =
        Gain::between(cycles / step, cycles / (step / IN_FLIGHT).max(core.issue(each(work.instructions))));
    let then = (cycles / gain.high(), cycles / gain.low());
    (gain.low() >= SURE_GAIN).then(|| {
        facts
            .about_loop(&RULE, of)
            .named(BRANCH_FREE_BODY, "Make the binary search branch-free, or search a tree of cache lines")
            .because(
                Provenance::Counted,
                Shape::Halving { searches, steps, branches: each(work.mix.branch), cycles },
            )
            .because(Provenance::Modelled, Shape::Instead { now: cycles, then })
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, count, fired, measured, scalar_loop, states};
    use loopwright_analysis::model::Analysis;
    use loopwright_binary::facts::InstructionMix;

    /// Searches of 17 steps, 800 million steps in 4 s: 15 cycles each.
    fn search(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        measured(vec![scalar_loop(|l| {
            (l.instructions, l.instruction_mix) =
                (9, InstructionMix { load: 1, branch: 2, integer: 2, ..InstructionMix::default() });
            l.flop_per_iteration.clear();
            l.strides.clear();
            l.operands.bit_shifts = 1;
            l.chains = vec![chain(ChainKind::Recurrence, "rcx", 1)];
            count(l, 47_000_000, 17);
            change(l);
        })])
    }

    #[test]
    fn fires_on_a_search_with_branches() {
        let r = fired(&RULE, &search(|_| ())).unwrap();
        assert_eq!(r.id, BRANCH_FREE_BODY);
        assert!(states!(r, Shape::Halving { searches: 47_000_000, .. }), "{:?}", r.said());
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.5 && gain.high() < 6.0, "{gain:?}");
    }

    #[test]
    fn silent_on_selects_walks_and_fast_steps() {
        assert!(fired(&RULE, &search(|l| l.work.as_mut().unwrap().mix.branch = 47_000_000 * 17)).is_none());
        assert!(fired(&RULE, &search(|l| l.operands.bit_shifts = 0)).is_none());
        assert!(fired(&RULE, &search(|l| l.trip_count.as_mut().unwrap().max = Some(90))).is_none());
        assert!(fired(&RULE, &search(|l| l.self_seconds = 1.0)).is_none(), "4 cycles: predicted");
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &search(|l| l.work = None)).is_none());
    }
}
