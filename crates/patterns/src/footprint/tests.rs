//! Footprints against plain sets on random streams, arrays on typical accesses.

use super::Footprints;
use crate::collect::Collector;
use crate::event::Event;
use crate::facts::{Footprint, LoopPatterns};
use crate::lines::Room;
use crate::shape::{LoopShape, Shape, Site};
use crate::streams::{Scribe, shape, stream};
use crate::strides::Strides;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn run(shape: &Shape, threads: &[Vec<Event>], room: u64) -> Vec<LoopPatterns> {
    let mut room = Room::new(room);
    let (mut all, mut strides) = (Footprints::new(64), Strides::new(0, 64));
    for (events, thread) in threads.iter().zip(0..) {
        let (mut footprints, mut of_thread) = (Footprints::new(64), Strides::new(thread, 64));
        for piece in events.chunks(5) {
            footprints.feed(shape, piece, &mut room);
            of_thread.feed(shape, piece);
        }
        footprints.end();
        of_thread.end();
        all.absorb(footprints, &mut room);
        strides.absorb(shape, &of_thread);
    }
    let mut into = Collector::new(shape);
    strides.finish(&mut into);
    all.finish(&mut into);
    into.finish()
}

/// Bytes by entry of a loop: one set for each time that it becomes active.
fn entries(loop_: u32, events: &[Event]) -> Vec<BTreeSet<u64>> {
    let mut nest: Vec<u32> = Vec::new();
    let mut entries: Vec<BTreeSet<u64>> = Vec::new();
    for event in events {
        match *event {
            Event::Gap => nest.clear(),
            Event::Enter { loop_: new, .. } | Event::Join { loop_: new, .. } => {
                if new == loop_ && !nest.contains(&loop_) {
                    entries.push(BTreeSet::new());
                }
                nest.push(new);
            }
            Event::Leave { .. } => drop(nest.pop()),
            Event::Access(access) if nest.contains(&loop_) => {
                let bytes = access.address..access.address + u64::from(access.size);
                entries.last_mut().unwrap().extend(bytes);
            }
            _ => {}
        }
    }
    entries
}

fn distinct(bytes: &BTreeSet<u64>, unit: u64) -> u64 {
    bytes.iter().map(|byte| byte / unit).collect::<BTreeSet<_>>().len() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn footprints_are_those_of_plain_sets(threads in prop::collection::vec(stream(150), 1..4)) {
        let shape = shape();
        let found = run(&shape, &threads, 1 << 30);
        for (loop_, at) in shape.loops.iter().enumerate().filter(|(_, l)| l.chosen) {
            let entries: Vec<BTreeSet<u64>> =
                threads.iter().flat_map(|events| entries(loop_ as u32, events)).collect();
            let Some(facts) = found.iter().find(|l| l.header == at.header) else {
                prop_assert!(entries.iter().all(BTreeSet::is_empty));
                continue;
            };
            let all: BTreeSet<u64> = entries.iter().flatten().copied().collect();
            let most = entries.iter().map(|e| (distinct(e, 64), e.len() as u64, distinct(e, 4096))).max();
            let seen = &facts.footprint;
            prop_assert_eq!(Some((seen.lines, seen.bytes, seen.pages)), most);
            prop_assert_eq!((seen.all_lines, seen.all_bytes), (distinct(&all, 64), all.len() as u64));
            prop_assert!(!seen.is_bound);
            // Every operand is in exactly one array, and the arrays' bytes are among those touched.
            let mut sites: Vec<u32> = seen.arrays.iter().flat_map(|a| a.sites.clone()).collect();
            sites.sort_unstable();
            prop_assert_eq!(sites, (0..facts.sites.len() as u32).collect::<Vec<_>>());
            for array in &seen.arrays {
                prop_assert!(array.bytes <= distinct(&all, 1) && array.bytes <= 64 * array.lines);
                prop_assert!(array.low < array.high);
            }
        }
    }
}

fn footprint(sites: usize, body: impl FnMut(&mut Scribe, u64), n: u64) -> Footprint {
    let shape = Shape {
        loops: vec![LoopShape { header: 0x10, chosen: true, ..LoopShape::default() }],
        sites: vec![Site { size: 8, element: 8, lanes: 1, ..Site::default() }; sites],
        ..Shape::default()
    };
    let mut scribe = Scribe::new();
    scribe.run(0, n, body);
    run(&shape, &[scribe.events], 1 << 30).remove(0).footprint
}

/// Sites, lines and bytes of each array.
fn arrays(footprint: &Footprint) -> Vec<(Vec<u32>, u64, u64)> {
    footprint.arrays.iter().map(|a| (a.sites.clone(), a.lines, a.bytes)).collect()
}

#[test]
fn arrays_side_by_side_are_apart_and_neighbours_in_one_are_together() {
    // a[i-1], a[i], a[i+1], and b[i] that begins on the line on which a ends.
    let body = |s: &mut Scribe, n: u64| {
        (0..3).for_each(|k| s.access(k, 0x10000 + 8 * (n + u64::from(k)), 8));
        s.access(3, 0x10000 + 8 * 102 + 8 * n, 8);
    };
    let found = footprint(4, body, 100);
    assert_eq!(arrays(&found), [(vec![0, 1, 2], 13, 816), (vec![3], 14, 800)]);
    assert_eq!((found.lines, found.bytes, found.all_lines), (26, 1616, 26));
}

#[test]
fn fields_of_a_structure_share_an_array_and_its_gaps() {
    // Two doubles of structures of four.
    let found = footprint(
        2,
        |s, n| (0..2).for_each(|field| s.access(field, 0x10000 + 32 * n + 16 * u64::from(field), 8)),
        64,
    );
    assert_eq!(arrays(&found), [(vec![0, 1], 32, 1024)]);
    assert_eq!((found.pages, found.line_bytes), (1, 64));
}

#[test]
fn columns_of_a_matrix_share_it_although_they_meet_on_no_line() {
    let column = |s: &mut Scribe, n: u64| {
        s.access(0, 0x10000 + 4096 * n, 8);
        s.access(1, 0x10000 + 4096 * n + 2048, 8);
    };
    assert_eq!(arrays(&footprint(2, column, 50)), [(vec![0, 1], 100, 800)]);
    // Nodes of two lists that alternate in memory.
    let nodes = |s: &mut Scribe, n: u64| {
        let at = |k: u64| 0x10000 + 128 * ((n * 37 + k) % 101);
        s.access(0, at(0), 8);
        s.access(1, at(0) + 64, 8);
    };
    assert_eq!(footprint(2, nodes, 90).arrays.len(), 2);
}

#[test]
fn scalars_in_a_frame_are_no_array() {
    let found = footprint(3, |s, _| (0..3).for_each(|k| s.access(k, 0x7000 + 8 * u64::from(k), 8)), 10);
    assert_eq!(arrays(&found), [(vec![0], 1, 8), (vec![1], 1, 8), (vec![2], 1, 8)]);
    assert_eq!((found.lines, found.bytes), (1, 24));
}

#[test]
fn a_full_memory_makes_bounds() {
    let shape = Shape {
        loops: vec![LoopShape { chosen: true, ..LoopShape::default() }],
        sites: vec![Site { size: 8, element: 8, lanes: 1, ..Site::default() }],
        ..Shape::default()
    };
    let mut scribe = Scribe::new();
    scribe.run(0, 10_000, |s, n| s.access(0, 4096 * n, 8));
    let found = run(&shape, &[scribe.events], 1 << 16).remove(0).footprint;
    assert!(found.is_bound && found.all_lines > 10 && found.all_lines < 10_000, "{found:?}");
}
