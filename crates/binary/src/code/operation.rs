//! What one instruction does: arithmetic or movement, on which element type, packed or scalar.
//!
//! The mnemonics of the vector extensions are regular (Intel SDM volume 2): an optional `v`, a stem, and
//! a suffix that names the element (`ps`, `sd`, `b`..`q`). Classifying by stem and suffix covers the VEX
//! and EVEX forms, and later extensions that keep the scheme, without a list of thousands of opcodes.

use crate::facts::{ElementType, Isa};
use iced_x86::{CpuidFeature, Instruction, Mnemonic, OpKind};
use std::sync::OnceLock;

/// What an instruction does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the operations")]
pub enum Class {
    Add,
    Multiply,
    Divide,
    SquareRoot,
    MinMax,
    Compare,
    /// Fused multiply-add, of any sign.
    Fma,
    /// Approximate reciprocal (square root).
    Reciprocal,
    /// Sums or products across the lanes of one register (`haddps`, `dpps`, `phaddd`).
    Horizontal,
    /// Rounding, absolute values, averages, bit counts, transcendental x87: one result per element.
    Unary,
    Shift,
    /// Bitwise logic: its meaning (absolute value, selection) and width follow from its operands.
    Logic,
    Convert,
    Shuffle,
    Broadcast,
    Insert,
    Extract,
    Blend,
    Gather,
    Scatter,
    Compress,
    Expand,
    /// Moves of registers or memory, any width.
    Move,
    /// Moves of opmask registers and between masks and vectors; their logic.
    Mask,
    /// `cmov*`, `set*`.
    Select,
    Lea,
    Stack,
    Branch,
    Call,
    Return,
    StringOp,
    Crypto,
    Prefetch,
    Nop,
    Other,
}

/// An instruction's class and element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub class: Class,
    /// The type it works on, where the mnemonic or operand size shows it.
    pub element: Option<ElementType>,
    /// Several elements at once (as encoded; see `lanes` for what is really in use).
    pub packed: bool,
    /// Works on vector (or MMX) registers or their contents.
    pub vector: bool,
}

/// A string instruction that repeats itself (`rep movsq`).
pub fn repeats(i: &Instruction) -> bool {
    i.is_string_instruction() && (i.has_rep_prefix() || i.has_repne_prefix())
}

impl Operation {
    /// Classifies an instruction.
    pub fn of(i: &Instruction) -> Self {
        // `movsd` and `cmpsd` name string instructions too.
        if i.is_string_instruction() {
            return Self { class: Class::StringOp, element: None, packed: false, vector: false };
        }
        let mut operation = by_mnemonic(i.mnemonic());
        if operation.class == Class::Insert && i.op0_kind() == OpKind::Memory {
            // `movlps [mem], x` stores the low half, `movhps` the high one.
            let low = matches!(
                i.mnemonic(),
                Mnemonic::Movlps | Mnemonic::Movlpd | Mnemonic::Vmovlps | Mnemonic::Vmovlpd
            );
            operation.class = if low { Class::Move } else { Class::Extract };
        }
        if operation.vector || operation.class == Class::Mask {
            return operation;
        }
        operation.element = match operation.element {
            None if is_arithmetic_class(operation.class) => integer_of(operand_size(i)),
            known => known,
        };
        operation
    }

    /// Whether this computes new numbers, and does not only move or compare for control.
    pub fn is_arithmetic(&self) -> bool {
        is_arithmetic_class(self.class)
    }

    /// Whether it works on floating-point numbers.
    pub fn is_float(&self) -> bool {
        self.element.is_some_and(ElementType::is_float)
    }

    /// Floating-point operations per element: what "FLOP" counts. Comparisons, conversions, signs and
    /// moves count nothing, a fused multiply-add two, as in the usual roofline practice.
    pub fn flop_per_element(&self) -> u32 {
        match self.class {
            _ if !self.is_float() => 0,
            Class::Fma => 2,
            Class::Add | Class::Multiply | Class::Divide | Class::SquareRoot | Class::MinMax => 1,
            Class::Reciprocal | Class::Horizontal => 1,
            _ => 0,
        }
    }
}

fn is_arithmetic_class(class: Class) -> bool {
    matches!(
        class,
        Class::Add
            | Class::Multiply
            | Class::Divide
            | Class::SquareRoot
            | Class::MinMax
            | Class::Compare
            | Class::Fma
            | Class::Reciprocal
            | Class::Horizontal
            | Class::Unary
            | Class::Shift
            | Class::Logic
            | Class::Convert
    )
}

fn operand_size(i: &Instruction) -> usize {
    match i.op0_kind() {
        OpKind::Register => i.op0_register().size(),
        OpKind::Memory => i.memory_size().size(),
        _ => 0,
    }
}

fn integer_of(bytes: usize) -> Option<ElementType> {
    match bytes {
        1 => Some(ElementType::I8),
        2 => Some(ElementType::I16),
        4 => Some(ElementType::I32),
        8 => Some(ElementType::I64),
        _ => None,
    }
}

/// The instruction-set level that an instruction needs.
pub fn isa_of(i: &Instruction) -> Isa {
    i.cpuid_features().iter().map(|&f| isa_of_feature(f)).max().unwrap_or(Isa::X86)
}

fn isa_of_feature(feature: CpuidFeature) -> Isa {
    use CpuidFeature as F;
    match feature {
        F::FPU | F::FPU287 | F::FPU387 => Isa::X87,
        F::MMX => Isa::MMX,
        F::SSE => Isa::SSE,
        F::SSE2 => Isa::SSE2,
        F::SSE3 => Isa::SSE3,
        F::SSSE3 => Isa::SSSE3,
        F::SSE4_1 => Isa::SSE41,
        F::SSE4_2 => Isa::SSE42,
        F::AVX => Isa::AVX,
        F::F16C => Isa::F16C,
        F::FMA => Isa::FMA,
        F::AVX2 => Isa::AVX2,
        F::AVX512F | F::AVX512VL => Isa::AVX512F,
        F::AVX512CD => Isa::AVX512CD,
        F::AVX512DQ => Isa::AVX512DQ,
        F::AVX512BW => Isa::AVX512BW,
        f => {
            let name = format!("{f:?}");
            if name.starts_with("AVX512") {
                Isa::AVX512X
            } else if name.starts_with("AMX") {
                Isa::AMX
            } else {
                Isa::X86
            }
        }
    }
}

/// The mnemonic in lower case.
pub fn name(mnemonic: Mnemonic) -> &'static str {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let names =
        NAMES.get_or_init(|| Mnemonic::values().map(|m| format!("{m:?}").to_ascii_lowercase()).collect());
    names.get(mnemonic as usize).map_or("", String::as_str)
}

/// One classification per mnemonic, made on first use.
fn by_mnemonic(mnemonic: Mnemonic) -> Operation {
    static TABLE: OnceLock<Vec<Operation>> = OnceLock::new();
    let table = TABLE.get_or_init(|| Mnemonic::values().map(|m| classify(name(m))).collect());
    table.get(mnemonic as usize).copied().unwrap_or(scalar(Class::Other))
}

fn scalar(class: Class) -> Operation {
    Operation { class, element: None, packed: false, vector: false }
}

fn packed(class: Class, element: Option<ElementType>) -> Operation {
    Operation { class, element, packed: true, vector: true }
}

/// Classifies a mnemonic by its name.
fn classify(name: &str) -> Operation {
    if let Some(operation) = general_purpose(name) {
        return operation;
    }
    let stem = name.strip_prefix('v').unwrap_or(name);
    moves(stem)
        .or_else(|| conversion(stem))
        .or_else(|| floating_point(stem))
        .or_else(|| packed_integer(stem))
        .or_else(|| x87(name))
        .unwrap_or(scalar(Class::Other))
}

fn general_purpose(name: &str) -> Option<Operation> {
    use Class as C;
    let class = match name {
        "add" | "adc" | "adcx" | "adox" | "sub" | "sbb" | "inc" | "dec" | "neg" | "xadd" => C::Add,
        "imul" | "mul" | "mulx" => C::Multiply,
        "idiv" | "div" => C::Divide,
        "and" | "or" | "xor" | "not" | "andn" | "bts" | "btr" | "btc" => C::Logic,
        "shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "rcl" | "rcr" | "shld" | "shrd" | "shlx" | "shrx"
        | "sarx" | "rorx" => C::Shift,
        "bextr" | "bzhi" | "pext" | "pdep" | "blsi" | "blsr" | "blsmsk" | "popcnt" | "lzcnt" | "tzcnt"
        | "bsf" | "bsr" | "bswap" => C::Unary,
        "cmp" | "test" | "bt" => C::Compare,
        "lea" => C::Lea,
        "mov" | "movzx" | "movsx" | "movsxd" | "movbe" | "cbw" | "cwde" | "cdqe" | "cwd" | "cdq" | "cqo"
        | "xchg" | "cmpxchg" | "movnti" => C::Move,
        "push" | "pop" | "leave" | "enter" | "pushfq" | "popfq" => C::Stack,
        "nop" | "endbr64" | "pause" | "fnop" | "reservednop" => C::Nop,
        "ret" | "retf" | "iretq" => C::Return,
        "call" => C::Call,
        "jmp" => C::Branch,
        "crc32" => C::Crypto,
        n if n.starts_with("prefetch") => C::Prefetch,
        n if n.starts_with("cmov") || n.starts_with("set") && n != "setssbsy" => C::Select,
        n if n.starts_with('j') || n.starts_with("loop") => C::Branch,
        n if n.starts_with("aes")
            || n.starts_with("vaes")
            || n.starts_with("sha") && n[3..].starts_with(['1', '2', '5']) =>
        {
            C::Crypto
        }
        n if n.contains("clmul") || n.contains("gf2p8") || n.starts_with("vsm3") || n.starts_with("vsm4") => {
            C::Crypto
        }
        n if is_mask_name(n) => C::Mask,
        _ => return None,
    };
    Some(Operation { vector: class == C::Crypto && name != "crc32", ..scalar(class) })
}

/// `kandw`, `kmovq`, `kortestb`, ...
fn is_mask_name(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('k') else { return false };
    ["add", "and", "mov", "not", "or", "shift", "test", "unpck", "xnor", "xor"]
        .iter()
        .any(|s| rest.starts_with(s))
}

/// Moves and rearrangements, named without arithmetic meaning.
fn moves(stem: &str) -> Option<Operation> {
    use Class as C;
    use ElementType as E;
    let scalar_move = |e| Some(Operation { class: C::Move, element: e, packed: false, vector: true });
    Some(match stem {
        "movss" => return scalar_move(Some(E::F32)),
        "movsd" => return scalar_move(Some(E::F64)),
        "movsh" => return scalar_move(Some(E::F16)),
        "movd" | "movq" | "movw" | "movdq2q" | "movq2dq" => return scalar_move(None),
        "movhps" | "movlps" | "movhpd" | "movlpd" | "movhlps" | "movlhps" => packed(C::Insert, None),
        "movddup" | "movshdup" | "movsldup" => packed(C::Shuffle, None),
        "movmskps" | "movmskpd" | "pmovmskb" => packed(C::Extract, None),
        "lddqu" | "maskmovdqu" | "maskmovq" => packed(C::Move, None),
        "cmpxchg8b" | "cmpxchg16b" => scalar(C::Other),
        s if s.starts_with("movap")
            || s.starts_with("movup")
            || s.starts_with("movdq")
            || s.starts_with("movnt") =>
        {
            packed(C::Move, None)
        }
        s if s.starts_with("maskmov") || s.starts_with("pmaskmov") => packed(C::Move, None),
        s if s.starts_with("pmovm2") || s.starts_with("pmov") && s.ends_with("2m") => scalar(C::Mask),
        s if s.starts_with("gather") || s.starts_with("pgather") => packed(C::Gather, gather_element(s)),
        s if s.starts_with("scatter") || s.starts_with("pscatter") => packed(C::Scatter, gather_element(s)),
        s if s.starts_with("broadcast") || s.starts_with("pbroadcast") => packed(C::Broadcast, None),
        s if s.starts_with("compress") || s.starts_with("pcompress") => packed(C::Compress, None),
        s if s.starts_with("expand") || s.starts_with("pexpand") => packed(C::Expand, None),
        s if s.starts_with("insert") || s.starts_with("pinsr") => packed(C::Insert, None),
        s if s.starts_with("extract") || s.starts_with("pextr") => packed(C::Extract, None),
        s if s.starts_with("blend") || s.starts_with("pblend") => packed(C::Blend, None),
        s if s.starts_with("unpck")
            || s.starts_with("punpck")
            || s.starts_with("shuf")
            || s.starts_with("pshuf") =>
        {
            packed(C::Shuffle, None)
        }
        s if s.starts_with("perm")
            || s.starts_with("pack")
            || s.starts_with("palign")
            || s.starts_with("align") =>
        {
            packed(C::Shuffle, None)
        }
        "pslldq" | "psrldq" => packed(C::Shuffle, None),
        "psadbw" | "mpsadbw" | "dbpsadbw" => packed(C::Add, Some(E::I8)),
        _ => return None,
    })
}

fn gather_element(stem: &str) -> Option<ElementType> {
    match stem.strip_prefix('p') {
        Some(s) if s.ends_with('q') => Some(ElementType::I64),
        Some(_) => Some(ElementType::I32),
        None if stem.ends_with("pd") => Some(ElementType::F64),
        None => Some(ElementType::F32),
    }
}

/// `cvt<from>2<to>`, `pmovsx<from><to>`, `pmov<from><to>`.
fn conversion(stem: &str) -> Option<Operation> {
    let element = |token: &str| match token.trim_end_matches('x') {
        "ps" | "ss" => Some(ElementType::F32),
        "pd" | "sd" => Some(ElementType::F64),
        "ph" | "sh" => Some(ElementType::F16),
        _ if token.contains("bf16") => Some(ElementType::Bf16),
        _ => None,
    };
    if let Some(rest) = stem.strip_prefix("cvt") {
        let rest = rest.trim_start_matches("ne").trim_start_matches('t');
        let (from, to) = rest.split_once('2')?;
        let is_scalar = [from, to].iter().any(|t| matches!(*t, "ss" | "sd" | "sh" | "si" | "usi"));
        let element = element(to).or_else(|| element(from));
        return Some(Operation { class: Class::Convert, element, packed: !is_scalar, vector: true });
    }
    let tail = stem.strip_prefix("pmov")?;
    let to = tail.bytes().last()?;
    let element = integer_suffix(to);
    Some(packed(Class::Convert, element))
}

fn integer_suffix(letter: u8) -> Option<ElementType> {
    match letter {
        b'b' => Some(ElementType::I8),
        b'w' => Some(ElementType::I16),
        b'd' => Some(ElementType::I32),
        b'q' => Some(ElementType::I64),
        _ => None,
    }
}

fn floating_point(stem: &str) -> Option<Operation> {
    use Class as C;
    use ElementType as E;
    // Multiplies pairs and adds them to a third operand: two multiply-adds of bf16 in each f32 lane.
    if stem == "dpbf16ps" {
        return Some(packed(C::Fma, Some(E::Bf16)));
    }
    const SUFFIXES: &[(&str, ElementType, bool)] = &[
        ("pbf16", E::Bf16, true),
        ("bf16", E::Bf16, true),
        ("ps", E::F32, true),
        ("pd", E::F64, true),
        ("ph", E::F16, true),
        ("ss", E::F32, false),
        ("sd", E::F64, false),
        ("sh", E::F16, false),
    ];
    let (root, &(_, element, packed)) = SUFFIXES.iter().find_map(|s| Some((stem.strip_suffix(s.0)?, s)))?;
    let root = root.trim_end_matches(|c: char| c.is_ascii_digit());
    let class = match root {
        "add" | "sub" | "addsub" => C::Add,
        "mul" | "fmulc" | "fcmulc" | "scalef" => C::Multiply,
        "div" => C::Divide,
        "sqrt" => C::SquareRoot,
        "min" | "max" | "range" | "minmax" => C::MinMax,
        "cmp" | "comi" | "ucomi" | "comx" | "ucomx" | "test" | "fpclass" => C::Compare,
        "rcp" | "rsqrt" => C::Reciprocal,
        "hadd" | "hsub" | "dp" => C::Horizontal,
        "and" | "andn" | "or" | "xor" => C::Logic,
        "round" | "rndscale" | "reduce" | "getexp" | "getmant" | "fixupimm" | "exp" => C::Unary,
        r if r.starts_with("fm")
            || r.starts_with("fnm")
            || r.starts_with("4fm")
            || r.starts_with("4fnm")
            || r == "fcmaddc" =>
        {
            C::Fma
        }
        _ => return None,
    };
    Some(Operation { class, element: Some(element), packed, vector: true })
}

fn packed_integer(stem: &str) -> Option<Operation> {
    use Class as C;
    let rest = stem.strip_prefix('p')?;
    let suffix = rest.bytes().last().and_then(integer_suffix);
    let (class, element) = match rest {
        "and" | "andn" | "or" | "xor" | "andd" | "andq" | "andnd" | "andnq" | "ord" | "orq" | "xord"
        | "xorq" | "ternlogd" | "ternlogq" => (C::Logic, None),
        "test" => (C::Compare, None),
        r if r.starts_with("cmpestr") || r.starts_with("cmpistr") => (C::Compare, Some(ElementType::I8)),
        r if r.starts_with("cmp")
            || r.starts_with("testm")
            || r.starts_with("testnm")
            || r.starts_with("com") =>
        {
            (C::Compare, suffix)
        }
        r if r.starts_with("hadd") || r.starts_with("hsub") || r.starts_with("hminpos") => {
            (C::Horizontal, suffix)
        }
        r if r.starts_with("add") || r.starts_with("sub") => (C::Add, suffix),
        r if r.starts_with("madd52") => (C::Fma, Some(ElementType::I64)),
        r if r.starts_with("dp") => {
            (C::Fma, Some(if r.contains('b') { ElementType::I8 } else { ElementType::I16 }))
        }
        r if r.starts_with("mul") || r.starts_with("madd") => (C::Multiply, suffix),
        r if r.starts_with("min") || r.starts_with("max") => (C::MinMax, suffix),
        r if r.starts_with("sll")
            || r.starts_with("srl")
            || r.starts_with("sra")
            || r.starts_with("sh")
            || r.starts_with("ro") =>
        {
            (C::Shift, suffix)
        }
        r if ["abs", "avg", "sign", "lzcnt", "popcnt", "conflict", "multishift"]
            .iter()
            .any(|s| r.starts_with(s)) =>
        {
            (C::Unary, suffix)
        }
        _ => return None,
    };
    Some(packed(class, element))
}

fn x87(name: &str) -> Option<Operation> {
    use Class as C;
    let rest = name.strip_prefix('f')?;
    let class = match rest {
        "add" | "addp" | "iadd" | "sub" | "subp" | "subr" | "subrp" | "isub" | "isubr" => C::Add,
        "mul" | "mulp" | "imul" => C::Multiply,
        "div" | "divp" | "divr" | "divrp" | "idiv" | "idivr" => C::Divide,
        "sqrt" => C::SquareRoot,
        "com" | "comp" | "compp" | "comi" | "comip" | "ucom" | "ucomp" | "ucompp" | "ucomi" | "ucomip"
        | "icom" | "icomp" | "tst" | "xam" => C::Compare,
        "abs" | "chs" => C::Logic,
        "rndint" | "sin" | "cos" | "sincos" | "ptan" | "patan" | "2xm1" | "yl2x" | "yl2xp1" | "scale"
        | "prem" | "prem1" | "xtract" => C::Unary,
        r if r.starts_with("ld")
            || r.starts_with("st")
            || r.starts_with("ild")
            || r.starts_with("ist")
            || r.starts_with("xch")
            || r.starts_with("cmov") =>
        {
            C::Move
        }
        _ => return None,
    };
    Some(Operation { class, element: Some(ElementType::F80), packed: false, vector: false })
}
