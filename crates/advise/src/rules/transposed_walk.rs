//! Nests in which one access walks along memory and another across it, whichever loop is inside: both loops are cut into tiles.

use super::row_stride::{self, Legality, legality, of_instructions, of_stride, over};
use crate::counted::LEAST_GAIN;
use crate::evidence::{Dependences, Memory, Operand, Stride};
use crate::prelude::*;
use crate::rules::bandwidth_bound;
use crate::traced::to_arrays;
use crate::traffic::{Delivery, Supplier, traffic};
use loopwright_analysis::model::{AccessFacts, OuterStride};

pub(crate) static RULE: Rule = Rule {
    id: "transposed-walk",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("transposed_walk.md")),
};

/// Part of the nearest cache that the lines of one pass may fill and still be there in the next one.
const KEPT: f64 = 0.5;
/// Part of the page walks that tiles save: each page of a tile is looked up once for all of its rows.
const WALKS: f64 = 0.95;

pub(super) fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost {
        return None;
    }
    let traced = facts.traced(of)?;
    let outer = facts.around(of).filter(|l| l.function == of.function)?;
    let line = facts.line_bytes();
    let accesses: Vec<&AccessFacts> = to_arrays(traced).collect();
    let around = |a: &AccessFacts| a.outer.first().filter(|o| o.loop_id == Some(outer.id)).cloned();
    let short = |bytes: i64| bytes != 0 && 2.0 * bytes.unsigned_abs() as f64 <= line;
    let long = |bytes: i64| bytes.unsigned_abs() as f64 >= line;
    let moves = |a: &AccessFacts| Some((a.stride_bytes?, around(a)?.stride_bytes?));
    let find = |fits: &dyn Fn(i64, i64) -> bool| -> Vec<&AccessFacts> {
        accesses.iter().copied().filter(|a| moves(a).is_some_and(|(own, outer)| fits(own, outer))).collect()
    };
    let across = find(&|own, outer| long(own) && short(outer));
    let along = find(&|own, outer| short(own) && long(outer));
    let (first, other) = (*across.first()?, *along.first()?);
    // What a pass touches is still there in the next pass where a cache near by holds it.
    let trips = of.trip_count.as_ref().and_then(|t| t.source_mean.or(t.mean))?;
    let nearest = *facts.machine()?.cache_bytes.first()? as f64;
    if trips * line * across.len() as f64 <= nearest * KEPT {
        return None;
    }
    let found: OuterStride = around(first)?;
    let legality = legality(facts, of, &accesses, Some(&found), Some(outer), false);
    if legality == Legality::Forbidden {
        return None;
    }
    // Lines per iteration: in tiles, accesses across the rows use theirs up as well.
    let own = |a: &AccessFacts| of_stride(a.stride_bytes, line);
    let in_tiles = |a: &AccessFacts| {
        moves(a).map_or_else(|| own(a), |(_, outer)| own(a).min(of_stride(Some(outer), line)))
    };
    let now: f64 = accesses.iter().map(|a| own(a)).sum();
    let tiled: f64 = accesses.iter().map(|a| in_tiles(a)).sum();
    let saved = |d: &Delivery| if d.from == Supplier::PageTable { WALKS } else { 1.0 - tiled / now };
    // With all data near, the instructions are left.
    let least = of_instructions(facts, of);
    let gain = traffic(facts, traced).gain(saved, Gain::NONE).capped(estimates::MOST_LINES.min(least.high()));
    let gain = Gain::between(gain.low().min(least.low()), gain.high());
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let strided = |a: &AccessFacts| Memory::Strided {
        operands: vec![Operand::of(a)],
        stride: Stride::of(a),
        used: None,
        outer: Some(over(facts, a, &found)),
        extent: facts.extent(traced),
    };
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            bandwidth_bound::BLOCK_FOR_CACHE,
            format!("Cut this loop and the one at {} into square tiles: one access walks across the rows of the other", outer.place()),
        )
        .because(Provenance::Counted, strided(first))
        .because(Provenance::Counted, strided(other))
        .because(Provenance::Modelled, Memory::LinesPerIteration { now, then: tiled, tiles: true });
    new = match legality {
        Legality::Free => {
            new.because(Provenance::Counted, Dependences::NoneThroughMemory { place: outer.place() })
        }
        Legality::Kept => new.because(Provenance::Counted, Dependences::SameElement { place: outer.place() }),
        _ => facts.asking_for_dependences(new, outer),
    };
    let sure = if legality == Legality::Open { Confidence::Medium } else { Confidence::High };
    Some(facts.asking_for_counts(new.gain(of.group_share, gain), of).confidence(sure).how(how!(RULE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, checked, count, fired, in_caches, outer, scalar_loop, states, tlb, trace, traced,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_patterns::facts::AccessKind;

    /// `for (y) for (x) out[x][y] = in[y][x]` on 2500 rows of 3500 pixels of 4 bytes.
    fn turned(change: impl Fn(&mut LoopFacts)) -> Analysis {
        let inner = scalar_loop(|l| {
            l.parent = Some(2);
            trace(
                l,
                vec![
                    outer(access("in[y][x]", AccessKind::Load, 4, 1), 2, 14_000),
                    outer(access("out[x][y]", AccessKind::Store, 4, 2500), 2, 4),
                ],
            );
            in_caches(l, [(160.0, 70.0), (150.0, 50.0), (140.0, 45.0)]);
            tlb(l, 1.0, 0.4);
            count(l, 75_000, 3500);
            l.self_seconds = 0.9;
            change(l);
        });
        let around = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share, l.line) = (2, 2, false, 0.0, Some(9));
            count(l, 30, 2500);
        });
        traced(vec![inner, around])
    }

    #[test]
    fn fires_where_neither_order_is_along_both() {
        let r = fired(&RULE, &turned(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("block-for-cache", Confidence::Medium));
        assert!(r.title.contains("the one at kernel.c:9"), "{}", r.title);
        assert!(
            states!(r, Memory::Strided { operands, outer: Some(over), .. } if operands[0].to_string() == "`out[x][y]`" && over.one_element),
            "{:?}",
            r.said()
        );
        assert!(r.loop_gain.unwrap().high() > 1.3);
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 2"));
        let mut analysis = turned(|_| ());
        checked(&mut analysis.loops[1], VectorVerdict::Safe, ParallelVerdict::Independent);
        assert_eq!(fired(&RULE, &analysis).unwrap().confidence, Confidence::High);
    }

    #[test]
    fn blocks_of_one_loop_are_not_advised_beside_tiles() {
        let mut analysis = turned(|l| {
            l.memory.as_mut().unwrap().reuse_carriers =
                vec![crate::fixtures::carrier(Some(2), "kernel.c:9", 0.1, 240_000.0)];
        });
        let blocks = |analysis: &Analysis| fired(&crate::rules::distant_reuse::RULE, analysis).is_some();
        assert!(!blocks(&analysis));
        analysis.loops[0].access[1] = outer(access("out[y][x]", AccessKind::Store, 4, 1), 2, 14_000);
        assert!(blocks(&analysis), "without a walk across");
    }

    #[test]
    fn silent_where_one_order_fits_or_passes_are_short() {
        let straight =
            |l: &mut LoopFacts| l.access[1] = outer(access("out[y][x]", AccessKind::Store, 4, 1), 2, 14_000);
        assert!(fired(&RULE, &turned(straight)).is_none());
        let column =
            |l: &mut LoopFacts| l.access[0] = outer(access("in[x][y]", AccessKind::Load, 4, 2500), 2, 4);
        assert!(fired(&RULE, &turned(column)).is_none(), "the other order is right for both");
        assert!(fired(&RULE, &turned(|l| count(l, 3_000_000, 80))).is_none(), "80 lines stay in L1");
    }

    #[test]
    fn without_a_trace_counts_or_a_nest_it_is_silent() {
        assert!(fired(&RULE, &turned(|l| l.access.clear())).is_none());
        assert!(fired(&RULE, &turned(|l| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &turned(|l| l.parent = None)).is_none());
    }
}
