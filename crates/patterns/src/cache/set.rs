//! One set-associative cache: which lines it holds, which of them are changed, and which is evicted.
//!
//! It works on lines, not addresses, and knows no other levels ([`super::hierarchy`]). A set of LRU and FIFO
//! is an ordered list, youngest first; the other policies keep a line in its slot ([`super::policy`]). Sets
//! with many ways (fully associative caches) find lines through a map, and keep their order in a linked list.

use super::policy::{self, Xorshift};
use crate::facts::{CacheGeometry, Replacement};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most ways of a set that is searched from end to end.
const SEARCHED_WAYS: usize = 32;

/// A slot: the line number shifted by two, changed, taken. 0 is an empty slot, so that unused memory of large
/// caches is never allocated.
type Slot = u64;
const TAKEN: Slot = 1;
const CHANGED: Slot = 2;

fn slot(line: u64, changed: bool) -> Slot {
    line << 2 | if changed { CHANGED } else { 0 } | TAKEN
}

fn line(slot: Slot) -> u64 {
    slot >> 2
}

/// A line that was evicted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone {
    pub line: u64,
    pub changed: bool,
}

#[derive(Debug)]
pub(super) struct Cache {
    sets: u64,
    /// Sets less one when their number is a power of two.
    mask: Option<u64>,
    ways: usize,
    policy: Replacement,
    slots: Vec<Slot>,
    /// The policy's state, a byte per slot; empty for LRU, FIFO and random.
    state: Vec<u8>,
    /// Filled slots of each set.
    filled: Vec<u32>,
    /// Sets that were filled since the gap, to empty them quickly, and whether each set is listed.
    touched: Vec<u32>,
    listed: Vec<bool>,
    map: Option<Map>,
    random: Xorshift,
    knowledge: Knowledge,
}

/// Slots by line, and for LRU and FIFO their order by links (slot numbers; `NONE` ends).
#[derive(Debug, Default)]
struct Map {
    slots: FxHashMap<u64, u32>,
    /// Free slots of removed lines.
    free: Vec<u32>,
    younger: Vec<u32>,
    older: Vec<u32>,
    /// Youngest and oldest slot of each set.
    ends: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

/// What is known of the contents after a gap.
#[derive(Debug, Default)]
struct Knowledge {
    /// The caches began empty: all contents are known.
    all: bool,
    /// Sets whose contents are known; they need no further counting.
    sets: Vec<bool>,
    /// Distinct lines that sets have seen since the gap; unused for LRU.
    seen: FxHashSet<u64>,
    /// By set, the number of those lines; for LRU the lines filled in since one that was not certain.
    counts: Vec<u32>,
}

impl Cache {
    /// An empty cache; `known_empty` says that the real one is empty, too.
    pub fn new(geometry: &CacheGeometry, known_empty: bool) -> Self {
        let lines = geometry.lines.max(1);
        let ways = u64::from(geometry.ways.max(1)).min(lines) as usize;
        let sets = (lines / ways as u64).max(1);
        let policy = geometry.policy;
        let linked = ways > SEARCHED_WAYS;
        let ordered = matches!(policy, Replacement::Lru | Replacement::Fifo);
        let slots = sets as usize * ways;
        let map = linked.then(|| Map {
            younger: if ordered { vec![NONE; slots] } else { Vec::new() },
            older: if ordered { vec![NONE; slots] } else { Vec::new() },
            ends: if ordered { vec![(NONE, NONE); sets as usize] } else { Vec::new() },
            ..Map::default()
        });
        let has_state = matches!(policy, Replacement::Plru | Replacement::Nru | Replacement::Srrip);
        Self {
            sets,
            mask: sets.is_power_of_two().then(|| sets - 1),
            ways,
            policy,
            slots: vec![0; slots],
            state: if has_state { vec![0; slots] } else { Vec::new() },
            filled: vec![0; sets as usize],
            touched: Vec::new(),
            listed: vec![false; sets as usize],
            map,
            random: Xorshift::default(),
            knowledge: Knowledge {
                all: known_empty,
                sets: if known_empty { Vec::new() } else { vec![false; sets as usize] },
                counts: if known_empty { Vec::new() } else { vec![0; sets as usize] },
                ..Knowledge::default()
            },
        }
    }

    fn set(&self, line: u64) -> usize {
        (match self.mask {
            Some(mask) => line & mask,
            None => line % self.sets,
        }) as usize
    }

    /// A gap begins: the contents are no longer known.
    pub fn forget(&mut self) {
        for &set in &self.touched {
            let (set, ways) = (set as usize, self.ways);
            self.slots[set * ways..(set + 1) * ways].fill(0);
            if !self.state.is_empty() {
                self.state[set * ways..(set + 1) * ways].fill(0);
            }
            self.filled[set] = 0;
            self.listed[set] = false;
            if let Some(map) = &mut self.map
                && let Some(ends) = map.ends.get_mut(set)
            {
                *ends = (NONE, NONE);
            }
            if !self.knowledge.all {
                self.knowledge.sets[set] = false;
                self.knowledge.counts[set] = 0;
            }
        }
        self.touched.clear();
        self.knowledge.seen.clear();
        if let Some(map) = &mut self.map {
            map.slots.clear();
            map.free.clear();
        }
    }

    /// Whether a line that is not found in the simulated cache is surely not in the real one.
    pub fn knows(&self, line: u64) -> bool {
        self.knowledge.all || self.knowledge.sets[self.set(line)]
    }

    /// Uses a line; true for a hit. After a miss the caller fills it in with [`Self::fill`].
    #[inline]
    pub fn touch(&mut self, wanted: u64, write: bool) -> bool {
        let set = self.set(wanted);
        let changed = if write { CHANGED } else { 0 };
        if self.map.is_some() {
            return self.touch_mapped(set, wanted, changed);
        }
        let base = set * self.ways;
        let slots = &mut self.slots[base..base + self.ways];
        let Some(way) = slots.iter().position(|&s| s & !CHANGED == slot(wanted, false)) else {
            return false;
        };
        let now = slots[way] | changed;
        match self.policy {
            Replacement::Lru => {
                slots.copy_within(0..way, 1);
                slots[0] = now;
            }
            policy => {
                slots[way] = now;
                if let Some(state) = self.state.get_mut(base..base + self.ways) {
                    policy::used(policy, state, way, false);
                }
            }
        }
        true
    }

    fn touch_mapped(&mut self, set: usize, wanted: u64, changed: Slot) -> bool {
        let Some(map) = &mut self.map else { return false };
        let Some(&at) = map.slots.get(&wanted) else { return false };
        self.slots[at as usize] |= changed;
        match self.policy {
            Replacement::Lru => {
                map.unlink(set, at);
                map.push(set, at);
            }
            policy => {
                let base = set * self.ways;
                if let Some(state) = self.state.get_mut(base..base + self.ways) {
                    policy::used(policy, state, at as usize - base, false);
                }
            }
        }
        true
    }

    /// Marks a line as changed without using it; false when it is not there.
    pub fn change(&mut self, wanted: u64) -> bool {
        match self.find(wanted) {
            Some(at) => {
                self.slots[at] |= CHANGED;
                true
            }
            None => false,
        }
    }

    /// Whether the line is there; changes nothing.
    pub fn holds(&self, wanted: u64) -> bool {
        self.find(wanted).is_some()
    }

    fn find(&self, wanted: u64) -> Option<usize> {
        if let Some(map) = &self.map {
            return map.slots.get(&wanted).map(|&at| at as usize);
        }
        let base = self.set(wanted) * self.ways;
        let slots = &self.slots[base..base + self.ways];
        slots.iter().position(|&s| s & !CHANGED == slot(wanted, false)).map(|way| base + way)
    }

    /// Fills in a line that is not there; returns the evicted line. `certain` says that the real cache got
    /// the request, too: only such lines show its contents.
    pub fn fill(&mut self, line: u64, changed: bool, certain: bool) -> Option<Gone> {
        let set = self.set(line);
        if !self.listed[set] {
            self.listed[set] = true;
            self.touched.push(set as u32);
        }
        let gone = if self.map.is_some() {
            self.fill_mapped(set, line, changed)
        } else {
            match self.policy {
                Replacement::Lru | Replacement::Fifo => self.fill_ordered(set, line, changed),
                _ => self.fill_slot(set, line, changed).0,
            }
        };
        if gone.is_none() {
            self.filled[set] += 1;
        }
        if !self.knowledge.all && !self.knowledge.sets[set] {
            self.learn(set, line, certain);
        }
        gone
    }

    fn fill_ordered(&mut self, set: usize, wanted: u64, changed: bool) -> Option<Gone> {
        let base = set * self.ways;
        let filled = self.filled[set] as usize;
        let slots = &mut self.slots[base..base + self.ways];
        let last = filled.min(slots.len() - 1);
        let gone = (filled == slots.len()).then(|| gone(slots[last]));
        slots.copy_within(0..last, 1);
        slots[0] = slot(wanted, changed);
        gone
    }

    fn fill_slot(&mut self, set: usize, wanted: u64, changed: bool) -> (Option<Gone>, usize) {
        let base = set * self.ways;
        let slots = &mut self.slots[base..base + self.ways];
        let empty =
            if (self.filled[set] as usize) < self.ways { slots.iter().position(|&s| s == 0) } else { None };
        let way = match (empty, self.state.get_mut(base..base + self.ways)) {
            (Some(way), _) => way,
            (None, Some(state)) => policy::victim(self.policy, state, &mut self.random),
            (None, None) => self.random.below(self.ways),
        };
        let gone = (slots[way] != 0).then(|| gone(slots[way]));
        slots[way] = slot(wanted, changed);
        if let Some(state) = self.state.get_mut(base..base + self.ways) {
            policy::used(self.policy, state, way, true);
        }
        (gone, base + way)
    }

    fn fill_mapped(&mut self, set: usize, wanted: u64, changed: bool) -> Option<Gone> {
        let ordered = matches!(self.policy, Replacement::Lru | Replacement::Fifo);
        if !ordered {
            let (left, at) = self.fill_slot(set, wanted, changed);
            let map = self.map.as_mut()?;
            if let Some(left) = left {
                map.slots.remove(&left.line);
            }
            map.slots.insert(wanted, at as u32);
            return left;
        }
        let map = self.map.as_mut()?;
        let base = set * self.ways;
        let (at, left) = if (self.filled[set] as usize) < self.ways {
            // Freed slots may belong to other sets; look for one of this set.
            let own = |at: &u32| (base..base + self.ways).contains(&(*at as usize));
            let at = match map.free.iter().rposition(own) {
                Some(place) => map.free.swap_remove(place),
                None => (base + self.filled[set] as usize) as u32,
            };
            (at, None)
        } else {
            let oldest = map.ends[set].1;
            map.unlink(set, oldest);
            let left = gone(self.slots[oldest as usize]);
            map.slots.remove(&left.line);
            (oldest, Some(left))
        };
        self.slots[at as usize] = slot(wanted, changed);
        map.slots.insert(wanted, at);
        map.push(set, at);
        left
    }

    fn learn(&mut self, set: usize, line: u64, certain: bool) {
        let knowledge = &mut self.knowledge;
        let count = &mut knowledge.counts[set];
        if self.policy == Replacement::Lru {
            *count = if certain { *count + 1 } else { 0 };
        } else if certain && knowledge.seen.insert(line) {
            *count += 1;
        }
        // A set with free slots (lines were removed) may still hold earlier lines.
        let full = self.filled[set] as usize == self.ways;
        knowledge.sets[set] = full && u64::from(*count) >= policy::turnover(self.policy, self.ways as u64);
    }

    /// Removes a line.
    pub fn remove(&mut self, wanted: u64) -> Option<Gone> {
        let at = self.find(wanted)?;
        let set = self.set(wanted);
        let left = gone(self.slots[at]);
        let base = set * self.ways;
        let ordered = matches!(self.policy, Replacement::Lru | Replacement::Fifo);
        match &mut self.map {
            Some(map) => {
                map.slots.remove(&wanted);
                self.slots[at] = 0;
                if ordered {
                    map.unlink(set, at as u32);
                    map.free.push(at as u32);
                }
            }
            None if ordered => {
                self.slots.copy_within(at + 1..base + self.ways, at);
                self.slots[base + self.ways - 1] = 0;
            }
            None => self.slots[at] = 0,
        }
        self.filled[set] -= 1;
        Some(left)
    }
}

impl Map {
    fn unlink(&mut self, set: usize, at: u32) {
        let (younger, older) = (self.younger[at as usize], self.older[at as usize]);
        match younger {
            NONE => self.ends[set].0 = older,
            _ => self.older[younger as usize] = older,
        }
        match older {
            NONE => self.ends[set].1 = younger,
            _ => self.younger[older as usize] = younger,
        }
    }

    fn push(&mut self, set: usize, at: u32) {
        let youngest = self.ends[set].0;
        self.younger[at as usize] = NONE;
        self.older[at as usize] = youngest;
        match youngest {
            NONE => self.ends[set].1 = at,
            _ => self.younger[youngest as usize] = at,
        }
        self.ends[set].0 = at;
    }
}

fn gone(slot: Slot) -> Gone {
    Gone { line: line(slot), changed: slot & CHANGED != 0 }
}

#[cfg(test)]
mod tests;
