//! The memory operands of an instruction, and the data that must be recorded to know which bytes each
//! execution accesses.
//!
//! Explicit operands and those of string instructions are recorded. The stack accesses of `push`, `pop`,
//! `call` and `ret` are not: they stay in the first-level cache and carry nothing between iterations.

use iced_x86::{Instruction, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind, Register};
use loopwright_binary::code::{bypasses_caches, gathered_lanes, touches_nothing};
use loopwright_patterns::facts::AccessKind;

/// How the bytes that an operand accesses follow from its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One word: the address.
    Plain,
    /// The address, and a mask register with a bit for each element.
    Masked { mask: Register },
    /// The address, and a vector whose elements' highest bits switch lanes.
    VectorMasked {
        /// The vector register.
        mask: Register,
    },
    /// The base address, the index vector, and the mask, if there is one.
    Gathered {
        /// The mask register or vector.
        mask: Register,
        /// Bytes of one index.
        index_bytes: u32,
        /// The factor of an index.
        scale: u32,
    },
    /// The address in a register and the number of repetitions (1 without a prefix).
    Repeated {
        /// rsi or rdi.
        register: Register,
        /// It has a repeat prefix.
        repeats: bool,
    },
}

impl Form {
    /// 64-bit words that it takes in a record.
    pub fn words(self, index: Register) -> u32 {
        let vector = |r: Register| (r.size() / 8) as u32;
        match self {
            Self::Plain => 1,
            Self::Masked { .. } | Self::Repeated { .. } => 2,
            Self::VectorMasked { mask } => 1 + vector(mask),
            Self::Gathered { mask, .. } => 1 + vector(index) + mask_words(mask),
        }
    }
}

/// Words that a mask takes.
pub fn mask_words(mask: Register) -> u32 {
    match mask {
        Register::None => 0,
        k if k.is_k() => 1,
        vector => (vector.size() / 8) as u32,
    }
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Number in the instruction: 0, or 1 for the destination of a string move.
    pub number: u8,
    /// The form of its record.
    pub form: Form,
    /// The kind of access.
    pub kind: AccessKind,
    /// Bytes of the whole operand; 0 where they vary.
    pub size: u32,
    /// Bytes of an element.
    pub element: u32,
    /// Lanes with separate addresses.
    pub lanes: u32,
    /// It bypasses the caches.
    pub streaming: bool,
    /// It has a lock prefix, or is an exchange.
    pub atomic: bool,
    /// It is at a fixed place in the frame.
    pub frame: bool,
}

/// The operands of `i` that are recorded.
pub fn operands(factory: &mut InstructionInfoFactory, i: &Instruction) -> Vec<Operand> {
    if i.is_string_instruction() {
        return string_operands(i);
    }
    let explicit = (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
    if !explicit || touches_nothing(i) {
        return Vec::new();
    }
    let gathers = i.is_vsib();
    let (mut reads, mut writes, mut conditional) = (false, false, false);
    for used in factory.info(i).used_memory() {
        // The stack access of `push [mem]` is a separate one. An address relative to the instruction pointer
        // is listed as an absolute one, without a base.
        let base = if i.is_ip_rel_memory_operand() { Register::None } else { i.memory_base() };
        if !gathers && (used.base() != base || used.index() != i.memory_index()) {
            continue;
        }
        match used.access() {
            OpAccess::Read => reads = true,
            OpAccess::CondRead => (reads, conditional) = (true, true),
            OpAccess::Write => writes = true,
            OpAccess::CondWrite => (writes, conditional) = (true, true),
            OpAccess::ReadWrite | OpAccess::ReadCondWrite => (reads, writes) = (true, true),
            OpAccess::None | OpAccess::NoMemAccess => {}
        }
    }
    let kind = match (reads, writes) {
        (false, false) => return Vec::new(),
        (true, false) => AccessKind::Load,
        (false, true) => AccessKind::Store,
        (true, true) => AccessKind::Update,
    };
    let memory = i.memory_size();
    let (size, element) = match memory {
        MemorySize::Xsave | MemorySize::Xsave64 | MemorySize::Unknown | MemorySize::Tile => {
            return Vec::new();
        }
        m => (m.size() as u32, m.element_size() as u32),
    };
    let opmask = if i.op_mask() == Register::K0 { Register::None } else { i.op_mask() };
    let vector_mask = vector_mask(i);
    let (form, size, lanes) = if gathers {
        let mask = if opmask == Register::None { vector_mask.unwrap_or(Register::None) } else { opmask };
        let index_bytes = if i.is_vsib32() { 4 } else { 8 };
        let lanes = gathered_lanes(i);
        let scale = i.memory_index_scale();
        (Form::Gathered { mask, index_bytes, scale }, lanes * element, lanes)
    } else if let Some(mask) = vector_mask.filter(|_| conditional) {
        (Form::VectorMasked { mask }, size, 1)
    } else if opmask != Register::None && size > element && !i.is_broadcast() {
        (Form::Masked { mask: opmask }, size, 1)
    } else {
        (Form::Plain, size, 1)
    };
    if size == 0 || element == 0 {
        return Vec::new();
    }
    vec![Operand {
        number: 0,
        form,
        kind,
        size,
        element,
        lanes,
        streaming: writes && bypasses_caches(i.mnemonic()),
        atomic: i.has_lock_prefix() || i.mnemonic() == Mnemonic::Xchg,
        frame: is_frame(i),
    }]
}

/// The vector register that masks the memory operand of AVX gathers and masked moves.
fn vector_mask(i: &Instruction) -> Option<Register> {
    use Mnemonic as M;
    match i.mnemonic() {
        // dst, mask, mem or mem, mask, src
        M::Vmaskmovps | M::Vmaskmovpd | M::Vpmaskmovd | M::Vpmaskmovq => Some(i.op1_register()),
        M::Vgatherdps
        | M::Vgatherdpd
        | M::Vgatherqps
        | M::Vgatherqpd
        | M::Vpgatherdd
        | M::Vpgatherdq
        | M::Vpgatherqd
        | M::Vpgatherqq
            if i.op_count() == 3 =>
        {
            Some(i.op2_register())
        }
        _ => None,
    }
    .filter(|r| r.is_vector_register())
}

/// A variable of the function in its frame: base pointer or stack pointer with a constant.
fn is_frame(i: &Instruction) -> bool {
    matches!(i.memory_base(), Register::RSP | Register::RBP) && i.memory_index() == Register::None
}

fn string_operands(i: &Instruction) -> Vec<Operand> {
    use Mnemonic as M;
    let size = match i.mnemonic() {
        M::Movsb | M::Stosb | M::Lodsb | M::Cmpsb | M::Scasb => 1,
        M::Movsw | M::Stosw | M::Lodsw | M::Cmpsw | M::Scasw => 2,
        M::Movsd | M::Stosd | M::Lodsd | M::Cmpsd | M::Scasd => 4,
        _ => 8,
    };
    let repeats = i.has_rep_prefix() || i.has_repne_prefix();
    let from = (Register::RSI, AccessKind::Load);
    let to = (Register::RDI, AccessKind::Store);
    let list: Vec<(Register, AccessKind)> = match i.mnemonic() {
        M::Movsb | M::Movsw | M::Movsd | M::Movsq => vec![from, to],
        M::Stosb | M::Stosw | M::Stosd | M::Stosq => vec![to],
        M::Lodsb | M::Lodsw | M::Lodsd | M::Lodsq => vec![from],
        // The length of a repeated comparison is not known beforehand: only its first element is recorded.
        M::Cmpsb | M::Cmpsw | M::Cmpsd | M::Cmpsq => vec![from, (Register::RDI, AccessKind::Load)],
        M::Scasb | M::Scasw | M::Scasd | M::Scasq => vec![(Register::RDI, AccessKind::Load)],
        // Input and output of ports.
        _ => Vec::new(),
    };
    let searches = !matches!(
        i.mnemonic(),
        M::Movsb | M::Movsw | M::Movsd | M::Movsq | M::Stosb | M::Stosw | M::Stosd | M::Stosq
    );
    list.into_iter()
        .zip(0..)
        .map(|((register, kind), number)| Operand {
            number,
            form: Form::Repeated { register, repeats: repeats && !searches },
            kind,
            size: if repeats { 0 } else { size },
            element: size,
            lanes: 1,
            streaming: false,
            atomic: false,
            frame: false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::code_asm::{CodeAssembler, qword_ptr, rax, rbx, xmm0, xmm1, zmm1, zmmword_ptr};
    use iced_x86::{Code, MemoryOperand};

    fn kinds(assemble: impl Fn(&mut CodeAssembler)) -> Vec<(AccessKind, u32)> {
        let mut code = CodeAssembler::new(64).unwrap();
        assemble(&mut code);
        let mut factory = InstructionInfoFactory::new();
        let all = code.instructions().iter().flat_map(|i| operands(&mut factory, i));
        all.map(|operand| (operand.kind, operand.size)).collect()
    }

    #[test]
    fn every_kind_of_address_is_an_operand() {
        use AccessKind::{Load, Store, Update};
        assert_eq!(kinds(|a| a.addsd(xmm0, qword_ptr(rbx + rax * 8)).unwrap()), [(Load, 8)]);
        assert_eq!(kinds(|a| a.movsd_2(qword_ptr(rbx), xmm1).unwrap()), [(Store, 8)]);
        // Static variables, relative to the instruction.
        let near = MemoryOperand::with_base_displ(Register::RIP, 0x2000);
        let mut factory = InstructionInfoFactory::new();
        let mut kind = |i: Instruction| operands(&mut factory, &i).first().map(|o| (o.kind, o.size));
        let load = Instruction::with2(Code::Addsd_xmm_xmmm64, Register::XMM0, near).unwrap();
        let store = Instruction::with2(Code::Movsd_xmmm64_xmm, near, Register::XMM0).unwrap();
        let update = Instruction::with2(Code::Add_rm64_r64, near, Register::RAX).unwrap();
        assert_eq!([load, store, update].map(&mut kind), [Load, Store, Update].map(|kind| Some((kind, 8))));
        // Absolute ones.
        assert_eq!(kinds(|a| a.inc(qword_ptr(0x40_4000)).unwrap()), [(Update, 8)]);
        assert_eq!(kinds(|a| a.vmovupd(zmmword_ptr(rbx).k1(), zmm1).unwrap()), [(Store, 64)]);
        assert_eq!(kinds(|a| a.lea(rax, qword_ptr(rbx + 8)).unwrap()), []);
    }
}
