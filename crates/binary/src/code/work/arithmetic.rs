//! Floating-point and integer operations of one instruction.
//!
//! Numbers per element follow from what the Intel SDM (volume 2) says an instruction computes. Packed
//! integer instructions count one per element, multiply-adds each multiplication and each addition.

use super::super::operation::{Class, Operation};
use super::super::step::sets_all_ones;
use crate::facts::ElementType;
use iced_x86::{Instruction, Mnemonic, OpKind};

/// Operations of one execution, or of one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// Type that the operations work on.
    pub element: Option<ElementType>,
    /// Floating-point operations.
    pub flop: u32,
    /// They belong to a fused multiply-add.
    pub fma: bool,
    /// Integer operations on vectors.
    pub integer: u32,
    /// Bits of bitwise logic on vectors whose element type the instruction does not name.
    pub untyped_bits: u32,
    /// Works on more than one element.
    pub packed: bool,
    /// The tile shape is unknown; counted as if the tiles were full.
    pub bound: bool,
}

impl Arithmetic {
    /// Whether nothing is computed.
    pub fn is_nothing(&self) -> bool {
        self.flop == 0 && self.integer == 0 && self.untyped_bits == 0
    }

    /// Whether each of `lanes` has the same part in it.
    pub fn divides_by(&self, lanes: u32) -> bool {
        lanes > 0 && self.flop.is_multiple_of(lanes) && self.integer.is_multiple_of(lanes)
    }

    /// One of `lanes`. The mask names the element that bitwise logic works on: one lane is one operation.
    pub fn share(&self, lanes: u32) -> Self {
        let integer = if self.untyped_bits > 0 { 1 } else { self.integer / lanes.max(1) };
        Self { flop: self.flop / lanes.max(1), integer, untyped_bits: 0, ..*self }
    }
}

/// What `i` computes when `bits` of its vector operands are in use.
pub fn arithmetic(i: &Instruction, operation: &Operation, bits: u32) -> Arithmetic {
    let mut out = Arithmetic { element: operation.element, ..Arithmetic::default() };
    if !operation.is_arithmetic() {
        match operation.class {
            Class::Crypto if operation.vector => {
                out.integer = (bits / 128).max(1);
                out.packed = true;
            }
            Class::Other => tiles(i.mnemonic(), &mut out),
            _ => {}
        }
        return out;
    }
    let elements = match operation.element {
        Some(e) if operation.packed => (bits / e.bits()).max(1),
        _ => 1,
    };
    out.packed = operation.packed && elements > 1;
    if operation.is_float() {
        out.flop = match i.mnemonic() {
            Mnemonic::Dpps | Mnemonic::Vdpps | Mnemonic::Dppd | Mnemonic::Vdppd => dot_product(i, bits),
            _ => elements * flop_per_element(i.mnemonic(), operation),
        };
        out.fma = operation.class == Class::Fma;
    } else if operation.vector && operation.class != Class::Convert {
        if is_constant(i) {
            return Arithmetic::default();
        }
        if operation.element.is_none() && operation.packed {
            out.untyped_bits = bits;
            out.packed = true;
        } else {
            out.integer = elements * integer_per_element(i.mnemonic(), operation);
        }
    }
    out
}

/// `pxor x, x` and its like make zeros, `pcmpeqd x, x` ones.
fn is_constant(i: &Instruction) -> bool {
    let n = i.op_count();
    let same = n >= 2
        && i.op_kind(n - 1) == OpKind::Register
        && i.op_kind(n - 2) == OpKind::Register
        && i.op_register(n - 1) == i.op_register(n - 2);
    let zeroes = same
        && matches!(
            i.mnemonic(),
            Mnemonic::Pxor
                | Mnemonic::Vpxor
                | Mnemonic::Vpxord
                | Mnemonic::Vpxorq
                | Mnemonic::Psubb
                | Mnemonic::Psubw
                | Mnemonic::Psubd
                | Mnemonic::Psubq
                | Mnemonic::Vpsubb
                | Mnemonic::Vpsubw
                | Mnemonic::Vpsubd
                | Mnemonic::Vpsubq
        );
    zeroes || sets_all_ones(i)
}

/// Of complex numbers an element is the real or the imaginary part: a product takes four multiplications and
/// two additions, adding it to another two more.
fn flop_per_element(mnemonic: Mnemonic, operation: &Operation) -> u32 {
    match mnemonic {
        Mnemonic::Vfmaddcph | Mnemonic::Vfcmaddcph => 4,
        Mnemonic::Vfmaddcsh | Mnemonic::Vfcmaddcsh => 8,
        Mnemonic::Vfmulcph | Mnemonic::Vfcmulcph => 3,
        Mnemonic::Vfmulcsh | Mnemonic::Vfcmulcsh => 6,
        // Four multiply-adds in sequence.
        Mnemonic::V4fmaddps | Mnemonic::V4fmaddss | Mnemonic::V4fnmaddps | Mnemonic::V4fnmaddss => 8,
        _ => operation.flop_per_element(),
    }
}

/// In each 128-bit lane, the upper four bits of the immediate choose products, whose sum is taken.
fn dot_product(i: &Instruction, bits: u32) -> u32 {
    let double = matches!(i.mnemonic(), Mnemonic::Dppd | Mnemonic::Vdppd);
    let mask = (i.immediate8() >> 4) & if double { 3 } else { 15 };
    let products = mask.count_ones();
    let lanes = if double { 1 } else { (bits / 128).max(1) };
    lanes * (2 * products).saturating_sub(1)
}

fn integer_per_element(mnemonic: Mnemonic, operation: &Operation) -> u32 {
    match mnemonic {
        // Two products and their sum per result.
        Mnemonic::Pmaddwd | Mnemonic::Vpmaddwd | Mnemonic::Pmaddubsw | Mnemonic::Vpmaddubsw => 3,
        Mnemonic::Vp4dpwssd | Mnemonic::Vp4dpwssds => 8,
        // Four absolute differences per 16-bit result.
        Mnemonic::Mpsadbw | Mnemonic::Vmpsadbw | Mnemonic::Vdbpsadbw => 2,
        _ if operation.class == Class::Fma => 2,
        _ => 1,
    }
}

/// Matrix tiles of the shape that `ldtilecfg` loaded, which the code does not show: at most 16 rows of 64 bytes
/// each, so that a product takes at most 16 x 16 sums of 64 bytes of products.
fn tiles(mnemonic: Mnemonic, out: &mut Arithmetic) {
    const SUMS: u32 = 16 * 16;
    let (element, operations) = match mnemonic {
        Mnemonic::Tdpbf16ps => (Some(ElementType::Bf16), SUMS * 32 * 2),
        Mnemonic::Tdpfp16ps => (Some(ElementType::F16), SUMS * 32 * 2),
        // Sixteen complex numbers in a row; the real or imaginary parts of their products.
        Mnemonic::Tcmmrlfp16ps | Mnemonic::Tcmmimfp16ps => (Some(ElementType::F16), SUMS * 16 * 4),
        Mnemonic::Tdpbssd | Mnemonic::Tdpbsud | Mnemonic::Tdpbusd | Mnemonic::Tdpbuud => {
            (None, SUMS * 64 * 2)
        }
        _ => return,
    };
    (out.element, out.packed, out.bound) = (element, true, true);
    if element.is_some() {
        (out.flop, out.fma) = (operations, true);
    } else {
        out.integer = operations;
    }
}
