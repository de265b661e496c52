//! Widths of the registers that arithmetic is done in.

use crate::ElementType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Width of an arithmetic instruction. Written as the instruction sets that brought the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CeilingLevel", description = "Widths of arithmetic that a ceiling is measured for.")]
pub enum VectorWidth {
    /// One element per instruction.
    #[serde(rename = "scalar")]
    Scalar,
    /// 128 bits.
    #[serde(rename = "SSE")]
    Bits128,
    /// 256 bits (without FMA these are AVX instructions).
    #[serde(rename = "AVX2")]
    Bits256,
    /// 512 bits.
    #[serde(rename = "AVX-512")]
    Bits512,
}

impl VectorWidth {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Bits128, Self::Bits256, Self::Bits512];
    /// Those of vectors, the narrowest first.
    pub const VECTORS: [Self; 3] = [Self::Bits128, Self::Bits256, Self::Bits512];

    /// Of registers with this number of bits; up to 64 bits are scalar.
    pub fn from_bits(bits: u32) -> Self {
        match bits {
            0..=64 => Self::Scalar,
            65..=128 => Self::Bits128,
            129..=256 => Self::Bits256,
            _ => Self::Bits512,
        }
    }

    /// Bits of a vector register; 0 for scalar arithmetic.
    pub fn bits(self) -> u32 {
        match self {
            Self::Scalar => 0,
            Self::Bits128 => 128,
            Self::Bits256 => 256,
            Self::Bits512 => 512,
        }
    }

    /// Elements that one instruction computes.
    pub fn lanes(self, element: ElementType) -> u32 {
        (self.bits() / element.bits()).max(1)
    }

    /// Its name, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Bits128 => "SSE",
            Self::Bits256 => "AVX2",
            Self::Bits512 => "AVX-512",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_widths_agree() {
        for width in VectorWidth::ALL {
            assert_eq!(VectorWidth::from_bits(width.bits()), width);
        }
        assert_eq!(VectorWidth::from_bits(64), VectorWidth::Scalar, "one double in a register");
        assert!(VectorWidth::ALL.is_sorted());
    }

    #[test]
    fn a_register_holds_as_many_elements_as_fit() {
        let lanes = VectorWidth::ALL.map(|width| width.lanes(ElementType::F64));
        assert_eq!(lanes, [1, 2, 4, 8]);
        assert_eq!(VectorWidth::Bits256.lanes(ElementType::F32), 8);
    }
}
