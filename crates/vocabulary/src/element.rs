//! Types of the elements that code computes with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Element types that arithmetic works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the types")]
pub enum ElementType {
    F16,
    Bf16,
    F32,
    F64,
    F80,
    I8,
    I16,
    I32,
    I64,
}

impl ElementType {
    /// Size of one element in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::I8 => 8,
            Self::F16 | Self::Bf16 | Self::I16 => 16,
            Self::F32 | Self::I32 => 32,
            Self::F64 | Self::I64 => 64,
            Self::F80 => 80,
        }
    }
    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64 | Self::F80)
    }
}
