//! Decodes one function by recursive descent: from its entry, its cold parts and its landing pads
//! along every jump, so that data between instructions (jump tables, padding) is never taken for code.
//!
//! An indirect jump is asked of [`super::jump_table`]. Bytes that stay undecoded and are no padding
//! become extra roots: they hold code that is reached in a way not understood (a truncated table, an
//! unlisted landing pad), and code that is missed is worse than a root too many.

use super::jump_table::{self, Target};
use super::noreturn::Returns;
use super::source::{CodeSource, GuardedRange};
use crate::facts::FunctionInfo;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use std::collections::{BTreeMap, BTreeSet};

/// Longest x86 instruction, in bytes.
const LONGEST: u64 = 15;

/// Rounds of turning undecoded bytes into roots. Each round follows everything it can reach, so that
/// more rounds only matter where code is interleaved with data that looks like code.
const GAP_ROUNDS: usize = 16;

/// Instructions of one function beyond which decoding stops (the largest functions of a browser or a
/// database have some 10^5): a bound on time and memory for damaged files.
const MOST_INSTRUCTIONS: usize = 4_000_000;

/// The decoded instructions of a function and what is needed to connect them.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Instructions by address.
    pub instructions: BTreeMap<u64, Instruction>,
    /// Addresses that start a block: jump targets, fall-through after a jump, roots.
    pub leaders: BTreeSet<u64>,
    /// Where control enters: the function's entry first, then landing pads and other extra roots.
    pub roots: Vec<u64>,
    /// Roots that only undecoded bytes gave, in the order found: how control comes there is not known.
    pub gaps: Vec<u64>,
    /// Targets of resolved indirect jumps, by address of the jump.
    pub indirect: BTreeMap<u64, Vec<u64>>,
    /// Indirect jumps whose targets are unknown.
    pub unresolved: Vec<u64>,
    /// Calls that do not return.
    pub noreturn: BTreeSet<u64>,
    /// Exception-handling ranges.
    pub guarded: Vec<GuardedRange>,
    /// Instructions were found that share bytes.
    pub overlapping: bool,
    /// Address ranges of the function, sorted.
    pub ranges: Vec<(u64, u64)>,
}

impl Decoded {
    /// Whether `address` belongs to the function.
    pub fn contains(&self, address: u64) -> bool {
        contains(&self.ranges, address)
    }
}

fn contains(ranges: &[(u64, u64)], address: u64) -> bool {
    let after = ranges.partition_point(|r| r.0 <= address);
    after.checked_sub(1).and_then(|i| ranges.get(i)).is_some_and(|r| address < r.1)
}

/// Decodes the instruction at `address`, not reading beyond `end`.
pub fn instruction_at(source: &dyn CodeSource, address: u64, end: u64) -> Option<Instruction> {
    let end = address.checked_add(LONGEST)?.min(end);
    let bytes = source.code(address, end)?;
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let instruction = decoder.decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// Decodes `function`.
pub fn decode(source: &dyn CodeSource, function: &FunctionInfo, returns: &mut Returns) -> Decoded {
    let mut ranges = vec![(function.address, function.end)];
    ranges.extend(&function.parts);
    ranges.retain(|r| r.0 < r.1);
    ranges.sort_unstable();
    ranges.dedup();
    let mut out = Decoded { ranges, ..Decoded::default() };
    out.roots.push(function.address);
    out.guarded = source.guarded_ranges(function);
    out.guarded.retain(|g| contains(&out.ranges, g.pad) && g.start < g.end);
    for pad in out.guarded.iter().map(|g| g.pad).collect::<BTreeSet<_>>() {
        out.roots.push(pad);
    }
    let mut work = out.roots.clone();
    let mut pending = Vec::new();
    let mut rounds = 0;
    loop {
        while let Some(start) = work.pop() {
            descend(source, &mut out, returns, start, &mut work, &mut pending);
        }
        if !pending.is_empty() {
            resolve(source, &mut out, std::mem::take(&mut pending), &mut work);
            continue;
        }
        rounds += 1;
        if rounds > GAP_ROUNDS || out.instructions.len() > MOST_INSTRUCTIONS {
            break;
        }
        let gaps = undecoded(source, &out);
        if gaps.is_empty() {
            break;
        }
        out.roots.extend(&gaps);
        out.gaps.extend(&gaps);
        work = gaps;
    }
    out
}

/// Follows straight-line code from `start` to the next jump, pushing what it leads to.
fn descend(
    source: &dyn CodeSource,
    out: &mut Decoded,
    returns: &mut Returns,
    start: u64,
    work: &mut Vec<u64>,
    pending: &mut Vec<Instruction>,
) {
    if !out.contains(start) {
        return;
    }
    out.leaders.insert(start);
    let mut address = start;
    while out.instructions.len() <= MOST_INSTRUCTIONS && !out.instructions.contains_key(&address) {
        let Some(range) = out.ranges.iter().find(|r| r.0 <= address && address < r.1) else { return };
        let Some(instruction) = instruction_at(source, address, range.1) else {
            out.overlapping = true;
            return;
        };
        let next = instruction.next_ip();
        let before = out.instructions.range(..address).next_back().map(|(_, i)| i.next_ip());
        let after = out.instructions.range(address..next).next();
        out.overlapping |= before.is_some_and(|end| end > address) || after.is_some();
        out.instructions.insert(address, instruction);
        let direct = instruction.op0_kind() == OpKind::NearBranch64;
        match instruction.flow_control() {
            FlowControl::Next => address = next,
            FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => {
                if direct {
                    work.push(instruction.near_branch_target());
                }
                work.push(next);
                return;
            }
            FlowControl::UnconditionalBranch => {
                if direct {
                    work.push(instruction.near_branch_target());
                }
                return;
            }
            FlowControl::IndirectBranch => {
                pending.push(instruction);
                return;
            }
            // `syscall` is a call to iced, and returns.
            FlowControl::Call | FlowControl::IndirectCall => {
                if !returns.call_returns(source, &instruction) {
                    out.noreturn.insert(address);
                    return;
                }
                address = next;
            }
            FlowControl::Interrupt if instruction.mnemonic() != Mnemonic::Int3 => address = next,
            FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => return,
        }
    }
}

/// Finds the targets of indirect jumps once everything that leads to them is decoded.
fn resolve(source: &dyn CodeSource, out: &mut Decoded, jumps: Vec<Instruction>, work: &mut Vec<u64>) {
    let tables = jump_table::Tables::of(source, out);
    let found: Vec<(u64, Target)> = jumps.iter().map(|jump| (jump.ip(), tables.resolve(jump))).collect();
    for (jump, target) in found {
        match target {
            Target::Addresses(targets) => {
                work.extend(&targets);
                out.indirect.insert(jump, targets);
            }
            Target::Outside => {}
            Target::Unknown => out.unresolved.push(jump),
        }
    }
}

/// First addresses of stretches that no instruction covers and that are no padding.
fn undecoded(source: &dyn CodeSource, out: &Decoded) -> Vec<u64> {
    let mut gaps = Vec::new();
    for &(start, end) in &out.ranges {
        let mut covered = start;
        let ends = out.instructions.range(start..end).map(|(&a, i)| (a, i.next_ip())).chain([(end, end)]);
        for (address, next) in ends {
            if address > covered
                && let Some(gap) = skip_padding(source, covered, address)
            {
                gaps.push(gap);
            }
            covered = covered.max(next);
        }
    }
    gaps.retain(|g| !out.leaders.contains(g));
    gaps
}

/// The first address in `[start, end)` that is not `nop`, `int3` or zero fill.
fn skip_padding(source: &dyn CodeSource, start: u64, end: u64) -> Option<u64> {
    let mut at = start;
    while at < end {
        let instruction = instruction_at(source, at, end)?;
        let zero = source.code(at, end.min(at + 2)).is_some_and(|b| b.iter().all(|&b| b == 0));
        // `xchg ax, ax` and `lea rsi, [rsi]` are paddings of old assemblers.
        let padding = matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3 | Mnemonic::Ud2)
            || zero
            || instruction.mnemonic() == Mnemonic::Xchg
                && instruction.op0_register() == instruction.op1_register();
        if !padding {
            return Some(at);
        }
        at = instruction.next_ip();
    }
    None
}
