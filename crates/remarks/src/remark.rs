//! One message of a compiler about one place, as parsed from any report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A compiler family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CompilerFamily")]
pub enum Family {
    /// GNU (gcc, g++, gfortran).
    Gcc,
    /// LLVM (clang, flang, rustc).
    Clang,
    /// Intel (classic icc/ifort and their reports).
    Intel,
}

/// The result that a message reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "RemarkOutcome")]
pub enum Outcome {
    /// The loop was vectorised.
    Vectorized,
    /// The loop was not vectorised (with or without a reason).
    Missed,
    /// Another transformation or a note (unrolled, interchanged, versioned, basic block vectorised, ...).
    Note,
}

/// A position in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct SourcePosition {
    /// Source file, as the compiler wrote it.
    pub file: String,
    /// Line, 1-based.
    pub line: u32,
    /// Column, 1-based; 0 when unknown.
    pub column: u32,
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// Compiler family.
    pub family: Family,
    /// Compiler and version, e.g. `gcc 12.2.0`.
    pub compiler: String,
    /// Pass (`vect`, `loop-vectorize`, `slp`, `unroll`, ...).
    pub pass: String,
    /// The result.
    pub outcome: Outcome,
    /// Source file of the loop, as the compiler wrote it, made absolute with the compilation directory where known.
    pub file: String,
    /// Line of the loop, 1-based.
    pub line: u32,
    /// Column of the loop, 1-based; 0 when unknown.
    pub column: u32,
    /// The statement that the message blames, when the report distinguishes it from the loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<SourcePosition>,
    /// Function that holds the code, where the report names it.
    pub function: Option<String>,
    /// Call sites `(function, file, line)` from the innermost outwards, where the report lists them.
    pub inlined_at: Vec<(String, String, u32)>,
    /// The message, verbatim.
    pub message: String,
    /// Reason id of the table (see `reasons`); absent when the message is not known.
    pub reason: Option<String>,
    /// Vector width in bytes, when reported.
    pub vector_bytes: Option<u32>,
    /// Estimated speed-up, when reported (Intel).
    pub estimated_gain: Option<String>,
}

impl Remark {
    /// A remark at a place without optional fields.
    pub fn new(
        family: Family,
        pass: &str,
        outcome: Outcome,
        place: SourcePosition,
        message: impl Into<String>,
    ) -> Remark {
        Remark {
            family,
            compiler: String::new(),
            pass: pass.to_string(),
            outcome,
            file: place.file,
            line: place.line,
            column: place.column,
            statement: None,
            function: None,
            inlined_at: Vec::new(),
            message: message.into(),
            reason: None,
            vector_bytes: None,
            estimated_gain: None,
        }
    }

    /// The position of the loop.
    pub fn place(&self) -> SourcePosition {
        SourcePosition { file: self.file.clone(), line: self.line, column: self.column }
    }
}
