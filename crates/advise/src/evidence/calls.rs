//! Functions that are called.

use super::words::count_in_words;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Functions that are called.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "CallEvidence")]
pub enum Calls {
    /// Functions that the loop calls.
    CalledFunctions {
        /// Their names.
        functions: Vec<String>,
        /// They are given one element at a time.
        one_at_a_time: bool,
    },
    /// The loop calls through a pointer.
    CallsThroughPointer,
    /// What vector versions of the functions compute.
    VectorVersions {
        /// Results of a call.
        results: u32,
    },
    /// Calls of a small function.
    SmallFunction {
        /// Calls.
        calls: u64,
        /// There may be fewer: other functions are called, too.
        at_most: bool,
        /// The function.
        function: String,
        /// Instructions of a call.
        instructions: f64,
    },
    /// Instructions that inlining removes.
    CallOverhead {
        /// Instructions of a call, at least and at most.
        instructions: (f64, f64),
        /// How many times faster the loop is as a vector loop, where that is known to be possible.
        #[serde(skip_serializing_if = "Option::is_none")]
        as_vector_loop: Option<f64>,
    },
    /// What an iteration with its call takes.
    IterationWithCalls {
        /// Calls of an iteration.
        calls: f64,
        /// Cycles.
        cycles: f64,
        /// Instructions.
        instructions: f64,
    },
    /// How often routines of a library were called.
    LibraryCalls {
        /// Calls.
        calls: u64,
    },
    /// How often the function of a parallel region was called.
    RegionCalls {
        /// The function.
        function: String,
        /// Calls.
        calls: u64,
    },
    /// How often a small function is called, wherever from.
    CountedCalls {
        /// Calls.
        calls: u64,
        /// The function.
        function: String,
        /// Instructions of a call, without those of what it calls.
        instructions: f64,
    },
    /// A function that calls itself.
    Recursive {
        /// The function.
        function: String,
        /// Share of the CPU time, with all that it calls.
        share: f64,
    },
    /// What a call takes.
    CallTime {
        /// Seconds, on average.
        seconds: f64,
    },
    /// What a call executes itself.
    CallInstructions {
        /// Instructions, on average.
        instructions: u64,
    },
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CalledFunctions { functions, one_at_a_time } => {
                write!(f, "it calls {}", functions.join(", "))?;
                if *one_at_a_time { write!(f, " for one element at a time") } else { Ok(()) }
            }
            Self::CallsThroughPointer => write!(f, "it calls through a pointer"),
            Self::VectorVersions { results } => {
                write!(f, "vector versions compute {results} results at a time")
            }
            Self::SmallFunction { calls, at_most, function, instructions } => write!(
                f,
                "it makes {}{} calls; {function} executes {instructions:.1} instructions per call",
                if *at_most { "up to " } else { "" },
                count_in_words(*calls)
            ),
            Self::CallOverhead { instructions, as_vector_loop } => {
                write!(f, "{:.0} to {:.0} instructions per call vanish", instructions.0, instructions.1)?;
                match as_vector_loop {
                    None => write!(f, ", and the loop may become a vector loop"),
                    Some(times) => write!(f, ", and as a vector loop it is up to {times:.1} times faster"),
                }
            }
            Self::IterationWithCalls { calls, cycles, instructions } => {
                let calls = if *calls < 1.05 { "call".to_owned() } else { format!("{calls:.1} calls") };
                write!(
                    f,
                    "an iteration with its {calls} takes {cycles:.1} cycles for {instructions:.1} instructions"
                )
            }
            Self::LibraryCalls { calls } => write!(f, "they were called {} times", count_in_words(*calls)),
            Self::RegionCalls { function, calls } => write!(
                f,
                "{function} was called {} times, once per thread and region",
                count_in_words(*calls)
            ),
            Self::CountedCalls { calls, function, instructions } => write!(
                f,
                "{function} was called {} times and executes {instructions:.1} instructions of its own per call",
                count_in_words(*calls)
            ),
            Self::Recursive { function, share } => write!(
                f,
                "{function} calls itself, directly or through others; with what it calls it takes {} of the CPU time",
                super::words::percent(*share)
            ),
            Self::CallTime { seconds } => {
                write!(f, "a call takes {:.1} microseconds on average", seconds * 1e6)
            }
            Self::CallInstructions { instructions } => {
                write!(f, "a call executes {instructions} instructions of its own")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let functions = |one_at_a_time| Calls::CalledFunctions {
            functions: vec!["exp".into(), "sin".into()],
            one_at_a_time,
        };
        let small = |at_most| Calls::SmallFunction {
            calls: 1_000_000,
            at_most,
            function: "at".into(),
            instructions: 9.0,
        };
        let vanish = |as_vector_loop| Calls::CallOverhead { instructions: (4.0, 12.0), as_vector_loop };
        hold(&[
            (functions(false), "it calls exp, sin"),
            (functions(true), "it calls exp, sin for one element at a time"),
            (Calls::CallsThroughPointer, "it calls through a pointer"),
            (Calls::VectorVersions { results: 4 }, "vector versions compute 4 results at a time"),
            (small(false), "it makes 1.00 million calls; at executes 9.0 instructions per call"),
            (small(true), "it makes up to 1.00 million calls; at executes 9.0 instructions per call"),
            (vanish(None), "4 to 12 instructions per call vanish, and the loop may become a vector loop"),
            (
                vanish(Some(3.5)),
                "4 to 12 instructions per call vanish, and as a vector loop it is up to 3.5 times faster",
            ),
            (
                Calls::IterationWithCalls { calls: 1.0, cycles: 18.0, instructions: 15.0 },
                "an iteration with its call takes 18.0 cycles for 15.0 instructions",
            ),
            (
                Calls::IterationWithCalls { calls: 4.0, cycles: 44.0, instructions: 156.0 },
                "an iteration with its 4.0 calls takes 44.0 cycles for 156.0 instructions",
            ),
            (Calls::LibraryCalls { calls: 500 }, "they were called 500 times"),
            (
                Calls::RegionCalls { function: "f._omp_fn.0".into(), calls: 500 },
                "f._omp_fn.0 was called 500 times, once per thread and region",
            ),
            (
                Calls::CountedCalls { calls: 1_000_000, function: "f".into(), instructions: 9.0 },
                "f was called 1.00 million times and executes 9.0 instructions of its own per call",
            ),
            (
                Calls::Recursive { function: "f".into(), share: 0.5 },
                "f calls itself, directly or through others; with what it calls it takes 50.0 % of the CPU time",
            ),
            (Calls::CallTime { seconds: 1e-6 }, "a call takes 1.0 microseconds on average"),
            (Calls::CallInstructions { instructions: 700 }, "a call executes 700 instructions of its own"),
        ]);
    }
}
