//! Distances against the definition, closed forms, carriers of loop nests.

use super::*;
use crate::event::Access;
use crate::facts::LoopPatterns;
use crate::shape::{LoopShape, Site};
use proptest::prelude::*;

fn shape(chosen: &[bool]) -> Shape {
    let header = |n: usize| 16 * (n as u64 + 1);
    let loops = chosen.iter().enumerate();
    Shape {
        loops: loops
            .map(|(n, &chosen)| LoopShape { header: header(n), chosen, ..LoopShape::default() })
            .collect(),
        sites: vec![Site::default()],
        ..Shape::default()
    }
}

fn enter(loop_: u32) -> Event {
    Event::Enter { loop_, stack: 0 }
}

fn pass(loop_: u32) -> Event {
    Event::Pass { loop_ }
}

fn leave(loop_: u32) -> Event {
    Event::Leave { loop_, tested: false }
}

fn line(line: u64) -> Event {
    Event::Access(Access { site: 0, address: 64 * line, size: 8, lane: 0 })
}

fn found(shape: &Shape, events: &[Event], cold: bool) -> Vec<LoopPatterns> {
    let mut reuse = Reuse::new(64, cold, 1 << 20);
    reuse.feed(shape, events);
    let mut all = Collector::new(shape);
    reuse.finish(&mut all);
    all.finish()
}

/// The definition: distinct other lines since the last use.
fn naive(lines: &[u64]) -> Vec<Option<u64>> {
    let distance = |at: usize| {
        let last = lines[..at].iter().rposition(|&l| l == lines[at])?;
        let between: std::collections::HashSet<u64> = lines[last + 1..at].iter().copied().collect();
        Some(between.len() as u64)
    };
    (0..lines.len()).map(distance).collect()
}

proptest! {
    #[test]
    fn distances_are_those_of_the_definition(lines in prop::collection::vec(0_u64..100, 1..500)) {
        let mut history = History::new(1000);
        for (at, expected) in naive(&lines).into_iter().enumerate() {
            let got = match history.use_line(lines[at], at as u64) {
                Use::First { may_be_forgotten } => {
                    prop_assert!(!may_be_forgotten);
                    None
                }
                Use::Again { distance, clock } => {
                    let last = lines[..at].iter().rposition(|&l| l == lines[at]);
                    prop_assert_eq!(last, Some(clock as usize));
                    Some(distance)
                }
            };
            prop_assert_eq!(got, expected, "use {} of {:?}", at, lines);
        }
    }

    #[test]
    fn buckets_hold_their_distances(distance in 0_u64..u64::MAX / 4) {
        let (low, high) = range(bucket(distance));
        prop_assert!((low..=high).contains(&distance), "{distance} in {low}..={high}");
        prop_assert!(distance < EXACT && low == high || high - low < low / 2);
    }
}

/// Many more lines than the tree has places at first: it is rewritten again and again.
#[test]
fn a_cyclic_walk_has_one_distance() {
    let mut history = History::new(1 << 20);
    for round in 0..20_u64 {
        for n in 0..3000 {
            let expected = if round == 0 {
                Use::First { may_be_forgotten: false }
            } else {
                Use::Again { distance: 2999, clock: (round - 1) * 3000 + n }
            };
            assert_eq!(history.use_line(n, round * 3000 + n), expected, "{round} {n}");
        }
    }
    assert!(history.entries.len() < 1 << 14 && history.tree.len() < 1 << 14);
}

#[test]
fn memory_is_bounded_and_what_is_lost_is_told() {
    let mut history = History::new(1000);
    for n in 0..100_000_u64 {
        assert!(matches!(history.use_line(n, n), Use::First { .. }));
        assert!(history.places.len() <= SMALLEST + RECENT);
    }
    assert_eq!(history.use_line(0, 100_000), Use::First { may_be_forgotten: true });
    assert!(matches!(history.use_line(99_900, 100_001), Use::Again { distance: 100, .. }));
}

/// `for i in 0..4 { for j in 0..8 { a[j]; b[i] } }`, every element on a line of its own: `a` is carried by the outer loop,
/// `b` by the inner one.
fn nest() -> Vec<Event> {
    let mut events = vec![Event::Gap, enter(0)];
    for i in 0..4 {
        events.extend([pass(0), enter(1)]);
        for j in 0..8 {
            events.extend([pass(1), line(100 + j), line(200 + i)]);
        }
        events.push(leave(1));
    }
    events.push(leave(0));
    events
}

#[test]
fn reuse_is_carried_by_the_loop_whose_iterations_share_a_line() {
    let loops = found(&shape(&[true, true]), &nest(), false);
    let outer = loops[0].reuse.as_ref().unwrap();
    assert_eq!((outer.line_bytes, outer.first, outer.same, outer.forgotten), (64, 8 + 4, 0, 0));
    // `a[j]`: 7 others of `a`, and two of `b`; `b[i]`: one `a` between.
    assert_eq!(outer.buckets, [(1, 1, 4 * 7), (8, 8, 3), (9, 9, 3 * 7)]);
    assert_eq!(outer.carriers, [(0, 32, 28, 28), (0, 16, 24, 3 * 8 + 21 * 9)]);
    // Seen from the inner loop it is the same.
    assert_eq!(loops[1].reuse.as_ref().unwrap().carriers, outer.carriers);
}

#[test]
fn uses_before_the_entry_and_within_an_iteration_are_told_apart() {
    // A line used before both loops; one used in the outer iteration before the inner loop; one twice in an iteration.
    let events = [
        Event::Gap,
        line(1),
        enter(0),
        pass(0),
        line(1),
        line(2),
        enter(1),
        pass(1),
        line(2),
        line(3),
        line(3),
        leave(1),
        leave(0),
    ];
    let loops = found(&shape(&[true, true]), &events, false);
    let outer = loops[0].reuse.as_ref().unwrap();
    assert_eq!((outer.first, outer.same), (2, 3));
    assert_eq!(outer.carriers, [(0, 0, 1, 0)], "line 1 only");
    let inner = loops[1].reuse.as_ref().unwrap();
    assert_eq!(inner.carriers, [(0, 0, 1, 0)], "line 2 only");
    assert_eq!(inner.buckets, [(0, 0, 2)]);
}

#[test]
fn a_gap_forgets_unless_the_stream_is_cold() {
    let mut events = nest();
    events.extend(nest());
    let of = |cold| {
        let loops = found(&shape(&[false, true]), &events, cold);
        let reuse = loops[0].reuse.clone().unwrap();
        (reuse.first, reuse.carriers.iter().find(|c| c.1 == 0).map(|c| c.2))
    };
    assert_eq!(of(false), (24, None));
    assert_eq!(of(true), (12, Some(12)));
}

#[test]
fn a_loop_that_is_active_twice_counts_once() {
    let events =
        [Event::Gap, enter(0), pass(0), line(1), enter(0), pass(0), line(1), leave(0), line(1), leave(0)];
    let loops = found(&shape(&[true]), &events, false);
    let reuse = loops[0].reuse.as_ref().unwrap();
    assert_eq!((reuse.first, reuse.same), (1, 2));
}
