//! Which loop of the nest should be the inner one, from strides that a tracing run saw over each of them.
//!
//! The order is judged by cache lines per iteration, as compilers that interchange loops do (McKinley, Carr, Tseng,
//! *Improving data locality with loop transformations*, TOPLAS 18(4), 1996: LoopCost): an access that stays in place
//! costs no new line, one that moves by s bytes costs s / line of one, at most a whole one. What the better order saves
//! of the lines counts for as much of the time as goes to traffic.

use super::{INTERCHANGE_LOOPS, RULE};
use crate::counted::LEAST_GAIN;
use crate::evidence::{Dependences, Memory, Operand, OuterMove, Stride};
use crate::prelude::*;
use crate::traced::{executions, to_arrays};
use crate::traffic::{Delivery, traffic};
use loopwright_analysis::model::{AccessFacts, DependenceFacts, OuterStride, StridePattern};
use loopwright_analysis::place::base_name;

/// The better order must touch this many times fewer lines: exchanging loops is work.
const CLEARLY_FEWER: f64 = 1.5;
/// Cost of an access that moves by the element in lines, the best of those that move: what is left at least.
const LEAST_COST: f64 = 0.01;

/// A page of x86-64: what the TLB and the prefetchers reach over.
const PAGE_BYTES: f64 = 4096.0;

pub(super) fn check(facts: &Facts, of: &LoopFacts, traced: &LoopFacts) -> Option<Recommendation> {
    let accesses: Vec<&AccessFacts> = to_arrays(traced).collect();
    let line = facts.line_bytes();
    let now = cost(&accesses, |a| own_cost(a, line));
    // The loops around, by their place in the lists of strides: innermost first, the same loops for all accesses.
    let depth = accesses.iter().map(|a| a.outer.len()).max()?;
    let candidates = (0..depth).filter_map(|k| {
        let around = accesses.iter().find_map(|a| a.outer.get(k))?;
        let then = cost(&accesses, |a| same_loop(a, around).map_or(1.0, |o| outer_cost(o, a, line)));
        (inside_function(facts, of, around) && now >= CLEARLY_FEWER * then.max(LEAST_COST))
            .then_some((around, then))
    });
    let (around, then) = candidates.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let dependence = around.loop_id.and_then(|id| facts.loop_by_id(id)).and_then(|l| l.dependence.as_ref());
    // Carried by both loops, in opposite directions, a dependence forbids the exchange; which direction it had in the inner
    // loop is not known of one that the outer loop carries.
    let carries = |l: &LoopFacts| {
        let carried =
            |d: &DependenceFacts| !d.early_exits.is_empty() || d.found.iter().any(|d| !d.privatisable);
        l.dependence.as_ref().is_some_and(carried)
    };
    // Iterations that the data ends run in their order or not at all.
    let ends_early = |l: &LoopFacts| l.dependence.as_ref().is_some_and(|d| !d.early_exits.is_empty());
    let outer_loop = around.loop_id.and_then(|id| facts.loop_by_id(id));
    if outer_loop.is_some_and(carries) || ends_early(of) {
        return None;
    }
    let fewer = (now / then.max(LEAST_COST)).min(estimates::MOST_LINES);
    let jumping: Vec<&AccessFacts> = accesses
        .iter()
        .copied()
        .filter(|a| own_cost(a, line) >= 0.5 && a.pattern == StridePattern::Constant)
        .collect();
    // What stays in place over the other loop needs no other order, only a register.
    let shorter = |a: &&AccessFacts| {
        let bytes = same_loop(a, around).and_then(|o| o.stride_bytes).unwrap_or(0).unsigned_abs();
        bytes > 0 && bytes < a.stride_bytes.unwrap_or(0).unsigned_abs()
    };
    if !jumping.iter().any(shorter) {
        return None;
    }
    let traffic = traffic(facts, traced);
    let pages = |of: &dyn Fn(&AccessFacts) -> f64| cost(&accesses, of).max(f64::MIN_POSITIVE);
    let page_now = pages(&|a| own_cost(a, PAGE_BYTES));
    let page_then = pages(&|a| same_loop(a, around).map_or(1.0, |o| outer_cost(o, a, PAGE_BYTES)));
    // What is left is fetched in order, which prefetchers hide in part.
    let saved = |hidden: f64| {
        move |d: &Delivery| {
            let left = if d.from == "page table" { page_then / page_now } else { 1.0 / (fewer * hidden) };
            1.0 - left.min(1.0)
        }
    };
    let rest = vectorised(facts, of);
    let gain = Gain::between(
        traffic.gain(saved(1.0), rest).low(),
        traffic.gain(saved(estimates::PREFETCHED), rest).high(),
    )
    .capped(estimates::MOST_LINES);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            INTERCHANGE_LOOPS,
            format!("Exchange this loop with the one at {}: its strides are shorter", around.place),
        )
        .because(
            Provenance::Counted,
            Memory::Strided {
                operands: Operand::of_all(jumping.iter().copied()),
                stride: Stride::of(jumping[0]),
                used: None,
                outer: Some(over(jumping[0], around)),
                extent: facts.extent(traced),
            },
        )
        .because(Provenance::Modelled, Memory::LinesPerIteration { now, then });
    let legal = dependence.is_some();
    new = if legal {
        new.because(Provenance::Counted, Dependences::NoneThroughMemory { place: around.place.clone() })
    } else {
        outer_loop.map_or_else(|| new.clone(), |l| facts.asking_for_dependences(new.clone(), l))
    };
    let confidence = if legal || traffic.timed { Confidence::High } else { Confidence::Medium };
    Some(new.gain(of.group_share, gain).confidence(confidence).how(how!(RULE)))
}

/// Lines per iteration, the mean over the executions of the accesses summed up.
fn cost(accesses: &[&AccessFacts], of: impl Fn(&AccessFacts) -> f64) -> f64 {
    let all = executions(accesses.iter().copied());
    let most = accesses.iter().map(|a| a.executions as f64).fold(0.0, f64::max);
    if all <= 0.0 { 0.0 } else { accesses.iter().map(|a| of(a) * a.executions as f64).sum::<f64>() / most }
}

fn of_stride(bytes: Option<i64>, line: f64) -> f64 {
    bytes.map_or(1.0, |b| (b.unsigned_abs() as f64 / line).min(1.0))
}

fn own_cost(access: &AccessFacts, line: f64) -> f64 {
    match access.pattern {
        StridePattern::Uniform => 0.0,
        StridePattern::Variable => 1.0 - access.same_line_share.clamp(0.0, 1.0),
        StridePattern::Unit | StridePattern::Constant => of_stride(access.stride_bytes, line),
    }
}

fn outer_cost(outer: &OuterStride, access: &AccessFacts, line: f64) -> f64 {
    match outer.pattern {
        StridePattern::Uniform => 0.0,
        StridePattern::Variable => 1.0,
        StridePattern::Unit => of_stride(outer.stride_bytes.or(Some(i64::from(access.element_bytes))), line),
        StridePattern::Constant => of_stride(outer.stride_bytes, line),
    }
}

/// The stride of an access over a loop around.
fn same_loop<'l>(access: &'l AccessFacts, around: &OuterStride) -> Option<&'l OuterStride> {
    access.outer.iter().find(|o| o.loop_id == around.loop_id && o.place == around.place)
}

fn over(access: &AccessFacts, around: &OuterStride) -> OuterMove {
    let bytes = same_loop(access, around).and_then(|o| o.stride_bytes);
    let one_element = bytes.is_some_and(|bytes| bytes.unsigned_abs() == u64::from(access.element_bytes));
    OuterMove { place: around.place.clone(), bytes, one_element }
}

/// Loops of a calling function cannot be exchanged without moving code between functions first. Loops that are not
/// listed are judged by their place.
fn inside_function(facts: &Facts, of: &LoopFacts, around: &OuterStride) -> bool {
    match around.loop_id.and_then(|id| facts.loop_by_id(id)) {
        Some(l) => l.function == of.function && l.module == of.module && l.group != of.group,
        None => of.file.as_deref().is_some_and(|f| around.place.starts_with(base_name(f))),
    }
}

/// With consecutive elements a scalar loop may be vectorised as well, which is the upper end only.
fn vectorised(facts: &Facts, of: &LoopFacts) -> Gain {
    let compiled = facts.loop_by_id(of.id).is_some_and(|l| !facts.unoptimised(l));
    if !compiled || of.vectorized {
        return Gain::NONE;
    }
    gain::vectorise_consecutive(facts, of).map_or(Gain::NONE, |e| Gain::up_to(e.gain.high()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, carried, checked, count, fired, in_caches, near, outer, scalar_loop, states, trace, traced,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_patterns::facts::{AccessKind, DependenceKind};

    const ROW: i64 = 8000;

    /// `for (j) for (i) a[i][j] = b[i][j] * s[j]` in C: rows of 1000 doubles.
    fn columns(inner: &mut LoopFacts) {
        let matrix = |name: &str, kind| outer(access(name, kind, 8, ROW / 8), 2, 8);
        trace(
            inner,
            vec![
                matrix("b[i][j]", AccessKind::Load),
                outer(access("s[j]", AccessKind::Load, 8, 0), 2, 8),
                matrix("a[i][j]", AccessKind::Store),
            ],
        );
        in_caches(inner, [(667.0, 2.0), (667.0, 2.0), (80.0, 0.25)]);
        count(inner, 1000, 1000);
        (inner.parent, inner.self_seconds) = (Some(2), 0.006);
    }

    fn nest(
        change_inner: impl FnOnce(&mut LoopFacts),
        change_outer: impl FnOnce(&mut LoopFacts),
    ) -> Analysis {
        let inner = scalar_loop(|l| {
            columns(l);
            change_inner(l);
        });
        let around = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share, l.line) = (2, 2, false, 0.0, Some(2));
            change_outer(l);
        });
        traced(vec![inner, around])
    }

    #[test]
    fn a_walk_down_columns_is_exchanged() {
        let r = fired(&RULE, &nest(|_| (), |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("interchange-loops", Confidence::High));
        assert!(r.title.contains("the one at kernel.c:2"));
        assert!(
            states!(r, Memory::Strided { operands, stride: Stride { elements: Some(1000), .. }, outer: Some(OuterMove { place, one_element: true, .. }), .. } if operands.len() == 2 && place == "kernel.c:2"),
            "{:?}",
            r.said()
        );
        assert!(
            states!(r, Memory::LinesPerIteration { now, then } if near(*now, 2.0) && near(*then, 0.375)),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.2 && gain.high() <= estimates::MOST_LINES, "{gain:?}");
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 2"), "the outer loop decides");
    }

    /// 2000 rows of 2000 doubles walked down by columns took 36 to 41 ns per element on a core of an EPYC in a virtual machine,
    /// and 10.5 to 12.8 times less in the other order.
    #[test]
    fn what_was_measured_lies_in_the_range() {
        let analysis = nest(
            |l| {
                in_caches(l, [(667.0, 2.0), (84.0, 0.25), (84.0, 0.25)]);
                crate::fixtures::tlb(l, 2.0, 2.0);
                l.vectorized = true;
                l.self_seconds = 38e-9 * 1e6;
            },
            |_| (),
        );
        let gain = fired(&RULE, &analysis).unwrap().loop_gain.unwrap();
        assert!(
            gain.low() > 1.2
                && gain.low() < 10.5
                && gain.high() > 12.8
                && gain.high() <= estimates::MOST_LINES,
            "{gain:?}"
        );
    }

    #[test]
    fn structures_in_the_wrong_order_are_exchanged_too_and_said_once() {
        let r = nest(
            |l| {
                let component = |name: &str| outer(access(name, AccessKind::Load, 8, 12), 2, 8);
                trace(l, vec![component("a[i][k]"), component("b[i][k]")]);
            },
            |_| (),
        );
        let all = crate::advise(&r);
        let ids: Vec<&str> = all.iter().filter(|r| r.loop_id == Some(1)).map(|r| r.id.as_str()).collect();
        assert!(ids.contains(&"interchange-loops") && !ids.contains(&"array-of-structures"), "{ids:?}");
    }

    #[test]
    fn dependences_are_heard() {
        let free = nest(|_| (), |l| checked(l, VectorVerdict::Safe, ParallelVerdict::Independent));
        let r = fired(&RULE, &free).unwrap();
        assert!(r.next.is_none() && states!(r, Dependences::NoneThroughMemory { .. }));
        let bound = nest(
            |_| (),
            |l| {
                checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
                l.dependence.as_mut().unwrap().found = vec![carried(DependenceKind::Flow, 1)];
            },
        );
        assert!(fired(&RULE, &bound).is_none());
    }

    #[test]
    fn the_right_order_transposes_and_other_functions_stay() {
        let rows =
            |l: &mut LoopFacts| trace(l, vec![outer(access("a[i][j]", AccessKind::Load, 8, 1), 2, ROW)]);
        assert!(fired(&RULE, &nest(rows, |_| ())).is_none());
        let transpose = |l: &mut LoopFacts| {
            let down = outer(access("a[i][j]", AccessKind::Load, 8, ROW / 8), 2, 8);
            let along = outer(access("b[j][i]", AccessKind::Store, 8, 1), 2, ROW);
            trace(l, vec![down, along]);
        };
        assert!(fired(&RULE, &nest(transpose, |_| ())).is_none(), "one order is as good as the other");
        let again = |l: &mut LoopFacts| trace(l, vec![outer(access("p[i].x", AccessKind::Load, 8, 8), 2, 0)]);
        assert!(fired(&RULE, &nest(again, |_| ())).is_none(), "the same column each time");
        assert!(fired(&RULE, &nest(|_| (), |l| l.function = "caller".into())).is_none());
    }

    #[test]
    fn nothing_is_won_in_l1_by_a_loop_that_cannot_be_vectorised_or_without_outer_strides() {
        let small = nest(
            |l| {
                in_caches(l, [(0.1, 0.0), (0.0, 0.0), (0.0, 0.0)]);
                l.vectorized = true;
            },
            |_| (),
        );
        assert!(fired(&RULE, &small).is_none());
        let alone = nest(|l| l.access.iter_mut().for_each(|a| a.outer.clear()), |_| ());
        assert!(fired(&RULE, &alone).is_none());
    }
}
