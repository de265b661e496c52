//! Scalar and vector code.

use super::words::{counted, percent};
use loopwright_binary::facts::{ElementType, Idiom, Isa, Trait};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Vector code that works on several elements at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VectorPart {
    /// The body of the loop.
    Body,
    /// Another version of the loop.
    OtherVersion,
    /// Operations under masks.
    Masked,
}

/// Scalar and vector code.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "VectorEvidence")]
pub enum Vectors {
    /// The loop's arithmetic is scalar.
    ScalarArithmetic,
    /// The remainder iterations are scalar.
    ScalarLeftOvers,
    /// All arithmetic instructions are scalar.
    ScalarInstructions {
        /// Instructions of arithmetic.
        instructions: u32,
    },
    /// The vector registers that the loop uses.
    Registers {
        /// Instruction set.
        isa: Isa,
        /// Bits of a register.
        bits: u32,
        /// Elements of a register.
        elements: u32,
    },
    /// Elements that vector code works on at a time.
    ElementsAtATime {
        /// Which code.
        part: VectorPart,
        /// Elements.
        elements: u32,
    },
    /// What fits into the machine's registers, and what the loop gains by it.
    FitInRegisters {
        /// Elements of a register.
        elements: u32,
        /// Their type.
        element: ElementType,
        /// Bits of a register.
        bits: u32,
        /// How many times faster, at least.
        low: f64,
        /// At most.
        high: f64,
    },
    /// Partial sums instead of one chain, and what the loop gains by them.
    PartialSums {
        /// Partial sums of a register.
        sums: u32,
        /// Bits of a register.
        bits: u32,
        /// How many times faster, at least.
        low: f64,
        /// At most.
        high: f64,
    },
    /// What wider registers bring.
    WiderRegisters {
        /// Bits of a register.
        bits: u32,
        /// How many times faster, at least.
        low: f64,
        /// At most.
        high: f64,
    },
    /// What wider or non-temporal stores bring.
    WiderStores {
        /// Bits of a register.
        bits: u32,
        /// How many times faster, at most.
        high: f64,
    },
    /// Lanes that a dependence allows.
    LanesAtMost {
        /// Lanes.
        lanes: u64,
        /// How many times faster, at most.
        high: f64,
    },
    /// What the layout keeps a scalar loop from.
    StridesWhenVectorised {
        /// How many times faster as a vector loop with unit strides, at most.
        unit: f64,
        /// The same with the strides that it has.
        strided: f64,
        /// Strided accesses, where they were traced.
        #[serde(skip_serializing_if = "Option::is_none")]
        accesses: Option<usize>,
    },
    /// Instructions that put vectors together from single elements.
    Assembled {
        /// Kinds of instructions.
        by: Vec<Trait>,
    },
    /// The part of the instructions that moves single elements.
    SingleElements {
        /// Share of the loop's instructions.
        share: f64,
        /// How many times faster without them, at most.
        high: f64,
    },
    /// Instructions that only collect elements, as a trace shows them.
    CollectedElements {
        /// Instructions that collect.
        collecting: f64,
        /// All instructions of the loop.
        instructions: u32,
        /// Gathers are among them.
        gathers: bool,
        /// How many times faster without them, at least.
        low: f64,
        /// At most.
        high: f64,
    },
    /// Indexed vector accesses.
    Gathers {
        /// Indexed loads.
        gathers: bool,
        /// Indexed stores.
        scatters: bool,
        /// Elements of a vector.
        elements: u32,
    },
    /// Scalar operations beside packed ones.
    PackedShare {
        /// Share of the FLOP that are packed.
        packed: f64,
        /// Lanes of a vector.
        lanes: f64,
        /// Share of the scalar ones among the floating-point instructions.
        scalar: f64,
    },
    /// Lanes that masked operations use.
    LanesInUse {
        /// Share of the lanes.
        share: f64,
    },
    /// The code does the work of a library function.
    IdiomInCode {
        /// What it does.
        idiom: Idiom,
        /// Bits of an access.
        bits: u32,
    },
}

/// The library function that an idiom is.
pub fn function_of(idiom: Idiom) -> &'static str {
    match idiom {
        Idiom::Memset => "memset",
        Idiom::Memcpy => "memcpy",
    }
}

/// What indexed vector accesses do.
pub fn indexed(gathers: bool, scatters: bool) -> &'static str {
    match (gathers, scatters) {
        (true, true) => "gathers and scatters",
        (true, false) => "gathers",
        _ => "scatters",
    }
}

impl fmt::Display for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ScalarArithmetic => write!(f, "its arithmetic is scalar"),
            Self::ScalarLeftOvers => write!(f, "its remainder iterations are scalar"),
            Self::ScalarInstructions { instructions } => {
                write!(f, "{} of arithmetic, all scalar", counted(*instructions, "instruction"))
            }
            Self::Registers { isa, bits, elements } => {
                write!(f, "its vector instructions are {isa:?} on {bits}-bit registers ({elements} elements)")
            }
            Self::ElementsAtATime { part, elements } => match part {
                VectorPart::Body => write!(f, "the body works on {elements} elements at a time"),
                VectorPart::OtherVersion => {
                    write!(f, "its other version works on {elements} elements at a time")
                }
                VectorPart::Masked => write!(f, "they work on {elements} lanes under masks"),
            },
            Self::FitInRegisters { elements, element, bits, low, high } => {
                let element = format!("{element:?}").to_lowercase();
                write!(
                    f,
                    "{elements} elements of {element} fit into this machine's {bits}-bit registers: {low:.1} to {high:.1} times {}",
                    as_fast(*low)
                )
            }
            Self::PartialSums { sums, bits, low, high } => write!(
                f,
                "{sums} partial sums in {bits}-bit registers instead of one chain: {low:.1} to {high:.1} times {}",
                as_fast(*low)
            ),
            Self::WiderRegisters { bits, low, high } => {
                write!(f, "{bits}-bit registers: {low:.1} to {high:.1} times {}", as_fast(*low))
            }
            Self::WiderStores { bits, high } => {
                write!(f, "{bits}-bit or non-temporal stores: up to {high:.1} times faster")
            }
            Self::LanesAtMost { lanes, high } => {
                write!(f, "{lanes} lanes at most: up to {high:.1} times faster")
            }
            Self::StridesWhenVectorised { unit, strided, accesses } => {
                write!(
                    f,
                    "vectorised, it would run at most {unit:.1} times as fast with unit strides, {strided:.1} times with "
                )?;
                match accesses {
                    None => write!(f, "these"),
                    Some(n) => write!(
                        f,
                        "{n} strided {}; as a scalar loop it gains nothing but traffic",
                        if *n == 1 { "access" } else { "accesses" }
                    ),
                }
            }
            Self::Assembled { by } => {
                let names: Vec<String> = by.iter().map(|t| format!("{t:?}").to_lowercase()).collect();
                write!(f, "vectors are assembled from single elements: {}", names.join(", "))
            }
            Self::SingleElements { share, high } => write!(
                f,
                "{:.0} % of the loop's instructions move single elements: up to {high:.1} times faster without them",
                share * 100.0
            ),
            Self::CollectedElements { collecting, instructions, gathers, low, high } => write!(
                f,
                "{collecting:.0} of the loop's {instructions} instructions only collect elements{}: {low:.2} to {high:.2} times faster without them",
                if *gathers { ", one at a time in gathers" } else { "" }
            ),
            Self::Gathers { gathers, scatters, elements } => write!(
                f,
                "it {} {elements} elements per vector, each a load or store of its own",
                indexed(*gathers, *scatters)
            ),
            Self::PackedShare { packed, lanes, scalar } => write!(
                f,
                "{} of its FLOP are packed, on up to {lanes} lanes; the others take {} of its floating-point instructions",
                percent(*packed),
                percent(*scalar)
            ),
            Self::LanesInUse { share } => {
                write!(f, "its masked vector operations use about {} of their lanes", percent(*share))
            }
            Self::IdiomInCode { idiom, bits } => {
                write!(f, "its code does nothing but {}, {bits} bits at a time", function_of(*idiom))
            }
        }
    }
}

/// Of a range that begins below 1 the loop may become slower.
fn as_fast(low: f64) -> &'static str {
    if low < 0.95 { "as fast" } else { "faster" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let at_a_time = |part| Vectors::ElementsAtATime { part, elements: 4 };
        let strides = |accesses| Vectors::StridesWhenVectorised { unit: 3.8, strided: 1.5, accesses };
        let collected = |gathers| Vectors::CollectedElements {
            collecting: 14.0,
            instructions: 52,
            gathers,
            low: 1.15,
            high: 1.74,
        };
        let indexed = |gathers, scatters| Vectors::Gathers { gathers, scatters, elements: 4 };
        hold(&[
            (Vectors::ScalarArithmetic, "its arithmetic is scalar"),
            (Vectors::ScalarLeftOvers, "its remainder iterations are scalar"),
            (Vectors::ScalarInstructions { instructions: 1 }, "1 instruction of arithmetic, all scalar"),
            (
                Vectors::Registers { isa: Isa::AVX2, bits: 256, elements: 4 },
                "its vector instructions are AVX2 on 256-bit registers (4 elements)",
            ),
            (at_a_time(VectorPart::Body), "the body works on 4 elements at a time"),
            (at_a_time(VectorPart::OtherVersion), "its other version works on 4 elements at a time"),
            (at_a_time(VectorPart::Masked), "they work on 4 lanes under masks"),
            (
                Vectors::FitInRegisters {
                    elements: 4,
                    element: ElementType::F64,
                    bits: 256,
                    low: 1.0,
                    high: 3.8,
                },
                "4 elements of f64 fit into this machine's 256-bit registers: 1.0 to 3.8 times faster",
            ),
            (
                Vectors::PartialSums { sums: 4, bits: 256, low: 1.0, high: 7.5 },
                "4 partial sums in 256-bit registers instead of one chain: 1.0 to 7.5 times faster",
            ),
            (
                Vectors::WiderRegisters { bits: 512, low: 1.1, high: 1.9 },
                "512-bit registers: 1.1 to 1.9 times faster",
            ),
            (
                Vectors::WiderStores { bits: 512, high: 1.9 },
                "512-bit or non-temporal stores: up to 1.9 times faster",
            ),
            (Vectors::LanesAtMost { lanes: 2, high: 1.9 }, "2 lanes at most: up to 1.9 times faster"),
            (
                strides(None),
                "vectorised, it would run at most 3.8 times as fast with unit strides, 1.5 times with these",
            ),
            (
                strides(Some(1)),
                "vectorised, it would run at most 3.8 times as fast with unit strides, 1.5 times with 1 strided access; as a scalar loop it gains nothing but traffic",
            ),
            (
                strides(Some(3)),
                "vectorised, it would run at most 3.8 times as fast with unit strides, 1.5 times with 3 strided accesses; as a scalar loop it gains nothing but traffic",
            ),
            (
                Vectors::Assembled { by: vec![Trait::Insert, Trait::Shuffle] },
                "vectors are assembled from single elements: insert, shuffle",
            ),
            (
                Vectors::SingleElements { share: 0.25, high: 2.7 },
                "25 % of the loop's instructions move single elements: up to 2.7 times faster without them",
            ),
            (
                collected(false),
                "14 of the loop's 52 instructions only collect elements: 1.15 to 1.74 times faster without them",
            ),
            (
                collected(true),
                "14 of the loop's 52 instructions only collect elements, one at a time in gathers: 1.15 to 1.74 times faster without them",
            ),
            (indexed(true, false), "it gathers 4 elements per vector, each a load or store of its own"),
            (indexed(false, true), "it scatters 4 elements per vector, each a load or store of its own"),
            (
                indexed(true, true),
                "it gathers and scatters 4 elements per vector, each a load or store of its own",
            ),
            (
                Vectors::PackedShare { packed: 0.7, lanes: 4.0, scalar: 0.6 },
                "70.0 % of its FLOP are packed, on up to 4 lanes; the others take 60.0 % of its floating-point instructions",
            ),
            (
                Vectors::LanesInUse { share: 0.25 },
                "its masked vector operations use about 25.0 % of their lanes",
            ),
            (
                Vectors::IdiomInCode { idiom: Idiom::Memset, bits: 64 },
                "its code does nothing but memset, 64 bits at a time",
            ),
        ]);
    }
}
