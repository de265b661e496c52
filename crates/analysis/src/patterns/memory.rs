//! Memory that a loop touches, and what caches make of it.
//!
//! All numbers are of what was traced (footprint, misses, reuse), per machine iteration where that makes them
//! comparable; only the intensities join them with counts. How they come about is documented in `docs/patterns.md`.

use super::Traced;
use crate::model::{AccessFacts, Aliasing, CacheFacts, MemoryFacts, ReuseCarrier, WorkRow};
use loopwright_patterns::facts::{
    AliasingUse, CacheGeometry, CacheUse, Footprint, Hierarchy, LevelUse, LoopPatterns, ReuseHistogram,
};
use loopwright_stats::saturating_sum;

/// Pairs of operands that alias in fewer of the load's executions are left out.
const ALIASING_SHARE: f64 = 0.05;
/// Bursts know a loop's lines when this part of those they meet was met before.
const COVERED: f64 = 0.25;
/// Place of reuse that no loop carries: the line was used before the loop was entered.
const BEFORE: &str = "before the loop";

/// Footprint, caches, reuse of a loop; `access` are its operands as written.
pub(super) fn memory(traced: &Traced, access: &[AccessFacts]) -> Option<MemoryFacts> {
    let seen = traced.seen;
    let simulated = seen.caches.iter().any(|cache| !cache.levels.is_empty());
    if seen.footprint.all_lines == 0 && seen.reuse.is_none() && !simulated {
        return None;
    }
    let work = traced.total_work.or(traced.work);
    let operations = traced.iterations.zip(work).and_then(|(iterations, work)| operations(work, iterations));
    let (reuse, first_use_share, reuse_carriers) = match &seen.reuse {
        Some(histogram) => (
            reuse(histogram),
            share_of_uses(histogram, histogram.first),
            carriers(histogram, |module, header| traced.loop_named(module, header)),
        ),
        None => Default::default(),
    };
    let bound = is_bound(seen, traced.run.facts.exhaustive);
    let footprint = Footprint { is_bound: bound, ..seen.footprint.clone() };
    let whole =
        traced.resident.zip(traced.iterations).map(|(resident, iterations)| Whole { resident, iterations });
    let accesses = saturating_sum(seen.nodes.iter().map(|node| node.2));
    Some(MemoryFacts {
        traced_iterations: seen.iterations,
        traced_entries: seen.entries,
        footprint_bytes: seen.footprint.bytes,
        footprint_line_bytes: seen.footprint.lines.saturating_mul(seen.footprint.line_bytes.into()),
        footprint_pages: seen.footprint.pages,
        footprint_is_bound: bound,
        utilisation: utilisation(&seen.footprint),
        caches: seen
            .caches
            .iter()
            .zip(&traced.run.facts.hierarchies)
            .map(|(cache, hierarchy)| caches(cache, hierarchy, &footprint, whole, operations))
            .collect(),
        reuse,
        first_use_share,
        reuse_carriers,
        nodes: seen.nodes.iter().map(|&(page, thread, n)| (page, thread, part(n, accesses))).collect(),
        aliasing_4k: aliasing(&seen.aliasing, seen, access),
    })
}

fn part(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Operations of one machine iteration: FLOP, or integer operations where there are none.
fn operations(work: &WorkRow, iterations: u64) -> Option<f64> {
    let operations = if work.flop > 0 { work.flop } else { work.int_ops };
    (operations > 0 && iterations > 0).then(|| operations as f64 / iterations as f64)
}

/// The largest entry may have been larger than what was seen of it: a burst ends within at most one entry, so with more
/// entries than bursts some were seen whole.
fn is_bound(seen: &LoopPatterns, exhaustive: bool) -> bool {
    seen.footprint.is_bound || (!exhaustive && seen.entries.saturating_add(seen.joined) <= seen.bursts)
}

fn utilisation(footprint: &Footprint) -> Option<f64> {
    let fetched = footprint.all_lines.saturating_mul(footprint.line_bytes.into());
    (fetched > 0).then(|| part(footprint.all_bytes, fetched))
}

/// What is known of the whole run.
#[derive(Clone, Copy)]
struct Whole {
    /// Bytes of memory that the process has, at most.
    resident: u64,
    /// Machine iterations of the loop.
    iterations: u64,
}

impl Whole {
    /// The part of the lines of unknown origin that can be the program's first use of them, where a level holds all of its memory,
    /// so that none is evicted.
    fn new_part(self, level: &LevelUse, geometry: &CacheGeometry, traced: f64) -> f64 {
        let line = f64::from(geometry.line_bytes);
        let held = self.resident as f64 / line;
        let of_run = level.unknown as f64 / traced * self.iterations as f64;
        if held > geometry.lines as f64 || of_run <= held { 1.0 } else { held / of_run }
    }
}

/// Misses of a level when contents stay from burst to burst.
///
/// The simulation takes first uses for misses. They are, when bursts meet new parts of an array all the time. When
/// bursts meet the same lines again and again, the program has been over them before the first burst saw them: when all
/// lines of the loop fit, first uses are served as those that come again.
/// Of a loop whose entries are longer than a burst, bursts may all see the beginning: what they do not know are misses.
///
/// The number of lines is what was seen, divided by the share that was seen before (I. J. Good, "The population frequencies of species", Biometrika 40, 1953).
fn estimate(level: &LevelUse, geometry: &CacheGeometry, footprint: &Footprint) -> u64 {
    let most = level.misses.saturating_add(level.unknown);
    let first = level.first_uses.min(most);
    let again = most - first;
    let missed_again = level.estimated_misses.saturating_sub(level.first_uses).min(again);
    if footprint.is_bound {
        return most;
    }
    if level.unknown == 0 || again == 0 {
        return level.estimated_misses.clamp(level.misses, most);
    }
    let covered = part(again, most);
    let touched = footprint.all_lines as f64 * f64::from(footprint.line_bytes);
    let fits = touched <= covered * geometry.lines as f64 * f64::from(geometry.line_bytes);
    let first_missed =
        if fits && covered >= COVERED { first as f64 * part(missed_again, again) } else { first as f64 };
    (missed_again.saturating_add(first_missed as u64)).clamp(level.misses, most)
}

fn caches(
    cache: &CacheUse,
    hierarchy: &Hierarchy,
    footprint: &Footprint,
    whole: Option<Whole>,
    operations: Option<f64>,
) -> Vec<CacheFacts> {
    let iterations = cache.iterations.max(1) as f64;
    let levels: Vec<_> = cache.levels.iter().zip(&hierarchy.levels).collect();
    let first = |translation: bool| {
        levels.iter().find(|(_, g)| g.translation == translation).map_or(0, |(level, _)| level.accesses)
    };
    // The share of changed lines among those that leave the first level.
    let changed = levels.iter().find(|(_, g)| !g.translation).map_or(0.0, |(level, _)| {
        part(level.write_backs, level.misses.saturating_add(level.unknown)).min(1.0)
    });
    let last_data = levels.iter().rposition(|(_, g)| !g.translation);
    levels
        .iter()
        .enumerate()
        .map(|(at, &(level, geometry))| {
            let line = f64::from(geometry.line_bytes);
            let asked = first(geometry.translation);
            let high = level.misses.saturating_add(level.unknown);
            // What a TLB brings in are translations, not their pages.
            let bytes =
                |lines: u64| if geometry.translation { 0.0 } else { lines as f64 * line / iterations };
            let mut leaving = level.write_backs;
            if last_data == Some(at) {
                leaving = leaving.saturating_add(level.streamed);
            }
            let (bytes_in, bytes_out) = ((bytes(level.misses), bytes(high)), bytes(leaving));
            let new = whole.map_or(1.0, |whole| whole.new_part(level, geometry, iterations));
            let most = level.misses.saturating_add((level.unknown as f64 * new) as u64);
            let estimated = estimate(level, geometry, footprint).min(most);
            let estimated_in = bytes(estimated);
            let estimated_out =
                if level.unknown > 0 { bytes_out.max(estimated_in * changed) } else { bytes_out };
            CacheFacts {
                name: geometry.name.clone(),
                accesses: level.accesses,
                misses: level.misses,
                unknown: level.unknown,
                estimated_misses: estimated,
                estimated_misses_per_1000: 1000.0 * part(estimated, asked),
                misses_per_1000: (1000.0 * part(level.misses, asked), 1000.0 * part(high, asked)),
                bytes_in_per_iteration: bytes_in,
                bytes_out_per_iteration: bytes_out,
                estimated_bytes_in_per_iteration: estimated_in,
                estimated_bytes_out_per_iteration: estimated_out,
                intensity: operations.filter(|_| !geometry.translation).and_then(|operations| {
                    intensity(operations, level, bytes_in, bytes_out, line / iterations)
                }),
                estimated_intensity: operations
                    .filter(|_| !geometry.translation && estimated_in + estimated_out > 0.0)
                    .map(|operations| operations / (estimated_in + estimated_out)),
            }
        })
        .collect()
}

/// Operations per byte; `least` is what one line in all that was traced would be, so that traffic which
/// may be none has an end.
fn intensity(
    operations: f64,
    level: &LevelUse,
    bytes_in: (f64, f64),
    bytes_out: f64,
    least: f64,
) -> Option<(f64, f64)> {
    let most = bytes_in.1 + bytes_out;
    let moved = level.misses > 0 || level.unknown > 0 || bytes_out > 0.0;
    (moved && most > 0.0).then(|| (operations / most, operations / (bytes_in.0 + bytes_out).max(least)))
}

fn uses(histogram: &ReuseHistogram) -> u64 {
    histogram.buckets.iter().map(|bucket| bucket.2).fold(histogram.first, u64::saturating_add)
}

fn share_of_uses(histogram: &ReuseHistogram, count: u64) -> Option<f64> {
    let uses = uses(histogram);
    (uses > 0).then(|| part(count, uses))
}

fn reuse(histogram: &ReuseHistogram) -> Vec<(u64, u64, f64)> {
    let uses = uses(histogram);
    histogram.buckets.iter().map(|&(low, high, n)| (low, high, part(n, uses))).collect()
}

/// The loops that carry reuse, those that carry most first.
fn carriers(
    histogram: &ReuseHistogram,
    named: impl Fn(u32, u64) -> (Option<u32>, String),
) -> Vec<ReuseCarrier> {
    let all = uses(histogram);
    let mut carriers: Vec<ReuseCarrier> = histogram
        .carriers
        .iter()
        .map(|&(module, header, uses, distances)| {
            let before_loop = header == 0;
            let (loop_id, place) =
                if before_loop { (None, BEFORE.to_owned()) } else { named(module, header) };
            let lines = part(distances, uses);
            ReuseCarrier {
                loop_id,
                place,
                before_loop,
                share: part(uses, all),
                mean_bytes: lines * f64::from(histogram.line_bytes),
            }
        })
        .collect();
    carriers.sort_by(|a, b| b.share.total_cmp(&a.share));
    carriers
}

/// Aliasing pairs of operands as written; copies of one operand in an unrolled loop add up.
fn aliasing(pairs: &[AliasingUse], seen: &LoopPatterns, access: &[AccessFacts]) -> Vec<Aliasing> {
    let written = |site: u32| {
        let site = seen.sites.get(site as usize)?;
        let address = format!("{:#x}", site.address);
        access.iter().position(|access| access.kind == site.kind && access.addresses.contains(&address))
    };
    let mut found: Vec<(usize, usize, u64, (u64, u32))> = Vec::new();
    for pair in pairs {
        let Some((store, load)) = written(pair.store).zip(written(pair.load)) else { continue };
        match found.iter_mut().find(|known| (known.0, known.1) == (store, load)) {
            Some(known) => {
                known.2 = known.2.saturating_add(pair.count);
                known.3 = known.3.max((pair.count, pair.offset));
            }
            None => found.push((store, load, pair.count, (pair.count, pair.offset))),
        }
    }
    found.sort_by_key(|known| std::cmp::Reverse(known.2));
    found
        .into_iter()
        .map(|(store, load, count, (_, offset))| Aliasing {
            store: store as u32,
            load: load as u32,
            offset,
            // A gather meets a store with several of its lanes.
            share: part(count, access[load].executions).min(1.0),
        })
        .filter(|pair| pair.share >= ALIASING_SHARE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_patterns::cache;
    use loopwright_patterns::facts::{AccessKind, SitePattern};

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs()
    }

    /// A triad over 1000 iterations: 3 lines per 8 iterations, one of them changed.
    #[test]
    fn misses_become_bytes_per_iteration_and_intensity() {
        let hierarchy = cache::parse("32K:8+1M:8+64x4096:4:tlb").unwrap();
        let level = |accesses, misses, unknown, write_backs, streamed| LevelUse {
            accesses,
            misses,
            unknown,
            write_backs,
            streamed,
            estimated_misses: misses + unknown,
            first_uses: unknown,
        };
        let cache = CacheUse {
            iterations: 1000,
            levels: vec![level(3000, 375, 0, 125, 10), level(375, 75, 300, 25, 10), level(3000, 6, 3, 0, 0)],
        };
        let rows = caches(&cache, &hierarchy, &Footprint::default(), None, Some(2.0));
        let names: Vec<&str> = rows.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["L1", "L2", "DTLB"]);
        assert_eq!(rows[0].misses_per_1000, (125.0, 125.0));
        assert_eq!((rows[0].bytes_in_per_iteration, rows[0].bytes_out_per_iteration), ((24.0, 24.0), 8.0));
        assert_eq!(rows[0].intensity, Some((2.0 / 32.0, 2.0 / 32.0)));
        // The last level: streamed lines leave through it, and most of what it was asked for is not known.
        assert_eq!(rows[1].misses_per_1000, (25.0, 125.0));
        assert_eq!(rows[1].bytes_in_per_iteration, (75.0 * 0.064, 375.0 * 0.064));
        assert!(near(rows[1].bytes_out_per_iteration, 35.0 * 0.064));
        let (low, high) = rows[1].intensity.unwrap();
        assert!(near(low, 2.0 / (410.0 * 0.064)) && near(high, 2.0 / (110.0 * 0.064)));
        assert_eq!((rows[2].misses_per_1000, rows[2].bytes_in_per_iteration), ((2.0, 3.0), (0.0, 0.0)));
        assert_eq!(rows[2].intensity, None);
        assert_eq!(
            caches(&cache, &hierarchy, &Footprint::default(), None, None)[0].intensity,
            None,
            "no counts"
        );
        // Nothing but unknown: the highest intensity is that of one line, not infinite.
        let rows = caches(
            &CacheUse { iterations: 1000, levels: vec![level(10, 0, 10, 0, 0)] },
            &cache::parse("32K:8").unwrap(),
            &Footprint::default(),
            None,
            Some(2.0),
        );
        assert!(near(rows[0].intensity.unwrap().1, 2.0 / 0.064) && rows[0].intensity.unwrap().0 < 4.0);
        let none = CacheUse { iterations: 1000, levels: vec![level(10, 0, 0, 0, 0)] };
        assert_eq!(
            caches(&none, &cache::parse("32K:8").unwrap(), &Footprint::default(), None, Some(2.0))[0]
                .intensity,
            None
        );
    }

    /// L2 of 1 MiB is asked for 60,000 lines, of which no burst surely knows one.
    #[test]
    fn lines_that_bursts_meet_again_tell_where_first_uses_come_from() {
        let hierarchy = cache::parse("1M:16").unwrap();
        let estimated = |lines, first, missed_again| {
            let level = LevelUse {
                accesses: 60_000,
                unknown: 60_000,
                estimated_misses: first + missed_again,
                first_uses: first,
                ..LevelUse::default()
            };
            let footprint = Footprint { all_lines: lines, line_bytes: 64, ..Footprint::default() };
            estimate(&level, &hierarchy.levels[0], &footprint)
        };
        // 10,000 lines, 12,000 by the share of new ones: they fit, and what came again was there.
        assert_eq!(estimated(10_000, 10_000, 0), 0);
        // A tenth of what came again was not: nor was a tenth of what came first.
        assert_eq!(estimated(10_000, 10_000, 5_000), 6_000);
        // 14,000 of perhaps 18,300 lines do not fit into 16,384.
        assert_eq!(estimated(14_000, 14_000, 0), 14_000);
        // A stream: nothing comes again, or hardly anything.
        assert_eq!(estimated(60_000, 60_000, 0), 60_000);
        assert_eq!(estimated(10_000, 50_000, 0), 50_000, "few came again");
        // Bursts that see the beginning of longer entries, again and again.
        let level = LevelUse { accesses: 60_000, unknown: 60_000, ..LevelUse::default() };
        let part = Footprint { is_bound: true, ..Footprint::default() };
        assert_eq!(estimate(&level, &hierarchy.levels[0], &part), 60_000);
        // Nothing unknown: the simulation knows.
        let known = LevelUse { accesses: 10, misses: 7, estimated_misses: 7, ..LevelUse::default() };
        assert_eq!(estimate(&known, &hierarchy.levels[0], &Footprint::default()), 7);
    }

    /// Bursts that see the beginning of entries of 7.6 MiB, again and again: whether the program was there before is unknown.
    #[test]
    fn lines_of_a_process_that_a_level_holds_miss_once() {
        let hierarchy = cache::parse("1M:16+16M:16").unwrap();
        let level = LevelUse { accesses: 125_000, unknown: 125_000, ..LevelUse::default() };
        let cache = CacheUse { iterations: 125_000, levels: vec![level; 2] };
        let part = Footprint { is_bound: true, ..Footprint::default() };
        let missed = |resident: u64, iterations: u64| {
            let rows = caches(&cache, &hierarchy, &part, Some(Whole { resident, iterations }), None);
            [rows[0].estimated_misses, rows[1].estimated_misses]
        };
        // A line in each of 12.5 million iterations, of a process that has 125,000 lines.
        assert_eq!(missed(8_000_000, 12_500_000), [125_000, 1_250]);
        assert_eq!(missed(8_000_000, 125_000), [125_000, 125_000], "each is met once");
        assert_eq!(missed(32 << 20, 12_500_000), [125_000, 125_000], "the level does not hold all");
        // Bursts that meet all of it again and again: nothing is missed, and that stays so.
        let level = LevelUse { estimated_misses: 10_000, first_uses: 10_000, ..level };
        let cache = CacheUse { iterations: 125_000, levels: vec![level; 2] };
        let all = Footprint { all_lines: 10_000, line_bytes: 64, ..Footprint::default() };
        let whole = Some(Whole { resident: 8_000_000, iterations: 12_500_000 });
        assert_eq!(caches(&cache, &hierarchy, &all, whole, None)[1].estimated_misses, 0);
    }

    #[test]
    fn operations_are_flop_where_there_are_any() {
        let work = |flop, int_ops| WorkRow { flop, int_ops, ..WorkRow::default() };
        assert_eq!(operations(&work(300, 900), 100), Some(3.0));
        assert_eq!(operations(&work(0, 900), 100), Some(9.0));
        assert_eq!((operations(&work(0, 0), 100), operations(&work(5, 0), 0)), (None, None));
    }

    #[test]
    fn reuse_is_told_in_shares_and_bytes() {
        let histogram = ReuseHistogram {
            line_bytes: 64,
            buckets: vec![(0, 0, 50), (16, 19, 30)],
            first: 20,
            same: 50,
            carriers: vec![(0, 0, 10, 160), (0, 0x40, 20, 340), (9, 0x80, 0, 0)],
            ..ReuseHistogram::default()
        };
        assert_eq!(reuse(&histogram), [(0, 0, 0.5), (16, 19, 0.3)]);
        assert_eq!(share_of_uses(&histogram, histogram.first), Some(0.2));
        let carriers = carriers(&histogram, |_, header| (Some(7), format!("{header:#x}")));
        assert_eq!((carriers[0].loop_id, carriers[0].place.as_str()), (Some(7), "0x40"));
        assert!(near(carriers[0].share, 0.2) && near(carriers[0].mean_bytes, 17.0 * 64.0));
        assert_eq!((carriers[1].loop_id, carriers[1].place.as_str()), (None, BEFORE));
        assert!(carriers[1].before_loop && !carriers[0].before_loop);
        assert!(near(carriers[1].mean_bytes, 16.0 * 64.0));
        assert_eq!(share_of_uses(&ReuseHistogram::default(), 0), None);
    }

    #[test]
    fn a_footprint_is_a_bound_unless_entries_were_seen_whole() {
        let seen =
            |entries, joined, bursts| LoopPatterns { entries, joined, bursts, ..LoopPatterns::default() };
        assert!(is_bound(&seen(0, 3, 3), false) && is_bound(&seen(1, 0, 1), false));
        assert!(!is_bound(&seen(100, 3, 3), false) && !is_bound(&seen(1, 0, 1), true));
        let footprint =
            Footprint { all_bytes: 24, all_lines: 1, line_bytes: 64, is_bound: true, ..Footprint::default() };
        assert_eq!(utilisation(&footprint), Some(0.375));
        assert!(is_bound(&LoopPatterns { footprint, entries: 5, ..LoopPatterns::default() }, true));
        assert_eq!(utilisation(&Footprint::default()), None);
    }

    #[test]
    fn aliasing_pairs_are_those_of_written_operands() {
        let site = |kind, address| SitePattern { kind, address, executions: 100, ..SitePattern::default() };
        let access = |kind, addresses: &[&str], executions| AccessFacts {
            kind,
            addresses: addresses.iter().map(|&a| a.to_owned()).collect(),
            executions,
            ..AccessFacts::default()
        };
        let seen = LoopPatterns {
            sites: vec![
                site(AccessKind::Load, 0x10),
                site(AccessKind::Load, 0x14),
                site(AccessKind::Store, 0x18),
                site(AccessKind::Load, 0x1c),
            ],
            ..LoopPatterns::default()
        };
        // The first two are one operand as written.
        let written = [
            access(AccessKind::Load, &["0x10", "0x14"], 200),
            access(AccessKind::Store, &["0x18"], 100),
            access(AccessKind::Load, &["0x1c"], 100),
        ];
        let pair = |load, count, offset| AliasingUse { store: 2, load, count, offset };
        let pairs = [pair(0, 10, 8), pair(1, 90, 16), pair(3, 2, 0), pair(77, 50, 0)];
        let found = aliasing(&pairs, &seen, &written);
        assert_eq!(found, [Aliasing { store: 1, load: 0, offset: 16, share: 0.5 }]);
    }
}
