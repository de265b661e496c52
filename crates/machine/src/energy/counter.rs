//! One counter of energy: reading it, and adding up how far it moved.

use super::measured::{Domain, Fault};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

/// A counter.
#[derive(Debug)]
pub(crate) struct Counter {
    pub domain: Domain,
    pub source: Source,
    /// Joules of one unit.
    pub unit: f64,
    /// Its values are below this one, after which it begins at zero; absent where the kernel extends it.
    pub modulus: Option<u64>,
}

/// Where it is read.
#[derive(Debug)]
pub(crate) enum Source {
    /// A file with a decimal number.
    Text(PathBuf),
    /// A counter of perf_event.
    Event(File),
    /// The lower half of a register, at this place in a file.
    Register(File, u64),
}

/// Longest number in a file, in bytes.
const LONGEST: u64 = 64;

impl Counter {
    pub fn read(&self) -> io::Result<u64> {
        match &self.source {
            Source::Text(path) => {
                let mut text = String::new();
                File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
                text.trim().parse().map_err(io::Error::other)
            }
            Source::Event(file) => {
                let mut bytes = [0; 8];
                // The offset is ignored: each read gives the count.
                let mut file = file;
                file.read_exact(&mut bytes)?;
                Ok(u64::from_ne_bytes(bytes))
            }
            Source::Register(file, place) => Ok(register_at(file, *place)? & u64::from(u32::MAX)),
        }
    }
}

/// The register at this place in the file of a CPU.
pub(crate) fn register_at(file: &File, place: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, place)?;
    Ok(u64::from_le_bytes(bytes))
}

/// More than any socket, its memory or any board uses, in watts: a counter that moved faster did not count.
const IMPOSSIBLE_WATTS: f64 = 20_000.0;
/// Shortest run whose energy is shown: the counters are brought up to date about each millisecond (Intel SDM vol. 3, "RAPL Domains"),
/// so that both ends together are wrong by at most a tenth of it.
const SHORTEST: f64 = 0.02;

/// How far a counter moved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moved {
    last: Option<u64>,
    units: u64,
    fault: Option<Fault>,
}

impl Moved {
    /// Takes a reading, `seconds` after the one before.
    pub fn take(&mut self, counter: &Counter, reading: io::Result<u64>, seconds: f64) {
        let Ok(now) = reading else {
            self.fault = Some(Fault::Lost);
            return;
        };
        let Some(last) = self.last.replace(now) else { return };
        let moved = match counter.modulus {
            _ if now >= last => now - last,
            Some(modulus) if last < modulus => modulus - last + now,
            _ => {
                self.fault = Some(Fault::Jumped);
                return;
            }
        };
        // Two readings may be close to each other, and an update between them.
        if moved as f64 * counter.unit > IMPOSSIBLE_WATTS * seconds.max(SHORTEST) {
            self.fault = Some(Fault::Jumped);
        }
        self.units = self.units.saturating_add(moved);
    }

    /// Joules during a run of this length.
    pub fn joules(&self, counter: &Counter, seconds: f64) -> Result<f64, Fault> {
        match self.fault {
            Some(fault) => Err(fault),
            None if seconds < SHORTEST => Err(Fault::Brief),
            None if self.units == 0 => Err(Fault::Frozen),
            None => Ok(self.units as f64 * counter.unit),
        }
    }
}
