//! The loops, memory operands, calls and branches of the traced code. Indices never change meaning; the lists only grow while
//! a program runs, as more of its code is called for the first time.

use crate::facts::AccessKind;

/// Loops, memory operands, calls and branches, by the indices that events use.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Machine loops of traced functions.
    pub loops: Vec<LoopShape>,
    /// Memory operands of traced instructions.
    pub sites: Vec<Site>,
    /// Calls of code that is not traced.
    pub calls: Vec<CallShape>,
    /// Conditional branches whose outcome the records show.
    pub branches: Vec<BranchShape>,
}

/// A machine loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopShape {
    /// Index of the module, among those of the run.
    pub module: u32,
    /// Entry address of the function (ELF address).
    pub function: u64,
    /// Address of the header block (ELF address).
    pub header: u64,
    /// The loop around it in the same function.
    pub parent: Option<u32>,
    /// The user requested it. The others are its inner and enclosing loops, and loops of functions that it calls.
    pub chosen: bool,
}

/// A memory operand of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Index of the module.
    pub module: u32,
    /// Entry address of the function (ELF address).
    pub function: u64,
    /// Address of the instruction (ELF address).
    pub address: u64,
    /// Number of the memory operand in the instruction: 0, or 1 for the second of a string move.
    pub operand: u8,
    /// The kind of access.
    pub kind: AccessKind,
    /// Bytes of the whole operand; 0 where it varies (string instructions).
    pub size: u32,
    /// Bytes of one element.
    pub element: u32,
    /// Lanes with an address each (gather, scatter); 1 otherwise.
    pub lanes: u32,
    /// It bypasses the caches.
    pub streaming: bool,
    /// It has a lock prefix, or is an exchange.
    pub atomic: bool,
    /// At a fixed place in the function's own frame: a variable in memory, or a spilled register.
    pub frame: bool,
    /// Innermost loop of its own function that holds it.
    pub loop_: Option<u32>,
}

/// A call of code that is not traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallShape {
    /// Index of the module that holds the call.
    pub module: u32,
    /// Address of the call (ELF address).
    pub address: u64,
    /// The called function, where the code shows it.
    pub target: Option<String>,
}

/// A conditional branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchShape {
    /// Index of the module.
    pub module: u32,
    /// Entry address of the function (ELF address).
    pub function: u64,
    /// Address of the instruction (ELF address).
    pub address: u64,
}
