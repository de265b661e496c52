//! Finds the process that made a request: the one whose memory holds its ticket, in any namespace.

use super::control::{Block, Posted, Request};
use super::process;
use super::tracee::Memory;
use std::collections::{HashMap, HashSet};

/// A request with its process and thread.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Kind of the request.
    pub request: Request,
    /// Process id, as seen from here.
    pub process: i32,
    /// Thread id in its own namespace, or 0.
    pub thread: i32,
    /// Number of its program image.
    pub image: u32,
    pub argument: u64,
    /// Its second argument.
    pub second: u64,
    /// The thread's FS base.
    pub owner: u64,
    /// Its slot and address.
    pub posted: Posted,
}

/// Processes of the program that made requests, by their id here.
#[derive(Debug, Default)]
pub struct Askers {
    known: HashMap<i32, Known>,
}

/// The facts about a process.
#[derive(Debug)]
struct Known {
    /// Its memory. It belongs to the program that the process runs now: after an exec, or for another process
    /// that got the same id, no ticket is found in it.
    memory: Memory,
    /// `None`: not read yet.
    mapped: Option<Mapped>,
}

/// Our mappings in a process.
#[derive(Clone, Debug, Default)]
pub struct Mapped {
    /// Numbers of segments.
    pub segments: HashSet<i32>,
    /// Executable memory without a file.
    pub code: Vec<(u64, u64)>,
    /// Number of pieces of each mapped group that are known to be mapped.
    pub pieces: usize,
}

impl Mapped {
    /// Reads the mappings of a process.
    pub fn of(process: i32) -> Self {
        let maps = process::mappings(process).unwrap_or_default();
        let segments = maps.iter().filter(|m| m.path.starts_with("/SYSV")).map(|m| m.inode as i32).collect();
        let mut code: Vec<(u64, u64)> = Vec::new();
        for m in maps.iter().filter(|m| m.executable && m.path.is_empty()) {
            match code.last_mut() {
                Some(last) if last.1 == m.start => last.1 = m.end,
                _ => code.push((m.start, m.end)),
            }
        }
        Self { segments, code, pieces: 0 }
    }

    /// Whether a group of areas is mapped: a mapped group always has its first piece.
    pub fn has(&self, segment: Option<i32>) -> bool {
        segment.is_some_and(|id| self.segments.contains(&id))
    }

    /// Whether this executable stretch is mapped.
    pub fn has_code(&self, stretch: (u64, u64)) -> bool {
        self.code.iter().any(|c| c.0 <= stretch.0 && stretch.1 <= c.1)
    }
}

/// Processes whose memory is kept open: each takes a file descriptor.
const MOST_OPEN: usize = 64;

impl Askers {
    /// The process that posted a request, and its content. `hint` may be that process, or its parent.
    pub fn find(&mut self, posted: &Posted, hint: Option<i32>) -> Option<(i32, Block)> {
        let mut tried = Vec::new();
        let mut look = |this: &mut Self, candidates: Vec<i32>| {
            candidates.into_iter().find_map(|p| {
                if tried.contains(&p) {
                    return None;
                }
                tried.push(p);
                this.look(p, posted).map(|b| (p, b))
            })
        };
        look(self, hint.into_iter().collect())
            // A fork that has no area of its own yet.
            .or_else(|| look(self, hint.map(process::children).unwrap_or_default()))
            .or_else(|| look(self, process::descendants()))
    }

    fn look(&mut self, process: i32, posted: &Posted) -> Option<Block> {
        if let Some(known) = self.known.get(&process) {
            if let Some(block) = Block::read(&known.memory, posted) {
                return Some(block);
            }
            // Alive and of this process: another one made the request.
            if known.memory.word(posted.address).is_ok() {
                return None;
            }
        }
        let read = |memory: Memory| Block::read(&memory, posted).map(|b| (memory, b));
        let first = Memory::of(process).ok().and_then(read);
        let threads = || process::thread_ids(process).into_iter().filter(|t| *t != process);
        let (memory, block) =
            first.or_else(|| threads().find_map(|t| Memory::of_thread(process, t).ok().and_then(read)))?;
        if self.known.len() >= MOST_OPEN {
            self.known.retain(|p, _| process::is_running(*p));
            if self.known.len() >= MOST_OPEN {
                self.known.clear();
            }
        }
        self.known.insert(process, Known { memory, mapped: None });
        Some(block)
    }

    /// The memory of a known process.
    pub fn memory(&self, process: i32) -> Option<Memory> {
        self.known.get(&process)?.memory.again().ok()
    }

    /// The mappings of a known process; the caller returns them with [`Askers::keep`].
    pub fn mapped(&mut self, process: i32) -> Mapped {
        let kept = self.known.get_mut(&process).and_then(|k| k.mapped.take());
        kept.unwrap_or_else(|| Mapped::of(process))
    }

    /// Stores the mappings of a process.
    pub fn keep(&mut self, process: i32, mapped: Mapped) {
        if let Some(known) = self.known.get_mut(&process) {
            known.mapped = Some(mapped);
        }
    }

    /// Process and thread that made the request. Another process may share the memory of the one that was
    /// found (`vfork`): the thread's id in its own namespace decides.
    pub fn thread(asked: &Asked) -> Option<(i32, i32)> {
        let process = asked.process;
        if asked.thread == 0 {
            let alone = process::thread_ids(process) == [process];
            return alone.then_some((process, process));
        }
        let here = |p: i32| {
            let own = |t: &i32| inner_id(p, *t) == Some(asked.thread);
            process::thread_ids(p).into_iter().find(own).map(|t| (p, t))
        };
        let shares = |p: &i32| Memory::of(*p).is_ok_and(|m| Block::read(&m, &asked.posted).is_some());
        let below = || process::descendants().into_iter().filter(|p| *p != process);
        here(process).or_else(|| below().filter(shares).find_map(here))
    }
}

/// Id of a thread in its own namespace: the last in the line `NSpid` (proc(5)).
fn inner_id(process: i32, thread: i32) -> Option<i32> {
    match process::status(process, thread, "NSpid") {
        Some(ids) => ids.split_whitespace().next_back()?.parse().ok(),
        None => Some(thread),
    }
}
