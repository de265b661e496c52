//! Where counters live: one area per thread, in memory that the program and the tool share.
//!
//! The GS base of a thread points to its area; counters are at fixed offsets, so that `inc gs:[offset]`
//! counts without locks. The first page of an area is private to its process and wiped on fork
//! (`MADV_WIPEONFORK`): it holds the thread's FS base, by which a child process or a new thread, which
//! inherit the GS base, notice that the area is not theirs. Untouched pages cost nothing.
//!
//! ```text
//! shared memory: | control: requests, table of owners | area 0 | area 1 | ... | area for nobody | pool |
//! area:          | owner (private) | identity, tracing | counters ... | histograms ...                   |
//! ```
//!
//! The pool holds the trace, in chunks that the tool lends to threads; without tracing it is empty.

/// Bytes before the first area.
pub const CONTROL: u64 = 1 << 16;
/// Offset of the table of process ids, one 64-bit word per area.
pub const TABLE: u64 = 0x4000;
/// Areas of threads at most: where addresses are not limited.
pub const MOST_AREAS: u64 = 4096;
/// Areas of threads at least.
const FEWEST_AREAS: u64 = 8;
/// Bytes from one area to the next.
pub const STRIDE: u64 = 64 << 20;
/// Offset of the pool behind so many areas of threads; one more takes what is counted before a thread has its own.
pub fn pool(areas: u64) -> u64 {
    CONTROL + (areas + 1) * STRIDE
}

/// How many areas fit: a limit of the address space (`ulimit -v`) leaves three quarters to the program.
pub fn fitting(limit: Option<u64>) -> u64 {
    limit.map_or(MOST_AREAS, |bytes| (bytes / 4 / STRIDE).clamp(FEWEST_AREAS, MOST_AREAS))
}

/// Offset of the owner's FS base.
pub const OWNER: i32 = 0;
/// Offset of the identity: process, thread, image.
pub const IDENTITY: i32 = 0x1000;
/// Offset of the area's number, from 1; 0 in the one for nobody. (The C library gives a new thread the place of one that
/// has ended, and so its area: the identity is that of the first.)
pub const NUMBER: i32 = IDENTITY + 24;
/// What a thread's tracing needs, beside the identity.
pub mod trace {
    /// Where the next record goes.
    pub const NEXT: i32 = 0x1100;
    /// No record begins here or beyond; 0 while the thread traces no nest.
    pub const LIMIT: i32 = 0x1108;
    /// The record that is being written.
    pub const RECORD: i32 = 0x1110;
    /// [`LENT`], [`FULL`], or 0: the thread is writing, or has no chunk.
    pub const STATE: i32 = 0x1118;
    /// Bit of the state: a chunk is lent and not in use; who clears it has it.
    pub const LENT: u64 = 1;
    /// State: the chunk is full.
    pub const FULL: i32 = 2;
    /// How many nests of loops the thread is tracing, one inside the other (by calls).
    pub const NESTS: i32 = 0x1120;
    /// How many chosen loops it is in; not 0: what it calls is traced.
    pub const CHOSEN: i32 = 0x1128;
    /// The share for which the thread asks for room, or began to record.
    pub const WANTED: i32 = 0x1130;
    /// Where the chunk ends: no record begins there or beyond.
    pub const END: i32 = 0x1138;
    /// Bytes of records that may be written from the beginning of a nest on.
    pub const QUOTA: i32 = 0x1140;
    /// A byte for each share: a chosen loop, or a nest without what its chosen loops have. 0: traced at once, if the tool
    /// has room.
    pub const SHARES: i32 = 0x1200;
    /// Bit of a share: it is not to be traced now.
    pub const PASSED: u8 = 1;
    /// Bit of a share: it is traced when the thread has a chunk, and asks for none.
    pub const SERVED: u8 = 2;
    /// Shares at most.
    pub const MOST_SHARES: u32 = 0x2000 - 0x1200;
}

/// Offset of the first counter.
pub const COUNTERS: i32 = 0x2000;
/// Offset of the first histogram.
pub const HISTOGRAMS: i32 = 16 << 20;
/// Buckets of a histogram.
pub const BUCKETS: i32 = 256;
/// Numbers of iterations below this have a bucket of their own.
pub const EXACT_BUCKETS: i32 = 16;

/// Counters that fit.
pub const MOST_COUNTERS: u32 = ((HISTOGRAMS - COUNTERS) / 8) as u32;
/// Histograms that fit.
pub const MOST_HISTOGRAMS: u32 = (((STRIDE as i64) - HISTOGRAMS as i64) / (BUCKETS as i64 * 8)) as u32;

/// Where one region's counters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Index of its first counter.
    pub counters: u32,
    /// Index of its first histogram.
    pub histograms: u32,
}

impl Layout {
    /// Offset of a counter in the area.
    pub fn counter(&self, slot: u32) -> i32 {
        COUNTERS + ((self.counters + slot) * 8) as i32
    }

    /// Offset of a histogram; `None` when there is no more room: the loop has no distribution then.
    pub fn histogram(&self, index: u32) -> Option<i32> {
        let index = self.histograms + index;
        (index < MOST_HISTOGRAMS).then(|| HISTOGRAMS + index as i32 * BUCKETS * 8)
    }
}

/// Lowest and highest number of iterations in a bucket.
pub fn bucket_range(bucket: u64) -> (u64, u64) {
    let exact = EXACT_BUCKETS as u64;
    if bucket < exact {
        return (bucket, bucket);
    }
    let shift = (bucket - exact) / 4 + 2;
    let low = (4 + (bucket - exact) % 4) << shift;
    (low, low + ((1 << shift) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_addresses_leaves_most_to_the_program() {
        assert_eq!(fitting(None), MOST_AREAS);
        assert_eq!(fitting(Some(u64::MAX)), MOST_AREAS);
        let limit = 20 << 30;
        assert!(fitting(Some(limit)) >= 64 && pool(fitting(Some(limit))) < limit / 3);
        assert_eq!(fitting(Some(0)), FEWEST_AREAS);
    }

    /// The bucket as the emitted code computes it.
    fn bucket(n: u64) -> u64 {
        if n < EXACT_BUCKETS as u64 {
            return n;
        }
        let c = u64::from(n.ilog2()) - 2;
        4 * c + (n >> c) + 4
    }

    #[test]
    fn every_number_is_in_its_bucket() {
        for n in (0..5000).chain([1 << 20, (1 << 40) + 12345, u64::MAX / 3, u64::MAX]) {
            let (low, high) = bucket_range(bucket(n));
            assert!(low <= n && n <= high, "{n} is not in {low}..={high}");
            assert!(bucket(n) < BUCKETS as u64);
        }
    }
}
