//! Data that an outer loop comes back to after it has left the cache: which loops to cut into blocks, and how large.
//!
//! A line that is used again after d bytes of other lines is still in a cache of more than d bytes (Mattson, Gecsei,
//! Slutz, Traiger, *Evaluation techniques for storage hierarchies*, IBM Systems Journal 9(2), 1970). Which loop carries
//! the reuse shows what to cut: the loops inside it, so that one of its iterations touches less than the cache holds.

use crate::counted::{LEAST_GAIN, turns};
use crate::evidence::{Memory, words::count_in_words};
use crate::prelude::*;
use crate::rules::{bandwidth_bound, row_stride, transposed_walk};
use crate::traced::to_arrays;
use crate::traffic::{Delivery, Supplier, data_caches, traffic};
use loopwright_analysis::model::{AccessFacts, FoundDependence, ReuseCarrier, StridePattern};
use loopwright_patterns::facts::DependenceKind;
use loopwright_vocabulary::MemoryLevel;

pub(crate) static RULE: Rule = Rule {
    id: "distant-reuse",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[row_stride::INTERCHANGE_LOOPS],
    doc: Doc::parse(include_str!("distant_reuse.md")),
};

/// Less of the line uses than this is a detail.
const LEAST_SHARE: f64 = 0.02;
/// Part of a cache that a block may fill: the rest is for other data, and for sets that fill up unevenly.
const FILL: f64 = 0.5;
/// A block of fewer iterations costs more in loop control than it saves.
const SMALLEST_BLOCK: f64 = 8.0;
/// Bytes after which lines are in the same set of an L1 cache of 64 sets (32 KiB in 8 ways, 48 KiB in 12).
const SETS: i64 = 4096;
/// Levels of memory that are looked at, at most.
const MOST_LEVELS: usize = 16;

/// A cache, and the reuse that it loses and could keep.
struct Target {
    /// Its place in the hierarchy, L1 first.
    level: usize,
    name: MemoryLevel,
    bytes: u64,
    carrier: ReuseCarrier,
    /// Share of the misses of this cache that are this reuse.
    of_misses: f64,
    /// The reuse is farther apart than bursts are long: it follows from counts.
    unseen: Option<Unseen>,
}

/// Reuse over more than a burst sees.
#[derive(Clone, Copy)]
struct Unseen {
    /// Bytes of the lines that would be touched during one entry of the carrier, if all that bursts call new were new.
    new: f64,
    /// Bytes that the process held at most.
    resident: u64,
}

/// What to cut into blocks.
struct Blocks<'l> {
    /// The loop inside the carrier whose iterations are cut.
    cut: &'l LoopFacts,
    /// Its iterations per block, when its trips are counted.
    block: Option<u64>,
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || facts.waits_in_order(of) || bandwidth_bound::hands_a_sum_on(facts, of) {
        return None;
    }
    // Tiles of both loops are the better blocks.
    if transposed_walk::check(facts, of).is_some() {
        return None;
    }
    let memory = of.memory.as_ref()?;
    let traffic = traffic(facts, of);
    let gained = |t: &Target| {
        let saved = |d: &Delivery| {
            if d.from == Supplier::Memory(delivered_by(t.level, facts)) { t.of_misses } else { 0.0 }
        };
        let mut traffic = traffic.clone();
        if t.unseen.is_some() {
            // Lines that come back are in the level behind: what is fetched from farther away is the rest.
            let levels = (t.level + 1..).map(|level| delivered_by(level, facts)).take(MOST_LEVELS);
            let beyond: Vec<Supplier> =
                levels.filter(|from| *from != delivered_by(t.level, facts)).map(Supplier::Memory).collect();
            for delivery in traffic.deliveries.iter_mut().filter(|d| beyond.contains(&d.from)) {
                delivery.share =
                    (delivery.share.0 * (1.0 - t.of_misses), delivery.share.1 * (1.0 - t.of_misses));
            }
        }
        (
            traffic.gain(|d| saved(d) * estimates::BLOCKING_EFFICIENCY, Gain::NONE).low(),
            traffic.gain(saved, Gain::NONE).high(),
        )
    };
    let seen = memory.reuse_carriers.iter().filter_map(|carrier| target(facts, of, carrier));
    let seen = seen.map(|t| (gained(&t), t)).max_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let best = seen.filter(|best| best.0.1 >= LEAST_GAIN);
    let best = best.or_else(|| unseen(facts, of).map(|t| (gained(&t), t)))?;
    let ((low, high), target) = best;
    if high < LEAST_GAIN {
        return None;
    }
    let around = target.carrier.loop_id.and_then(|id| facts.loop_by_id(id))?;
    // Iterations that need what earlier ones stored have to come after all of those, not block by block; and a loop without a line has
    // nothing to cut.
    let flows = |d: &FoundDependence| d.memory && !d.privatisable && d.kind == DependenceKind::Flow;
    if around.dependence.as_ref().is_some_and(|d| d.found.iter().any(flows)) || around.line.is_none() {
        return None;
    }
    let blocks = blocks(facts, of, around, &target)?;
    let Target { name, bytes, carrier, unseen, of_misses, .. } = target;
    let size =
        blocks.block.map_or_else(String::new, |n| format!(", about {} iterations each", count_in_words(n)));
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            bandwidth_bound::BLOCK_FOR_CACHE,
            format!("Cut the loop at {} into blocks that stay in {name}{size}", blocks.cut.place()),
        )
        .because(Provenance::Counted, reused(facts, of, &carrier, unseen.as_ref(), name, bytes))
        .because(
            Provenance::Modelled,
            Memory::OfMisses { share: of_misses, at_least: unseen.is_some(), level: name },
        );
    if let Some(block) = blocks.block {
        new = new.because(
            Provenance::Modelled,
            Memory::Block {
                iterations: block,
                cut: blocks.cut.place(),
                level: name,
                place: carrier.place.clone(),
            },
        );
    }
    let free =
        around.dependence.as_ref().is_some_and(|d| d.found.iter().all(|d| !d.memory || d.privatisable));
    let confidence = match (free, traffic.timed) {
        (true, true) => Confidence::High,
        (false, false) => Confidence::Low,
        _ => Confidence::Medium,
    };
    let new = facts.asking_for_counts(new.gain(of.group_share, Gain::between(low, high)), of);
    let mut how = bandwidth_bound::how(!outermost_passes(of, around));
    how.text.push_str(
        " If it does not help: the block is too small (loop overhead) or too large (data falls out), it is made for the wrong cache or of the wrong \
         loops, the compiler blocks already, or prefetching hides the misses.",
    );
    Some(facts.asking_for_dependences(new, around).confidence(confidence).how(how))
}

/// The level that serves misses of the `level`th cache.
fn delivered_by(level: usize, facts: &Facts) -> MemoryLevel {
    let levels = facts.machine().map_or(0, |m| m.cache_bytes.len());
    if level + 1 < levels { MemoryLevel::cache_at(level + 1) } else { MemoryLevel::Dram }
}

/// The largest cache that loses what a loop around comes back to: smaller ones lose it too, but cost less.
fn target(facts: &Facts, of: &LoopFacts, carrier: &ReuseCarrier) -> Option<Target> {
    if !(carrier.share >= LEAST_SHARE && carrier.mean_bytes.is_finite()) || carrier.loop_id == Some(of.id) {
        return None;
    }
    let sizes = &facts.machine()?.cache_bytes;
    let caches = data_caches(of);
    let mut lost = caches
        .iter()
        .zip(sizes)
        .enumerate()
        .filter(|(_, (_, size))| carrier.mean_bytes > **size as f64 && **size > 0);
    let (level, (cache, bytes)) = lost.next_back()?;
    let misses = cache.estimated_misses_per_1000 / 1000.0;
    let of_misses = if misses > 0.0 { (carrier.share / misses).min(1.0) } else { return None };
    Some(Target {
        level,
        name: cache.level()?,
        bytes: *bytes,
        carrier: carrier.clone(),
        of_misses,
        unseen: None,
    })
}

/// Reuse that is farther apart than bursts are long. Bursts call lines new that they have not met; but during one entry of
/// a nest there cannot be more new lines than the process holds. What is too much comes back, and it is the innermost loop
/// whose iterations are longer than a burst that brings it back: the others would have been seen.
fn unseen(facts: &Facts, of: &LoopFacts) -> Option<Target> {
    if facts.analysis.tracing.as_ref().is_none_or(|t| t.exhaustive) {
        return None;
    }
    let resident = facts.analysis.program.peak_resident_bytes;
    let traced = of.memory.as_ref().map(|m| m.traced_iterations).filter(|n| *n > 0 && resident > 0)?;
    let iterations = of.trip_count.as_ref()?.iterations as f64;
    let (around, trips) = facts
        .ancestors(of)
        .map_while(|l| Some((l, l.trip_count.as_ref()?)))
        .find(|(_, trips)| iterations / trips.iterations.max(1) as f64 > traced as f64)
        .filter(|(_, trips)| trips.iterations > 0)?;
    if of.memory.as_ref()?.reuse_carriers.iter().any(|c| c.loop_id == Some(around.id)) {
        return None;
    }
    let entries = trips.entries.filter(|n| *n > 0)? as f64;
    let sizes = &facts.machine()?.cache_bytes;
    let caches = data_caches(of);
    let new_lines = |l: &LoopFacts, level: usize| {
        let bytes = data_caches(l).get(level).map_or(0.0, |c| c.estimated_bytes_in_per_iteration);
        bytes * l.trip_count.as_ref().map_or(0.0, |t| t.iterations as f64)
    };
    let mut lost = caches.iter().zip(sizes).enumerate().filter_map(|(level, (cache, bytes))| {
        let inside = facts
            .analysis
            .loops
            .iter()
            .filter(|l| l.innermost && facts.ancestors(l).any(|a| a.id == around.id));
        let new: f64 = inside.map(|l| new_lines(l, level)).sum();
        let apart = new / trips.iterations as f64;
        (apart > *bytes as f64 && *bytes > 0).then_some((level, *cache, *bytes, new / entries, apart))
    });
    let (level, cache, bytes, new, apart) = lost.next_back()?;
    let name = cache.level()?;
    // Lines that an iteration meets for the first time, in steps of its accesses: streams. They follow each other through
    // one array, once each; more than that is a loop that starts again, as over time steps, which blocks of space do not help.
    let steps = to_arrays(of).filter(|a| a.kind.reads()).filter_map(|a| a.machine_stride_bytes);
    let step = steps.map(i64::unsigned_abs).max().filter(|step| *step > 0)?;
    let streams = cache.estimated_bytes_in_per_iteration / step as f64;
    if new > streams * resident as f64 {
        return None;
    }
    let of_misses = 1.0 - resident as f64 / new;
    (of_misses >= LEAST_SHARE).then(|| Target {
        level,
        name,
        bytes,
        carrier: ReuseCarrier {
            loop_id: Some(around.id),
            place: around.place(),
            share: of_misses * cache.estimated_misses_per_1000 / 1000.0,
            mean_bytes: apart,
            ..ReuseCarrier::default()
        },
        of_misses,
        unseen: Some(Unseen { new, resident }),
    })
}

fn reused(
    facts: &Facts,
    of: &LoopFacts,
    carrier: &ReuseCarrier,
    unseen: Option<&Unseen>,
    name: MemoryLevel,
    holds: u64,
) -> Memory {
    let (place, apart, level) = (carrier.place.clone(), carrier.mean_bytes as u64, name);
    match unseen {
        Some(unseen) => Memory::ReusedUnseen {
            first_met: unseen.new as u64,
            place,
            resident: unseen.resident,
            apart,
            level,
            holds,
        },
        None => {
            let extent = facts.extent(of);
            Memory::Reused { share: carrier.share, place, apart, level, holds, extent }
        }
    }
}

/// The loop right inside the carrier, and how many of its iterations fill half of the cache. Where a single one of them
/// is too much, the next loop inside is cut.
fn blocks<'l>(
    facts: &Facts<'l>,
    of: &'l LoopFacts,
    around: &LoopFacts,
    target: &Target,
) -> Option<Blocks<'l>> {
    let mut between = vec![of];
    between.extend(facts.ancestors(of).take_while(|l| l.id != around.id));
    // Not in this nest (a loop of a calling function): the whole of this loop's nest is what its iteration touches.
    let mut bytes = target.carrier.mean_bytes;
    let room = target.bytes as f64 * FILL;
    for cut in between.iter().rev() {
        let Some(turns) = turns(cut).filter(|turns| turns.mean >= 1.0) else {
            return Some(Blocks { cut, block: None });
        };
        let each = bytes / turns.mean;
        let block = (room / each).floor();
        if block >= SMALLEST_BLOCK {
            // A number of machine iterations is no number for the source; and what accesses at changing distances touch does not
            // grow evenly with the iterations.
            // Lines in a few sets of the cache leave it long before it is full.
            let sets = |a: &AccessFacts| a.distribution.iter().any(|step| step.0 != 0 && step.0 % SETS == 0);
            let uneven = to_arrays(of).any(|a| a.pattern == StridePattern::Variable || sets(a));
            let stated = Some(rounded(block)).filter(|_| !turns.machine && !uneven);
            return (block < turns.mean).then_some(Blocks { cut, block: stated });
        }
        bytes = each;
    }
    None
}

/// To a multiple of a line of doubles, so that no line is cut; large ones to two digits.
fn rounded(block: f64) -> u64 {
    let n = block as u64;
    let step = if n >= 1000 { 10u64.pow(n.ilog10() - 1) } else { 8 };
    (n / step * step).max(1)
}

/// The carrier runs the loop directly: passes over one range.
fn outermost_passes(of: &LoopFacts, around: &LoopFacts) -> bool {
    of.parent == Some(around.id)
        && around.parent.is_none()
        && of.access.iter().all(|a| {
            let over = a.outer.iter().find(|o| o.loop_id == Some(around.id));
            over.is_some_and(|o| o.stride_bytes == Some(0))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, carried, carrier, chain, checked, count, fired, in_caches, near, outer, scalar_loop, states,
        trace, traced,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_binary::facts::ChainKind;
    use loopwright_patterns::facts::{AccessKind, DependenceKind};

    /// `b[j][i] = u[j][i-1] + u[j][i+1] + u[j-1][i] + u[j+1][i]` on 500 rows of 200000 doubles (1.6 MB).
    fn stencil(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let inner = scalar_loop(|l| {
            let row = |name: &str, kind| outer(access(name, kind, 8, 1), 2, 1_600_000);
            trace(
                l,
                vec![
                    row("u[j][i-1]", AccessKind::Load),
                    row("u[j][i+1]", AccessKind::Load),
                    row("u[j-1][i]", AccessKind::Load),
                    row("u[j+1][i]", AccessKind::Load),
                    row("b[j][i]", AccessKind::Store),
                ],
            );
            // Lines of four rows, three of u and one of b: per iteration half a line; with reuse a quarter.
            in_caches(l, [(100.0, 0.5), (100.0, 0.5), (50.0, 0.25)]);
            // 4 s for 10^9 iterations.
            count(l, 5_000, 200_000);
            l.parent = Some(2);
            l.memory.as_mut().unwrap().reuse_carriers =
                vec![carrier(Some(2), "kernel.c:9", 0.05, 4.8e6), carrier(Some(1), "kernel.c:10", 0.9, 64.0)];
            change(l);
        });
        let rows = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share, l.line) = (2, 2, false, 0.0, Some(9));
            count(l, 10, 500);
        });
        traced(vec![inner, rows])
    }

    #[test]
    fn fires_with_the_loop_the_cache_and_the_size_of_a_block() {
        let r = fired(&RULE, &stencil(|_| ())).unwrap();
        assert_eq!(r.id, "block-for-cache");
        // 4.8 MB per row of 200000 points are 24 bytes each; half of L2, 512 KiB, holds 21845 of them.
        assert_eq!(
            r.title,
            "Cut the loop at kernel.c:10 into blocks that stay in L2, about 21000 iterations each"
        );
        assert!(
            states!(r, Memory::Reused { share, place, apart: 4_800_000, .. } if near(*share, 0.05) && place == "kernel.c:9"),
            "{:?}",
            r.said()
        );
        assert!(
            states!(r, Memory::OfMisses { share, level: MemoryLevel::L2, .. } if near(*share, 0.5)),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        // L3 delivers 32 bytes per iteration of 4 ns at 40 GB/s or less: a fifth to two fifths of the time; half of it goes.
        assert!(gain.low() >= 1.0 && gain.high() > 1.1 && gain.high() < 1.4, "{gain:?}");
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 2"));
        assert!(r.how.text.contains("too small") && r.how.fortran.is_some());
    }

    /// The stencil's rows in three planes; bursts see some rows of a plane of 3.2 MB, and no line twice.
    fn planes(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let mut analysis = stencil(|l| {
            count(l, 5_120_000, 200);
            l.memory.as_mut().unwrap().reuse_carriers = vec![carrier(Some(1), "kernel.c:10", 0.4, 64.0)];
            change(l);
        });
        // 100 sweeps over 100 planes of 512 rows.
        count(&mut analysis.loops[1], 10_000, 512);
        analysis.loops[1].parent = Some(3);
        analysis.loops.push(scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share, l.line) = (3, 3, false, 0.0, Some(8));
            count(l, 100, 100);
        }));
        analysis.program.peak_resident_bytes = 100_000_000;
        analysis
    }

    #[test]
    fn reuse_beyond_a_burst_follows_from_what_the_process_holds() {
        // 32 bytes of new lines in each of 102,400 iterations per plane: 3.3 MB, 330 MB per sweep.
        let r = fired(&RULE, &planes(|_| ())).unwrap();
        assert!(r.title.starts_with("Cut the loop at kernel.c:9 into blocks that stay in L2"), "{}", r.title);
        assert!(r.title.ends_with("about 80 iterations each"), "{}", r.title);
        assert!(
            r.said()
                .iter()
                .any(|e| e.contains("328 MB while the loop at kernel.c:8 runs once")
                    && e.contains("holds 100 MB")),
            "{:?}",
            r.said()
        );
        assert!(
            states!(r, Memory::OfMisses { share, at_least: true, .. } if near(*share, 0.695)),
            "{:?}",
            r.said()
        );
        assert!(r.loop_gain.unwrap().high() > 1.05);
    }

    #[test]
    fn silent_where_all_new_lines_may_be_new() {
        let mut analysis = planes(|_| ());
        analysis.program.peak_resident_bytes = 400_000_000;
        assert!(fired(&RULE, &analysis).is_none());
        analysis.program.peak_resident_bytes = 50_000_000;
        assert!(fired(&RULE, &analysis).is_none(), "time steps: more often than there are streams");
        let mut analysis = planes(|_| ());
        analysis.tracing.as_mut().unwrap().exhaustive = true;
        assert!(fired(&RULE, &analysis).is_none(), "everything was seen");
        assert!(
            fired(&RULE, &planes(|l| l.memory.as_mut().unwrap().traced_iterations = 1_000_000)).is_none()
        );
    }

    #[test]
    fn no_size_where_iterations_touch_unevenly() {
        let tree = stencil(|l| l.access[0].pattern = StridePattern::Variable);
        let r = fired(&RULE, &tree).unwrap();
        assert!(!r.title.contains("about"), "{}", r.title);
    }

    #[test]
    fn where_one_iteration_is_too_much_the_loop_inside_is_cut() {
        let mut analysis = stencil(|l| l.parent = Some(3));
        analysis.loops.push(scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share, l.line, l.parent) =
                (3, 3, false, 0.0, Some(8), Some(2));
            count(l, 5000, 4);
        }));
        // 4.8 MB in 4 iterations: one is more than half of L2. 1.2 MB in 200000: 6 bytes each.
        let r = fired(&RULE, &analysis).unwrap();
        assert!(r.title.contains("kernel.c:10") && r.title.contains("87000"), "{}", r.title);
    }

    #[test]
    fn known_to_be_free_it_is_sure_and_uncounted_it_asks() {
        let mut free = stencil(|_| ());
        checked(&mut free.loops[1], VectorVerdict::Safe, ParallelVerdict::Independent);
        let r = fired(&RULE, &free).unwrap();
        assert_eq!((r.confidence, &r.next), (Confidence::High, &None));
        free.loops[1].dependence.as_mut().unwrap().found = vec![carried(DependenceKind::Anti, 1)];
        assert_eq!(fired(&RULE, &free).unwrap().confidence, Confidence::Medium);
        free.loops[1].dependence.as_mut().unwrap().found = vec![carried(DependenceKind::Flow, 1)];
        assert!(fired(&RULE, &free).is_none(), "a pass needs all of the one before");
        let uncounted = stencil(|l| (l.work, l.trip_count, l.roofline) = (None, None, None));
        let r = fired(&RULE, &uncounted).unwrap();
        assert!(r.next.unwrap().contains("tripcounts") && r.loop_gain.unwrap().low() == 1.0);
        assert!(r.title.ends_with("stay in L2"), "no size without trips: {}", r.title);
    }

    #[test]
    fn it_replaces_the_estimate_without_distances() {
        let all = crate::advise(&stencil(|_| ()));
        let blocking: Vec<&str> =
            all.iter().filter(|r| r.id == "block-for-cache").map(|r| r.rule.as_str()).collect();
        assert_eq!(blocking, [RULE.id]);
    }

    #[test]
    fn silent_where_the_reuse_is_near_rare_or_costs_nothing() {
        let with = |c: ReuseCarrier| {
            let mut analysis = stencil(|l| l.memory.as_mut().unwrap().reuse_carriers = vec![c]);
            analysis.program.peak_resident_bytes = 8 << 30;
            analysis
        };
        assert!(fired(&RULE, &with(carrier(Some(2), "kernel.c:9", 0.05, 20_000.0))).is_none(), "within L1");
        assert!(fired(&RULE, &with(carrier(Some(2), "kernel.c:9", 0.001, 4.8e6))).is_none());
        assert!(
            fired(&RULE, &with(carrier(None, "before the loop", 0.05, 4.8e6))).is_none(),
            "no loop to cut"
        );
        assert!(fired(&RULE, &with(carrier(Some(1), "kernel.c:10", 0.5, 4.8e6))).is_none(), "its own stride");
        let slow = stencil(|l| l.self_seconds = 400.0);
        assert!(fired(&RULE, &slow).is_none(), "misses take a hundredth of its time");
        assert!(fired(&RULE, &stencil(|l| l.memory = None)).is_none());
        let summing = stencil(|l| {
            let iterations = l.trip_count.as_ref().unwrap().iterations as f64;
            let cycles = (l.self_seconds * 3e9 / iterations * 0.95).round() as u32;
            l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", cycles.max(1))];
        });
        assert!(fired(&RULE, &summing).is_none(), "its additions hide the misses");
        let near = stencil(|l| in_caches(l, [(0.2, 0.0), (0.1, 0.0), (0.0, 0.0)]));
        assert!(fired(&RULE, &near).is_none());
    }
}
