//! What limits measured ceilings or the use of kept ones, and the one place where it becomes a sentence with the way out.

use loopwright_vocabulary::MemoryLevel;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// A limit of a machine's ceilings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// No working set can be chosen for a cache of unknown size.
    #[error("cache sizes are unknown, so only memory bandwidth was measured; make /sys readable")]
    UnknownCaches,
    /// No working set exceeds the level below and fits this one.
    #[error(
        "{level} was not measured on {cpus} CPUs: each one's share ({share} B) is too near to the level below ({below} B); \
         measure with fewer CPUs"
    )]
    TooNear {
        /// The cache.
        level: MemoryLevel,
        /// CPUs that share it.
        cpus: usize,
        /// Bytes of it for each.
        share: usize,
        /// Bytes of the level below for each.
        below: usize,
    },
    /// The working set of memory fits the caches in part.
    #[error(
        "memory bandwidth was measured in {allowed} B because little memory is free; caches hold part of it, so free {wanted} B \
         and measure again"
    )]
    LittleMemory {
        /// Bytes that were used.
        allowed: usize,
        /// Bytes that exceed the caches.
        wanted: usize,
    },
    /// A kernel computes something else on this processor.
    #[error(
        "{kernel} was not timed because its result is wrong ({difference}); this is a defect: please report it"
    )]
    WrongResult {
        /// Name of the kernel.
        kernel: String,
        /// Computed and expected value.
        difference: String,
    },
    /// The time limit ended the measurement.
    #[error(
        "{} of the points were not reached in {limit:?}: {}; give the measurement more time",
        points.len(),
        points.join("; ")
    )]
    NotReached {
        /// Titles of the points.
        points: Vec<String>,
        /// The time limit.
        limit: Duration,
    },
    /// Kept ceilings are not used.
    #[error("{}: {why}; it is ignored, measuring again replaces it", path.display())]
    Ignored {
        /// Their file.
        path: PathBuf,
        /// What is wrong with it.
        why: BadCache,
    },
    /// Ceilings are kept nowhere.
    #[error("{0}")]
    NotKept(String),
    /// A second measurement of a machine that was busy failed.
    #[error("the machine could not be measured again ({error}); earlier figures are used")]
    NotMeasuredAgain {
        /// Why it failed.
        error: String,
    },
    /// The sentence that earlier versions stored; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Said(String),
}

/// Why a file with ceilings cannot be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum BadCache {
    /// The system does not allow it.
    #[error("the kept ceilings cannot be read ({0})")]
    Unreadable(String),
    /// Another version of loopwright wrote it.
    #[error("the kept ceilings have version {found}, expected {expected}")]
    OtherVersion {
        /// Version of the file.
        found: u32,
        /// Version of this program's files.
        expected: u32,
    },
    /// It does not decode.
    #[error("the kept ceilings are damaged ({0})")]
    Damaged(String),
    /// Its fingerprint differs.
    #[error("the kept ceilings are another machine's")]
    OtherMachine,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_stored_by_its_fields_and_old_sentences_are_read() {
        let points = vec!["a".to_owned(), "b".to_owned()];
        let warning = Warning::NotReached { points, limit: Duration::from_secs(28) };
        let stored = serde_json::to_string(&warning).unwrap();
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), warning);
        let sentence = "2 of the points were not reached in 28s: a; b; give the measurement more time";
        assert_eq!(warning.to_string(), sentence);
        let old: Warning = serde_json::from_str(&format!("\"{sentence}\"")).unwrap();
        assert_eq!(old, Warning::Said(sentence.to_owned()));
    }
}
