//! Time by bytes as one line, or as two where the library changes its protocol.

use super::NetworkRefused;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest sizes that a line goes through: two would fit any.
const FEWEST: usize = 3;
/// Relative error of a measured time below which differences mean nothing: with less, exact data would always have a break.
const NOISE: f64 = 0.02;
/// A second line has to lower the Bayesian information criterion by this much: "strong" evidence (Kass and Raftery, Bayes factors,
/// Journal of the American Statistical Association 90 (1995) 773).
pub(super) const EVIDENCE: f64 = 6.0;
/// No library sends larger messages without asking first by default: Intel MPI 256 KiB, MPICH 128 KiB, Open MPI 64 KiB over TCP.
const LARGEST_LIMIT: u64 = 256 << 10;

/// Seconds of a message: latency, and a time for each byte (Hockney).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HockneyLine {
    /// Seconds of an empty message.
    pub latency_seconds: f64,
    /// Seconds of each byte: the reciprocal of the bandwidth; 0 where larger messages took no longer.
    pub byte_seconds: f64,
}

impl HockneyLine {
    /// Seconds of a message.
    pub fn seconds(&self, bytes: u64) -> f64 {
        self.latency_seconds + self.byte_seconds * bytes as f64
    }

    /// Bytes a second of a very large message.
    pub fn bandwidth(&self) -> Option<f64> {
        (self.byte_seconds > 0.0).then(|| 1.0 / self.byte_seconds)
    }
}

/// One line or two.
pub(super) struct Lines {
    pub small: HockneyLine,
    /// The largest size of the first line, and the second one.
    pub limit: Option<u64>,
    pub large: Option<HockneyLine>,
    /// Sum of squares of relative differences, with its noise.
    pub squares: f64,
}

/// What (bytes, seconds) are best described by; sizes ascend.
pub(super) fn lines(points: &[(u64, f64)]) -> Result<Lines, NetworkRefused> {
    if points.len() < FEWEST + 1 {
        return Err(NetworkRefused::TooFew { sizes: points.len() });
    }
    let one = line(points);
    let mut best = Lines { small: one, limit: None, large: None, squares: squares(points, one) };
    let alone = criterion(points.len(), best.squares, 2);
    let mut least = alone - EVIDENCE;
    for at in FEWEST..=points.len() - FEWEST {
        let (small, large) = points.split_at(at);
        let Some(&(limit, _)) = small.last().filter(|(bytes, _)| *bytes <= LARGEST_LIMIT) else { break };
        let (first, second) = (line(small), line(large));
        let sum = squares(small, first) + squares(large, second);
        // Two lines have four figures, and the break is the fifth.
        let found = criterion(points.len(), sum, 5);
        if found < least {
            least = found;
            best = Lines { small: first, limit: Some(limit), large: Some(second), squares: sum };
        }
    }
    Ok(best)
}

/// Bayesian information criterion of a fit with this number of figures.
pub(super) fn criterion(points: usize, squares: f64, figures: usize) -> f64 {
    let n = points as f64;
    n * (squares / n).ln() + figures as f64 * n.ln()
}

/// Least squares of relative differences: times span four orders of magnitude, and each is as exact as the others. Neither figure is
/// negative.
fn line(points: &[(u64, f64)]) -> HockneyLine {
    through(points, |bytes| bytes as f64)
}

/// The same over any measure of a size.
pub(super) fn through(points: &[(u64, f64)], measure: impl Fn(u64) -> f64) -> HockneyLine {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(bytes, seconds) in points {
        let (weight, at) = (1.0 / (seconds * seconds), measure(bytes));
        w += weight;
        x += weight * at;
        y += weight * seconds;
        xx += weight * at * at;
        xy += weight * at * seconds;
    }
    let determinant = w * xx - x * x;
    let byte_seconds = if determinant > 0.0 { (w * xy - x * y) / determinant } else { 0.0 };
    let latency_seconds = (y - byte_seconds * x) / w;
    if byte_seconds < 0.0 {
        HockneyLine { latency_seconds: y / w, byte_seconds: 0.0 }
    } else if latency_seconds < 0.0 {
        HockneyLine { latency_seconds: 0.0, byte_seconds: xy / xx }
    } else {
        HockneyLine { latency_seconds, byte_seconds }
    }
}

fn squares(points: &[(u64, f64)], line: HockneyLine) -> f64 {
    squares_of(points, |bytes| line.seconds(bytes))
}

pub(super) fn squares_of(points: &[(u64, f64)], seconds: impl Fn(u64) -> f64) -> f64 {
    let relative = |&(bytes, measured): &(u64, f64)| seconds(bytes) / measured - 1.0;
    points.iter().map(relative).map(|e| e * e + NOISE * NOISE).sum()
}
