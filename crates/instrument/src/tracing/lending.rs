//! Which thread writes into which chunk of the trace, and when.
//!
//! In bursts: chunks are lent to all threads at about the same time (a window), and taken back when they are full, or
//! when their time is over and the thread is in no nest. Exhaustively: a thread keeps one chunk and waits while what is
//! in it is taken. The pool never holds more than what the user allows.

use super::registry::Registry;
use crate::runtime::areas::trace::{FULL, LENT, LIMIT, NEXT, STATE};
use crate::runtime::session::Session;
use crate::runtime::shared::{Area, Shared};
use crate::tracing::plan::MOST_WORDS;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What was taken out of a chunk.
#[derive(Debug)]
pub struct Taken {
    /// Number of the thread's area.
    pub area: u64,
    /// Process and thread.
    pub identity: (u32, u32),
    /// Window in which it was recorded.
    pub window: u64,
    /// Nothing is known of what the thread did before.
    pub fresh: bool,
    /// The records.
    pub words: Vec<u64>,
}

/// A chunk that a thread has.
#[derive(Debug)]
struct Lent {
    chunk: u64,
    /// First byte, where the thread sees it.
    start: u64,
    window: u64,
    since: Instant,
    fresh: bool,
}

/// All chunks.
#[derive(Debug)]
pub struct Lending {
    chunk_bytes: u64,
    free: Vec<u64>,
    lent: BTreeMap<u64, Lent>,
    window: u64,
    /// Processes that have ended.
    ended: HashSet<u32>,
    /// Areas that have had a chunk.
    known: HashSet<u64>,
    /// Bursts that were taken.
    pub bursts: u64,
    /// Most chunks that were lent at a time.
    pub most: u64,
    /// A thread wanted a chunk and there was none.
    pub short: bool,
}

/// A burst that has not filled its chunk after this is taken all the same.
const LONGEST: Duration = Duration::from_millis(100);
/// Chunks are no larger: a burst shall be short.
const LARGEST_CHUNK: u64 = 1 << 20;
/// And no smaller, because the longest record must find room behind the limit.
const SMALLEST_CHUNK: u64 = 256 << 10;
/// Least memory for a trace.
pub const LEAST_MEMORY: u64 = 4 * SMALLEST_CHUNK;

impl Lending {
    /// Divides `memory` bytes among about as many threads as there are processors, twice.
    pub fn new(memory: u64) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64).max(8);
        let memory = memory.max(LEAST_MEMORY);
        let chunk_bytes = (memory / (2 * threads)).clamp(SMALLEST_CHUNK, LARGEST_CHUNK) / 4096 * 4096;
        let chunks = memory / chunk_bytes;
        let free = (0..chunks).rev().collect();
        Self {
            chunk_bytes,
            free,
            lent: BTreeMap::new(),
            window: 1,
            ended: HashSet::new(),
            known: HashSet::new(),
            bursts: 0,
            most: 0,
            short: false,
        }
    }

    /// Bytes of the pool.
    pub fn pool_bytes(&self) -> u64 {
        (self.free.len() + self.lent.len()) as u64 * self.chunk_bytes
    }

    /// Most bytes that were in use.
    pub fn most_bytes(&self) -> u64 {
        self.most * self.chunk_bytes
    }

    /// Areas of threads that can have a chunk.
    pub fn threads(shared: &Shared) -> Vec<Area> {
        shared.areas().into_iter().filter(|a| !a.is_nobodys()).collect()
    }

    /// Takes what is full, and what has been lent for long.
    pub fn collect(&mut self, shared: &Shared, all: bool) -> Vec<Taken> {
        let mut taken = Vec::new();
        for area in Self::threads(shared) {
            let Some(lent) = self.lent.get(&area.index()) else { continue };
            let state = area.trace(STATE);
            let full = state.load(Ordering::Acquire) == FULL as u64;
            let late = lent.since.elapsed() > LONGEST;
            // Whoever clears the bit has the chunk.
            let back = || late && state.fetch_and(!LENT, Ordering::AcqRel) & LENT != 0;
            // A process that has ended writes no more, wherever it was.
            if full || all || back() || late && self.has_ended(&area) {
                taken.extend(self.take(shared, &area));
            }
        }
        taken
    }

    /// Empties the chunk of a thread, which does not write into it now, and frees it.
    fn take(&mut self, shared: &Shared, area: &Area) -> Option<Taken> {
        let lent = self.lent.remove(&area.index())?;
        let words = self.drain(shared, area, &lent);
        area.trace(STATE).store(0, Ordering::Release);
        self.free.push(lent.chunk);
        self.bursts += u64::from(lent.fresh);
        let (process, thread, _) = area.identity();
        Some(Taken {
            area: area.index(),
            identity: (process, thread),
            window: lent.window,
            fresh: lent.fresh,
            words,
        })
    }

    fn drain(&self, shared: &Shared, area: &Area, lent: &Lent) -> Vec<u64> {
        let offset = lent.chunk * self.chunk_bytes;
        let used = area.trace(NEXT).load(Ordering::Acquire).wrapping_sub(lent.start) / 8;
        let used = used.min(self.chunk_bytes / 8);
        let words = shared.trace_words(offset, used);
        // Operands of a record that was cut short must not be taken for addresses.
        shared.clear_trace(offset, used);
        words
    }

    /// Bytes of a chunk in which records may begin.
    fn room(&self) -> u64 {
        /// The longest record, and what a block writes behind its record without taking the place.
        const BEHIND: u64 = 2 * 8 * (MOST_WORDS as u64 + 16);
        self.chunk_bytes - BEHIND
    }

    /// Whether the process of an area is gone.
    fn has_ended(&mut self, area: &Area) -> bool {
        let process = area.identity().0;
        let ended = self.ended.contains(&process) || !Path::new(&format!("/proc/{process}")).exists();
        if ended {
            self.ended.insert(process);
        }
        ended
    }

    /// Lends a chunk to every thread that has none; `traced` says which nests they are to record.
    pub fn lend(&mut self, session: &Session, traced: &dyn Fn(u32) -> bool) {
        self.window += 1;
        for area in Self::threads(&session.shared) {
            if self.lent.contains_key(&area.index()) || self.has_ended(&area) {
                continue;
            }
            if !self.give(session, &area, true, self.burst()) {
                return;
            }
            area.choose(traced);
            area.trace(STATE).store(LENT, Ordering::Release);
        }
    }

    /// Bytes of records of the bursts in this window: most are short, so that many parts of the run are seen soon, and
    /// some are long, so that caches fill and dependences over long distances show.
    fn burst(&self) -> u64 {
        /// One window in so many has long bursts; the others' are this much shorter.
        const SHORT: u64 = 4;
        if self.window.is_multiple_of(SHORT) { self.room() } else { self.room() / SHORT }
    }

    fn give(&mut self, session: &Session, area: &Area, fresh: bool, room: u64) -> bool {
        let (.., image) = area.identity();
        let Some(base) = session.pool_at(image) else { return false };
        let Some(chunk) = self.free.pop() else {
            self.short = true;
            return false;
        };
        let start = base + chunk * self.chunk_bytes;
        area.trace(NEXT).store(start, Ordering::Relaxed);
        area.trace(LIMIT).store(start + room, Ordering::Relaxed);
        let lent = Lent { chunk, start, window: self.window, since: Instant::now(), fresh };
        self.lent.insert(area.index(), lent);
        self.known.insert(area.index());
        self.most = self.most.max(self.lent.len() as u64);
        true
    }

    /// A thread waits for room in the area with this number: empties its chunk, or gives it one. False when there is none.
    pub fn renew(&mut self, session: &Session, number: u64, exhaustive: bool) -> (Option<Taken>, bool) {
        let shared = &session.shared;
        let Some(area) = Self::threads(shared).into_iter().find(|a| a.index() == number) else {
            return (None, false);
        };
        let taken = self.lent.contains_key(&area.index()).then(|| self.take(shared, &area)).flatten();
        let room = if exhaustive { self.room() } else { self.burst() };
        // Where everything is traced nothing is missed between two chunks, however much time passes.
        let fresh = if exhaustive { !self.known.contains(&area.index()) } else { taken.is_none() };
        let given = self.give(session, &area, fresh, room);
        if given {
            // The thread writes as soon as it is answered.
            area.trace(STATE).store(0, Ordering::Release);
        } else {
            area.trace(STATE).store(FULL as u64, Ordering::Release);
        }
        (taken, given)
    }
}

/// Which nests to trace in a window: all in every other one, else those that were seen less than the average of those
/// that were seen at all.
pub fn wanted(registry: &Registry, seen: &[u64], window: u64) -> Vec<bool> {
    let nests = registry.known().nests as usize;
    let count = |n: usize| seen.get(n).copied().unwrap_or(0);
    let active = (0..nests).filter(|&n| count(n) > 0).count().max(1) as u64;
    let mean = (0..nests).map(count).sum::<u64>() / active;
    (0..nests).map(|n| window.is_multiple_of(2) || count(n) <= mean).collect()
}
