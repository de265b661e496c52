//! Accesses, caches and their traffic.

use super::operands::{Extent, Operand, Order, OuterMove, Pass, Stride, moves, named};
use super::words::{bytes_in_words, count_in_words, counted, percent};
use loopwright_vocabulary::MemoryLevel;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Accesses, caches and their traffic.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "MemoryEvidence")]
pub enum Memory {
    /// How near the loop is to what a level of memory delivers.
    OfMemoryRoof {
        /// Share of what the level delivers.
        share: f64,
        /// The level.
        level: MemoryLevel,
        /// GB/s that the loop achieves and that the level delivers.
        #[serde(skip_serializing_if = "Option::is_none")]
        gbytes_per_second: Option<(f64, f64)>,
        /// The loop's data is known not to fit into the caches.
        beyond_caches: bool,
    },
    /// Arithmetic and bytes of the loop.
    Intensity {
        /// FLOP per byte; absent where there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        flop_per_byte: Option<f64>,
        /// Bytes moved.
        bytes: u64,
    },
    /// Bytes of a pass over the data that a cache does not hold.
    PassBeyond {
        /// The pass.
        pass: Pass,
        /// The cache.
        level: MemoryLevel,
    },
    /// The same bytes are moved again and again.
    MovedAgain {
        /// Bytes that a library moved; absent where they are those of the loop.
        #[serde(skip_serializing_if = "Option::is_none")]
        by_library: Option<u64>,
        /// The most that the process held.
        resident: u64,
        /// How often each byte is moved, at least.
        times: f64,
    },
    /// The ceiling once the data is in a nearer cache.
    NextCeiling {
        /// The nearer cache.
        level: MemoryLevel,
        /// The loop's own arithmetic is that ceiling, not the cache.
        arithmetic: bool,
        /// How many times higher it is.
        times: f64,
    },
    /// Bytes that go through the caches, and stores among them.
    ThroughCaches {
        /// The pass.
        pass: Pass,
        /// Bytes of the last-level cache.
        cache: u64,
        /// Share of the bytes that are stored.
        stored: f64,
    },
    /// Bytes without the reads that stores cause.
    WithoutReads {
        /// How many times fewer.
        times: f64,
    },
    /// Stores to elements that the loop does not read.
    StoredOnly {
        /// The stores.
        operands: Vec<Operand>,
        /// What was traced.
        extent: Extent,
    },
    /// The stored arrays may be those that are read.
    MayUpdateInPlace,
    /// Bytes of two loops.
    TwoMove {
        /// Bytes that the loop moves.
        bytes: u64,
        /// Bytes that the other one moves.
        other: u64,
    },
    /// Loops that pass over arrays of one length.
    Passes {
        /// Loops.
        loops: usize,
        /// Elements of each pass.
        elements: f64,
        /// Share of the CPU time of all.
        share: f64,
        /// Bytes that all move.
        bytes: u64,
        /// Bytes that the one moves that moves most.
        largest: u64,
    },
    /// Operands that move by a constant stride, as traced.
    Strided {
        /// The operands, one for each access.
        operands: Vec<Operand>,
        /// Stride of the first.
        stride: Stride,
        /// Share of the bytes of the cache lines touched that are used.
        #[serde(skip_serializing_if = "Option::is_none")]
        used: Option<f64>,
        /// How it moves over a loop around.
        #[serde(skip_serializing_if = "Option::is_none")]
        outer: Option<OuterMove>,
        /// What was traced.
        extent: Extent,
    },
    /// Operands that move by no constant stride.
    Scattered {
        /// The operands, one for each access.
        operands: Vec<Operand>,
        /// Share of the steps that stay on their cache line.
        same_line: f64,
        /// Share of the steps that stay on their page.
        same_page: f64,
        /// Bytes that they go over.
        bytes: u64,
        /// What was traced.
        extent: Extent,
    },
    /// Indirect accesses whose order follows a rule.
    Ordered {
        /// The operands, one for each access.
        operands: Vec<Operand>,
        /// The order is that of the lanes of a gather, not of the loop's steps.
        of_lanes: bool,
        /// The order.
        order: Order,
        /// Share of the executions.
        share: f64,
        /// What was traced.
        extent: Extent,
    },
    /// A load and a store with the same lowest 12 bits of their addresses.
    Aliases {
        /// The load.
        load: Operand,
        /// The store.
        store: Operand,
        /// Bytes from the store to the load, in these bits.
        offset: u32,
        /// Share of the load's executions.
        share: f64,
        /// What was traced.
        extent: Extent,
    },
    /// What such loads cost.
    AliasCycles {
        /// Cycles of a load that is issued again.
        cycles: f64,
        /// Cycles of an iteration, at most.
        per_iteration: f64,
    },
    /// Vector accesses that touch two cache lines.
    Splits {
        /// Their share of the vector accesses.
        share: f64,
        /// The operands, one for each access.
        operands: Vec<Operand>,
        /// The largest share of a single one.
        worst: f64,
        /// What was traced.
        extent: Extent,
    },
    /// What such accesses cost.
    SplitCycles {
        /// Cycles of a split, at least and at most.
        each: (f64, f64),
        /// Cycles of an iteration, at least and at most.
        per_iteration: (f64, f64),
        /// All cycles of an iteration, where they are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<f64>,
    },
    /// Pages that the loop touches.
    Pages {
        /// Pages of 4 KiB.
        pages: u64,
        /// There may be more.
        at_least: bool,
        /// Pages that the second-level TLB remembers.
        entries: u64,
        /// What was traced.
        extent: Extent,
    },
    /// Simulated misses of the TLBs in an iteration.
    TlbMisses {
        /// Of the first level.
        first: f64,
        /// Of the second level.
        second: f64,
    },
    /// Operands that leave their page often.
    LeavePages {
        /// The operands, one for each access.
        operands: Vec<Operand>,
        /// Their share of the accesses.
        share: f64,
    },
    /// Cache lines that are fetched by some accesses, and the time that goes to traffic.
    TrafficShare {
        /// Share of the lines.
        lines: f64,
        /// These would not be fetched after the change.
        saved: bool,
        /// Share of the loop's time that is traffic, at least and at most.
        time: (f64, f64),
    },
    /// Cache lines of an iteration in two orders of the loops.
    LinesPerIteration {
        /// In this order.
        now: f64,
        /// In the other.
        then: f64,
        /// The other order goes through tiles.
        tiles: bool,
    },
    /// Misses of an iteration.
    MissesEach {
        /// Of the first cache.
        first: f64,
        /// Of the second.
        second: f64,
    },
    /// Operands that advance by more than their size, in the code.
    AdvancesBy {
        /// Operands.
        operands: u32,
        /// Bytes of each.
        size: u32,
        /// Bytes that they advance by.
        bytes: u64,
        /// Source lines that they are on.
        lines: u32,
    },
    /// Operands that advance by a page or more.
    AdvancesByPages {
        /// Such operands.
        operands: usize,
        /// All moving operands.
        of: usize,
        /// The longest stride in bytes.
        longest: u64,
    },
    /// Iterations that update an element of a table which one shortly before has updated.
    RepeatedUpdates {
        /// The update.
        operand: Operand,
        /// Share of the iterations.
        share: f64,
        /// Iterations back, at most.
        within: u64,
        /// Bytes of the table that were touched.
        bytes: u64,
        /// What was traced.
        extent: Extent,
    },
    /// Loads that fetch addresses.
    AddressLoads {
        /// Such loads.
        addresses: u32,
        /// All loads.
        loads: u32,
    },
    /// Loads from addresses that do not move, beside a store that moves.
    FixedLoads {
        /// Such loads.
        loads: u32,
        /// Their source lines.
        lines: Vec<u32>,
    },
    /// The part of the loads in the code that an iteration executes.
    LoadsExecuted {
        /// Share of the bytes.
        share: f64,
        /// Tests that skip the rest; absent where masks switch it off.
        #[serde(skip_serializing_if = "Option::is_none")]
        tests: Option<f64>,
    },
    /// Cache lines that come back after too many others.
    Reused {
        /// Share of the uses of lines.
        share: f64,
        /// Loop whose iterations are between two uses.
        place: String,
        /// Bytes of other lines between two uses, on average.
        apart: u64,
        /// A cache that holds less.
        level: MemoryLevel,
        /// Bytes that it holds.
        holds: u64,
        /// What was traced.
        extent: Extent,
    },
    /// Cache lines that must come back, because the process holds fewer.
    ReusedUnseen {
        /// Bytes of lines that bursts met for the first time, added up.
        first_met: u64,
        /// Loop that runs once meanwhile.
        place: String,
        /// Bytes that the process holds.
        resident: u64,
        /// Bytes of other lines between two uses, at most.
        apart: u64,
        /// A cache that holds less.
        level: MemoryLevel,
        /// Bytes that it holds.
        holds: u64,
    },
    /// The part of a cache's misses that such uses are.
    OfMisses {
        /// Share of the simulated misses.
        share: f64,
        /// There may be more.
        at_least: bool,
        /// The cache.
        level: MemoryLevel,
    },
    /// A block of iterations that stays in a cache.
    Block {
        /// Iterations of the block.
        iterations: u64,
        /// Loop that is cut into blocks.
        cut: String,
        /// The cache, of which they touch half.
        level: MemoryLevel,
        /// Loop whose iterations use the block again.
        place: String,
    },
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfMemoryRoof { share, level, gbytes_per_second, beyond_caches } => {
                write!(f, "its traffic is {:.0} % of what {level} delivers", share * 100.0)?;
                if let Some((achieved, roof)) = gbytes_per_second {
                    write!(f, ": {achieved:.1} of {roof:.1} GB/s")?;
                }
                if *beyond_caches { write!(f, ", and its data does not fit into the caches") } else { Ok(()) }
            }
            Self::Intensity { flop_per_byte, bytes } => {
                let work = flop_per_byte
                    .map_or_else(|| "no floating-point operation".to_owned(), |i| format!("{i:.2} FLOP"));
                write!(f, "it does {work} per byte and moves {}", bytes_in_words(*bytes))
            }
            Self::PassBeyond { pass, level } => {
                write!(f, "{} of that {}, more than {level} holds", bytes_in_words(pass.bytes), pass.over())
            }
            Self::MovedAgain { by_library: None, resident, times } => write!(
                f,
                "the process never held more than {}, so each byte is moved {times:.0} times or more",
                bytes_in_words(*resident)
            ),
            Self::MovedAgain { by_library: Some(moved), resident, times } => write!(
                f,
                "the library moved {}, and the process never held more than {}: each byte {times:.0} times or more",
                bytes_in_words(*moved),
                bytes_in_words(*resident)
            ),
            Self::NextCeiling { level, arithmetic, times } => write!(
                f,
                "with its data in {level}, {} is the next ceiling, {times:.1} times higher",
                if *arithmetic { "its own arithmetic".to_owned() } else { level.to_string() }
            ),
            Self::ThroughCaches { pass, cache, stored } => write!(
                f,
                "it moves {} through the caches {}, {:.1} times the last-level cache of {}; {} of its bytes are stores",
                bytes_in_words(pass.bytes),
                pass.over(),
                pass.bytes as f64 / *cache as f64,
                bytes_in_words(*cache),
                percent(*stored)
            ),
            Self::WithoutReads { times } => {
                write!(f, "without the reads before its stores it moves {times:.2} times fewer bytes")
            }
            Self::StoredOnly { operands, extent } => write!(
                f,
                "the stores to {} go to consecutive elements, none of which the loop reads, {extent}",
                named(operands)
            ),
            Self::MayUpdateInPlace => {
                write!(f, "it reads as many arrays as it writes: if they are the same, nothing is saved")
            }
            Self::TwoMove { bytes, other } => {
                write!(f, "the two move {} and {}", bytes_in_words(*bytes), bytes_in_words(*other))
            }
            Self::Passes { loops, elements, share, bytes, largest } => write!(
                f,
                "{loops} loops pass over {} elements each; together they take {} of the CPU time and move {}, the largest of them {}",
                count_in_words(*elements as u64),
                percent(*share),
                bytes_in_words(*bytes),
                bytes_in_words(*largest)
            ),
            Self::Strided { operands, stride, used, outer, extent } => {
                write!(f, "{} {} by {stride}", named(operands), moves(operands))?;
                if let Some(used) = used {
                    write!(f, "; {} of the bytes in the cache lines touched are used", percent(*used))?;
                }
                if let Some(outer) = outer {
                    write!(f, " here, and by {outer} over the loop at {}", outer.place)?;
                }
                write!(f, ", {extent}")
            }
            Self::Scattered { operands, same_line, same_page, bytes, extent } => write!(
                f,
                "{} {} by no constant stride: {} of the steps stay on their cache line and {} on their page, {} touched, {extent}",
                named(operands),
                moves(operands),
                percent(*same_line),
                percent(*same_page),
                bytes_in_words(*bytes)
            ),
            Self::Ordered { operands, of_lanes, order, share, extent } => write!(
                f,
                "{} {} {order} in {} of the executions, {extent}",
                if *of_lanes { "The lanes of" } else { "The steps of" },
                named(operands),
                percent(*share)
            ),
            Self::Aliases { load, store, offset, share, extent } => write!(
                f,
                "the load {load} meets the store {store} in the lowest 12 bits of the address, {offset} bytes after it, in {} of its executions, {extent}",
                percent(*share)
            ),
            Self::AliasCycles { cycles, per_iteration } => write!(
                f,
                "a load that waits for the full comparison is issued again about {cycles} cycles later: {per_iteration:.1} per iteration at most"
            ),
            Self::Splits { share, operands, worst, extent } => write!(
                f,
                "{} of the vector accesses touch two cache lines ({}, up to {}), {extent}",
                percent(*share),
                named(operands),
                percent(*worst)
            ),
            Self::SplitCycles { each, per_iteration, of } => {
                write!(
                    f,
                    "a split costs {} to {} cycles, {:.1} to {:.1} per iteration",
                    each.0, each.1, per_iteration.0, per_iteration.1
                )?;
                of.map_or(Ok(()), |cycles| write!(f, " of {cycles:.1}"))
            }
            Self::Pages { pages, at_least, entries, extent } => write!(
                f,
                "it touches {}{} pages of 4 KiB, {extent}; the second-level TLB remembers {entries} ({})",
                if *at_least { "at least " } else { "" },
                count_in_words(*pages),
                bytes_in_words(entries * 4096)
            ),
            Self::TlbMisses { first, second } => write!(
                f,
                "simulated, at least {first:.2} accesses per iteration miss the first TLB and {second:.2} the second"
            ),
            Self::LeavePages { operands, share } => write!(
                f,
                "{} leave their page often; they are {} of the accesses",
                named(operands),
                percent(*share)
            ),
            Self::TrafficShare { lines, saved, time } => {
                let lines = percent(*lines);
                if *saved {
                    write!(f, "{lines} of the lines would not be fetched")?;
                } else {
                    write!(f, "they fetch {lines} of the lines")?;
                }
                write!(f, "; {} to {} of its time is traffic", percent(time.0), percent(time.1))
            }
            Self::LinesPerIteration { now, then, tiles } => {
                let other = if *tiles { "in tiles" } else { "in the other" };
                write!(f, "an iteration touches {now:.2} cache lines in this order, {then:.2} {other}")
            }
            Self::MissesEach { first, second } => write!(
                f,
                "simulated, an iteration misses the first cache {first:.2} times and the second {second:.2} times"
            ),
            Self::AdvancesBy { operands, size, bytes, lines } => {
                let used = u64::from(*operands) * u64::from(*size);
                let used = if used < *bytes {
                    format!("{used} of {bytes} bytes are used at most")
                } else {
                    "all bytes may be used".to_owned()
                };
                write!(
                    f,
                    "{} of {size} bytes {} by {bytes} bytes per iteration ({used}) on {}",
                    counted(*operands, "operand"),
                    if *operands == 1 { "advances" } else { "advance" },
                    counted(*lines, "source line")
                )
            }
            Self::AdvancesByPages { operands, of, longest } => write!(
                f,
                "{operands} of {of} moving operands advance by a page or more per iteration, up to {longest} bytes"
            ),
            Self::RepeatedUpdates { operand, share, within, bytes, extent } => write!(
                f,
                "{operand} updates an element that one of the {within} iterations before has updated in {} of the iterations, in a table of {}, {extent}",
                percent(*share),
                bytes_in_words(*bytes)
            ),
            Self::AddressLoads { addresses, loads } => {
                write!(f, "{addresses} of {} fetch addresses of other accesses", counted(*loads, "load"))
            }
            Self::FixedLoads { loads, lines } => {
                write!(
                    f,
                    "{} from addresses that do not move, in every iteration, beside a store that moves",
                    counted(*loads, "load")
                )?;
                let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
                if lines.is_empty() { Ok(()) } else { write!(f, " (source lines {})", lines.join(", ")) }
            }
            Self::LoadsExecuted { share, tests } => {
                write!(f, "an iteration really loads {} of what the loop's code loads; ", percent(*share))?;
                match tests {
                    Some(tests) => write!(f, "the rest is skipped by {tests:.1} tests"),
                    None => write!(
                        f,
                        "the rest is switched off by masks, and all paths are computed for all elements"
                    ),
                }
            }
            Self::Reused { share, place, apart, level, holds, extent } => write!(
                f,
                "{} of the uses of cache lines are of lines that were last used in another iteration of the loop at {place}, {} of other lines ago on average; {level} holds {}, {extent}",
                percent(*share),
                bytes_in_words(*apart),
                bytes_in_words(*holds)
            ),
            Self::ReusedUnseen { first_met, place, resident, apart, level, holds } => write!(
                f,
                "the lines that bursts meet for the first time add up to {} while the loop at {place} runs once, but the process holds {}: they come back, from one of its iterations to another, up to {} of other lines later; {level} holds {}",
                bytes_in_words(*first_met),
                bytes_in_words(*resident),
                bytes_in_words(*apart),
                bytes_in_words(*holds)
            ),
            Self::OfMisses { share, at_least, level } => write!(
                f,
                "these are {}{} of the simulated misses of {level}",
                if *at_least { "at least " } else { "" },
                percent(*share)
            ),
            Self::Block { iterations, cut, level, place } => write!(
                f,
                "{} iterations of the loop at {cut} touch half of {level} within one iteration of the loop at {place}",
                count_in_words(*iterations)
            ),
        }
    }
}

#[cfg(test)]
mod tests;
