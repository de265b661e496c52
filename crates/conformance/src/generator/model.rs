//! The tree of a generated program.
//!
//! Every part may be removed without harm: values are arbitrary, memory is addressed by constants and masked
//! indices, loops carry their own bound, and nothing else depends on a call.
//!
//! Instructions are text with placeholders for names: `@L3` a label, `@F2` a function, `@E2` its second
//! entry, `@D` the scenario's data, `@P` the scenario's prefix.

use super::features::Features;
use super::registers::{Register, Set};

/// Which registers survive a call, and which a caller may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// No register survives by convention: every register, flag and other state goes in and out.
    Free,
    /// The System V ABI, but callers know which registers their callees really write (GCC's -fipa-ra).
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
    /// The seed that it was made from.
    pub seed: u64,
    /// Features that it may contain.
    pub features: Features,
    /// Which registers survive calls.
    pub convention: Convention,
    /// Which vector instructions it uses.
    pub level: Level,
    /// Callers before callees.
    pub functions: Vec<Function>,
}

/// A generated function: its declaration and its statements.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its number in names.
    pub id: usize,
    /// Registers that it pushes at its start and pops at its end.
    pub saves: Vec<Register>,
    /// Bytes of its frame.
    pub frame: u32,
    /// The parts that it executes.
    pub body: Vec<Node>,
    /// How it ends.
    pub end: End,
    /// How it is declared.
    pub shape: Shape,
    /// Index of the part of the body that has a second entry in front of it, if any.
    pub second_entry: Option<usize>,
    /// Bytes of arguments that it takes from the stack at its return.
    pub popped: u32,
    /// Registers that it or its callees may have changed when it returns.
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
    /// It falls through into the function that is placed after it.
    Fall(usize),
    /// Pushes a function's address and returns to it.
    PushReturn(usize),
    /// A jump through a register to another function.
    Register(usize, Register),
}

/// A function's declaration in the file.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Which kind of symbol it has, if any.
    pub symbol: Symbol,
    /// Power of two that its address is a multiple of.
    pub align: u32,
    /// It has an unwind entry.
    pub unwind: bool,
    /// Bytes in front of it that are not code, if any.
    pub data_before: Vec<u8>,
    /// It is in a section of its own for rarely executed code.
    pub cold: bool,
    /// It is in a writable section.
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
    /// Neither type nor size.
    NoType,
    /// No symbol.
    Absent,
    /// Its size covers the following function, too.
    Spanning,
    /// Its size is too small.
    Short,
}

/// The place of a branch's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the normal order.
    Inline,
    /// After the function.
    Behind,
    /// In another section; the flag says whether with a symbol of its own.
    Cold(bool),
}

/// A part of a function.
#[derive(Clone, Debug)]
pub enum Node {
    /// Instructions that stay together.
    Code(Vec<String>),
    /// A conditional branch.
    If {
        /// Sets the flags; empty where flags from before decide.
        test: Vec<String>,
        /// Condition of the jump to `then`.
        condition: &'static str,
        /// Executed when the condition holds.
        then: Vec<Node>,
        /// Executed when it does not hold.
        otherwise: Vec<Node>,
        /// The place of `then`.
        place: Place,
        /// First of its two labels.
        label: u32,
    },
    /// A loop of statements.
    Loop {
        /// How it counts.
        guard: Guard,
        /// Executed by each iteration.
        body: Vec<Node>,
        /// It is entered from outside in front of the part with this index.
        middle: Option<usize>,
        /// First of its six labels.
        label: u32,
    },
    /// A conditional jump out of the innermost loop, or to its next iteration.
    Leave {
        /// Sets the flags.
        test: Vec<String>,
        /// Condition code of the jump, as in `jCC`.
        condition: &'static str,
        /// The jump goes to the next iteration instead of out.
        next: bool,
    },
    /// A conditional return; the function's end is repeated after it.
    Return {
        /// Sets the flags.
        test: Vec<String>,
        /// Condition code of the jump, as in `jCC`.
        condition: &'static str,
        /// Number of its label, as in `@L3`.
        label: u32,
    },
    /// A call of a generated function.
    Call {
        /// Sets the arguments.
        before: Vec<String>,
        /// Called function.
        callee: usize,
        /// The call goes to its second entry.
        second: bool,
        /// The form of the call.
        form: CallForm,
        /// Gives new values to the registers that the call destroyed.
        after: Vec<String>,
        /// First of its two labels.
        label: u32,
    },
    /// A computed jump to one of several parts.
    Dispatch {
        /// Holds the number of the part at the jump: 0 to `arms.len() - 1`, a power of two less one.
        index: Register,
        /// A register that may be overwritten.
        scratch: Register,
        /// How the jump finds its target.
        form: Table,
        /// The parts.
        arms: Vec<Vec<Node>>,
        /// First of its `arms.len() + 2` labels.
        label: u32,
    },
    /// A call of the function itself, as long as a counter in the data allows it.
    Recurse {
        /// Offset of the counter.
        slot: u32,
        /// Number of its label, as in `@L3`.
        label: u32,
    },
    /// Another stack with code of its own, switched to and back in each round.
    Contexts {
        /// Executed on the function's own stack.
        own: Vec<Node>,
        /// Executed on the other stack.
        other: Vec<Node>,
        /// Offset of the other's stack pointer in the data; the counter of rounds is eight bytes after it.
        slot: u32,
        /// Distance of its start below the function's own stack pointer, in bytes.
        stack: u32,
        /// Number of rounds.
        rounds: u32,
        /// The switch ends with a jump through memory instead of a return.
        jumps: bool,
        /// First of its four labels.
        label: u32,
    },
    /// A constant operand that is overwritten after its first use.
    Written {
        /// Receives the constant; below r8.
        register: Register,
        /// The new value.
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
    /// `add $step, r; cmp $bound, r; jne`, counting from `start`.
    Compare {
        /// The register that counts.
        counter: Register,
        /// First value.
        start: i32,
        /// Added to the counter in each iteration.
        step: i32,
        /// Iterations.
        times: u32,
        /// Holds the bound, if it is not a constant.
        bound: Option<Register>,
        /// The test is at the top.
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
    /// `notrack jmp *table(,%r,8)`, with the table inside the code.
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
