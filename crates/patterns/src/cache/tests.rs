//! Hierarchies against a plain reference, closed forms, bursts, and attribution to loops.

use super::*;
use crate::event::Access;
use crate::facts::{AccessKind, CacheGeometry, LoopPatterns, Replacement};
use crate::shape::{LoopShape, Site};
use proptest::prelude::*;

fn hierarchy(text: &str) -> Hierarchy {
    parse(text).unwrap()
}

fn shape(chosen: &[bool]) -> Shape {
    Shape {
        loops: chosen
            .iter()
            .enumerate()
            .map(|(n, &chosen)| LoopShape { header: 16 * (n as u64 + 1), chosen, ..LoopShape::default() })
            .collect(),
        sites: vec![
            Site { kind: AccessKind::Load, ..Site::default() },
            Site { kind: AccessKind::Store, ..Site::default() },
            Site { kind: AccessKind::Store, streaming: true, ..Site::default() },
        ],
        ..Shape::default()
    }
}

fn access(site: u32, address: u64, size: u32) -> Event {
    Event::Access(Access { site, address, size, lane: 0 })
}

fn simulate(text: &str, cold: bool, shape: &Shape, events: &[Event]) -> Vec<LoopPatterns> {
    let mut caches = Caches::new(&[hierarchy(text)], cold);
    caches.feed(shape, events);
    let mut all = Collector::new(shape);
    caches.finish(&mut all);
    all.finish()
}

/// One loop that does these accesses, an iteration each.
fn one_loop(accesses: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack: 0 }];
    for access in accesses {
        events.extend([Event::Pass { loop_: 0 }, access]);
    }
    events.push(Event::Leave { loop_: 0, tested: false });
    events
}

fn sums(text: &str, cold: bool, accesses: impl IntoIterator<Item = Event>) -> Vec<LevelUse> {
    let loops = simulate(text, cold, &shape(&[true]), &one_loop(accesses));
    loops[0].caches[0].levels.clone()
}

/// `do j = 1, 8; do i = 1, 16; u(i-1,j) + u(i+1,j) - 4 u(i,j) + u(i,j-1) + u(i,j+1)`: rows of 20 elements that begin on
/// a line, four elements of 16 bytes in a line, twelve lines.
fn laplacian(order: impl IntoIterator<Item = (u64, u64)>) -> u64 {
    let u = |i: u64, j: u64| access(0, 0x10000 + 16 * (i + 20 * j), 16);
    let reads =
        order.into_iter().flat_map(|(i, j)| [u(i - 1, j), u(i + 1, j), u(i, j), u(i, j - 1), u(i, j + 1)]);
    let levels = sums("12x64:full", true, reads);
    assert_eq!((levels[0].accesses, levels[0].unknown), (16 * 8 * 5, 0));
    levels[0].misses
}

/// The stencil of the cache-blocking lecture. Unblocked, each of the 8 outer iterations needs 3 rows of 5 lines, more
/// than the 12 lines of the cache: 8 x 15. In blocks of 4 columns each of the 10 rows has 2 lines: 4 x 10 x 2. In
/// blocks of 4 x 4, the 6 rows of a block have 2 lines each, 12 in all, of which the next block along the row shares 6:
/// all 5 lines of 6 rows come once, for each of the 2 rows of blocks: 2 x 30.
#[test]
fn blocking_a_laplacian_saves_misses() {
    let plain = (1..=8).flat_map(|j| (1..=16).map(move |i| (i, j)));
    assert_eq!(laplacian(plain), 120);
    let blocks = || (1..=16).step_by(4);
    let inner = blocks().flat_map(|b| (1..=8).flat_map(move |j| (b..b + 4).map(move |i| (i, j))));
    assert_eq!(laplacian(inner), 80);
    let both = [1, 5].into_iter().flat_map(|jb| {
        blocks().flat_map(move |b| (jb..jb + 4).flat_map(move |j| (b..b + 4).map(move |i| (i, j))))
    });
    assert_eq!(laplacian(both), 60);
}

#[test]
fn an_access_across_lines_uses_both_and_a_page_end_both_pages() {
    let levels = sums(
        "8x64:full+4x4096:full:tlb",
        true,
        [access(0, 4096 - 8, 16), access(0, 4096 - 8, 16), access(0, 60, 4), access(0, 60, 8)],
    );
    assert_eq!((levels[0].accesses, levels[0].misses), (2 + 2 + 1 + 2, 4));
    assert_eq!((levels[1].accesses, levels[1].misses), (2 + 2 + 1 + 1, 2));
}

/// A copy of 64 lines through caches of 8 and 32: each changed line is written back once per level, except
/// those that are still there at the end.
#[test]
fn changed_lines_travel_outwards() {
    let store = (0..512_u64).map(|n| access(1, 8 * n, 8));
    let levels = sums("8x64:full+32x64:4", true, store.clone());
    assert_eq!((levels[0].accesses, levels[0].misses, levels[0].write_backs), (512, 64, 56));
    assert_eq!((levels[1].accesses, levels[1].misses, levels[1].write_backs), (64, 64, 32));
    // The second round hits nothing in the first level and, with LRU, nothing in the second.
    let levels = sums("8x64:full+32x64:4", true, store.clone().chain(store));
    assert_eq!((levels[0].misses, levels[1].misses), (128, 128));
    assert_eq!((levels[0].write_backs, levels[1].write_backs), (120, 96));
}

#[test]
fn streaming_stores_go_past_and_take_out() {
    let levels = sums(
        "8x64:full+32x64:full",
        true,
        // Line 0 is changed, streamed over by two halves, and read again: it is not there any more.
        [access(1, 0, 8), access(2, 0, 32), access(2, 32, 32), access(0, 0, 8)],
    );
    assert_eq!((levels[0].accesses, levels[0].misses), (4, 2));
    assert_eq!((levels[0].streamed, levels[1].streamed), (1, 1));
    assert_eq!((levels[0].write_backs, levels[1].write_backs), (1, 1));
    let stream = (0..256_u64).map(|n| access(2, 16 * n, 16));
    let levels = sums("8x64:full", true, stream);
    assert_eq!((levels[0].streamed, levels[0].misses, levels[0].write_backs), (64, 0, 0));
}

/// 12 lines in turn: 8 + 4 hold them when the second takes the first's evictions, and not when it also holds
/// the first's lines.
#[test]
fn a_victim_cache_adds_its_lines() {
    let rounds = || (0..10 * 12_u64).map(|n| access(0, 64 * (n % 12), 8));
    let victim = sums("8x64:full+4x64:full:victim", true, rounds());
    assert_eq!((victim[0].misses, victim[1].misses), (120, 12));
    let plain = sums("8x64:full+4x64:full", true, rounds());
    assert_eq!((plain[0].misses, plain[1].misses), (120, 120));
    // A changed line that returns is still changed.
    let writes = [0, 1, 2, 0, 3, 4, 5, 6].map(|line| access(u32::from(line == 0), 64 * line, 8));
    let levels = sums("2x64:full+2x64:full:victim", true, writes);
    assert_eq!(levels[1].write_backs, 1, "line 0 leaves for memory once: {levels:?}");
}

#[test]
fn a_burst_tells_unknown_from_missed() {
    // Two bursts read 6 lines in turn through 4: the first 4 of a burst may have been there.
    let mut events = Vec::new();
    for _ in 0..2 {
        events.extend([Event::Gap, Event::Join { loop_: 0, stack: 0 }]);
        for n in 0..12 {
            events.extend([Event::Pass { loop_: 0 }, access(0, 64 * (n % 6), 8)]);
        }
    }
    let loops = simulate("4x64:full+8x64:full", false, &shape(&[true]), &events);
    let cache = &loops[0].caches[0];
    assert_eq!(cache.iterations, 24);
    assert_eq!((cache.levels[0].misses, cache.levels[0].unknown), (2 * 8, 2 * 4));
    // The second level saw 6 distinct lines, 2 of them surely: its contents are never known.
    assert_eq!((cache.levels[1].accesses, cache.levels[1].misses, cache.levels[1].unknown), (24, 0, 12));
    // The estimate: the second burst hits in the second level the lines of the first.
    let estimated: Vec<(u64, u64)> =
        cache.levels.iter().map(|l| (l.estimated_misses, l.first_uses)).collect();
    assert_eq!(estimated, [(24, 6), (6, 6)]);
    // When the program's first access was traced, first uses miss, and the second burst hits the lines of the first.
    let cold = simulate("4x64:full+8x64:full", true, &shape(&[true]), &events);
    let levels = &cold[0].caches[0].levels;
    assert_eq!((levels[0].misses, levels[0].unknown), (24, 0));
    assert_eq!((levels[1].misses, levels[1].unknown), (6, 0));
}

#[test]
fn counts_go_to_all_active_chosen_loops() {
    let enter = |loop_| Event::Enter { loop_, stack: 0 };
    let pass = |loop_| Event::Pass { loop_ };
    let leave = |loop_| Event::Leave { loop_, tested: false };
    let events = [
        Event::Gap,
        access(0, 0, 8),
        enter(0),
        pass(0),
        access(0, 64, 8),
        enter(1),
        pass(1),
        access(0, 128, 8),
        enter(2),
        pass(2),
        access(0, 192, 8),
        // Recursion: the same loop again counts once.
        enter(0),
        pass(0),
        access(0, 256, 8),
        leave(0),
        leave(2),
        leave(1),
        pass(0),
        leave(0),
    ];
    let loops = simulate("8x64:full", true, &shape(&[true, false, true]), &events);
    let seen: Vec<(u64, u64, u64)> =
        loops.iter().map(|l| (l.header, l.caches[0].levels[0].misses, l.caches[0].iterations)).collect();
    assert_eq!(seen, [(16, 4, 3), (48, 2, 1)]);
}

/// A hierarchy written after its description: lists of lines, youngest first.
struct Plain {
    levels: Vec<(CacheGeometry, Vec<PlainSet>, LevelUse)>,
}

/// Line and whether it is changed, youngest first.
type PlainSet = Vec<(u64, bool)>;

impl Plain {
    fn new(hierarchy: &Hierarchy) -> Self {
        let empty = |g: &CacheGeometry| vec![Vec::new(); (g.lines / u64::from(g.ways)) as usize];
        let levels = hierarchy.levels.iter().map(|g| (g.clone(), empty(g), LevelUse::default()));
        Self { levels: levels.collect() }
    }

    fn set(&mut self, level: usize, line: u64) -> &mut PlainSet {
        let sets = &mut self.levels[level].1;
        let n = sets.len() as u64;
        &mut sets[(line % n) as usize]
    }

    /// Reads or writes a line at a level; returns whether it comes changed from a victim level.
    fn access(&mut self, level: usize, line: u64, write: bool) -> bool {
        if level == self.levels.len() {
            return false;
        }
        self.levels[level].2.accesses += 1;
        let victim = self.levels[level].0.victim;
        let set = self.set(level, line);
        if let Some(at) = set.iter().position(|&(l, _)| l == line) {
            let (_, changed) = set.remove(at);
            if victim {
                return changed;
            }
            set.insert(0, (line, changed || write));
            return false;
        }
        self.levels[level].2.misses += 1;
        let changed = self.access(level + 1, line, false);
        if victim {
            return changed;
        }
        self.put(level, line, write || changed);
        false
    }

    fn put(&mut self, level: usize, line: u64, changed: bool) {
        let ways = self.levels[level].0.ways as usize;
        let set = self.set(level, line);
        set.insert(0, (line, changed));
        if set.len() <= ways {
            return;
        }
        let (old, old_changed) = set.pop().unwrap();
        self.levels[level].2.write_backs += u64::from(old_changed);
        let Some(next) = self.levels.get(level + 1) else { return };
        if !next.0.victim && !old_changed {
            return;
        }
        match self.set(level + 1, old).iter_mut().find(|(l, _)| *l == old) {
            Some(held) => held.1 |= old_changed,
            None => self.put(level + 1, old, old_changed),
        }
    }
}

proptest! {
    #[test]
    fn hierarchies_do_as_the_plain_one(
        text in prop::sample::select(vec![
            "4x64:2",
            "4x64:2+8x64:4",
            "2x64:full+6x64:2+16x64:full",
            "4x64:2+8x64:4+8x64:full:victim",
            "40x64:full+80x64:full:victim",
        ]),
        accesses in prop::collection::vec((0_u64..120, any::<bool>()), 1..600),
    ) {
        let mut plain = Plain::new(&hierarchy(text));
        for &(line, write) in &accesses {
            plain.access(0, line, write);
        }
        let expected: Vec<LevelUse> = plain
            .levels
            .iter()
            .map(|l| LevelUse { estimated_misses: l.2.misses, ..l.2 })
            .collect();
        let events = accesses.iter().map(|&(line, write)| access(u32::from(write), 64 * line, 8));
        prop_assert_eq!(sums(text, true, events), expected);
    }

    /// Bursts with unknown contents bound the result of a simulation from the start.
    #[test]
    fn bursts_bound_the_truth(
        before in prop::collection::vec(0_u64..80, 0..300),
        burst in prop::collection::vec(0_u64..80, 1..600),
    ) {
        let text = "4x64:2+16x64:4+32x64:full";
        let all = before.iter().chain(&burst).map(|&line| access(0, 64 * line, 8));
        let head = sums(text, true, before.iter().map(|&line| access(0, 64 * line, 8)));
        let whole = sums(text, true, all);
        let part = sums(text, false, burst.iter().map(|&line| access(0, 64 * line, 8)));
        for level in 0..3 {
            let truth = whole[level].misses - head[level].misses;
            let (low, high) = (part[level].misses, part[level].misses + part[level].unknown);
            prop_assert!((low..=high).contains(&truth), "level {level}: {truth} in {low}..={high}");
        }
    }

    /// A gap in which nothing ran: the estimate equals the result of a simulation without it, within the bounds.
    #[test]
    fn estimates_hold_when_nothing_runs_between_bursts(
        lines in prop::collection::vec(0_u64..80, 1..600),
        gap in 0_usize..600,
    ) {
        let text = "4x64:2+16x64:4+32x64:full";
        let whole = sums(text, true, lines.iter().map(|&line| access(0, 64 * line, 8)));
        let mut events = one_loop(lines.iter().map(|&line| access(0, 64 * line, 8)));
        let at = 1 + gap % (events.len() - 1);
        events.splice(at..at, [Event::Gap, Event::Join { loop_: 0, stack: 0 }]);
        let found = simulate(text, false, &shape(&[true]), &events);
        let mut seen = std::collections::BTreeSet::new();
        let first = lines.iter().filter(|&&line| seen.insert(line)).count() as u64;
        for (part, whole) in found[0].caches[0].levels.iter().zip(&whole) {
            prop_assert_eq!((part.estimated_misses, part.first_uses), (whole.misses, first));
            prop_assert!((part.misses..=part.misses + part.unknown).contains(&part.estimated_misses));
        }
    }
}

#[test]
fn repeating_a_line_at_once_changes_nothing_but_for_srrip() {
    for policy in ["lru", "fifo", "plru", "nru", "srrip", "random"] {
        let text = format!("4x64:4:{policy}");
        let lines = [0_u64, 0, 1, 2, 3, 4, 0, 5, 5, 1, 6, 0, 2];
        let levels = sums(&text, true, lines.map(|line| access(0, 64 * line, 8)));
        let mut cache = set::Cache::new(&hierarchy(&text).levels[0], true);
        let misses = lines
            .iter()
            .filter(|&&line| {
                let missed = !cache.touch(line, false);
                if missed {
                    cache.fill(line, false, true);
                }
                missed
            })
            .count();
        assert_eq!((levels[0].accesses, levels[0].misses), (13, misses as u64), "{policy}");
    }
    assert_eq!(hierarchy("4x64:4:srrip").levels[0].policy, Replacement::Srrip);
}
