//! Where in an iteration operations are injected.
//!
//! A core runs through operations that are all at the header before the rest of the iteration begins, and the buffers between
//! its parts even out only so much. So they are spread over places that each iteration passes once, between the instructions of
//! the loop itself.

use super::kinds;
use super::nest::{Nest, is_left};
use super::registers::Registers;
use crate::code::registers::{Gprs, RSP, gpr, set_of};
use iced_x86::Register;
use loopwright_vocabulary::Resource;

/// A place for operations and what is free there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub block: usize,
    /// Index of the instruction in the block before which they are.
    pub at: usize,
    /// No status flag has a value, or all are saved.
    pub flags: bool,
    /// A general register.
    pub spare: Option<Register>,
    /// An XMM register.
    pub vector: Option<Register>,
    /// Far enough from others for an address to be computed for each.
    pub far: bool,
}

impl Site {
    /// Whether operations of a kind can be here.
    pub fn suits(&self, resource: Resource) -> bool {
        match resource {
            Resource::FrontEnd | Resource::TakenBranches => true,
            // Between stores of the loop to one line they would keep a core from writing these together.
            Resource::Stores => self.far,
            Resource::Integer => self.spare.is_some() || self.flags,
            Resource::VectorStores => self.far && self.vector.is_some(),
            Resource::Loads | Resource::Shift => self.spare.is_some(),
            Resource::Multiply => self.spare.is_some() && self.flags,
            Resource::FloatAdd | Resource::FloatMultiply | Resource::FloatDivide => self.vector.is_some(),
            Resource::L2Lines | Resource::L3Lines | Resource::MemoryLines | Resource::ScatteredLines => {
                self.spare.is_some() && self.flags && self.far
            }
        }
    }
}

/// Instructions from one place to the next: about as many as a core renames in a cycle.
const APART: usize = 5;
/// The same of far places: some cycles.
const FAR: usize = 24;
/// Places besides the header.
const MOST_SITES: usize = 60;
/// Loops with more blocks keep their operations at the header: which blocks each iteration passes takes a search for each.
const MOST_BLOCKS: usize = 400;

/// The places of a unit: the header of the injected loop, then the others in the order of their addresses.
pub(super) fn sites(nest: &Nest<'_>, registers: &Registers) -> Vec<Site> {
    let header = Site {
        block: nest.header(),
        at: 0,
        flags: true,
        spare: registers.spare,
        vector: registers.vector.map(|v| v.low),
        far: true,
    };
    let mut sites = vec![header];
    let body = nest.body(nest.injected);
    if body.len() > MOST_BLOCKS {
        return sites;
    }
    let passed: Vec<usize> = body.iter().copied().filter(|&b| is_passed_once(nest, b)).collect();
    let length: usize = passed.iter().map(|&b| nest.flow.instructions(b).len()).sum();
    let apart = APART.max(length / MOST_SITES);
    let (mut since, mut since_far) = (0, 0);
    for &block in &passed {
        if block == header.block {
            (since, since_far) = (0, 0);
        }
        let live = nest.live.inside(nest.flow, block);
        let vectors = nest.vectors.inside(nest.flow, block);
        let length = nest.flow.instructions(block).len();
        for at in 0..length {
            // Not between a comparison and its branch, which a core fuses.
            let before_end = at + 1 < length;
            if since >= apart && before_end {
                let site = Site {
                    block,
                    at,
                    flags: live[at].flags == 0,
                    spare: free_general(registers, live[at].gprs),
                    vector: free_vector(registers, vectors[at].low | high(registers, vectors[at].high)),
                    far: since_far >= FAR,
                };
                since = 0;
                if site.suits(Resource::ScatteredLines) {
                    since_far = 0;
                }
                sites.push(site);
            }
            since += 1;
            since_far += 1;
        }
        if is_left(nest.flow.blocks[block].end) {
            (since, since_far) = (apart, FAR);
        }
    }
    sites
}

/// Each iteration of the injected loop passes the block exactly once.
fn is_passed_once(nest: &Nest<'_>, block: usize) -> bool {
    nest.flow.loop_of[block] == Some(nest.injected) && is_always_passed(nest, block)
}

/// Whether no way from the header to a back edge avoids the block.
fn is_always_passed(nest: &Nest<'_>, block: usize) -> bool {
    let (flow, body) = (nest.flow, nest.body(nest.injected));
    let header = nest.header();
    if block == header {
        return true;
    }
    let mut seen = vec![false; flow.blocks.len()];
    let mut work = vec![header];
    while let Some(b) = work.pop() {
        for edge in &flow.blocks[b].successors {
            if edge.to == header {
                return false;
            }
            let inside = body.binary_search(&edge.to).is_ok() && edge.to != block;
            if inside && !std::mem::replace(&mut seen[edge.to], true) {
                work.push(edge.to);
            }
        }
    }
    true
}

fn free_general(registers: &Registers, live: Gprs) -> Option<Register> {
    let spare = registers.spare?;
    if registers.is_lent(spare) {
        return Some(spare);
    }
    let used = RSP | live | registers.countdown.map_or(0, set_of);
    (0..16).find(|&n| used >> n & 1 == 0).map(gpr)
}

/// The upper parts count where operations clear them.
fn high(registers: &Registers, high: u32) -> u32 {
    let keeps = registers.vector.is_some_and(|v| kinds::keeps_upper_bits(v.encoding));
    if keeps { 0 } else { high }
}

fn free_vector(registers: &Registers, busy: u32) -> Option<Register> {
    let vector = registers.vector?;
    if vector.saved {
        return Some(vector.low);
    }
    let lent = registers.lent.iter().fold(0, |set, l| set | 1 << l.vector.number());
    (0..16).find(|n| (busy | lent) >> n & 1 == 0).map(|n| Register::XMM0 + n)
}
