//! Large messages in chunks over several connections.
//!
//! A message is cut into chunks that are given to the connections in turn; it has arrived when the busiest connection is done. So
//! bandwidth is highest where all connections have as many chunks, and lower above: without such an overshoot in what was measured,
//! chunks cannot be told from one faster connection, and none are fitted.

use super::line::{EVIDENCE, Lines, criterion, squares_of, through};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sizes of chunks that are tried, in bytes: libraries that use several connections cut at about 1 MiB.
const CHUNKS: std::ops::RangeInclusive<u32> = 17..=21;
/// Most connections that are tried.
const CONNECTIONS: u32 = 8;
/// The overshoot: a middle size has this multiple of the largest one's bandwidth, beyond what samples differ by.
const OVERSHOOT: f64 = 1.1;
/// Criteria that differ by less are those of equal fits.
const SAME: f64 = 1e-6;
/// Sizes above a chunk that are needed for its two figures.
const FEWEST: usize = 4;

/// Large messages in chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chunks {
    /// Bytes of a chunk.
    pub chunk_bytes: u64,
    /// Connections that take them in turn.
    pub connections: u32,
    /// Seconds of a message beside those of its bytes.
    pub latency_seconds: f64,
    /// Seconds of each byte on one connection.
    pub byte_seconds: f64,
}

impl Chunks {
    /// Seconds of a message.
    pub fn seconds(&self, bytes: u64) -> f64 {
        self.latency_seconds + self.byte_seconds * busiest(bytes, self.chunk_bytes, self.connections) as f64
    }
}

/// Bytes of the connection that has most.
fn busiest(bytes: u64, chunk: u64, connections: u32) -> u64 {
    let chunk = chunk.max(1);
    let (whole, rest, connections) = (bytes / chunk, bytes % chunk, u64::from(connections.max(1)));
    let even = (whole / connections).saturating_mul(chunk);
    even.saturating_add(if whole % connections == 0 { rest } else { chunk })
}

/// The chunks that describe these (bytes, seconds) better than lines do.
pub(super) fn chunks(points: &[(u64, f64)], lines: &Lines) -> Option<Chunks> {
    let latency = lines.large.unwrap_or(lines.small).latency_seconds;
    let bandwidth = |&(bytes, seconds): &(u64, f64)| bytes as f64 / (seconds - latency).max(seconds * 0.01);
    let last = bandwidth(points.last()?);
    let overshoots = points.iter().any(|p| p.0 >= 1 << *CHUNKS.start() && bandwidth(p) > OVERSHOOT * last);
    if !overshoots {
        return None;
    }
    let straight = |bytes: u64| {
        let large = lines.large.filter(|_| lines.limit.is_some_and(|limit| bytes > limit));
        large.unwrap_or(lines.small).seconds(bytes)
    };
    let mut best = None;
    let figures = if lines.large.is_some() { 5 } else { 2 };
    let mut least = criterion(points.len(), lines.squares, figures) - EVIDENCE;
    // Half the chunk on twice the connections takes as long for many sizes: of equal ones the larger chunk is taken.
    for chunk_bytes in CHUNKS.rev().map(|power| 1u64 << power) {
        let (below, above): (Vec<_>, Vec<_>) = points.iter().partition(|(bytes, _)| *bytes <= chunk_bytes);
        if above.len() < FEWEST {
            continue;
        }
        for connections in 2..=CONNECTIONS {
            let line = through(&above, |bytes| busiest(bytes, chunk_bytes, connections) as f64);
            let found = Chunks {
                chunk_bytes,
                connections,
                latency_seconds: line.latency_seconds,
                byte_seconds: line.byte_seconds,
            };
            let sum = squares_of(&below, straight) + squares_of(&above, |bytes| found.seconds(bytes));
            // Both figures of the line, the size and the number.
            let value = criterion(points.len(), sum, figures + 4);
            if value < least - SAME {
                least = value;
                best = Some(found);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_connection_has_the_last_chunks() {
        assert_eq!([0, 5, 10, 15, 20, 25, 30].map(|bytes| busiest(bytes, 10, 2)), [0, 5, 10, 10, 10, 15, 20]);
        assert_eq!((busiest(7, 0, 0), busiest(u64::MAX, 1, 1)), (7, u64::MAX));
    }
}
