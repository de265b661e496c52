//! Strides against a plain reference on random streams, and on closed forms.

use super::Strides;
use crate::collect::Collector;
use crate::event::{Access, Event};
use crate::facts::{LaneSteps, LevelStrides, LoopPatterns, MOST_STRIDES, SitePattern};
use crate::shape::{LoopShape, Shape, Site};
use crate::streams::{Scribe, shape, stream};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn run(shape: &Shape, threads: &[Vec<Event>]) -> Vec<LoopPatterns> {
    let mut all: Option<Strides> = None;
    for (events, thread) in threads.iter().zip(0..) {
        let mut strides = Strides::new(thread, 64);
        // In pieces, as they come.
        events.chunks(7).for_each(|piece| strides.feed(shape, piece));
        strides.end();
        match &mut all {
            Some(all) => all.absorb(shape, &strides),
            None => all = Some(strides),
        }
    }
    let mut into = Collector::new(shape);
    all.unwrap().finish(&mut into);
    into.finish()
}

/// An access with its iterations, outermost first: loop, entry, number; and whether each was seen to its end.
#[derive(Clone, Debug)]
struct Seen {
    access: Access,
    path: Vec<(u32, u64, u64)>,
}

/// All accesses of a stream, and the iterations (entry, pass) that were not seen to their end.
fn accesses(thread: u64, events: &[Event], open: &mut BTreeSet<(u64, u64)>) -> Vec<Seen> {
    let mut path: Vec<(u32, u64, u64)> = Vec::new();
    let mut entries = thread << 32;
    let mut seen = Vec::new();
    for event in events.iter().chain([&Event::Gap]) {
        match *event {
            Event::Gap => open.extend(path.drain(..).map(|(_, entry, pass)| (entry, pass))),
            Event::Enter { loop_, .. } | Event::Join { loop_, .. } => {
                entries += 1;
                path.push((loop_, entries, 0));
            }
            Event::Pass { .. } => path.last_mut().unwrap().2 += 1,
            Event::Leave { .. } => drop(path.pop()),
            Event::Access(access) => seen.push(Seen { access, path: path.clone() }),
            Event::Call { .. } => {}
        }
    }
    seen
}

/// Address and lane of the first access, by entry and pass.
type FirstAccesses = BTreeMap<(u64, u64), (u64, u16)>;

fn most_frequent(values: &[i64]) -> (Vec<(i64, u64)>, u64) {
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    values.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<(i64, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    let others = counts.iter().skip(MOST_STRIDES).map(|c| c.1).sum();
    counts.truncate(MOST_STRIDES);
    (counts, others)
}

/// The definition, without optimisation, for one operand of one loop; and the addresses at which it began in
/// each iteration.
fn reference(
    shape: &Shape,
    site: u32,
    seen: &[Seen],
    open: &BTreeSet<(u64, u64)>,
) -> (SitePattern, BTreeMap<(u64, u64), u64>) {
    let at: &Site = &shape.sites[site as usize];
    let gather = at.lanes > 1;
    let element = if gather { 0 } else { u64::from(at.element) };
    let base = |access: &Access| access.address - u64::from(access.lane) * element;
    let mut executions: Vec<Vec<&Seen>> = Vec::new();
    let mut had: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut begun = BTreeMap::new();
    // First access of each iteration of each loop.
    let mut firsts: BTreeMap<u32, FirstAccesses> = BTreeMap::new();
    let mut inside: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for one in seen {
        let &(_, entry, pass) = one.path.last().unwrap();
        let first = !had.contains(&(entry, pass));
        let last_lane = executions.last().and_then(|e| e.last()).map_or(0, |s| s.access.lane);
        if first || one.access.lane <= last_lane {
            executions.push(Vec::new());
        }
        executions.last_mut().unwrap().push(one);
        if first && pass > 0 && !open.contains(&(entry, pass)) {
            begun.insert((entry, pass), base(&one.access));
        }
        for (depth, &(loop_, entry, pass)) in one.path.iter().enumerate() {
            let order = inside.len();
            let known = inside.entry(loop_).or_insert((usize::MAX, order));
            known.0 = known.0.min(one.path.len() - 1 - depth);
            had.insert((entry, pass));
            let first = (base(&one.access), one.access.lane);
            firsts.entry(loop_).or_default().entry((entry, pass)).or_insert(first);
        }
    }
    let mut strides = Vec::new();
    for (&loop_, firsts) in &firsts {
        let mut steps = Vec::new();
        let mut level =
            LevelStrides { header: shape.loops[loop_ as usize].header, ..LevelStrides::default() };
        for (&(entry, pass), &(address, lane)) in firsts {
            let Some(&(before, lane_before)) = firsts.get(&(entry, pass.wrapping_sub(1))) else { continue };
            if pass > 1 && lane == lane_before {
                steps.push(address as i64 - before as i64);
                level.same_line += u64::from(address / 64 == before / 64);
                level.same_page += u64::from(address / 4096 == before / 4096);
            }
        }
        level.steps = steps.len() as u64;
        level.ascending = steps.iter().filter(|&&s| s > 0).count() as u64;
        (level.values, level.others) = most_frequent(&steps);
        strides.push((inside[&loop_].0, level));
    }
    strides.sort_by_key(|(inside, level)| (*inside, level.header));
    let ends = |s: &Seen| (s.access.address, s.access.address + u64::from(s.access.size) - 1);
    let splits = |unit: u64| {
        executions.iter().filter(|e| e.iter().any(|s| ends(s).0 / unit != ends(s).1 / unit)).count() as u64
    };
    let unit = u64::from(if gather { at.element } else { at.size });
    let lanes = gather.then(|| {
        let mut lanes = LaneSteps::default();
        let mut all = Vec::new();
        for execution in &executions {
            let addresses: Vec<i64> = execution.iter().map(|s| s.access.address as i64).collect();
            let steps: Vec<i64> = addresses.windows(2).map(|w| w[1] - w[0]).collect();
            lanes.affine += u64::from(steps.windows(2).all(|w| w[0] == w[1]));
            lanes.ascending += u64::from(steps.iter().all(|&s| s >= 0));
            let lines: BTreeSet<u64> =
                execution.iter().flat_map(|s| [ends(s).0 / 64, ends(s).1 / 64]).collect();
            lanes.lines += lines.len() as u64;
            lanes.active += addresses.len() as u64;
            all.extend(steps);
        }
        (lanes.values, lanes.others) = most_frequent(&all);
        lanes
    });
    let pattern = SitePattern {
        address: at.address,
        kind: at.kind,
        size: at.size,
        element: at.element,
        lanes: at.lanes,
        executions: executions.len() as u64,
        bytes: seen.iter().map(|s| u64::from(s.access.size)).sum(),
        strides: strides.into_iter().map(|(_, level)| level).collect(),
        misaligned: executions.iter().filter(|e| base(&e[0].access) % unit != 0).count() as u64,
        line_splits: splits(64),
        page_splits: splits(4096),
        low: seen.iter().map(|s| ends(s).0).min().unwrap(),
        high: seen.iter().map(|s| ends(s).1 + 1).max().unwrap(),
        lane_steps: lanes,
        example: seen[0].access.address,
        ..SitePattern::default()
    };
    (pattern, begun)
}

fn check(shape: &Shape, threads: &[Vec<Event>]) {
    let mut open = BTreeSet::new();
    let seen: Vec<Vec<Seen>> =
        threads.iter().zip(0..).map(|(events, t)| accesses(t, events, &mut open)).collect();
    let seen: Vec<Seen> = seen.concat();
    let found = run(shape, threads);
    let mut expected_loops = 0;
    for (loop_, at) in shape.loops.iter().enumerate().filter(|(_, l)| l.chosen) {
        let inside: Vec<&Seen> =
            seen.iter().filter(|s| s.path.iter().any(|level| level.0 == loop_ as u32)).collect();
        let mut order: Vec<u32> = Vec::new();
        for one in &inside {
            if !order.contains(&one.access.site) {
                order.push(one.access.site);
            }
        }
        order.sort_unstable();
        expected_loops += usize::from(!order.is_empty());
        let Some(facts) = found.iter().find(|l| l.header == at.header) else {
            assert!(order.is_empty(), "loop {loop_} is missing");
            continue;
        };
        assert_eq!(facts.sites.len(), order.len());
        let mut begun = Vec::new();
        for (site, found) in order.iter().zip(&facts.sites) {
            let of_site: Vec<Seen> =
                inside.iter().filter(|s| s.access.site == *site).map(|s| (*s).clone()).collect();
            let (mut expected, starts) = reference(shape, *site, &of_site, &open);
            let mut found = found.clone();
            // Levels at the same depth are listed in the order in which they were met.
            found.strides.sort_by_key(|level| level.header);
            expected.strides.sort_by_key(|level| level.header);
            let leader = begun.iter().position(|others: &BTreeMap<(u64, u64), u64>| {
                let distances: BTreeSet<i64> = starts
                    .iter()
                    .filter_map(|(at, address)| Some(*address as i64 - *others.get(at)? as i64))
                    .collect();
                distances.len() == 1 && others.keys().eq(starts.keys())
            });
            expected.offset = leader.map(|leader| {
                let (at, address) = starts.iter().next().unwrap();
                (leader as u32, *address as i64 - begun[leader][at] as i64)
            });
            begun.push(starts);
            assert_eq!(found, expected, "loop {loop_} site {site}");
        }
    }
    assert_eq!(found.len(), expected_loops);
}

#[test]
fn a_distance_does_not_depend_on_which_iteration_was_complete_first() {
    let enter = |loop_| Event::Enter { loop_, stack: 0x7fff_0000 };
    let pass = |loop_| Event::Pass { loop_ };
    let leave = |loop_| Event::Leave { loop_, tested: true };
    let access = |site, address| Event::Access(Access { site, address, size: 4, lane: 0 });
    let both = |address| [access(2, address), access(3, address + 1032)];
    let mut events = vec![enter(3), pass(3), enter(0), pass(0)];
    events.extend(both(0x10800));
    events.extend([leave(0), pass(3)]);
    events.extend(both(0x10840));
    // An iteration that was running when the burst began shows for one operand that the inner one before is complete.
    events.extend([enter(0), access(2, 0x10900), leave(0), leave(3)]);
    check(&shape(), &[events]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn strides_are_those_of_the_definition(threads in prop::collection::vec(stream(200), 1..4)) {
        check(&shape(), &threads);
    }
}

fn level(facts: &SitePattern, at: usize) -> (u64, Vec<(i64, u64)>) {
    (facts.strides[at].steps, facts.strides[at].values.clone())
}

fn one_loop(sites: &[(u32, u32)]) -> Shape {
    Shape {
        loops: vec![LoopShape { header: 0x10, chosen: true, ..LoopShape::default() }],
        sites: (sites.iter().zip(0..))
            .map(|(&(size, element), n)| Site {
                address: 0x20 + n,
                size,
                element,
                lanes: 1,
                loop_: Some(0),
                ..Site::default()
            })
            .collect(),
        ..Shape::default()
    }
}

#[test]
fn a_triad_of_four_lanes_has_unit_strides_and_one_misaligned_array() {
    let shape = one_loop(&[(32, 8), (32, 8), (32, 8)]);
    let mut scribe = Scribe::new();
    scribe.run(0, 100, |s, n| {
        s.access(0, 0x10000 + 32 * n, 32);
        s.access(1, 0x20008 + 32 * n, 32);
        s.access(2, 0x30000 + 32 * n, 32);
    });
    let facts = &run(&shape, &[scribe.events])[0];
    for site in &facts.sites {
        assert_eq!(level(site, 0), (99, vec![(32, 99)]));
        assert_eq!((site.executions, site.bytes, site.strides[0].ascending), (100, 3200, 99));
    }
    assert_eq!((facts.sites[1].misaligned, facts.sites[1].line_splits), (100, 50));
    assert_eq!(
        (facts.sites[0].misaligned, facts.sites[0].line_splits, facts.sites[0].page_splits),
        (0, 0, 0)
    );
    assert_eq!(facts.sites[2].offset, Some((0, 0x20000)));
    assert_eq!((facts.sites[0].low, facts.sites[0].high), (0x10000, 0x10000 + 3200));
}

#[test]
fn an_array_of_structures_a_reversed_walk_and_a_scalar() {
    let shape = one_loop(&[(8, 8), (8, 8), (8, 8)]);
    let mut scribe = Scribe::new();
    scribe.run(0, 50, |s, n| {
        s.access(0, 0x10008 + 24 * n, 8);
        s.access(1, 0x20000 - 8 * n, 8);
        s.access(2, 0x30000, 8);
    });
    let facts = &run(&shape, &[scribe.events])[0];
    assert_eq!(level(&facts.sites[0], 0), (49, vec![(24, 49)]));
    assert_eq!(level(&facts.sites[1], 0), (49, vec![(-8, 49)]));
    assert_eq!(facts.sites[1].strides[0].ascending, 0);
    assert_eq!(level(&facts.sites[2], 0), (49, vec![(0, 49)]));
    assert_eq!(facts.sites[2].offset, None, "the others move");
}

#[test]
fn a_column_walk_has_a_unit_stride_outside_and_triangles_ragged_ones() {
    let mut shape = one_loop(&[(8, 8)]);
    shape.loops.push(LoopShape { header: 0x18, chosen: true, parent: Some(0), ..LoopShape::default() });
    let (rows, columns) = (30, 20);
    let mut scribe = Scribe::new();
    scribe.run(0, columns, |s, j| {
        s.run(1, rows, |s, i| s.access(0, 0x10000 + 8 * (columns * i + j), 8));
    });
    let facts = run(&shape, &[scribe.events]);
    for facts in &facts {
        let site = &facts.sites[0];
        assert_eq!(level(site, 0), (columns * (rows - 1), vec![(160, columns * (rows - 1))]));
        assert_eq!(level(site, 1), (columns - 1, vec![(8, columns - 1)]));
        assert_eq!((site.strides[0].header, site.strides[1].header), (0x18, 0x10));
    }
    // a[j][i] for i from j: the first element moves by a row and a column.
    let mut scribe = Scribe::new();
    scribe.run(0, 10, |s, j| {
        s.run(1, 10 - j, |s, i| s.access(0, 0x10000 + 8 * (10 * j + j + i), 8));
    });
    let site = &run(&shape, &[scribe.events])[1].sites[0];
    assert_eq!((level(site, 0), level(site, 1)), ((45, vec![(8, 45)]), (9, vec![(88, 9)])));
}

#[test]
fn copies_in_an_unrolled_loop_and_neighbours_in_a_stencil_keep_their_distances() {
    let shape = one_loop(&[(8, 8); 7]);
    let mut scribe = Scribe::new();
    scribe.run(0, 20, |s, n| {
        (0..4).for_each(|copy| s.access(copy, 0x10000 + 32 * n + 8 * u64::from(copy), 8));
        for (site, at) in [(4, 0), (5, 8), (6, 16)] {
            s.access(site, 0x20000 + 8 * n + at, 8);
        }
    });
    let facts = &run(&shape, &[scribe.events])[0];
    let offsets: Vec<_> = facts.sites.iter().map(|s| s.offset).collect();
    let expected = [None, Some((0, 8)), Some((0, 16)), Some((0, 24)), None, Some((4, 8)), Some((4, 16))];
    assert_eq!(offsets, expected);
}

#[test]
fn a_gather_through_an_index_is_described_by_its_lanes() {
    let mut shape = one_loop(&[(32, 8)]);
    shape.sites[0].lanes = 4;
    let mut scribe = Scribe::new();
    // Two executions: every third element, and a permutation with one lane off.
    let lanes: [&[(u16, u64)]; 2] = [&[(0, 0), (1, 24), (2, 48), (3, 72)], &[(0, 640), (2, 0), (3, 8)]];
    scribe.run(0, 2, |s, n| {
        for &(lane, at) in lanes[n as usize] {
            s.lane(0, 0x10000 + at, 8, lane);
        }
    });
    let site = &run(&shape, &[scribe.events])[0].sites[0];
    let lanes = site.lane_steps.as_ref().unwrap();
    assert_eq!((site.executions, site.bytes, site.misaligned), (2, 56, 0));
    assert_eq!(lanes.values, vec![(24, 3), (-640, 1), (8, 1)]);
    assert_eq!((lanes.affine, lanes.ascending, lanes.lines, lanes.active), (1, 1, 4, 7));
    assert_eq!(level(site, 0), (1, vec![(640, 1)]));
}

#[test]
fn iterations_without_an_access_and_without_a_beginning_make_no_step() {
    let shape = one_loop(&[(8, 8)]);
    let mut scribe = Scribe::new();
    scribe.run(0, 10, |s, n| {
        if n != 4 {
            s.access(0, 0x1000 + 8 * n, 8);
        }
    });
    let join = [Event::Gap, Event::Join { loop_: 0, stack: 0 }];
    scribe.events.extend(join);
    scribe.access(0, 0x5000, 8);
    for n in 0..3 {
        scribe.events.push(Event::Pass { loop_: 0 });
        scribe.access(0, 0x6000 + 16 * n, 8);
    }
    let site = &run(&shape, &[scribe.events])[0].sites[0];
    assert_eq!(level(site, 0), (7 + 2, vec![(8, 7), (16, 2)]));
    assert_eq!(site.executions, 9 + 4);
}

/// Operands are listed in the order of the program: the loop's own function, then called ones, each by address.
#[test]
fn operands_are_listed_in_the_order_of_the_program() {
    let site =
        |function, address| Site { function, address, size: 8, element: 8, lanes: 1, ..Site::default() };
    let shape = Shape {
        loops: vec![LoopShape { function: 0x500, header: 0x510, chosen: true, ..LoopShape::default() }],
        sites: vec![site(0x100, 0x110), site(0x500, 0x528), site(0x500, 0x520), site(0x100, 0x108)],
        ..Shape::default()
    };
    let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack: 0 }];
    for n in 0..4 {
        events.push(Event::Pass { loop_: 0 });
        for site in 0..4 {
            let address = 0x1000 * (u64::from(site) + 1) + 8 * n;
            events.push(Event::Access(Access { site, address, size: 8, lane: 0 }));
        }
    }
    let listed = run(&shape, &[events]);
    let addresses: Vec<u64> = listed[0].sites.iter().map(|site| site.address).collect();
    assert_eq!(addresses, [0x520, 0x528, 0x108, 0x110]);
    // The distance is that from the first operand of the list.
    assert_eq!(
        listed[0].sites.iter().map(|site| site.offset).collect::<Vec<_>>(),
        [None, Some((0, -0x1000)), Some((0, 0x1000)), Some((0, -0x2000))]
    );
}
