//! Lines that several threads use at the same time: true and false sharing.
//!
//! Events of one window happened at about the same time. Each thread notes for each line and chosen loop which bytes it
//! read and wrote in the window; when the window is over, the notes of all threads are compared. A line that several
//! threads used and one of them wrote is shared truly when a byte that one wrote was used by another, and falsely
//! otherwise: then the threads exchange no data, and the line still travels between their caches (W. J. Bolosky and M.
//! L. Scott, "False sharing and its effect on shared memory performance", 1993).
//!
//! Memory: the notes of a window per thread, and the results on shared lines. A program that has run [`ALONE`] windows
//! on one thread is not analysed until another thread appears: this misses the rest of one window.

mod windows;

#[cfg(test)]
mod tests;

use crate::active::{Active, Turn};
use crate::collect::Collector;
use crate::event::{Access, Event};
use crate::lines::{Hint, Lines, Room, bytes_by_line, line_bits};
use crate::shape::Shape;
use std::collections::BTreeMap;
use windows::Windows;

/// Windows with one thread only, after which no notes are taken until there is another.
const ALONE: u64 = 16;

/// The use of a line by a thread in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    read: u64,
    written: u64,
    accesses: u64,
    /// Operands that last read and wrote it.
    reader: u32,
    writer: u32,
}

/// The use of all lines by a thread in a window.
#[derive(Clone, Debug, Default)]
struct Notes {
    uses: Vec<(u64, Use)>,
    accesses: u64,
}

/// One thread's notes of the current window.
#[derive(Debug, Default)]
struct Thread {
    window: u64,
    active: Active,
    /// By place.
    loops: Vec<OfLoop>,
}

#[derive(Debug, Default)]
struct OfLoop {
    lines: Lines<Use>,
    hints: Vec<Hint>,
    accesses: u64,
    is_bound: bool,
}

impl OfLoop {
    #[inline]
    fn access(&mut self, shape: &Shape, access: &Access, line_bits: u32, room: &mut Room) {
        let Some(site) = shape.sites.get(access.site as usize) else { return };
        if self.hints.len() <= access.site as usize {
            self.hints.resize(access.site as usize + 1, Hint::default());
        }
        self.accesses += 1;
        let hint = &mut self.hints[access.site as usize];
        bytes_by_line(access.address, access.size, line_bits, |number, bytes| {
            let Some(line) = self.lines.at(hint, number, room) else {
                self.is_bound = true;
                return;
            };
            line.accesses += 1;
            if site.kind.reads() {
                line.read |= bytes;
                line.reader = access.site;
            }
            if site.kind.writes() {
                line.written |= bytes;
                line.writer = access.site;
            }
        });
    }

    /// Takes the notes out.
    fn take(&mut self, room: &mut Room) -> Notes {
        let used = self.lines.iter().filter(|line| line.1.accesses > 0);
        let notes = Notes { uses: used.map(|(line, used)| (line, *used)).collect(), accesses: self.accesses };
        self.forget(room);
        notes
    }

    fn forget(&mut self, room: &mut Room) {
        self.lines.clear(room);
        self.hints.clear();
        self.accesses = 0;
    }
}

/// Sharing between all threads.
#[derive(Debug)]
pub struct SharedLines {
    threads: BTreeMap<u32, Thread>,
    windows: Windows,
    /// Windows that the only thread has ended.
    alone: u64,
    line_bits: u32,
}

impl SharedLines {
    /// No events yet.
    pub fn new(line_bytes: u32) -> Self {
        let line_bits = line_bits(line_bytes);
        Self { threads: BTreeMap::new(), windows: Windows::new(line_bits), alone: 0, line_bits }
    }

    /// Adds events of a thread in a window.
    pub fn feed(&mut self, thread: u32, window: u64, shape: &Shape, events: &[Event], room: &mut Room) {
        if self.threads.get(&thread).is_some_and(|known| known.window != window) {
            self.close(thread, room);
        }
        self.threads.entry(thread).or_default().window = window;
        let looks = self.threads.len() > 1 || self.alone < ALONE;
        let Some(known) = self.threads.get_mut(&thread) else { return };
        for event in events {
            match event {
                Event::Access(access) if looks => {
                    for place in known.active.now() {
                        known.loops[place as usize].access(shape, access, self.line_bits, room);
                    }
                }
                Event::Access(_) | Event::Call { .. } | Event::Pass { .. } => {}
                _ => {
                    if let Turn::Begin(place) = known.active.follow(shape, event)
                        && known.loops.len() <= place as usize
                    {
                        known.loops.resize_with(place as usize + 1, OfLoop::default);
                    }
                }
            }
        }
    }

    /// A thread's window is over.
    fn close(&mut self, thread: u32, room: &mut Room) {
        let alone = self.threads.len() < 2;
        self.alone += u64::from(alone);
        let Some(known) = self.threads.get_mut(&thread) else { return };
        for (loop_, place) in known.active.places() {
            let Some(of_loop) = known.loops.get_mut(place as usize) else { continue };
            let is_bound = std::mem::take(&mut of_loop.is_bound);
            if alone || of_loop.accesses == 0 {
                of_loop.forget(room);
                continue;
            }
            let notes = of_loop.take(room);
            self.windows.add(known.window, loop_, thread, notes, is_bound, room);
        }
    }

    /// Writes the facts of loops in which several threads were active at the same time.
    pub fn finish(mut self, room: &mut Room, into: &mut Collector) {
        for thread in self.threads.keys().copied().collect::<Vec<_>>() {
            self.close(thread, room);
        }
        self.windows.finish(room, into);
    }
}
