//! The allocator: what to set to make it cheaper, and whether memory goes back to the system and is fetched again.
//!
//! The settings are those of the glibc manual, *Memory Allocation Tunables* and *mallopt*.

use crate::recommendation::How;
use loopwright_analysis::model::ProgramFacts;

pub use loopwright_analysis::purpose::names::is_allocator;

/// The page size of x86-64.
pub const PAGE_BYTES: u64 = 4096;
/// More faults than this many times the resident pages: pages are returned and fetched again.
const REPEATED: u64 = 2;

/// Pages that the processes hold at most.
pub fn resident_pages(program: &ProgramFacts) -> u64 {
    (program.peak_resident_bytes / PAGE_BYTES).max(1) * u64::from(program.processes.max(1))
}

/// Memory is returned to the system and fetched again: otherwise its faults are first touches, which no allocator avoids.
pub fn fetches_again(program: &ProgramFacts) -> bool {
    program.peak_resident_bytes > 0 && program.minor_faults > REPEATED * resident_pages(program)
}

/// Keeps freed memory in the process: large blocks come from the heap, and the heap is not given back.
pub fn keep_memory(how: How) -> How {
    how.environment(
        "MALLOC_MMAP_MAX_",
        "0",
        "no mmap for large blocks: freed blocks are used again instead of returned to the system",
    )
    .environment(
        "MALLOC_TRIM_THRESHOLD_",
        "536870912",
        "the heap is given back only beyond 512 MiB free at its end; the process stays larger",
    )
    .environment("MALLOC_TOP_PAD_", "67108864", "the heap grows by 64 MiB at a time: fewer system calls")
}

/// Huge pages for the heap.
pub fn huge_pages(how: How) -> How {
    how.environment(
        "GLIBC_TUNABLES",
        "glibc.malloc.hugetlb=1",
        "malloc asks for transparent huge pages (glibc 2.35 and later): one fault for 2 MiB instead of 512",
    )
}

/// Another allocator, loaded instead of glibc's.
pub fn replace_allocator(how: How) -> How {
    how.environment(
        "LD_PRELOAD",
        "libjemalloc.so.2",
        "another allocator without a rebuild; or libtcmalloc_minimal.so.4, libmimalloc.so.2; better with many threads, more memory",
    )
}
