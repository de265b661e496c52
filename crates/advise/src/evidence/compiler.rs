//! Compilers and their options.

use super::words::{counted, percent};
use loopwright_analysis::model::WhyNot;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Compilers and their options.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "CompilerEvidence")]
pub enum Compiler {
    /// Why the loop is scalar.
    WhyNot {
        /// The compiler that says so; absent where the code does.
        #[serde(skip_serializing_if = "Option::is_none")]
        compiler: Option<String>,
        /// Id of the reason.
        reason: String,
        /// The reason in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        meaning: Option<String>,
        /// The remark.
        message: String,
    },
    /// A remark of a compiler about the loop.
    Remark {
        /// The remark.
        message: String,
        /// It is quoted as a compiler wrote it.
        quoted: bool,
    },
    /// The compiler calls the loop vectorised, its sum is not.
    SumLeftScalar,
    /// Compilers that vectorise the loop, and that do not.
    OthersVectorise {
        /// The one that does.
        able: String,
        /// Those that do not.
        unable: Vec<String>,
    },
    /// Vectors that the other compiler uses.
    VectorBytes {
        /// Bytes of a vector.
        bytes: u32,
    },
    /// The processor that the code was compiled for.
    Architecture {
        /// Value of `-march`; absent where there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        march: Option<String>,
    },
    /// The level of optimisation is too low for vectors.
    OptimisationLevel {
        /// Level.
        level: String,
    },
    /// A change that options of the compiler make.
    ByOptions {
        /// Id of the change.
        change: String,
        /// Loops that it is about.
        loops: usize,
        /// Their share of the time.
        #[serde(skip_serializing_if = "Option::is_none")]
        share: Option<f64>,
    },
    /// The code is not optimised.
    Unoptimised {
        /// The compiler recorded it; otherwise it shows in the code.
        recorded: bool,
    },
    /// The module has no line tables.
    NoLineTables,
    /// The module has no symbols.
    NoSymbols,
}

impl Compiler {
    /// A reason with its meaning in words, where the rule knows it.
    pub fn why_not(why: &WhyNot, meaning: Option<&str>) -> Self {
        Self::WhyNot {
            compiler: why.compiler.clone(),
            reason: why.reason.clone(),
            meaning: meaning.map(str::to_owned),
            message: why.message.clone(),
        }
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WhyNot { compiler, reason, meaning, message } => {
                let by = compiler.as_deref().unwrap_or("the code");
                match meaning {
                    Some(meaning) => write!(f, "{by}: {meaning} ({reason}); \"{message}\""),
                    None => write!(f, "{by}: \"{message}\" ({reason})"),
                }
            }
            Self::Remark { message, quoted: true } => write!(f, "\"{message}\""),
            Self::Remark { message, quoted: false } => write!(f, "{message}"),
            Self::SumLeftScalar => {
                write!(f, "the compiler calls the loop vectorised, but its additions run one by one")
            }
            Self::OthersVectorise { able, unable } => {
                write!(f, "{able} reports it vectorised, {} does not", unable.join(" and "))
            }
            Self::VectorBytes { bytes } => write!(f, "with vectors of {bytes} bytes"),
            Self::Architecture { march: Some(march) } => write!(f, "it was compiled with -march={march}"),
            Self::Architecture { march: None } => write!(f, "it was compiled without -march"),
            Self::OptimisationLevel { level } => {
                write!(f, "it was compiled at -O{level}, where the vectoriser is off or timid")
            }
            Self::ByOptions { change, loops, share } => {
                let loops = counted(u32::try_from(*loops).unwrap_or(u32::MAX), "loop");
                write!(f, "{change} at {loops}")?;
                share.map_or(Ok(()), |share| write!(f, " with {} of the time", percent(share)))
            }
            Self::Unoptimised { recorded: true } => {
                write!(f, "the compiler recorded its options, and -O0 or no -O option is among them")
            }
            Self::Unoptimised { recorded: false } => {
                write!(f, "its loops keep their counters and variables in memory, as -O0 code does")
            }
            Self::NoLineTables => write!(f, "it has no line tables"),
            Self::NoSymbols => write!(f, "it has no symbols either: functions are known by address only"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let why = |compiler: Option<&str>, meaning: Option<&str>| Compiler::WhyNot {
            compiler: compiler.map(str::to_owned),
            reason: "opaque-call".into(),
            meaning: meaning.map(str::to_owned),
            message: "a call".into(),
        };
        let remark = |quoted| Compiler::Remark { message: "a call".into(), quoted };
        hold(&[
            (
                why(Some("gcc 12.2"), Some("It calls a function")),
                "gcc 12.2: It calls a function (opaque-call); \"a call\"",
            ),
            (why(None, None), "the code: \"a call\" (opaque-call)"),
            (remark(true), "\"a call\""),
            (remark(false), "a call"),
            (
                Compiler::SumLeftScalar,
                "the compiler calls the loop vectorised, but its additions run one by one",
            ),
            (
                Compiler::OthersVectorise {
                    able: "clang 16".into(),
                    unable: vec!["gcc 12.2".into(), "icx".into()],
                },
                "clang 16 reports it vectorised, gcc 12.2 and icx does not",
            ),
            (
                Compiler::ByOptions { change: "no-fma".into(), loops: 2, share: Some(0.312) },
                "no-fma at 2 loops with 31.2 % of the time",
            ),
            (Compiler::ByOptions { change: "no-fma".into(), loops: 1, share: None }, "no-fma at 1 loop"),
            (Compiler::VectorBytes { bytes: 32 }, "with vectors of 32 bytes"),
            (Compiler::Architecture { march: Some("x86-64".into()) }, "it was compiled with -march=x86-64"),
            (Compiler::Architecture { march: None }, "it was compiled without -march"),
            (
                Compiler::OptimisationLevel { level: "2".into() },
                "it was compiled at -O2, where the vectoriser is off or timid",
            ),
            (
                Compiler::Unoptimised { recorded: true },
                "the compiler recorded its options, and -O0 or no -O option is among them",
            ),
            (
                Compiler::Unoptimised { recorded: false },
                "its loops keep their counters and variables in memory, as -O0 code does",
            ),
            (Compiler::NoLineTables, "it has no line tables"),
            (Compiler::NoSymbols, "it has no symbols either: functions are known by address only"),
        ]);
    }
}
