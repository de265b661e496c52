//! Encodes instructions to bytes at an address.
//!
//! Functions are encoded while their thread waits, so each instruction is encoded once: those that do not
//! depend on their address at once, branches when all distances are known. Every branch begins short, and
//! those that do not reach their target become near until all reach; a branch that has grown stays long, so
//! that this ends. `iced_x86::BlockEncoder` encodes every instruction twice, keeps an allocation for each,
//! and does not support alignment, which takes another round of both.
//!
//! Addresses are those of the file, which often begins at 0: code in front of it, or code that extends into
//! it from there, has addresses that wrap.

use super::writer::{Label, Writer};
use crate::reason::Unencodable;
use iced_x86::{Code, Encoder, FlowControl, Instruction, OpKind};

/// Encoded code.
#[derive(Debug)]
pub struct Encoded {
    pub bytes: Vec<u8>,
    /// Address of each label's instruction, by [`Label::index_of`].
    addresses: Vec<Option<u64>>,
}

impl Encoded {
    /// The address that a label got.
    pub fn address(&self, label: u64) -> Option<u64> {
        self.addresses.get(Label::index_of(label)?).copied().flatten()
    }
}

/// Boundary to which the first block of an innermost loop is aligned.
const ALIGNMENT: u64 = 32;

/// Bytes of `jmp rel8`.
const SHORT_JUMP: u64 = 2;
/// Bytes of `jmp rel32`.
const NEAR_JUMP: u64 = 5;

/// Encodes the list at `address`.
pub fn encode(writer: &Writer, address: u64) -> Result<Encoded, Unencodable> {
    let mut draft = Draft::new(writer, address)?;
    draft.settle()?;
    draft.finish()
}

/// The forms of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forms {
    /// Near only: `call`, `xbegin`.
    Near,
    /// Short, or near.
    Both,
    /// Short only (`loop`, `jrcxz`); distant targets are reached through a near jump after it.
    Short,
}

struct Branch {
    /// Index in the list.
    index: usize,
    forms: Forms,
    /// Target: a label or an address.
    target: u64,
    /// Bytes of the short form, where there is one.
    short: u64,
    /// Bytes of the form that reaches every target.
    near: u64,
    /// It takes the long form.
    long: bool,
}

impl Branch {
    fn length(&self) -> u64 {
        if self.long { self.near } else { self.short }
    }
}

/// An operand that is relative to the address of the next instruction.
struct Relative {
    /// Index in the list.
    index: usize,
    /// Offset of the displacement in the instruction.
    offset: usize,
    /// The address that it refers to.
    target: u64,
    /// Only the lower half of the address counts (`[eip+...]`).
    half: bool,
}

struct Draft<'a> {
    writer: &'a Writer,
    address: u64,
    encoder: Encoder,
    /// Encodes branches only to measure them.
    scratch: Encoder,
    /// All instructions but branches, one after the other.
    bytes: Vec<u8>,
    /// Lengths, by instruction.
    lengths: Vec<u64>,
    /// Branches, in the order of the list.
    branches: Vec<Branch>,
    relatives: Vec<Relative>,
    /// Index in the list, by label.
    places: Vec<Option<usize>>,
    /// Address of each instruction.
    starts: Vec<u64>,
}

impl<'a> Draft<'a> {
    fn new(writer: &'a Writer, address: u64) -> Result<Self, Unencodable> {
        let count = writer.code.len();
        let mut this = Self {
            writer,
            address,
            encoder: Encoder::new(64),
            scratch: Encoder::new(64),
            bytes: Vec::new(),
            lengths: Vec::with_capacity(count),
            branches: Vec::new(),
            relatives: Vec::new(),
            places: Vec::new(),
            starts: vec![0; count],
        };
        /// Bytes of an average instruction, rounded up.
        const AVERAGE: usize = 6;
        this.encoder.set_buffer(Vec::with_capacity(count * AVERAGE));
        for (index, i) in writer.code.iter().enumerate() {
            if let Some(label) = Label::index_of(i.ip()) {
                if this.places.len() <= label {
                    this.places.resize(label + 1, None);
                }
                this.places[label] = Some(index);
            }
            if is_branch(i) {
                let branch = Branch::new(index, i, &mut this.scratch)?;
                this.lengths.push(branch.length());
                this.branches.push(branch);
            } else {
                this.fixed(index, i)?;
            }
        }
        this.bytes = this.encoder.take_buffer();
        Ok(this)
    }

    /// Encodes an instruction whose length does not depend on where it is.
    fn fixed(&mut self, index: usize, i: &Instruction) -> Result<(), Unencodable> {
        if !i.is_ip_rel_memory_operand() {
            self.lengths.push(self.encoder.encode(i, self.address)? as u64);
            return Ok(());
        }
        let target = i.ip_rel_memory_address();
        // Encoded next to its target for now: everything is in reach from there.
        self.lengths.push(self.encoder.encode(i, target)? as u64);
        let constants = self.encoder.get_constant_offsets();
        if constants.displacement_size() != size_of::<u32>() {
            return Err(Unencodable::Displacement);
        }
        let half = i.memory_base() == iced_x86::Register::EIP;
        self.relatives.push(Relative { index, offset: constants.displacement_offset(), target, half });
        Ok(())
    }

    /// The address of a label, or the address itself.
    fn resolve(&self, target: u64) -> Result<u64, Unencodable> {
        let Some(label) = Label::index_of(target) else { return Ok(target) };
        let place = self.places.get(label).copied().flatten();
        place.map(|index| self.starts[index]).ok_or(Unencodable::Label)
    }

    /// Chooses the form of each branch.
    fn settle(&mut self) -> Result<(), Unencodable> {
        loop {
            self.place();
            let mut grown = Vec::new();
            for (k, branch) in self.branches.iter().enumerate().filter(|(_, b)| !b.long) {
                let next = self.starts[branch.index].wrapping_add(branch.short);
                let distance = self.resolve(branch.target)?.wrapping_sub(next) as i64;
                if i8::try_from(distance).is_err() {
                    grown.push(k);
                }
            }
            if grown.is_empty() {
                return Ok(());
            }
            for k in grown {
                self.branches[k].long = true;
                self.lengths[self.branches[k].index] = self.branches[k].near;
            }
        }
    }

    /// Finds the address of each instruction.
    fn place(&mut self) {
        let mut at = self.address;
        let mut aligned = self.writer.aligned.iter().peekable();
        for (k, length) in self.lengths.iter().enumerate() {
            while aligned.next_if(|place| **place == k).is_some() {
                at = at.wrapping_add(at.wrapping_neg() % ALIGNMENT);
            }
            self.starts[k] = at;
            at = at.wrapping_add(*length);
        }
    }

    fn finish(mut self) -> Result<Encoded, Unencodable> {
        let end =
            self.starts.last().zip(self.lengths.last()).map_or(self.address, |(at, n)| at.wrapping_add(*n));
        let mut out = Vec::with_capacity(end.wrapping_sub(self.address) as usize);
        let branches = std::mem::take(&mut self.branches);
        let mut branches = branches.iter().peekable();
        let mut taken = 0;
        for (k, i) in self.writer.code.iter().enumerate() {
            fill(&mut out, self.starts[k].wrapping_sub(self.address) as usize);
            let length = self.lengths[k] as usize;
            if let Some(branch) = branches.next_if(|b| b.index == k) {
                self.branch(branch, i, &mut out)?;
            } else {
                out.extend_from_slice(&self.bytes[taken..taken + length]);
                taken += length;
            }
            if out.len() != self.starts[k].wrapping_sub(self.address) as usize + length {
                return Err(Unencodable::BranchLength);
            }
        }
        for relative in &self.relatives {
            let start = self.starts[relative.index];
            let next = start.wrapping_add(self.lengths[relative.index]);
            let distance = self.resolve(relative.target)?.wrapping_sub(next) as i64;
            if !relative.half && i32::try_from(distance).is_err() {
                return Err(Unencodable::DataTooFar);
            }
            let at = start.wrapping_sub(self.address) as usize + relative.offset;
            out[at..at + size_of::<u32>()].copy_from_slice(&(distance as u32).to_le_bytes());
        }
        let address = |place: &Option<usize>| place.map(|index| self.starts[index]);
        Ok(Encoded { bytes: out, addresses: self.places.iter().map(address).collect() })
    }

    fn branch(&mut self, branch: &Branch, i: &Instruction, out: &mut Vec<u8>) -> Result<(), Unencodable> {
        let start = self.starts[branch.index];
        let target = self.resolve(branch.target)?;
        let mut put = |i: Instruction, at: u64| append(&mut self.encoder, i, at, out);
        if branch.forms == Forms::Short && branch.long {
            let behind_short = start.wrapping_add(branch.short);
            let to_near = behind_short.wrapping_add(SHORT_JUMP);
            let behind = to_near.wrapping_add(NEAR_JUMP);
            put(leading_to(*i, i.code(), to_near), start)?;
            put(jump(Code::Jmp_rel8_64, behind)?, behind_short)?;
            put(jump(Code::Jmp_rel32_64, target)?, to_near)
        } else {
            let code = if branch.long { near_form(i.code()) } else { i.code().as_short_branch() };
            put(leading_to(*i, code, target), start)
        }
    }
}

impl Branch {
    fn new(index: usize, i: &Instruction, scratch: &mut Encoder) -> Result<Self, Unencodable> {
        if i.op0_kind() != OpKind::NearBranch64 {
            return Err(Unencodable::NarrowBranch);
        }
        let target = i.near_branch64();
        let (short, near) = (i.code().as_short_branch(), near_form(i.code()));
        // Prefixes make branches longer; where they lead does not matter yet.
        let mut measured = |code| {
            let mut unused = scratch.take_buffer();
            unused.clear();
            scratch.set_buffer(unused);
            scratch.encode(&leading_to(*i, code, 0), 0).map(|n| n as u64)
        };
        let forms = if short != near {
            Forms::Both
        } else if i.flow_control() == FlowControl::ConditionalBranch {
            Forms::Short
        } else {
            Forms::Near
        };
        Ok(match forms {
            Forms::Near => Self { index, forms, target, short: 0, near: measured(near)?, long: true },
            Forms::Both => {
                let (short, near) = (measured(short)?, measured(near)?);
                Self { index, forms, target, short, near, long: false }
            }
            Forms::Short => {
                let short = measured(short)?;
                Self { index, forms, target, short, near: short + SHORT_JUMP + NEAR_JUMP, long: false }
            }
        })
    }
}

/// Whether control may continue at the instruction's operand.
fn is_branch(i: &Instruction) -> bool {
    i.op_count() > 0
        && matches!(i.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64)
}

/// The form with a displacement of 32 bits, where there is one.
fn near_form(code: Code) -> Code {
    match code {
        Code::Xbegin_rel16 => Code::Xbegin_rel32,
        code => code.as_near_branch(),
    }
}

fn leading_to(mut i: Instruction, code: Code, target: u64) -> Instruction {
    i.set_code(code);
    i.set_near_branch64(target);
    i
}

fn jump(code: Code, target: u64) -> Result<Instruction, Unencodable> {
    Ok(Instruction::with_branch(code, target)?)
}

/// Appends an instruction's bytes.
fn append(encoder: &mut Encoder, i: Instruction, at: u64, out: &mut Vec<u8>) -> Result<(), Unencodable> {
    encoder.set_buffer(std::mem::take(out));
    let length = encoder.encode(&i, at);
    *out = encoder.take_buffer();
    Ok(length.map(drop)?)
}

/// Fills up to a length with `nop`s.
fn fill(out: &mut Vec<u8>, length: usize) {
    while out.len() < length {
        out.extend_from_slice(NOPS[(length - out.len()).min(NOPS.len()) - 1]);
    }
}

/// Recommended multi-byte no-operations (Intel SDM, volume 2, NOP).
const NOPS: [&[u8]; 8] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

#[cfg(test)]
mod tests;
