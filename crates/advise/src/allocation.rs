//! Names of allocator functions, and what to set to make the allocator cheaper.
//!
//! Names are those of glibc's malloc (its internal functions included), C++ and the usual replacements. The settings
//! are those of the glibc manual, *Memory Allocation Tunables* and *mallopt*.

use crate::recommendation::How;

/// Whether a function belongs to an allocator.
pub fn is_allocator(function: &str) -> bool {
    const NAMES: [&str; 28] = [
        "malloc",
        "free",
        "calloc",
        "realloc",
        "cfree",
        "memalign",
        "posix_memalign",
        "aligned_alloc",
        "_int_malloc",
        "_int_free",
        "_int_realloc",
        "_int_memalign",
        "malloc_consolidate",
        "unlink_chunk",
        "sysmalloc",
        "systrim",
        "munmap_chunk",
        "_int_free_create_chunk",
        "_int_free_merge_chunk",
        "_int_free_maybe_consolidate",
        "tcache_get",
        "tcache_put",
        "arena_get2",
        "mremap_chunk",
        "sbrk",
        "brk",
        "__munmap",
        "__mmap",
    ];
    let name = function.split('@').next().unwrap_or(function);
    let plain = name.strip_prefix("__libc_").or_else(|| name.strip_prefix("__GI___libc_")).unwrap_or(name);
    let plain = plain.strip_suffix(".isra.0").or_else(|| plain.strip_suffix(".part.0")).unwrap_or(plain);
    NAMES.contains(&plain)
        || plain.starts_with("operator new")
        || plain.starts_with("operator delete")
        || [
            "je_",
            "tc_malloc",
            "tc_free",
            "mi_malloc",
            "mi_free",
            "tcmalloc::",
            "__rust_alloc",
            "__rust_dealloc",
            "__rust_realloc",
        ]
        .iter()
        .any(|p| plain.starts_with(p))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_allocators_in_the_wild() {
        for name in [
            "malloc",
            "_int_free",
            "__libc_calloc",
            "operator new(unsigned long)",
            "free@GLIBC_2.2.5",
            "malloc_consolidate.isra.0",
        ] {
            assert!(is_allocator(name), "{name}");
        }
        for name in ["freezer", "my_malloc_stats", "memcpy", "newton", "je"] {
            assert!(!is_allocator(name), "{name}");
        }
    }
}
