//! Kinds of stores by number.

use crate::status::Failure;
use crate::status::lw_status::LW_ERROR_VALUE;
use kernels::Stores;

/// How large results are written.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_stores {
    /// Past the caches above a measured size.
    LW_STORES_BY_SIZE = 0,
    /// Into the caches.
    LW_STORES_PLAIN = 1,
    /// Past the caches, where the level can.
    LW_STORES_NON_TEMPORAL = 2,
}

/// The kind of a number: C programs can pass any.
pub(crate) fn of_number(number: u32) -> Result<Stores, Failure> {
    const KINDS: [(lw_stores, Stores); 3] = [
        (lw_stores::LW_STORES_BY_SIZE, Stores::BySize),
        (lw_stores::LW_STORES_PLAIN, Stores::Plain),
        (lw_stores::LW_STORES_NON_TEMPORAL, Stores::NonTemporal),
    ];
    let found = KINDS.into_iter().find(|(kind, _)| *kind as u32 == number).map(|(_, stores)| stores);
    found.ok_or_else(|| {
        Failure::new(
            LW_ERROR_VALUE,
            format!("{number} is no kind of stores; use LW_STORES_BY_SIZE, _PLAIN or _NON_TEMPORAL"),
        )
    })
}
