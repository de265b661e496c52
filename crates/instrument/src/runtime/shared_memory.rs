//! All memory that the tool shares with the program: the page of requests, the groups of areas, the trace.

use super::areas::trace::{MOST_SHARES, SHARES};
use super::areas::{GROUP, IDENTITY, MOST_AREAS, NUMBER, PAGE, Piece, piece_of, pieces};
use super::control::Control;
use super::segment::Segment;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The areas of up to [`GROUP`] threads.
#[derive(Debug)]
pub struct Group {
    pieces: Vec<(Piece, OnceLock<Segment>)>,
}

impl Group {
    fn new() -> Self {
        Self { pieces: pieces().into_iter().map(|p| (p, OnceLock::new())).collect() }
    }

    /// Creates a piece, unless it exists: its segment's number.
    pub fn segment(&self, index: usize) -> io::Result<i32> {
        let (piece, made) = &self.pieces[index];
        if let Some(segment) = made.get() {
            return Ok(segment.id);
        }
        let segment = Segment::new(piece.to - piece.from)?;
        Ok(made.get_or_init(|| segment).id)
    }

    /// Its pieces: index in the list, offsets, and the segment's number where it was created.
    pub fn pieces(&self) -> impl Iterator<Item = (usize, Piece, Option<i32>)> {
        self.pieces.iter().enumerate().map(|(k, (p, s))| (k, *p, s.get().map(|s| s.id)))
    }

    fn long(&self, offset: u64) -> Option<&AtomicU64> {
        let (piece, segment) = self.pieces.get(piece_of(offset))?;
        Some(segment.get()?.long(offset - piece.from))
    }
}

/// The shared memory as the tool sees it.
#[derive(Debug)]
pub struct Shared {
    /// Requests.
    pub control: Control,
    /// Memory of the trace.
    pub pool: Option<Segment>,
    groups: Mutex<Vec<Arc<Group>>>,
    /// Number of areas in use, including the shared one for threads without their own.
    given: AtomicU64,
}

impl Shared {
    /// Creates it, with room for `trace` bytes of a trace.
    pub fn new(trace: u64) -> io::Result<Self> {
        let this = Self {
            control: Control::new()?,
            pool: (trace > 0).then(|| Segment::new(trace)).transpose()?,
            groups: Mutex::new(Vec::new()),
            given: AtomicU64::new(0),
        };
        this.give()?;
        Ok(this)
    }

    /// Number of a new area; its identity can be written. `None` when all are taken.
    pub fn give(&self) -> io::Result<Option<Area>> {
        let index = self.given.load(Ordering::Acquire);
        if index == MOST_AREAS {
            return Ok(None);
        }
        let area = Area { group: self.group((index / GROUP) as usize)?, index };
        if let Some(number) = area.group.long(area.offset(NUMBER)) {
            number.store(index, Ordering::Release);
        }
        self.given.store(index + 1, Ordering::Release);
        Ok(Some(area))
    }

    /// A group, with the piece that every area needs.
    pub fn group(&self, index: usize) -> io::Result<Arc<Group>> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        while groups.len() <= index {
            groups.push(Arc::new(Group::new()));
        }
        groups[index].segment(0)?;
        Ok(Arc::clone(&groups[index]))
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Areas in use, including the shared one for threads without their own.
    pub fn areas(&self) -> Vec<Area> {
        let given = self.given.load(Ordering::Acquire);
        (0..given).filter_map(|index| self.area(index)).collect()
    }

    /// An area by its number.
    pub fn area(&self, index: u64) -> Option<Area> {
        let group = self.group((index / GROUP) as usize).ok()?;
        (index < self.given.load(Ordering::Acquire)).then_some(Area { group, index })
    }

    /// Words of the trace, from a byte offset in the pool.
    pub fn trace_words(&self, offset: u64, count: u64) -> Vec<u64> {
        let Some(pool) = &self.pool else { return Vec::new() };
        let count = count.min(pool.length.saturating_sub(offset) / 8);
        (0..count).map(|k| pool.long(offset + 8 * k).load(Ordering::Relaxed)).collect()
    }

    /// Sets words of the trace to zero.
    pub fn clear_trace(&self, offset: u64, count: u64) {
        let Some(pool) = &self.pool else { return };
        let count = count.min(pool.length.saturating_sub(offset) / 8);
        for k in 0..count {
            pool.long(offset + 8 * k).store(0, Ordering::Relaxed);
        }
    }
}

/// One thread's counters.
#[derive(Clone, Debug)]
pub struct Area {
    group: Arc<Group>,
    index: u64,
}

/// Read in place of a piece that does not exist.
static NOTHING: AtomicU64 = AtomicU64::new(0);

impl Area {
    fn offset(&self, offset: i32) -> u64 {
        self.index % GROUP * PAGE + offset as u64
    }

    fn at(&self, offset: i32) -> u64 {
        self.group.long(self.offset(offset)).map_or(0, |w| w.load(Ordering::Relaxed))
    }

    /// A counter, by its offset.
    pub fn counter(&self, offset: i32) -> u64 {
        self.at(offset)
    }

    /// Its number.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// A word of the thread's tracing state.
    pub fn trace(&self, offset: i32) -> &AtomicU64 {
        self.group.long(self.offset(offset)).unwrap_or(&NOTHING)
    }

    /// Sets for each of the first `count` shares whether it is traced and requests room.
    pub fn choose(&self, count: u32, state: impl Fn(u32) -> u8) {
        for first in (0..count.min(MOST_SHARES)).step_by(8) {
            let word = (0..8).map(|k| u64::from(state(first + k)) << (8 * k)).fold(0, |a, b| a | b);
            self.trace(SHARES + first as i32).store(word, Ordering::Relaxed);
        }
    }

    /// Clears bits of eight shares from `first` on, which is a multiple of eight.
    pub fn clear_marks(&self, first: u32, bits: u64) {
        if bits != 0 && first < MOST_SHARES {
            let word = self.trace(SHARES + first as i32);
            if word.load(Ordering::Relaxed) & bits != 0 {
                word.fetch_and(!bits, Ordering::Relaxed);
            }
        }
    }

    /// Sets bits of one share.
    pub fn mark(&self, share: u32, bits: u8) {
        if share < MOST_SHARES {
            let word = self.trace(SHARES + (share / 8 * 8) as i32);
            word.fetch_or(u64::from(bits) << (8 * (share % 8)), Ordering::Relaxed);
        }
    }

    /// It is the shared area for threads that cannot have their own.
    pub fn is_unowned(&self) -> bool {
        self.index == 0
    }

    /// Process, thread and image that use this area.
    pub fn identity(&self) -> (u32, u32, u32) {
        (self.at(IDENTITY) as u32, self.at(IDENTITY + 8) as u32, self.at(IDENTITY + 16) as u32)
    }

    /// Sets the process, thread and image that use this area.
    pub fn identify(&self, process: i32, thread: i32, image: u32) {
        for (k, value) in [process as u64, thread as u64, u64::from(image)].into_iter().enumerate() {
            self.trace(IDENTITY + 8 * k as i32).store(value, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::areas::{COUNTERS, Layout};

    #[test]
    fn areas_are_apart_and_what_is_not_mapped_reads_as_zero() {
        let shared = Shared::new(0).unwrap();
        let areas: Vec<Area> = (0..GROUP + 2).map(|_| shared.give().unwrap().unwrap()).collect();
        for (k, area) in (1..).zip(&areas) {
            assert_eq!(area.index(), k);
            area.identify(100 + k as i32, 200, 3);
            area.group.long(area.offset(COUNTERS)).unwrap().store(1000 + k, Ordering::Relaxed);
        }
        for (k, area) in (1..).zip(&areas) {
            assert_eq!(area.identity(), (100 + k as u32, 200, 3));
            assert_eq!(area.counter(COUNTERS), 1000 + k);
            let far = Layout { counters: 100_000, histograms: 0 };
            assert_eq!(area.counter(far.counter(0)), 0);
        }
        assert_eq!(shared.areas().len() as u64, GROUP + 3);
        assert_eq!(shared.group_count(), 2);
    }

    #[test]
    fn areas_run_out_and_say_so() {
        let shared = Shared::new(0).unwrap();
        shared.given.store(MOST_AREAS, Ordering::Relaxed);
        assert!(shared.give().unwrap().is_none());
    }
}
