//! Where in an iteration operations are injected.
//!
//! All of them at the header of a short loop. In a long iteration a core would be through with them before the rest of the
//! iteration begins: there they are spread over places that each iteration passes once.

use super::kinds;
use super::nest::{Nest, is_left};
use super::registers::Registers;
use crate::code::registers::{Gprs, RSP, gpr, set_of};
use iced_x86::Register;

/// A place for operations and the registers without a value there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub block: usize,
    /// Index of the instruction in the block before which they are.
    pub at: usize,
    /// A general register.
    pub spare: Option<Register>,
    /// An XMM register.
    pub vector: Option<Register>,
}

/// Instructions from one place to the next: some cycles, a part of what a core holds in its buffers (512 instructions on
/// Zen 4 and on Golden Cove).
const APART: usize = 24;
/// Loops with more blocks keep their operations at the header: which blocks each iteration passes takes a search for each.
const MOST_BLOCKS: usize = 400;

/// The places of a unit; the first is the header of the injected loop.
pub(super) fn sites(nest: &Nest<'_>, registers: &Registers) -> Vec<Site> {
    let header =
        Site { block: nest.header(), at: 0, spare: registers.spare, vector: registers.vector.map(|v| v.low) };
    let mut sites = vec![header];
    let body = nest.body(nest.injected);
    if nest.code(nest.injected).count() < 2 * APART || body.len() > MOST_BLOCKS {
        return sites;
    }
    let mut passed = 0;
    for &block in body.iter().filter(|&&b| nest.flow.loop_of[b] == Some(nest.injected)) {
        if !is_always_passed(nest, block) {
            continue;
        }
        let live = nest.live.inside(nest.flow, block);
        let vectors = nest.vectors.inside(nest.flow, block);
        let code = nest.flow.instructions(block);
        for at in 0..code.len() {
            let near_header = block == header.block && at < APART;
            if passed >= APART && !near_header && live[at].flags == 0 {
                let spare = free_general(registers, live[at].gprs);
                let vector = free_vector(registers, vectors[at].low | high(registers, vectors[at].high));
                // What can be injected is the same at all places.
                if spare.is_some() == header.spare.is_some() && vector.is_some() == header.vector.is_some() {
                    sites.push(Site { block, at, spare, vector });
                    passed = 0;
                }
            }
            passed += 1;
        }
        if is_left(nest.flow.blocks[block].end) {
            passed = APART;
        }
    }
    sites
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
