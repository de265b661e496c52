//! How a kernel that writes whole arrays does it: at which level, and with which stores.
//!
//! A plain store to a line that is in no cache first reads the line, to own it; a non-temporal store writes past the
//! caches and saves that read. So plain stores are right for results that stay in a cache, non-temporal ones for
//! results that go to memory. From which size on is a measured constant ([`crate::tuning`]).

use crate::error::IsaError;
use crate::isa::Isa;

/// Which stores write results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stores {
    /// Plain ones up to a measured size of all arrays together, non-temporal ones above it.
    BySize,
    /// Plain stores.
    Plain,
    /// Non-temporal stores, where the level has them (all but [`Isa::Scalar`]) and the destination's elements are
    /// aligned to their size; else plain ones.
    NonTemporal,
}

impl Stores {
    /// Every way.
    pub const ALL: [Stores; 3] = [Stores::BySize, Stores::Plain, Stores::NonTemporal];

    /// Whether to write past the caches, for arrays of `bytes` in all; `measured` is asked for the switch-over size
    /// only when that matters.
    pub(crate) fn non_temporal(self, bytes: usize, measured: impl FnOnce() -> u64) -> bool {
        match self {
            Stores::Plain => false,
            Stores::NonTemporal => true,
            Stores::BySize => bytes > CACHED && bytes as u64 > measured(),
        }
    }
}

/// Up to this many bytes every second-level cache holds the arrays: neither non-temporal stores nor threads can gain,
/// and no constant needs to be looked up.
pub(crate) const CACHED: usize = 64 << 10;

/// What the `.._with` functions of such kernels take. An [`Isa`] alone becomes the plan with [`Stores::BySize`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The level.
    pub isa: Isa,
    /// How results are stored: past the caches or through them.
    pub stores: Stores,
}

impl Plan {
    /// The highest level, with stores by size.
    pub fn best() -> Plan {
        Isa::best().into()
    }

    /// The plan itself, or an error when its level cannot run here.
    pub fn require(self) -> Result<Plan, IsaError> {
        self.isa.require().map(|_| self)
    }
}

impl From<Isa> for Plan {
    fn from(isa: Isa) -> Plan {
        Plan { isa, stores: Stores::BySize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_decides_only_where_it_may() {
        let never = || unreachable!("the constant does not matter");
        assert!(!Stores::Plain.non_temporal(1 << 40, never));
        assert!(Stores::NonTemporal.non_temporal(1, never));
        assert!(!Stores::BySize.non_temporal(CACHED, never));
        assert!(!Stores::BySize.non_temporal(1 << 20, || 1 << 20));
        assert!(Stores::BySize.non_temporal((1 << 20) + 1, || 1 << 20));
        assert!(!Stores::BySize.non_temporal(usize::MAX, || u64::MAX));
    }
}
