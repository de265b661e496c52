//! Whether two loops of a nest may change places.
//!
//! A dependence that the outer loop carries forbids it where the inner loop carries it in the opposite direction (`(<,>)`: R.
//! Allen, K. Kennedy, *Optimizing Compilers for Modern Architectures*, 2001, chapter 5). A trace of the outer loop shows what
//! it carries, and the strides over both loops show the direction: what stays in place over the outer loop and moves in the inner
//! one meets itself in the same inner iteration (`(<,=)`), which every order keeps. What the inner loop leaves for code behind it
//! in the same outer iteration is overwritten before that code runs, once the loops are exchanged.

use crate::facts::Facts;
use loopwright_analysis::model::{
    AccessFacts, DependenceEnd, DependenceFacts, FoundDependence, LoopFacts, OuterStride, ParallelVerdict,
    StridePattern,
};
use loopwright_patterns::facts::AccessKind;

/// What is known of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Legality {
    /// The outer loop carried nothing through memory.
    Free,
    /// It carries dependences that either order keeps.
    Kept,
    /// The outer loop was not traced over several iterations; the inner loop's addresses show nothing against it.
    Open,
    /// The exchange would change results, or may.
    Forbidden,
}

/// Whether a loop may change places with one around it; `copies`: what an outer iteration writes anew gets a place for each of them.
pub(in crate::rules) fn legality(
    facts: &Facts,
    of: &LoopFacts,
    accesses: &[&AccessFacts],
    around: Option<&OuterStride>,
    outer: Option<&LoopFacts>,
    copies: bool,
) -> Legality {
    // Iterations that the data ends run in their order or not at all.
    let ends_early = |l: &LoopFacts| facts.dependence(l).is_some_and(|d| !d.early_exits.is_empty());
    if ends_early(of) || outer.is_some_and(ends_early) {
        return Legality::Forbidden;
    }
    let seen = outer.and_then(|l| facts.dependence(l));
    let counts = |end: &DependenceEnd| outer.is_some_and(|l| is_counter(l, end));
    let allowed = |d: &DependenceFacts| {
        let kept = |found: &FoundDependence| copies && found.privatisable || keeps(found, accesses, around);
        d.found.iter().all(|found| (counts(&found.source) && counts(&found.sink)) || kept(found))
    };
    if seen.is_some_and(|d| !allowed(d)) {
        return Legality::Forbidden;
    }
    match seen {
        Some(d) if d.parallel != ParallelVerdict::Unknown => {
            if d.found.iter().any(|found| found.memory) {
                Legality::Kept
            } else {
                Legality::Free
            }
        }
        _ if meets_neighbours(accesses) => Legality::Forbidden,
        _ => Legality::Open,
    }
}

/// A counter or pointer of the outer loop that the compiler keeps in the function's frame.
fn is_counter(outer: &LoopFacts, end: &DependenceEnd) -> bool {
    outer
        .access
        .iter()
        .filter(|a| a.addresses.contains(&end.address))
        .any(|a| a.frame && a.kind == AccessKind::Update && a.pattern == StridePattern::Uniform)
}

/// Either order of the loops keeps a dependence that the outer one carries.
fn keeps(found: &FoundDependence, accesses: &[&AccessFacts], around: Option<&OuterStride>) -> bool {
    let (Some(source), Some(sink)) = (at(&found.source, accesses), at(&found.sink, accesses)) else {
        // Through a register, or code beside the inner loop takes part.
        return !found.memory && found.privatisable;
    };
    if found.privatisable {
        return true;
    }
    let in_place = |a: &AccessFacts| {
        let over = around.and_then(|around| super::measured::same_loop(a, around));
        over.is_some_and(|o| o.pattern == StridePattern::Uniform)
            && matches!(a.pattern, StridePattern::Unit | StridePattern::Constant)
    };
    found.memory && in_place(source) && in_place(sink) && same_element(source, sink)
}

/// The inner loop's access at an end of a dependence.
fn at<'l>(end: &DependenceEnd, accesses: &[&'l AccessFacts]) -> Option<&'l AccessFacts> {
    accesses.iter().copied().find(|a| a.addresses.contains(&end.address))
}

/// Both are at one address in each iteration.
fn same_element(one: &AccessFacts, other: &AccessFacts) -> bool {
    std::ptr::eq(one, other)
        || (one.array.is_some()
            && one.array == other.array
            && one.stride_bytes == other.stride_bytes
            && one.offset_bytes.unwrap_or(0) == other.offset_bytes.unwrap_or(0))
}

/// An array is written and accessed at another element in the same iteration: a neighbour in a row or a column, which
/// another outer iteration may write.
fn meets_neighbours(accesses: &[&AccessFacts]) -> bool {
    let written = accesses.iter().filter(|a| a.kind != AccessKind::Load && a.array.is_some());
    written.into_iter().any(|w| accesses.iter().any(|a| a.array == w.array && !same_element(a, w)))
}
