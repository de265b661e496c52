//! Facts about a function and its loops, read from the binary.
//!
//! These are plain values: they are stored in an experiment and must keep their meaning when the binary no
//! longer exists. Addresses are ELF virtual addresses of the module (not run-time addresses).

mod inlined;

use crate::warning::Warning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use inlined::{Collected, Inlined, InlinedCode};
pub use loopwright_vocabulary::{ElementType, Isa};
use std::collections::BTreeMap;

/// A place in the source. `line` and `column` are 1-based; 0 means the compiler did not say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SourceLocation {
    /// Path as the compiler recorded it, joined with its compilation directory.
    pub file: String,
    /// Line, 1-based.
    pub line: u32,
    /// Column, 1-based; 0 when unknown.
    pub column: u32,
}

/// One level of inlining: the code belongs to `function`, which was called at `call_site`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct InlineFrame {
    /// The function that was inlined (demangled).
    pub function: String,
    /// Where its caller called it.
    pub call_site: Option<SourceLocation>,
}

/// Where the bounds of a function come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionOrigin {
    /// `.symtab`, of the file itself or of its separate debug file.
    Symtab,
    /// `.dynsym`.
    Dynsym,
    /// A frame description entry of `.eh_frame` or `.debug_frame`; the name is made from the address.
    Unwind,
    /// Found by following calls and the entry point.
    Inferred,
}

/// A function: its name and the address ranges that hold its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionInfo {
    /// Demangled name, or `func@0x1234` when no symbol names it.
    pub name: String,
    /// Name as in the symbol table; absent when none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub linkage_name: Option<String>,
    /// Entry address.
    pub address: u64,
    /// End of the contiguous range that starts at `address` (exclusive).
    pub end: u64,
    /// Cold parts and other pieces split off by the compiler, as `[start, end)`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<(u64, u64)>,
    /// Where the bounds come from.
    pub origin: FunctionOrigin,
}

impl FunctionInfo {
    /// Address ranges of its code, that of its entry first.
    pub fn spans(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        std::iter::once((self.address, self.end)).chain(self.parts.iter().copied())
    }
}

/// Traits: properties of a loop's code that matter to its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trait {
    /// Indexed vector loads.
    Gather,
    /// Indexed vector stores.
    Scatter,
    /// Masked vector operations (AVX-512 masks other than k0, `vmaskmov`, `vpmaskmov`).
    Masked,
    /// Blends by vector mask.
    Blend,
    /// Shuffles and permutes of vector elements (not register-zeroing or plain broadcasts).
    Shuffle,
    /// Single elements inserted into vectors (strided loads by hand).
    Insert,
    /// Single elements extracted from vectors.
    Extract,
    /// Conversions between number types.
    Conversion,
    /// Conversions between f32 and f64 in particular.
    FloatWidthConversion,
    /// Floating-point division.
    Divide,
    /// Integer division.
    IntegerDivide,
    /// Square root.
    SquareRoot,
    /// Fused multiply-add.
    Fma,
    /// Stores that bypass the caches.
    NonTemporalStore,
    /// `vcompress*` / `vpcompress*`.
    Compress,
    /// `vexpand*` / `vpexpand*`.
    Expand,
    /// Registers spilled to and reloaded from the stack inside the loop.
    Spill,
    /// Direct calls.
    Call,
    /// Calls through a pointer.
    IndirectCall,
    /// Atomic (`lock`) operations.
    Atomic,
    /// String instructions (`rep movs`, `rep stos`, ...).
    StringOp,
    /// An exit decided by data, in addition to another exit; copies of a counted exit made by the compiler do not count.
    EarlyExit,
    /// Approximate reciprocal or reciprocal square root.
    Reciprocal,
    /// Cryptography or hash instructions (AES, SHA, CLMUL, CRC32).
    Crypto,
    /// Software prefetch.
    Prefetch,
}

/// A call made inside a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallSite {
    /// Address of the call instruction.
    pub address: u64,
    /// Callee name (PLT names resolved, `@plt` removed), or absent for an indirect call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<String>,
}

/// Counts of static instructions by class. An instruction counts in each class it belongs to, so an
/// `addsd xmm0, [mem]` is `fp_scalar` and `load`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the names are the classes")]
pub struct InstructionMix {
    pub fp_scalar: u32,
    pub fp_vector: u32,
    pub int_vector: u32,
    /// Scalar integer arithmetic and logic that is not address or loop control overhead.
    pub integer: u32,
    pub load: u32,
    pub store: u32,
    pub branch: u32,
    pub call: u32,
    pub shuffle: u32,
    pub conversion: u32,
    pub divide: u32,
    pub square_root: u32,
    pub fma: u32,
    pub moves: u32,
    pub other: u32,
    /// Of the floating-point arithmetic: multiplications on their own.
    pub fp_multiply: u32,
}

/// How a loop's arithmetic uses vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorUse {
    /// Highest instruction-set level of the packed arithmetic.
    pub isa: Isa,
    /// Widest register of the packed arithmetic, in bits.
    pub bits: u32,
    /// Elements per vector operation (bits / size of the dominant element type).
    pub length: u32,
    /// How many vectors of one source operation a machine iteration processes (1 = not unrolled).
    pub unroll: u32,
    /// Element types of the arithmetic, dominant first.
    pub types: Vec<ElementType>,
    /// Packed arithmetic instructions / all arithmetic instructions, 0..=1.
    pub packed_share: f64,
}

/// The role of a machine loop within its source loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoopRole {
    /// The only machine loop of its source loop.
    Whole,
    /// The vector (or unrolled) main body.
    Body,
    /// Runs before the body until the data is aligned.
    Peel,
    /// Runs the iterations that do not fill the body (scalar, or a narrower vector epilogue).
    Remainder,
    /// A version kept for when run-time checks (aliasing, stride, alignment) fail.
    Version,
}

/// What carries a value from one iteration to the next. Written as its name alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Carrier {
    /// A register, in assembler spelling.
    Register(String),
    /// A place in memory: `[rbp-0x8]`.
    Memory(String),
}

impl Carrier {
    /// The register, or the place in memory.
    pub fn name(&self) -> &str {
        match self {
            Self::Register(name) | Self::Memory(name) => name,
        }
    }
}

impl From<String> for Carrier {
    /// Places in memory are in brackets, or are numbered where their address is not known: `mem0`, `mem1`, ...
    fn from(name: String) -> Self {
        let in_memory = name.starts_with('[') || name.starts_with("mem");
        if in_memory { Self::Memory(name) } else { Self::Register(name) }
    }
}

impl From<Carrier> for String {
    fn from(carrier: Carrier) -> Self {
        match carrier {
            Carrier::Register(name) | Carrier::Memory(name) => name,
        }
    }
}

/// A loop-carried dependence chain through a register or a place in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CarriedChain {
    /// Register, in assembler spelling, or place in memory.
    #[serde(rename = "register")]
    pub carrier: Carrier,
    /// Instructions of the chain within one iteration, by address.
    pub instructions: Vec<u64>,
    /// Shortest latency of the chain per machine iteration, in cycles: of a typical current core as the binary is read; joined with a machine whose core is known, of that core.
    pub latency_cycles: u32,
    /// The kind of chain.
    pub kind: ChainKind,
    /// Each step takes the smaller or larger of two values, instead of a sum or product of them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub chooses: bool,
}

/// The kind of a carried register chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainKind {
    /// A counter or pointer advanced by a constant.
    Induction,
    /// Floating-point sum/product/min/max accumulated one element after another in one scalar register.
    InOrderSum,
    /// Packed floating-point reduction (one partial result per lane).
    VectorReduction,
    /// Integer reduction.
    IntegerReduction,
    /// The address of the next load comes from this load: a pointer chase.
    PointerChase,
    /// Any other recurrence.
    Recurrence,
}

/// A register, or a place in memory whose address does not change in the loop, whose value a later iteration
/// reads before it writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CarriedValue {
    /// Register or memory operand, in assembler spelling.
    pub place: String,
    /// The place is in memory.
    pub memory: bool,
    /// The kind; `recurrence` for all that is neither induction nor reduction.
    pub kind: CarriedKind,
    /// Reductions: `+`, `*`, `min`, `max`, `&`, `|`, `^`, or `min/max` where the code does not show which.
    pub operation: Option<String>,
    /// Works on floating-point numbers.
    pub floating: bool,
    /// Machine iterations until the value comes back to this place: 1, or the number of registers that it rotates
    /// through.
    pub distance: u32,
    /// Inductions: the advance per iteration, where one instruction adds a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<i64>,
    /// How often the least frequent kind of arithmetic is applied to it: copies of one statement of an unrolled loop.
    pub copies: u32,
    /// Instructions that write the place.
    pub writers: Vec<u64>,
    /// Instructions that read the carried value, or a value computed from it.
    pub readers: Vec<u64>,
}

impl CarriedValue {
    /// The instruction writes the place, or reads it.
    pub fn touched_by(&self, address: u64) -> bool {
        self.writers.contains(&address) || self.readers.contains(&address)
    }
}

/// The kind of a carried value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CarriedKind {
    /// A counter or pointer that every iteration advances by the same amount.
    Induction,
    /// Accumulates by an operation that may be done in any order; nothing else reads it.
    Reduction,
    /// The address of the next load comes from this one.
    PointerChase,
    /// A later iteration computes with what an earlier one has computed.
    #[default]
    Recurrence,
    /// The earlier iteration's value is used, but the value carried on does not depend on it.
    Forwarded,
    /// The code does not show which kind it is.
    Unclear,
}

/// Exits of a loop whose condition does not count iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopEnds {
    /// Exit branches whose condition uses values loaded or computed in the loop.
    pub data: Vec<u64>,
    /// Branches whose condition could not be followed.
    pub unclear: Vec<u64>,
}

/// Everything known from the binary about one machine loop. Instruction statistics are those of the loop's
/// own blocks: blocks of inner loops are excluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopCode {
    /// Index of this loop in its function's list.
    pub index: u32,
    /// Address of the header block.
    pub header: u64,
    /// Own and inner blocks as sorted, disjoint `[start, end)` ranges.
    pub ranges: Vec<(u64, u64)>,
    /// Index of the enclosing loop.
    pub parent: Option<u32>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Has no inner loop.
    pub innermost: bool,
    /// Source position of the loop as written (the `for` line where DWARF states it).
    pub location: Option<SourceLocation>,
    /// Smallest and largest source line of own instructions in `location.file`.
    pub lines: Option<(u32, u32)>,
    /// Inlining chain from the innermost inlined function outwards; empty when not inlined.
    pub inlined_from: Vec<InlineFrame>,
    /// Role in the source loop.
    pub role: LoopRole,
    /// Loops of one source loop in one function share this number.
    pub group: u32,
    /// Own instructions.
    pub instructions: u32,
    /// Own instructions by class.
    pub mix: InstructionMix,
    /// Arithmetic is packed across iterations (design: most of the arithmetic is packed; floating-point
    /// decides where there is any, else integer).
    pub vectorized: bool,
    /// Present when any own arithmetic is packed.
    pub vector: Option<VectorUse>,
    /// Element types of all own arithmetic, dominant first (scalar loops too).
    pub types: Vec<ElementType>,
    /// Traits, sorted.
    pub traits: Vec<Trait>,
    /// Calls in own blocks.
    pub calls: Vec<CallSite>,
    /// Edges that leave the loop.
    pub exits: u32,
    /// Register chains carried by the back edge (induction variables included).
    pub chains: Vec<CarriedChain>,
    /// Values carried in registers and invariant memory, of own and inner blocks together; absent when they
    /// were not analysed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub carried: Option<Vec<CarriedValue>>,
    /// Exits that are not counted; absent when they were not analysed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ends: Option<LoopEnds>,
    /// Instructions that access a variable of the frame which `carried` lists: nothing else is carried there.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub followed: Vec<u64>,
    /// Stores that leave the value of a counter in a variable of the frame, for a called function that takes its address: every
    /// iteration can compute it itself.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub counter_stores: Vec<u64>,
    /// The stack pointer is the same after each iteration as before it: nothing below it outlives an iteration.
    #[serde(default)]
    pub keeps_stack: bool,
    /// Memory operands of innermost loops, by instruction, in classes: the addresses of two operands of one
    /// class differ by a constant of the code.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub address_classes: Vec<(u64, u32)>,
    /// The trip count when it is a constant in the code.
    pub constant_trips: Option<u64>,
    /// Distinct bytes loaded and stored by one machine iteration of own blocks (an upper bound when
    /// blocks are conditional): static sums of operand sizes.
    pub bytes_loaded: u32,
    /// See `bytes_loaded`.
    pub bytes_stored: u32,
    /// Static FLOP of one machine iteration by type (FMA counts two, packed counts lanes).
    pub flop: BTreeMap<ElementType, u32>,
    /// Strides in bytes per machine iteration of memory operands, where the addressing follows an
    /// induction variable.
    pub strides: Vec<StaticStride>,
    /// Loads of addresses, and divisions by invariant divisors.
    #[serde(skip_serializing_if = "OperandUse::is_none", default)]
    pub operands: OperandUse,
    /// The loop only fills or copies memory: it reimplements `memset`, `memcpy` or `memmove`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idiom: Option<Idiom>,
}

/// Counts of operands that come from loaded addresses, invariant divisors or single bits, and of branches by what their conditions
/// are made of (own instructions, static).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OperandUse {
    /// Loads whose value is the address of a later access of the same iteration: rows of a pointer array.
    pub address_loads: u32,
    /// Floating-point divisions by a value that is the same in every iteration.
    pub invariant_divisors: u32,
    /// Shifts by one bit of a value that the loop changes.
    pub bit_shifts: u32,
    /// Tests and masks of a single bit of a value that the loop changes.
    pub bit_tests: u32,
    /// Bits that are put behind those of before in a value that the loop changes: `v = 2 * v + bit`.
    pub appended_bits: u32,
    /// Branches inside an iteration whose condition consists of counters and of values that the loop does not change: tests
    /// of the position.
    pub position_tests: u32,
    /// Branches inside an iteration on anything else: loaded or computed data.
    pub data_tests: u32,
    /// Stores of vector registers to the stack that the loop loads again.
    pub spilled_vectors: u32,
}

impl OperandUse {
    /// All counts are zero.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// An affine memory operand seen in the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StaticStride {
    /// Instruction.
    pub address: u64,
    /// Bytes between two consecutive machine iterations; 0 = uniform.
    pub bytes: i64,
    /// Operand size in bytes.
    pub size: u32,
    /// A store (else a load).
    pub store: bool,
    /// Line in the loop's file: of the instruction, or of the call that was inlined there; 0 when unknown.
    pub line: u32,
}

/// A loop that a library call could replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the library functions")]
pub enum Idiom {
    Memset,
    Memcpy,
}

/// A strongly connected region with more than one entry: a cycle that is not a natural loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IrreducibleRegion {
    /// Entry addresses.
    pub entries: Vec<u64>,
    /// Blocks as sorted `[start, end)` ranges.
    pub ranges: Vec<(u64, u64)>,
}

/// One decoded instruction, for source and assembly views.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionLine {
    /// Address.
    pub address: u64,
    /// Text in Intel syntax.
    pub text: String,
    /// Index into `FunctionCode::files`; absent without line information.
    pub file: Option<u32>,
    /// Source line; 0 when unknown.
    pub line: u32,
    /// Column, 1-based; 0 when unknown.
    #[serde(default)]
    pub column: u32,
    /// Index of the innermost loop that holds it.
    pub in_loop: Option<u32>,
}

/// A source place in one inlined copy: instructions of one place do the same work of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SourcePlace {
    /// Index into `FunctionCode::files`.
    pub file: u32,
    /// Line.
    pub line: u32,
    /// Column, 1-based; 0 when unknown.
    pub column: u32,
    /// Number of the inlining chain; 0 is that of the function's first instruction, as a rule its own code.
    pub chain: u32,
    /// Number of functions inlined into each other there; 0 in the function's own code.
    pub depth: u32,
}

/// What a [`SourceOperation`] does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the operations")]
pub enum SourceKind {
    /// Additions and subtractions.
    #[default]
    Add,
    Multiply,
    Divide,
    SquareRoot,
    MinMax,
    /// Counted in bytes.
    Load,
    /// Counted in bytes.
    Store,
}

/// Work that one instruction does for its place in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceOperation {
    /// Instruction.
    pub address: u64,
    /// Index into `FunctionCode::places`.
    pub place: u32,
    /// The kind of work; a fused multiply-add does two kinds, each listed.
    pub kind: SourceKind,
    /// Elements of one execution; bytes for loads and stores.
    pub amount: u32,
    /// Bytes of one element, where the instruction names it: 0 for moves of whole vectors.
    pub element: u32,
    /// Several elements at once.
    pub packed: bool,
    /// Works on floating-point numbers.
    pub floating: bool,
    /// Works on general registers.
    pub general: bool,
    /// Some lanes are switched off, or may be.
    pub masked: bool,
    /// Runs in every iteration of its loop.
    pub always: bool,
    /// Index of the innermost loop that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_loop: Option<u32>,
}

/// One function, analysed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionCode {
    /// Name and bounds.
    pub function: FunctionInfo,
    /// Where the function is defined.
    pub location: Option<SourceLocation>,
    /// The compiler's own description of itself (`DW_AT_producer`, or `.comment`).
    pub producer: Option<String>,
    /// The compilation unit that the code comes from, for asking its compiler again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<UnitFacts>,
    /// Loops, outer before inner, in address order of headers.
    pub loops: Vec<LoopCode>,
    /// Cycles that are not natural loops.
    pub irreducible: Vec<IrreducibleRegion>,
    /// Indirect jumps whose targets could not be found: the control flow may be incomplete.
    pub unresolved_jumps: Vec<u64>,
    /// Files that `instructions` refer to.
    pub files: Vec<String>,
    /// The listing.
    pub instructions: Vec<InstructionLine>,
    /// Places that `operations` refer to.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub places: Vec<SourcePlace>,
    /// Arithmetic and memory accesses of loops, and of other code of the same places, by address.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operations: Vec<SourceOperation>,
    /// Code of inlined functions, and lines of calls.
    #[serde(skip_serializing_if = "InlinedCode::is_none", default)]
    pub inlined: InlinedCode,
    /// Instructions that may store and are not listed as operations; absent where they were not analysed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_stores: Option<OtherStores>,
}

/// Instructions that may store to memory that a program sees, and are not listed as operations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OtherStores {
    /// The instructions, sorted by address.
    pub list: Vec<OtherStore>,
    /// Memory of the frame is accessed other than through its variables: an array may be there.
    pub frame_is_indexed: bool,
}

/// An instruction that may store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherStore {
    /// Instruction.
    pub address: u64,
    /// Its line; 0 when unknown.
    pub line: u32,
    /// The kind of instruction.
    pub kind: OtherStoreKind,
    /// Index of the innermost loop that holds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub in_loop: Option<u32>,
}

/// The kind of an instruction that may store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherStoreKind {
    /// A call of a function that fills or copies memory, or of an unknown function.
    Call,
    /// A string instruction that repeats.
    Repeated,
    /// A store into the frame.
    Frame,
}

impl FunctionCode {
    /// The innermost loop that holds `address`.
    pub fn loop_at(&self, address: u64) -> Option<&LoopCode> {
        let at = self.instructions.partition_point(|i| i.address <= address);
        let line = self.instructions.get(at.checked_sub(1)?)?;
        self.loops.get(line.in_loop? as usize)
    }
}

/// Facts about a module as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleFacts {
    /// Path as mapped.
    pub path: String,
    /// Build id in hexadecimal.
    pub build_id: Option<String>,
    /// Function symbols exist (`.symtab`, here or in a debug file).
    pub has_symbols: bool,
    /// Line tables exist (here or in a debug file).
    pub has_lines: bool,
    /// Where separate debug information was found.
    pub debug_file: Option<String>,
    /// Position-independent.
    pub pie: bool,
    /// Statically linked executable.
    pub static_linked: bool,
    /// Compilers with their flags, as recorded (`DW_AT_producer`, `.comment`), most frequent first.
    pub producers: Vec<String>,
    /// Directory and name of compilation units with each producer index, for asking the compiler again.
    pub units: Vec<UnitFacts>,
    /// `DT_NEEDED` names.
    pub needed: Vec<String>,
    /// What could not be read.
    pub warnings: Vec<Warning>,
    /// Variables that hold traced operands, sorted by address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableInfo>,
}

/// A variable with a fixed address.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct VariableInfo {
    /// Name as in the source.
    pub name: String,
    /// ELF address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
}

/// One compilation unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitFacts {
    /// Source file as recorded.
    pub name: String,
    /// Compilation directory.
    pub directory: String,
    /// Index into `ModuleFacts::producers`.
    pub producer: u32,
    /// Language (`C`, `C++`, `Fortran`, `Rust`, ...).
    pub language: String,
    /// Names of its variables, members and functions that are complex numbers or vectors, or refer to such types: one
    /// operator of the source works on several elements there. Absent when its types were not analysed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compound_numbers: Option<Vec<String>>,
}
