//! Instruction sets, as levels of capability.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Instruction-set level of an instruction or a loop, in ascending order of capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Isa {
    /// General-purpose registers only.
    #[serde(rename = "x86-64")]
    X86,
    #[serde(rename = "x87")]
    /// The x87 stack.
    X87,
    /// MMX.
    MMX,
    /// SSE.
    SSE,
    /// SSE2.
    SSE2,
    /// SSE3.
    SSE3,
    /// SSSE3.
    SSSE3,
    /// SSE4.1.
    #[serde(rename = "SSE4.1")]
    SSE41,
    /// SSE4.2.
    #[serde(rename = "SSE4.2")]
    SSE42,
    /// AVX.
    AVX,
    /// F16C.
    F16C,
    /// FMA3 (`vfmadd*`), with or without AVX2.
    FMA,
    /// AVX2.
    AVX2,
    /// AVX-512 foundation (and VL forms).
    AVX512F,
    /// AVX-512 CD.
    AVX512CD,
    /// AVX-512 DQ.
    AVX512DQ,
    /// AVX-512 BW.
    AVX512BW,
    /// Any later AVX-512 family (VBMI, VNNI, BF16, FP16, ...).
    AVX512X,
    /// Matrix tiles.
    AMX,
}
