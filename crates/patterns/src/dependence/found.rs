//! The dependences found, summed by loop, kind and pair of operands.

use crate::collect::Collector;
use crate::facts::{Dependence, DependenceKind, Edge, MOST_EDGES};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The sum to which an occurrence belongs. Operands are numbered as in the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Index in the shape.
    pub loop_: u32,
    pub kind: DependenceKind,
    /// The operand that comes first in time.
    pub source: u32,
    /// The operand that comes later.
    pub sink: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// Distance and bytes that meet; the count is ignored.
    pub edge: Edge,
    /// First byte that is met.
    pub address: u64,
    /// Number of the loop's entry.
    pub entry: u64,
    /// The place is read before it is written in some iteration.
    pub exposed: bool,
    /// The byte is in a frame of a called function.
    pub callee_frame: bool,
}

#[derive(Clone, Debug)]
struct Sum {
    /// Ascending; enough of them that the nearest are surely included.
    edges: Vec<Edge>,
    last: usize,
    others: u64,
    exposed: u64,
    scalar: bool,
    entry: u64,
    address: u64,
    callee_frame: bool,
    example: u64,
    nearest: u64,
}

/// Most edges of a sum while it grows: beyond this those of the longest distance are only counted.
const MOST_GROWING: usize = 4 * MOST_EDGES;

impl Sum {
    fn new(first: &Occurrence) -> Self {
        Self {
            edges: Vec::new(),
            last: 0,
            others: 0,
            exposed: 0,
            scalar: true,
            entry: first.entry,
            address: first.address,
            callee_frame: true,
            example: first.address,
            nearest: first.edge.distance,
        }
    }

    fn add(&mut self, occurrence: &Occurrence) {
        self.exposed += u64::from(occurrence.exposed);
        self.callee_frame &= occurrence.callee_frame;
        if self.entry == occurrence.entry {
            self.scalar &= self.address == occurrence.address;
        } else {
            // A function called from another place has its variables at another address.
            (self.entry, self.address) = (occurrence.entry, occurrence.address);
        }
        if occurrence.edge.distance < self.nearest {
            (self.nearest, self.example) = (occurrence.edge.distance, occurrence.address);
        }
        self.edge(Edge { count: 1, ..occurrence.edge });
    }

    fn edge(&mut self, edge: Edge) {
        let place = |e: &Edge| (e.distance, e.source_offset, e.sink_offset, e.length);
        if let Some(known) = self.edges.get_mut(self.last).filter(|e| place(e) == place(&edge)) {
            known.count += edge.count;
            return;
        }
        match self.edges.binary_search_by_key(&place(&edge), place) {
            Ok(at) => {
                self.edges[at].count += edge.count;
                self.last = at;
            }
            Err(at) => {
                self.edges.insert(at, edge);
                self.last = at;
                if self.edges.len() > MOST_GROWING {
                    self.others += self.edges.pop().map_or(0, |dropped| dropped.count);
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        for edge in other.edges {
            self.edge(edge);
        }
        self.others += other.others;
        self.exposed += other.exposed;
        self.scalar &= other.scalar;
        self.callee_frame &= other.callee_frame;
        if other.nearest < self.nearest {
            (self.nearest, self.example) = (other.nearest, other.example);
        }
    }

    fn facts(self, kind: DependenceKind, source: u32, sink: u32) -> Dependence {
        let mut edges = self.edges;
        let dropped: u64 = edges.iter().skip(MOST_EDGES).map(|edge| edge.count).sum();
        edges.truncate(MOST_EDGES);
        Dependence {
            kind,
            source,
            sink,
            edges,
            others: self.others + dropped,
            exposed: self.exposed,
            scalar: self.scalar,
            callee_frame: self.callee_frame,
            example: self.example,
        }
    }

    fn of(facts: &Dependence) -> Self {
        Self {
            edges: facts.edges.clone(),
            last: 0,
            others: facts.others,
            exposed: facts.exposed,
            scalar: facts.scalar,
            entry: 0,
            address: 0,
            callee_frame: facts.callee_frame,
            example: facts.example,
            nearest: facts.edges.first().map_or(u64::MAX, |edge| edge.distance),
        }
    }
}

/// All sums of a thread.
#[derive(Debug, Default)]
pub struct Found {
    sums: Vec<(Key, Sum)>,
    index: FxHashMap<Key, u32>,
    /// The sums used last, by sink.
    recent: Vec<[u32; 2]>,
}

const NO_SUM: u32 = u32::MAX;

impl Found {
    pub fn add(&mut self, key: Key, occurrence: &Occurrence) {
        let sink = key.sink as usize;
        if self.recent.len() <= sink {
            self.recent.resize(sink + 1, [NO_SUM; 2]);
        }
        let [first, second] = self.recent[sink];
        let known = |at: u32| self.sums.get(at as usize).is_some_and(|(k, _)| *k == key);
        let at = if known(first) {
            first
        } else if known(second) {
            self.recent[sink] = [second, first];
            second
        } else {
            let next = self.sums.len() as u32;
            let at = *self.index.entry(key).or_insert(next);
            if at == next {
                self.sums.push((key, Sum::new(occurrence)));
            }
            self.recent[sink] = [at, first];
            at
        };
        self.sums[at as usize].1.add(occurrence);
    }

    /// Adds the sums to the facts of the loops; `names` maps operands to the numbering of the shape.
    pub fn finish(self, names: &[u32], into: &mut Collector) {
        let mut by_loop: BTreeMap<u32, Vec<(Key, Sum)>> = BTreeMap::new();
        for (key, sum) in self.sums {
            by_loop.entry(key.loop_).or_default().push((key, sum));
        }
        for (loop_, mut sums) in by_loop {
            sums.sort_by_key(|(key, _)| *key);
            let mut all: BTreeMap<(DependenceKind, u32, u32), Sum> = BTreeMap::new();
            for facts in &into.of(loop_).dependences {
                all.insert((facts.kind, facts.source, facts.sink), Sum::of(facts));
            }
            for (key, sum) in sums {
                let mut operand = |site: u32| names.get(site as usize).map(|&name| into.site(loop_, name));
                let (Some(source), Some(sink)) = (operand(key.source), operand(key.sink)) else { continue };
                match all.entry((key.kind, source, sink)) {
                    std::collections::btree_map::Entry::Vacant(free) => {
                        free.insert(sum);
                    }
                    std::collections::btree_map::Entry::Occupied(mut known) => known.get_mut().merge(sum),
                }
            }
            into.of(loop_).dependences =
                all.into_iter().map(|((kind, source, sink), sum)| sum.facts(kind, source, sink)).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{LoopShape, Shape, Site};

    fn occurrence(distance: u64, address: u64, entry: u64) -> Occurrence {
        let edge = Edge { distance, length: 8, ..Edge::default() };
        Occurrence { edge, address, entry, exposed: false, callee_frame: false }
    }

    const KEY: Key = Key { loop_: 0, kind: DependenceKind::Flow, source: 0, sink: 1 };

    fn collected(threads: Vec<Found>) -> Vec<Dependence> {
        let site = |address| Site { address, ..Site::default() };
        let shape = Shape {
            loops: vec![LoopShape { chosen: true, ..LoopShape::default() }],
            sites: vec![site(16), site(32)],
            ..Shape::default()
        };
        let mut all = Collector::new(&shape);
        for found in threads {
            found.finish(&[0, 1], &mut all);
        }
        all.finish().remove(0).dependences
    }

    #[test]
    fn the_nearest_edges_are_kept() {
        let mut found = Found::default();
        for distance in (1..=1000).rev() {
            found.add(KEY, &occurrence(distance, 0x1000 + distance, 1));
        }
        let [one] = collected(vec![found]).try_into().unwrap();
        assert_eq!(one.edges.len(), MOST_EDGES);
        assert!((1..).zip(&one.edges).all(|(distance, e)| e.distance == distance && e.count == 1));
        assert_eq!((one.others, one.example), (1000 - MOST_EDGES as u64, 0x1001));
    }

    #[test]
    fn a_scalar_has_one_address_in_each_entry() {
        let mut found = Found::default();
        for (entry, address) in [(1, 64), (1, 64), (2, 128), (2, 128)] {
            found.add(KEY, &occurrence(1, address, entry));
        }
        assert!(collected(vec![found]).remove(0).scalar);
        let mut found = Found::default();
        for address in [64, 72] {
            found.add(KEY, &occurrence(1, address, 1));
        }
        assert!(!collected(vec![found]).remove(0).scalar);
    }

    #[test]
    fn threads_add_up() {
        let of = |distance| {
            let mut found = Found::default();
            found.add(KEY, &occurrence(distance, 64, 1));
            found.add(KEY, &occurrence(distance, 64, 1));
            found
        };
        let [one] = collected(vec![of(2), of(1)]).try_into().unwrap();
        assert_eq!(one.edges.iter().map(|e| (e.distance, e.count)).collect::<Vec<_>>(), [(1, 2), (2, 2)]);
    }
}
