//! One message of a compiler about one place, as parsed from any report.

use serde::{Deserialize, Serialize};

/// A compiler family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// GNU (gcc, g++, gfortran).
    Gcc,
    /// LLVM (clang, flang, rustc).
    Clang,
    /// Intel (classic icc/ifort and their reports).
    Intel,
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The loop was vectorised.
    Vectorized,
    /// The loop was not vectorised (with or without a reason).
    Missed,
    /// Another transformation or a note (unrolled, interchanged, versioned, basic block vectorised, ...).
    Note,
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Compiler family.
    pub family: Family,
    /// Compiler and version, e.g. `gcc 12.2.0`.
    pub compiler: String,
    /// Pass (`vect`, `loop-vectorize`, `slp`, `unroll`, ...).
    pub pass: String,
    /// What it says.
    pub outcome: Outcome,
    /// Source file, as the compiler wrote it, made absolute with the compilation directory where known.
    pub file: String,
    /// Line, 1-based.
    pub line: u32,
    /// Column, 1-based; 0 when unknown.
    pub column: u32,
    /// Function that holds the code, where the report says.
    pub function: Option<String>,
    /// Call sites `(function, file, line)` from the innermost outwards, where the report says.
    pub inlined_at: Vec<(String, String, u32)>,
    /// The message, verbatim.
    pub message: String,
    /// Reason id of the table (see `reasons`); absent when the message is not known.
    pub reason: Option<String>,
    /// Vector width in bytes, when said.
    pub vector_bytes: Option<u32>,
    /// Estimated speed-up, when said (Intel).
    pub estimated_gain: Option<String>,
}
