//! Levels of memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A level of memory, the nearest to the core first. Written as `L1`, `L2`, ..., `DRAM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", inline)]
pub enum MemoryLevel {
    /// A cache of data, numbered from 1.
    Cache(u32),
    /// Main memory.
    Dram,
}

impl MemoryLevel {
    /// The first-level cache.
    pub const L1: Self = Self::Cache(1);
    /// The second-level cache.
    pub const L2: Self = Self::Cache(2);
    /// The third-level cache.
    pub const L3: Self = Self::Cache(3);

    /// The cache at an index of a list that begins with the first level.
    pub fn cache_at(index: usize) -> Self {
        Self::Cache(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// Its index in such a list; none for main memory.
    pub fn cache_index(self) -> Option<usize> {
        match self {
            Self::Cache(number) => usize::try_from(number.checked_sub(1)?).ok(),
            Self::Dram => None,
        }
    }
}

impl fmt::Display for MemoryLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cache(number) => f.pad(&format!("L{number}")),
            Self::Dram => f.pad("DRAM"),
        }
    }
}

impl From<MemoryLevel> for String {
    fn from(level: MemoryLevel) -> Self {
        level.to_string()
    }
}

/// A name that no level of memory has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLevel(String);

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no level of memory (`L1`, `L2`, ..., `DRAM`)", self.0)
    }
}

impl std::error::Error for UnknownLevel {}

impl FromStr for MemoryLevel {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        let number =
            |digits: &str| digits.parse().ok().filter(|_| digits.starts_with(|c| matches!(c, '1'..='9')));
        match name.strip_prefix('L').and_then(number) {
            Some(number) => Ok(Self::Cache(number)),
            None if name == "DRAM" => Ok(Self::Dram),
            None => Err(UnknownLevel(name.to_owned())),
        }
    }
}

impl TryFrom<String> for MemoryLevel {
    type Error = UnknownLevel;

    fn try_from(name: String) -> Result<Self, UnknownLevel> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_and_nothing_else_is_a_level() {
        for (level, name) in
            [(MemoryLevel::L1, "L1"), (MemoryLevel::Cache(12), "L12"), (MemoryLevel::Dram, "DRAM")]
        {
            assert_eq!((level.to_string().as_str(), name.parse()), (name, Ok(level)));
        }
        for name in ["", "L", "L0", "L01", "L+1", "L1 ", "l1", "dram", "DTLB", "L99999999999"] {
            assert!(name.parse::<MemoryLevel>().is_err(), "{name}");
        }
        assert_eq!(
            "HBM".parse::<MemoryLevel>().unwrap_err().to_string(),
            "`HBM` is no level of memory (`L1`, `L2`, ..., `DRAM`)"
        );
    }

    #[test]
    fn the_nearest_level_is_the_least_one() {
        let mut levels = [MemoryLevel::Dram, MemoryLevel::L3, MemoryLevel::L1, MemoryLevel::L2];
        levels.sort_unstable();
        assert_eq!(levels, [MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::L3, MemoryLevel::Dram]);
        assert_eq!((MemoryLevel::cache_at(1), MemoryLevel::L2.cache_index()), (MemoryLevel::L2, Some(1)));
        assert_eq!((MemoryLevel::Dram.cache_index(), MemoryLevel::Cache(0).cache_index()), (None, None));
    }
}
