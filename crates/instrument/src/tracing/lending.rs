//! Which thread writes into which chunk of the trace, and when.
//!
//! In bursts: chunks are lent to all threads at about the same time (a window), and to a thread that requests
//! one because a loop begins that has not had its share ([`super::shares`]). They are taken back when they
//! are full, or when their time is over and the thread is in no nest. Exhaustively: a thread keeps one chunk
//! and waits while its content is taken. The pool never holds more than what the user allows.

use super::shares::Shares;
use crate::runtime::areas::trace::{END, FULL, LENT, LIMIT, NEXT, QUOTA, STATE, WANTED};
use crate::runtime::session::Session;
use crate::runtime::shared_memory::{Area, Shared};
use crate::tracing::plan::MOST_WORDS;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The content of a chunk.
#[derive(Debug)]
pub struct Taken {
    /// Number of the thread's area.
    pub area: u64,
    /// Process and thread.
    pub identity: (u32, u32),
    /// Window in which it was recorded.
    pub window: u64,
    /// Nothing is known of what the thread ran before.
    pub fresh: bool,
    /// The records.
    pub words: Vec<u64>,
}

/// A chunk that is lent to a thread.
#[derive(Debug)]
struct Lent {
    chunk: u64,
    /// First byte, as an address in the thread's process.
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
    /// Areas whose shares were set from what other threads have recorded.
    introduced: HashSet<u64>,
    /// Number of bursts taken.
    pub bursts: u64,
    /// Most chunks that were lent at the same time.
    pub most: u64,
    /// A thread requested a chunk and there was none.
    pub short: bool,
}

/// A burst that has not filled its chunk after this time is taken all the same.
const LONGEST: Duration = Duration::from_millis(100);
/// Bytes of the largest chunk: bursts must be short.
const LARGEST_CHUNK: u64 = 1 << 20;
/// Bytes of the smallest chunk: the longest record must have room after the limit.
const SMALLEST_CHUNK: u64 = 256 << 10;
/// One window in this number has long bursts; those of the others are shorter by this factor.
const SHORT: u64 = 4;
/// The part of a requested chunk that a nest may write is one in this number (37 KiB): little, so that
/// reading the shares of some dozens of loops takes no longer than reading some windows.
const QUOTAS: u64 = 24;
/// Number of nests that such a chunk is for.
const SHARED: u64 = 8;
/// Least bytes for a trace.
pub const LEAST_MEMORY: u64 = 4 * SMALLEST_CHUNK;

impl Lending {
    /// Divides `memory` bytes among twice as many threads as there are processors.
    pub fn new(memory: u64) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64).max(8);
        let memory = memory.max(LEAST_MEMORY);
        let chunk_bytes = (memory / (2 * threads)).clamp(SMALLEST_CHUNK, LARGEST_CHUNK) / 4096 * 4096;
        let chunks = memory / chunk_bytes;
        // The first belongs to no thread: functions whose nest's chunk was taken write their last records there.
        let free = (1..chunks).rev().collect();
        Self {
            chunk_bytes,
            free,
            lent: BTreeMap::new(),
            window: 1,
            ended: HashSet::new(),
            known: HashSet::new(),
            introduced: HashSet::new(),
            bursts: 0,
            most: 0,
            short: false,
        }
    }

    /// Bytes of the pool.
    pub fn pool_bytes(&self) -> u64 {
        (1 + self.free.len() + self.lent.len()) as u64 * self.chunk_bytes
    }

    /// Most bytes that were in use at the same time.
    pub fn most_bytes(&self) -> u64 {
        self.most * self.chunk_bytes
    }

    /// Areas of threads that can have a chunk.
    pub fn threads(shared: &Shared) -> Vec<Area> {
        shared.areas().into_iter().filter(|a| !a.is_unowned()).collect()
    }

    /// Takes chunks that are full or have been lent for long.
    pub fn collect(&mut self, shared: &Shared, all: bool) -> Vec<Taken> {
        let mut taken = Vec::new();
        for area in Self::threads(shared) {
            let Some(lent) = self.lent.get(&area.index()) else { continue };
            let state = area.trace(STATE);
            let full = state.load(Ordering::Acquire) == FULL as u64;
            let late = lent.since.elapsed() > LONGEST;
            let back = || late && withdrawn(&area);
            // A process that has ended writes no more records.
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
        area.trace(END).store(0, Ordering::Relaxed);
        area.trace(NEXT).store(lent.start - lent.chunk * self.chunk_bytes, Ordering::Relaxed);
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
        // Operands of a record that was cut short must not be read as addresses.
        shared.clear_trace(offset, used);
        words
    }

    /// Bytes of a chunk in which records may begin.
    fn room(&self) -> u64 {
        /// Bytes of the longest record, and of what a block writes after its record without reserving the space.
        const BEHIND: u64 = 2 * 8 * (MOST_WORDS as u64 + 16);
        self.chunk_bytes - BEHIND
    }

    /// Whether the process of an area has ended.
    fn has_ended(&mut self, area: &Area) -> bool {
        let process = area.identity().0;
        let ended = self.ended.contains(&process) || !Path::new(&format!("/proc/{process}")).exists();
        if ended {
            self.ended.insert(process);
        }
        ended
    }

    /// Lends a chunk to every thread that has none, or has one that it used and is not using now; `traced`
    /// states which loops they record. Returns the chunks taken.
    pub fn lend(&mut self, session: &Session, shares: &Shares, traced: &dyn Fn(u32) -> bool) -> Vec<Taken> {
        self.window += 1;
        let mut taken = Vec::new();
        for area in Self::threads(&session.shared) {
            if self.has_ended(&area) {
                continue;
            }
            if let Some(lent) = self.lent.get(&area.index()) {
                let used = area.trace(NEXT).load(Ordering::Acquire) != lent.start;
                if !used || !withdrawn(&area) {
                    shares.open_window(&area, traced);
                    continue;
                }
                taken.extend(self.take(&session.shared, &area));
            }
            let burst = self.burst();
            if !self.give(session, &area, true, (burst, burst)) {
                break;
            }
            shares.open_window(&area, traced);
            area.trace(STATE).store(LENT, Ordering::Release);
        }
        taken
    }

    /// Lets threads make requests again for loops that have not had their share.
    pub fn rearm(&self, shared: &Shared, shares: &Shares) {
        for area in Self::threads(shared) {
            shares.rearm(&area);
        }
    }

    /// Bytes of records of a nest in this window: most windows have few, so that many parts of the run are
    /// seen soon, and some have many, so that caches fill and dependences over long distances are found.
    fn burst(&self) -> u64 {
        if self.window.is_multiple_of(SHORT) { self.room() } else { self.room() / SHORT }
    }

    /// Gives a free chunk to a thread, which may use `length` bytes of it, and `quota` for one nest.
    fn give(&mut self, session: &Session, area: &Area, fresh: bool, (length, quota): (u64, u64)) -> bool {
        let (.., image) = area.identity();
        let Some(base) = session.pool_at(image) else { return false };
        let Some(chunk) = self.free.pop() else {
            self.short = true;
            return false;
        };
        let start = base + chunk * self.chunk_bytes;
        area.trace(NEXT).store(start, Ordering::Relaxed);
        area.trace(LIMIT).store(0, Ordering::Relaxed);
        area.trace(QUOTA).store(quota, Ordering::Relaxed);
        area.trace(END).store(start + length, Ordering::Relaxed);
        let lent = Lent { chunk, start, window: self.window, since: Instant::now(), fresh };
        self.lent.insert(area.index(), lent);
        self.known.insert(area.index());
        self.most = self.most.max(self.lent.len() as u64);
        true
    }

    /// A thread waits for room in the area with this number, and everything is traced: empties its chunk, or
    /// gives it one.
    pub fn renew(&mut self, session: &Session, number: u64) -> Vec<Taken> {
        let Some(area) = Self::numbered(&session.shared, number) else { return Vec::new() };
        let taken = self.take(&session.shared, &area);
        // Nothing is missed between two chunks, however much time passes.
        let fresh = !self.known.contains(&area.index());
        let given = self.give(session, &area, fresh, (self.room(), self.room()));
        // It continues within its nest.
        area.trace(LIMIT).store(area.trace(END).load(Ordering::Relaxed), Ordering::Relaxed);
        Self::answer(&area, given);
        taken.into_iter().collect()
    }

    /// A thread in the area with this number requests a chunk for the loop that it enters. Its previous chunk
    /// is taken; with `busy` no more is recorded now.
    pub fn grant(&mut self, session: &Session, shares: &mut Shares, number: u64, busy: bool) -> Vec<Taken> {
        let Some(area) = Self::numbered(&session.shared, number) else { return Vec::new() };
        let mut taken: Vec<Taken> = self.take(&session.shared, &area).into_iter().collect();
        if self.introduced.insert(area.index()) {
            // A new thread must not make a request for each of them.
            shares.introduce(&area);
        }
        let share = area.trace(WANTED).load(Ordering::Relaxed) as u32;
        // A loop that was never seen is recorded in any case; all chunks together bound that.
        let owed = shares.ask(share) && !(busy && shares.was_granted(share));
        if owed && self.free.is_empty() {
            taken.extend(self.reclaim(&session.shared));
        }
        // The rest of the chunk is for other loops, so that they need no request.
        let quota = self.room() / QUOTAS;
        let shares_of_chunk = if busy { 1 } else { SHARED };
        let given = owed && self.give(session, &area, true, (quota * shares_of_chunk, quota));
        if given {
            shares.granted(share, &area);
        }
        Self::answer(&area, given);
        taken
    }

    /// The thread writes as soon as it has the answer.
    fn answer(area: &Area, given: bool) {
        area.trace(STATE).store(if given { 0 } else { FULL as u64 }, Ordering::Release);
    }

    fn numbered(shared: &Shared, number: u64) -> Option<Area> {
        Self::threads(shared).into_iter().find(|a| a.index() == number)
    }

    /// Takes a chunk back from a thread that is not using it.
    fn reclaim(&mut self, shared: &Shared) -> Option<Taken> {
        let lent = |area: &Area| self.lent.contains_key(&area.index());
        let idle = Self::threads(shared).into_iter().find(|area| lent(area) && withdrawn(area))?;
        self.take(shared, &idle)
    }
}

/// Withdraws the chunk of a thread unless it is using it.
fn withdrawn(area: &Area) -> bool {
    // The side that clears the bit owns the chunk.
    area.trace(STATE).fetch_and(!LENT, Ordering::AcqRel) & LENT != 0
}
