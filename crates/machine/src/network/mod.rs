//! Communication between ranks: measured by a small program under the user's own launcher and MPI, described by few figures.
//!
//! [`PROBE`] is that program; whoever has a launcher compiles it and runs it. [`fit`] makes a [`Network`] of what it printed, and
//! refuses what is not worth a figure. Sources: R. W. Hockney, The communication challenge for MPP, Parallel Computing 20 (1994)
//! 389 (latency and bandwidth); A. Alexandrov et al., LogGP, SPAA 1995 (the gap from one message to the next).

mod chunks;
mod kept;
mod line;
mod samples;

pub use chunks::Chunks;
pub use kept::{load_network, store_network};
pub use line::HockneyLine;
pub use samples::NetworkRefused;

use samples::{Sampled, Samples};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The program that measures, in C.
pub const PROBE: &str = include_str!("probe.c");

/// Messages that it sends at once: `WINDOW` there.
const WINDOW: f64 = 64.0;
/// No network takes as long for an empty message: Ethernet under TCP takes a tenth of it. Schedulers switch between processes that both
/// want to run after 0.75 ms and more.
const SCHEDULED_SECONDS: f64 = 0.5e-3;
/// Of messages within a node larger ones show where caches end, not what a message takes.
const LARGEST_WITHIN_NODE: u64 = 1 << 20;

/// What communication takes, of the pairs of ranks and of all ranks that were measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Network {
    /// The MPI that was measured, as it calls itself.
    pub library: String,
    /// Ranks of the measurement.
    pub ranks: u32,
    /// Nodes that they ran on.
    pub nodes: u32,
    /// Between two ranks of one node.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub within_node: Option<NetworkPath>,
    /// Between ranks of two nodes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub between_nodes: Option<NetworkPath>,
    /// Seconds of a barrier of all ranks; absent where its samples differ too much.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub barrier_seconds: Option<f64>,
    /// Seconds of an allreduce of 8 bytes among all ranks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allreduce_seconds: Option<f64>,
    /// When it was measured: seconds since 1970.
    #[serde(default)]
    pub measured_unix: u64,
}

/// Messages between two ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkPath {
    /// The time of a message by its bytes: of small ones where there are two lines.
    pub small: HockneyLine,
    /// The largest measured size on the first line, in bytes; absent where one line is enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eager_limit_bytes: Option<u64>,
    /// The line of larger messages, for which sender and receiver agree first (rendezvous).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub large: Option<HockneyLine>,
    /// Large messages go in chunks over several connections.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chunks: Option<Chunks>,
    /// Seconds from one message of 8 bytes to the next where many are sent at once; absent where samples differ too much.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gap_seconds: Option<f64>,
    /// How far measured times are from the lines: root mean square of relative differences.
    pub error: f64,
    /// What was measured, by ascending size.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub points: Vec<NetworkPoint>,
}

/// Messages of a size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkPoint {
    /// Bytes of a message.
    pub bytes: u64,
    /// Seconds of one in one direction: half of the round trip that 10 % are below.
    pub seconds: f64,
    /// The round trip that a quarter is below, as a multiple of the one that 10 % are below.
    pub spread: f64,
}

impl NetworkPath {
    /// Seconds of a message: as measured, on a straight line between two sizes that were, and by the lines above the largest one.
    pub fn seconds(&self, bytes: u64) -> f64 {
        let above = self.points.partition_point(|point| point.bytes < bytes);
        match (above.checked_sub(1).and_then(|below| self.points.get(below)), self.points.get(above)) {
            (_, Some(exact)) if exact.bytes == bytes => exact.seconds,
            (Some(below), Some(above)) => {
                let part = (bytes - below.bytes) as f64 / (above.bytes - below.bytes) as f64;
                below.seconds + part * (above.seconds - below.seconds)
            }
            _ => self.seconds_by_lines(bytes),
        }
    }

    /// The same by the few figures alone.
    pub fn seconds_by_lines(&self, bytes: u64) -> f64 {
        let is_large = self.eager_limit_bytes.is_some_and(|limit| bytes > limit);
        let line = self.large.filter(|_| is_large).unwrap_or(self.small);
        match &self.chunks {
            Some(chunks) if bytes > chunks.chunk_bytes => chunks.seconds(bytes),
            _ => line.seconds(bytes),
        }
    }
}

/// The figures of what [`PROBE`] printed.
///
/// # Errors
/// What was printed is no whole measurement, or its samples differ too much.
pub fn fit(printed: &[u8]) -> Result<Network, NetworkRefused> {
    let samples = Samples::read(printed)?;
    let path = |trips: &str, windows: &str, largest: u64| -> Result<Option<NetworkPath>, NetworkRefused> {
        let trips: Vec<&Sampled> = samples.of(trips).collect();
        if trips.is_empty() {
            return Ok(None);
        }
        let points = trips.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
        if let Some(first) = points.first().filter(|first| first.seconds > SCHEDULED_SECONDS) {
            return Err(NetworkRefused::SharedCpu { seconds: first.seconds });
        }
        let mut path = path_of(points, largest)?;
        let window = samples.of(windows).find_map(|window| window.steady().ok());
        path.gap_seconds = window.map(|(seconds, _)| gap(seconds, &path));
        Ok(Some(path))
    };
    let within_node = path("node", "node-window", LARGEST_WITHIN_NODE)?;
    let between_nodes = path("between", "between-window", u64::MAX)?;
    if within_node.is_none() && between_nodes.is_none() {
        return Err(NetworkRefused::TooFew { sizes: 0 });
    }
    let steady = |what: &str| samples.of(what).find_map(|of| of.steady().ok()).map(|(seconds, _)| seconds);
    Ok(Network {
        library: samples.library.clone(),
        ranks: samples.ranks,
        nodes: samples.nodes,
        within_node,
        between_nodes,
        barrier_seconds: steady("barrier"),
        allreduce_seconds: steady("allreduce"),
        measured_unix: 0,
    })
}

fn point(of: &Sampled) -> Result<NetworkPoint, NetworkRefused> {
    let (trip, spread) = of.steady()?;
    Ok(NetworkPoint { bytes: of.bytes, seconds: trip / 2.0, spread })
}

/// The answer takes as long as an empty message, and so does the first one of the window: the others follow at the gap.
fn gap(window_seconds: f64, path: &NetworkPath) -> f64 {
    ((window_seconds - 2.0 * path.seconds(0)) / (WINDOW - 1.0)).max(0.0)
}

fn path_of(mut points: Vec<NetworkPoint>, largest: u64) -> Result<NetworkPath, NetworkRefused> {
    points.sort_by_key(|point| point.bytes);
    points.dedup_by_key(|point| point.bytes);
    let used: Vec<(u64, f64)> =
        points.iter().filter(|p| p.bytes <= largest).map(|p| (p.bytes, p.seconds)).collect();
    let lines = line::lines(&used)?;
    // Connections are between nodes: within one, larger messages are slower where caches end.
    let chunks = if largest == u64::MAX { chunks::chunks(&used, &lines) } else { None };
    let path = NetworkPath {
        small: lines.small,
        eager_limit_bytes: lines.limit,
        large: lines.large,
        chunks,
        gap_seconds: None,
        error: 0.0,
        points,
    };
    let relative = |&(bytes, seconds): &(u64, f64)| path.seconds_by_lines(bytes) / seconds - 1.0;
    let error = (used.iter().map(relative).map(|e| e * e).sum::<f64>() / used.len() as f64).sqrt();
    Ok(NetworkPath { error, ..path })
}

#[cfg(test)]
mod tests;
