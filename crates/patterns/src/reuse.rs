//! Reuse distances: how many distinct other lines a thread uses between two uses of a line, and which loop carries
//! the reuse.
//!
//! A fully associative LRU cache of `n` lines hits exactly the uses with a distance below `n` (Mattson et al.,
//! *Evaluation Techniques for Storage Hierarchies*, IBM Systems Journal 1970). The distance is found exactly and in
//! logarithmic time as by Olken (*Efficient Methods for Calculating the Success Function of Fixed Space Replacement
//! Policies*, LBL 1981), with a Fenwick tree over the order of last uses instead of a search tree: the lines used last
//! are kept in a short list, all others in the tree in the order in which they left the list. The tree is rewritten
//! without holes when it is full.
//!
//! A loop *carries* the reuse of a line when the line was last used in another iteration of the same entry of
//! that loop, and in the same iteration of every loop around it. No loop carries reuse within an iteration.
//!
//! At a gap all history is dropped, unless the stream is `cold` (see [`crate::run::Options::cold`]). Memory
//! is bounded: when too many lines are kept, those used longest ago are dropped; their next use counts as a
//! first one and [`ReuseHistogram::forgotten`] counts it.

use crate::collect::Collector;
use crate::event::Event;
use crate::facts::ReuseHistogram;
use crate::nest::{Change, Nest};
use crate::shape::Shape;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Lines in the short list.
const RECENT: usize = 16;
/// Below this every distance has its own bucket; above there are four for each power of two.
const EXACT: u64 = 16;
const BUCKETS: usize = 16 + 4 * 60;
/// Bytes that a kept line takes: in the tree (twice, for holes), and in the map with its spare room.
const LINE_COST: u64 = 2 * (8 + 8 + 4) + 32;
const SMALLEST: usize = 1 << 12;

/// Reuse distances of one thread.
#[derive(Debug)]
pub struct Reuse {
    history: History,
    shift: u32,
    cold: bool,
    clock: u64,
    nest: Nest<Clocks>,
    /// Chosen loops that are active, once each: indices into `loops`.
    active: Vec<usize>,
    numbers: BTreeMap<u32, usize>,
    loops: Vec<Gathered>,
}

/// When the entry and the current iteration of an active loop began.
#[derive(Clone, Copy, Debug, Default)]
struct Clocks {
    entered: u64,
    pass: u64,
    /// It was added to [`Reuse::active`]: not before, for a chosen loop that is not active twice.
    counted: bool,
}

#[derive(Debug)]
struct Gathered {
    loop_: u32,
    buckets: Vec<u64>,
    first: u64,
    same: u64,
    forgotten: u64,
    /// Carrier (`None`: before the entry), uses, sum of distances.
    carriers: Vec<(Option<u32>, u64, u64)>,
}

impl Reuse {
    /// No events yet; `memory` bounds the history of lines, in bytes.
    pub fn new(line_bytes: u32, cold: bool, memory: u64) -> Self {
        Self {
            history: History::new((memory / LINE_COST).clamp(64, 1 << 30) as usize),
            shift: line_bytes.max(1).ilog2(),
            cold,
            clock: 0,
            nest: Nest::default(),
            active: Vec::new(),
            numbers: BTreeMap::new(),
            loops: Vec::new(),
        }
    }

    /// Adds events of the thread.
    pub fn feed(&mut self, shape: &Shape, events: &[Event]) {
        for event in events {
            self.clock += 1;
            if let Event::Access(access) = event {
                let end = access.address.saturating_add(u64::from(access.size.max(1)) - 1);
                for line in access.address >> self.shift..=end >> self.shift {
                    self.use_line(line);
                }
                continue;
            }
            let clock = self.clock;
            match self.nest.follow(event) {
                Change::Cut(_) => {
                    self.active.clear();
                    if !self.cold {
                        self.history.clear();
                    }
                }
                Change::Opened => self.open(shape),
                Change::Passed => {
                    if let Some(level) = self.nest.levels_mut().last_mut() {
                        level.own.pass = clock;
                    }
                }
                Change::Closed(level, _) => {
                    if level.own.counted {
                        self.active.pop();
                    }
                }
                Change::None => {}
            }
        }
    }

    fn open(&mut self, shape: &Shape) {
        let clock = self.clock;
        let Some((level, around)) = self.nest.levels().split_last() else { return };
        let loop_ = level.loop_;
        let chosen = shape.loops.get(loop_ as usize).is_some_and(|l| l.chosen);
        let counted = chosen && around.iter().all(|l| l.loop_ != loop_);
        if let Some(level) = self.nest.levels_mut().last_mut() {
            level.own = Clocks { entered: clock, pass: clock, counted };
        }
        if counted {
            let next = self.loops.len();
            let number = *self.numbers.entry(loop_).or_insert(next);
            if number == next {
                self.loops.push(Gathered {
                    loop_,
                    buckets: vec![0; BUCKETS],
                    first: 0,
                    same: 0,
                    forgotten: 0,
                    carriers: Vec::new(),
                });
            }
            self.active.push(number);
        }
    }

    fn use_line(&mut self, line: u64) {
        let used = self.history.use_line(line, self.clock);
        if self.active.is_empty() {
            return;
        }
        let Use::Again { distance, clock: last } = used else {
            let lost = matches!(used, Use::First { may_be_forgotten: true });
            for &number in &self.active {
                self.loops[number].first += 1;
                self.loops[number].forgotten += u64::from(lost);
            }
            return;
        };
        let bucket = bucket(distance);
        let carried = carrier(self.nest.levels(), last);
        // Active chosen loops are in the order of the nest.
        let mut chosen = self.active.iter();
        for (own, level) in self.nest.levels().iter().enumerate() {
            if !level.own.counted {
                continue;
            }
            let Some(&number) = chosen.next() else { break };
            let gathered = &mut self.loops[number];
            gathered.buckets[bucket] += 1;
            gathered.same += u64::from(distance == 0);
            let carrier = match carried {
                Carried::Loop(by) => Some(self.nest.levels()[by].loop_),
                // Within an iteration of this loop, before one of its inner loops was entered.
                Carried::Before(entered) if entered > own => continue,
                Carried::Before(_) => None,
                Carried::Within => continue,
            };
            match gathered.carriers.iter_mut().find(|c| c.0 == carrier) {
                Some(known) => {
                    known.1 += 1;
                    known.2 = known.2.saturating_add(distance);
                }
                None => gathered.carriers.push((carrier, 1, distance)),
            }
        }
    }

    /// Adds the sums to the facts.
    pub fn finish(self, into: &mut Collector) {
        let shape = into.shape;
        for gathered in self.loops {
            let facts = into.of(gathered.loop_);
            let histogram = facts.reuse.get_or_insert_with(ReuseHistogram::default);
            histogram.line_bytes = 1 << self.shift;
            histogram.first += gathered.first;
            histogram.same += gathered.same;
            histogram.forgotten += gathered.forgotten;
            let mut buckets: BTreeMap<(u64, u64), u64> =
                histogram.buckets.iter().map(|&(low, high, uses)| ((low, high), uses)).collect();
            for (number, &uses) in gathered.buckets.iter().enumerate().filter(|(_, uses)| **uses > 0) {
                *buckets.entry(range(number)).or_default() += uses;
            }
            histogram.buckets = buckets.into_iter().map(|((low, high), uses)| (low, high, uses)).collect();
            for (carrier, uses, distances) in gathered.carriers {
                let at = carrier.and_then(|loop_| shape.loops.get(loop_ as usize));
                let (module, header) = at.map_or((0, 0), |l| (l.module, l.header));
                match histogram.carriers.iter_mut().find(|c| (c.0, c.1) == (module, header)) {
                    Some(known) => {
                        known.2 += uses;
                        known.3 = known.3.saturating_add(distances);
                    }
                    None => histogram.carriers.push((module, header, uses, distances)),
                }
            }
            histogram.carriers.sort_by_key(|c| std::cmp::Reverse(c.2));
        }
    }
}

enum Carried {
    /// By this level of the nest.
    Loop(usize),
    /// Last used before this level was entered, in the same iteration of those around it.
    Before(usize),
    /// In the same iteration of all.
    Within,
}

fn carrier(levels: &[crate::nest::Level<Clocks>], last: u64) -> Carried {
    for (at, level) in levels.iter().enumerate() {
        if last < level.own.entered {
            return Carried::Before(at);
        }
        if last < level.own.pass {
            return Carried::Loop(at);
        }
    }
    Carried::Within
}

fn bucket(distance: u64) -> usize {
    if distance < EXACT {
        return distance as usize;
    }
    let power = distance.ilog2();
    let quarter = distance >> (power - 2) & 3;
    (EXACT + u64::from(power - 4) * 4 + quarter) as usize
}

fn range(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < EXACT {
        return (bucket, bucket);
    }
    let (power, quarter) = ((bucket - EXACT) / 4 + 4, (bucket - EXACT) % 4);
    let step = 1_u64 << (power - 2);
    let low = (4 + quarter) * step;
    (low, low + (step - 1))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    First { may_be_forgotten: bool },
    Again { distance: u64, clock: u64 },
}

/// Lines in the order of their last use.
#[derive(Debug)]
struct History {
    /// Youngest first: line, when it was used.
    recent: Vec<(u64, u64)>,
    /// Places of older lines in the order of last use.
    places: FxHashMap<u64, u32>,
    /// By place: line and when it was used.
    entries: Vec<(u64, u64)>,
    /// Fenwick tree over the places that hold a line.
    tree: Vec<u32>,
    most: usize,
    forgot: bool,
}

impl History {
    fn new(most: usize) -> Self {
        Self {
            recent: Vec::with_capacity(RECENT + 1),
            places: FxHashMap::default(),
            entries: Vec::new(),
            tree: vec![0; SMALLEST + 1],
            most,
            forgot: false,
        }
    }

    fn clear(&mut self) {
        self.recent.clear();
        self.places.clear();
        self.entries.clear();
        self.tree.truncate(SMALLEST + 1);
        self.tree.fill(0);
        self.forgot = false;
    }

    fn use_line(&mut self, line: u64, clock: u64) -> Use {
        if let Some(distance) = self.recent.iter().position(|&(l, _)| l == line) {
            let last = self.recent[distance].1;
            self.recent.copy_within(0..distance, 1);
            self.recent[0] = (line, clock);
            return Use::Again { distance: distance as u64, clock: last };
        }
        let used = match self.places.remove(&line) {
            Some(place) => {
                let last = self.entries[place as usize].1;
                // Removed from the tree, it is counted neither there nor in `places`.
                self.add(place as usize, u32::MAX);
                let younger = self.places.len() - self.count(place as usize);
                Use::Again { distance: (self.recent.len() + younger) as u64, clock: last }
            }
            None => Use::First { may_be_forgotten: self.forgot },
        };
        self.recent.insert(0, (line, clock));
        if self.recent.len() > RECENT
            && let Some(oldest) = self.recent.pop()
        {
            self.push(oldest);
        }
        used
    }

    fn push(&mut self, entry: (u64, u64)) {
        if self.entries.len() + 1 == self.tree.len() {
            self.rewrite();
        }
        let place = self.entries.len();
        self.entries.push(entry);
        self.places.insert(entry.0, place as u32);
        self.add(place, 1);
    }

    /// Lines at places up to this one.
    fn count(&self, place: usize) -> usize {
        let mut node = place + 1;
        let mut sum = 0;
        while node > 0 {
            sum += self.tree[node] as usize;
            node &= node - 1;
        }
        sum
    }

    /// Adds modulo 2^32: `u32::MAX` subtracts one.
    fn add(&mut self, place: usize, what: u32) {
        let mut node = place + 1;
        while node < self.tree.len() {
            self.tree[node] = self.tree[node].wrapping_add(what);
            node += node & node.wrapping_neg();
        }
    }

    /// Closes the holes, and drops the oldest lines where there are too many.
    fn rewrite(&mut self) {
        let places = &self.places;
        let mut place = 0_u32;
        self.entries.retain(|&(line, _)| {
            let holds = places.get(&line) == Some(&place);
            place += 1;
            holds
        });
        if self.entries.len() > self.most {
            let keep = self.most - self.most / 4;
            for (line, _) in self.entries.drain(..self.entries.len() - keep) {
                self.places.remove(&line);
            }
            self.forgot = true;
        }
        for (place, (line, _)) in self.entries.iter().enumerate() {
            self.places.insert(*line, place as u32);
        }
        let room = (2 * self.entries.len()).next_power_of_two().max(SMALLEST);
        self.tree.clear();
        self.tree.resize(room + 1, 0);
        for node in 1..=room {
            if node <= self.entries.len() {
                self.tree[node] += 1;
            }
            let parent = node + (node & node.wrapping_neg());
            if parent <= room {
                self.tree[parent] += self.tree[node];
            }
        }
    }
}

#[cfg(test)]
mod tests;
