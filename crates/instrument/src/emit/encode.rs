//! From instructions to bytes at an address.

use super::writer::{Label, Writer};
use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, Instruction, InstructionBlock};

/// Encoded code.
#[derive(Debug)]
pub struct Encoded {
    /// Bytes.
    pub bytes: Vec<u8>,
    /// Address of each label's instruction, by [`Label::index_of`].
    addresses: Vec<u64>,
}

impl Encoded {
    /// The address that a label got.
    pub fn address(&self, label: u64) -> Option<u64> {
        self.addresses.get(Label::index_of(label)?).copied().filter(|a| *a != 0)
    }
}

/// Boundary to which the first block of an innermost loop is aligned.
const ALIGNMENT: u64 = 32;

/// Encodes the list at `address`.
pub fn encode(writer: &Writer, address: u64) -> Result<Encoded, String> {
    let padding = vec![0; writer.aligned.len()];
    let plain = pass(writer, address, &padding)?;
    if writer.aligned.is_empty() {
        return Ok(plain.0);
    }
    // Padding moves what follows and rarely changes the size of a branch: one more pass does.
    let mut padding = padding;
    let mut shift = 0;
    for (k, &at) in writer.aligned.iter().enumerate() {
        let Some(offset) = plain.1.get(at + 2 * k + 2).filter(|o| **o != u32::MAX) else { continue };
        let here = address.wrapping_add(u64::from(*offset) + shift);
        padding[k] = here.wrapping_neg() % ALIGNMENT;
        shift += padding[k];
    }
    if shift == 0 {
        return Ok(plain.0);
    }
    Ok(pass(writer, address, &padding)?.0)
}

/// One encoding; also the offsets of the instructions, with two more for each alignment.
fn pass(writer: &Writer, address: u64, padding: &[u64]) -> Result<(Encoded, Vec<u32>), String> {
    let mut code: Vec<Instruction> = Vec::with_capacity(writer.code.len() + padding.len());
    let mut aligned = writer.aligned.iter().zip(padding).enumerate().peekable();
    let mut places = Vec::with_capacity(writer.code.len());
    for (k, i) in writer.code.iter().enumerate() {
        while let Some((_, (_, &bytes))) = aligned.next_if(|(_, (at, _))| **at == k) {
            code.extend(fillers(bytes)?);
        }
        places.push(code.len());
        code.push(*i);
    }
    let block = InstructionBlock::new(&code, address);
    let result = BlockEncoder::encode(64, block, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS)
        .map_err(|e| e.to_string())?;
    let offsets = &result.new_instruction_offsets;
    let mut addresses = Vec::new();
    for (i, &place) in writer.code.iter().zip(&places) {
        let Some(index) = Label::index_of(i.ip()) else { continue };
        if addresses.len() <= index {
            addresses.resize(index + 1, 0);
        }
        // Instructions that were rewritten have no offset; none that a label names is.
        addresses[index] = match offsets.get(place) {
            Some(&o) if o != u32::MAX => address.wrapping_add(u64::from(o)),
            _ => 0,
        };
    }
    Ok((Encoded { bytes: result.code_buffer, addresses }, result.new_instruction_offsets))
}

/// A stretch of no-operations, as two pieces of data: a piece holds up to 16 bytes.
fn fillers(bytes: u64) -> Result<[Instruction; 2], String> {
    let first = bytes.min(16) as usize;
    Ok([filler(first)?, filler(bytes as usize - first)?])
}

fn filler(bytes: usize) -> Result<Instruction, String> {
    if bytes == 0 {
        // Takes no space, keeps the numbering.
        return Ok(Instruction::with(Code::Zero_bytes));
    }
    let mut data = Vec::with_capacity(16);
    let mut left = bytes;
    while left > 0 {
        let nop = NOPS[left.min(NOPS.len()) - 1];
        data.extend_from_slice(nop);
        left -= nop.len();
    }
    Instruction::with_declare_byte(&data).map_err(|e| e.to_string())
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
