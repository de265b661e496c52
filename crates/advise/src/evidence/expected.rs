//! What a change is expected to bring.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A change that makes a loop faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ExpectedChange")]
pub enum Change {
    /// Plain loads instead of a gather, at half a cycle per lane.
    NoGather,
    /// No gathers or scatters.
    NoIndexedAccesses,
    /// Plain subscripts, with which the loop can be vectorised.
    PlainSubscripts,
    /// Multiplications instead of divisions.
    Multiplications,
    /// Nothing but the arithmetic and the data, in vectors.
    VectorArithmetic,
    /// A nest without the short loop's control, then in vectors.
    NoShortLoop,
    /// One more vector iteration instead of remainder iterations.
    OneMorePass,
    /// Remainder iterations as one vector iteration.
    VectorRemainder,
    /// No tests, and a vector loop.
    NoTests,
    /// Vectors, which nothing else is in the way of.
    VectorsToo,
    /// The usual path alone.
    UsualPath,
    /// From the next wider kernels of a library to the widest.
    WiderKernels,
    /// A quarter to all of the smaller loop's data shared.
    SharedData,
}

/// What is known from experience, for every program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Experience {
    /// Compiled code against interpreted loops.
    CompiledLoops,
    /// Optimised against unoptimised scalar loops.
    OptimisedLoops,
    /// Another memory allocator, or none.
    OtherAllocator,
    /// A vector version against a scalar one.
    VectorVersion,
    /// Other programs built with options for the machine.
    OptionsElsewhere,
}

/// What a change is expected to bring.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "ExpectedEvidence")]
pub enum Expected {
    /// How many times faster the loop is after a change.
    Faster {
        /// The change.
        with: Change,
        /// At least; absent where nothing is certain.
        #[serde(skip_serializing_if = "Option::is_none")]
        low: Option<f64>,
        /// At most.
        high: f64,
    },
    /// What such a change usually brings.
    Usual {
        /// How many times faster, at least.
        low: f64,
        /// At most.
        high: f64,
    },
    /// The part of the time that such a change usually saves.
    Saved {
        /// At least.
        least: f64,
        /// At most.
        most: f64,
    },
    /// What the model gives for this change alone, and what the whole changes of experts gained against that.
    WholeChange {
        /// The program's gain by the model: least, likely and most.
        model: (f64, f64, f64),
        /// Programs in which an expert made this change.
        programs: u32,
        /// Factor of the likely value.
        likely: f64,
        /// Factor of the upper end.
        most: f64,
    },
    /// What is known from experience.
    FromExperience {
        /// Of what.
        of: Experience,
    },
}

impl Expected {
    /// At most `high` times faster.
    pub fn up_to(with: Change, high: f64) -> Self {
        Self::Faster { with, low: None, high }
    }

    /// Between these.
    pub fn between(with: Change, low: f64, high: f64) -> Self {
        Self::Faster { with, low: Some(low), high }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Faster { with, low, high } => {
                let low = low.unwrap_or(1.0);
                match with {
                    Change::NoGather => write!(
                        f,
                        "a gather takes half a cycle per lane: up to {high:.1} times fewer cycles per iteration without these"
                    ),
                    Change::NoIndexedAccesses => {
                        write!(f, "without them up to {high:.1} times fewer cycles per iteration")
                    }
                    Change::PlainSubscripts => {
                        write!(f, "with plain subscripts it can be vectorised: up to {high:.1} times faster")
                    }
                    Change::Multiplications => {
                        write!(f, "as multiplications they leave the loop up to {high:.1} times faster")
                    }
                    Change::VectorArithmetic => write!(
                        f,
                        "as nothing but its arithmetic and data in vectors: up to {high:.1} times faster"
                    ),
                    Change::NoShortLoop => write!(
                        f,
                        "without the loop's control {low:.1} times faster, as nothing but its arithmetic and data in vectors {high:.1} times"
                    ),
                    Change::OneMorePass => {
                        write!(f, "one more vector iteration instead: up to {high:.1} times faster")
                    }
                    Change::VectorRemainder => write!(
                        f,
                        "remainder iterations done as one vector iteration: {low:.2} to {high:.2} times faster"
                    ),
                    Change::NoTests => {
                        write!(f, "without tests and as a vector loop up to {high:.1} times faster")
                    }
                    Change::VectorsToo => {
                        write!(f, "and where nothing else is in the way of vectors, up to {high:.1} times")
                    }
                    Change::UsualPath => {
                        write!(f, "with the usual path alone: {low:.1} to {high:.1} times faster")
                    }
                    Change::WiderKernels => write!(
                        f,
                        "from part of the way to the next wider kernels to all of it to the widest: {low:.1} to {high:.1} times faster"
                    ),
                    Change::SharedData => write!(
                        f,
                        "if a quarter to all of what the smaller one moves is shared: {low:.2} to {high:.2} times faster together"
                    ),
                }
            }
            Self::Saved { least, most } => {
                write!(
                    f,
                    "such a change usually saves {:.0} to {:.0} % of that time",
                    least * 100.0,
                    most * 100.0
                )
            }
            Self::Usual { low, high } => {
                write!(f, "between {low:.1} and {high:.1} times faster is usual for such a change")
            }
            Self::WholeChange { model: (low, middle, high), programs, likely, most } => {
                write!(
                    f,
                    "the model of this change alone gives {low:.2} to {high:.2} times, likely {middle:.2}; with what experts changed along with it, \
                     programs ({programs} of them with this change) gained {likely:.1} times the likely value and up to {most:.1} times the highest"
                )
            }
            Self::FromExperience { of } => f.write_str(match of {
                Experience::CompiledLoops => {
                    "compiled or array code is up to 50 times faster than an interpreted loop"
                }
                Experience::OptimisedLoops => {
                    "optimised scalar loops run 1.4 to 8 times as fast as unoptimised ones"
                }
                Experience::OtherAllocator => {
                    "another allocator saves a sixth to a half of it, allocating outside the loops nearly all"
                }
                Experience::VectorVersion => {
                    "the scalar version's part becomes as fast as the vector version"
                }
                Experience::OptionsElsewhere => {
                    "ten other programs built for their machine ran 0.85 to 1.27 times as fast as before: it may slow down, measure"
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let up_to = |with| Expected::up_to(with, 3.5);
        let between = |with| Expected::between(with, 1.2, 3.5);
        let experience = |of| Expected::FromExperience { of };
        hold(&[
            (
                Expected::Saved { least: 0.6, most: 0.9 },
                "such a change usually saves 60 to 90 % of that time",
            ),
            (
                Expected::WholeChange { model: (1.0, 1.5, 2.0), programs: 5, likely: 2.47, most: 4.47 },
                "the model of this change alone gives 1.00 to 2.00 times, likely 1.50; with what experts changed along with it, programs (5 of them \
                 with this change) gained 2.5 times the likely value and up to 4.5 times the highest",
            ),
            (
                up_to(Change::NoGather),
                "a gather takes half a cycle per lane: up to 3.5 times fewer cycles per iteration without these",
            ),
            (up_to(Change::NoIndexedAccesses), "without them up to 3.5 times fewer cycles per iteration"),
            (
                up_to(Change::PlainSubscripts),
                "with plain subscripts it can be vectorised: up to 3.5 times faster",
            ),
            (up_to(Change::Multiplications), "as multiplications they leave the loop up to 3.5 times faster"),
            (
                up_to(Change::VectorArithmetic),
                "as nothing but its arithmetic and data in vectors: up to 3.5 times faster",
            ),
            (
                between(Change::NoShortLoop),
                "without the loop's control 1.2 times faster, as nothing but its arithmetic and data in vectors 3.5 times",
            ),
            (up_to(Change::OneMorePass), "one more vector iteration instead: up to 3.5 times faster"),
            (
                between(Change::VectorRemainder),
                "remainder iterations done as one vector iteration: 1.20 to 3.50 times faster",
            ),
            (up_to(Change::NoTests), "without tests and as a vector loop up to 3.5 times faster"),
            (up_to(Change::VectorsToo), "and where nothing else is in the way of vectors, up to 3.5 times"),
            (between(Change::UsualPath), "with the usual path alone: 1.2 to 3.5 times faster"),
            (
                between(Change::WiderKernels),
                "from part of the way to the next wider kernels to all of it to the widest: 1.2 to 3.5 times faster",
            ),
            (
                between(Change::SharedData),
                "if a quarter to all of what the smaller one moves is shared: 1.20 to 3.50 times faster together",
            ),
            (
                Expected::Usual { low: 1.2, high: 3.5 },
                "between 1.2 and 3.5 times faster is usual for such a change",
            ),
            (
                experience(Experience::CompiledLoops),
                "compiled or array code is up to 50 times faster than an interpreted loop",
            ),
            (
                experience(Experience::OptimisedLoops),
                "optimised scalar loops run 1.4 to 8 times as fast as unoptimised ones",
            ),
            (
                experience(Experience::OtherAllocator),
                "another allocator saves a sixth to a half of it, allocating outside the loops nearly all",
            ),
            (
                experience(Experience::VectorVersion),
                "the scalar version's part becomes as fast as the vector version",
            ),
            (
                experience(Experience::OptionsElsewhere),
                "ten other programs built for their machine ran 0.85 to 1.27 times as fast as before: it may slow down, measure",
            ),
        ]);
    }
}
