//! Basic blocks and the edges between them.

use super::decode::Decoded;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind};
use std::collections::HashMap;

/// Index of a block.
pub type BlockId = u32;

/// A straight line of instructions that is entered only at its start and left only at its end.
#[derive(Clone, Debug)]
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// End of the last instruction.
    pub end: u64,
    /// Range of its instructions in [`Graph::instructions`].
    pub instructions: (u32, u32),
    /// Blocks that may follow.
    pub successors: Vec<BlockId>,
    /// Blocks that may precede.
    pub predecessors: Vec<BlockId>,
    /// Ways out of the function: returns, tail calls, jumps to unknown places.
    pub leaves: bool,
}

/// The control-flow graph of a function.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// All instructions in address order.
    pub instructions: Vec<Instruction>,
    /// Blocks in address order.
    pub blocks: Vec<Block>,
    /// Blocks where control enters; the first is the function's entry.
    pub roots: Vec<BlockId>,
    /// Landing pads of exceptions, sorted.
    pub pads: Vec<BlockId>,
}

impl Graph {
    /// The instructions of a block.
    pub fn code(&self, block: BlockId) -> &[Instruction] {
        let Some(b) = self.blocks.get(block as usize) else { return &[] };
        self.instructions.get(b.instructions.0 as usize..b.instructions.1 as usize).unwrap_or(&[])
    }

    /// The last instruction of a block.
    pub fn terminator(&self, block: BlockId) -> Option<&Instruction> {
        self.code(block).last()
    }

    /// Builds blocks and edges from decoded instructions.
    pub fn new(decoded: &Decoded) -> Self {
        let mut graph =
            Self { instructions: decoded.instructions.values().copied().collect(), ..Self::default() };
        let mut first = 0;
        for k in 0..graph.instructions.len() {
            let instruction = &graph.instructions[k];
            let next = graph.instructions.get(k + 1);
            let ends = ends_block(instruction, decoded)
                || next.is_none_or(|n| n.ip() != instruction.next_ip() || decoded.leaders.contains(&n.ip()));
            if ends {
                graph.blocks.push(Block {
                    start: graph.instructions[first].ip(),
                    end: instruction.next_ip(),
                    instructions: (first as u32, k as u32 + 1),
                    successors: Vec::new(),
                    predecessors: Vec::new(),
                    leaves: false,
                });
                first = k + 1;
            }
        }
        graph.connect(decoded);
        graph
    }

    fn connect(&mut self, decoded: &Decoded) {
        let at: HashMap<u64, BlockId> =
            self.blocks.iter().enumerate().map(|(k, b)| (b.start, k as BlockId)).collect();
        for k in 0..self.blocks.len() {
            let Some(last) = self.terminator(k as BlockId).copied() else { continue };
            let mut targets = targets(&last, decoded);
            let block = &mut self.blocks[k];
            block.leaves = targets.is_empty() && !matches!(last.flow_control(), FlowControl::Exception);
            for call in &self.instructions[block.instructions.0 as usize..block.instructions.1 as usize] {
                if matches!(call.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
                    targets.extend(
                        decoded
                            .guarded
                            .iter()
                            .filter(|g| g.start <= call.ip() && call.ip() < g.end)
                            .map(|g| g.pad),
                    );
                }
            }
            targets.sort_unstable();
            targets.dedup();
            for target in targets {
                match at.get(&target) {
                    Some(&to) => block.successors.push(to),
                    None => block.leaves = true,
                }
            }
        }
        self.pads = decoded.guarded.iter().filter_map(|g| at.get(&g.pad).copied()).collect();
        self.pads.sort_unstable();
        self.pads.dedup();
        let roots: Vec<BlockId> = decoded.roots.iter().filter_map(|r| at.get(r).copied()).collect();
        self.choose_roots(&roots);
    }

    /// The entry is a root; so is every block that nothing already reached leads to. How such code is
    /// entered is not known (an unlisted handler, a table not understood), so that its jumps into
    /// known code must not count as side entries, which would make proper loops look irreducible.
    fn choose_roots(&mut self, candidates: &[BlockId]) {
        let mut reached_by: Vec<Option<usize>> = vec![None; self.blocks.len()];
        let rest = 0..self.blocks.len() as BlockId;
        for b in candidates.iter().copied().chain(rest) {
            if reached_by[b as usize].is_some() {
                continue;
            }
            let root = self.roots.len();
            self.roots.push(b);
            let mut work = vec![b];
            while let Some(b) = work.pop() {
                if reached_by[b as usize].replace(root).is_none() {
                    let more = &self.blocks[b as usize].successors;
                    work.extend(more.iter().filter(|s| reached_by[**s as usize].is_none()));
                }
            }
        }
        for (k, block) in self.blocks.iter_mut().enumerate() {
            let count = block.successors.len();
            block.successors.retain(|s| reached_by[*s as usize] == reached_by[k]);
            block.leaves |= block.successors.len() != count;
        }
        for block in &mut self.blocks {
            block.predecessors.clear();
        }
        for k in 0..self.blocks.len() {
            for to in self.blocks[k].successors.clone() {
                self.blocks[to as usize].predecessors.push(k as BlockId);
            }
        }
    }
}

fn ends_block(i: &Instruction, decoded: &Decoded) -> bool {
    match i.flow_control() {
        FlowControl::Next => false,
        FlowControl::Call | FlowControl::IndirectCall => {
            // A call stays inside its block unless it ends there or may land in a handler.
            decoded.noreturn.contains(&i.ip())
                || decoded.guarded.iter().any(|g| g.start <= i.ip() && i.ip() < g.end)
        }
        FlowControl::Interrupt => i.mnemonic() == Mnemonic::Int3,
        _ => true,
    }
}

/// Addresses that follow the last instruction of a block.
fn targets(last: &Instruction, decoded: &Decoded) -> Vec<u64> {
    let direct = || (last.op0_kind() == OpKind::NearBranch64).then(|| last.near_branch_target());
    match last.flow_control() {
        FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => {
            direct().into_iter().chain([last.next_ip()]).collect()
        }
        FlowControl::UnconditionalBranch => direct().into_iter().collect(),
        FlowControl::IndirectBranch => decoded.indirect.get(&last.ip()).cloned().unwrap_or_default(),
        FlowControl::Call | FlowControl::IndirectCall if decoded.noreturn.contains(&last.ip()) => Vec::new(),
        FlowControl::Interrupt if last.mnemonic() == Mnemonic::Int3 => Vec::new(),
        FlowControl::Return | FlowControl::Exception => Vec::new(),
        _ => vec![last.next_ip()],
    }
}
