//! Memory that each chosen loop touches: distinct bytes, cache lines and pages, of one entry and of all that was traced,
//! and the arrays that its operands share.
//!
//! Every line has a bit for each byte, once for all that was traced and once for the current entry. The
//! operands that used a line are one number: sets of operands are numbered as they occur ([`sets`]), and
//! there are few of them. [`arrays`] explains how sets and address ranges become arrays.

mod arrays;
mod sets;

#[cfg(test)]
mod tests;

use crate::active::{Active, Turn};
use crate::collect::Collector;
use crate::event::{Access, Event};
use crate::facts::Footprint;
use crate::lines::{Hint, Lines, Room, bytes_by_line, line_bits};
use crate::shape::Shape;
use rustc_hash::FxHashMap;
use sets::Sets;

const PAGE_BITS: u32 = 12;
/// Bytes of a page in the table of pages.
const PAGE_COST: u64 = 32;

/// The facts about a line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Bytes that were ever used.
    all: u64,
    /// Bytes that the entry `stamp` used.
    entry: u64,
    stamp: u32,
    /// Number of the set of operands that used it.
    set: u32,
}

/// Footprint of one entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Touched {
    lines: u64,
    bytes: u64,
    pages: u64,
}

/// The facts about an operand.
#[derive(Clone, Copy, Debug)]
struct User {
    hint: Hint,
    /// A set that holds it; 0 for none.
    set: u32,
    low: u64,
    high: u64,
}

impl Default for User {
    fn default() -> Self {
        Self { hint: Hint::default(), set: 0, low: u64::MAX, high: 0 }
    }
}

/// The memory that a loop touched.
#[derive(Debug, Default)]
struct Touches {
    lines: Lines<Line>,
    /// Last entry that used a page.
    pages: FxHashMap<u64, u32>,
    sets: Sets,
    /// By site.
    users: Vec<User>,
    stamp: u32,
    now: Touched,
    most: Touched,
    is_bound: bool,
}

impl Touches {
    fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1).max(1);
        self.now = Touched::default();
    }

    fn end(&mut self) {
        self.most = self.most.max(self.now);
    }

    #[inline]
    fn access(&mut self, access: &Access, line_bits: u32, room: &mut Room) {
        let site = access.site as usize;
        if self.users.len() <= site {
            self.users.resize(site + 1, User::default());
        }
        let user = &mut self.users[site];
        let end = access.address.saturating_add(u64::from(access.size.max(1)));
        user.low = user.low.min(access.address);
        user.high = user.high.max(end);
        let stamp = self.stamp;
        bytes_by_line(access.address, access.size, line_bits, |number, bytes| {
            let Some(line) = self.lines.at(&mut user.hint, number, room) else {
                self.is_bound = true;
                return;
            };
            if line.stamp == stamp && bytes & !line.entry == 0 && line.set == user.set {
                return;
            }
            if line.set != user.set || line.set == 0 {
                line.set = self.sets.with(line.set, access.site);
                user.set = line.set;
            }
            if line.stamp != stamp {
                (line.stamp, line.entry) = (stamp, 0);
                self.now.lines += 1;
                let page = number >> (PAGE_BITS - line_bits);
                match self.pages.get_mut(&page) {
                    Some(known) if *known == stamp => {}
                    Some(known) => {
                        *known = stamp;
                        self.now.pages += 1;
                    }
                    None if room.take(PAGE_COST) => {
                        self.pages.insert(page, stamp);
                        self.now.pages += 1;
                    }
                    None => self.is_bound = true,
                }
            }
            let new = bytes & !line.entry;
            line.entry |= new;
            line.all |= new;
            self.now.bytes += u64::from(new.count_ones());
        });
    }

    fn absorb(&mut self, other: &Self, room: &mut Room) {
        self.most = self.most.max(other.most);
        self.is_bound |= other.is_bound;
        let mut moved: Vec<u32> = vec![0; other.sets.len()];
        let mut hint = Hint::default();
        for (number, theirs) in other.lines.iter().filter(|line| line.1.all != 0) {
            let Some(line) = self.lines.at(&mut hint, number, room) else {
                self.is_bound = true;
                continue;
            };
            line.all |= theirs.all;
            line.set = match (line.set, moved[theirs.set as usize]) {
                // Most lines are used by one thread only.
                (0, known) if known > 0 => known,
                (0, _) => {
                    let set = self.sets.with_all(0, other.sets.members(theirs.set));
                    moved[theirs.set as usize] = set;
                    set
                }
                (set, _) => self.sets.with_all(set, other.sets.members(theirs.set)),
            };
        }
        if self.users.len() < other.users.len() {
            self.users.resize(other.users.len(), User::default());
        }
        for (user, theirs) in self.users.iter_mut().zip(&other.users).filter(|users| users.1.high > 0) {
            (user.low, user.high) = (user.low.min(theirs.low), user.high.max(theirs.high));
        }
    }
}

/// Footprints of the chosen loops in one thread.
#[derive(Debug)]
pub struct Footprints {
    active: Active,
    /// By place.
    loops: Vec<Touches>,
    line_bits: u32,
}

impl Footprints {
    /// No memory touched yet.
    pub fn new(line_bytes: u32) -> Self {
        Self { active: Active::default(), loops: Vec::new(), line_bits: line_bits(line_bytes) }
    }

    /// Adds events of the thread; `room` is that of all threads.
    pub fn feed(&mut self, shape: &Shape, events: &[Event], room: &mut Room) {
        for event in events {
            match event {
                Event::Access(access) => {
                    for place in self.active.now() {
                        self.loops[place as usize].access(access, self.line_bits, room);
                    }
                }
                Event::Call { .. } | Event::Pass { .. } => {}
                _ => match self.active.follow(shape, event) {
                    Turn::None => {}
                    Turn::Begin(place) => self.touches(place).begin(),
                    Turn::End(place) => self.touches(place).end(),
                    Turn::Cut(places) => places.into_iter().for_each(|place| self.touches(place).end()),
                },
            }
        }
    }

    fn touches(&mut self, place: u32) -> &mut Touches {
        let place = place as usize;
        if self.loops.len() <= place {
            self.loops.resize_with(place + 1, Touches::default);
        }
        &mut self.loops[place]
    }

    /// The stream is complete.
    pub fn end(&mut self) {
        self.feed(&Shape::default(), &[Event::Gap], &mut Room::new(0));
    }

    /// Adds what another thread touched; both are complete.
    pub fn absorb(&mut self, other: Self, room: &mut Room) {
        let mut theirs: Vec<Option<Touches>> = other.loops.into_iter().map(Some).collect();
        for (loop_, place) in other.active.places() {
            let Some(theirs) = theirs.get_mut(place as usize).and_then(Option::take) else { continue };
            let place = self.active.place(loop_);
            let known = self.touches(place);
            if known.stamp == 0 {
                *known = theirs;
                continue;
            }
            // The other thread's table is freed after this; most of its lines are known here, too.
            room.give(theirs.lines.bytes() + PAGE_COST * theirs.pages.len() as u64);
            known.absorb(&theirs, room);
        }
    }

    /// Writes the facts. Strides must have been written before: they show which operands advance together.
    pub fn finish(self, into: &mut Collector) {
        for (loop_, place) in self.active.places() {
            let Some(touches) = self.loops.get(place as usize) else { continue };
            let (mut all_lines, mut all_bytes) = (0, 0);
            for (_, line) in touches.lines.iter().filter(|line| line.1.all != 0) {
                all_lines += 1;
                all_bytes += u64::from(line.all.count_ones());
            }
            let arrays = arrays::arrays(touches, self.line_bits, loop_, into);
            into.of(loop_).footprint = Footprint {
                bytes: touches.most.bytes,
                lines: touches.most.lines,
                pages: touches.most.pages,
                all_lines,
                all_bytes,
                line_bytes: 1 << self.line_bits,
                is_bound: touches.is_bound,
                arrays,
            };
        }
    }
}
