//! Compares the uses of the same lines by several threads in the same window.

use super::{Notes, Use};
use crate::collect::Collector;
use crate::facts::{SharedLine, Sharing};
use crate::lines::Room;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Most windows that wait for other threads' notes.
const OPEN: usize = 8;
/// Most falsely shared lines that are reported.
const EXAMPLES: usize = 4;
/// Most uses of a line that are reported.
const USERS: usize = 16;
/// Bytes of the facts about a shared line.
const LINE_COST: u64 = 256;

/// A use of a line: thread, operand, writes; first and last byte.
type Users = Vec<((u32, u32, bool), (u8, u8))>;

/// The facts about a shared line.
#[derive(Clone, Debug, Default)]
struct Found {
    accesses: u64,
    is_true: bool,
    users: Users,
}

#[derive(Debug, Default)]
struct OfLoop {
    windows: u64,
    accesses: u64,
    lines: FxHashMap<u64, Found>,
    is_bound: bool,
}

/// Notes of windows that may not be complete, by loop and thread.
type Waiting = BTreeMap<u32, Vec<(u32, Notes)>>;

/// The windows of all threads.
#[derive(Debug)]
pub struct Windows {
    open: BTreeMap<u64, Waiting>,
    loops: BTreeMap<u32, OfLoop>,
    line_bits: u32,
}

fn bytes_of(notes: &Notes) -> u64 {
    (notes.uses.len() * size_of::<(u64, Use)>()) as u64
}

impl Windows {
    /// No notes yet.
    pub fn new(line_bits: u32) -> Self {
        Self { open: BTreeMap::new(), loops: BTreeMap::new(), line_bits }
    }

    /// Adds a thread's notes; `is_bound` when some of them had no room.
    pub fn add(
        &mut self,
        window: u64,
        loop_: u32,
        thread: u32,
        notes: Notes,
        is_bound: bool,
        room: &mut Room,
    ) {
        let known = self.loops.entry(loop_).or_default();
        known.is_bound |= is_bound;
        if !room.take(bytes_of(&notes)) {
            known.is_bound = true;
            return;
        }
        self.open.entry(window).or_default().entry(loop_).or_default().push((thread, notes));
        while self.open.len() > OPEN {
            if let Some((_, waiting)) = self.open.pop_first() {
                self.compare(waiting, room);
            }
        }
    }

    fn compare(&mut self, waiting: Waiting, room: &mut Room) {
        for (loop_, threads) in waiting {
            let mut seen: Vec<u32> = threads.iter().map(|of| of.0).collect();
            seen.sort_unstable();
            seen.dedup();
            if seen.len() > 1 {
                let known = self.loops.entry(loop_).or_default();
                known.windows += 1;
                known.accesses += threads.iter().map(|of| of.1.accesses).sum::<u64>();
                let mut uses: Vec<(u64, u32, Use)> = (threads.iter())
                    .flat_map(|(thread, notes)| notes.uses.iter().map(|&(line, used)| (line, *thread, used)))
                    .collect();
                uses.sort_by_key(|&(line, thread, _)| (line, thread));
                for uses in uses.chunk_by(|a, b| a.0 == b.0) {
                    known.line(uses, room);
                }
            }
            threads.iter().for_each(|(_, notes)| room.give(bytes_of(notes)));
        }
    }

    /// Writes the facts.
    pub fn finish(mut self, room: &mut Room, into: &mut Collector) {
        while let Some((_, waiting)) = self.open.pop_first() {
            self.compare(waiting, room);
        }
        for (loop_, found) in self.loops {
            if found.windows == 0 {
                continue;
            }
            let mut facts = Sharing {
                windows: found.windows,
                accesses: found.accesses,
                is_bound: found.is_bound,
                ..Sharing::default()
            };
            let mut examples: Vec<(u64, &Found)> = Vec::new();
            for (&line, found) in &found.lines {
                if found.is_true {
                    facts.true_lines += 1;
                    facts.true_accesses += found.accesses;
                } else {
                    facts.false_lines += 1;
                    facts.false_accesses += found.accesses;
                    examples.push((line, found));
                }
            }
            examples.sort_by_key(|&(line, found)| (std::cmp::Reverse(found.accesses), line));
            for (line, found) in examples.into_iter().take(EXAMPLES) {
                let users = found.users.iter().map(|&((thread, site, writes), (first, last))| {
                    (thread, into.site(loop_, site), first, last, writes)
                });
                let mut users: Vec<(u32, u32, u8, u8, bool)> = users.collect();
                users.sort_unstable();
                let address = line << self.line_bits;
                facts.examples.push(SharedLine { address, accesses: found.accesses, users });
            }
            into.of(loop_).sharing = Some(facts);
        }
    }
}

impl OfLoop {
    /// Compares the uses of one line in one window; each thread once, or several times in pieces.
    fn line(&mut self, uses: &[(u64, u32, Use)], room: &mut Room) {
        let others = |thread: u32| uses.iter().filter(move |other| other.1 != thread);
        let Some(&(line, first, _)) = uses.first() else { return };
        if others(first).next().is_none() || uses.iter().all(|used| used.2.written == 0) {
            return;
        }
        let meets = |&(_, thread, used): &(u64, u32, Use)| {
            others(thread).any(|other| used.written & (other.2.read | other.2.written) != 0)
        };
        let is_true = uses.iter().any(meets);
        if !self.lines.contains_key(&line) && !room.take(LINE_COST) {
            self.is_bound = true;
            return;
        }
        let found = self.lines.entry(line).or_default();
        found.is_true |= is_true;
        for &(_, thread, used) in uses {
            found.accesses += used.accesses;
            for (site, bytes, writes) in [(used.reader, used.read, false), (used.writer, used.written, true)]
            {
                if bytes != 0 {
                    let span = (bytes.trailing_zeros() as u8, 63 - bytes.leading_zeros() as u8);
                    note(&mut found.users, (thread, site, writes), span);
                }
            }
        }
    }
}

fn note(users: &mut Users, who: (u32, u32, bool), span: (u8, u8)) {
    if let Some((_, known)) = users.iter_mut().find(|user| user.0 == who) {
        *known = (known.0.min(span.0), known.1.max(span.1));
    } else if users.len() < USERS {
        users.push((who, span));
    }
}
