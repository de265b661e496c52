//! Decodes one function by recursive descent: from its entry, its cold parts and its landing pads
//! along every jump, so that data between instructions (jump tables, padding) is never taken for code.
//!
//! Each function is decoded once into a list, its bytes being marked ([`Marks`]) rather than its addresses
//! kept in a tree: whole programs are decoded before they are counted.
//!
//! [`super::jump_table`] resolves indirect jumps. Bytes that stay undecoded and are not padding become extra
//! roots: they hold code that is reached in an unknown way (a truncated table, an unlisted landing pad), and
//! missed code is worse than an unneeded root.

use super::jump_table::{self, Target};
use super::marks::Marks;
use super::memo::Returns;
use super::reader::{Reader, contains, disjoint};
use super::source::{CodeSource, GuardedRange};
use crate::facts::FunctionInfo;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use std::collections::{BTreeMap, BTreeSet};

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
    pub instructions: Vec<Instruction>,
    /// Where control enters: the function's entry first, then landing pads and other extra roots.
    pub roots: Vec<u64>,
    /// Roots that were found only as undecoded bytes, in the order found: how control reaches them is not known.
    pub gaps: Vec<u64>,
    /// Targets of resolved indirect jumps, by address of the jump.
    pub indirect: BTreeMap<u64, Vec<u64>>,
    /// Those of them that may leave the function as well.
    pub leaving: Vec<u64>,
    /// Indirect jumps whose targets are unknown.
    pub unresolved: Vec<u64>,
    /// Exception-handling ranges, sorted.
    pub guarded: Vec<GuardedRange>,
    /// Instructions were found that share bytes.
    pub overlapping: bool,
    /// Address ranges of the function, sorted and disjoint.
    pub ranges: Vec<(u64, u64)>,
    marks: Marks,
    /// How far the guarded ranges up to each one reach.
    reach: Vec<u64>,
}

impl Decoded {
    /// Whether `address` belongs to the function.
    pub fn contains(&self, address: u64) -> bool {
        contains(&self.ranges, address)
    }

    /// Whether an instruction starts at `address`.
    pub fn starts_instruction(&self, address: u64) -> bool {
        self.marks.has(&self.marks.starts, address)
    }

    /// The instruction that starts at `address`.
    pub fn instruction_at(&self, address: u64) -> Option<&Instruction> {
        if !self.starts_instruction(address) {
            return None;
        }
        self.instructions.get(self.marks.rank(address))
    }

    /// The instructions that start below `address`.
    pub fn before(&self, address: u64) -> &[Instruction] {
        self.instructions.get(..self.marks.rank(address)).unwrap_or_default()
    }

    /// Whether `address` is inside an instruction, after its first byte.
    pub fn splits_instruction(&self, address: u64) -> bool {
        self.before(address).last().is_some_and(|i| i.next_ip() > address)
    }

    /// Whether a block starts at `address`: a jump's target, what follows a jump, a root.
    pub fn is_leader(&self, address: u64) -> bool {
        self.marks.has(&self.marks.leaders, address)
    }

    /// Whether the call at `address` does not return.
    pub fn never_returns(&self, address: u64) -> bool {
        self.marks.has(&self.marks.noreturn, address)
    }

    /// The exception-handling ranges that hold `address`, sorted.
    pub fn guards(&self, address: u64) -> impl Iterator<Item = &GuardedRange> {
        let last = self.guarded.partition_point(|g| g.start <= address);
        let first = self.reach.partition_point(|end| *end <= address).min(last);
        self.guarded.get(first..last).unwrap_or_default().iter().filter(move |g| address < g.end)
    }
}

/// Decodes `function`.
pub fn decode(source: &dyn CodeSource, function: &FunctionInfo, returns: &Returns) -> Decoded {
    let ranges = disjoint(function.spans().collect());
    let reader = Reader::new(source, &ranges);
    // Instructions have some four bytes; more room is made when it is needed.
    let instructions = Vec::with_capacity((reader.areas.bytes() / 4).min(1 << 12));
    let marks = Marks::new(reader.areas.clone());
    let mut out = Decoded { ranges, marks, instructions, ..Decoded::default() };
    out.roots.push(function.address);
    out.guarded = source.guarded_ranges(function);
    out.guarded.retain(|g| contains(&out.ranges, g.pad) && g.start < g.end);
    out.guarded.sort_unstable();
    let furthest = |reach: &mut u64, g: &GuardedRange| {
        *reach = g.end.max(*reach);
        Some(*reach)
    };
    out.reach = out.guarded.iter().scan(0, furthest).collect();
    out.roots.extend(out.guarded.iter().map(|g| g.pad).collect::<BTreeSet<_>>());
    let work = out.roots.clone();
    let mut descent = Descent { source, returns, reader, out, work, jumps: Vec::new() };
    descent.run();
    descent.out
}

/// A function being decoded.
struct Descent<'a> {
    source: &'a dyn CodeSource,
    returns: &'a Returns,
    reader: Reader<'a>,
    out: Decoded,
    /// Addresses to follow.
    work: Vec<u64>,
    /// Indirect jumps whose targets are yet to be found.
    jumps: Vec<Instruction>,
}

impl Descent<'_> {
    fn run(&mut self) {
        let mut rounds = 0;
        loop {
            while let Some(start) = self.work.pop() {
                self.follow(start);
            }
            self.settle();
            if !self.jumps.is_empty() {
                self.resolve();
                continue;
            }
            rounds += 1;
            if rounds > GAP_ROUNDS || self.out.instructions.len() > MOST_INSTRUCTIONS {
                break;
            }
            let gaps = self.undecoded();
            if gaps.is_empty() {
                break;
            }
            self.out.roots.extend(&gaps);
            self.out.gaps.extend(&gaps);
            self.work = gaps;
        }
    }

    /// Follows straight-line code from `start` to the next jump, noting what it leads to.
    fn follow(&mut self, start: u64) {
        let Self { source, returns, reader, out, work, jumps, .. } = self;
        if let Some(bit) = out.marks.areas.bit(start) {
            out.marks.leaders.set(bit);
        }
        let mut address = start;
        while let Some((decoder, first_bit)) = reader.seek(address) {
            while decoder.can_decode() {
                let bit = first_bit + decoder.position();
                if out.instructions.len() > MOST_INSTRUCTIONS || out.marks.starts.get(bit) {
                    return;
                }
                let instruction = decoder.decode();
                if instruction.is_invalid() {
                    out.overlapping = true;
                    return;
                }
                out.overlapping |= out.marks.covered.cover(bit, instruction.len());
                out.marks.starts.set(bit);
                out.instructions.push(instruction);
                address = instruction.next_ip();
                let direct = instruction.op0_kind() == OpKind::NearBranch64;
                match instruction.flow_control() {
                    FlowControl::Next => {}
                    FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => {
                        if direct {
                            work.push(instruction.near_branch_target());
                        }
                        if let Some(bit) = out.marks.areas.bit(address) {
                            out.marks.leaders.set(bit);
                        }
                    }
                    FlowControl::UnconditionalBranch => {
                        if direct {
                            work.push(instruction.near_branch_target());
                        }
                        return;
                    }
                    FlowControl::IndirectBranch => {
                        jumps.push(instruction);
                        return;
                    }
                    // `syscall` is a call to iced, and returns.
                    FlowControl::Call | FlowControl::IndirectCall => {
                        if !returns.call_returns(*source, &instruction) {
                            out.marks.noreturn.set(bit);
                            return;
                        }
                    }
                    FlowControl::Interrupt if instruction.mnemonic() != Mnemonic::Int3 => {}
                    FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => return,
                }
            }
        }
        // Bytes of the function that cannot be read are not code.
        out.overlapping |= out.contains(address);
    }

    /// Brings the instructions into the order of their addresses.
    fn settle(&mut self) {
        let out = &mut self.out;
        out.marks.count();
        if out.instructions.is_sorted_by_key(Instruction::ip) {
            return;
        }
        if out.overlapping {
            out.instructions.sort_unstable_by_key(Instruction::ip);
            return;
        }
        // Straight lines of code, none inside another: few, compared with the instructions.
        let mut lines: Vec<&[Instruction]> =
            out.instructions.chunk_by(|a, b| a.next_ip() == b.ip()).collect();
        lines.sort_unstable_by_key(|line| line.first().map(Instruction::ip));
        out.instructions = lines.concat();
    }

    /// Finds the targets of indirect jumps once everything that leads to them is decoded.
    fn resolve(&mut self) {
        let jumps = std::mem::take(&mut self.jumps);
        let tables = jump_table::Tables::of(self.source, &self.out);
        let found: Vec<(u64, Target)> = jumps.iter().map(|jump| (jump.ip(), tables.resolve(jump))).collect();
        for (jump, target) in found {
            match target {
                Target::Addresses(targets) => {
                    self.work.extend(&targets);
                    self.out.indirect.insert(jump, targets);
                }
                Target::AlsoOutside(targets) => {
                    self.work.extend(&targets);
                    self.out.indirect.insert(jump, targets);
                    self.out.leaving.push(jump);
                }
                Target::Outside => {}
                Target::Unknown => self.out.unresolved.push(jump),
            }
        }
    }

    /// First addresses of stretches that no instruction covers and that are not padding.
    fn undecoded(&self) -> Vec<u64> {
        let mut gaps = Vec::new();
        for (area, &(start, bytes)) in self.reader.code.iter().enumerate() {
            for (from, to) in self.out.marks.uncovered(area) {
                let stretch = bytes.get(from..to).unwrap_or_default();
                gaps.extend(skip_padding(start + from as u64, stretch));
            }
        }
        gaps.retain(|g| !self.out.is_leader(*g));
        gaps
    }
}

/// The first address of the bytes at `start` that is not `nop`, `int3` or zero fill.
fn skip_padding(start: u64, bytes: &[u8]) -> Option<u64> {
    let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        let position = decoder.position();
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            return None;
        }
        let zero = bytes.iter().skip(position).take(2).all(|&b| b == 0);
        // `xchg ax, ax` and `lea rsi, [rsi]` are paddings of old assemblers.
        let padding = matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3 | Mnemonic::Ud2)
            || zero
            || instruction.mnemonic() == Mnemonic::Xchg
                && instruction.op0_register() == instruction.op1_register();
        if !padding {
            return Some(instruction.ip());
        }
    }
    None
}
