//! The arrays in which bandwidth and latency are measured.
//!
//! Anonymous pages, touched by the thread that will use them (first touch places them on its NUMA node), in
//! huge pages where the kernel grants them, so that the TLB does not limit a ceiling.

use crate::Error;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// A private, page-aligned range of memory.
#[derive(Debug)]
pub(crate) struct Arena {
    base: *mut u8,
    bytes: usize,
}

/// Size of a huge page of this architecture, which is the requested alignment.
const HUGE: usize = 2 << 20;

impl Arena {
    /// Maps and fills at least `bytes` bytes.
    pub fn new(bytes: usize) -> Result<Arena, Error> {
        let bytes = if bytes >= HUGE { bytes.next_multiple_of(HUGE) } else { bytes.next_multiple_of(4096) };
        // SAFETY: a new anonymous mapping at an address of the kernel's choice overlaps nothing.
        let base = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }
        .map_err(|source| Error::Memory { bytes, source: source.into() })?;
        let mut arena = Arena { base: base.cast(), bytes };
        // SAFETY: the range is the mapping made above. Refusal is harmless: small pages are used.
        let _ = unsafe { madvise(base, bytes, Advice::LinuxHugepage) };
        // Doubles between 1 and 2 with random digits: zeros are stored faster than data by some memory systems.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for word in arena.integers_mut() {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            *word = (state >> 12) | 0x3ff0_0000_0000_0000;
        }
        Ok(arena)
    }

    /// Bytes mapped.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Its start, aligned to a page.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.base
    }

    /// Its contents as doubles.
    pub fn words_mut(&mut self) -> &mut [f64] {
        // SAFETY: the mapping is `bytes` long, readable, writable, initialised and owned by `self`; a page
        // start is aligned for f64, and every bit pattern is one.
        unsafe { std::slice::from_raw_parts_mut(self.base.cast(), self.bytes / 8) }
    }

    /// Its contents as 64-bit integers.
    pub fn integers_mut(&mut self) -> &mut [u64] {
        // SAFETY: as for `words_mut`.
        unsafe { std::slice::from_raw_parts_mut(self.base.cast(), self.bytes / 8) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the range is this arena's mapping, which nothing else refers to. A failure leaks it.
        let _ = unsafe { munmap(self.base.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned_and_long_enough() {
        for bytes in [1, 4096, 5000, HUGE, HUGE + 1] {
            let mut arena = Arena::new(bytes).unwrap();
            assert!(arena.len() >= bytes);
            assert_eq!(arena.as_mut_ptr() as usize % 4096, 0);
            assert_eq!(arena.words_mut().len() * 8, arena.len());
        }
    }
}
