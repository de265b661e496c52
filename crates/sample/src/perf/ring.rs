//! The ring buffer that the kernel shares with the collector.
//!
//! Source: `perf_event_open(2)`, "MMAP layout": the kernel advances `data_head`, the reader `data_tail`; a
//! record may wrap around the buffer's end. Records are read in place (most of a sample is a stack copy of
//! which unwinding reads a few words), and their space is returned to the kernel afterwards.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event_open_sys::bindings::perf_event_mmap_page;

use super::records::{Raw, split};

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

    /// The positions that the kernel and the reader have reached.
    fn positions(&self) -> (&AtomicU64, &AtomicU64) {
        // SAFETY: `page` points to the mapped control page for the life of `self`; the two positions are
        // 64-bit and aligned, and the kernel accesses them concurrently, so that they are accessed atomically.
        unsafe {
            (
                AtomicU64::from_ptr(&raw mut (*self.page.as_ptr()).data_head),
                AtomicU64::from_ptr(&raw mut (*self.page.as_ptr()).data_tail),
            )
        }
    }

    /// The records that the kernel has written and the reader has not consumed.
    pub fn unread(&self) -> Unread<'_> {
        let (head, tail) = self.positions();
        // Acquire: the records were written before the head that covers them.
        let end = head.load(Ordering::Acquire);
        let begin = tail.load(Ordering::Relaxed);
        let length = (end.wrapping_sub(begin) as usize).min(self.data_bytes);
        let offset = begin as usize & (self.data_bytes - 1);
        let first = length.min(self.data_bytes - offset);
        // SAFETY: the data area follows the control page and has `data_bytes` bytes (a power of two);
        // `offset + first` and `length - first` stay within it. The kernel does not write between tail and
        // head until the tail is moved, for which `consume` needs `self` mutably.
        unsafe {
            let data = self.page.as_ptr().cast::<u8>().add(self.page_bytes);
            Unread {
                first: std::slice::from_raw_parts(data.add(offset), first),
                second: std::slice::from_raw_parts(data, length - first),
            }
        }
    }

    /// Returns the space of the oldest `bytes` to the kernel.
    pub fn consume(&mut self, bytes: usize) {
        let (_, tail) = self.positions();
        let begin = tail.load(Ordering::Relaxed);
        // Release: what was read of the records was read before the kernel may overwrite them.
        tail.store(begin.wrapping_add(bytes as u64), Ordering::Release);
    }
}

/// Unread records: two slices where they wrap around the buffer's end.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'a> {
    first: &'a [u8],
    second: &'a [u8],
}

impl<'a> Unread<'a> {
    /// A copy of the one record that may cross the end, and the bytes of it at the end.
    pub fn straddling(&self) -> (Vec<u8>, usize) {
        let whole: usize = split(self.first).map(|raw| raw.bytes.len()).sum();
        let start = self.first.get(whole..).unwrap_or_default();
        // Records are aligned to 8 bytes, so that the header (8 bytes) is never cut.
        let size = match start {
            [_, _, _, _, _, _, low, high, ..] => usize::from(u16::from_le_bytes([*low, *high])),
            _ => return (Vec::new(), 0),
        };
        let rest = size.checked_sub(start.len()).and_then(|length| self.second.get(..length));
        match rest {
            Some(rest) => ([start, rest].concat(), start.len()),
            None => (Vec::new(), 0),
        }
    }

    /// Bytes in all.
    pub fn bytes(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// All records in order, given the result of [`Unread::straddling`].
    pub fn records(&self, straddling: &'a (Vec<u8>, usize)) -> impl Iterator<Item = Raw<'a>> + use<'a> {
        let (copy, at_the_end) = straddling;
        let after = self.second.get(copy.len() - at_the_end..).unwrap_or_default();
        split(self.first).chain(split(copy)).chain(split(after))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of `size` bytes in all, filled with `fill`.
    fn record(size: u16, fill: u8) -> Vec<u8> {
        let mut bytes = vec![9, 0, 0, 0, 2, 0];
        bytes.extend(size.to_le_bytes());
        bytes.resize(usize::from(size), fill);
        bytes
    }

    #[test]
    fn records_that_wrap_are_whole() {
        let all = [record(24, 1), record(40, 2), record(16, 3)].concat();
        for cut in (0..=all.len()).step_by(8) {
            let (first, second) = all.split_at(cut);
            let unread = Unread { first, second };
            let straddling = unread.straddling();
            let found: Vec<Vec<u8>> = unread.records(&straddling).map(|raw| raw.bytes.to_vec()).collect();
            assert_eq!(found.concat(), all, "cut at {cut}");
            assert_eq!(found.len(), 3, "cut at {cut}");
        }
    }

    #[test]
    fn a_record_that_is_cut_short_is_left_out() {
        let all = [record(24, 1), record(40, 2)].concat();
        let unread = Unread { first: &all[..40], second: &all[40..48] };
        let straddling = unread.straddling();
        assert_eq!(unread.records(&straddling).count(), 1);
    }
}
