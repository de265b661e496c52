//! The facts that a recommendation rests on, as values.
//!
//! A [`Fact`] has its numbers in their units, its places and its names; the sentence that a reader sees is made of it at
//! the very end, by its `Display`. Facts are grouped by theme: each theme is an enum in a file of its own, with the wording
//! of all its facts. Rules that state the same kind of fact share its variant. In JSON a fact is an object with its `kind`,
//! beside the sentence.

mod bottleneck;
mod calls;
mod compiler;
mod dependences;
mod expected;
mod machine;
mod memory;
mod operands;
mod shape;
mod threads;
mod time;
mod trips;
mod vectors;
pub mod words;
mod work;

pub use bottleneck::Bottleneck;
pub use calls::Calls;
pub use compiler::Compiler;
pub use dependences::{ChainRole, Checked, Dependences, NotSeen, Serial};
pub use expected::{Change, Expected, Experience};
pub use machine::Machine;
pub use memory::Memory;
pub use operands::{Extent, Operand, Order, OuterMove, Pass, PassUnit, Stride};
pub use shape::Shape;
pub use threads::{LoopName, Threads, Wait};
pub use time::{Hot, Time, Whose};
pub use trips::{Entries, Trips};
pub use vectors::{VectorPart, Vectors, function_of, indexed};
pub use work::{Vanishing, Work};

use loopwright_analysis::model::Provenance;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;

/// A fact and how it was obtained.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Evidence {
    /// How the fact was obtained.
    pub provenance: Provenance,
    /// The fact.
    #[serde(flatten)]
    pub fact: Fact,
}

impl Evidence {
    /// A fact that was obtained so.
    pub fn new(provenance: Provenance, fact: impl Into<Fact>) -> Self {
        Self { provenance, fact: fact.into() }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.provenance {
            Provenance::Measured => "measured",
            Provenance::Counted => "counted",
            Provenance::Modelled => "modelled",
            Provenance::Inferred => "inferred",
            Provenance::Binary => "read from the binary",
            Provenance::Compiler => "reported by the compiler",
        };
        write!(f, "{} ({how})", self.fact)
    }
}

/// Names the themes: each becomes a variant of [`Fact`] that holds the enum of the same name.
macro_rules! themes {
    ($($(#[$about:meta])* $theme:ident,)+) => {
        /// A fact, by its theme.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(untagged)]
        pub enum Fact {
            $($(#[$about])* $theme($theme),)+
        }

        impl fmt::Display for Fact {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$theme(fact) => fact.fmt(f),)+
                }
            }
        }

        $(impl From<$theme> for Fact {
            fn from(fact: $theme) -> Self {
                Self::$theme(fact)
            }
        })+
    };
}

themes! {
    /// Where the time went.
    Time,
    /// How often loops ran, and for how long.
    Trips,
    /// Scalar and vector code.
    Vectors,
    /// Instructions and arithmetic.
    Work,
    /// Accesses, caches and their traffic.
    Memory,
    /// What iterations hand to each other.
    Dependences,
    /// The shape of an algorithm.
    Shape,
    /// Functions that are called.
    Calls,
    /// Threads, and what they wait for.
    Threads,
    /// Compilers and their options.
    Compiler,
    /// The machine and the operating system.
    Machine,
    /// What a change is expected to bring.
    Expected,
    /// What binds a loop.
    Bottleneck,
}

impl Fact {
    /// Whether the screen after a run states the fact already: a loop's share of the time is in the heading of its
    /// recommendation, and how many CPUs were busy in the lines about the run.
    pub fn is_on_the_screen(&self) -> bool {
        matches!(self, Self::Time(Time::LoopShare { .. }) | Self::Threads(Threads::CpusBusy { .. }))
    }
}

/// The two forms that evidence has in JSON.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Written<'a> {
    /// The facts in words, each with how it was obtained.
    evidence: Vec<String>,
    /// The same facts as values, in the same order.
    facts: &'a [Evidence],
}

/// Writes evidence as `evidence` and `facts` of the object around.
pub(crate) fn write<S: Serializer>(evidence: &[Evidence], to: S) -> Result<S::Ok, S::Error> {
    Written { evidence: evidence.iter().map(Evidence::to_string).collect(), facts: evidence }.serialize(to)
}

#[cfg(test)]
pub(crate) mod tests;
