//! Memory of other processes, by `process_vm_readv(2)`.
//!
//! [`read_memory`] copies a range; [`LivePages`] reads single words of stacks that extend beyond the copies
//! taken with the samples.

use rustc_hash::FxHashMap;

/// Appends up to `length` bytes of a thread's memory from `start` on: as many as are mapped.
pub fn read_memory(tid: libc::pid_t, start: u64, length: usize, into: &mut Vec<u8>) {
    let from = into.len();
    into.resize(from + length, 0);
    // One element per page: a transfer that fails in the middle is partial at the granularity of elements.
    let mut remote = Vec::with_capacity(length / PAGE as usize + 2);
    let end = start.saturating_add(length as u64);
    let mut at = start;
    while at < end {
        let next = (at | (PAGE - 1)).saturating_add(1).min(end);
        remote.push(libc::iovec { iov_base: at as *mut libc::c_void, iov_len: (next - at) as usize });
        at = next;
    }
    let Some(buffer) = into.get_mut(from..) else { return };
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: `local` describes the valid buffer above; the remote addresses are only read by the kernel, in
    // the other process, which it checks.
    let read = unsafe {
        libc::process_vm_readv(tid, &raw const local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0)
    };
    into.truncate(from + usize::try_from(read).unwrap_or(0).min(length));
}

/// Pages of processes' stacks in their present state, dropped after each round.
///
/// Used only beyond the end of a sample's own stack copy: the frames out there belong to functions that have
/// been running for long, and rarely change between the sample and the collector's read (at most a tenth of a
/// second later). Large arrays on the stack (Fortran, OpenBLAS's job tables) would otherwise cut every stack.
#[derive(Debug, Default)]
pub struct LivePages {
    pages: FxHashMap<(u32, u64), Vec<u8>>,
}

/// Bytes of a page.
const PAGE: u64 = 4096;

impl LivePages {
    /// The word at `address`; `None` where the process has ended or cannot be read.
    pub fn word(&mut self, pid: u32, address: u64) -> Option<u64> {
        if !address.is_multiple_of(8) {
            return None;
        }
        let start = address & !(PAGE - 1);
        let page = self.pages.entry((pid, start)).or_insert_with(|| {
            let mut bytes = Vec::new();
            read_memory(pid as libc::pid_t, start, PAGE as usize, &mut bytes);
            bytes
        });
        let from = (address - start) as usize;
        page.get(from..from + 8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// Whether the instruction before `address` is `syscall`.
    pub fn follows_syscall(&mut self, pid: u32, address: u64) -> bool {
        /// Its encoding (Intel SDM volume 2, SYSCALL).
        const SYSCALL: [u8; 2] = [0x0f, 0x05];
        let mut bytes = Vec::new();
        if let Some(start) = address.checked_sub(2) {
            read_memory(pid as libc::pid_t, start, SYSCALL.len(), &mut bytes);
        }
        bytes == SYSCALL
    }

    /// Drops all pages, which may have changed.
    pub fn forget(&mut self) {
        self.pages.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_up_to_the_end_of_the_mapping() {
        let content: Vec<u8> = (0..10_000_u32).map(|number| number as u8).collect();
        let mut copy = vec![9];
        // SAFETY: getpid has no preconditions.
        let own = unsafe { libc::getpid() };
        read_memory(own, content.as_ptr() as u64, content.len(), &mut copy);
        assert_eq!(copy[1..], content[..]);
        copy.clear();
        read_memory(own, 8, 100, &mut copy);
        assert!(copy.is_empty());
    }

    #[test]
    fn live_words() {
        let content = Box::new([7_u64, 8, 9]);
        let address = content.as_ptr() as u64;
        let mut live = LivePages::default();
        assert_eq!(live.word(std::process::id(), address + 8), Some(8));
        assert_eq!(live.word(std::process::id(), address + 1), None);
        assert_eq!(live.word(std::process::id(), 8), None);
        assert_eq!(live.word(u32::MAX, address), None);
    }
}
