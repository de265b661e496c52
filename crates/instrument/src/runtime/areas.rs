//! The counters: one area per thread, in memory that the program and the tool share.
//!
//! The GS base of a thread points to its area; counters are at fixed offsets, so that `inc gs:[offset]`
//! counts without locks. Areas come in groups of [`GROUP`]. A group is mapped in layers, each with one page
//! of every area, so that only the layers of counters in use are mapped, and no address space is reserved for
//! later ones: a program may limit its address space (`RLIMIT_AS`) at any time.
//!
//! ```text
//! group:  | owners (private) | identity, tracing | counters 0..511 | counters 512.. | ...   | histograms ..
//! layer:  | page of area 0 | page of area 1 | ... | page of area 7 |
//! ```
//!
//! The first layer is private to its process and wiped on fork (`MADV_WIPEONFORK`): it holds the thread's FS base, by
//! which a child process or a new thread, which inherit the GS base, detect that the area is not theirs. The other
//! layers are shared memory in pieces, each twice as large as the one before. Untouched pages cost nothing.

/// Areas in a group.
pub const GROUP: u64 = 8;
/// Bytes of an area in a layer: a page, the unit in which memory is allocated.
pub const PAGE: u64 = 4096;
/// Bytes of a layer.
pub const LAYER: u64 = GROUP * PAGE;
/// Most areas, including those of threads that have ended.
pub const MOST_AREAS: u64 = 4096;
/// Addresses from one group to the next; most of them are not mapped.
pub const SPAN: u64 = 512 << 20;

/// Offset of the owner's FS base.
pub const OWNER: i32 = 0;
/// Offset, in the shared area for threads without their own, of the FS bases of threads that were refused an
/// area and must not ask again: one place for each value of the eight bits above the page's.
pub const REFUSED: i32 = 8;
/// Number of these places.
pub const REFUSED_PLACES: u32 = 256;
/// Offset of the identity: process, thread, image.
pub const IDENTITY: i32 = LAYER as i32;
/// Offset of the area's number; 0 is the shared area for threads without their own. (The C library gives a
/// new thread the memory of one that has ended, and so its area: the identity is that of the first.)
pub const NUMBER: i32 = IDENTITY + 24;
/// Offsets of a thread's tracing state, after the identity.
pub mod trace {
    use super::{IDENTITY, PAGE};

    /// Address of the next record.
    pub const NEXT: i32 = IDENTITY + 0x100;
    /// No record begins at or after this address; 0 while the thread traces no nest.
    pub const LIMIT: i32 = IDENTITY + 0x108;
    /// Address of the record that is being written.
    pub const RECORD: i32 = IDENTITY + 0x110;
    /// [`LENT`], [`FULL`], or 0: the thread is writing, or has no chunk.
    pub const STATE: i32 = IDENTITY + 0x118;
    /// Bit of the state: a chunk is lent and not in use; the side that clears it owns the chunk.
    pub const LENT: u64 = 1;
    /// State: the chunk is full.
    pub const FULL: i32 = 2;
    /// Number of loop nests that the thread is tracing, one inside the other (by calls).
    pub const NESTS: i32 = IDENTITY + 0x120;
    /// Number of chosen loops that it is in; when not 0, called functions are traced.
    pub const CHOSEN: i32 = IDENTITY + 0x128;
    /// The share for which the thread requests room, or began to record.
    pub const WANTED: i32 = IDENTITY + 0x130;
    /// End of the chunk: no record begins at or after it.
    pub const END: i32 = IDENTITY + 0x138;
    /// Bytes of records that may be written from the beginning of a nest on.
    pub const QUOTA: i32 = IDENTITY + 0x140;
    /// A byte for each share: a chosen loop, or a nest without the part of its chosen loops. 0: traced at
    /// once, if the tool has room.
    pub const SHARES: i32 = IDENTITY + 0x200;
    /// Bit of a share: it is not traced now.
    pub const PASSED: u8 = 1;
    /// Bit of a share: it is traced when the thread has a chunk, and requests none.
    pub const SERVED: u8 = 2;
    pub const MOST_SHARES: u32 = PAGE as u32 - 0x200;
}

/// Offset of the first counter.
pub const COUNTERS: i32 = 2 * LAYER as i32;
/// Offset of the first histogram.
pub const HISTOGRAMS: i32 = 128 << 20;
/// Buckets of a histogram.
pub const BUCKETS: i32 = 256;
/// Numbers of iterations below this have a bucket of their own.
pub const EXACT_BUCKETS: i32 = 16;

/// Counters in an area's page of a layer.
pub const COUNTERS_IN_PAGE: u32 = PAGE as u32 / 8;
const HISTOGRAMS_IN_PAGE: u32 = PAGE as u32 / (BUCKETS as u32 * 8);
pub const MOST_COUNTERS: u32 = (HISTOGRAMS as u64 / LAYER - 2) as u32 * COUNTERS_IN_PAGE;
pub const MOST_HISTOGRAMS: u32 = ((SPAN - HISTOGRAMS as u64) / LAYER) as u32 * HISTOGRAMS_IN_PAGE;

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
        counter_at(self.counters + slot)
    }

    /// Offset of a histogram; `None` when all are in use: the loop then has no distribution.
    pub fn histogram(&self, index: u32) -> Option<i32> {
        let index = self.histograms + index;
        (index < MOST_HISTOGRAMS).then(|| HISTOGRAMS + in_layers(index, HISTOGRAMS_IN_PAGE, BUCKETS * 8))
    }
}

/// Offset of a counter by its index in the area.
pub fn counter_at(index: u32) -> i32 {
    COUNTERS + in_layers(index, COUNTERS_IN_PAGE, 8)
}

/// Offset of the item with this index, of which `each` fit into an area's page of a layer.
fn in_layers(index: u32, each: u32, bytes: i32) -> i32 {
    (index / each) as i32 * LAYER as i32 + (index % each) as i32 * bytes
}

/// A stretch of a group that is mapped at once: offsets of its beginning and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First offset.
    pub from: u64,
    /// End offset (exclusive).
    pub to: u64,
}

/// Bytes of the first piece with counters (3,584 of them, after the identity), and of the first with histograms (32).
const FIRST: [u64; 2] = [8 * LAYER, 16 * LAYER];
/// Where the pieces of both kinds begin and end.
const PARTS: [(u64, u64); 2] = [(LAYER, HISTOGRAMS as u64), (HISTOGRAMS as u64, SPAN)];

/// All pieces: those with counters (and the identity), then those with histograms.
pub fn pieces() -> Vec<Piece> {
    let mut out = Vec::new();
    for ((start, end), first) in PARTS.into_iter().zip(FIRST) {
        let (mut from, mut length) = (start, first);
        while from < end {
            let to = (from + length).min(end);
            out.push(Piece { from, to });
            length = to - start;
            from = to;
        }
    }
    out
}

/// Index, in the list of all pieces, of the one that holds an offset after the layer of owners.
pub fn piece_of(offset: u64) -> usize {
    let (part, before) = if offset < HISTOGRAMS as u64 { (0, 0) } else { (1, pieces_in(PARTS[0], FIRST[0])) };
    before + place((offset - PARTS[part].0) / FIRST[part])
}

/// The first piece holds one unit, each further one as many as all before.
fn place(unit: u64) -> usize {
    unit.checked_ilog2().map_or(0, |k| k as usize + 1)
}

fn pieces_in((start, end): (u64, u64), first: u64) -> usize {
    place((end - 1 - start) / first) + 1
}

/// Whether a piece is needed for this number of counters and histograms.
pub fn is_needed(piece: &Piece, counters: u32, histograms: u32) -> bool {
    if piece.from >= HISTOGRAMS as u64 {
        let before = ((piece.from - HISTOGRAMS as u64) / LAYER) as u32 * HISTOGRAMS_IN_PAGE;
        // The first is there from the start: a program may enter a state in which no more can be mapped (seccomp).
        before == 0 || histograms > before
    } else {
        let layers = (piece.from.saturating_sub(COUNTERS as u64) / LAYER) as u32;
        piece.from <= COUNTERS as u64 || counters > layers * COUNTERS_IN_PAGE
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

    /// Everything that the counters and histograms in use need is mapped, to the last byte of the last area's page.
    #[test]
    fn pieces_that_are_needed_hold_what_is_in_use() {
        let all = pieces();
        assert!(all.windows(2).all(|w| w[0].to == w[1].from), "no gap and no overlap");
        assert_eq!((all[0].from, all.last().unwrap().to), (LAYER, SPAN));
        for (k, p) in all.iter().enumerate() {
            assert_eq!((piece_of(p.from), piece_of(p.to - 1)), (k, k), "{p:?}");
        }
        for used in [0, 1, 511, 512, 513, 3071, 3072, 3073, 6144, 100_000, MOST_COUNTERS] {
            let layout = Layout { counters: 0, histograms: 0 };
            let mapped = |offset: u64| {
                all.iter().any(|p| {
                    p.from <= offset && offset < p.to && is_needed(p, used, used.min(MOST_HISTOGRAMS))
                })
            };
            assert!(mapped(IDENTITY as u64) && mapped(LAYER * 2 - 1));
            for slot in [0, used / 2, used.saturating_sub(1)].into_iter().filter(|s| *s < used) {
                let at = layout.counter(slot) as u64;
                assert!(mapped(at) && mapped(at + (GROUP - 1) * PAGE), "{used} counters, number {slot}");
            }
            let last = used.min(MOST_HISTOGRAMS).saturating_sub(1);
            if used > 0 {
                let at = layout.histogram(last).unwrap() as u64;
                assert!(mapped(at) && mapped(at + (GROUP - 1) * PAGE + BUCKETS as u64 * 8 - 1));
            }
        }
    }

    #[test]
    fn an_ordinary_program_takes_little_address_space() {
        let taken = |counters, histograms| -> u64 {
            let needed = pieces().into_iter().filter(|p| is_needed(p, counters, histograms));
            needed.map(|p| p.to - p.from).sum::<u64>() + LAYER
        };
        assert!(taken(0, 0) < 1 << 20);
        assert!(taken(10_000, 500) < 20 << 20, "{}", taken(10_000, 500));
        assert!(taken(200_000, 10_000) < 320 << 20, "{}", taken(200_000, 10_000));
    }

    #[test]
    fn items_do_not_overlap() {
        let layout = Layout { counters: 500, histograms: 3 };
        let offsets: Vec<i32> = (0..2000).map(|s| layout.counter(s)).collect();
        assert!(
            offsets.windows(2).all(|w| w[1] - w[0] == 8 || w[1] - w[0] == LAYER as i32 - PAGE as i32 + 8)
        );
        let offsets: Vec<i32> = (0..2000).map(|h| layout.histogram(h).unwrap()).collect();
        assert!(offsets.windows(2).all(|w| w[1] - w[0] >= BUCKETS * 8));
        assert!(offsets.iter().all(|o| *o as u64 % PAGE + BUCKETS as u64 * 8 <= PAGE), "none crosses a page");
        assert!(layout.histogram(MOST_HISTOGRAMS).is_none());
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
