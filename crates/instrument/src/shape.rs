//! Whether the shape of a function is certain: where it begins and ends, and every place at which it is entered.
//!
//! Bytes of a function that moves are overwritten with jumps, so that a missed entry is a crash or, worse, a
//! wrong result. Compilers write functions that show all their entries; hand-written code and rewritten
//! binaries (BOLT) need not. Certainty comes from the code of the whole module, never from assumptions; other
//! functions are not instrumented, and the reason is given.

use crate::code::flow::{End, Flow};
use crate::reason::Doubt;
use iced_x86::Mnemonic;
use loopwright_binary::code::Decoded;
use loopwright_binary::facts::FunctionInfo;
use loopwright_binary::image::Image;

/// Contradictions in the tables of a module about its functions, by index; found once for all of them.
pub fn doubts(image: &Image, functions: &[FunctionInfo]) -> Vec<Option<Doubt>> {
    let mut doubts = vec![None; functions.len()];
    let go = go_code(image, functions);
    for (k, f) in functions.iter().enumerate() {
        if image.is_linkage_stub(f.address) {
            doubts[k] = Some(Doubt::LinkageStub);
        } else if !image.is_read_only(f.address) {
            doubts[k] = Some(Doubt::Writable);
        } else if go.is_some_and(|(low, high)| low <= f.address && f.address < high) {
            doubts[k] = Some(Doubt::Go);
        }
    }
    // Sorted by address: a function overlaps its followers up to the first that begins after its end.
    let of_each = functions.iter().enumerate();
    let mut spans: Vec<(u64, u64, usize)> =
        of_each.flat_map(|(k, f)| f.spans().map(move |(start, end)| (start, end, k))).collect();
    spans.sort_unstable();
    let mut furthest: Option<(u64, usize)> = None;
    for &(start, end, k) in spans.iter().filter(|s| s.0 < s.1) {
        if let Some((reach, other)) = furthest.filter(|(reach, other)| start < *reach && *other != k) {
            doubts[k].get_or_insert(Doubt::Overlapping);
            doubts[other].get_or_insert(Doubt::Overlapping);
            if reach > end {
                continue;
            }
        }
        furthest = Some((end, k));
    }
    doubts
}

/// The code that Go's compiler generated: all of the file when symbols do not bound it.
fn go_code(image: &Image, functions: &[FunctionInfo]) -> Option<(u64, u64)> {
    // The table by which Go's run-time system finds functions (go.dev/s/go12symtab).
    let tables = [".gopclntab", ".data.rel.ro.gopclntab"];
    if !tables.iter().any(|name| image.has_section(name)) {
        return None;
    }
    let at =
        |name: &str| functions.iter().find(|f| f.linkage_name.as_deref() == Some(name)).map(|f| f.address);
    Some((at("runtime.text").unwrap_or(0), at("runtime.etext").unwrap_or(u64::MAX)))
}

/// A contradiction in the code of one function.
pub fn doubt(function: &FunctionInfo, decoded: &Decoded, flow: &Flow) -> Option<Doubt> {
    if flow.unexplained.iter().any(|&b| !is_filling(flow, b)) {
        return Some(Doubt::Unreached);
    }
    for block in &flow.blocks {
        let last = &flow.code[block.code.1 - 1];
        if matches!(block.end, End::Call(_)) && last.op_count() > 0 && last.is_call_near() {
            let target = last.near_branch_target();
            if decoded.contains(target) && target != function.address {
                return Some(Doubt::CallsItsMiddle);
            }
        }
    }
    stack::doubt(flow)
}

/// Bytes between code that decode as traps or `nop`s and never run.
fn is_filling(flow: &Flow, block: usize) -> bool {
    let fills = |m| matches!(m, Mnemonic::Nop | Mnemonic::Int3 | Mnemonic::Ud2 | Mnemonic::Hlt);
    flow.instructions(block).iter().all(|i| fills(i.mnemonic()))
}

mod stack {
    //! A function's use of the stack pointer: below the red zone (System V ABI, 3.2.2) its own values would
    //! be overwritten by the values that the copy saves there, as by any signal handler.

    use super::Doubt;
    use crate::code::flow::Flow;
    use crate::emit::scratch::RED_ZONE;
    use iced_x86::{Instruction, Mnemonic, OpKind, Register};

    pub fn doubt(flow: &Flow) -> Option<Doubt> {
        for i in &flow.code {
            if reaches_below(i) {
                return Some(Doubt::BelowRedZone);
            }
            let pops_into = matches!(i.mnemonic(), Mnemonic::Pop | Mnemonic::Xchg)
                && (0..i.op_count())
                    .any(|k| i.op_kind(k) == OpKind::Register && i.op_register(k) == Register::RSP);
            if pops_into {
                return Some(Doubt::SwitchesStack);
            }
        }
        None
    }

    /// Whether an instruction accesses memory below the red zone, as far as its operand shows. A probe of a page that
    /// the stack will grow into (`or $0, -4096(%rsp)`) writes back the value it reads, and loses nothing.
    fn reaches_below(i: &Instruction) -> bool {
        let memory = (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
        let below = i.memory_base() == Register::RSP
            && i.memory_index() == Register::None
            && (i.memory_displacement64() as i64) < -RED_ZONE;
        let probes = i.mnemonic() == Mnemonic::Or && i.try_immediate(1).is_ok_and(|n| n == 0);
        memory && below && !probes && !matches!(i.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
    }
}
