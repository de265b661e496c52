//! What to set to make the allocator cheaper.
//!
//! The settings are those of the glibc manual, *Memory Allocation Tunables* and *mallopt*.

use crate::recommendation::How;

pub use loopwright_analysis::purpose::names::is_allocator;

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
