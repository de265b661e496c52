//! Against a plain reference on random loop nests, and against closed forms.

use super::*;
use crate::facts::{AccessKind, Dependence, LoopPatterns};
use crate::shape::{CallShape, LoopShape, Site};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// An invented program.
#[derive(Clone, Debug)]
enum Node {
    Loop { loop_: u32, trips: u64, tested: bool, body: Vec<Node> },
    Access { site: u32, address: u64, strides: Vec<i64>, size: u32 },
    Gap,
}

fn run(nodes: &[Node], active: &mut Vec<(u32, i64)>, out: &mut Vec<Event>) {
    for node in nodes {
        match node {
            Node::Loop { loop_, trips, tested, body } => {
                out.push(Event::Enter { loop_: *loop_, stack: 1 << 40 });
                active.push((*loop_, 0));
                for k in 0..*trips {
                    active.last_mut().unwrap().1 = k as i64;
                    out.push(Event::Pass { loop_: *loop_ });
                    run(body, active, out);
                }
                if *tested {
                    out.push(Event::Pass { loop_: *loop_ });
                }
                active.pop();
                out.push(Event::Leave { loop_: *loop_, tested: *tested });
            }
            Node::Access { site, address, strides, size } => {
                let moved: i64 = strides.iter().zip(active.iter().rev()).map(|(s, (_, k))| s * k).sum();
                let address = address.wrapping_add_signed(moved);
                out.push(Event::Access(Access { site: *site, address, size: *size, lane: 0 }));
            }
            Node::Gap => {
                out.push(Event::Gap);
                out.extend(active.iter().map(|&(loop_, _)| Event::Join { loop_, stack: 1 << 40 }));
            }
        }
    }
}

fn events(nodes: &[Node]) -> Vec<Event> {
    let mut out = vec![Event::Gap];
    run(nodes, &mut Vec::new(), &mut out);
    out
}

fn shape(chosen: &[bool], kinds: &[AccessKind]) -> Shape {
    Shape {
        loops: chosen
            .iter()
            .enumerate()
            .map(|(k, &chosen)| LoopShape { header: 0x100 * (k as u64 + 1), chosen, ..LoopShape::default() })
            .collect(),
        sites: kinds
            .iter()
            .enumerate()
            .map(|(k, &kind)| Site { address: 0x10 + k as u64, kind, element: 8, ..Site::default() })
            .collect(),
        ..Shape::default()
    }
}

fn facts_of(shape: &Shape, events: &[Event]) -> Vec<LoopPatterns> {
    let mut dependences = Dependences::default();
    // In small portions, as they come.
    for part in events.chunks(7) {
        dependences.feed(shape, part, u64::MAX);
    }
    let mut all = Collector::new(shape);
    dependences.finish(&mut all);
    all.finish()
}

/// Loop, kind, source and sink instruction, distance, bytes within the operands: how often; and whether exposed.
type Bytes = BTreeMap<(u64, DependenceKind, u64, u64, u64, u32, u32), u64>;
type Exposures = BTreeMap<(u64, DependenceKind, u64, u64), bool>;
/// Distances from which on edges were dropped.
type Limits = BTreeMap<(u64, DependenceKind, u64, u64), u64>;

fn expanded(all: &[LoopPatterns]) -> (Bytes, Exposures, Limits) {
    let (mut bytes, mut exposures, mut limits) = (Bytes::new(), Exposures::new(), Limits::new());
    for l in all {
        for d in &l.dependences {
            let name = |site: u32| l.sites[site as usize].address;
            let (source, sink) = (name(d.source), name(d.sink));
            exposures.insert((l.header, d.kind, source, sink), d.exposed > 0);
            // Where edges were dropped, the last distance that is kept may not be complete.
            let whole = if d.others > 0 { d.edges.last().map_or(0, |e| e.distance) } else { u64::MAX };
            limits.insert((l.header, d.kind, source, sink), whole);
            for e in d.edges.iter().filter(|e| e.distance < whole) {
                for k in 0..e.length {
                    let key =
                        (l.header, d.kind, source, sink, e.distance, e.source_offset + k, e.sink_offset + k);
                    *bytes.entry(key).or_default() += e.count;
                }
            }
        }
    }
    (bytes, exposures, limits)
}

/// An access in the reference, with all its facts, without optimisation.
#[derive(Clone, Debug)]
struct Plain {
    site: u32,
    offset: u32,
    /// Loop, number of the entry, iteration, outermost first.
    levels: Vec<(u32, u64, u64)>,
    writes: bool,
}

/// Level that both share, and the distance there.
fn shared(a: &Plain, b: &Plain) -> Option<(usize, u64)> {
    let both = a.levels.iter().zip(&b.levels);
    let at = both.take_while(|(x, y)| x.1 == y.1).count().checked_sub(1)?;
    Some((at, b.levels[at].2 - a.levels[at].2))
}

fn reference(shape: &Shape, events: &[Event]) -> (Bytes, Exposures) {
    let (mut bytes, mut exposures) = (Bytes::new(), Exposures::new());
    let mut memory: HashMap<u64, Vec<Plain>> = HashMap::new();
    // Loop, entry, iteration, chosen.
    let mut nest: Vec<(u32, u64, u64, bool)> = Vec::new();
    let mut entries = 0;
    for event in events {
        match *event {
            Event::Gap => nest.clear(),
            Event::Enter { loop_, .. } | Event::Join { loop_, .. } => {
                entries += 1;
                nest.push((loop_, entries, 0, shape.loops[loop_ as usize].chosen));
            }
            Event::Pass { .. } => nest.last_mut().unwrap().2 += 1,
            Event::Leave { .. } => drop(nest.pop()),
            Event::Call { .. } => {}
            Event::Access(access) => {
                let levels: Vec<_> = nest.iter().filter(|l| l.3).map(|l| (l.0, l.1, l.2)).collect();
                let kind = shape.sites[access.site as usize].kind;
                for offset in 0..access.size {
                    let history = memory.entry(access.address + u64::from(offset)).or_default();
                    let me =
                        Plain { site: access.site, offset, levels: levels.clone(), writes: kind.writes() };
                    let last_write = history.iter().rposition(|p| p.writes);
                    let mut met: Vec<(DependenceKind, &Plain)> = Vec::new();
                    if let Some(w) = last_write.map(|at| &history[at]) {
                        if kind.reads() {
                            met.push((DependenceKind::Flow, w));
                        }
                        if kind.writes() {
                            met.push((DependenceKind::Output, w));
                        }
                    }
                    if kind.writes() {
                        let mut classes = Vec::new();
                        for read in history[last_write.map_or(0, |w| w + 1)..].iter().rev() {
                            let Some((at, distance)) = shared(read, &me) else { continue };
                            if !classes.contains(&(at, distance > 0)) {
                                classes.push((at, distance > 0));
                                met.push((DependenceKind::Anti, read));
                            }
                        }
                    }
                    for (kind, source) in met {
                        let Some((at, distance)) = shared(source, &me) else { continue };
                        if distance == 0 && source.site == me.site {
                            continue;
                        }
                        let header = shape.loops[me.levels[at].0 as usize].header;
                        let name = |site: u32| shape.sites[site as usize].address;
                        let key = (header, kind, name(source.site), name(me.site));
                        let (h, k, a, b) = key;
                        *bytes.entry((h, k, a, b, distance, source.offset, me.offset)).or_default() += 1;
                        // Reads of this entry that did not get what their own iteration wrote.
                        let entry = me.levels[at].1;
                        let exposed = (0..history.len()).any(|r| {
                            let read = &history[r];
                            let reads = shape.sites[read.site as usize].kind.reads();
                            if read.levels.get(at).is_none_or(|l| l.1 != entry) {
                                return false;
                            }
                            let before = history[..r].iter().rev().find(|p| p.writes);
                            let own = before.is_some_and(|w| {
                                w.levels.get(at).is_some_and(|l| (l.1, l.2) == (entry, read.levels[at].2))
                            });
                            reads && !own
                        });
                        *exposures.entry(key).or_default() |= exposed || k == DependenceKind::Flow;
                    }
                    history.push(me);
                }
            }
        }
    }
    (bytes, exposures)
}

const KINDS: [AccessKind; 5] =
    [AccessKind::Load, AccessKind::Store, AccessKind::Update, AccessKind::Load, AccessKind::Store];

fn access() -> impl Strategy<Value = Node> {
    let size = prop_oneof![Just(1u32), Just(2), Just(4), Just(8), Just(8), Just(8), Just(16), Just(32)];
    let strides =
        prop::collection::vec(prop_oneof![Just(0i64), Just(8), Just(-8), Just(4), Just(16), -3i64..4], 3);
    (0u32..5, 0u64..12, 0u64..16, strides, size).prop_map(|(site, place, odd, strides, size)| {
        // Mostly aligned, around the end of a page.
        let address = 3 * PAGE - 48 + 8 * place + if odd < 12 { 0 } else { odd - 8 };
        Node::Access { site, address, strides, size }
    })
}

fn body(depth: u32) -> BoxedStrategy<Vec<Node>> {
    let gap = Just(Node::Gap);
    if depth == 0 {
        return prop::collection::vec(prop_oneof![20 => access(), 1 => gap], 1..4).boxed();
    }
    let inner =
        (0..5u64, any::<bool>(), body(depth - 1), 0..2u32).prop_map(move |(trips, tested, body, twin)| {
            Node::Loop { loop_: 2 * (4 - depth) + twin, trips, tested, body }
        });
    prop::collection::vec(prop_oneof![8 => access(), 8 => inner, 1 => gap], 1..4).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]
    #[test]
    fn random_nests_agree_with_the_plain_reference(
        trips in 1u64..6,
        nodes in body(3),
        chosen in prop::collection::vec(prop::bool::weighted(0.7), 10),
    ) {
        let mut chosen = chosen;
        chosen[0] |= chosen.iter().all(|c| !c);
        let shape = shape(&chosen, &KINDS);
        let program = [Node::Loop { loop_: 0, trips, tested: false, body: nodes }];
        let events = events(&[program.as_slice(), program.as_slice()].concat());
        let (bytes, exposures, limits) = expanded(&facts_of(&shape, &events));
        let (mut plain, plainly) = reference(&shape, &events);
        plain.retain(|k, _| limits.get(&(k.0, k.1, k.2, k.3)).is_none_or(|&whole| k.4 < whole));
        prop_assert_eq!(&bytes, &plain);
        for (key, exposed) in plainly {
            prop_assert!(exposures[&key] || !exposed, "{:?} is exposed", key);
        }
    }

    /// With too little memory, what is lost is counted, and every dependence found exists.
    #[test]
    fn forgetting_is_counted(nodes in body(3), far in prop::collection::vec(0u64..40, 1..20)) {
        let shape = shape(&[true; 10], &KINDS);
        let mut nodes = nodes;
        nodes.extend(far.iter().map(|&page| Node::Access {
            site: 1, address: page * PAGE, strides: vec![], size: 8,
        }));
        let events = events(&[Node::Loop { loop_: 0, trips: 4, tested: false, body: nodes }]);
        let mut dependences = Dependences::default();
        dependences.feed(&shape, &events, 30_000);
        let mut all = Collector::new(&shape);
        dependences.finish(&mut all);
        let all = all.finish();
        let forgotten: u64 = all.iter().filter_map(|l| l.checked.as_ref()).map(|c| c.forgotten).sum();
        let (bytes, ..) = expanded(&all);
        let (plain, _) = reference(&shape, &events);
        let whole: u64 = plain.iter().filter(|(k, _)| k.1 == DependenceKind::Flow).map(|(_, n)| n).sum();
        let seen: u64 = bytes.iter().filter(|(k, _)| k.1 == DependenceKind::Flow).map(|(_, n)| n).sum();
        prop_assert!(seen <= whole);
        prop_assert!(seen == whole || forgotten > 0);
    }
}

/// One loop of `n` iterations; the body says what iteration `i` accesses: `(site, address, size)`.
fn one_loop(n: u64, kinds: &[AccessKind], body: impl Fn(u64) -> Vec<(u32, u64, u32)>) -> LoopPatterns {
    let shape = shape(&[true], kinds);
    let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack: 1 << 40 }];
    for i in 0..n {
        events.push(Event::Pass { loop_: 0 });
        let access = |(site, address, size)| Event::Access(Access { site, address, size, lane: 0 });
        events.extend(body(i).into_iter().map(access));
    }
    events.push(Event::Leave { loop_: 0, tested: false });
    facts_of(&shape, &events).remove(0)
}

/// Kind, source, sink, and edges as `(distance, count)`.
type Carried = (DependenceKind, u32, u32, Vec<(u64, u64)>);

fn carried(l: &LoopPatterns) -> Vec<Carried> {
    let of = |d: &Dependence| {
        let name = |site: u32| (l.sites[site as usize].address - 0x10) as u32;
        let edges: Vec<_> =
            d.edges.iter().filter(|e| e.distance > 0).map(|e| (e.distance, e.count)).collect();
        (d.kind, name(d.source), name(d.sink), edges)
    };
    l.dependences.iter().map(of).filter(|d| !d.3.is_empty()).collect()
}

use AccessKind::{Load, Store, Update};
use DependenceKind::{Anti, Flow, Output};

const A: u64 = 0x10_0000;

#[test]
fn recurrences_have_their_distance() {
    for d in 1..=9 {
        // a[i + d] = a[i]
        let l = one_loop(100, &[Load, Store], |i| vec![(0, A + 8 * i, 8), (1, A + 8 * (i + d), 8)]);
        assert_eq!(carried(&l), [(Flow, 1, 0, vec![(d, 100 - d)])]);
        let checked = l.checked.unwrap();
        assert_eq!(
            (checked.iterations, checked.entries, checked.longest, checked.forgotten),
            (100, 1, 100, 0)
        );
        assert_eq!(l.dependences[0].example, A + 8 * d);
    }
}

#[test]
fn reading_ahead_is_an_antidependence() {
    // a[i] = a[i + 1]
    let l = one_loop(50, &[Load, Store], |i| vec![(0, A + 8 * (i + 1), 8), (1, A + 8 * i, 8)]);
    assert_eq!(carried(&l), [(Anti, 0, 1, vec![(1, 49)])]);
    assert_eq!(l.dependences[0].exposed, 49, "a copy for each iteration would have to be filled first");
}

#[test]
fn writing_twice_is_an_output_dependence() {
    // a[i] = x; a[i + 2] = y
    let l = one_loop(50, &[Store, Store], |i| vec![(0, A + 4 * i, 4), (1, A + 4 * (i + 2), 4)]);
    assert_eq!(carried(&l), [(Output, 1, 0, vec![(2, 48)])]);
    assert_eq!(l.dependences[0].exposed, 0);
}

#[test]
fn sums_in_memory_and_private_temporaries() {
    // s += a[i]
    let l = one_loop(20, &[Update, Load], |i| vec![(1, A + 8 * i, 8), (0, A - 64, 8)]);
    assert_eq!(carried(&l), [(Flow, 0, 0, vec![(1, 19)]), (Output, 0, 0, vec![(1, 19)])]);
    assert!(l.dependences.iter().all(|d| d.scalar && d.exposed > 0));
    // t = a[i]; b[i] = t
    let l = one_loop(20, &[Store, Load], |_| vec![(0, A, 8), (1, A, 8)]);
    assert_eq!(carried(&l), [(Anti, 1, 0, vec![(1, 19)]), (Output, 0, 0, vec![(1, 19)])]);
    assert!(l.dependences.iter().all(|d| d.scalar && (d.exposed == 0 || d.kind == Flow)));
}

#[test]
fn a_read_in_the_same_iteration_does_not_hide_an_earlier_one() {
    // x = a[0]; y = a[0]; every third time a[0] = i, after which another reads it
    let l = one_loop(7, &[Load, Store], |i| {
        let mut all = vec![(0, A, 8)];
        if i % 3 == 2 {
            all.push((1, A, 8));
        }
        all
    });
    let anti = carried(&l).into_iter().find(|d| d.0 == Anti).unwrap();
    assert_eq!(anti.3, [(1, 2)]);
}

#[test]
fn histograms_depend_as_their_data_do() {
    let data = [3u64, 1, 3, 3, 2, 1, 0, 2];
    let l = one_loop(8, &[Update], |i| vec![(0, A + 4 * data[i as usize], 4)]);
    let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
    for i in 0..8 {
        if let Some(j) = (0..i).rev().find(|&j| data[j] == data[i]) {
            *expected.entry((i - j) as u64).or_default() += 1;
        }
    }
    let expected: Vec<_> = expected.into_iter().collect();
    assert_eq!(carried(&l), [(Flow, 0, 0, expected.clone()), (Output, 0, 0, expected)]);
    assert!(!l.dependences[0].scalar);
}

#[test]
fn triangular_nests_carry_in_the_right_loop() {
    // for i in 0..n, j in 0..=i: a[j] = a[j] + 1
    let shape = shape(&[true, true], &[Update]);
    let (n, mut events) = (12u64, vec![Event::Gap, Event::Enter { loop_: 0, stack: 1 << 40 }]);
    for i in 0..n {
        events.extend([Event::Pass { loop_: 0 }, Event::Enter { loop_: 1, stack: 1 << 40 }]);
        for j in 0..=i {
            events.push(Event::Pass { loop_: 1 });
            events.push(Event::Access(Access { site: 0, address: A + 8 * j, size: 8, lane: 0 }));
        }
        events.push(Event::Leave { loop_: 1, tested: false });
    }
    events.push(Event::Leave { loop_: 0, tested: false });
    let all = facts_of(&shape, &events);
    let count = n * (n - 1) / 2;
    assert_eq!(carried(&all[0]), [(Flow, 0, 0, vec![(1, count)]), (Output, 0, 0, vec![(1, count)])]);
    assert_eq!(carried(&all[1]), []);
    assert_eq!(all[1].checked.as_ref().map(|c| (c.entries, c.longest)), Some((n, n)));
}

#[test]
fn vectors_meet_byte_by_byte() {
    // Four elements at once: a[i + 1] = a[i], as a vector of 32 bytes would.
    let l = one_loop(10, &[Load, Store], |i| vec![(0, A + 32 * i, 32), (1, A + 8 + 32 * i, 32)]);
    let flow = l.dependences.iter().find(|d| d.kind == Flow).unwrap();
    let edge = |distance, source_offset, sink_offset, length, count| Edge {
        distance,
        source_offset,
        sink_offset,
        length,
        count,
    };
    assert_eq!(flow.edges, [edge(1, 24, 0, 8, 9)]);
    let anti = l.dependences.iter().find(|d| d.kind == Anti).unwrap();
    assert_eq!(anti.edges, [edge(0, 8, 0, 24, 10)]);
}

#[test]
fn frames_of_called_functions_are_recognised() {
    let stack = 0x7fff_0000_0000u64;
    let own = Site { function: 1, kind: Update, element: 8, ..Site::default() };
    let push = Site { function: 2, kind: Store, element: 8, frame: true, address: 1, ..Site::default() };
    let pop = Site { kind: Load, address: 2, ..push.clone() };
    let shape = Shape {
        loops: vec![LoopShape { function: 1, chosen: true, ..LoopShape::default() }],
        sites: vec![own, push, pop],
        ..Shape::default()
    };
    let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack }];
    for _ in 0..10 {
        events.push(Event::Pass { loop_: 0 });
        for (site, below) in [(1, 16), (1, 200), (2, 200), (2, 16), (0, 1 << 30)] {
            events.push(Event::Access(Access { site, address: stack - below, size: 8, lane: 0 }));
        }
    }
    let l = facts_of(&shape, &events).remove(0);
    for d in &l.dependences {
        let called = l.sites[d.source as usize].function == 2;
        assert_eq!(d.callee_frame, called, "{d:?}");
        assert_eq!(d.exposed == 0, called && d.kind != Flow, "{d:?}");
    }
    assert!(l.dependences.iter().any(|d| d.callee_frame) && l.dependences.iter().any(|d| !d.callee_frame));
}

#[test]
fn library_calls_read_and_write_what_they_are_told_to() {
    // memcpy(a + 8 * (i + 1), a + 8 * i, 8)
    let mut shape = shape(&[true], &[Load]);
    shape.calls.push(CallShape { address: 0x77, target: Some("memcpy".into()), ..CallShape::default() });
    shape.calls.push(CallShape { address: 0x99, target: Some("strlen".into()), ..CallShape::default() });
    let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack: 1 << 40 }];
    for i in 0..10 {
        events.push(Event::Pass { loop_: 0 });
        events.push(Event::Call { call: 0, arguments: [A + 8 * (i + 1), A + 8 * i, 8] });
        events.push(Event::Call { call: 1, arguments: [A, 0, 0] });
    }
    let mut run = crate::Run::new(crate::Options { strides: false, ..crate::Options::default() });
    run.feed(0, 0, &shape, &events, &[]);
    let l = run.finish(&shape).remove(0);
    let [flow] = l.dependences.as_slice() else { panic!("{:?}", l.dependences) };
    assert_eq!((flow.kind, flow.edges[0].distance, flow.edges[0].count), (Flow, 1, 9));
    let site =
        |at: u32| (l.sites[at as usize].address, l.sites[at as usize].operand, l.sites[at as usize].kind);
    assert_eq!((site(flow.source), site(flow.sink)), ((0x77, 0, Store), (0x77, 1, Load)));
    let modelled: Vec<_> = l.calls.iter().map(|c| (c.address, c.modelled)).collect();
    assert_eq!(modelled, [(0x77, true), (0x99, false)]);
}

#[test]
fn threads_are_analysed_each_on_its_own() {
    let shape = shape(&[true], &[Store, Load]);
    let mut run = crate::Run::new(crate::Options::default());
    for thread in 0..2 {
        run.feed(thread, 0, &shape, &[Event::Gap, Event::Enter { loop_: 0, stack: 1 << 40 }], &[]);
    }
    for i in 0..20 {
        // One thread writes what the other reads an iteration later.
        for thread in 0..2 {
            let address = A + 8 * (i - u64::from(thread).min(i));
            let access = Access { site: thread, address, size: 8, lane: 0 };
            run.feed(thread, 0, &shape, &[Event::Pass { loop_: 0 }, Event::Access(access)], &[]);
        }
    }
    let l = run.finish(&shape).remove(0);
    assert_eq!(l.dependences, []);
    assert_eq!(l.checked.map(|c| (c.iterations, c.entries)), Some((40, 2)));
}
