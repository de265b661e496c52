//! Reads what the measuring program printed, which is another program's text: bounded, and never trusted.

use std::str::FromStr;

/// The first line: raise its number when lines change their meaning.
const HEAD: &str = "loopwright-network 1";
/// The one after the last.
const END: &str = "end";
/// Most lines, and most samples of one; the program prints below a hundred lines of at most a thousand samples.
const MOST_LINES: usize = 1000;
const MOST_SAMPLES: usize = 100_000;
/// Most characters of the library's name that are kept.
const LONGEST_NAME: usize = 100;
/// Fewest samples of a size: a quantile of 10 % of fewer is the best one, which luck decides.
const FEWEST: usize = 10;
/// The quantile that is used: a low one, since whatever disturbs makes a message slower.
const LOW: f64 = 0.1;
/// The one that it is compared with.
const QUARTER: f64 = 0.25;
/// Largest multiple of the one by the other: above, one message in four is disturbed so much that the low quantile is, too.
const LARGEST_SPREAD: f64 = 2.0;

/// Why a measurement gives no figures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetworkRefused {
    /// It is not what the program prints.
    #[error("line {line} of what the measuring program printed is not one of its own: {what}")]
    Damaged {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The last line is missing.
    #[error("the measuring program did not come to its end; see above what it said")]
    Unfinished,
    /// The program saw one rank.
    #[error(
        "the measuring program saw one rank only: mpicc belongs to another MPI than the launcher does; name its own with --mpicc"
    )]
    OneRank,
    /// Samples of a size differ too much.
    #[error(
        "no figures: round trips of {bytes} B differ too much ({what}: a tenth is below {low_us:.2} us, a quarter below {ratio:.1} \
         times that); measure on quiet nodes, each rank on a core of its own"
    )]
    Spread {
        /// What was sampled.
        what: String,
        /// Bytes of a message.
        bytes: u64,
        /// Microseconds of the low quantile.
        low_us: f64,
        /// The quartile as a multiple of it.
        ratio: f64,
    },
    /// An empty message takes as long as a scheduler lets another process run.
    #[error(
        "no figures: an empty message takes {:.1} ms, which is the scheduler's time and not the network's: ranks share a CPU; give \
         each rank a core of its own",
        seconds * 1e3
    )]
    SharedCpu {
        /// Its seconds.
        seconds: f64,
    },
    /// There are not enough sizes for a line, or not enough samples of a size.
    #[error(
        "no figures: {sizes} sizes of messages were measured often enough, a line needs 4; give the measurement more time"
    )]
    TooFew {
        /// Sizes.
        sizes: usize,
    },
}

/// Samples of one size.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sampled {
    pub what: String,
    pub bytes: u64,
    /// Ascending.
    pub seconds: Vec<f64>,
}

impl Sampled {
    /// The low quantile, and how far the quartile is above it.
    pub fn steady(&self) -> Result<(f64, f64), NetworkRefused> {
        let n = self.seconds.len();
        if n < FEWEST {
            return Err(NetworkRefused::TooFew { sizes: 0 });
        }
        let at = |quantile: f64| self.seconds[((n as f64 * quantile) as usize).min(n - 1)];
        let (low, quarter) = (at(LOW), at(QUARTER));
        let ratio = quarter / low;
        if ratio > LARGEST_SPREAD {
            let what = self.what.clone();
            return Err(NetworkRefused::Spread { what, bytes: self.bytes, low_us: low * 1e6, ratio });
        }
        Ok((low, ratio))
    }
}

/// All that was printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Samples {
    pub library: String,
    pub ranks: u32,
    pub nodes: u32,
    sampled: Vec<Sampled>,
}

impl Samples {
    pub fn of<'a>(&'a self, what: &'a str) -> impl Iterator<Item = &'a Sampled> {
        self.sampled.iter().filter(move |sampled| sampled.what == what)
    }

    pub fn read(printed: &[u8]) -> Result<Self, NetworkRefused> {
        let text = String::from_utf8_lossy(printed);
        let mut found = Self::default();
        let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line)).take(MOST_LINES);
        // Launchers and libraries may print before it.
        if !lines.by_ref().any(|(_, line)| line.trim() == HEAD) {
            return Err(NetworkRefused::Unfinished);
        }
        let mut ended = false;
        for (number, line) in lines {
            let damaged = |what| NetworkRefused::Damaged { line: number, what };
            match line.split_once(' ') {
                None if line.trim() == END => {
                    ended = true;
                    break;
                }
                Some(("library", name)) => {
                    found.library = name.split_whitespace().collect::<Vec<_>>().join(" ");
                    found.library = found.library.chars().take(LONGEST_NAME).collect();
                }
                Some(("ranks", numbers)) => {
                    let mut numbers = numbers.split_whitespace().map(u32::from_str);
                    let mut next =
                        || numbers.next().and_then(Result::ok).ok_or(damaged("two numbers are wanted"));
                    (found.ranks, found.nodes) = (next()?, next()?);
                }
                Some((
                    what @ ("node" | "node-window" | "between" | "between-window" | "barrier" | "allreduce"),
                    rest,
                )) => {
                    found.sampled.push(sampled(what, rest).map_err(damaged)?);
                }
                _ => return Err(damaged("its first word is not known")),
            }
        }
        match (found.ranks, ended) {
            (1, _) => Err(NetworkRefused::OneRank),
            (_, false) => Err(NetworkRefused::Unfinished),
            _ => Ok(found),
        }
    }
}

fn sampled(what: &str, rest: &str) -> Result<Sampled, &'static str> {
    let mut words = rest.split_whitespace();
    let bytes =
        words.next().and_then(|word| word.parse().ok()).ok_or("its second word is no number of bytes")?;
    let mut seconds = Vec::new();
    for word in words {
        let nanoseconds: f64 = word.parse().map_err(|_| "a sample is no number")?;
        if !(nanoseconds.is_finite() && nanoseconds >= 0.0) || seconds.len() == MOST_SAMPLES {
            return Err("a sample is no time, or there are too many");
        }
        // A clock that did not move between two reads: the time is below its resolution, not nothing.
        seconds.push(nanoseconds.max(1.0) * 1e-9);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(Sampled { what: what.to_owned(), bytes, seconds })
}
