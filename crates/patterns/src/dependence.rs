//! Dependences between iterations: which access met a byte that another one had used.
//!
//! Definitions as in Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, chapter 2, and Wolfe, *High
//! Performance Compilers for Parallel Computing*: a dependence goes from the access that comes first in time
//! (source) to a later one (sink) of the same byte, at least one of which writes. It is *carried* by the loop of
//! which both run in different iterations of one entry, while all loops around it are in the same iteration; its
//! distance is the number of iterations between them.
//!
//! # Method
//!
//! A clock ticks when an iteration of a chosen loop begins. Every active level has the clock of its entry and
//! of its current iteration. These intervals do not overlap: a source with clock `c` is carried by the level
//! with `entry <= c < current`, and is in the same iteration of all levels around that. For each byte,
//! [`shadow`] keeps its last write and reads since.
//!
//! Why nothing is missed:
//!
//! - *RAW*: the value that a read gets comes from the last write of that byte, so that one is enough.
//! - *WAW*: the last write is the nearest; earlier ones have met the writes between.
//! - *WAR*: of the reads since the last write, the last one in each class is kept: carried by this level, or
//!   in the same iteration of it, for every active level. Two reads that are in the same class once stay so
//!   for ever, since every later boundary is either before both or after both; so the dropped read is further
//!   away and earlier in the iteration than the one that is kept.
//! - Every other pair is ordered when these are: order is transitive.
//!
//! Bytes forgotten when memory runs out are counted ([`Checked::forgotten`]).
//!
//! A read is *exposed* in a level when its value was not written in the level's current iteration. WAR and WAW at
//! places that no iteration of the entry reads in this way vanish when each iteration has its own copy.
//!
//! Each thread is analysed on its own: an entry of a loop, and its iterations, belong to one thread. Accesses
//! of two threads to one byte are not a dependence of a loop here.
//!
//! [`Checked::forgotten`]: crate::facts::Checked::forgotten

mod found;
mod iterations;
mod levels;
mod library;
mod shadow;
#[cfg(test)]
mod tests;

use crate::collect::{CALL, Collector};
use crate::event::{Access, Event};
use crate::facts::{Checked, DependenceKind, Edge};
use crate::nest::{Change, Nest};
use crate::shape::Shape;
use found::{Found, Key, Occurrence};
use iterations::Iterations;
use levels::{Level, effective, exposed, reach, remember};
use library::Length;
use rustc_hash::FxHashMap;
use shadow::{HIDDEN, LAST_CLOCK, MOST_SITES, PAGE, Shadow, Word};
use std::collections::BTreeMap;

/// Bytes below the stack pointer in which a function that calls no other may keep variables (System V ABI for
/// x86-64, 3.2.2).
const RED_ZONE: u64 = 128;
/// Largest step in which a stack is followed downwards: the smallest guard area below it.
const GUARD: u64 = 4096;
/// A variable of a frame further below the known part of the stack is on another stack.
const LARGEST_FRAME: u64 = 8 << 20;
/// Most bytes of one library call that are followed.
const LONGEST_CALL: u64 = 1 << 30;
/// Operands with more bytes keep no offsets.
const LONGEST_OPERAND: u64 = 64;

/// An access while it is followed.
#[derive(Clone, Copy, Debug)]
struct Touch {
    site: u32,
    address: u64,
    size: u64,
    /// Byte of the operand at `address`.
    offset: u32,
    reads: bool,
    writes: bool,
}

/// Bytes of an access that one earlier access used.
#[derive(Clone, Copy, Debug)]
struct Hit {
    kind: DependenceKind,
    source: Word,
    source_offset: u32,
    sink_offset: u32,
    length: u32,
    address: u64,
    exposure: u8,
}

/// The facts about an operand in the thread.
#[derive(Clone, Copy, Debug)]
struct Operand {
    /// Module and function; `None` for library calls.
    function: Option<(u32, u64)>,
    element: u32,
    frame: bool,
    reads: bool,
    writes: bool,
}

/// The dependences of one thread.
#[derive(Debug)]
pub struct Dependences {
    nest: Nest<()>,
    levels: Vec<Level>,
    clock: u64,
    entries: u64,
    shadow: Shadow,
    found: Found,
    checked: BTreeMap<u32, Checked>,
    /// Names of operands (see [`CALL`]) by number in the thread.
    names: Vec<u32>,
    operands: Vec<Operand>,
    of_site: Vec<u32>,
    of_call: FxHashMap<u32, u32>,
    hits: Vec<Hit>,
    /// Lowest address that is known to be on the thread's stack.
    low: u64,
    /// Most bytes of the history.
    limit: u64,
}

impl Default for Dependences {
    fn default() -> Self {
        Self {
            nest: Nest::default(),
            levels: Vec::new(),
            clock: 0,
            entries: 0,
            shadow: Shadow::default(),
            found: Found::default(),
            checked: BTreeMap::new(),
            names: Vec::new(),
            operands: Vec::new(),
            of_site: Vec::new(),
            of_call: FxHashMap::default(),
            hits: Vec::new(),
            low: u64::MAX,
            limit: u64::MAX,
        }
    }
}

/// No number yet.
const NO_NUMBER: u32 = u32::MAX;

impl Dependences {
    /// Adds events of the thread. `limit` is the most bytes that its history may take.
    pub fn feed(&mut self, shape: &Shape, events: &[Event], limit: u64) {
        self.limit = limit;
        for event in events {
            match event {
                Event::Access(access) if !self.levels.is_empty() => self.access(shape, access),
                Event::Call { call, arguments } if !self.levels.is_empty() => {
                    self.call(shape, *call, arguments);
                }
                Event::Access(_) | Event::Call { .. } => {}
                _ => self.follow(shape, event),
            }
        }
    }

    /// Bytes that the history takes.
    pub fn bytes(&self) -> u64 {
        self.shadow.bytes() + self.levels.iter().map(|level| level.iterations.bytes()).sum::<u64>()
    }

    fn follow(&mut self, shape: &Shape, event: &Event) {
        let chosen_loop = |loop_: u32| shape.loops.get(loop_ as usize).filter(|l| l.chosen);
        let chosen = |loop_: u32| chosen_loop(loop_).is_some();
        match self.nest.follow(event) {
            Change::Cut(_) => {
                while let Some(level) = self.levels.pop() {
                    self.close(level, false);
                }
                self.low = u64::MAX;
            }
            Change::Opened => {
                let Some(level) = self.nest.levels().last() else { return };
                let (loop_, stack, whole) = (level.loop_, level.stack, level.whole);
                self.below(stack, true);
                if let Some(at) = chosen_loop(loop_) {
                    self.tick();
                    self.entries += 1;
                    let mut iterations = Iterations::default();
                    if !whole {
                        // In the middle of an iteration: the accesses up to the next one belong to it.
                        iterations.begin(self.clock);
                    }
                    self.levels.push(Level {
                        loop_,
                        function: (at.module, at.function),
                        entry: self.clock,
                        start: self.clock,
                        stack,
                        serial: self.entries,
                        passes: 0,
                        iterations,
                        forgotten: 0,
                    });
                }
            }
            Change::Passed => {
                if self.nest.levels().last().is_some_and(|l| chosen(l.loop_)) {
                    self.tick();
                    if let Some(level) = self.levels.last_mut() {
                        level.start = self.clock;
                        level.passes += 1;
                        level.iterations.begin(self.clock);
                    }
                }
            }
            Change::Closed(level, tested) => {
                if chosen(level.loop_)
                    && let Some(level) = self.levels.pop()
                {
                    self.close(level, tested);
                }
            }
            Change::None => {}
        }
    }

    fn close(&mut self, level: Level, tested: bool) {
        let iterations = level.passes - u64::from(tested && level.passes > 0);
        let checked = self.checked.entry(level.loop_).or_default();
        checked.iterations += iterations;
        checked.entries += 1;
        checked.longest = checked.longest.max(iterations);
        checked.forgotten += level.forgotten;
    }

    fn tick(&mut self) {
        if self.clock == LAST_CLOCK {
            self.restart();
        }
        self.clock += 1;
    }

    /// Restarts the clock: all history is lost.
    fn restart(&mut self) {
        let since = self.levels.first().map_or(u64::MAX, |level| level.entry);
        let forgotten = self.shadow.clear(since);
        self.clock = 1;
        for level in &mut self.levels {
            // The earlier iterations have no clock any more: distances count from here.
            level.iterations = Iterations::default();
            (level.entry, level.start) = (1, 1);
            level.forgotten += forgotten.max(1);
        }
    }

    /// Notes that `address` is on the stack, or may be.
    fn below(&mut self, address: u64, surely: bool) {
        if address >= self.low {
            return;
        }
        let gap = self.low - address;
        if self.low == u64::MAX {
            if surely {
                self.low = address;
            }
        } else if gap <= GUARD || surely && gap <= LARGEST_FRAME {
            self.low = address;
        }
    }

    /// The thread's number of an operand.
    fn number(&mut self, shape: &Shape, name: u32) -> Option<u32> {
        let known = if name & CALL == 0 {
            self.of_site.get(name as usize).copied().unwrap_or(NO_NUMBER)
        } else {
            self.of_call.get(&name).copied().unwrap_or(NO_NUMBER)
        };
        if known != NO_NUMBER {
            return Some(known);
        }
        let next = self.names.len() as u32;
        if next >= MOST_SITES {
            return None;
        }
        let operand = if name & CALL == 0 {
            let site = shape.sites.get(name as usize)?;
            if self.of_site.len() <= name as usize {
                self.of_site.resize(shape.sites.len().max(name as usize + 1), NO_NUMBER);
            }
            self.of_site[name as usize] = next;
            Operand {
                function: Some((site.module, site.function)),
                element: site.element,
                frame: site.frame,
                reads: site.kind.reads(),
                writes: site.kind.writes(),
            }
        } else {
            self.of_call.insert(name, next);
            Operand { function: None, element: 1, frame: false, reads: name & 1 == 1, writes: name & 1 == 0 }
        };
        self.names.push(name);
        self.operands.push(operand);
        Some(next)
    }

    fn lose(&mut self, places: u64) {
        for level in &mut self.levels {
            level.forgotten += places;
        }
    }

    fn access(&mut self, shape: &Shape, access: &Access) {
        let Some(number) = self.number(shape, access.site) else { return self.lose(1) };
        let operand = self.operands[number as usize];
        self.below(access.address, operand.frame);
        self.touch(Touch {
            site: number,
            address: access.address,
            size: u64::from(access.size),
            offset: u32::from(access.lane) * operand.element,
            reads: operand.reads,
            writes: operand.writes,
        });
    }

    fn call(&mut self, shape: &Shape, call: u32, arguments: &[u64; 3]) {
        let target = shape.calls.get(call as usize).and_then(|call| call.target.as_deref());
        let Some(effect) = target.and_then(library::effect) else { return };
        for (extents, writes) in [(&effect.reads, false), (&effect.writes, true)] {
            for extent in extents {
                let size = match extent.length {
                    Length::Argument(at) => arguments[at],
                    Length::Bytes(bytes) => bytes,
                };
                let name = CALL | call << 1 | u32::from(!writes);
                let Some(site) = self.number(shape, name) else {
                    self.lose(1);
                    continue;
                };
                if size > LONGEST_CALL {
                    self.lose(1);
                }
                self.touch(Touch {
                    site,
                    address: arguments[extent.address],
                    size: size.min(LONGEST_CALL),
                    offset: 0,
                    reads: !writes,
                    writes,
                });
            }
        }
    }

    /// Follows an access: finds its dependences, and records it.
    fn touch(&mut self, touch: Touch) {
        let end = touch.address.saturating_add(touch.size);
        let mut at = touch.address;
        while at < end {
            let next = ((at / PAGE + 1).saturating_mul(PAGE)).min(end);
            if next <= at {
                break;
            }
            if self.shadow.bytes() > self.limit {
                let since = self.levels.first().map_or(u64::MAX, |level| level.entry);
                let forgotten = self.shadow.shrink(self.limit, since);
                self.lose(forgotten);
            }
            self.piece(&touch, at, next);
            at = next;
        }
        self.flush(&touch);
    }

    /// The part of an access that is on one page.
    fn piece(&mut self, touch: &Touch, from: u64, to: u64) {
        let long = touch.size > LONGEST_OPERAND || u64::from(touch.offset) + touch.size > LONGEST_OPERAND;
        let (clock, levels, hits) = (self.clock, &self.levels, &mut self.hits);
        let index = self.shadow.page(from, to - from);
        let mut lost = 0;
        self.shadow.change(index, |page| {
            page.last = clock;
            let step = page.step();
            let mut at = from;
            while at < to {
                let granule = page.granule(at % PAGE);
                let offset = if long { 0 } else { touch.offset + (at - touch.address) as u32 };
                let write = page.get(0, granule);
                let mut exposure = HIDDEN;
                let hit = |kind, source: Word, exposure| Hit {
                    kind,
                    source,
                    source_offset: source.offset(),
                    sink_offset: offset,
                    length: step as u32,
                    address: at,
                    exposure,
                };
                if touch.reads {
                    if reach(levels, write.clock()).is_some() {
                        note(hits, hit(DependenceKind::Flow, write, 0));
                    }
                    exposure = exposed(levels, write.clock());
                }
                if touch.writes {
                    exposure = exposure.min(effective(levels, write));
                    let planes = page.planes();
                    let reads = (1..planes).map(|plane| page.get(plane, granule));
                    let reads = reads.take_while(|read| reach(levels, read.clock()).is_some());
                    exposure = reads.clone().map(|read| effective(levels, read)).fold(exposure, u8::min);
                    let mut class = None;
                    for read in reads {
                        // A read kept for the inner loop may have become the outer loop's since.
                        if std::mem::replace(&mut class, reach(levels, read.clock()))
                            == reach(levels, read.clock())
                        {
                            continue;
                        }
                        note(hits, hit(DependenceKind::Anti, read, exposure));
                    }
                    if reach(levels, write.clock()).is_some() {
                        note(hits, hit(DependenceKind::Output, write, exposure));
                    }
                    for plane in 1..planes {
                        if page.get(plane, granule) == Word::NONE {
                            break;
                        }
                        page.set(plane, granule, Word::NONE);
                    }
                    page.set(0, granule, Word::new(clock, touch.site, offset, long, exposure));
                } else {
                    let read = Word::new(clock, touch.site, offset, long, exposure);
                    lost += u64::from(!remember(page, granule, read, levels));
                }
                at += step;
            }
        });
        if lost > 0 {
            self.lose(lost);
        }
    }

    /// Adds the dependences of the access to the sums.
    fn flush(&mut self, touch: &Touch) {
        let mut hits = std::mem::take(&mut self.hits);
        for hit in hits.drain(..) {
            let Some((at, carried)) = reach(&self.levels, hit.source.clock()) else { continue };
            let level = &self.levels[at];
            let source = hit.source.site();
            if !carried && source == touch.site {
                continue;
            }
            let distance = if carried { level.iterations.distance(hit.source.clock()) } else { 0 };
            let occurrence = Occurrence {
                edge: Edge {
                    distance,
                    source_offset: hit.source_offset,
                    sink_offset: hit.sink_offset,
                    length: hit.length,
                    count: 1,
                },
                address: hit.address,
                entry: level.serial,
                exposed: hit.kind == DependenceKind::Flow
                    || usize::from(hit.exposure) <= at
                    || at >= usize::from(HIDDEN),
                callee_frame: self.in_callee(hit.address, level, source, touch.site),
            };
            let key = Key { loop_: level.loop_, kind: hit.kind, source, sink: touch.site };
            self.found.add(key, &occurrence);
        }
        self.hits = hits;
    }

    /// The address is in a frame of a function that the loop's function calls.
    fn in_callee(&self, address: u64, level: &Level, source: u32, sink: u32) -> bool {
        if address < self.low || address >= level.stack {
            return false;
        }
        let foreign = |site: u32| {
            self.operands.get(site as usize).and_then(|o| o.function).is_some_and(|f| f != level.function)
        };
        // A function that calls others has no red zone.
        address < level.stack - level.stack.min(RED_ZONE) || foreign(source) && foreign(sink)
    }

    /// Adds the results to the facts.
    pub fn finish(mut self, into: &mut Collector) {
        while let Some(level) = self.levels.pop() {
            self.close(level, false);
        }
        for (&loop_, checked) in &self.checked {
            let facts = into.of(loop_);
            let all = facts.checked.get_or_insert_default();
            all.iterations += checked.iterations;
            all.entries += checked.entries;
            all.longest = all.longest.max(checked.longest);
            all.forgotten += checked.forgotten;
            for call in &mut facts.calls {
                call.modelled |= call.target.as_deref().is_some_and(|t| library::effect(t).is_some());
            }
        }
        self.found.finish(&self.names, into);
    }
}

/// Adds a hit; one that continues another extends it.
fn note(hits: &mut Vec<Hit>, hit: Hit) {
    for known in hits.iter_mut().rev().take(8) {
        let same = known.kind == hit.kind
            && known.source.clock() == hit.source.clock()
            && known.source.site() == hit.source.site();
        if !same || known.address + u64::from(known.length) != hit.address {
            continue;
        }
        let follows =
            |offset: u32, next: u32, long: bool| if long { next == 0 } else { offset + known.length == next };
        let source = follows(known.source_offset, hit.source_offset, hit.source.long());
        let sink = known.sink_offset + known.length == hit.sink_offset
            || known.sink_offset == 0 && hit.sink_offset == 0;
        if source && sink {
            known.length = known.length.saturating_add(hit.length);
            known.exposure = known.exposure.min(hit.exposure);
            return;
        }
    }
    hits.push(hit);
}
