//! Room for jumps from original code to its copy.
//!
//! A near jump takes five bytes. Bytes of copied blocks are free, because nothing executes them any more,
//! except their call instructions (which execute in place, so that every return address is an original one)
//! and traps. Where two to four bytes are free, a short jump leads to a springboard: five free bytes nearby,
//! or padding. Where not even that fits, the block is not moved and runs in place; its successors become
//! points of arrival of their own.

use crate::code::flow::{End, Flow};

/// Bytes of a near jump.
const NEAR: usize = 5;
/// Bytes of a short jump.
const SHORT: usize = 2;

/// A jump to the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Block at whose start it is written.
    pub block: usize,
    /// Address of the near jump when only a short one fits here.
    pub springboard: Option<u64>,
}

/// Finds room for all points of arrival: the jumps, by block, and which blocks are not moved. `None` when the
/// entry itself has no room; with `armed` the entry already has its jump.
pub fn assign(
    flow: &Flow,
    inside: &[bool],
    entry: usize,
    padding: &[(u64, u64)],
    armed: bool,
) -> Option<(Vec<Point>, Vec<bool>)> {
    let mut native = vec![false; flow.blocks.len()];
    let mut wanted = arrivals(flow, inside, entry);
    loop {
        let mut room = Room::new(flow, inside, &native, padding);
        let points: Vec<usize> = (0..wanted.len()).filter(|&b| wanted[b]).collect();
        let (placed, failed) = room.place(flow, &points, armed.then_some(entry));
        if failed.is_empty() {
            return Some((placed, native));
        }
        for b in failed {
            if b == entry {
                return None;
            }
            wanted[b] = false;
            native[b] = true;
            for edge in flow.blocks[b].successors.iter().filter(|e| !e.kind.reenters()) {
                if inside[edge.to] && !native[edge.to] {
                    wanted[edge.to] = true;
                }
            }
        }
    }
}

/// Blocks of the region at which control arrives at their original address.
fn arrivals(flow: &Flow, inside: &[bool], entry: usize) -> Vec<bool> {
    let mut wanted = vec![false; flow.blocks.len()];
    wanted[entry] = true;
    for &b in flow.entries.iter().chain(&flow.pads).filter(|&&b| inside[b]) {
        wanted[b] = true;
    }
    for (b, block) in flow.blocks.iter().enumerate() {
        for edge in block.successors.iter().filter(|e| inside[e.to]) {
            wanted[edge.to] |= edge.kind.reenters() || !inside[b];
        }
    }
    wanted
}

/// Which bytes of a function are free to be overwritten.
struct Room {
    /// Sorted `(start, free)`.
    areas: Vec<(u64, Vec<bool>)>,
}

impl Room {
    fn new(flow: &Flow, inside: &[bool], native: &[bool], padding: &[(u64, u64)]) -> Self {
        let mut spans = padding.to_vec();
        for (b, block) in flow.blocks.iter().enumerate() {
            let free = inside[b] && !native[b];
            let last = flow.last(b);
            let kept = matches!(block.end, End::Call(_) | End::Stop);
            let end = if kept { last.ip() } else { block.end_address };
            if free && end > block.start {
                spans.push((block.start, end));
            }
        }
        spans.sort_unstable();
        let mut areas: Vec<(u64, Vec<bool>)> = Vec::new();
        for (start, end) in spans {
            let length = (end - start) as usize;
            match areas.last_mut() {
                Some((first, bytes)) if *first + bytes.len() as u64 == start => {
                    bytes.extend(std::iter::repeat_n(true, length));
                }
                _ => areas.push((start, vec![true; length])),
            }
        }
        Self { areas }
    }

    fn at(&mut self, address: u64) -> Option<(&mut Vec<bool>, usize)> {
        let k = self.areas.partition_point(|a| a.0 <= address).checked_sub(1)?;
        let (start, bytes) = self.areas.get_mut(k)?;
        let offset = (address - *start) as usize;
        (offset < bytes.len()).then_some((bytes, offset))
    }

    fn place(&mut self, flow: &Flow, points: &[usize], armed: Option<usize>) -> (Vec<Point>, Vec<usize>) {
        let starts: Vec<u64> = points.iter().map(|&b| flow.blocks[b].start).collect();
        let mut placed = Vec::new();
        let mut failed = Vec::new();
        let mut short = Vec::new();
        if let Some(b) = armed {
            for address in flow.blocks[b].start..flow.blocks[b].start + NEAR as u64 {
                if let Some((bytes, offset)) = self.at(address) {
                    bytes[offset] = false;
                }
            }
        }
        for (k, &b) in points.iter().enumerate() {
            if armed == Some(b) {
                placed.push(Point { block: b, springboard: None });
                continue;
            }
            let next = starts.get(k + 1).map_or(NEAR, |n| ((n - starts[k]) as usize).min(NEAR));
            let Some((bytes, offset)) = self.at(starts[k]) else {
                failed.push(b);
                continue;
            };
            let free = bytes[offset..].iter().take(next).take_while(|f| **f).count();
            let taken = if free >= NEAR {
                placed.push(Point { block: b, springboard: None });
                NEAR
            } else if free >= SHORT {
                short.push(b);
                SHORT
            } else {
                failed.push(b);
                continue;
            };
            bytes[offset..offset + taken].fill(false);
        }
        for b in short {
            match self.springboard(flow.blocks[b].start) {
                Some(at) => placed.push(Point { block: b, springboard: Some(at) }),
                None => failed.push(b),
            }
        }
        placed.sort_unstable_by_key(|p| p.block);
        (placed, failed)
    }

    /// Takes five free bytes that a short jump at `from` reaches.
    fn springboard(&mut self, from: u64) -> Option<u64> {
        let origin = from + SHORT as u64;
        let (lowest, highest) = (origin.saturating_sub(128), origin + 127);
        for (start, bytes) in &mut self.areas {
            let end = *start + bytes.len() as u64;
            if end <= lowest || *start > highest {
                continue;
            }
            let first = lowest.saturating_sub(*start) as usize;
            let mut run = 0;
            for k in first..bytes.len() {
                run = if bytes[k] { run + 1 } else { 0 };
                let at = *start + (k + 1) as u64 - run as u64;
                if at > highest {
                    break;
                }
                if run == NEAR {
                    bytes[k + 1 - NEAR..=k].fill(false);
                    return Some(at);
                }
            }
        }
        None
    }
}
