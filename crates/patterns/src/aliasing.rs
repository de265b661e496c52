//! 4 KiB aliasing: loads shortly after a store whose address agrees with theirs in the lowest 12 bits, at another place.
//!
//! A processor that compares only these bits at first assumes that the load depends on the store, and repeats
//! it when the whole addresses are known (Intel *Optimization Reference Manual*, "Memory Disambiguation" and
//! event `LD_BLOCKS_PARTIAL.ADDRESS_ALIAS`; Agner Fog, *The microarchitecture of Intel, AMD and VIA CPUs*,
//! "False memory dependence between load and store"). Only a store that may still be in flight matters: one
//! of the last [`STORES`], at most [`DISTANCE`] accesses ago. A load that also truly depends on a younger
//! store is left out: it waits for that one anyway.

use crate::collect::Collector;
use crate::event::Event;
use crate::facts::AliasingUse;
use crate::nest::{Change, Nest};
use crate::shape::Shape;
use std::collections::{BTreeMap, HashMap};

/// Number of latest stores that are compared: fewer than any store buffer holds (Fog: 36 and more since Sandy
/// Bridge), because older ones have usually been written.
const STORES: usize = 16;
/// Most accesses between store and load.
const DISTANCE: u64 = 48;
const PAGE: u64 = 4096;

/// The aliasing loads of one thread.
#[derive(Debug, Default)]
pub struct Aliases {
    /// Each level with the time at which it was entered.
    nest: Nest<u64>,
    clock: u64,
    stores: [Store; STORES],
    next: usize,
    /// By chosen loop, store and load: the counts by the load's address minus the store's.
    found: BTreeMap<(u32, u32, u32), HashMap<u32, u64>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Store {
    site: u32,
    address: u64,
    /// Bytes of the store; 0 for an empty slot.
    size: u32,
    clock: u64,
}

/// Bytes that a store of `size` at `from` and a load of `bytes` at `to` share, in a space of `space` bytes.
fn meet(from: u64, size: u32, to: u64, bytes: u32, space: u64) -> bool {
    let ahead = to.wrapping_sub(from) & (space - 1);
    let behind = from.wrapping_sub(to) & (space - 1);
    ahead < u64::from(size) || behind < u64::from(bytes)
}

impl Aliases {
    /// Adds events of the thread.
    pub fn feed(&mut self, shape: &Shape, events: &[Event]) {
        for event in events {
            let Event::Access(access) = event else {
                match self.nest.follow(event) {
                    Change::Cut(_) => self.stores = Default::default(),
                    Change::Opened => {
                        if let Some(level) = self.nest.levels_mut().last_mut() {
                            level.own = self.clock;
                        }
                    }
                    _ => {}
                }
                continue;
            };
            self.clock += 1;
            let Some(site) = shape.sites.get(access.site as usize) else { continue };
            if site.kind.reads() {
                self.load(shape, access.site, access.address, access.size);
            }
            if site.kind.writes() {
                self.stores[self.next] = Store {
                    site: access.site,
                    address: access.address,
                    size: access.size,
                    clock: self.clock,
                };
                self.next = (self.next + 1) % STORES;
            }
        }
    }

    fn load(&mut self, shape: &Shape, site: u32, address: u64, size: u32) {
        // Youngest store first.
        for back in 1..=STORES {
            let store = self.stores[(self.next + STORES - back) % STORES];
            if store.size == 0 || self.clock - store.clock > DISTANCE {
                return;
            }
            if !meet(store.address, store.size, address, size, PAGE) {
                continue;
            }
            let apart = address.abs_diff(store.address);
            if apart < u64::from(store.size.max(size))
                && meet(store.address, store.size, address, size, 1 << 63)
            {
                return;
            }
            let offset = (address.wrapping_sub(store.address) % PAGE) as u32;
            let mut counted: Vec<u32> = Vec::new();
            for level in self.nest.levels() {
                let chosen = shape.loops.get(level.loop_ as usize).is_some_and(|l| l.chosen);
                // A store before the loop is not one of its operands.
                if chosen && store.clock > level.own && !counted.contains(&level.loop_) {
                    counted.push(level.loop_);
                    let by = self.found.entry((level.loop_, store.site, site)).or_default();
                    // For a gather over a whole array the most frequent offsets are enough.
                    if by.len() < 64 || by.contains_key(&offset) {
                        *by.entry(offset).or_default() += 1;
                    } else {
                        *by.entry(u32::MAX).or_default() += 1;
                    }
                }
            }
            return;
        }
    }

    /// Adds the pairs to the facts.
    pub fn finish(self, into: &mut Collector) {
        for ((loop_, store, load), by) in self.found {
            let (store, load) = (into.site(loop_, store), into.site(loop_, load));
            let count: u64 = by.values().sum();
            let most = by.iter().filter(|(offset, _)| **offset != u32::MAX);
            let Some((&offset, _)) =
                most.max_by_key(|(offset, count)| (**count, std::cmp::Reverse(**offset)))
            else {
                continue;
            };
            let pairs = &mut into.of(loop_).aliasing;
            match pairs.iter_mut().find(|p| (p.store, p.load) == (store, load)) {
                Some(known) => known.count += count,
                None => pairs.push(AliasingUse { store, load, count, offset }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Access;
    use crate::facts::AccessKind;
    use crate::shape::{LoopShape, Site};

    fn shape() -> Shape {
        let site = |kind| Site { kind, ..Site::default() };
        Shape {
            loops: vec![LoopShape { header: 16, chosen: true, ..LoopShape::default() }],
            sites: vec![site(AccessKind::Load), site(AccessKind::Store)],
            ..Shape::default()
        }
    }

    fn pairs(accesses: impl IntoIterator<Item = (u32, u64, u32)>) -> Vec<AliasingUse> {
        let shape = shape();
        let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack: 0 }];
        for (site, address, size) in accesses {
            events.push(Event::Pass { loop_: 0 });
            events.push(Event::Access(Access { site, address, size, lane: 0 }));
        }
        let mut aliases = Aliases::default();
        aliases.feed(&shape, &events);
        let mut all = Collector::new(&shape);
        aliases.finish(&mut all);
        all.finish().pop().map(|l| l.aliasing).unwrap_or_default()
    }

    /// `for i: b[i] = a[i + 1]` with `b` that number of pages after `a`: the store of an iteration meets the
    /// load of the next.
    #[test]
    fn a_copy_between_arrays_a_page_apart_aliases() {
        let copy = |apart: u64| {
            (0..100_u64).flat_map(move |i| [(0, 0x10000 + 8 * i, 8), (1, 0x10000 + apart + 8 * i + 8, 8)])
        };
        let found = pairs(copy(3 * 4096));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].count, found[0].offset), (99, 0));
        assert_eq!(pairs(copy(3 * 4096 + 256)), [], "far enough apart");
    }

    #[test]
    fn true_dependences_and_old_stores_are_none() {
        assert_eq!(pairs([(1, 0x5000, 8), (0, 0x5000, 8)]), [], "it is the same place");
        assert_eq!(pairs([(1, 0x5000, 8), (0, 0x5004, 8)]), [], "half of it");
        assert_eq!(pairs([(1, 0x5000, 8), (0, 0x5008, 8)]), [], "the next one");
        assert_eq!(pairs([(1, 0x5000, 8), (0, 0x6004, 8)])[0].offset, 4);
        assert_eq!(pairs([(1, 0x5004, 8), (0, 0x6000, 8)])[0].offset, 4092);
        // Across the page's end: the last bytes of one page and the first of another.
        assert_eq!(pairs([(1, 0x5ffc, 8), (0, 0x9000, 8)])[0].offset, 4);
        let late = |others: u64| {
            let between = (0..others).map(|n| (0, 0x100_0400 + 8 * n, 8));
            pairs([(1, 0x5000, 8)].into_iter().chain(between).chain([(0, 0x6000, 8)]))
        };
        assert_eq!(late(20).len(), 1);
        assert_eq!(late(60), []);
        // The younger store provides the value.
        assert_eq!(pairs([(1, 0x5000, 8), (1, 0x6000, 8), (0, 0x6000, 8)]), []);
    }

    #[test]
    fn ranges_meet_as_their_bytes_do() {
        for from in 0..64_u64 {
            for to in 0..64_u64 {
                for (size, bytes) in [(1, 1), (4, 8), (8, 4), (16, 16)] {
                    let store: Vec<u64> = (0..size).map(|n| (from + n) % 64).collect();
                    let expected = (0..bytes).any(|n| store.contains(&((to + n) % 64)));
                    assert_eq!(meet(from, size as u32, to, bytes as u32, 64), expected, "{from} {to}");
                }
            }
        }
    }
}
