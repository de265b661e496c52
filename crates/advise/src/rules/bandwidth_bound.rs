//! Loops at the bandwidth of a memory level that touch the same bytes again and again: blocking.

use crate::chains;
use crate::counted::{LEAST_GAIN, MemoryBound, NEAR_A_ROOF};
use crate::evidence::Memory;
use crate::prelude::*;
use crate::rules::row_stride;
use crate::traffic::nanoseconds_per_iteration;
use loopwright_analysis::model::{Roof, RoofKind, WorkRow};
use loopwright_binary::facts::ChainKind;
use loopwright_stats::saturating_sum;
use loopwright_vocabulary::MemoryLevel;

/// Id of its recommendation.
pub const BLOCK_FOR_CACHE: &str = "block-for-cache";

pub(crate) static RULE: Rule = Rule {
    id: "bandwidth-bound",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[BLOCK_FOR_CACHE, row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("bandwidth_bound.md")),
};

/// Less reuse than this leaves little to keep near: the first touch has to come from afar in any case.
const LEAST_REUSE: f64 = 4.0;
/// Two passes over each block instead of one halve the traffic; more need time skewing, which is a project of its own.
const TWO_PASSES: f64 = 2.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let bound = facts.memory_bound(of).or_else(|| above_its_roof(facts, of))?;
    let work = of.work.as_ref()?;
    let (nearer, distance) = bound.nearer?;
    let nearer = nearer.memory()?;
    if hands_a_sum_on(facts, of) {
        return None;
    }
    if stays_in(facts, of, nearer) || seen_to_fit(facts, of, facts.cache_size(nearer)?) {
        return None;
    }
    // Of all bytes of the core only those that leave L1 come from there.
    let distance = simulated(of, nearer).map_or(distance, |simulated| simulated.max(distance));
    // What one pass moves must not fit into the nearer level: else it is there already, and something else is slow.
    let pass = facts.beyond(facts.cache_size(nearer)?, of, WorkRow::bytes)?;
    // The loop's own arithmetic may be the next ceiling before the nearer level is.
    let compute = compute_distance(of).unwrap_or(f64::INFINITY).min(core_distance(facts, of));
    let best = distance.min(compute);
    let reuse = reuse(facts, of, &bound)?;
    // Rows that fit are reused by the loop around them; a range that does not fit, only by another pass over all of it.
    let nested = !pass.of_loop();
    let most = if nested { best.min(reuse.times) } else { best.min(reuse.times).min(TWO_PASSES) };
    if reuse.times < LEAST_REUSE || most < LEAST_GAIN {
        return None;
    }
    // Bytes are counted whenever they are moved: whether they are different ones, only a trace shows.
    let traced = facts.traced(of).is_some();
    let gain = Gain::of(most).hedged(if nested && traced { estimates::HIDDEN } else { 0.0 });
    Some(
        facts
            .about_loop(&RULE, of)
            .named(BLOCK_FOR_CACHE, format!("Work on blocks that stay in {nearer}: cache blocking"))
            .because(Provenance::Modelled, facts.near_roof(&bound))
            .because(
                Provenance::Counted,
                Memory::Intensity { flop_per_byte: work.intensity, bytes: work.bytes() },
            )
            .because(Provenance::Counted, Memory::PassBeyond { level: nearer, pass })
            .because(
                Provenance::Counted,
                Memory::MovedAgain { by_library: None, resident: reuse.resident, times: reuse.times },
            )
            .because(
                Provenance::Modelled,
                Memory::NextCeiling { level: nearer, arithmetic: compute < distance, times: best },
            )
            .gain(of.group_share, gain)
            .confidence(if nested && traced && work.flop > 0 { Confidence::Medium } else { Confidence::Low })
            .next(facts.collect("map", of))
            .how(how(nested)),
    )
}

/// A level whose roof the loop is above by less than it may be below: bandwidths are measured on one size of data, and
/// smaller sizes in the same cache get more, because the TLB holds their pages.
fn above_its_roof<'l>(facts: &Facts, of: &'l LoopFacts) -> Option<MemoryBound<'l>> {
    let point = of.roofline.as_ref().filter(|_| facts.rates_hold())?;
    let achieved = point.achieved().filter(|a| *a > 0.0)?;
    let memory: Vec<&Roof> = point.roofs.iter().filter(|r| r.kind == RoofKind::Memory).collect();
    let of_roof =
        |roof: &Roof| roof.memory().and_then(|level| simulated(of, level)).unwrap_or(roof.value / achieved);
    let at = (1..memory.len()).find(|&k| (1.0 / NEAR_A_ROOF..=1.0).contains(&of_roof(memory[k])))?;
    if !overflows(facts, of, facts.cache_size(memory[at - 1].memory()?)?) {
        return None;
    }
    Some(MemoryBound {
        level: memory[at].memory()?,
        headroom: of_roof(memory[at]),
        nearer: Some((memory[at - 1], memory[at - 1].value / achieved)),
        slowest: at + 1 == memory.len(),
        gbytes: None,
    })
}

/// The loop, or all of its entries in one run of the loop around it, moves more than this cache holds: further out, repetition
/// alone adds up to that.
fn overflows(facts: &Facts, of: &LoopFacts, cache: u64) -> bool {
    let moved = saturating_sum(facts.group(of).filter_map(|l| l.work.as_ref()).map(WorkRow::bytes));
    let entries = |l: &LoopFacts| l.trip_count.as_ref().and_then(|t| t.source_entries.or(t.entries));
    let around = facts.around(of);
    let runs = match (entries(of), around) {
        (None, Some(around)) => around.trip_count.as_ref().map(|t| t.iterations),
        (own, around) => around.and_then(entries).or(own),
    };
    runs.filter(|n| *n > 0).is_some_and(|n| moved / n > cache)
}

/// What a level allows by its simulated traffic, over what is achieved.
fn simulated(of: &LoopFacts, level: MemoryLevel) -> Option<f64> {
    let point = of.roofline.as_ref()?;
    let ceiling = point.levels.iter().find(|l| l.name == level)?.estimated_ceiling?;
    Some(ceiling / point.achieved().filter(|a| *a > 0.0)?)
}

/// Part of the program's time from which on a loop beside this one is work of its own.
const LEAST_BESIDE: f64 = 0.05;
/// Part of an entry's iterations that were followed, in the mean.
const WHOLE: f64 = 0.9;
/// Entries that show what entries touch together.
const SEVERAL: u64 = 4;
/// Of a thousand accesses fewer miss this cache: the loop's data is in it already. A stream of doubles misses with 125.
const HARDLY_ANY: f64 = 1.0;

/// A trace shows that the data is in this cache as it is, whatever the sizes of arrays suggest.
fn stays_in(facts: &Facts, of: &LoopFacts, level: MemoryLevel) -> bool {
    let memory = facts.traced(of).and_then(|traced| traced.memory.as_ref());
    let caches = memory.and_then(|memory| memory.caches.first());
    let cache = caches.and_then(|caches| caches.iter().find(|cache| cache.level() == Some(level)));
    cache.is_some_and(|cache| cache.estimated_misses_per_1000 < HARDLY_ANY)
}

/// The loop adds up, and another hot loop follows in the same iteration of the loop around: that one needs the whole sum, not a block's.
pub fn hands_a_sum_on(facts: &Facts, of: &LoopFacts) -> bool {
    let sum = |kind| {
        matches!(kind, ChainKind::InOrderSum | ChainKind::VectorReduction | ChainKind::IntegerReduction)
    };
    let beside = |around: &LoopFacts| {
        let others = around.children.iter().filter_map(|id| facts.loop_by_id(*id));
        others.filter(|l| l.group != of.group && l.total_share >= LEAST_BESIDE).count() > 0
    };
    of.chains.iter().any(|c| sum(c.kind)) && facts.around(of).is_some_and(beside)
}

/// A trace followed several whole entries, and all that they touched fits.
fn seen_to_fit(facts: &Facts, of: &LoopFacts, cache: u64) -> bool {
    let Some((traced, mean)) =
        facts.traced(of).and_then(|t| t.memory.as_ref()).zip(of.trip_count.as_ref().and_then(|t| t.mean))
    else {
        return false;
    };
    let whole = traced.traced_iterations as f64 >= WHOLE * mean * traced.traced_entries as f64;
    whole
        && traced.traced_entries >= SEVERAL
        && !traced.footprint_is_bound
        && traced.footprint_line_bytes <= cache
}

/// How many times longer the loop takes than its instructions alone, its divisions and chains with them.
fn core_distance(facts: &Facts, of: &LoopFacts) -> f64 {
    let chain = of.chains.iter().filter(|c| c.kind != ChainKind::Induction).map(|c| c.latency_cycles).max();
    let cycles = chains::without_chain(facts, of).max(f64::from(chain.unwrap_or(0)));
    let now = nanoseconds_per_iteration(facts, of).zip(facts.clock_ghz());
    now.map_or(f64::INFINITY, |(ns, ghz)| (ns * ghz / cycles.max(1.0)).max(1.0))
}

/// How far above the loop the roof of its own arithmetic is.
fn compute_distance(of: &LoopFacts) -> Option<f64> {
    let point = of.roofline.as_ref()?;
    let achieved = point.achieved().filter(|a| *a > 0.0)?;
    point.roofs.iter().find(|r| r.kind == RoofKind::Compute).map(|r| r.value / achieved)
}

struct Reuse {
    times: f64,
    resident: u64,
}

/// How often each byte is touched at least: the loop cannot move more distinct bytes than the process ever held.
fn reuse(facts: &Facts, of: &LoopFacts, bound: &MemoryBound) -> Option<Reuse> {
    let program = &facts.analysis.program;
    let resident = program.peak_resident_bytes.saturating_mul(u64::from(program.ranks.max(1)));
    let moved = saturating_sum(facts.group(of).filter_map(|l| l.work.as_ref()).map(WorkRow::bytes));
    if resident == 0 || moved == 0 {
        return None;
    }
    // Main memory is only what binds when the data does not fit into the caches at all.
    if bound.slowest && resident <= facts.last_cache().unwrap_or(0) {
        return None;
    }
    let times = moved as f64 / resident as f64;
    Some(Reuse { times, resident })
}

/// Blocks of a nest, or of passes over one range.
pub fn how(nested: bool) -> How {
    let how = how!(RULE);
    if nested {
        how.c(
            "for (long j = 1; j < m - 1; j++)\n    for (long i = 1; i < n - 1; i++)\n        b[j*n+i] = u[j*n+i-1] + u[j*n+i+1] + u[(j-1)*n+i] + u[(j+1)*n+i];",
            "for (long ib = 1; ib < n - 1; ib += BLOCK)          /* 3 rows of BLOCK fit into the cache */\n    for (long j = 1; j < m - 1; j++)\n        for (long i = ib; i < ib + BLOCK && i < n - 1; i++)\n            b[j*n+i] = u[j*n+i-1] + u[j*n+i+1] + u[(j-1)*n+i] + u[(j+1)*n+i];",
        )
        .fortran(
            "do j = 2, m - 1\n  do i = 2, n - 1\n    b(i,j) = u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1)\n  end do\nend do",
            "do ib = 2, n - 1, block               ! 3 columns of block elements fit into the cache\n  do j = 2, m - 1\n    do i = ib, min(ib + block - 1, n - 1)\n      b(i,j) = u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1)\n    end do\n  end do\nend do",
        )
    } else {
        how.c(
            "for (int pass = 0; pass < p; pass++)\n    for (long i = 0; i < n; i++)\n        x[i] = f(x[i], pass);",
            "for (long ib = 0; ib < n; ib += BLOCK)              /* all passes on one block */\n    for (int pass = 0; pass < p; pass++)\n        for (long i = ib; i < ib + BLOCK && i < n; i++)\n            x[i] = f(x[i], pass);",
        )
        .fortran(
            "do pass = 1, p\n  do i = 1, n\n    x(i) = f(x(i), pass)\n  end do\nend do",
            "do ib = 1, n, block                   ! all passes on one block\n  do pass = 1, p\n    do i = ib, min(ib + block - 1, n)\n      x(i) = f(x(i), pass)\n    end do\n  end do\nend do",
        )
    }
    .flags("gcc, g++, gfortran", "-O3 -march=native -floop-nest-optimize (where GCC was built with isl)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{bound_by, chain, count, fired, measured, states, vector_loop};
    use loopwright_analysis::model::Analysis;

    /// 1000 passes over 96 MB; the process holds 1 GiB.
    fn passes(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        measured(vec![vector_loop(|l| {
            count(l, 1000, 1_000_000);
            bound_by(l, "DRAM", 1.2);
            change(l);
        })])
    }

    #[test]
    fn fires_with_the_distance_to_the_next_roof() {
        let mut analysis = passes(|l| {
            // Rows of 96 kB.
            count(l, 1_000_000, 1000);
            l.parent = Some(9);
        });
        analysis.loops.push(crate::fixtures::scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share) = (9, 9, false, 0.0);
            count(l, 1000, 1000);
        }));
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("block-for-cache", Confidence::Low));
        // No trace shows that the bytes are different ones. L3 delivers 40 GB/s, the loop gets 10: four times.
        assert!((r.loop_gain.unwrap().high() - 4.0).abs() < 1e-9, "{:?}", r.loop_gain);
        assert!(
            states!(r, Memory::MovedAgain { by_library: None, times, .. } if times.round() == 89.0),
            "{:?}",
            r.said()
        );
        assert!(r.title.contains("L3") && r.next.unwrap().contains("map"));
    }

    #[test]
    fn fires_with_less_for_whole_passes_over_a_large_range() {
        let r = fired(&RULE, &passes(|_| ())).unwrap();
        assert_eq!((r.loop_gain, r.confidence), (Some(Gain::up_to(2.0)), Confidence::Low));
        assert!(r.how.c.unwrap().after.contains("all passes on one block"));
    }

    #[test]
    fn fires_above_the_measured_bandwidth_of_the_level_and_with_what_leaves_l1() {
        use loopwright_analysis::model::RooflineLevel;
        let level = |name: &str, ceiling| RooflineLevel {
            name: name.parse().unwrap(),
            intensity: None,
            estimated_intensity: None,
            gbytes: None,
            kernel: None,
            ceiling: None,
            estimated_ceiling: Some(ceiling),
            provenance: None,
        };
        // 100 kB a row and 100 MB a pass; a third above what L3 delivers, and L2 would allow six times as much.
        let nested = |achieved: f64| {
            let mut analysis = passes(|l| {
                count(l, 1_000_000, 1000);
                bound_by(l, "L3", 1.2);
                l.parent = Some(9);
                let point = l.roofline.as_mut().unwrap();
                (point.bound, point.bound_kind, point.gflops) = (None, None, Some(achieved));
                point.levels =
                    vec![level("L1", 40.0), level("L2", 24.0), level("L3", 3.0), level("DRAM", 1.0)];
                point.roofs[0].value = 100.0;
            });
            analysis.loops.push(crate::fixtures::scalar_loop(|l| {
                (l.id, l.group, l.innermost, l.group_share) = (9, 9, false, 0.0);
                count(l, 1000, 1000);
            }));
            fired(&RULE, &analysis)
        };
        let r = nested(4.0).unwrap();
        assert!((r.loop_gain.unwrap().high() - 6.0).abs() < 1e-9 && r.title.contains("L2"), "{r:?}");
        assert!(nested(7.0).is_none(), "too far above it");
    }

    #[test]
    fn arithmetic_may_be_the_next_ceiling() {
        let r = fired(&RULE, &passes(|l| l.roofline.as_mut().unwrap().roofs[0].value = 1.5)).unwrap();
        assert!(r.loop_gain.unwrap().high() < 2.0, "{:?}", r.loop_gain);
        assert!(states!(r, Memory::NextCeiling { arithmetic: true, .. }));
    }

    #[test]
    fn silent_where_the_data_fits_into_the_nearer_level() {
        // 96 kB per entry, in L2: slow for another reason.
        let in_l2 = passes(|l| {
            count(l, 1_000_000, 1000);
            bound_by(l, "L3", 1.2);
        });
        assert!(fired(&RULE, &in_l2).is_none());
        let in_l3 = passes(|l| {
            count(l, 100_000, 100_000);
            bound_by(l, "L3", 1.2);
            l.self_seconds = 40.0;
        });
        assert!(fired(&RULE, &in_l3).unwrap().title.contains("L2"));
    }

    #[test]
    fn silent_where_another_loop_needs_the_whole_sum() {
        let nest = |share: f64| {
            let mut analysis = passes(|l| {
                l.parent = Some(2);
                l.chains = vec![chain(ChainKind::VectorReduction, "ymm0", 4)];
            });
            analysis.loops.push(vector_loop(|l| {
                (l.id, l.group, l.innermost, l.group_share, l.children) = (2, 2, false, 0.0, vec![1, 3]);
            }));
            analysis.loops.push(vector_loop(|l| {
                (l.id, l.group, l.parent, l.total_share) = (3, 3, Some(2), share);
            }));
            hands_a_sum_on(&Facts::new(&analysis), &analysis.loops[0])
        };
        assert!(nest(0.4) && !nest(0.01));
    }

    #[test]
    fn silent_without_reuse_without_counts_and_at_other_roofs() {
        assert!(fired(&RULE, &passes(|l| count(l, 10, 1_000_000))).is_none(), "each byte once");
        assert!(fired(&RULE, &passes(|l| l.work = None)).is_none());
        assert!(fired(&RULE, &passes(|l| bound_by(l, "DRAM", 4.0))).is_none());
        assert!(fired(&RULE, &passes(|l| bound_by(l, "AVX2 f64", 1.2))).is_none());
        assert!(fired(&RULE, &passes(|l| bound_by(l, "L1", 1.2))).is_none(), "nothing is nearer");
        let mut small = passes(|_| ());
        small.program.peak_resident_bytes = 20 << 20;
        assert!(fired(&RULE, &small).is_none(), "everything fits into the cache");
    }
}
