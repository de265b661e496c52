//! How often loops ran, and for how long.

use super::operands::Extent;
use super::words::{bytes_in_words, count_in_words, counted, percent};
use loopwright_analysis::model::TripCount;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// How often a loop was entered, and how many machine iterations an entry had.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CountedEntries")]
pub struct Entries {
    /// Entries.
    pub entries: u64,
    /// Median of the machine iterations of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median: Option<u64>,
    /// Bounds of the median, where it is not known exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_bounds: Option<(u64, u64)>,
    /// Mean of the machine iterations of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The distribution is not exact.
    pub approximate: bool,
}

impl Entries {
    /// The entries of a loop, where they are counted.
    pub fn of(trips: &TripCount) -> Option<Self> {
        let TripCount { median, median_bounds, mean, approximate, .. } = *trips;
        (median.is_some() || median_bounds.is_some() || mean.is_some()).then_some(())?;
        Some(Self { entries: trips.entries?, median, median_bounds, mean, approximate })
    }
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if self.entries == 1 {
            "1 time".into()
        } else {
            format!("{} times", count_in_words(self.entries))
        };
        write!(f, "it was entered {times}, ")?;
        let about = if self.approximate { "about " } else { "" };
        match (self.median, self.median_bounds) {
            (Some(exact), _) => write!(f, "median {about}{exact}")?,
            (None, Some((low, high))) => write!(f, "median {about}{low} to {high}")?,
            (None, None) => write!(f, "mean {:.1}", self.mean.unwrap_or_default())?,
        }
        write!(f, " machine iterations each")
    }
}

/// How often loops ran, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "TripEvidence")]
pub enum Trips {
    /// How often the loop was entered.
    Entered {
        /// Entries and iterations.
        counted: Entries,
        /// They are those of the vector body alone.
        body: bool,
        /// Elements that an iteration works on, where it is a vector loop.
        #[serde(skip_serializing_if = "Option::is_none")]
        elements: Option<u32>,
    },
    /// What vectors save in entries of the counted lengths.
    LanesInEntries {
        /// Entries and iterations.
        counted: Entries,
        /// Lanes of a vector.
        lanes: u32,
        /// Factor between scalar and vector iterations.
        factor: f64,
    },
    /// Iterations of an entry as the source has them.
    SourceMean {
        /// Their mean.
        iterations: f64,
    },
    /// Iterations of an entry, estimated from the time of the code around.
    EstimatedIterations {
        /// At least.
        low: f64,
        /// At most.
        high: f64,
    },
    /// What vectors of this length leave over.
    MayBeLeftOver {
        /// Lanes of a vector.
        lanes: u32,
    },
    /// Vector iterations of short entries, with a remainder and padded.
    PaddedPasses {
        /// Lanes of a vector.
        lanes: u32,
        /// Factor between scalar and vector iterations with a scalar remainder.
        with_remainder: f64,
        /// The same with the count padded to whole vectors.
        padded: f64,
        /// The iterations, where they are a constant, and what they are padded to.
        #[serde(skip_serializing_if = "Option::is_none")]
        constant: Option<(u64, u64)>,
    },
    /// The trip count is a constant of the code.
    ConstantTrips {
        /// Iterations.
        iterations: u64,
    },
    /// The share of the iterations that the vector body does not run.
    RemainderShare {
        /// Share of the source iterations in the remainder.
        remainder: f64,
        /// Share of the source iterations in the peel loop.
        peel: f64,
        /// Mean of the source iterations of an entry.
        #[serde(skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
        /// Elements of one iteration of the body.
        vector_length: u32,
        /// Iterations left over each time, on average.
        left: f64,
    },
    /// Iterations that the body leaves over in each entry, by the code.
    LeftEachTime {
        /// Iterations.
        iterations: u64,
    },
    /// A short loop in a nest.
    RunsPerEntry {
        /// Iterations of an entry, on average.
        iterations: f64,
        /// Entries.
        entries: u64,
        /// A long loop around: its place, and its iterations on average.
        #[serde(skip_serializing_if = "Option::is_none")]
        around: Option<(String, f64)>,
    },
    /// Another loop runs over the same range.
    SameRange {
        /// Place of the other loop.
        place: String,
        /// Its share of the CPU time.
        share: f64,
        /// Entries of both.
        entries: u64,
        /// Iterations of each entry.
        iterations: f64,
    },
    /// What one entry of the loop is.
    Entry {
        /// Iterations, on average.
        iterations: f64,
        /// They are machine iterations: how many of the source each does is not known.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        machine: bool,
        /// Seconds, on average.
        seconds: f64,
    },
    /// What the vector body does of the source iterations.
    BodyShare {
        /// Share of the source iterations.
        share: f64,
    },
    /// The loop has several exits and never took an early one.
    RanToItsEnd {
        /// Exits in its code.
        exits: u32,
    },
    /// A nest tries pairs of elements.
    Pairs {
        /// The outer loop of the nest.
        place: String,
        /// Pairs tried.
        pairs: u64,
        /// Elements that each is tried against, at least.
        against: u64,
        /// Share of the pairs for which something is stored.
        stored: f64,
    },
    /// What trying all pairs takes, beside an index.
    AgainstIndex {
        /// Nanoseconds in which an element is tried against all.
        all: f64,
        /// Nanoseconds of a query to an index, at least and at most.
        index: (f64, f64),
    },
    /// The loop reads the same range again in each iteration of the loop around, or one that begins little later.
    BeginsAgain {
        /// Place of the loop around.
        place: String,
        /// What was traced.
        extent: Extent,
    },
    /// The loop reads more than the process holds while the loop around runs once.
    WalksAgain {
        /// Bytes that it reads.
        bytes: u64,
        /// Place of the loop around.
        place: String,
        /// How many times what the process holds.
        times: f64,
    },
}

impl fmt::Display for Trips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entered { counted, body, elements } => {
                write!(f, "{}{counted}", if *body { "of the body, " } else { "" })?;
                elements.map_or(Ok(()), |elements| write!(f, ", on {elements} elements at a time"))
            }
            Self::LanesInEntries { counted, lanes, factor } => {
                write!(f, "{counted}: {lanes} lanes divide the number of iterations by {factor:.1}")
            }
            Self::SourceMean { iterations } => {
                write!(f, "as written it does {iterations:.1} iterations per entry on average")
            }
            Self::EstimatedIterations { low, high } => write!(
                f,
                "at equal cost per instruction that means some {low:.0} to {high:.0} iterations per entry, no long loop"
            ),
            Self::MayBeLeftOver { lanes } => write!(
                f,
                "on {lanes} lanes a count that is no multiple of {lanes} leaves up to {} scalar iterations",
                lanes - 1
            ),
            Self::PaddedPasses { lanes, with_remainder, padded, constant: None } => write!(
                f,
                "on {lanes} lanes its entries take {with_remainder:.1} times fewer iterations with a remainder, {padded:.1} times padded"
            ),
            Self::PaddedPasses { lanes, with_remainder, padded, constant: Some((trips, to)) } => write!(
                f,
                "{lanes} lanes make {trips} iterations {with_remainder:.1} times fewer machine iterations, padded to {to} {padded:.1} times"
            ),
            Self::ConstantTrips { iterations } => {
                write!(f, "its trip count is a constant, {iterations}, inside another loop")
            }
            Self::RemainderShare { remainder, peel, mean, vector_length, left } => {
                write!(f, "the remainder runs {}", percent(*remainder))?;
                if *peel > 0.0 {
                    write!(f, " and the peel loop {}", percent(*peel))?;
                }
                write!(f, " of the loop's source iterations (")?;
                if let Some(mean) = mean {
                    write!(f, "mean {mean:.1} source iterations per entry, ")?;
                }
                write!(f, "vector length {vector_length}, {left:.1} left over each time)")
            }
            Self::LeftEachTime { iterations } => write!(f, "{iterations} iterations are left over each time"),
            Self::RunsPerEntry { iterations, entries, around } => {
                let entries = count_in_words(*entries);
                match around {
                    Some((place, mean)) => write!(
                        f,
                        "it runs {iterations:.1} iterations in each of {entries} entries; the loop at {place} around it runs {mean:.0}"
                    ),
                    None if iterations.fract() == 0.0 => {
                        write!(f, "it runs {iterations:.0} iterations in each of {entries} entries")
                    }
                    None => write!(
                        f,
                        "it runs {iterations:.1} iterations on average in each of {entries} entries"
                    ),
                }
            }
            Self::SameRange { place, share, entries, iterations } => write!(
                f,
                "the loop at {place} ({} of the CPU time) was entered as often ({entries} times) for as many iterations ({iterations:.0} each)",
                percent(*share)
            ),
            Self::Entry { iterations, machine, seconds } => write!(
                f,
                "an entry has {iterations:.0} {}iterations and lasts {:.1} ms on average",
                if *machine { "machine " } else { "" },
                seconds * 1e3
            ),
            Self::BodyShare { share } => {
                write!(f, "its vector body does {} of the source iterations", percent(*share))
            }
            Self::RanToItsEnd { exits } => {
                write!(
                    f,
                    "its code can leave at {}, but every entry made as many iterations",
                    counted(*exits, "place")
                )
            }
            Self::Pairs { place, pairs, against, stored } => write!(
                f,
                "the loop at {place} tries {} pairs, each element against {} or more, and stores in {:.1} % of them",
                count_in_words(*pairs),
                count_in_words(*against),
                (stored * 100.0).min(100.0)
            ),
            Self::AgainstIndex { all, index } => write!(
                f,
                "an element takes {all:.0} ns to try against all; a query to an index {:.0} to {:.0} ns",
                index.0, index.1
            ),
            Self::BeginsAgain { place, extent } => {
                write!(
                    f,
                    "each iteration of the loop at {place} reads the same range again, or one that begins a few elements later, {extent}"
                )
            }
            Self::WalksAgain { bytes, place, times } => write!(
                f,
                "it walks over {} while the loop at {place} runs once, {times:.0} times what the process holds",
                bytes_in_words(*bytes)
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
        let counted = || Entries {
            entries: 200,
            median: Some(19),
            median_bounds: None,
            mean: Some(19.0),
            approximate: false,
        };
        let runs = |iterations, around: Option<(&str, f64)>| Trips::RunsPerEntry {
            iterations,
            entries: 1000,
            around: around.map(|(place, mean)| (place.to_owned(), mean)),
        };
        let left =
            |peel, mean| Trips::RemainderShare { remainder: 0.4, peel, mean, vector_length: 4, left: 3.0 };
        hold(&[
            (
                Trips::Entered { counted: counted(), body: false, elements: None },
                "it was entered 200 times, median 19 machine iterations each",
            ),
            (
                Trips::Entered { counted: counted(), body: true, elements: Some(4) },
                "of the body, it was entered 200 times, median 19 machine iterations each, on 4 elements at a time",
            ),
            (
                Trips::LanesInEntries { counted: counted(), lanes: 4, factor: 2.7 },
                "it was entered 200 times, median 19 machine iterations each: 4 lanes divide the number of iterations by 2.7",
            ),
            (
                Trips::SourceMean { iterations: 19.0 },
                "as written it does 19.0 iterations per entry on average",
            ),
            (
                Trips::EstimatedIterations { low: 9.6, high: 38.4 },
                "at equal cost per instruction that means some 10 to 38 iterations per entry, no long loop",
            ),
            (
                Trips::MayBeLeftOver { lanes: 4 },
                "on 4 lanes a count that is no multiple of 4 leaves up to 3 scalar iterations",
            ),
            (
                Trips::PaddedPasses { lanes: 4, with_remainder: 2.7, padded: 3.8, constant: None },
                "on 4 lanes its entries take 2.7 times fewer iterations with a remainder, 3.8 times padded",
            ),
            (
                Trips::PaddedPasses { lanes: 4, with_remainder: 2.7, padded: 3.8, constant: Some((19, 20)) },
                "4 lanes make 19 iterations 2.7 times fewer machine iterations, padded to 20 3.8 times",
            ),
            (
                Trips::ConstantTrips { iterations: 19 },
                "its trip count is a constant, 19, inside another loop",
            ),
            (
                left(0.0, None),
                "the remainder runs 40.0 % of the loop's source iterations (vector length 4, 3.0 left over each time)",
            ),
            (
                left(0.1, Some(7.0)),
                "the remainder runs 40.0 % and the peel loop 10.0 % of the loop's source iterations (mean 7.0 source iterations per entry, vector length 4, 3.0 left over each time)",
            ),
            (Trips::LeftEachTime { iterations: 3 }, "3 iterations are left over each time"),
            (
                runs(5.2, Some(("k.c:9", 999.6))),
                "it runs 5.2 iterations in each of 1000 entries; the loop at k.c:9 around it runs 1000",
            ),
            (runs(5.0, None), "it runs 5 iterations in each of 1000 entries"),
            (runs(5.5, None), "it runs 5.5 iterations on average in each of 1000 entries"),
            (
                Trips::SameRange { place: "k.c:9".into(), share: 0.2, entries: 10, iterations: 1000.0 },
                "the loop at k.c:9 (20.0 % of the CPU time) was entered as often (10 times) for as many iterations (1000 each)",
            ),
            (
                Trips::Entry { iterations: 480.0, machine: false, seconds: 0.9 },
                "an entry has 480 iterations and lasts 900.0 ms on average",
            ),
            (
                Trips::Entry { iterations: 480.0, machine: true, seconds: 0.9 },
                "an entry has 480 machine iterations and lasts 900.0 ms on average",
            ),
            (Trips::BodyShare { share: 0.9 }, "its vector body does 90.0 % of the source iterations"),
            (
                Trips::RanToItsEnd { exits: 2 },
                "its code can leave at 2 places, but every entry made as many iterations",
            ),
            (
                Trips::Pairs { place: "k.c:9".into(), pairs: 400_000_000, against: 5000, stored: 0.02 },
                "the loop at k.c:9 tries 400 million pairs, each element against 5000 or more, and stores in 2.0 % of them",
            ),
            (
                Trips::AgainstIndex { all: 5000.0, index: (60.0, 900.0) },
                "an element takes 5000 ns to try against all; a query to an index 60 to 900 ns",
            ),
            (
                Trips::BeginsAgain {
                    place: "k.c:9".into(),
                    extent: Extent { complete: false, iterations: 0 },
                },
                "each iteration of the loop at k.c:9 reads the same range again, or one that begins a few elements later, while it was traced",
            ),
            (
                Trips::WalksAgain { bytes: 9_600_000_000, place: "k.c:9".into(), times: 96.0 },
                "it walks over 9600 MB while the loop at k.c:9 runs once, 96 times what the process holds",
            ),
        ]);
    }
}
