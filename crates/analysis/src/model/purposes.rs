//! Time by the purpose of library code: which container or service of a library the program was in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What code of a library, or code that a library's templates and generics became, is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Ordered maps and sets: trees.
    OrderedContainer,
    /// Hash tables.
    HashTable,
    /// Linked lists.
    LinkedList,
    /// Inserting into and removing from the middle of sequences and strings.
    Shifting,
    /// Sorting.
    Sorting,
    /// Hash functions of tables.
    Hashing,
    /// Comparisons of strings and other sequences.
    Comparing,
    /// Memory allocation.
    Allocation,
    /// Sequences that grow and move.
    Growing,
    /// Copies of data.
    Copying,
    /// Fortran's run time packs, shifts and transposes arrays.
    ArrayTemporaries,
    /// Writing numbers and text.
    Formatting,
    /// Reading numbers and text.
    Parsing,
    /// Random numbers.
    RandomNumbers,
    /// Regular expressions.
    RegularExpressions,
    /// Searching text for text.
    TextSearch,
    /// Input and output.
    InputOutput,
    /// Exceptions that are thrown.
    Exceptions,
    /// Casts that are checked at run time.
    DynamicCasts,
    /// Counts of references to shared objects.
    ReferenceCounts,
    /// Integers of any size.
    BigIntegers,
    /// A garbage collector.
    GarbageCollection,
}

/// Time for one purpose: of the outermost library code on the stack that has one, with all that it called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurposeFacts {
    /// The purpose.
    pub purpose: Purpose,
    /// Seconds, the kernel's included.
    pub seconds: f64,
    /// Share of `program.cpu_seconds`.
    pub share: f64,
    /// Samples.
    pub samples: u64,
    /// The part of `share` that the kernel took.
    pub kernel_share: f64,
    /// The part of `share` in functions of the program that the library called back, with what they called.
    pub callback_share: f64,
    /// The parts of `share` whose innermost library code has another purpose, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inside: Vec<PurposePart>,
    /// The library functions that the program called, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<PurposeFunction>,
    /// Where the program called them, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub callers: Vec<PurposeCaller>,
    /// The functions of the program whose code holds these calls, what was inlined into them included; the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub holders: Vec<PurposeFunction>,
    /// Loops whose own code has this purpose (ids).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub loops: Vec<u32>,
}

/// A part of the time for one purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurposePart {
    /// Purpose of the innermost library code.
    pub purpose: Purpose,
    /// Share of `program.cpu_seconds`.
    pub share: f64,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurposeFunction {
    /// Name; of a library without template arguments and parameters.
    pub function: String,
    /// Share of `program.cpu_seconds`, with all that it called.
    pub share: f64,
}

/// A place of the program from which a library was called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurposeCaller {
    /// The function of the program.
    pub function: String,
    /// `file:line` of the call, when known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// Share of `program.cpu_seconds`, with all that was called.
    pub share: f64,
}

impl PurposeFacts {
    /// The part of the share whose innermost library code has this purpose.
    pub fn inside(&self, purpose: Purpose) -> f64 {
        self.inside.iter().find(|part| part.purpose == purpose).map_or(0.0, |part| part.share)
    }
}
