//! Bandwidth: the streaming kernels, the placement of their streams in memory, the results they must leave
//! there, and the number of bytes they move.
//!
//! The bytes that the program reads and writes are counted: a copy of n bytes moves 2 n. The line that an
//! ordinary store makes the cache read first (write-allocate) is not counted, nor is what a prefetcher
//! fetches without use. The loops are in [`kernels`]; [`super::plan`] does the timing.

mod kernels;

use super::memory::Arena;
use kernels::{Run, Streams};

/// The operation on the streams. The report uses these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    Load,
    Store,
    Copy,
    Triad,
    StoreNt,
    CopyNt,
    TriadNt,
    StoreRep,
    CopyRep,
}

impl Pattern {
    /// Every pattern, in report order.
    pub const ALL: [Pattern; 9] = [
        Pattern::Load,
        Pattern::Store,
        Pattern::Copy,
        Pattern::Triad,
        Pattern::StoreNt,
        Pattern::CopyNt,
        Pattern::TriadNt,
        Pattern::StoreRep,
        Pattern::CopyRep,
    ];

    /// Name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Load => "load",
            Pattern::Store => "store",
            Pattern::Copy => "copy",
            Pattern::Triad => "triad",
            Pattern::StoreNt => "store-nt",
            Pattern::CopyNt => "copy-nt",
            Pattern::TriadNt => "triad-nt",
            Pattern::StoreRep => "store-rep",
            Pattern::CopyRep => "copy-rep",
        }
    }

    /// Streams read or written.
    pub fn streams(self) -> usize {
        match self {
            Pattern::Load | Pattern::Store | Pattern::StoreNt | Pattern::StoreRep => 1,
            Pattern::Copy | Pattern::CopyNt | Pattern::CopyRep => 2,
            Pattern::Triad | Pattern::TriadNt => 3,
        }
    }
}

/// One way to do a pattern.
#[derive(Debug)]
pub(crate) struct StreamKernel {
    pub pattern: Pattern,
    /// Vector bits (0: a string instruction).
    pub bits: u32,
    pub block: usize,
    run: Run,
}

macro_rules! kernel_table {
    ($($pattern:ident $bits:literal $block:literal $run:ident;)*) => {
        &[$(StreamKernel { pattern: Pattern::$pattern, bits: $bits, block: $block, run: kernels::$run },)*]
    };
}

/// Every kernel; a variant is added by one row.
pub(crate) static KERNELS: &[StreamKernel] = kernel_table! {
    Load 128 512 load_sse;
    Load 256 512 load_avx;
    Load 256 2048 load_avx_long;
    Load 512 512 load_avx512;
    Load 512 2048 load_avx512_long;
    Store 128 512 store_sse;
    Store 256 512 store_avx;
    Store 256 2048 store_avx_long;
    Store 512 512 store_avx512;
    Store 512 2048 store_avx512_long;
    Copy 128 512 copy_sse;
    Copy 256 512 copy_avx;
    Copy 256 2048 copy_avx_long;
    Copy 512 512 copy_avx512;
    Copy 512 2048 copy_avx512_long;
    Triad 128 512 triad_sse;
    Triad 256 512 triad_avx;
    Triad 256 2048 triad_avx_long;
    Triad 512 512 triad_avx512;
    Triad 512 2048 triad_avx512_long;
    StoreNt 128 512 store_nt_sse;
    StoreNt 256 512 store_nt_avx;
    StoreNt 512 512 store_nt_avx512;
    StoreNt 512 2048 store_nt_avx512_long;
    CopyNt 128 512 copy_nt_sse;
    CopyNt 256 512 copy_nt_avx;
    CopyNt 512 512 copy_nt_avx512;
    CopyNt 512 2048 copy_nt_avx512_long;
    TriadNt 128 512 triad_nt_sse;
    TriadNt 256 512 triad_nt_avx;
    TriadNt 512 512 triad_nt_avx512;
    TriadNt 512 2048 triad_nt_avx512_long;
    StoreRep 0 512 store_string;
    CopyRep 0 512 copy_string;
};

/// The factor of the triad, and the value that store kernels write: not zero, because some processors store
/// zero lines faster than memory can take them.
const FACTOR: f64 = 1.5;

#[repr(C, align(64))]
struct Value([f64; 8]);

static VALUE: Value = Value([FACTOR; 8]);

/// The byte that a string fill stores (the first of `FACTOR`'s eight would be zero).
static FILL: u8 = 0x5a;

/// Distance of two streams beyond a multiple of 4 KiB: otherwise a store would seem, by its low twelve
/// address bits, to write what the next loads read (4K aliasing; Intel Optimization Reference Manual).
const STAGGER: usize = 1344;

/// Bytes of an arena that `working_set` bytes in all of `pattern`'s streams need.
pub(crate) fn arena_bytes(working_set: usize) -> usize {
    working_set + 3 * (4096 + STAGGER + 2048)
}

impl StreamKernel {
    /// Name of the variant: width and bytes per loop iteration.
    pub fn variant(&self) -> String {
        match self.pattern {
            Pattern::StoreRep => "rep stosb".to_owned(),
            Pattern::CopyRep => "rep movsb".to_owned(),
            _ => format!("{} bit, {} B per iteration", self.bits, self.block),
        }
    }

    /// Whether this processor and operating system can run it.
    pub fn usable(&self) -> bool {
        match self.bits {
            512 => is_x86_feature_detected!("avx512f"),
            256 => is_x86_feature_detected!("avx"),
            _ => true,
        }
    }

    /// Bytes per stream when all streams together take about `working_set` bytes.
    fn stream_bytes(&self, working_set: usize) -> usize {
        let per_stream = working_set / self.pattern.streams();
        (per_stream / 2048).max(1) * 2048
    }

    /// Bytes that one walk reads and writes.
    pub fn bytes_moved(&self, working_set: usize) -> u64 {
        (self.stream_bytes(working_set) * self.pattern.streams()) as u64
    }

    /// Walks the streams `repeats` times. The arena must hold [`arena_bytes`] of the working set.
    pub fn run(&self, arena: &mut Arena, working_set: usize, repeats: u64) {
        let mut last = [0u8; 128];
        self.execute(arena, working_set, repeats, &mut last);
    }

    fn offsets(&self, working_set: usize) -> [usize; 3] {
        let spacing = self.stream_bytes(working_set).next_multiple_of(4096) + STAGGER;
        let at = |index: usize| if index < self.pattern.streams() { index * spacing } else { 0 };
        [0, at(1), at(2)]
    }

    fn execute(&self, arena: &mut Arena, working_set: usize, repeats: u64, last: &mut [u8; 128]) {
        assert!(self.usable(), "a width that the processor lacks is never run");
        let bytes = self.stream_bytes(working_set);
        let [a, b, c] = self.offsets(working_set);
        assert!(a.max(b).max(c) + bytes <= arena.len(), "the arena holds every stream");
        let base = arena.as_mut_ptr();
        let string = self.bits == 0;
        // SAFETY: the assertions above keep every stream inside the arena, whose start is page-aligned and
        // whose stream offsets are multiples of 64; offsets of one pattern's streams differ by more than
        // their length; `value` and `last` are 64 (1 for string fills) and 128 bytes; the width is usable.
        unsafe {
            (self.run)(&Streams {
                a: base.add(a),
                b: base.add(b),
                c: base.add(c),
                value: if string { &raw const FILL } else { (&raw const VALUE).cast() },
                last: last.as_mut_ptr(),
                blocks: (bytes / self.block) as u64,
                repeats,
            });
        }
    }

    /// Runs once over known contents and checks every byte. Returns the first difference.
    pub fn verify(&self, arena: &mut Arena, working_set: usize) -> Result<(), String> {
        let bytes = self.stream_bytes(working_set);
        let [a, b, c] = self.offsets(working_set);
        for (index, word) in arena.words_mut().iter_mut().enumerate() {
            *word = number(index);
        }
        let mut last = [0u8; 128];
        self.execute(arena, working_set, 1, &mut last);
        let words = arena.words_mut();
        let (a, b, c, count) = (a / 8, b / 8, c / 8, bytes / 8);
        let fill = f64::from_le_bytes([FILL; 8]);
        let check = |what: &str, index: usize, found: f64, expected: f64| {
            if found.to_bits() == expected.to_bits() {
                Ok(())
            } else {
                Err(format!("{what} {index}: expected {expected}, found {found}"))
            }
        };
        for i in 0..count {
            let expected = match self.pattern {
                Pattern::Load => number(a + i),
                Pattern::Store | Pattern::StoreNt => FACTOR,
                Pattern::StoreRep => fill,
                Pattern::Copy | Pattern::CopyNt | Pattern::CopyRep => number(b + i),
                Pattern::Triad | Pattern::TriadNt => number(b + i) * FACTOR + number(c + i),
            };
            check("word", i, words[a + i], expected)?;
        }
        // Nothing beyond the written stream changed.
        check("word after the stream", count, words[a + count], number(a + count))?;
        if self.pattern == Pattern::Load {
            // 128 bytes, however wide the registers were, must be the stream's last 128.
            for (i, chunk) in last.chunks_exact(8).enumerate() {
                let found = f64::from_le_bytes(chunk.try_into().unwrap_or([0; 8]));
                check("last word loaded", i, found, number(a + count - 16 + i))?;
            }
        }
        Ok(())
    }
}

/// Contents for verification: small integers, exact in every operation of the triad.
fn number(index: usize) -> f64 {
    (index % 8191) as f64 + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usable_kernel_moves_what_it_says() {
        let working_set = 24 * 1024;
        let mut arena = Arena::new(arena_bytes(working_set)).unwrap();
        let mut patterns = std::collections::HashSet::new();
        for kernel in KERNELS {
            let name = format!("{} {}", kernel.pattern.name(), kernel.variant());
            if !kernel.usable() {
                eprintln!("skipped {name}: this processor lacks the width");
                continue;
            }
            for set in [2048 * 3, working_set] {
                kernel.verify(&mut arena, set).unwrap_or_else(|d| panic!("{name} at {set} B: {d}"));
            }
            patterns.insert(kernel.pattern);
        }
        assert_eq!(patterns.len(), Pattern::ALL.len(), "each pattern has a kernel that runs everywhere");
    }

    #[test]
    fn counts_only_bytes_read_and_written() {
        let moved =
            |pattern| KERNELS.iter().find(|k| k.pattern == pattern).map(|k| k.bytes_moved(3 * 2048 * 4));
        assert_eq!(moved(Pattern::Triad), Some(3 * 2048 * 4));
        assert_eq!(moved(Pattern::Load), Some(3 * 2048 * 4));
        assert_eq!(moved(Pattern::Copy), Some(2 * 2048 * 6));
    }
}
