//! Instructions and arithmetic.

use super::words::{bytes_in_words, count_in_words, counted, percent, whole_percent};
use loopwright_vocabulary::MemoryLevel;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// What makes instructions vanish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Vanishing {
    /// All arithmetic is packed.
    Packed,
    /// All pairs in the code fuse.
    Fused,
    /// All separate operations that were executed fuse.
    FusedAsExecuted,
}

/// Instructions and arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "WorkEvidence")]
pub enum Work {
    /// Branches of an iteration.
    Branches {
        /// Branches of an iteration, on average.
        per_iteration: f64,
        /// The loop's own end is among them.
        with_end: bool,
    },
    /// Instructions that neither compute nor touch data.
    Overhead {
        /// Their share of the instructions.
        share: f64,
        /// Share of branches.
        branches: f64,
        /// Share of shuffles.
        shuffles: f64,
    },
    /// How fast the core takes the instructions.
    InstructionsPerCycle {
        /// Instructions per cycle.
        per_cycle: f64,
        /// Instructions in all.
        instructions: u64,
    },
    /// How near the loop is to the ceiling of its arithmetic.
    OfComputeRoof {
        /// Share of the ceiling.
        share: f64,
        /// The ceiling.
        #[serde(skip_serializing_if = "Option::is_none")]
        roof: Option<String>,
    },
    /// How near a loop of integer arithmetic is to what memory could deliver.
    OfDeliverableBytes {
        /// Share of the bytes.
        share: f64,
    },
    /// Divisions and square roots in the code.
    Divisions {
        /// Divisions.
        divisions: u32,
        /// Square roots.
        roots: u32,
        /// All instructions.
        instructions: u32,
    },
    /// Divisions by a value that stays the same.
    InvariantDivisors {
        /// Such divisions.
        fixed: u32,
        /// All divisions.
        divisions: u32,
    },
    /// How long executed divisions and roots keep the divider busy.
    DividerShare {
        /// Executed divisions and roots.
        executed: u64,
        /// Share of the loop's time.
        share: f64,
    },
    /// Cycles of the divider beside those of the rest.
    DividerCycles {
        /// Cycles of an iteration in which the divider is busy.
        divider: f64,
        /// Cycles of everything else.
        rest: f64,
    },
    /// The loop divides integers by a variable.
    IntegerDivision,
    /// Cycles of an integer division beside those of the rest.
    IntegerDivisionCycles {
        /// Divisions of an iteration.
        divisions: f64,
        /// Cycles of a division.
        division: f64,
        /// Cycles of the rest of an iteration.
        rest: f64,
    },
    /// Conversions between floating-point types.
    Conversions {
        /// Conversions from f32 to f64.
        wider: u32,
        /// Conversions from f64 to f32.
        narrower: u32,
        /// All instructions.
        instructions: u32,
    },
    /// The part of the work that is conversion.
    ConversionShare {
        /// Share of the loop's work.
        share: f64,
    },
    /// Floating-point operations that are not fused, in the code.
    SeparateOperations {
        /// Operations of an iteration.
        operations: u32,
    },
    /// Operations that only some iterations execute.
    Conditional {
        /// The part of the code's floating-point operations that an iteration executes on average.
        share: f64,
        /// Those in the code.
        flop: f64,
    },
    /// Operations that do not belong to a carried chain.
    BesideChain {
        /// Of these.
        operations: f64,
        /// Instructions of the chain.
        chain: f64,
    },
    /// Floating-point operations that were fused, and that were not.
    FusedShare {
        /// Fused share of the FLOP.
        share: f64,
        /// FLOP.
        flop: u64,
        /// Operations that were executed apart.
        separate: u64,
    },
    /// Instructions that a change makes vanish.
    Vanishing {
        /// Share of the instructions, at most.
        share: f64,
        /// What makes them vanish.
        when: Vanishing,
    },
    /// Instructions that loads of addresses take.
    WithoutAddressLoads {
        /// How many times fewer instructions without them.
        times: f64,
    },
    /// Instructions that spill registers.
    Spills {
        /// Stores of vector registers that the loop loads again.
        stores: u32,
        /// All instructions.
        instructions: u32,
    },
    /// A loop of products that are added.
    MultiplyAdds {
        /// They are added up; otherwise added to elements that are stored.
        sum: bool,
        /// Multiply-adds of an iteration.
        multiply_adds: f64,
        /// Elements loaded in an iteration.
        loads: f64,
        /// Elements stored in an iteration.
        stores: f64,
        /// Iterations.
        iterations: u64,
    },
    /// The nest around such a loop.
    NestAround {
        /// The outermost loop of it; absent where the loop is alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        outermost: Option<String>,
    },
    /// What the kernels of a library would reach.
    LibraryRate {
        /// GFLOP/s of the loop.
        achieved: f64,
        /// Share of `rate` that a library reaches, at least and at most.
        reached: (f64, f64),
        /// GFLOP/s that the machine allows.
        rate: f64,
        /// The level that the data of a call comes from and its bytes, where that is what allows no more.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<(MemoryLevel, u64)>,
    },
    /// What products of matrices would reach instead of many calls.
    MatrixRate {
        /// GFLOP/s of the calls.
        achieved: f64,
        /// Share of the peak that products reach, at least and at most.
        reached: (f64, f64),
        /// Peak in GFLOP/s.
        peak: f64,
    },
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branches { per_iteration, with_end: false } => {
                write!(f, "it executes {per_iteration:.1} branches per iteration")
            }
            Self::Branches { per_iteration, with_end: true } => {
                write!(f, "it makes {per_iteration:.1} branches per iteration, its own end among them")
            }
            Self::Overhead { share, branches, shuffles } => write!(
                f,
                "{} of its instructions neither compute nor touch data: {} branches, {} shuffles, the rest addresses, moves between registers and the counter",
                percent(*share),
                percent(*branches),
                percent(*shuffles)
            ),
            Self::InstructionsPerCycle { per_cycle, instructions } => write!(
                f,
                "the core takes {per_cycle:.1} instructions per cycle in it, {} in all",
                count_in_words(*instructions)
            ),
            Self::OfComputeRoof { share, roof } => write!(
                f,
                "it reaches {:.0} % of {}, the ceiling of its own arithmetic",
                share * 100.0,
                roof.as_deref().unwrap_or("its roof")
            ),
            Self::OfDeliverableBytes { share } => write!(
                f,
                "it moves {:.0} % of the bytes that memory could deliver, and computes with integers",
                share * 100.0
            ),
            Self::Divisions { divisions, roots, instructions } => write!(
                f,
                "{} and {} among {}",
                counted(*divisions, "division"),
                counted(*roots, "square root"),
                counted(*instructions, "instruction")
            ),
            Self::InvariantDivisors { fixed, divisions } => {
                write!(f, "{fixed} of {} by a value that stays the same", counted(*divisions, "division"))
            }
            Self::DividerShare { executed, share } => write!(
                f,
                "{} executed divisions and roots keep the divider busy for {} % of the loop's time",
                count_in_words(*executed),
                whole_percent(*share)
            ),
            Self::DividerCycles { divider, rest } => write!(
                f,
                "the divider is busy for about {divider:.0} cycles per iteration, the rest takes about {rest:.0}"
            ),
            Self::IntegerDivision => write!(f, "it divides integers by a value that is no constant"),
            Self::IntegerDivisionCycles { divisions, division, rest } => write!(
                f,
                "an iteration has {divisions:.1} divisions of up to {division} cycles each; its instructions start in about {rest:.0}"
            ),
            Self::Conversions { wider, narrower, instructions } => write!(
                f,
                "{} from f32 to f64 and {narrower} back among {}",
                counted(*wider, "conversion"),
                counted(*instructions, "instruction")
            ),
            Self::ConversionShare { share } => {
                write!(f, "about {:.0} % of the loop's work is conversion", share * 100.0)
            }
            Self::SeparateOperations { operations } => write!(
                f,
                "it makes {operations} separate floating-point additions, multiplications and the like per iteration, none fused"
            ),
            Self::Conditional { share, flop } => write!(
                f,
                "an iteration executes {} of the {flop:.0} floating-point operations in its code: the others are behind a test of data",
                percent(*share)
            ),
            Self::BesideChain { operations, chain } => write!(
                f,
                "{operations:.0} floating-point operations of an iteration are beside the {chain:.0} that it carries on"
            ),
            Self::FusedShare { share, flop, separate } => write!(
                f,
                "{} of its {} FLOP are fused; {} additions, multiplications and the like were executed apart",
                percent(*share),
                count_in_words(*flop),
                count_in_words(*separate)
            ),
            Self::Vanishing { share, when } => match when {
                Vanishing::Packed => {
                    write!(f, "all of it packed, up to {} of its instructions vanish", percent(*share))
                }
                Vanishing::Fused => {
                    write!(f, "up to {:.0} % of its instructions vanish if all pairs fuse", share * 100.0)
                }
                Vanishing::FusedAsExecuted => {
                    write!(
                        f,
                        "up to {} of its instructions vanish if all of them fuse in pairs",
                        percent(*share)
                    )
                }
            },
            Self::WithoutAddressLoads { times } => {
                write!(f, "without them it has {times:.1} times fewer instructions")
            }
            Self::Spills { stores, instructions } => write!(
                f,
                "it stores vector registers to the stack and loads them again: {stores} of its {instructions} instructions are such stores"
            ),
            Self::MultiplyAdds { sum, multiply_adds, loads, stores, iterations } => {
                let what = if *sum {
                    "it adds up products"
                } else {
                    "it adds multiples of other elements to those that it stores"
                };
                write!(
                    f,
                    "{what}: {multiply_adds:.1} multiply-adds, {loads:.1} loads and {stores:.1} stores of elements in each of {} iterations",
                    count_in_words(*iterations)
                )
            }
            Self::NestAround { outermost: None } => {
                write!(f, "no loop encloses it, or the enclosing loops change all of its operands")
            }
            Self::NestAround { outermost: Some(place) } => {
                write!(f, "the loops around it, out to {place}, do little else")
            }
            Self::LibraryRate { achieved, reached, rate, from } => {
                write!(
                    f,
                    "it reaches {achieved:.1} GFLOP/s; a library's kernels reach {:.0} to {:.0} % of {rate:.0}, ",
                    reached.0 * 100.0,
                    reached.1 * 100.0
                )?;
                match from {
                    None => write!(f, "the peak of this machine's arithmetic"),
                    Some((level, bytes)) => {
                        write!(f, "what {level} delivers of the {} of one call", bytes_in_words(*bytes))
                    }
                }
            }
            Self::MatrixRate { achieved, reached, peak } => write!(
                f,
                "they reach {achieved:.1} GFLOP/s; products of matrices reach {:.0} to {:.0} % of the peak of {peak:.0}",
                reached.0 * 100.0,
                reached.1 * 100.0
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
        let branches = |with_end| Work::Branches { per_iteration: 3.0, with_end };
        let vanishing = |when| Work::Vanishing { share: 0.125, when };
        let roof = |roof: Option<&str>| Work::OfComputeRoof { share: 0.25, roof: roof.map(str::to_owned) };
        let sums = |sum| Work::MultiplyAdds {
            sum,
            multiply_adds: 1.0,
            loads: 2.0,
            stores: 0.0,
            iterations: 2_000_000,
        };
        let library = |from| Work::LibraryRate { achieved: 1.5, reached: (0.4, 0.95), rate: 24.0, from };
        hold(&[
            (branches(false), "it executes 3.0 branches per iteration"),
            (branches(true), "it makes 3.0 branches per iteration, its own end among them"),
            (
                Work::Overhead { share: 0.6, branches: 0.3, shuffles: 0.1 },
                "60.0 % of its instructions neither compute nor touch data: 30.0 % branches, 10.0 % shuffles, the rest addresses, moves between registers and the counter",
            ),
            (
                Work::InstructionsPerCycle { per_cycle: 4.0, instructions: 1_500_000 },
                "the core takes 4.0 instructions per cycle in it, 1.50 million in all",
            ),
            (roof(Some("AVX2 FMA")), "it reaches 25 % of AVX2 FMA, the ceiling of its own arithmetic"),
            (roof(None), "it reaches 25 % of its roof, the ceiling of its own arithmetic"),
            (
                Work::OfDeliverableBytes { share: 0.25 },
                "it moves 25 % of the bytes that memory could deliver, and computes with integers",
            ),
            (
                Work::Divisions { divisions: 1, roots: 2, instructions: 9 },
                "1 division and 2 square roots among 9 instructions",
            ),
            (
                Work::InvariantDivisors { fixed: 1, divisions: 2 },
                "1 of 2 divisions by a value that stays the same",
            ),
            (
                Work::DividerShare { executed: 500, share: 0.9 },
                "500 executed divisions and roots keep the divider busy for 90 % of the loop's time",
            ),
            (
                Work::DividerCycles { divider: 10.0, rest: 2.4 },
                "the divider is busy for about 10 cycles per iteration, the rest takes about 2",
            ),
            (Work::IntegerDivision, "it divides integers by a value that is no constant"),
            (
                Work::IntegerDivisionCycles { divisions: 5.0, division: 14.0, rest: 2.4 },
                "an iteration has 5.0 divisions of up to 14 cycles each; its instructions start in about 2",
            ),
            (
                Work::Conversions { wider: 2, narrower: 1, instructions: 9 },
                "2 conversions from f32 to f64 and 1 back among 9 instructions",
            ),
            (Work::ConversionShare { share: 0.25 }, "about 25 % of the loop's work is conversion"),
            (
                Work::SeparateOperations { operations: 4 },
                "it makes 4 separate floating-point additions, multiplications and the like per iteration, none fused",
            ),
            (
                Work::Conditional { share: 0.27, flop: 142.0 },
                "an iteration executes 27.0 % of the 142 floating-point operations in its code: the others are behind a test of data",
            ),
            (
                Work::BesideChain { operations: 19.0, chain: 1.0 },
                "19 floating-point operations of an iteration are beside the 1 that it carries on",
            ),
            (
                Work::FusedShare { share: 0.1, flop: 500, separate: 50_000_000 },
                "10.0 % of its 500 FLOP are fused; 50.00 million additions, multiplications and the like were executed apart",
            ),
            (vanishing(Vanishing::Packed), "all of it packed, up to 12.5 % of its instructions vanish"),
            (vanishing(Vanishing::Fused), "up to 12 % of its instructions vanish if all pairs fuse"),
            (
                vanishing(Vanishing::FusedAsExecuted),
                "up to 12.5 % of its instructions vanish if all of them fuse in pairs",
            ),
            (Work::WithoutAddressLoads { times: 1.6 }, "without them it has 1.6 times fewer instructions"),
            (
                Work::Spills { stores: 2, instructions: 9 },
                "it stores vector registers to the stack and loads them again: 2 of its 9 instructions are such stores",
            ),
            (
                sums(true),
                "it adds up products: 1.0 multiply-adds, 2.0 loads and 0.0 stores of elements in each of 2.00 million iterations",
            ),
            (
                sums(false),
                "it adds multiples of other elements to those that it stores: 1.0 multiply-adds, 2.0 loads and 0.0 stores of elements in each of 2.00 million iterations",
            ),
            (
                Work::NestAround { outermost: None },
                "no loop encloses it, or the enclosing loops change all of its operands",
            ),
            (
                Work::NestAround { outermost: Some("k.c:9".into()) },
                "the loops around it, out to k.c:9, do little else",
            ),
            (
                library(None),
                "it reaches 1.5 GFLOP/s; a library's kernels reach 40 to 95 % of 24, the peak of this machine's arithmetic",
            ),
            (
                library(Some((MemoryLevel::L3, 8_000_000))),
                "it reaches 1.5 GFLOP/s; a library's kernels reach 40 to 95 % of 24, what L3 delivers of the 8000 kB of one call",
            ),
            (
                Work::MatrixRate { achieved: 1.5, reached: (0.4, 0.95), peak: 24.0 },
                "they reach 1.5 GFLOP/s; products of matrices reach 40 to 95 % of the peak of 24",
            ),
        ]);
    }
}
