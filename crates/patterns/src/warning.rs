//! What an analysis of accesses leaves out, of a loop and of the caches that it simulates; the one place where that becomes
//! a sentence.

use serde::{Deserialize, Serialize};

/// A part of a traced loop that runs unrecorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// A block runs from the original code.
    #[error("code at {address:#x} runs in its original place and is not traced: there is no room for a jump")]
    NoRoom {
        /// ELF address of the block.
        address: u64,
    },
    /// The sentence of form 1; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Said(String),
}

/// A limit of the simulated caches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum CacheLimit {
    /// A cache cannot be simulated.
    #[error("L{level} is not simulated: {why}; --cache can state it")]
    NotSimulated {
        /// Its level.
        level: u32,
        /// What is wrong with its geometry.
        why: BadGeometry,
    },
    /// The system names no data cache.
    #[error(
        "no data cache is known here (virtual machines and containers may hide them); --cache can state them, as in --cache \
         32K:8+1M:16"
    )]
    NoDataCache,
    /// The processor names no TLB.
    #[error("TLBs are not simulated: the processor (or its hypervisor) does not tell their geometry")]
    NoTlb,
    /// Threads use a cache together.
    #[error("{cache} is shared: each of {threads} threads is given 1/{threads} of it")]
    Shared {
        /// Name of the cache.
        cache: String,
        /// Threads that use one.
        threads: u64,
    },
}

/// Why the geometry of a cache cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum BadGeometry {
    /// Its size is not a number of lines.
    #[error("{bytes} bytes in lines of {line} bytes make no sense")]
    Size {
        /// Bytes of the cache.
        bytes: u64,
        /// Bytes of a line.
        line: u64,
    },
    /// The system does not name the number of ways.
    #[error("its ways are not known")]
    UnknownWays,
    /// Its lines do not divide into such sets.
    #[error("{lines} lines in sets of {ways} make no sense")]
    Sets {
        /// Lines of the cache.
        lines: u64,
        /// Lines of a set.
        ways: u64,
    },
}
