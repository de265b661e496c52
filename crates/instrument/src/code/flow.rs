//! A function's control flow as relocation needs it.
//!
//! Unlike the analysis of loops, which may leave out edges that it considers impossible, this graph must hold
//! every path that control can take: each call ends a block and is assumed to return, whatever its name, and
//! code that nothing is seen to reach stays where it is. Loops are those of `loopwright_binary`, so that
//! counts and facts refer to the same headers.

use crate::reason::Unclear;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind};
use loopwright_binary::code::{Decoded, Graph, Nest};
use loopwright_binary::facts::FunctionInfo;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Runs into the next address.
    Fall(u64),
    /// Jumps to an address of the function.
    Jump(u64),
    /// Jumps or falls through.
    Branch {
        /// Target of the jump.
        taken: u64,
        /// The address after the branch.
        fall: u64,
    },
    /// A call; the address is where it returns to.
    Call(u64),
    /// A jump through a table or register to known places of the function.
    Indirect,
    Return,
    /// Jumps to another function.
    Tail(u64),
    /// Jumps to another function through a pointer.
    IndirectTail,
    /// Traps (`ud2`, `int3`, `hlt`).
    Stop,
}

/// Why control goes from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// A direct jump.
    Taken,
    /// Falling through.
    Fall,
    CallReturn,
    /// An indirect jump.
    Indirect,
    /// An exception thrown by the call is handled.
    Handler,
}

impl EdgeKind {
    /// The edge ends at an original address whatever code it started from.
    pub fn reenters(self) -> bool {
        matches!(self, Self::CallReturn | Self::Indirect | Self::Handler)
    }
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Block.
    pub to: usize,
    pub kind: EdgeKind,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// End of the last instruction.
    pub end_address: u64,
    /// Range of its instructions in [`Flow::code`].
    pub code: (usize, usize),
    /// How it ends.
    pub end: End,
    /// Edges to other blocks of the function.
    pub successors: Vec<Edge>,
    /// Blocks with an edge to this one.
    pub predecessors: Vec<usize>,
    /// Control may leave the function at its end.
    pub leaves: bool,
    /// It ends with a call that is known not to return; the edge to the next block exists all the same.
    pub calls_for_good: bool,
}

/// A natural loop in terms of these blocks.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Header block.
    pub header: usize,
    /// All its blocks, sorted.
    pub body: Vec<usize>,
    /// Enclosing loop.
    pub parent: Option<usize>,
    /// Holds no other loop.
    pub innermost: bool,
}

/// The control flow of one function.
#[derive(Debug)]
pub struct Flow {
    /// All instructions, by address.
    pub code: Vec<Instruction>,
    /// Blocks, by address.
    pub blocks: Vec<Block>,
    /// Block of the function's entry.
    pub entry: usize,
    /// Blocks where control comes in from outside in a known way: the entry, targets of jumps from other
    /// functions, and addresses that are taken.
    pub entries: Vec<usize>,
    /// Blocks of landing pads.
    pub pads: Vec<usize>,
    /// Blocks without a known predecessor; how they are entered, if at all, is not known.
    pub unexplained: Vec<usize>,
    /// Loops, outer before inner.
    pub loops: Vec<Loop>,
    /// Innermost loop of each block.
    pub loop_of: Vec<Option<usize>>,
    /// Blocks in cycles that are not natural loops.
    pub irreducible: Vec<bool>,
}

impl Flow {
    /// Builds the graph; `entered` are addresses that other code jumps to or that are taken, `jumped` the
    /// former. An address that is only taken may be that of data in the code: it does not count as an entry
    /// of otherwise unreached code.
    pub fn new(
        function: &FunctionInfo,
        decoded: &Decoded,
        entered: &[u64],
        jumped: &[u64],
    ) -> Result<Self, Unclear> {
        if decoded.instructions.is_empty() {
            return Err(Unclear::NoCode);
        }
        if decoded.overlapping {
            return Err(Unclear::Overlap);
        }
        if !decoded.unresolved.is_empty() {
            return Err(Unclear::Unresolved);
        }
        let mut starts = Vec::new();
        for &address in entered {
            if decoded.starts_instruction(address) {
                starts.push(address);
            } else if decoded.splits_instruction(address) {
                return Err(Unclear::Overlap);
            }
        }
        starts.sort_unstable();
        let code = decoded.instructions.clone();
        let blocks = cut(&code, &starts, decoded);
        let mut this = Self {
            code,
            blocks,
            entry: 0,
            entries: Vec::new(),
            pads: Vec::new(),
            unexplained: Vec::new(),
            loops: Vec::new(),
            loop_of: Vec::new(),
            irreducible: Vec::new(),
        };
        this.connect(decoded);
        this.entry = this.block_at(function.address).ok_or(Unclear::NoCode)?;
        this.entries = entered.iter().filter_map(|&a| this.block_at(a)).chain([this.entry]).collect();
        this.entries.sort_unstable();
        this.entries.dedup();
        this.pads = decoded.guarded.iter().filter_map(|g| this.block_at(g.pad)).collect();
        this.pads.sort_unstable();
        this.pads.dedup();
        this.find_unexplained(jumped);
        this.find_loops(decoded);
        Ok(this)
    }

    /// The block that starts at `address`.
    pub fn block_at(&self, address: u64) -> Option<usize> {
        self.blocks.binary_search_by_key(&address, |b| b.start).ok()
    }

    /// Instructions of a block.
    pub fn instructions(&self, block: usize) -> &[Instruction] {
        let (first, last) = self.blocks[block].code;
        &self.code[first..last]
    }

    /// The last instruction of a block.
    pub fn last(&self, block: usize) -> &Instruction {
        &self.code[self.blocks[block].code.1 - 1]
    }

    fn connect(&mut self, decoded: &Decoded) {
        for b in 0..self.blocks.len() {
            let mut edges: Vec<(u64, EdgeKind)> = Vec::new();
            let last = *self.last(b);
            let mut leaves = false;
            match self.blocks[b].end {
                End::Fall(to) => edges.push((to, EdgeKind::Fall)),
                End::Jump(to) => edges.push((to, EdgeKind::Taken)),
                End::Branch { taken, fall } => {
                    edges.push((taken, EdgeKind::Taken));
                    edges.push((fall, EdgeKind::Fall));
                }
                End::Call(back) => {
                    edges.push((back, EdgeKind::CallReturn));
                    edges.extend(decoded.guards(last.ip()).map(|g| (g.pad, EdgeKind::Handler)));
                }
                End::Indirect => {
                    let targets = decoded.indirect.get(&last.ip()).into_iter().flatten();
                    edges.extend(targets.map(|t| (*t, EdgeKind::Indirect)));
                    leaves = decoded.leaving.contains(&last.ip());
                }
                End::Return | End::Tail(_) | End::IndirectTail | End::Stop => leaves = true,
            }
            let mut successors: Vec<Edge> = Vec::new();
            for (to, kind) in edges {
                match self.block_at(to) {
                    Some(to) if successors.iter().any(|e| e.to == to && e.kind == kind) => {}
                    Some(to) => successors.push(Edge { to, kind }),
                    None => leaves = true,
                }
            }
            for edge in &successors {
                self.blocks[edge.to].predecessors.push(b);
            }
            self.blocks[b].successors = successors;
            self.blocks[b].leaves = leaves;
        }
        for block in &mut self.blocks {
            block.predecessors.dedup();
        }
    }

    fn find_unexplained(&mut self, jumped: &[u64]) {
        let mut reached = vec![false; self.blocks.len()];
        let mut work: Vec<usize> = jumped.iter().filter_map(|&a| self.block_at(a)).collect();
        work.push(self.entry);
        work.extend(&self.pads);
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut reached[b], true) {
                work.extend(self.blocks[b].successors.iter().map(|e| e.to));
            }
        }
        self.unexplained = (0..self.blocks.len()).filter(|&b| !reached[b]).collect();
    }

    fn find_loops(&mut self, decoded: &Decoded) {
        let graph = Graph::new(decoded);
        let nest = Nest::new(&graph);
        let n = self.blocks.len();
        self.loop_of = vec![None; n];
        self.irreducible = vec![false; n];
        let blocks_of = |of: &[u32]| -> Vec<usize> {
            let mut inside = Vec::new();
            for &b in of {
                let Some(coarse) = graph.blocks.get(b as usize) else { continue };
                let first = self.blocks.partition_point(|x| x.start < coarse.start);
                let fine = self.blocks[first..].iter().take_while(|x| x.start < coarse.end);
                inside.extend(first..first + fine.count());
            }
            inside.sort_unstable();
            inside
        };
        let mut loops = Vec::new();
        for natural in &nest.loops {
            let header = graph.blocks.get(natural.header as usize).and_then(|h| self.block_at(h.start));
            loops.push(Loop {
                header: header.unwrap_or(0),
                body: blocks_of(&natural.body),
                parent: natural.parent.map(|p| p as usize),
                innermost: natural.innermost,
            });
        }
        for (_, blocks) in &nest.irreducible {
            for b in blocks_of(blocks) {
                self.irreducible[b] = true;
            }
        }
        for (k, l) in loops.iter().enumerate() {
            for &b in &l.body {
                self.loop_of[b] = Some(k); // outer before inner: the innermost stays
            }
        }
        self.loops = loops;
    }

    /// The loops that hold a block, innermost first.
    pub fn loops_around(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.loop_of[block], |&l| self.loops[l].parent)
    }

    /// Whether a loop holds a block.
    pub fn in_loop(&self, index: usize, block: usize) -> bool {
        self.loops_around(block).any(|l| l == index)
    }
}

/// Cuts the instructions into blocks; `starts` are sorted addresses that start one besides leaders.
fn cut(code: &[Instruction], starts: &[u64], decoded: &Decoded) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut first = 0;
    for (k, i) in code.iter().enumerate() {
        let next = i.next_ip();
        let end = match i.flow_control() {
            FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend
                if i.op0_kind() == OpKind::NearBranch64 =>
            {
                Some(End::Branch { taken: i.near_branch_target(), fall: next })
            }
            FlowControl::UnconditionalBranch if i.op0_kind() == OpKind::NearBranch64 => {
                let to = i.near_branch_target();
                Some(if decoded.starts_instruction(to) { End::Jump(to) } else { End::Tail(to) })
            }
            FlowControl::UnconditionalBranch => Some(End::Stop),
            FlowControl::IndirectBranch if decoded.indirect.contains_key(&i.ip()) => Some(End::Indirect),
            FlowControl::IndirectBranch => Some(End::IndirectTail),
            FlowControl::Call | FlowControl::IndirectCall if is_call(i) => Some(End::Call(next)),
            FlowControl::Return => Some(End::Return),
            FlowControl::Exception => Some(End::Stop),
            FlowControl::Interrupt if i.mnemonic() == Mnemonic::Int3 => Some(End::Stop),
            _ => None,
        };
        let leads = |ip: u64| decoded.is_leader(ip) || starts.binary_search(&ip).is_ok();
        let follows = code.get(k + 1).is_some_and(|n| n.ip() == next && !leads(next));
        if end.is_some() || !follows {
            blocks.push(Block {
                start: code[first].ip(),
                end_address: next,
                code: (first, k + 1),
                end: end.unwrap_or(End::Fall(next)),
                successors: Vec::new(),
                predecessors: Vec::new(),
                leaves: false,
                calls_for_good: decoded.never_returns(i.ip()),
            });
            first = k + 1;
        }
    }
    blocks
}

/// A call of a function or of the kernel. Both execute in place, because both make their address visible: the one on
/// the stack, the other in rcx, to signal handlers, to seccomp filters and to the child that a fork creates.
pub fn is_call(i: &Instruction) -> bool {
    matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
        && !matches!(i.mnemonic(), Mnemonic::Sysenter | Mnemonic::Vmcall)
}
