//! Basic blocks and the edges between them.

use super::decode::Decoded;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use smallvec::SmallVec;

/// Index of a block.
pub type BlockId = u32;

/// Neighbours of a block; most blocks have at most two, which need no memory of their own.
pub type Neighbours = SmallVec<[BlockId; 2]>;

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
    pub successors: Neighbours,
    /// Blocks that may precede.
    pub predecessors: Neighbours,
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

    /// The function sets `rbp` from the stack pointer.
    pub fn has_frame_pointer(&self) -> bool {
        self.instructions.iter().any(|i| {
            i.op_count() == 2
                && i.op0_register() == Register::RBP
                && (i.mnemonic() == Mnemonic::Mov && i.op1_register() == Register::RSP
                    || i.mnemonic() == Mnemonic::Lea && i.memory_base() == Register::RSP)
        })
    }

    /// Builds blocks and edges from decoded instructions.
    pub fn new(decoded: &Decoded) -> Self {
        let mut graph = Self { instructions: decoded.instructions.clone(), ..Self::default() };
        let mut first = 0;
        for k in 0..graph.instructions.len() {
            let instruction = &graph.instructions[k];
            let next = graph.instructions.get(k + 1);
            let ends = ends_block(instruction, decoded)
                || next.is_none_or(|n| n.ip() != instruction.next_ip() || decoded.is_leader(n.ip()));
            if ends {
                graph.blocks.push(Block {
                    start: graph.instructions[first].ip(),
                    end: instruction.next_ip(),
                    instructions: (first as u32, k as u32 + 1),
                    successors: Neighbours::new(),
                    predecessors: Neighbours::new(),
                    leaves: false,
                });
                first = k + 1;
            }
        }
        graph.connect(decoded);
        graph
    }

    /// The block that starts at `address`.
    pub fn block_at(&self, address: u64) -> Option<BlockId> {
        self.blocks.binary_search_by_key(&address, |b| b.start).ok().map(|k| k as BlockId)
    }

    fn connect(&mut self, decoded: &Decoded) {
        let mut addresses = Vec::new();
        for k in 0..self.blocks.len() {
            let code = self.code(k as BlockId);
            let Some(last) = code.last() else { continue };
            addresses.clear();
            targets(last, decoded, &mut addresses);
            // After a call that does not return, or a trap, the program has ended.
            let ends =
                matches!(last.flow_control(), FlowControl::Exception) || decoded.never_returns(last.ip());
            let mut leaves = addresses.is_empty() && !ends;
            if !decoded.guarded.is_empty() {
                let is_call = |i: &&Instruction| {
                    matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
                };
                let calls = code.iter().filter(is_call);
                addresses.extend(calls.flat_map(|call| decoded.guards(call.ip()).map(|g| g.pad)));
            }
            addresses.sort_unstable();
            addresses.dedup();
            let mut successors = Neighbours::new();
            for address in &addresses {
                match self.block_at(*address) {
                    Some(to) => successors.push(to),
                    None => leaves = true,
                }
            }
            let block = &mut self.blocks[k];
            (block.successors, block.leaves) = (successors, leaves);
        }
        self.pads = decoded.guarded.iter().filter_map(|g| self.block_at(g.pad)).collect();
        self.pads.sort_unstable();
        self.pads.dedup();
        let roots: Vec<BlockId> = decoded.roots.iter().filter_map(|r| self.block_at(*r)).collect();
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
        for k in 0..self.blocks.len() {
            let mut at = 0;
            while let Some(&to) = self.blocks[k].successors.get(at) {
                self.blocks[to as usize].predecessors.push(k as BlockId);
                at += 1;
            }
        }
    }
}

fn ends_block(i: &Instruction, decoded: &Decoded) -> bool {
    match i.flow_control() {
        FlowControl::Next => false,
        FlowControl::Call | FlowControl::IndirectCall => {
            // A call stays inside its block unless it ends there or may land in a handler.
            decoded.never_returns(i.ip()) || decoded.guards(i.ip()).next().is_some()
        }
        FlowControl::Interrupt => i.mnemonic() == Mnemonic::Int3,
        _ => true,
    }
}

/// Appends the addresses that follow the last instruction of a block.
fn targets(last: &Instruction, decoded: &Decoded, into: &mut Vec<u64>) {
    let direct = (last.op0_kind() == OpKind::NearBranch64).then(|| last.near_branch_target());
    match last.flow_control() {
        FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => {
            into.extend(direct);
            into.push(last.next_ip());
        }
        FlowControl::UnconditionalBranch => into.extend(direct),
        FlowControl::IndirectBranch => into.extend(decoded.indirect.get(&last.ip()).into_iter().flatten()),
        FlowControl::Call | FlowControl::IndirectCall if decoded.never_returns(last.ip()) => {}
        FlowControl::Interrupt if last.mnemonic() == Mnemonic::Int3 => {}
        FlowControl::Return | FlowControl::Exception => {}
        _ => into.push(last.next_ip()),
    }
}
