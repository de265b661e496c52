//! The file of what was measured at first use.
//!
//! JSON: `{"format": "loopwright-kernels-costs", "version": 1, "library": "..", "processors": {PROCESSOR: {TABLE: {WAY:
//! NANOSECONDS}}}}`: a folder may be shared by machines of several kinds. It is a cache: what cannot be read or written is
//! measured again, and no error is reported. Another version or build of the library has other code, so its figures do not count.

use super::file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FORMAT: &str = "loopwright-kernels-costs";
const VERSION: u32 = 1;

/// The library's version and how it was compiled: figures of a debug build do not hold for a release.
const LIBRARY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("LOOPWRIGHT_KERNELS_BUILD"));

/// A file that is larger is none of ours: each of some thirty choices takes a few hundred bytes per processor.
const MOST_BYTES: u64 = 4 << 20;

/// Nanoseconds by way.
pub type Table = BTreeMap<String, f64>;

/// What is kept, by processor and choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Costs(BTreeMap<String, BTreeMap<String, Table>>);

impl Costs {
    /// The costs of a choice's ways, in the order of `names`; `None` where it has other ways or figures that can be none.
    pub fn of(&self, processor: &str, table: &str, names: &[&str]) -> Option<Vec<f64>> {
        let kept = self.0.get(processor)?.get(table)?;
        if kept.len() != names.len() {
            return None;
        }
        let cost = |name: &&str| kept.get(*name).copied().filter(|cost| cost.is_finite() && *cost > 0.0);
        names.iter().map(cost).collect()
    }

    /// Keeps the costs of a choice.
    pub fn put(&mut self, processor: &str, table: &str, costs: Table) {
        self.0.entry(processor.to_owned()).or_default().insert(table.to_owned(), costs);
    }
}

#[derive(Serialize, Deserialize)]
struct Body {
    format: String,
    version: u32,
    library: String,
    processors: Costs,
}

/// What the user's file has; nothing where there is none that can be used.
pub fn load() -> Costs {
    path().and_then(|path| read(&path)).unwrap_or_default()
}

/// Adds a choice to the user's file, if that can be written. Of two processes that write at once one may win: the other's
/// choice is measured again.
pub fn store(processor: &str, table: &str, costs: Table) {
    if let Some(path) = path() {
        let mut all = read(&path).unwrap_or_default();
        all.put(processor, table, costs);
        // A cache that cannot be written costs the measurement in every process, nothing else.
        let _ = write(&path, all);
    }
}

/// The user's file, where the process may use it: not one that runs with more rights than its user, whom the environment
/// belongs to.
fn path() -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    // SAFETY: it only reads a number that the operating system gave the process.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return None;
    }
    super::costs_path()
}

fn read(path: &Path) -> Option<Costs> {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return None;
    }
    parse(&std::fs::read(path).ok()?)
}

fn parse(bytes: &[u8]) -> Option<Costs> {
    let body: Body = serde_json::from_slice(bytes).ok()?;
    let ours = body.format == FORMAT && body.version == VERSION && body.library == LIBRARY;
    ours.then_some(body.processors)
}

fn write(path: &Path, processors: Costs) -> std::io::Result<()> {
    let library = LIBRARY.to_owned();
    let body = Body { format: FORMAT.to_owned(), version: VERSION, library, processors };
    file::replace(path, &serde_json::to_vec(&body)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(costs: &[(&str, f64)]) -> Table {
        costs.iter().map(|(name, cost)| ((*name).to_owned(), *cost)).collect()
    }

    #[test]
    fn choices_of_several_processors_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/costs.json");
        assert_eq!(read(&path), None);
        let mut costs = Costs::default();
        costs.put("P", "t", table(&[("a", 1.5), ("b", 2.0)]));
        costs.put("Q", "t", table(&[("a", 3.0), ("b", 1.0)]));
        write(&path, costs.clone()).unwrap();
        let read = read(&path).unwrap();
        assert_eq!(read, costs);
        assert_eq!(read.of("P", "t", &["b", "a"]), Some(vec![2.0, 1.5]));
        assert_eq!(read.of("Q", "t", &["a", "b"]), Some(vec![3.0, 1.0]));
    }

    #[test]
    fn other_ways_and_impossible_figures_do_not_count() {
        let mut costs = Costs::default();
        costs.put("P", "t", table(&[("a", 1.5), ("b", 0.0)]));
        costs.put("P", "u", table(&[("a", 1.5), ("b", -1.0)]));
        assert_eq!(costs.of("P", "t", &["a", "b"]), None);
        assert_eq!(costs.of("P", "u", &["a", "b"]), None);
        costs.put("P", "t", table(&[("a", 1.5), ("b", 2.0)]));
        assert_eq!(costs.of("P", "t", &["a"]), None);
        assert_eq!(costs.of("P", "t", &["a", "c"]), None);
        assert_eq!(costs.of("P", "t", &["a", "b", "c"]), None);
        assert_eq!(costs.of("Q", "t", &["a", "b"]), None);
    }

    #[test]
    fn a_file_of_something_else_counts_as_none() {
        let mut costs = Costs::default();
        costs.put("P", "t", table(&[("a", 1.5)]));
        let library = LIBRARY.to_owned();
        let body = Body { format: FORMAT.to_owned(), version: VERSION, library, processors: costs.clone() };
        let text = serde_json::to_string(&body).unwrap();
        assert_eq!(parse(text.as_bytes()), Some(costs));
        for end in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..end]), None);
        }
        assert_eq!(parse(text.replace(FORMAT, "something").as_bytes()), None);
        assert_eq!(parse(text.replace("\"version\":1", "\"version\":2").as_bytes()), None);
        assert_eq!(parse(text.replace(env!("CARGO_PKG_VERSION"), "0.0.1").as_bytes()), None);
        assert_eq!(parse(text.replace("1.5", "\"1.5\"").as_bytes()), None);
        assert_eq!(parse(b"\0\x01"), None);
    }
}
