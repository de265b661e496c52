//! A stretch of memory that the tool shares with the program: a System V segment (shmget(2)).
//!
//! Preferred to a file in memory (`memfd_create`), because the program can map it at any time by a number: without a
//! file descriptor, without a path that a `chroot` or a mount namespace would hide, and independently of limits on the
//! size of files (`ulimit -f`) or on open files. A segment is marked for removal at once; Linux lets processes attach
//! it until the last one has detached it, so that nothing remains however the run ends.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The segment, mapped in this process.
#[derive(Debug)]
pub struct Segment {
    /// Its number, by which the program attaches it; also its inode in `/proc/PID/maps`.
    pub id: i32,
    /// Bytes.
    pub length: u64,
    base: *mut u8,
}

// SAFETY: the mapping lives as long as the value and is only accessed through atomics.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Segment {
    /// Creates a segment of zeros. Pages take memory only once they are touched.
    pub fn new(length: u64) -> io::Result<Self> {
        /// Memory is not reserved (shmget(2)); the C libraries' headers name it differently.
        const SHM_NORESERVE: libc::c_int = 0o10000;
        let flags = libc::IPC_CREAT | libc::IPC_EXCL | SHM_NORESERVE | 0o600;
        // SAFETY: makes a new segment; no memory of this process is involved.
        let id = unsafe { libc::shmget(libc::IPC_PRIVATE, length as usize, flags) };
        if id < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: maps the new segment at an address of the kernel's choice.
        let base = unsafe { libc::shmat(id, std::ptr::null(), 0) };
        let error = io::Error::last_os_error();
        // SAFETY: marks our own segment for removal; it stays as long as a process has it attached.
        unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
        if base as isize == -1 {
            return Err(error);
        }
        // A core dump of the tool need not hold the counters.
        // SAFETY: advice about our own mapping.
        unsafe { libc::madvise(base, length as usize, libc::MADV_DONTDUMP) };
        Ok(Self { id, length, base: base.cast() })
    }

    /// The 32-bit word at an offset, which must be aligned and inside.
    pub fn word(&self, offset: u64) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.length);
        // SAFETY: aligned and inside the mapping (asserted), which outlives `self`.
        unsafe { AtomicU32::from_ptr(self.base.add(offset as usize).cast()) }
    }

    /// The 64-bit word at an offset, which must be aligned and inside.
    pub fn long(&self, offset: u64) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.length);
        // SAFETY: as for `word`.
        unsafe { AtomicU64::from_ptr(self.base.add(offset as usize).cast()) }
    }

    /// All of it, in words of 64 bits.
    pub fn longs(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is aligned to pages, has this many bytes, outlives `self`, and is only accessed through atomics.
        unsafe { std::slice::from_raw_parts(self.base.cast(), (self.length / 8) as usize) }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: detaches the segment that `new` attached; no reference into it outlives `self`.
        unsafe {
            libc::shmdt(self.base.cast());
        }
    }
}
