//! Strides, alignment and lanes of every operand of every chosen loop, in one thread.
//!
//! The stride over a loop is the difference between the first accesses in consecutive iterations of it within
//! one entry; an iteration without an access, or one whose beginning was not seen, makes no step. An access
//! counts for every chosen loop that is active. Whether an access is the first of an iteration is decided
//! from the innermost loop outwards: where a loop's iteration has had one, those of the loops around it have.
//! So nearly all accesses need one comparison, however deep the nest.
//!
//! Memory: one record per operand and chosen loop, with at most [`values::MOST`] strides per level.

mod lanes;
mod site;
mod values;

#[cfg(test)]
mod tests;

use crate::collect::Collector;
use crate::event::{Access, Event};
use crate::nest::{Change, Level, Nest};
use crate::shape::Shape;
use site::Operand;
use std::collections::{BTreeMap, HashMap};

/// The data of an active loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Number of this entry among all of the thread; from 1.
    entry: u64,
    /// Random number of the iteration, see [`site`].
    weight: u64,
}

/// Strides in one thread.
#[derive(Debug)]
pub struct Strides {
    nest: Nest<Place>,
    /// Chosen loops that are active (index into `loops`), with the number of active levels that are this loop.
    active: Vec<(u32, u32)>,
    /// Index into `loops` by index in the shape.
    chosen: BTreeMap<u32, u32>,
    loops: Vec<Chosen>,
    entries: u64,
    seed: u64,
    line_bits: u32,
}

/// A chosen loop that ran.
#[derive(Debug, Default)]
struct Chosen {
    loop_: u32,
    /// Index into `operands` plus one by site; 0 where there is none.
    at: Vec<u32>,
    operands: Vec<Operand>,
}

impl Chosen {
    #[inline]
    fn operand(&mut self, shape: &Shape, site: u32) -> Option<&mut Operand> {
        match self.at.get(site as usize) {
            Some(&at) if at > 0 => self.operands.get_mut(at as usize - 1),
            _ => self.add(shape, site),
        }
    }

    fn add(&mut self, shape: &Shape, site: u32) -> Option<&mut Operand> {
        let known = shape.sites.get(site as usize)?;
        if self.at.len() <= site as usize {
            self.at.resize(site as usize + 1, 0);
        }
        self.operands.push(Operand::new(site, known));
        self.at[site as usize] = self.operands.len() as u32;
        self.operands.last_mut()
    }
}

/// A random number for each number (the finaliser of SplitMix64; S. Vigna, <https://prng.di.unimi.it/splitmix64.c>).
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Strides {
    /// No events of a thread yet.
    pub fn new(thread: u32, line_bytes: u32) -> Self {
        Self {
            nest: Nest::default(),
            active: Vec::new(),
            chosen: BTreeMap::new(),
            loops: Vec::new(),
            entries: 0,
            seed: mix(u64::from(thread)),
            line_bits: line_bytes.max(1).ilog2(),
        }
    }

    /// Adds events of the thread.
    pub fn feed(&mut self, shape: &Shape, events: &[Event]) {
        for event in events {
            match event {
                Event::Access(access) => self.access(shape, access),
                Event::Call { .. } => {}
                _ => self.follow(shape, event),
            }
        }
    }

    #[inline]
    fn access(&mut self, shape: &Shape, access: &Access) {
        let levels = self.nest.levels();
        for &(at, _) in &self.active {
            if let Some(operand) = self.loops[at as usize].operand(shape, access.site) {
                operand.access(access, levels, self.line_bits);
            }
        }
    }

    fn follow(&mut self, shape: &Shape, event: &Event) {
        match self.nest.follow(event) {
            Change::None => {}
            Change::Passed => {
                self.seed = self.seed.wrapping_add(1);
                if let Some(level) = self.nest.levels_mut().last_mut() {
                    level.own.weight = mix(self.seed);
                }
            }
            Change::Opened => {
                self.entries += 1;
                let Some(level) = self.nest.levels_mut().last_mut() else { return };
                level.own.entry = self.entries;
                let loop_ = level.loop_;
                if shape.loops.get(loop_ as usize).is_some_and(|l| l.chosen) {
                    self.activate(loop_);
                }
            }
            Change::Closed(level, _) => self.deactivate(level.loop_),
            Change::Cut(levels) => self.cut(&levels),
        }
    }

    fn activate(&mut self, loop_: u32) {
        let next = self.loops.len() as u32;
        let at = *self.chosen.entry(loop_).or_insert(next);
        if at == next {
            self.loops.push(Chosen { loop_, ..Chosen::default() });
        }
        match self.active.iter_mut().find(|active| active.0 == at) {
            // A recursion entered it again.
            Some(active) => active.1 += 1,
            None => self.active.push((at, 1)),
        }
    }

    fn deactivate(&mut self, loop_: u32) {
        let Some(&at) = self.chosen.get(&loop_) else { return };
        if let Some(position) = self.active.iter().position(|active| active.0 == at) {
            self.active[position].1 -= 1;
            if self.active[position].1 == 0 {
                self.active.remove(position);
            }
        }
    }

    fn cut(&mut self, levels: &[Level<Place>]) {
        self.active.clear();
        for operand in self.loops.iter_mut().flat_map(|l| &mut l.operands) {
            operand.cut(levels);
        }
    }

    /// The stream is complete.
    pub fn end(&mut self) {
        let levels = self.nest.take();
        self.cut(&levels);
        self.loops.iter_mut().flat_map(|l| &mut l.operands).for_each(Operand::end);
    }

    /// Adds the results of another thread; both are complete.
    pub fn absorb(&mut self, shape: &Shape, other: &Self) {
        for theirs in &other.loops {
            let next = self.loops.len() as u32;
            let at = *self.chosen.entry(theirs.loop_).or_insert(next);
            if at == next {
                self.loops.push(Chosen { loop_: theirs.loop_, ..Chosen::default() });
            }
            for operand in &theirs.operands {
                if let Some(known) = self.loops[at as usize].operand(shape, operand.site) {
                    known.absorb(operand);
                }
            }
        }
    }

    /// Writes the facts. Operands are listed in the order of the program: the loop's own function, then called ones.
    pub fn finish(self, into: &mut Collector) {
        let shape = into.shape;
        for chosen in &self.loops {
            let own = shape.loops.get(chosen.loop_ as usize).map(|l| (l.module, l.function));
            let mut in_order: Vec<&Operand> = chosen.operands.iter().collect();
            in_order.sort_by_key(|operand| {
                let site = shape.sites.get(operand.site as usize);
                site.map(|at| {
                    let function = (at.module, at.function);
                    (own != Some(function), function, at.address, at.operand)
                })
            });
            for operand in in_order {
                into.site(chosen.loop_, operand.site);
            }
            let mut listed: Vec<(u32, &Operand)> =
                chosen.operands.iter().map(|o| (into.site(chosen.loop_, o.site), o)).collect();
            listed.sort_unstable_by_key(|&(index, _)| index);
            let mut leaders: HashMap<(u64, u64), (u32, u64)> = HashMap::new();
            for (index, operand) in listed {
                let mut offset = None;
                if let Some((common, address)) = operand.relation() {
                    let &mut (leader, from) = leaders.entry(common).or_insert((index, address));
                    offset = (leader != index).then(|| (leader, address.wrapping_sub(from) as i64));
                }
                let pattern = into.pattern(chosen.loop_, operand.site);
                operand.write(shape, pattern);
                pattern.offset = offset;
            }
        }
    }
}
