//! The tree of a generated program.
//!
//! Every part may be taken out without harm: values are arbitrary, memory is addressed by constants and masked indices,
//! loops carry their own bound, and a call that is taken out takes nothing away that is needed.
//!
//! Instructions are text with places for names: `@L3` a label, `@F2` a function, `@E2` its second entry, `@D` the scenario's
//! data, `@P` the scenario's prefix.

use super::features::Features;
use super::registers::{Register, Set};

/// Which registers survive a call, and which a caller may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// None: every register, flag and piece of state goes in and out.
    Free,
    /// The System V ABI, but callers know what their callees really write (GCC's -fipa-ra).
    Known,
    /// The System V ABI.
    SystemV,
    /// Go's internal ABI: nothing survives, results come in nine registers.
    Go,
}

/// Vector instructions that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// SSE2 and nothing else: x86-64.
    Sse2,
    /// x86-64-v3.
    Avx2,
    /// x86-64-v4.
    Avx512,
}

/// A generated program: functions that call each other, the first one being entered.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it was made from.
    pub seed: u64,
    /// What it may contain.
    pub features: Features,
    /// Which registers survive calls.
    pub convention: Convention,
    /// Which vector instructions it uses.
    pub level: Level,
    /// Callers before callees.
    pub functions: Vec<Function>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its number in names.
    pub id: usize,
    /// Registers that it pushes at its start and pops at its end.
    pub saves: Vec<Register>,
    /// Bytes of its frame.
    pub frame: u32,
    /// What it does.
    pub body: Vec<Node>,
    /// How it ends.
    pub end: End,
    /// How it is declared.
    pub shape: Shape,
    /// A second entry in front of the part of the body with this index, if it has one.
    pub second_entry: Option<usize>,
    /// Bytes of arguments that it takes from the stack at its return.
    pub popped: u32,
    /// Registers that it or what it calls may have changed when it returns.
    pub writes: Set,
    /// Estimate of the instructions that a call executes.
    pub cost: u64,
    /// It calls nothing, so that it may use memory below the stack pointer.
    pub leaf: bool,
}

/// How a function ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `ret`.
    Return,
    /// `rep ret`, as compilers wrote it for old processors.
    RepeatReturn,
    /// A jump to another function.
    Tail(usize),
    /// A jump to the second entry of another function.
    TailInto(usize),
    /// It runs into the function that is laid out behind it.
    Fall(usize),
    /// Pushes a function's address and returns to it.
    PushReturn(usize),
    /// A jump through a register to another function.
    Register(usize, Register),
}

/// What the file says of a function.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its symbol.
    pub symbol: Symbol,
    /// Power of two that its address is a multiple of.
    pub align: u32,
    /// It has an unwind entry.
    pub unwind: bool,
    /// Bytes in front of it that are not code, if any.
    pub data_before: Vec<u8>,
    /// In a section of its own for rarely executed code.
    pub cold: bool,
    /// In a section that may be written to.
    pub writable: bool,
}

/// A function's symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Type and size.
    Full,
    /// A local symbol with type and size.
    Local,
    /// Type, no size.
    NoSize,
    /// Neither.
    NoType,
    /// None.
    Absent,
    /// Its size covers the function behind it, too.
    Spanning,
    /// Its size is too small.
    Short,
}

/// Where the part of a branch is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where it stands.
    Inline,
    /// Behind the function.
    Behind,
    /// In another section, with a symbol of its own or not.
    Cold(bool),
}

/// A part of a function.
#[derive(Clone, Debug)]
pub enum Node {
    /// Instructions that belong together.
    Code(Vec<String>),
    /// A conditional branch.
    If {
        /// Sets the flags; empty where flags from before decide.
        test: Vec<String>,
        /// Condition of the jump to `then`.
        condition: &'static str,
        /// Executed when it holds.
        then: Vec<Node>,
        /// Executed when it does not.
        otherwise: Vec<Node>,
        /// Where `then` is laid out.
        place: Place,
        /// Labels from here on are its own: two.
        label: u32,
    },
    /// A loop.
    Loop {
        /// How it counts.
        guard: Guard,
        /// Executed by each iteration.
        body: Vec<Node>,
        /// It is entered from outside in front of the part with this index.
        middle: Option<usize>,
        /// Labels from here on are its own: six.
        label: u32,
    },
    /// A conditional jump out of the innermost loop, or to its next iteration.
    Leave {
        /// Sets the flags.
        test: Vec<String>,
        /// Condition.
        condition: &'static str,
        /// To the next iteration instead of out.
        next: bool,
    },
    /// A conditional return; the function's end is repeated behind it.
    Return {
        /// Sets the flags.
        test: Vec<String>,
        /// Condition.
        condition: &'static str,
        /// A label of its own.
        label: u32,
    },
    /// A call.
    Call {
        /// Hands arguments over.
        before: Vec<String>,
        /// Called function.
        callee: usize,
        /// At its second entry.
        second: bool,
        /// The instruction.
        form: CallForm,
        /// Defines again what the call destroyed.
        after: Vec<String>,
        /// Labels from here on are its own: two.
        label: u32,
    },
    /// A computed jump to one of several parts.
    Dispatch {
        /// Holds the number of the part when the jump is made: 0 to `arms.len() - 1`, a power of two less one.
        index: Register,
        /// A register that may be used up.
        scratch: Register,
        /// How the jump finds its target.
        form: Table,
        /// The parts.
        arms: Vec<Vec<Node>>,
        /// Labels from here on are its own: `arms.len() + 2`.
        label: u32,
    },
    /// A call of the function itself, as long as a counter in the data allows it.
    Recurse {
        /// Offset of the counter.
        slot: u32,
        /// A label of its own.
        label: u32,
    },
    /// Another stack with code of its own, switched to and back in each round.
    Contexts {
        /// Executed on the function's own stack.
        own: Vec<Node>,
        /// Executed on the other stack.
        other: Vec<Node>,
        /// Offset of the other's stack pointer in the data; the counter of rounds follows eight bytes later.
        slot: u32,
        /// Rounds.
        rounds: u32,
        /// The switch ends with a jump through memory instead of a return.
        jumps: bool,
        /// Labels from here on are its own: four.
        label: u32,
    },
    /// A constant operand that is overwritten after it was used for the first time.
    Written {
        /// Receives the constant; below r8.
        register: Register,
        /// What is written.
        value: u32,
    },
    /// A symbol of a function in the middle of the code, which nothing calls.
    Mark {
        /// Its number.
        label: u32,
    },
}

/// How a loop counts its iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `dec r; jnz` (keeps the carry flag).
    Decrement(Register, u32),
    /// `sub $1, r; jg`.
    Subtract(Register, u32),
    /// `add $step, r; cmp $bound, r; jne`, counter from `start`.
    Compare {
        /// Counter.
        counter: Register,
        /// First value.
        start: i32,
        /// Step.
        step: i32,
        /// Iterations.
        times: u32,
        /// Holds the bound, if it is not a constant.
        bound: Option<Register>,
        /// The test stands at the top.
        top: bool,
    },
    /// `loop`, rcx.
    Loop(u32),
    /// `jrcxz` at the top, `lea -1(%rcx), %rcx` at the bottom: no flag changes.
    Jrcxz(u32),
    /// `decl memory`; the offset in the data, or below the stack pointer.
    Memory {
        /// In the data, or (negative) from the stack pointer.
        at: i32,
        /// Iterations.
        times: u32,
    },
}

/// How a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallForm {
    /// `call f`.
    Direct,
    /// `call *r`.
    Register(Register),
    /// `call *table`.
    Memory,
    /// `push $back; jmp f`.
    PushJump,
    /// `push $back; push $f; ret`.
    PushReturn,
    /// `call 1f; .. 1: movq $f, (%rsp)`-like: calls a stub that jumps.
    Stub,
}

/// How a computed jump finds its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `jmp *table(,%r,8)`.
    Absolute,
    /// `notrack jmp *table(,%r,8)`, the table among the code.
    InCode,
    /// `mov table(,%r,8), %s; jmp *%s`.
    Loaded,
    /// `lea table, %s; movslq (%s,%r,4), %r; add %s, %r; jmp *%r`.
    Relative,
    /// Two bytes each, from a base.
    Short,
    /// `lea base, %s; shl $k, %r; add; jmp *%s` to parts that are trampolines of 16 bytes.
    Arithmetic,
    /// Addresses chosen by cmov, two parts only.
    Chosen,
    /// `push table(,%r,8); ret`.
    PushReturn,
}
