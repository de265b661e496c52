//! The ring buffer that the kernel shares with the collector.
//!
//! Source: `perf_event_open(2)`, "MMAP layout": the kernel advances `data_head`, the reader `data_tail`; a
//! record may wrap around the buffer's end. Records are copied out at once, so that the space is free again
//! before any of them is looked at.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event_open_sys::bindings::perf_event_mmap_page;

/// One CPU's event with its buffer.
#[derive(Debug)]
pub struct Ring {
    event: OwnedFd,
    page: NonNull<perf_event_mmap_page>,
    page_bytes: usize,
    data_bytes: usize,
}

/// Bytes of a memory page.
pub fn page_bytes() -> usize {
    // SAFETY: sysconf has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

impl Ring {
    /// Maps a buffer of `data_bytes` (a power of two of pages).
    pub fn map(event: OwnedFd, data_bytes: usize) -> Result<Self, (OwnedFd, io::Error)> {
        let page_bytes = page_bytes();
        // SAFETY: maps a new region at an address of the kernel's choice; nothing existing is touched.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                page_bytes + data_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err((event, io::Error::last_os_error()));
        }
        match NonNull::new(address.cast()) {
            Some(page) => Ok(Self { event, page, page_bytes, data_bytes }),
            None => Err((event, io::Error::other("mapped at address zero"))),
        }
    }

    /// The event's descriptor.
    pub fn fd(&self) -> RawFd {
        self.event.as_raw_fd()
    }

    /// Appends all records that are in the buffer to `into` and frees their space.
    pub fn drain(&mut self, into: &mut Vec<u8>) {
        // SAFETY: `page` points to the mapped control page for the life of `self`; the two positions are
        // 64-bit and aligned, and the kernel accesses them concurrently, so that they are accessed atomically.
        let (head, tail) = unsafe {
            (
                AtomicU64::from_ptr(&raw mut (*self.page.as_ptr()).data_head),
                AtomicU64::from_ptr(&raw mut (*self.page.as_ptr()).data_tail),
            )
        };
        // Acquire: the records were written before the head that covers them.
        let end = head.load(Ordering::Acquire);
        let begin = tail.load(Ordering::Relaxed);
        let length = end.wrapping_sub(begin) as usize;
        if length == 0 || length > self.data_bytes {
            tail.store(end, Ordering::Release);
            return;
        }
        let offset = begin as usize & (self.data_bytes - 1);
        let first = length.min(self.data_bytes - offset);
        // SAFETY: the data area follows the control page and has `data_bytes` bytes (a power of two);
        // `offset + first` and `length - first` stay within it. The kernel does not write between tail and
        // head until the tail is moved, which happens after these copies.
        unsafe {
            let data = self.page.as_ptr().cast::<u8>().add(self.page_bytes);
            into.extend_from_slice(std::slice::from_raw_parts(data.add(offset), first));
            into.extend_from_slice(std::slice::from_raw_parts(data, length - first));
        }
        // Release: the copies above are done before the kernel may overwrite.
        tail.store(end, Ordering::Release);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly the region that `map` created; no reference to it exists any more.
        unsafe {
            libc::munmap(self.page.as_ptr().cast(), self.page_bytes + self.data_bytes);
        }
    }
}
