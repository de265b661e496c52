//! Long loops of independent iterations, each of which runs recurrences or short loops: vectors across the iterations.
//!
//! Work arrays that each iteration writes anew get a copy for each lane (see [`crate::independence`]).

use crate::again::stride_over;
use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Checked, Dependences, Expected, Trips};
use crate::independence::{self, Iterations};
use crate::nest::{SHORT, iterations};
use crate::prelude::*;
use crate::rules::{in_order_fp_sum, own_linear_algebra, row_stride};
use crate::traced::{executions, to_arrays};
use crate::vectorising;
use loopwright_analysis::model::{AccessFacts, VectorVerdict};
use loopwright_binary::facts::ChainKind;
use loopwright_costs::together;

pub(crate) static RULE: Rule = Rule {
    id: "outer-loop-vectors",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[
        in_order_fp_sum::REORDER_SUM,
        row_stride::INTERCHANGE_LOOPS,
        own_linear_algebra::USE_TUNED_LIBRARY,
    ],
    doc: Doc::parse(include_str!("outer_loop_vectors.md")),
};

/// Iterations of the outer loop, at least: some full vectors.
const LONG: f64 = 32.0;
/// Part of the outer loop's time that its hindered loops take, at least.
const MOST: f64 = 0.5;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !is_hindered(facts, of) {
        return None;
    }
    let around: Vec<&LoopFacts> = facts
        .ancestors(of)
        .take_while(|l| l.function == of.function)
        .filter(|l| iterations(l).is_some_and(|n| n >= LONG))
        .collect();
    let free = around.iter().filter_map(|l| match independence::iterations(facts, l) {
        Iterations::Independent { found, copies } => Some((*l, found, copies)),
        _ => None,
    });
    // The one along which the arrays are consecutive; the nearest of equals.
    let consecutive = |l: &LoopFacts| along(facts, of, l);
    let (outer, seen, reused) =
        free.reduce(|best, next| if consecutive(next.0) > consecutive(best.0) + MOST { next } else { best })?;
    let better = around.iter().find(|l| consecutive(l) > consecutive(outer) + MOST);
    let scalar = facts.analysis.loops.iter().filter(|l| l.id == l.group && works(facts, l));
    let inside: Vec<&LoopFacts> = scalar.filter(|l| facts.ancestors(l).any(|a| a.id == outer.id)).collect();
    let hindered = || inside.iter().filter(|l| is_hindered(facts, l));
    // One recommendation for the outer loop, about the hottest of those inside.
    let hottest = hindered().max_by(|a, b| a.group_share.total_cmp(&b.group_share).then(b.id.cmp(&a.id)))?;
    let part: f64 = hindered().map(|l| l.group_share).sum();
    if hottest.group != of.group || part < MOST * outer.total_share {
        return None;
    }
    let share: f64 = inside.iter().map(|l| l.group_share).sum();
    let parts: Vec<(f64, Gain)> = inside
        .iter()
        .filter_map(|l| Some((l.group_share / share, gain::vectorise_across(facts, l)?.gain)))
        .collect();
    let all = together(&parts).hedged(estimates::SEEN);
    if all.likely() < LEAST_GAIN {
        return None;
    }
    let counted = of.trip_count.as_ref();
    let mut new = facts.about_loop(&RULE, of).named(
        "reshape-nest",
        "Run several iterations of the loop around in the lanes of a vector: make it the inner loop",
    );
    if let (Some(inner), Some(entries), Some(long)) =
        (iterations(of), counted.and_then(|t| t.entries), iterations(outer))
    {
        let around = Some((outer.place(), long));
        new = new.because(Provenance::Counted, Trips::RunsPerEntry { iterations: inner, entries, around });
    }
    new = new.because(
        Provenance::Counted,
        Dependences::NoFlow { place: outer.place(), reused, checked: Checked::from(seen) },
    );
    if let Some(better) = better {
        new = new.because(Provenance::Counted, Dependences::ConsecutiveAlong { place: better.place() });
    }
    Some(
        new.because(Provenance::Modelled, Expected::up_to(Change::VectorArithmetic, all.high()))
            .gain(share, all)
            .confidence(match (better, seen.exhaustive) {
                (Some(_), _) => Confidence::Low,
                (None, true) => Confidence::High,
                (None, false) => Confidence::Medium,
            })
            .how(vectorising::with_vector_flags(how!(RULE))),
    )
}

/// Part of the loop's accesses that move by one element from one iteration of a loop around to the next.
fn along(facts: &Facts, of: &LoopFacts, around: &LoopFacts) -> f64 {
    let Some(traced) = facts.traced(of) else { return 0.0 };
    let all = executions(to_arrays(traced)).max(1.0);
    let by_one = |a: &AccessFacts| {
        stride_over(a, around).is_some_and(|bytes| bytes.unsigned_abs() == u64::from(a.element_bytes))
    };
    executions(to_arrays(traced).filter(|a| by_one(a))) / all
}

/// Scalar floating-point work that vectors could do.
fn works(facts: &Facts, of: &LoopFacts) -> bool {
    let scalar = of.innermost && !of.vectorized && of.instruction_mix.fp_scalar > 0;
    scalar && of.calls.is_empty() && of.idiom.is_none() && facts.rebuildable(of)
}

/// Its own loop cannot put it into vectors, and another order of the loops can.
fn is_hindered(facts: &Facts, of: &LoopFacts) -> bool {
    if !works(facts, of) {
        return false;
    }
    // Compilers copy the end of a loop: only a check shows whether the data decides about a second exit.
    let seen = facts.dependence(of);
    if seen.map_or(of.exits > 1, |d| !d.early_exits.is_empty()) {
        return false;
    }
    let waits = of.chains.iter().any(|c| matches!(c.kind, ChainKind::Recurrence | ChainKind::InOrderSum));
    let carries = seen.is_some_and(|d| d.vector == VectorVerdict::Unsafe);
    waits || carries || iterations(of).is_some_and(|n| n < SHORT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{carried, chain, checked, fired, in_nest, states, traced};
    use loopwright_analysis::model::{Analysis, ParallelVerdict};
    use loopwright_patterns::facts::DependenceKind;

    /// A recurrence over 50 levels in a loop over 1000 columns, and what was found between the columns.
    fn columns(found: &[DependenceKind]) -> Analysis {
        let nest = in_nest(50, 1000, |l, outer| {
            l.chains = vec![chain(ChainKind::Recurrence, "xmm1", 17)];
            outer.total_share = 0.6;
            checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
            let parallel =
                if found.is_empty() { ParallelVerdict::Independent } else { ParallelVerdict::Dependent };
            checked(outer, VectorVerdict::Unsafe, parallel);
            let seen = outer.dependence.as_mut().unwrap();
            seen.found = found.iter().map(|kind| carried(*kind, 1)).collect();
        });
        traced(nest.loops)
    }

    #[test]
    fn fires_where_work_arrays_are_all_that_iterations_share() {
        let r = fired(&RULE, &columns(&[DependenceKind::Anti, DependenceKind::Output])).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("reshape-nest", Confidence::Medium));
        assert!(states!(r, Dependences::NoFlow { reused: true, .. }), "{:?}", r.said());
        assert!(r.loop_gain.unwrap().likely() > 1.2, "{:?}", r.loop_gain);
        let r = fired(&RULE, &columns(&[])).unwrap();
        assert!(states!(r, Dependences::NoFlow { reused: false, .. }), "{:?}", r.said());
    }

    #[test]
    fn silent_where_an_iteration_reads_what_another_wrote_or_the_inner_loop_fills_vectors() {
        assert!(fired(&RULE, &columns(&[DependenceKind::Flow])).is_none());
        let mut analysis = columns(&[]);
        analysis.loops[0].chains.clear();
        checked(&mut analysis.loops[0], VectorVerdict::Safe, ParallelVerdict::Independent);
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn silent_where_the_loop_around_is_short_or_iterations_end_by_data() {
        let mut analysis = columns(&[]);
        analysis.loops[1].trip_count.as_mut().unwrap().mean = Some(4.0);
        analysis.loops[1].trip_count.as_mut().unwrap().source_mean = Some(4.0);
        assert!(fired(&RULE, &analysis).is_none());
        let mut analysis = columns(&[]);
        let end = loopwright_analysis::model::DependenceEnd::default();
        analysis.loops[0].dependence.as_mut().unwrap().early_exits = vec![end];
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn a_loop_along_which_the_arrays_are_consecutive_is_the_better_one() {
        use crate::fixtures::{access, of_array, outer, trace};
        use loopwright_patterns::facts::AccessKind;
        let mut analysis = columns(&[]);
        let load = of_array(access("t[k][j][i]", AccessKind::Load, 8, 48), 0, 1600, 0.2);
        let mut further = analysis.loops[1].clone();
        (further.id, further.group, further.line, further.children) = (3, 3, Some(7), vec![2]);
        further.dependence = None;
        analysis.loops[1].parent = Some(3);
        trace(&mut analysis.loops[0], vec![outer(outer(load, 2, 1920), 3, 8)]);
        analysis.loops.push(further);
        let r = fired(&RULE, &analysis).unwrap();
        assert!(
            states!(r, Dependences::ConsecutiveAlong { place } if place.ends_with(":7")),
            "{:?}",
            r.said()
        );
        assert_eq!(r.confidence, Confidence::Low);
    }

    #[test]
    fn silent_without_a_check_of_the_loop_around() {
        let mut analysis = columns(&[]);
        analysis.loops[1].dependence = None;
        assert!(fired(&RULE, &analysis).is_none());
    }
}
