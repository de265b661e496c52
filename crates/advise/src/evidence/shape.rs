//! The shape of an algorithm: searches, windows, streams of bits, calls for each element.

use super::operands::Extent;
use super::words::{bytes_in_words, count_in_words};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The shape of an algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "ShapeEvidence")]
pub enum Shape {
    /// A loop that compares elements and does nothing else.
    Search {
        /// Times it was entered.
        entries: u64,
        /// Elements that an entry compares, on average.
        elements: f64,
        /// It may end at a match; else it looks at all elements.
        leaves: bool,
    },
    /// Short walks along links.
    Descents {
        /// Walks.
        entries: u64,
        /// Bytes of the elements that were seen, at least.
        bytes: u64,
    },
    /// Its entries read one region.
    OneRegion {
        /// Bytes of the region that were touched.
        bytes: u64,
        /// Entries that were traced.
        entries: u64,
    },
    /// What a search takes, beside a query to an index.
    AgainstIndex {
        /// Nanoseconds of a search.
        search: f64,
        /// Nanoseconds of a query to an index, at least and at most.
        index: (f64, f64),
    },
    /// A chain of look-ups in a small table.
    TableWalk {
        /// Bytes of the table that were touched.
        bytes: u64,
        /// What was traced.
        extent: Extent,
        /// Cycles of an iteration, measured.
        cycles: f64,
    },
    /// A loop that takes a number apart bit by bit.
    BitByBit {
        /// Times it was entered.
        entries: u64,
        /// Bits of each.
        bits: f64,
        /// Cycles of each.
        cycles: f64,
    },
    /// What the change leaves of it.
    Instead {
        /// Cycles at present.
        now: f64,
        /// Cycles after the change, at least and at most.
        then: (f64, f64),
    },
    /// Windows that overlap.
    Window {
        /// Place of the loop that moves the window.
        place: String,
        /// Elements that a window sums.
        elements: f64,
        /// Bytes by which it moves.
        step: i64,
        /// Bytes from the first to the last element of the innermost loop.
        bytes: f64,
        /// What was traced.
        extent: Extent,
    },
    /// A loop that calls through pointers for each of its elements.
    CallsPerElement {
        /// Elements.
        elements: u64,
        /// Calls of each that the functions below it get.
        calls: f64,
        /// Instructions of a call, on average.
        instructions: f64,
        /// Cycles of a call.
        cycles: f64,
    },
    /// A search that halves a range.
    Halving {
        /// Searches.
        searches: u64,
        /// Steps of each, on average.
        steps: f64,
        /// Branches of a step.
        branches: f64,
        /// Cycles of a step.
        cycles: f64,
    },
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search { entries, elements, leaves } => write!(
                f,
                "{} times it compares {elements:.0} elements on average{}, and does nothing else with them",
                count_in_words(*entries),
                if *leaves { " until one fits or all are compared" } else { "" }
            ),
            Self::Descents { entries, bytes } => write!(
                f,
                "it begins {} walks along links, over at least {} of elements",
                count_in_words(*entries),
                bytes_in_words(*bytes)
            ),
            Self::OneRegion { bytes, entries } => {
                write!(f, "{entries} traced entries read the same {}", bytes_in_words(*bytes))
            }
            Self::AgainstIndex { search, index } => write!(
                f,
                "a search takes {search:.0} ns; a query to a hash table, a heap or a tree of as many elements {:.0} to {:.0} ns",
                index.0, index.1
            ),
            Self::TableWalk { bytes, extent, cycles } => write!(
                f,
                "each look-up needs the one before it and takes {cycles:.1} cycles, in a table of which {} were used {extent}",
                bytes_in_words(*bytes)
            ),
            Self::BitByBit { entries, bits, cycles } => write!(
                f,
                "{} times it works on {bits:.0} bits, one after the other, in {cycles:.0} cycles",
                count_in_words(*entries)
            ),
            Self::Instead { now, then } => {
                write!(f, "{now:.0} cycles at present; {:.0} to {:.0} after the change", then.0, then.1)
            }
            Self::Window { place, elements, step, bytes, extent } => write!(
                f,
                "the loop at {place} moves a window of {elements:.0} elements by {step} of {bytes:.0} bytes and accumulates all of them again, {extent}"
            ),
            Self::CallsPerElement { elements, calls, instructions, cycles } => write!(
                f,
                "each of {} elements takes {calls:.1} calls of {instructions:.0} instructions and {cycles:.0} cycles, at least one of them through a pointer",
                count_in_words(*elements)
            ),
            Self::Halving { searches, steps, branches, cycles } => write!(
                f,
                "{} searches halve a range {steps:.1} times each, with {branches:.1} branches and {cycles:.0} cycles a step",
                count_in_words(*searches)
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
        let extent = || Extent { complete: false, iterations: 9000 };
        hold(&[
            (
                Shape::Search { entries: 693_000, elements: 1102.3, leaves: false },
                "0.69 million times it compares 1102 elements on average, and does nothing else with them",
            ),
            (
                Shape::Search { entries: 5000, elements: 80.0, leaves: true },
                "5000 times it compares 80 elements on average until one fits or all are compared, and does nothing else with them",
            ),
            (
                Shape::Descents { entries: 5000, bytes: 4_000_000 },
                "it begins 5000 walks along links, over at least 4000 kB of elements",
            ),
            (Shape::OneRegion { bytes: 8000, entries: 64 }, "64 traced entries read the same 8000 bytes"),
            (
                Shape::AgainstIndex { search: 2447.0, index: (5.0, 60.0) },
                "a search takes 2447 ns; a query to a hash table, a heap or a tree of as many elements 5 to 60 ns",
            ),
            (
                Shape::TableWalk { bytes: 1024, extent: extent(), cycles: 7.26 },
                "each look-up needs the one before it and takes 7.3 cycles, in a table of which 1024 bytes were used in 9000 traced iterations",
            ),
            (
                Shape::BitByBit { entries: 4000, bits: 8.0, cycles: 29.6 },
                "4000 times it works on 8 bits, one after the other, in 30 cycles",
            ),
            (Shape::Instead { now: 29.6, then: (7.0, 9.0) }, "30 cycles at present; 7 to 9 after the change"),
            (
                Shape::Window {
                    place: "k.c:9".into(),
                    elements: 31.0,
                    step: 8,
                    bytes: 240.0,
                    extent: extent(),
                },
                "the loop at k.c:9 moves a window of 31 elements by 8 of 240 bytes and accumulates all of them again, in 9000 traced iterations",
            ),
            (
                Shape::CallsPerElement { elements: 50_000, calls: 17.0, instructions: 12.0, cycles: 30.0 },
                "each of 50000 elements takes 17.0 calls of 12 instructions and 30 cycles, at least one of them through a pointer",
            ),
            (
                Shape::Halving { searches: 9000, steps: 16.9, branches: 2.0, cycles: 14.0 },
                "9000 searches halve a range 16.9 times each, with 2.0 branches and 14 cycles a step",
            ),
        ]);
    }
}
