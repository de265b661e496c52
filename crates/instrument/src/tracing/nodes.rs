//! The NUMA nodes of the pages that a loop uses, and of its threads.
//!
//! `move_pages` without destination returns the node of a page of one's own processes (move_pages(2)); a
//! thread's processor is in its `stat` (proc(5)). With one node no query is made.

use loopwright_patterns::event::Event;
use loopwright_patterns::facts::LoopPatterns;
use loopwright_patterns::nest::Nest;
use loopwright_patterns::shape::Shape;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::path::Path;

/// Nodes of the machine that have memory; 1 when the kernel does not list them.
pub fn with_memory() -> u32 {
    let list = std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    count(&list).max(1)
}

/// Numbers in a list like `0-1,4`.
fn count(list: &str) -> u32 {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(last.trim().parse::<u32>().ok()?.checked_sub(first.trim().parse().ok()?)?.saturating_add(1))
    };
    list.split(',').filter_map(range).fold(0, u32::saturating_add)
}

/// Accesses by loop, page's node and thread's node.
#[derive(Debug, Default)]
pub struct Nodes {
    several: bool,
    sums: BTreeMap<(u32, u32, u32), u64>,
    known: HashMap<(u32, u64), u32>,
}

/// One access in this number is examined.
const EVERY: usize = 61;
/// Most pages that are cached.
const MOST: usize = 1 << 16;
const PAGE: u64 = 4096;

impl Nodes {
    /// For a machine with this number of nodes.
    pub fn new(nodes: u32) -> Self {
        Self { several: nodes > 1, ..Self::default() }
    }

    /// Examines the accesses of a burst.
    pub fn look(&mut self, (process, thread): (u32, u32), shape: &Shape, events: &[Event]) {
        if !self.several {
            return;
        }
        let Some(here) = node_of_thread(process, thread) else { return };
        let mut nest: Nest<()> = Nest::default();
        let mut found: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut number = 0;
        for event in events {
            let Event::Access(access) = event else {
                nest.follow(event);
                continue;
            };
            number += 1;
            if number % EVERY != 0 {
                continue;
            }
            let chosen = |l: &u32| shape.loops.get(*l as usize).is_some_and(|l| l.chosen);
            let loops = nest.levels().iter().map(|l| l.loop_).filter(chosen).collect();
            found.push((access.address / PAGE, loops));
        }
        let fresh: Vec<u64> =
            found.iter().map(|f| f.0).filter(|p| !self.known.contains_key(&(process, *p))).collect();
        if self.known.len() < MOST {
            for (page, node) in fresh.iter().zip(nodes_of(process, &fresh)) {
                if let Some(node) = node {
                    self.known.insert((process, *page), node);
                }
            }
        }
        for (page, loops) in found {
            let Some(&there) = self.known.get(&(process, page)) else { continue };
            for l in loops {
                *self.sums.entry((l, there, here)).or_default() += 1;
            }
        }
    }

    /// Adds the sums to the facts.
    pub fn finish(self, shape: &Shape, loops: &mut [LoopPatterns]) {
        for ((l, there, here), accesses) in self.sums {
            let Some(at) = shape.loops.get(l as usize) else { continue };
            let facts = loops.iter_mut().find(|f| (f.module, f.header) == (at.module, at.header));
            if let Some(facts) = facts {
                match facts.nodes.iter_mut().find(|n| (n.0, n.1) == (there, here)) {
                    Some(known) => known.2 += accesses,
                    None => facts.nodes.push((there, here, accesses)),
                }
            }
        }
    }
}

/// Nodes of pages of a process; `None` for pages that are not mapped.
fn nodes_of(process: u32, pages: &[u64]) -> Vec<Option<u32>> {
    let addresses: Vec<*const c_void> = pages.iter().map(|p| (p * PAGE) as *const c_void).collect();
    let mut status = vec![-1i32; pages.len()];
    // SAFETY: both arrays have as many elements as stated and outlive the call; without destinations (null) nothing
    // is moved, and the addresses, which are another process's, are not followed here.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            process,
            pages.len(),
            addresses.as_ptr(),
            std::ptr::null::<i32>(),
            status.as_mut_ptr(),
            0,
        )
    };
    if result < 0 {
        return vec![None; pages.len()];
    }
    status.into_iter().map(|s| u32::try_from(s).ok()).collect()
}

/// Node of the processor on which a thread runs.
fn node_of_thread(process: u32, thread: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/stat")).ok()?;
    let cpu = processor(&stat)?;
    let folder = std::fs::read_dir(Path::new("/sys/devices/system/cpu").join(format!("cpu{cpu}"))).ok()?;
    folder.flatten().find_map(|e| e.file_name().to_str()?.strip_prefix("node")?.parse().ok())
}

/// The field `processor` of a `stat` file: the 39th, counted after the name in brackets.
fn processor(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_counted() {
        assert_eq!(count("0\n"), 1);
        assert_eq!(count("0-1,4"), 3);
        assert_eq!(count("0-3"), 4);
        assert_eq!(count(""), 0);
        assert_eq!(count("x-1,5-2"), 0);
    }

    #[test]
    fn the_processor_is_found_behind_any_name() {
        let stat = "4242 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 \
                    31 32 33 34 17 5 6 7 8";
        assert_eq!(processor(stat), Some(5));
        assert_eq!(processor("4242 (a) S"), None);
    }

    /// Recorded from a machine with two nodes: a page of node 1 used from node 0.
    #[test]
    fn sums_go_to_the_loop() {
        let shape = Shape {
            loops: vec![loopwright_patterns::shape::LoopShape {
                header: 0x10,
                chosen: true,
                ..Default::default()
            }],
            ..Shape::default()
        };
        let nodes = Nodes { several: true, sums: BTreeMap::from([((0, 1, 0), 7)]), known: HashMap::new() };
        let mut loops = vec![LoopPatterns { header: 0x10, ..LoopPatterns::default() }];
        nodes.finish(&shape, &mut loops);
        assert_eq!(loops[0].nodes, [(1, 0, 7)]);
    }

    #[test]
    fn own_pages_have_a_node() {
        let here = [1u8; 1];
        let page = here.as_ptr() as u64 / PAGE;
        let found = nodes_of(std::process::id(), &[page, 0]);
        // A kernel without NUMA support returns no node; otherwise this page is there and page 0 is not.
        if let Some(Some(node)) = found.first() {
            assert!(*node < 1024);
            assert_eq!(found[1], None);
        }
    }
}
