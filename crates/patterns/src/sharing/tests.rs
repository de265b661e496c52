//! Sharing against a plain reference on random streams, and on typical cases.

use super::SharedLines;
use crate::collect::Collector;
use crate::event::Event;
use crate::facts::Sharing;
use crate::lines::Room;
use crate::shape::Shape;
use crate::streams::{Scribe, shape, stream};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One call of `feed`: thread, window, events.
type Piece = (u32, u64, Vec<Event>);

fn run(shape: &Shape, pieces: &[Piece], bytes: u64) -> BTreeMap<u64, Sharing> {
    let mut room = Room::new(bytes);
    let mut shared = SharedLines::new(64);
    for (thread, window, events) in pieces {
        shared.feed(*thread, *window, shape, events, &mut room);
    }
    let mut into = Collector::new(shape);
    shared.finish(&mut room, &mut into);
    into.finish().into_iter().filter_map(|l| Some((l.header, l.sharing?))).collect()
}

/// For each thread the bytes read and written of one line, and its accesses.
type LineUse = BTreeMap<u32, (BTreeSet<u64>, BTreeSet<u64>, u64)>;

/// Uses by line and accesses by thread.
type Window = (BTreeMap<u64, LineUse>, BTreeMap<u32, u64>);

fn reference(shape: &Shape, loop_: u32, pieces: &[Piece]) -> Option<Sharing> {
    let mut nests: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut windows: BTreeMap<u64, Window> = BTreeMap::new();
    for (thread, window, events) in pieces {
        let nest = nests.entry(*thread).or_default();
        for event in events {
            match *event {
                Event::Gap => nest.clear(),
                Event::Enter { loop_, .. } | Event::Join { loop_, .. } => nest.push(loop_),
                Event::Leave { .. } => drop(nest.pop()),
                Event::Access(access) if nest.contains(&loop_) => {
                    let kind = shape.sites[access.site as usize].kind;
                    let (lines, accesses) = windows.entry(*window).or_default();
                    *accesses.entry(*thread).or_default() += 1;
                    let bytes = access.address..access.address + u64::from(access.size);
                    for line in bytes.clone().map(|b| b / 64).collect::<BTreeSet<_>>() {
                        let used = lines.entry(line).or_default().entry(*thread).or_default();
                        let of_line = bytes.clone().filter(|b| b / 64 == line);
                        if kind.reads() {
                            used.0.extend(of_line.clone());
                        }
                        if kind.writes() {
                            used.1.extend(of_line);
                        }
                        used.2 += 1;
                    }
                }
                _ => {}
            }
        }
    }
    let mut sharing = Sharing::default();
    let mut found: BTreeMap<u64, (bool, u64)> = BTreeMap::new();
    for (lines, accesses) in windows.values().filter(|window| window.1.len() > 1) {
        sharing.windows += 1;
        sharing.accesses += accesses.values().sum::<u64>();
        for (line, uses) in lines {
            if uses.len() < 2 || uses.values().all(|used| used.1.is_empty()) {
                continue;
            }
            let meets = uses.iter().any(|(thread, used)| {
                uses.iter().any(|(other, theirs)| {
                    other != thread && used.1.iter().any(|b| theirs.0.contains(b) || theirs.1.contains(b))
                })
            });
            let known = found.entry(*line).or_default();
            known.0 |= meets;
            known.1 += uses.values().map(|used| used.2).sum::<u64>();
        }
    }
    for (is_true, accesses) in found.values() {
        let (lines, of_lines) = match is_true {
            true => (&mut sharing.true_lines, &mut sharing.true_accesses),
            false => (&mut sharing.false_lines, &mut sharing.false_accesses),
        };
        *lines += 1;
        *of_lines += accesses;
    }
    (sharing.windows > 0).then_some(sharing)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn sharing_is_that_of_the_definition(
        streams in prop::collection::vec(stream(150), 2..4), length in 1usize..60,
    ) {
        // Threads run in turn; a window lasts one turn of all.
        let mut pieces: Vec<Piece> = Vec::new();
        for window in 0.. {
            let from = window * length;
            if streams.iter().all(|events| events.len() <= from) {
                break;
            }
            for (events, thread) in streams.iter().zip(0..) {
                let events = events.iter().skip(from).take(length).copied().collect();
                pieces.push((thread, window as u64, events));
            }
        }
        let shape = shape();
        let found = run(&shape, &pieces, 1 << 30);
        for (loop_, at) in shape.loops.iter().enumerate().filter(|(_, l)| l.chosen) {
            let expected = reference(&shape, loop_ as u32, &pieces);
            let found = found.get(&at.header).map(|f| Sharing { examples: Vec::new(), ..f.clone() });
            prop_assert_eq!(found, expected);
        }
    }
}

fn walk(site: u32, address: u64, n: u64) -> Vec<Event> {
    let mut scribe = Scribe::new();
    scribe.run(0, n, |s, i| s.access(site, address + 8 * (i % 4), 8));
    scribe.events
}

#[test]
fn neighbouring_sums_share_a_line_falsely() {
    // Each thread updates its own part of one line; site 1 stores.
    let pieces = [(0, 0, walk(1, 0x1000, 8)), (1, 0, walk(1, 0x1020, 8)), (0, 1, walk(1, 0x1000, 8))];
    let found = &run(&shape(), &pieces, 1 << 20)[&0x10];
    assert_eq!((found.windows, found.false_lines, found.true_lines), (1, 1, 0));
    assert_eq!((found.false_accesses, found.accesses), (16, 16));
    let example = &found.examples[0];
    assert_eq!((example.address, example.accesses), (0x1000, 16));
    assert_eq!(example.users, [(0, 0, 0, 31, true), (1, 0, 32, 63, true)]);
}

#[test]
fn what_all_read_and_what_one_tells_another_is_not_false_sharing() {
    let read = [(0, 0, walk(0, 0x1000, 8)), (1, 0, walk(0, 0x1000, 8))];
    let found = &run(&shape(), &read, 1 << 20)[&0x10];
    assert_eq!((found.false_lines, found.true_lines, found.accesses), (0, 0, 16));
    let told = [(0, 0, walk(1, 0x1000, 8)), (1, 0, walk(0, 0x1010, 8))];
    let found = &run(&shape(), &told, 1 << 20)[&0x10];
    assert_eq!((found.false_lines, found.true_lines), (0, 1));
}

#[test]
fn one_thread_shares_nothing_and_other_times_are_not_the_same_time() {
    assert!(run(&shape(), &[(0, 0, walk(1, 0x1000, 8)), (0, 1, walk(1, 0x1000, 8))], 1 << 20).is_empty());
    let apart = [(0, 0, walk(1, 0x1000, 8)), (1, 1, walk(1, 0x1020, 8))];
    assert!(run(&shape(), &apart, 1 << 20).is_empty());
}

#[test]
fn a_second_thread_is_noticed_after_a_long_serial_part() {
    let mut pieces: Vec<Piece> = (0..100).map(|window| (0, window, walk(1, 0x1000, 8))).collect();
    for window in 100..103 {
        pieces.push((0, window, walk(1, 0x1000, 8)));
        pieces.push((1, window, walk(1, 0x1020, 8)));
    }
    let found = &run(&shape(), &pieces, 1 << 20)[&0x10];
    // The first thread's part of the window in which the second one appeared is missed.
    assert_eq!((found.windows, found.false_lines, found.accesses), (2, 1, 32));
}

#[test]
fn without_room_it_is_said() {
    let wide = |thread: u32| {
        let mut scribe = Scribe::new();
        scribe.run(0, 1000, |s, i| s.access(1, 0x10000 + 512 * i + 8 * u64::from(thread), 8));
        (thread, 0, scribe.events)
    };
    let found = &run(&shape(), &[wide(0), wide(1)], 1 << 16)[&0x10];
    assert!(found.is_bound && found.false_lines < 1000);
}
