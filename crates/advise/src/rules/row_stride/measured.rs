//! Which loop of the nest should be the inner one, from strides that a tracing run saw over each of them.
//!
//! The order is judged by cache lines per iteration, as compilers that interchange loops do (McKinley, Carr, Tseng,
//! *Improving data locality with loop transformations*, TOPLAS 18(4), 1996: LoopCost): an access that stays in place
//! costs no new line, one that moves by s bytes costs s / line of one, at most a whole one. What the better order saves
//! of the lines counts for as much of the time as goes to traffic.

use super::callers::{calling, usual_stride};
use super::legality::{Legality, legality};
use super::{INTERCHANGE_LOOPS, RULE};
use crate::counted::LEAST_GAIN;
use crate::evidence::{Dependences, Memory, Operand, OuterMove, Stride};
use crate::prelude::*;
use crate::traced::{executions, to_arrays};
use crate::traffic::{Delivery, Supplier, nanoseconds_per_iteration, traffic};
use loopwright_analysis::model::{AccessFacts, OuterStride, StridePattern, VectorVerdict};
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::{CarriedChain, ChainKind};

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
        let then = cost(&accesses, |a| {
            same_loop(a, around).map_or(1.0, |o| outer_cost(o, a, line, unrolled(facts, o)))
        });
        let reach = inside_function(facts, of, around) || calling(facts, of, around).is_some();
        (reach && now >= CLEARLY_FEWER * then.max(LEAST_COST)).then_some((around, then))
    });
    let best = candidates.min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((around, then)) = best else {
        return if depth == 0 { by_pages(facts, of, traced, &accesses) } else { None };
    };
    let outer_loop = around.loop_id.and_then(|id| facts.loop_by_id(id));
    let caller = calling(facts, of, around);
    let legality = legality(facts, of, &accesses, Some(around), outer_loop, caller.is_some());
    if legality == Legality::Forbidden {
        return None;
    }
    let fewer = (now / then.max(LEAST_COST)).min(estimates::MOST_LINES);
    let jumping: Vec<&AccessFacts> =
        accesses.iter().copied().filter(|a| own_cost(a, line) >= 0.5 && usual_stride(a).is_some()).collect();
    // What stays in place over the other loop needs no other order, only a register.
    let shorter = |a: &&AccessFacts| {
        let bytes = same_loop(a, around).and_then(|o| o.stride_bytes).unwrap_or(0).unsigned_abs();
        bytes > 0 && bytes < usual_stride(a).unwrap_or(0).unsigned_abs()
    };
    if !jumping.iter().any(shorter) {
        return None;
    }
    let traffic = traffic(facts, traced);
    let pages = |of: &dyn Fn(&AccessFacts) -> f64| cost(&accesses, of).max(f64::MIN_POSITIVE);
    let page_now = pages(&|a| own_cost(a, PAGE_BYTES));
    let page_then =
        pages(&|a| same_loop(a, around).map_or(1.0, |o| outer_cost(o, a, PAGE_BYTES, unrolled(facts, o))));
    // What is left is fetched in order, which prefetchers hide in part.
    let saved = |hidden: f64| {
        move |d: &Delivery| {
            let left =
                if d.from == Supplier::PageTable { page_then / page_now } else { 1.0 / (fewer * hidden) };
            1.0 - left.min(1.0)
        }
    };
    // Lines of a recurrence each have one of their own: none waits for another.
    let rest = if caller.is_some() {
        let lanes = gain::vectorise_across(facts, of).map_or(1.0, |e| e.gain.high());
        let own = of_instructions(facts, of);
        Gain::between(own.low(), own.high().max(lanes).min(estimates::MOST_LINES))
    } else {
        vectorised(facts, of)
    };
    let gain = Gain::between(
        traffic.gain(saved(1.0), rest).low(),
        traffic.gain(saved(estimates::PREFETCHED), rest).high(),
    )
    .capped(estimates::MOST_LINES);
    let gain = Gain::between(gain.low().min(of_instructions(facts, of).low()), gain.high());
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            INTERCHANGE_LOOPS,
            if caller.is_some() {
                format!(
                    "Move the loop at {} into the function that it calls, as its inner loop: its strides are shorter",
                    around.place
                )
            } else {
                format!("Exchange this loop with the one at {}: its strides are shorter", around.place)
            },
        )
        .because(
            Provenance::Counted,
            Memory::Strided {
                operands: Operand::of_all(jumping.iter().copied()),
                stride: match jumping[0].pattern {
                    StridePattern::Variable => Stride::usual(jumping[0], usual_stride(jumping[0])?),
                    _ => Stride::of(jumping[0]),
                },
                used: None,
                outer: Some(over(facts, jumping[0], around)),
                extent: facts.extent(traced),
            },
        )
        .because(Provenance::Modelled, Memory::LinesPerIteration { now, then, tiles: false });
    new = match legality {
        Legality::Free => {
            new.because(Provenance::Counted, Dependences::NoneThroughMemory { place: around.place.clone() })
        }
        Legality::Kept => {
            new.because(Provenance::Counted, Dependences::SameElement { place: around.place.clone() })
        }
        _ => outer_loop.map_or_else(|| new.clone(), |l| facts.asking_for_dependences(new.clone(), l)),
    };
    let confidence = match legality {
        Legality::Free | Legality::Kept => Confidence::High,
        _ => Confidence::Medium,
    };
    Some(new.gain(of.group_share, gain).confidence(confidence).how(super::how(caller.is_some())))
}

/// One iteration of the loop around is longer than what was traced in one piece, so that strides over it are not known: long strides
/// in all that moves show a walk across rows. That the loop around walks along them is likely, not seen.
fn by_pages(
    facts: &Facts,
    of: &LoopFacts,
    traced: &LoopFacts,
    accesses: &[&AccessFacts],
) -> Option<Recommendation> {
    let outer = facts.around(of).filter(|l| l.function == of.function && l.children.len() == 1)?;
    let moving = || accesses.iter().filter(|a| a.pattern != StridePattern::Uniform);
    let bytes = |a: &AccessFacts| a.stride_bytes.unwrap_or(0).unsigned_abs();
    let rows = |a: &&&AccessFacts| a.pattern == StridePattern::Constant && bytes(a) as f64 >= PAGE_BYTES;
    let longest = moving().map(|a| bytes(a)).max()?;
    let legality = legality(facts, of, accesses, None, Some(outer), false);
    if !moving().all(|a| rows(&a)) || legality == Legality::Forbidden {
        return None;
    }
    let left = |a: &AccessFacts| f64::from(a.element_bytes.max(1)) / facts.line_bytes();
    let left = moving().map(|a| left(a)).fold(0.0, f64::max);
    let gain =
        traffic(facts, traced).gain(|_| 1.0 - left, vectorised(facts, of)).capped(estimates::MOST_LINES);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let operands = moving().count();
    let new = facts
        .about_loop(&RULE, of)
        .named(INTERCHANGE_LOOPS, "Exchange the loops, so that the inner one walks along memory")
        .because(Provenance::Counted, Memory::AdvancesByPages { operands, of: operands, longest })
        .gain(of.group_share, gain.at_most())
        .confidence(if legality == Legality::Open { Confidence::Low } else { Confidence::Medium })
        .how(super::how(false));
    Some(facts.asking_for_dependences(new, outer))
}

/// What is left of an iteration when all its data is near: its instructions, with a load and a store for each sum that the exchanged
/// loop keeps in an array. Chains of sums are gone then.
pub(in crate::rules) fn of_instructions(facts: &Facts, of: &LoopFacts) -> Gain {
    let core = facts.core();
    let now = facts.clock_ghz().zip(nanoseconds_per_iteration(facts, of)).map(|(ghz, ns)| ghz * ns);
    let Some(now) = now.filter(|_| of.innermost && of.calls.is_empty()) else {
        return Gain::of(estimates::LARGEST_GAIN);
    };
    // A sum that each iteration writes back looks like a recurrence; a trace that found none shows what it is.
    let traced_sums = facts
        .dependence(of)
        .is_some_and(|d| matches!(d.vector, VectorVerdict::Safe | VectorVerdict::SafeWithReductions));
    let sum = |c: &&CarriedChain| match c.kind {
        ChainKind::InOrderSum | ChainKind::VectorReduction => true,
        ChainKind::Recurrence => traced_sums,
        _ => false,
    };
    let sums = of.chains.iter().filter(sum).count() as f64;
    let others = of.chains.iter().filter(|c| !sum(c) && c.kind != ChainKind::Induction);
    let mut after = of.iteration();
    after.instructions += 2.0 * sums;
    after.loads += sums;
    after.stores += sums;
    after.chain = others.map(|c| f64::from(c.latency_cycles)).fold(0.0, f64::max);
    let bits = of.vector.as_ref().filter(|_| of.vectorized).map_or(0, |v| v.bits);
    Gain::of(now / after.cycles(core, bits).max(1.0)).hedged(estimates::SEEN)
}

/// Lines per iteration, the mean over the executions of the accesses summed up.
fn cost(accesses: &[&AccessFacts], of: impl Fn(&AccessFacts) -> f64) -> f64 {
    let all = executions(accesses.iter().copied());
    let most = accesses.iter().map(|a| a.executions as f64).fold(0.0, f64::max);
    if all <= 0.0 { 0.0 } else { accesses.iter().map(|a| of(a) * a.executions as f64).sum::<f64>() / most }
}

pub(in crate::rules) fn of_stride(bytes: Option<i64>, line: f64) -> f64 {
    bytes.map_or(1.0, |b| (b.unsigned_abs() as f64 / line).min(1.0))
}

fn own_cost(access: &AccessFacts, line: f64) -> f64 {
    match access.pattern {
        StridePattern::Uniform => 0.0,
        StridePattern::Variable => 1.0 - access.same_line_share.clamp(0.0, 1.0),
        StridePattern::Unit | StridePattern::Constant => of_stride(access.stride_bytes, line),
    }
}

fn outer_cost(outer: &OuterStride, access: &AccessFacts, line: f64, unrolled: i64) -> f64 {
    match outer.pattern {
        StridePattern::Uniform => 0.0,
        StridePattern::Variable => 1.0,
        StridePattern::Unit => of_stride(outer.stride_bytes.or(Some(i64::from(access.element_bytes))), line),
        StridePattern::Constant => of_stride(outer.stride_bytes.map(|b| b / unrolled), line),
    }
}

/// Iterations as written that one of the machine's does in a loop around, where it is unrolled over the inner loops.
fn unrolled(facts: &Facts, outer: &OuterStride) -> i64 {
    let of = outer.loop_id.and_then(|id| facts.loop_by_id(id)).and_then(|l| l.trip_count.as_ref());
    of.and_then(|t| t.source_factor).map_or(1, |factor| i64::from(factor.max(1)))
}

/// The stride of an access over a loop around.
pub(super) fn same_loop<'l>(access: &'l AccessFacts, around: &OuterStride) -> Option<&'l OuterStride> {
    access.outer.iter().find(|o| o.loop_id == around.loop_id && o.place == around.place)
}

pub(in crate::rules) fn over(facts: &Facts, access: &AccessFacts, around: &OuterStride) -> OuterMove {
    let step = |o: &OuterStride| o.stride_bytes.map(|b| b / unrolled(facts, o));
    let bytes = same_loop(access, around).and_then(step);
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
        assert_eq!((r.id.as_str(), r.confidence), ("interchange-loops", Confidence::Medium));
        assert!(r.title.contains("the one at kernel.c:2"));
        assert!(
            states!(r, Memory::Strided { operands, stride: Stride { elements: Some(1000), .. }, outer: Some(OuterMove { place, one_element: true, .. }), .. } if operands.len() == 2 && place == "kernel.c:2"),
            "{:?}",
            r.said()
        );
        assert!(
            states!(r, Memory::LinesPerIteration { now, then, .. } if near(*now, 2.0) && near(*then, 0.375)),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.2 && gain.high() <= estimates::MOST_LINES, "{gain:?}");
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 2"), "the outer loop decides");
    }

    /// The same walk in a function that the loop around calls, sometimes also along the rows.
    #[test]
    fn a_function_that_is_called_for_each_column_takes_all_of_them() {
        let columns = |target: &'static str| {
            let mut analysis = nest(
                |l| {
                    l.function = "column".into();
                    for access in l.access.iter_mut().filter(|a| a.pattern == StridePattern::Constant) {
                        (access.pattern, access.stride_bytes) = (StridePattern::Variable, None);
                        (access.distribution, access.same_line_share) = (vec![(ROW, 0.8), (8, 0.2)], 0.2);
                    }
                },
                |l| l.calls = vec![crate::fixtures::call(Some(target))],
            );
            analysis.functions = vec![];
            fired(&RULE, &analysis)
        };
        let r = columns("column").unwrap();
        assert!(r.title.starts_with("Move the loop at kernel.c:2 into the function"), "{}", r.title);
        assert!(r.how.text.contains("all lines at once"), "{}", r.how.text);
        assert!(
            r.said().iter().any(|said| said.contains("1000 elements of 8 bytes per iteration, as a rule"))
        );
        assert!(columns("other").is_none());
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
        let unseen = nest(|_| (), |l| checked(l, VectorVerdict::Unknown, ParallelVerdict::Unknown));
        let r = fired(&RULE, &unseen).unwrap();
        assert!(r.confidence == Confidence::Medium && !states!(r, Dependences::NoneThroughMemory { .. }));
    }

    /// `for (k) for (i) c[i][0] += a[i][k] * b[k]`: each k adds to the same column.
    fn adding(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let sum = |l: &mut LoopFacts| {
            let c = |kind| {
                let mut a = outer(access("c[i][0]", kind, 8, ROW / 8), 2, 0);
                (a.array, a.addresses) = (Some(3), vec![format!("{kind:?}")]);
                a
            };
            trace(
                l,
                vec![
                    outer(access("a[i][k]", AccessKind::Load, 8, ROW / 8), 2, 8),
                    c(AccessKind::Load),
                    c(AccessKind::Store),
                ],
            );
            in_caches(l, [(667.0, 2.0), (667.0, 2.0), (80.0, 0.25)]);
            change(l);
        };
        nest(sum, |l| {
            checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent);
            let mut found = carried(DependenceKind::Flow, 1);
            (found.source.address, found.sink.address) = ("Store".into(), "Load".into());
            l.dependence.as_mut().unwrap().found = vec![found];
        })
    }

    #[test]
    fn a_dependence_on_the_same_inner_iteration_is_kept_by_either_order() {
        let r = fired(&RULE, &adding(|_| ())).unwrap();
        assert!(states!(r, Dependences::SameElement { place } if place == "kernel.c:2"), "{:?}", r.said());
        let neighbour = |l: &mut LoopFacts| l.access[1].offset_bytes = Some(-ROW);
        assert!(fired(&RULE, &adding(neighbour)).is_none(), "(<,>)");
        let moves = |l: &mut LoopFacts| {
            l.access[2].outer[0].pattern = StridePattern::Unit;
        };
        assert!(fired(&RULE, &adding(moves)).is_none(), "another inner iteration");
        let behind = |l: &mut LoopFacts| l.access[1].addresses = vec!["elsewhere".into()];
        assert!(fired(&RULE, &adding(behind)).is_none(), "code beside the inner loop reads it");
    }

    #[test]
    fn a_loop_around_that_is_unrolled_moves_by_its_copies() {
        let by_four = |l: &mut LoopFacts| {
            for o in l.access.iter_mut().flat_map(|a| &mut a.outer) {
                (o.pattern, o.stride_bytes) = (StridePattern::Constant, Some(32));
            }
        };
        let lines = |factor| {
            let unrolled = |l: &mut LoopFacts| {
                count(l, 1, 250);
                l.trip_count.as_mut().unwrap().source_factor = factor;
            };
            fired(&RULE, &nest(by_four, unrolled))
        };
        assert!(lines(None).is_none(), "half a line each time");
        let r = lines(Some(4)).unwrap();
        assert!(states!(r, Memory::LinesPerIteration { then, .. } if near(*then, 0.375)), "{:?}", r.said());
    }

    #[test]
    fn the_instructions_are_left_at_the_careful_end() {
        let now = fired(&RULE, &nest(|_| (), |_| ())).unwrap().loop_gain.unwrap();
        let sums = fired(&RULE, &nest(|l| l.instructions = 60, |_| ())).unwrap().loop_gain.unwrap();
        assert!(sums.low() < now.low(), "{sums:?} {now:?}");
    }

    #[test]
    fn without_strides_over_the_loop_around_pages_in_all_that_moves_are_a_hint() {
        let far = |l: &mut LoopFacts| {
            l.access.iter_mut().for_each(|a| a.outer.clear());
            l.parent = Some(2);
        };
        let with_child = |l: &mut LoopFacts| l.children = vec![1];
        let r = fired(&RULE, &nest(far, with_child)).unwrap();
        assert_eq!((r.confidence, r.loop_gain.unwrap().low()), (Confidence::Low, 1.0));
        assert!(states!(r, Memory::AdvancesByPages { operands: 2, of: 2, longest: 8000 }), "{:?}", r.said());
        let neighbours = |l: &mut LoopFacts| {
            far(l);
            l.access.iter_mut().for_each(|a| a.array = Some(1));
            l.access[2].offset_bytes = Some(8);
        };
        assert!(fired(&RULE, &nest(neighbours, with_child)).is_none(), "rows read what others wrote");
        let mixed = |l: &mut LoopFacts| {
            far(l);
            l.access[1] = access("s[i]", AccessKind::Load, 8, 1);
        };
        assert!(fired(&RULE, &nest(mixed, with_child)).is_none(), "one order is as good as the other");
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
