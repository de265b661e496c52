//! Instructions that may store to memory that the source names, and are not operations of a source place: the
//! calls and string instructions that replace a loop that fills or copies, and arrays in the frame.

use super::blocks::Graph;
use super::nest::Nest;
use super::operation::repeats;
use super::origin::Places;
use super::source::CodeSource;
use super::step::is_call;
use crate::facts::{OtherStore, OtherStoreKind, OtherStores};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// Parts of the names of functions that fill or copy memory (`memset`, `__memcpy_chk`, `wmemset`, `bzero`).
const FILLING: [&str; 2] = ["mem", "bzero"];

/// Searches the code of a function with loops.
pub fn find(source: &dyn CodeSource, graph: &Graph, nest: &Nest, places: &Places) -> OtherStores {
    let mut out = OtherStores::default();
    if nest.loops.is_empty() {
        return out;
    }
    out.frame_is_indexed = graph.instructions.iter().any(indexes_frame);
    for (b, block) in graph.blocks.iter().enumerate() {
        for at in block.instructions.0 as usize..block.instructions.1 as usize {
            let i = &graph.instructions[at];
            let Some(kind) = kind(source, i, out.frame_is_indexed) else { continue };
            let position = places.spots.get(at).and_then(|spot| spot.position);
            out.list.push(OtherStore {
                address: i.ip(),
                line: position.map_or(0, |p| p.line),
                kind,
                in_loop: nest.innermost.get(b).copied().flatten(),
            });
        }
    }
    out.list.sort_by_key(|store| store.address);
    out
}

fn kind(source: &dyn CodeSource, i: &Instruction, frame: bool) -> Option<OtherStoreKind> {
    if is_call(i) {
        return may_fill(source, i).then_some(OtherStoreKind::Call);
    }
    if repeats(i) {
        return Some(OtherStoreKind::Repeated);
    }
    let stores = frame && i.op_count() > 0 && i.op0_kind() == OpKind::Memory && in_frame(i);
    stores.then_some(OtherStoreKind::Frame)
}

/// The called function fills or copies memory by its name, or has none.
fn may_fill(source: &dyn CodeSource, i: &Instruction) -> bool {
    let target =
        if i.is_ip_rel_memory_operand() { i.ip_rel_memory_address() } else { i.near_branch_target() };
    let name = Some(target).filter(|t| *t != 0).and_then(|t| source.name_at(t));
    name.is_none_or(|name| FILLING.iter().any(|part| name.contains(part)))
}

fn in_frame(i: &Instruction) -> bool {
    matches!(i.memory_base(), Register::RSP | Register::RBP)
}

/// Takes an address in the frame, or accesses it with an index.
fn indexes_frame(i: &Instruction) -> bool {
    let memory = (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
    memory && in_frame(i) && (i.mnemonic() == Mnemonic::Lea || i.memory_index() != Register::None)
}
