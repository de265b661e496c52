//! Nests whose innermost loop turns a few times only: what they cost, and what would be left of them.
//!
//! A short loop pays for its entry, its counter, its branches and the dispatch to vector code and remainder; half of
//! that is in the loop around it. What the nest is for are its floating-point operations and the data that they
//! move. Everything beyond that can go, where the nest is written in another way.

use crate::facts::Facts;
use crate::gain;
use loopwright_analysis::model::{LoopFacts, WorkRow};
use loopwright_costs::Gain;
use loopwright_costs::estimates::{BEST_EFFICIENCY, TEST_INSTRUCTIONS};

/// Fewer iterations than this on average fill two vectors of eight at most.
pub const SHORT: f64 = 16.0;
/// A loop of fewer iterations than this is hardly one.
const FEWEST: f64 = 1.5;
/// The loop around costs at least this share of both together: otherwise entering the short one is no matter.
const AROUND: f64 = 0.1;

/// A short loop with the loop right around it.
#[derive(Clone, Debug)]
pub struct ShortNest<'a> {
    /// The loop right around it.
    pub parent: &'a LoopFacts,
    /// Source iterations per entry of the short loop, where they are known exactly.
    pub iterations: f64,
    /// Times that it was entered.
    pub entries: u64,
    /// As far as the counts show, every entry runs the same number of iterations.
    pub same: bool,
    /// Share of the program's time, of both.
    pub share: f64,
    /// What both gain when only their arithmetic, loads and stores stay: scalar, and in vectors.
    pub gain: Gain,
}

/// Iterations per entry, on average: as written, else those of the machine.
pub fn iterations(of: &LoopFacts) -> Option<f64> {
    of.trip_count.as_ref().and_then(|t| t.source_mean.or(t.mean))
}

/// The short nest around an innermost loop, if it is one.
pub fn short_nest<'a>(facts: &Facts<'a>, of: &'a LoopFacts) -> Option<ShortNest<'a>> {
    if !is_leaf(of) || of.idiom.is_some() || of.exits > 1 || !of.calls.is_empty() {
        return None;
    }
    // A count that the compiler knows: it wrote the loop out where that pays.
    if of.constant_trips.is_some() {
        return None;
    }
    let parent = facts.around(of)?;
    let trips = of.trip_count.as_ref().filter(|t| t.group_complete)?;
    let ran = || facts.group(of).filter(|l| l.trip_count.as_ref().is_some_and(|t| t.iterations > 0));
    let entries = ran().filter_map(|l| l.trip_count.as_ref()?.entries).max().filter(|n| *n > 0)?;
    let iterations = trips.source_mean.or(Some(trips.group_iterations? as f64 / entries as f64))?;
    if !(FEWEST..=SHORT).contains(&iterations) || !parent.calls.is_empty() {
        return None;
    }
    let share = of.group_share + parent.self_share;
    if of.innermost && parent.self_share < AROUND * share {
        return None;
    }
    let same = ran()
        .all(|l| l.trip_count.as_ref().is_some_and(|t| !t.approximate && t.min.is_some() && t.min == t.max));
    let works: Vec<&WorkRow> =
        ran().chain([parent]).filter_map(|l| l.work.as_ref()).filter(|w| !w.flop_is_bound).collect();
    if works.len() != ran().count() + 1 {
        return None;
    }
    let gain = gain(facts, of, &works)?;
    Some(ShortNest { parent, iterations, entries, same, share, gain })
}

/// No listed loop is inside. One that is not innermost all the same holds a cycle with several entries: a still shorter loop
/// which the compiler wrote out with jumps into it, and whose cost is part of this one.
fn is_leaf(of: &LoopFacts) -> bool {
    of.innermost || of.children.is_empty()
}

fn gain(facts: &Facts, of: &LoopFacts, works: &[&WorkRow]) -> Option<Gain> {
    let sum = |pick: fn(&WorkRow) -> u64| works.iter().map(|w| pick(w) as f64).sum::<f64>();
    let now = sum(|w| w.instructions);
    let element = gain::element(of);
    let lanes = facts.machine().map_or(1.0, |m| m.lanes(m.vector_bits, element));
    // Values that are stored were computed or moved; loads that stay are at most one per operation.
    let flop = sum(|w| w.flop);
    let moved = sum(|w| w.bytes_stored) / f64::from(element.bits() / 8);
    let loads = sum(|w| w.bytes_loaded) / f64::from(element.bits() / 8);
    let needed = flop + moved + loads.min(flop.max(moved));
    if needed <= 0.0 || now <= 0.0 {
        return None;
    }
    let control = (TEST_INSTRUCTIONS * sum(|w| w.mix.branch)).min(now * 0.75);
    let vectors = now / needed * lanes * BEST_EFFICIENCY;
    Some(Gain::between(now / (now - control), vectors.max(now / (now - control))))
}
