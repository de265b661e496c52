//! Unites the facts of one loop from several processes: the ranks of a job do different parts of one computation.
//!
//! Counts add up; the largest value of an entry stays the largest; facts that must always hold stay only when
//! all agree. Addresses of different processes are not comparable: arrays are one where their operands are.

use crate::facts::{
    AliasingUse, Array, BranchUse, CacheUse, Checked, Dependence, Edge, Footprint, LaneSteps, LevelStrides,
    LoopPatterns, MOST_EDGES, MOST_STRIDES, ReuseHistogram, Sharing, SitePattern,
};
use std::collections::{BTreeMap, HashMap};

/// Adds `other` to `known`; `module` maps the index of a module of `other` to that in `known`.
pub fn unite(known: &mut LoopPatterns, other: &LoopPatterns, module: &dyn Fn(u32) -> u32) {
    known.entries = known.entries.saturating_add(other.entries);
    known.joined = known.joined.saturating_add(other.joined);
    known.iterations = known.iterations.saturating_add(other.iterations);
    known.bursts = known.bursts.saturating_add(other.bursts);
    let sites = unite_sites(&mut known.sites, &other.sites, module);
    let site = |index: u32| sites.get(index as usize).copied().unwrap_or(u32::MAX);
    unite_dependences(&mut known.dependences, &other.dependences, &site);
    unite_options(&mut known.checked, &other.checked, unite_checked);
    unite_footprint(&mut known.footprint, &other.footprint, &site);
    for (index, cache) in other.caches.iter().enumerate() {
        match known.caches.get_mut(index) {
            Some(into) => unite_cache(into, cache),
            None => known.caches.push(cache.clone()),
        }
    }
    let carriers = |mut reuse: ReuseHistogram| {
        reuse.carriers.iter_mut().for_each(|carrier| carrier.0 = module(carrier.0));
        reuse
    };
    unite_options(&mut known.reuse, &other.reuse.clone().map(carriers), unite_reuse);
    let users = |mut sharing: Sharing| {
        sharing.examples.iter_mut().flat_map(|line| &mut line.users).for_each(|user| user.1 = site(user.1));
        sharing
    };
    unite_options(&mut known.sharing, &other.sharing.clone().map(users), unite_sharing);
    for pair in &other.aliasing {
        let (store, load) = (site(pair.store), site(pair.load));
        match known.aliasing.iter_mut().find(|known| (known.store, known.load) == (store, load)) {
            Some(into) => {
                // The offset of the process with more occurrences.
                if pair.count > into.count {
                    into.offset = pair.offset;
                }
                into.count = into.count.saturating_add(pair.count);
            }
            None => known.aliasing.push(AliasingUse { store, load, ..pair.clone() }),
        }
    }
    for &(page, thread, accesses) in &other.nodes {
        match known.nodes.iter_mut().find(|node| (node.0, node.1) == (page, thread)) {
            Some(node) => node.2 = node.2.saturating_add(accesses),
            None => known.nodes.push((page, thread, accesses)),
        }
    }
    unite_branches(&mut known.branches, &other.branches, module);
    for call in &other.calls {
        match known.calls.iter_mut().find(|c| c.address == call.address && c.target == call.target) {
            Some(into) => {
                into.count = into.count.saturating_add(call.count);
                into.modelled &= call.modelled;
            }
            None => known.calls.push(call.clone()),
        }
    }
    for gap in &other.gaps {
        if !known.gaps.contains(gap) {
            known.gaps.push(gap.clone());
        }
    }
}

fn unite_options<T: Clone>(known: &mut Option<T>, other: &Option<T>, unite: impl Fn(&mut T, &T)) {
    match (known, other) {
        (Some(known), Some(other)) => unite(known, other),
        (known @ None, other) => *known = other.clone(),
        (Some(_), None) => {}
    }
}

fn unite_branches(known: &mut Vec<BranchUse>, other: &[BranchUse], module: &dyn Fn(u32) -> u32) {
    let mut at: HashMap<(u32, u64), usize> =
        known.iter().enumerate().map(|(index, seen)| ((seen.module, seen.address), index)).collect();
    for seen in other {
        let seen = BranchUse { module: module(seen.module), ..seen.clone() };
        match at.get(&(seen.module, seen.address)) {
            Some(&index) => {
                let into = &mut known[index];
                into.executed = into.executed.saturating_add(seen.executed);
                into.taken = into.taken.saturating_add(seen.taken);
                into.predicted = into.predicted.saturating_add(seen.predicted);
                into.mispredicted = into.mispredicted.saturating_add(seen.mispredicted);
            }
            None => {
                at.insert((seen.module, seen.address), known.len());
                known.push(seen);
            }
        }
    }
}

/// Adds the sites; the result lists the new index of each.
fn unite_sites(known: &mut Vec<SitePattern>, other: &[SitePattern], module: &dyn Fn(u32) -> u32) -> Vec<u32> {
    let key = |site: &SitePattern, module: u32| (module, site.address, site.operand);
    let mut at: HashMap<_, u32> =
        known.iter().zip(0..).map(|(site, index)| (key(site, site.module), index)).collect();
    let mut places = Vec::with_capacity(other.len());
    let before = known.len();
    for site in other {
        let moved = module(site.module);
        let next = known.len() as u32;
        let index = *at.entry(key(site, moved)).or_insert(next);
        places.push(index);
        let mut levels = site.strides.clone();
        levels.iter_mut().for_each(|level| level.module = module(level.module));
        if index == next {
            known.push(SitePattern { module: moved, strides: levels, ..site.clone() });
            continue;
        }
        let into = &mut known[index as usize];
        into.misaligned = into.misaligned.saturating_add(site.misaligned);
        into.line_splits = into.line_splits.saturating_add(site.line_splits);
        into.page_splits = into.page_splits.saturating_add(site.page_splits);
        if site.executions > 0 {
            let first = into.executions == 0;
            into.low = if first { site.low } else { into.low.min(site.low) };
            into.high = into.high.max(site.high);
            into.example = if first { site.example } else { into.example };
        }
        into.executions = into.executions.saturating_add(site.executions);
        into.bytes = into.bytes.saturating_add(site.bytes);
        for level in &levels {
            match into.strides.iter_mut().find(|l| (l.module, l.header) == (level.module, level.header)) {
                Some(into) => unite_level(into, level),
                None => into.strides.push(level.clone()),
            }
        }
        unite_options(&mut into.lane_steps, &site.lane_steps, unite_lanes);
    }
    // Offsets refer to other sites, whose indices are known only now.
    for (site, &place) in other.iter().zip(&places) {
        let moved = site.offset.map(|(index, bytes)| (places.get(index as usize).copied(), bytes));
        let moved = moved.and_then(|(index, bytes)| Some((index?, bytes)));
        let into = &mut known[place as usize];
        if place as usize >= before {
            into.offset = moved;
        } else if into.offset != moved {
            into.offset = None;
        }
    }
    places
}

/// Adds counts of values; the most frequent are kept, the rest summed.
fn unite_values(known: &mut Vec<(i64, u64)>, others: &mut u64, more: &[(i64, u64)]) {
    for &(value, count) in more {
        match known.iter_mut().find(|entry| entry.0 == value) {
            Some(entry) => entry.1 = entry.1.saturating_add(count),
            None => known.push((value, count)),
        }
    }
    known.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    let rest = known.drain(known.len().min(MOST_STRIDES)..);
    *others = rest.fold(*others, |sum, (_, count)| sum.saturating_add(count));
}

fn unite_level(known: &mut LevelStrides, other: &LevelStrides) {
    known.steps = known.steps.saturating_add(other.steps);
    known.others = known.others.saturating_add(other.others);
    known.ascending = known.ascending.saturating_add(other.ascending);
    known.same_line = known.same_line.saturating_add(other.same_line);
    known.same_page = known.same_page.saturating_add(other.same_page);
    unite_values(&mut known.values, &mut known.others, &other.values);
}

fn unite_lanes(known: &mut LaneSteps, other: &LaneSteps) {
    known.others = known.others.saturating_add(other.others);
    known.affine = known.affine.saturating_add(other.affine);
    known.ascending = known.ascending.saturating_add(other.ascending);
    known.lines = known.lines.saturating_add(other.lines);
    known.active = known.active.saturating_add(other.active);
    unite_values(&mut known.values, &mut known.others, &other.values);
}

fn unite_dependences(known: &mut Vec<Dependence>, other: &[Dependence], site: &dyn Fn(u32) -> u32) {
    for found in other {
        let found = Dependence { source: site(found.source), sink: site(found.sink), ..found.clone() };
        let key = |d: &Dependence| (d.kind, d.source, d.sink);
        let Some(into) = known.iter_mut().find(|d| key(d) == key(&found)) else {
            known.push(found);
            continue;
        };
        into.others = into.others.saturating_add(found.others);
        into.exposed = into.exposed.saturating_add(found.exposed);
        into.scalar &= found.scalar;
        into.callee_frame &= found.callee_frame;
        let nearest = |d: &Dependence| d.edges.first().map_or(u64::MAX, |edge| edge.distance);
        if nearest(&found) < nearest(into) {
            into.example = found.example;
        }
        let mut edges: BTreeMap<(u64, u32, u32, u32), u64> = BTreeMap::new();
        for edge in into.edges.iter().chain(&found.edges) {
            let key = (edge.distance, edge.source_offset, edge.sink_offset, edge.length);
            let known = edges.entry(key).or_default();
            *known = known.saturating_add(edge.count);
        }
        into.others = into
            .others
            .saturating_add(edges.values().skip(MOST_EDGES).fold(0, |sum, &count| sum.saturating_add(count)));
        let edge = |((distance, source_offset, sink_offset, length), count)| Edge {
            distance,
            source_offset,
            sink_offset,
            length,
            count,
        };
        into.edges = edges.into_iter().take(MOST_EDGES).map(edge).collect();
    }
}

fn unite_checked(known: &mut Checked, other: &Checked) {
    known.iterations = known.iterations.saturating_add(other.iterations);
    known.entries = known.entries.saturating_add(other.entries);
    known.longest = known.longest.max(other.longest);
    known.forgotten = known.forgotten.saturating_add(other.forgotten);
}

fn unite_footprint(known: &mut Footprint, other: &Footprint, site: &dyn Fn(u32) -> u32) {
    known.bytes = known.bytes.max(other.bytes);
    known.lines = known.lines.max(other.lines);
    known.pages = known.pages.max(other.pages);
    known.all_lines = known.all_lines.saturating_add(other.all_lines);
    known.all_bytes = known.all_bytes.saturating_add(other.all_bytes);
    known.line_bytes = known.line_bytes.max(other.line_bytes);
    known.is_bound |= other.is_bound;
    for array in &other.arrays {
        let mut sites: Vec<u32> = array.sites.iter().map(|&index| site(index)).collect();
        sites.sort_unstable();
        match known.arrays.iter_mut().find(|known| known.sites == sites) {
            Some(into) => {
                into.lines = into.lines.saturating_add(array.lines);
                into.bytes = into.bytes.saturating_add(array.bytes);
            }
            None => known.arrays.push(Array { sites, ..array.clone() }),
        }
    }
}

fn unite_cache(known: &mut CacheUse, other: &CacheUse) {
    known.iterations = known.iterations.saturating_add(other.iterations);
    for (index, level) in other.levels.iter().enumerate() {
        match known.levels.get_mut(index) {
            Some(into) => into.add(level),
            None => known.levels.push(*level),
        }
    }
}

fn unite_reuse(known: &mut ReuseHistogram, other: &ReuseHistogram) {
    let mut buckets: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for &(low, high, uses) in known.buckets.iter().chain(&other.buckets) {
        let known = buckets.entry((low, high)).or_default();
        *known = known.saturating_add(uses);
    }
    known.buckets = buckets.into_iter().map(|((low, high), uses)| (low, high, uses)).collect();
    known.first = known.first.saturating_add(other.first);
    known.forgotten = known.forgotten.saturating_add(other.forgotten);
    known.same = known.same.saturating_add(other.same);
    for &(module, header, uses, sum) in &other.carriers {
        match known.carriers.iter_mut().find(|c| (c.0, c.1) == (module, header)) {
            Some(into) => {
                into.2 = into.2.saturating_add(uses);
                into.3 = into.3.saturating_add(sum);
            }
            None => known.carriers.push((module, header, uses, sum)),
        }
    }
}

fn unite_sharing(known: &mut Sharing, other: &Sharing) {
    known.windows = known.windows.saturating_add(other.windows);
    known.false_lines = known.false_lines.saturating_add(other.false_lines);
    known.false_accesses = known.false_accesses.saturating_add(other.false_accesses);
    known.true_lines = known.true_lines.saturating_add(other.true_lines);
    known.true_accesses = known.true_accesses.saturating_add(other.true_accesses);
    known.accesses = known.accesses.saturating_add(other.accesses);
    known.is_bound |= other.is_bound;
    let keep = known.examples.len().max(other.examples.len());
    known.examples.extend(other.examples.iter().cloned());
    known.examples.sort_by_key(|line| std::cmp::Reverse(line.accesses));
    known.examples.truncate(keep);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{DependenceKind, LevelUse};

    fn site(module: u32, address: u64, executions: u64) -> SitePattern {
        SitePattern {
            module,
            address,
            executions,
            bytes: 8 * executions,
            low: 0x1000 * executions,
            high: 0x1000 * executions + 64,
            strides: vec![LevelStrides {
                module,
                header: 0x10,
                steps: executions - 1,
                values: vec![(8, executions - 1)],
                ..LevelStrides::default()
            }],
            ..SitePattern::default()
        }
    }

    #[test]
    fn sites_are_matched_by_address_and_their_indices_follow() {
        let edge = |distance| Edge { distance, source_offset: 0, sink_offset: 0, length: 8, count: 2 };
        let flow = |source, sink, distance| Dependence {
            kind: DependenceKind::Flow,
            source,
            sink,
            edges: vec![edge(distance)],
            scalar: true,
            example: distance,
            ..Dependence::default()
        };
        let array = |sites: &[u32]| Array { lines: 4, bytes: 100, sites: sites.to_vec(), ..Array::default() };
        let mut a = LoopPatterns {
            iterations: 10,
            sites: vec![site(0, 0x20, 10), site(0, 0x24, 10)],
            dependences: vec![flow(0, 1, 5)],
            footprint: Footprint {
                bytes: 80,
                all_bytes: 80,
                arrays: vec![array(&[0, 1])],
                ..Footprint::default()
            },
            aliasing: vec![AliasingUse { store: 0, load: 1, count: 4, offset: 8 }],
            caches: vec![CacheUse {
                levels: vec![LevelUse { misses: 3, ..LevelUse::default() }],
                iterations: 10,
            }],
            ..LoopPatterns::default()
        };
        a.sites[1].offset = Some((0, 8));
        let branch = |module, address, executed| BranchUse {
            module,
            address,
            executed,
            taken: executed / 2,
            predicted: executed,
            mispredicted: 1,
            ..BranchUse::default()
        };
        a.branches = vec![branch(0, 0x22, 10)];
        // The other process has its modules and its sites in another order.
        let mut b = LoopPatterns {
            iterations: 20,
            sites: vec![site(1, 0x28, 20), site(1, 0x24, 20), site(1, 0x20, 20)],
            dependences: vec![flow(2, 1, 3)],
            footprint: Footprint {
                bytes: 70,
                all_bytes: 70,
                arrays: vec![array(&[1, 2])],
                ..Footprint::default()
            },
            aliasing: vec![AliasingUse { store: 2, load: 1, count: 5, offset: 16 }],
            caches: a.caches.clone(),
            ..LoopPatterns::default()
        };
        b.branches = vec![branch(1, 0x26, 6), branch(1, 0x22, 20)];
        b.sites[1].offset = Some((2, 8));
        b.sites[0].offset = Some((2, 16));
        unite(&mut a, &b, &|module| 1 - module);
        assert_eq!(a.iterations, 30);
        assert_eq!(
            a.branches,
            [BranchUse { mispredicted: 2, ..branch(0, 0x22, 30) }, branch(0, 0x26, 6)],
            "branches of one address add up"
        );
        let addresses: Vec<(u32, u64, u64)> =
            a.sites.iter().map(|s| (s.module, s.address, s.executions)).collect();
        assert_eq!(addresses, [(0, 0x20, 30), (0, 0x24, 30), (0, 0x28, 20)]);
        assert_eq!(a.sites.iter().map(|s| s.offset).collect::<Vec<_>>(), [None, Some((0, 8)), Some((0, 16))]);
        assert_eq!((a.sites[0].strides[0].module, a.sites[0].strides[0].values[0]), (0, (8, 28)));
        assert_eq!((a.sites[0].low, a.sites[0].high), (0xa000, 0x14040));
        assert_eq!(a.dependences.len(), 1);
        let d = &a.dependences[0];
        assert_eq!((d.source, d.sink, d.edges.len(), d.example, d.scalar), (0, 1, 2, 3, true));
        assert_eq!((a.footprint.bytes, a.footprint.all_bytes, a.footprint.arrays.len()), (80, 150, 1));
        assert_eq!(a.footprint.arrays[0].bytes, 200);
        assert_eq!(a.aliasing, [AliasingUse { store: 0, load: 1, count: 9, offset: 16 }]);
        assert_eq!((a.caches[0].levels[0].misses, a.caches[0].iterations), (6, 20));
    }

    #[test]
    fn the_most_frequent_values_are_kept_and_the_rest_counted() {
        let (mut known, mut others) = (vec![(8, 5)], 1);
        let many: Vec<(i64, u64)> = (0..20).map(|n| (n, 2)).collect();
        unite_values(&mut known, &mut others, &many);
        assert_eq!((known.len(), known[0]), (MOST_STRIDES, (8, 7)));
        assert_eq!(known.iter().map(|v| v.1).sum::<u64>() + others, 5 + 1 + 40);
    }
}
