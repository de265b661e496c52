//! Where the time went.

use super::words::percent;
use loopwright_analysis::model::Purpose;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A function with its share of the CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "HotFunction")]
pub struct Hot {
    /// Function.
    pub function: String,
    /// Share of the CPU time.
    pub share: f64,
}

/// What code around a loop belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CodeAround")]
pub enum Whose {
    /// The loops of the nest around.
    Nest,
    /// The loop around, at `name`.
    Loop,
    /// The enclosing loop at `name`, which is estimated from.
    EnclosingLoop,
    /// The rest of the function `name`.
    Function,
    /// The rest of the function `name`, with remainder iterations that are no loop in the code.
    StraightCode,
}

/// Where the time went.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "TimeEvidence")]
pub enum Time {
    /// The loop's share of the CPU time.
    LoopShare {
        /// Share of the CPU time, all pieces together.
        share: f64,
        /// Samples in it.
        samples: u64,
        /// Pieces that the compiler made of it.
        pieces: usize,
    },
    /// The loop's share of the CPU time, with what it calls.
    LoopTotalShare {
        /// Share of the CPU time.
        share: f64,
    },
    /// A module's share of the CPU time.
    ModuleShare {
        /// Share of the CPU time.
        share: f64,
        /// File name of the module.
        module: String,
    },
    /// The share of a library's loops that use narrow instructions.
    NarrowLoopsShare {
        /// Share of the CPU time.
        share: f64,
        /// File name of the module.
        module: String,
    },
    /// The hottest loop of unoptimised code.
    HottestUnoptimisedLoop {
        /// Share of the CPU time.
        share: f64,
        /// Its place.
        place: String,
        /// Its function.
        function: String,
    },
    /// The functions of a module that take most of its time.
    HottestFunctions {
        /// The hottest first.
        functions: Vec<Hot>,
    },
    /// Time in routines that work on vectors, with what they call.
    VectorRoutines {
        /// Share of the CPU time.
        share: f64,
        /// Some of them.
        functions: Vec<Hot>,
    },
    /// Time of the memory allocator.
    AllocatorShare {
        /// Share of the CPU time.
        share: f64,
        /// The hottest of its functions.
        functions: Vec<Hot>,
    },
    /// A function's own time.
    FunctionShare {
        /// Share of the CPU time.
        share: f64,
        /// The function.
        function: String,
    },
    /// Time in library code of one purpose, with what it calls.
    LibraryPurpose {
        /// Share of the CPU time.
        share: f64,
        /// What the code is for.
        purpose: Purpose,
        /// The functions that the program calls.
        functions: Vec<Hot>,
    },
    /// Loops of the line that allocates, which only copy.
    CopiesOfTheLine {
        /// Share of the CPU time.
        share: f64,
    },
    /// Allocations inside of code of other purposes.
    AllocatesElsewhere {
        /// Share of the CPU time.
        share: f64,
    },
    /// A part of a purpose's time whose innermost library code has another purpose.
    InsidePurpose {
        /// Share of the CPU time.
        share: f64,
        /// That purpose.
        purpose: Purpose,
    },
    /// Where the program calls such code.
    CalledFrom {
        /// Functions and lines.
        places: Vec<Hot>,
    },
    /// A part of that time in functions of the program that the library calls back.
    CalledBack {
        /// Share of the CPU time.
        share: f64,
    },
    /// A part of that time in the kernel.
    InKernel {
        /// Share of the CPU time.
        share: f64,
    },
    /// Library code of other purposes that a rewrite of this one changes as well.
    SameData {
        /// Share of the CPU time.
        share: f64,
    },
    /// Own time of the functions that call library code.
    AroundCalls {
        /// Share of the CPU time.
        share: f64,
        /// The functions.
        functions: Vec<Hot>,
    },
    /// Own time of a function outside its loops.
    OutsideLoops {
        /// Share of the CPU time.
        share: f64,
        /// The function.
        function: String,
    },
    /// Time inside the functions that the loop calls.
    InsideFunctions {
        /// Share of the CPU time.
        share: f64,
    },
    /// Time of the code around the loop.
    CodeAround {
        /// Share of the CPU time.
        share: f64,
        /// What the code belongs to.
        of: Whose,
        /// Place or name of that.
        #[serde(skip_serializing_if = "String::is_empty")]
        name: String,
    },
    /// Time in the pieces of the loop that run what does not fill its body.
    RemainderAndPeel {
        /// Share of the loop's time in the remainder.
        remainder: f64,
        /// Share of the loop's time in the peel loop.
        peel: f64,
    },
    /// Time in the scalar version of the loop.
    ScalarVersion {
        /// Share of the loop's time.
        share: f64,
        /// Its place.
        place: String,
    },
    /// The program was blocked during part of its elapsed time, which no faster code shortens.
    ProgramBlocked {
        /// Share of the elapsed time.
        share: f64,
    },
    /// Every thread was blocked at the same time.
    AllThreadsBlocked {
        /// Share of the elapsed time.
        share: f64,
        /// Seconds of it.
        seconds: f64,
        /// Elapsed seconds of the program.
        elapsed_seconds: f64,
        /// How often the threads were looked at.
        looks: u32,
    },
}

fn hot(functions: &[Hot]) -> String {
    let each: Vec<String> =
        functions.iter().map(|f| format!("{} {}", f.function, percent(f.share))).collect();
    each.join(", ")
}

/// Functions of a purpose, as the subject of a sentence.
fn purpose_in_words(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::OrderedContainer => "functions of ordered maps and sets",
        Purpose::HashTable => "functions of hash tables",
        Purpose::LinkedList => "functions of linked lists",
        Purpose::Shifting => "functions that insert into and remove from sequences",
        Purpose::Sorting => "sorting functions",
        Purpose::Hashing => "hash functions",
        Purpose::Comparing => "functions that compare strings or sequences",
        Purpose::Allocation => "functions that allocate or free memory",
        Purpose::Growing => "functions that make sequences grow",
        Purpose::Copying => "functions that copy",
        Purpose::ArrayTemporaries => "functions that pack, shift or transpose arrays",
        Purpose::Formatting => "functions that format text",
        Purpose::Parsing => "functions that parse text",
        Purpose::RandomNumbers => "random number generators",
        Purpose::RegularExpressions => "functions of regular expressions",
        Purpose::TextSearch => "functions that search text",
        Purpose::InputOutput => "functions for input and output",
        Purpose::Exceptions => "functions that throw and catch exceptions",
        Purpose::DynamicCasts => "casts that are checked at run time",
        Purpose::ReferenceCounts => "functions that count references",
        Purpose::BigIntegers => "functions for large integers",
        Purpose::GarbageCollection => "functions of the garbage collector",
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoopShare { share, samples, pieces } => {
                write!(f, "the loop takes {} of the CPU time in {samples} samples", percent(*share))?;
                if *pieces > 1 { write!(f, ", its {pieces} pieces together") } else { Ok(()) }
            }
            Self::LoopTotalShare { share } => {
                write!(f, "the loop takes {} of the CPU time, with what it calls", percent(*share))
            }
            Self::ModuleShare { share, module } => {
                write!(f, "{} of the CPU time is spent in {module}", percent(*share))
            }
            Self::NarrowLoopsShare { share, module } => {
                write!(f, "such loops of {module} take {} of the CPU time", percent(*share))
            }
            Self::HottestUnoptimisedLoop { share, place, function } => write!(
                f,
                "its hottest unoptimised loop is {place} in {function} with {} of the CPU time",
                percent(*share)
            ),
            Self::HottestFunctions { functions } => write!(f, "most of it in {}", hot(functions)),
            Self::VectorRoutines { share, functions } => write!(
                f,
                "{} of the CPU time is spent in routines for vectors, with what they call: {}",
                percent(*share),
                hot(functions)
            ),
            Self::AllocatorShare { share, functions } => {
                write!(f, "{} of the CPU time is the allocator's own: {}", percent(*share), hot(functions))
            }
            Self::FunctionShare { share, function } => {
                write!(f, "{function} itself takes {} of the CPU time", percent(*share))
            }
            Self::LibraryPurpose { share, purpose, functions } => write!(
                f,
                "{} of the CPU time is spent in {}, with what they call: {}",
                percent(*share),
                purpose_in_words(*purpose),
                hot(functions)
            ),
            Self::CopiesOfTheLine { share } => {
                write!(
                    f,
                    "loops of the same line, which only copy, take another {} of the CPU time",
                    percent(*share)
                )
            }
            Self::AllocatesElsewhere { share } => write!(
                f,
                "another {} is spent allocating and freeing inside of copies, containers and the like, which are not counted here",
                percent(*share)
            ),
            Self::InsidePurpose { share, purpose } => {
                write!(
                    f,
                    "{} of the CPU time is spent in {} below that",
                    percent(*share),
                    purpose_in_words(*purpose)
                )
            }
            Self::CalledFrom { places } => write!(f, "called from {}", hot(places)),
            Self::CalledBack { share } => write!(
                f,
                "{} of the CPU time is spent in functions of the program that it calls, with what they call",
                percent(*share)
            ),
            Self::InKernel { share } => {
                write!(f, "{} of the CPU time is spent in the kernel below that", percent(*share))
            }
            Self::SameData { share } => {
                write!(
                    f,
                    "library code of other kinds that the same functions call takes another {}",
                    percent(*share)
                )
            }
            Self::AroundCalls { share, functions } => write!(
                f,
                "the functions that call them take another {} of the CPU time: {}",
                percent(*share),
                hot(functions)
            ),
            Self::OutsideLoops { share, function } => {
                write!(f, "{function} itself takes {} of the CPU time outside its loops", percent(*share))
            }
            Self::InsideFunctions { share } => {
                write!(f, "another {} of the CPU time is spent inside these functions", percent(*share))
            }
            Self::CodeAround { share, of, name } => {
                let share = percent(*share);
                match of {
                    Whose::Nest => write!(f, "the code around it takes another {share}"),
                    Whose::Loop => {
                        write!(f, "the code of the loop around it at {name} takes another {share}")
                    }
                    Whose::EnclosingLoop => {
                        write!(f, "the code of the enclosing loop at {name} takes another {share}")
                    }
                    Whose::Function => write!(f, "the rest of {name} takes another {share}"),
                    Whose::StraightCode => write!(
                        f,
                        "the rest of {name} takes another {share}: entry, exit, and the remainder iterations, which are no loop in the code"
                    ),
                }
            }
            Self::RemainderAndPeel { remainder, peel } => write!(
                f,
                "{} of that is its remainder and {} its peel loop",
                percent(*remainder),
                percent(*peel)
            ),
            Self::ScalarVersion { share, place } => {
                write!(f, "{} of that in its scalar version at {place}", percent(*share))
            }
            Self::ProgramBlocked { share } => {
                write!(f, "the program was blocked during {} of its elapsed time", percent(*share))
            }
            Self::AllThreadsBlocked { share, seconds, elapsed_seconds, looks } => write!(
                f,
                "every thread was blocked during {} of the elapsed time ({seconds:.2} of {elapsed_seconds:.2} s), in {looks} looks",
                percent(*share)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let hot = |function: &str, share| Hot { function: function.into(), share };
        let around = |of| Time::CodeAround { share: 0.1, of, name: "k.c:9".into() };
        let asked = |pieces| Time::LoopShare { share: 0.43, samples: 12, pieces };
        hold(&[
            (asked(1), "the loop takes 43.0 % of the CPU time in 12 samples"),
            (asked(3), "the loop takes 43.0 % of the CPU time in 12 samples, its 3 pieces together"),
            (
                Time::LoopTotalShare { share: 0.9 },
                "the loop takes 90.0 % of the CPU time, with what it calls",
            ),
            (
                Time::ModuleShare { share: 0.5, module: "libm.so".into() },
                "50.0 % of the CPU time is spent in libm.so",
            ),
            (
                Time::NarrowLoopsShare { share: 0.5, module: "libm.so".into() },
                "such loops of libm.so take 50.0 % of the CPU time",
            ),
            (
                Time::HottestUnoptimisedLoop { share: 0.3, place: "k.c:9".into(), function: "f".into() },
                "its hottest unoptimised loop is k.c:9 in f with 30.0 % of the CPU time",
            ),
            (
                Time::HottestFunctions { functions: vec![hot("f", 0.3), hot("g", 0.2)] },
                "most of it in f 30.0 %, g 20.0 %",
            ),
            (
                Time::VectorRoutines { share: 0.5, functions: vec![hot("f", 0.3)] },
                "50.0 % of the CPU time is spent in routines for vectors, with what they call: f 30.0 %",
            ),
            (
                Time::AllocatorShare { share: 0.5, functions: vec![hot("malloc", 0.3)] },
                "50.0 % of the CPU time is the allocator's own: malloc 30.0 %",
            ),
            (
                Time::FunctionShare { share: 0.2, function: "f".into() },
                "f itself takes 20.0 % of the CPU time",
            ),
            (
                Time::LibraryPurpose {
                    share: 0.5,
                    purpose: Purpose::OrderedContainer,
                    functions: vec![hot("std::map::find", 0.4)],
                },
                "50.0 % of the CPU time is spent in functions of ordered maps and sets, with what they call: std::map::find 40.0 %",
            ),
            (
                Time::CopiesOfTheLine { share: 0.415 },
                "loops of the same line, which only copy, take another 41.5 % of the CPU time",
            ),
            (
                Time::AllocatesElsewhere { share: 0.165 },
                "another 16.5 % is spent allocating and freeing inside of copies, containers and the like, which are not counted here",
            ),
            (
                Time::InsidePurpose { share: 0.1, purpose: Purpose::Allocation },
                "10.0 % of the CPU time is spent in functions that allocate or free memory below that",
            ),
            (Time::CalledFrom { places: vec![hot("f k.c:9", 0.3)] }, "called from f k.c:9 30.0 %"),
            (
                Time::CalledBack { share: 0.3 },
                "30.0 % of the CPU time is spent in functions of the program that it calls, with what they call",
            ),
            (Time::InKernel { share: 0.3 }, "30.0 % of the CPU time is spent in the kernel below that"),
            (
                Time::SameData { share: 0.2 },
                "library code of other kinds that the same functions call takes another 20.0 %",
            ),
            (
                Time::AroundCalls { share: 0.3, functions: vec![hot("f", 0.3)] },
                "the functions that call them take another 30.0 % of the CPU time: f 30.0 %",
            ),
            (
                Time::OutsideLoops { share: 0.2, function: "f".into() },
                "f itself takes 20.0 % of the CPU time outside its loops",
            ),
            (
                Time::InsideFunctions { share: 0.2 },
                "another 20.0 % of the CPU time is spent inside these functions",
            ),
            (around(Whose::Nest), "the code around it takes another 10.0 %"),
            (around(Whose::Loop), "the code of the loop around it at k.c:9 takes another 10.0 %"),
            (around(Whose::EnclosingLoop), "the code of the enclosing loop at k.c:9 takes another 10.0 %"),
            (around(Whose::Function), "the rest of k.c:9 takes another 10.0 %"),
            (
                around(Whose::StraightCode),
                "the rest of k.c:9 takes another 10.0 %: entry, exit, and the remainder iterations, which are no loop in the code",
            ),
            (
                Time::RemainderAndPeel { remainder: 0.3, peel: 0.1 },
                "30.0 % of that is its remainder and 10.0 % its peel loop",
            ),
            (
                Time::ScalarVersion { share: 0.8, place: "k.c:9".into() },
                "80.0 % of that in its scalar version at k.c:9",
            ),
            (
                Time::ProgramBlocked { share: 0.4 },
                "the program was blocked during 40.0 % of its elapsed time",
            ),
            (
                Time::AllThreadsBlocked { share: 0.4, seconds: 0.8, elapsed_seconds: 2.0, looks: 7 },
                "every thread was blocked during 40.0 % of the elapsed time (0.80 of 2.00 s), in 7 looks",
            ),
        ]);
    }
}
