//! Whether a loop reads the same elements in each of its entries: what searches, all-pairs nests and moving windows have in
//! common, and passes over new data have not.
//!
//! A trace shows the distance between the ranges of two iterations of the loop around. Counts alone show it where one entry of
//! the loop around reads several times what the process holds.

use crate::evidence::{Fact, Shape, Trips};
use crate::facts::Facts;
use crate::traced::{executions, to_arrays};
use loopwright_analysis::model::{AccessFacts, LoopFacts, OuterStride, StridePattern};

/// A pass that reads this many times what the process holds reads the same again.
const SURELY_AGAIN: f64 = 4.0;
/// Of the accesses with known strides, those that begin the same range again.
const MOST_RETURN: f64 = 0.9;
/// Ranges that begin this part of their length apart are one range that grows, or moves on slowly.
const SLOWLY: f64 = 0.1;
/// Entries whose ranges are compared.
const ENTRIES: u64 = 8;
/// Together they touch at most this many times what one of them does.
const ONE_REGION: f64 = 2.0;

/// The stride of an access over the iterations of `around`.
pub fn stride_over(access: &AccessFacts, around: &LoopFacts) -> Option<i64> {
    over(access, around)?.stride_bytes
}

/// The stride of most steps, where borders make the others.
pub fn usual_stride_over(access: &AccessFacts, around: &LoopFacts) -> Option<i64> {
    let outer = over(access, around)?;
    outer.stride_bytes.or(outer.usual_bytes)
}

fn over<'a>(access: &'a AccessFacts, around: &LoopFacts) -> Option<&'a OuterStride> {
    access.outer.iter().find(|o| o.loop_id == Some(around.id))
}

/// Why it is certain that each iteration of `around` reads what the ones before it have read in `of`.
pub fn again(facts: &Facts, of: &LoopFacts, around: &LoopFacts) -> Option<Trips> {
    let trips = of.trip_count.as_ref();
    if let Some(traced) = facts.traced(of) {
        let moving = || to_arrays(traced).filter(|a| a.pattern != StridePattern::Uniform);
        let known = executions(moving().filter(|a| stride_over(a, around).is_some()));
        if known > 0.0 {
            let slow = |a: &AccessFacts| {
                let mean = traced.trip_count.as_ref().or(trips).and_then(|t| t.mean).unwrap_or(0.0);
                let range = a.machine_stride_bytes.unwrap_or(0).unsigned_abs() as f64 * mean;
                stride_over(a, around).is_some_and(|s| s.unsigned_abs() as f64 <= SLOWLY * range)
            };
            let back = executions(moving().filter(|a| slow(a)));
            return (back >= MOST_RETURN * known)
                .then(|| Trips::BeginsAgain { place: around.place(), extent: facts.extent(traced) });
        }
    }
    // Not seen: but what one entry of the nest reads may be more than there is.
    let resident = facts.analysis.program.peak_resident_bytes;
    let entries = around.trip_count.as_ref()?.entries.filter(|n| *n > 0)?;
    let iterations = trips?.iterations as f64 / entries as f64;
    let in_code = of.strides.iter().filter(|s| !s.store).map(|s| s.bytes.unsigned_abs());
    let moving = facts.traced(of).into_iter().flat_map(to_arrays).filter(|a| a.kind.reads());
    let seen = moving.filter_map(|a| a.machine_stride_bytes).map(i64::unsigned_abs);
    let step = in_code.chain(seen).max()? as f64;
    let read = iterations * step;
    (resident > 0 && read > SURELY_AGAIN * resident as f64).then(|| Trips::WalksAgain {
        bytes: read as u64,
        place: around.place(),
        times: read / resident as f64,
    })
}

/// The same whoever enters the loop: all traced entries together touch hardly more than one of them.
pub fn one_region(facts: &Facts, of: &LoopFacts) -> Option<Shape> {
    let traced = facts.traced(of)?;
    let memory = traced.memory.as_ref().filter(|m| m.traced_entries >= ENTRIES)?;
    let mean = memory.traced_iterations as f64 / memory.traced_entries as f64;
    let mut moving =
        to_arrays(traced).filter(|a| a.pattern != StridePattern::Uniform && a.kind.reads()).peekable();
    moving.peek()?;
    let mut bytes = 0;
    for access in moving {
        let touched = access.footprint_bytes?;
        let of_entry = access.machine_stride_bytes?.unsigned_abs() as f64 * mean;
        if touched as f64 * stretch(access) > ONE_REGION * of_entry {
            return None;
        }
        bytes = bytes.max(touched);
    }
    Some(Shape::OneRegion { bytes, entries: memory.traced_entries })
}

/// Bytes from element to element over those that are used.
fn stretch(access: &AccessFacts) -> f64 {
    let size = f64::from(access.operand_bytes.max(1));
    access.machine_stride_bytes.map_or(1.0, |s| (s.unsigned_abs() as f64 / size).max(1.0))
}

/// One of the two.
pub fn same(facts: &Facts, of: &LoopFacts, around: Option<&LoopFacts>) -> Option<Fact> {
    let nest = around.and_then(|around| again(facts, of, around)).map(Fact::from);
    nest.or_else(|| one_region(facts, of).map(Fact::from))
}
