//! Buffers between pages that cannot be touched: a kernel that reads or writes one byte too far is killed at once.
//!
//! Only tests use it. The bytes around a buffer on its own pages are checked by [`Guarded::strays`].

use std::ops::{Deref, DerefMut};
use std::ptr;

/// Fills what does not belong to the buffer.
const AROUND: u8 = 0xa5;

/// The place of the buffer between its guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The first byte follows a guard page, or this many bytes after it.
    Start(usize),
    /// The last byte is followed by a guard page, or by this many bytes and then the page.
    End(usize),
}

impl At {
    /// Both ends exactly, and alignments 1 to 64 after the first guard.
    pub fn all() -> impl Iterator<Item = At> {
        [At::Start(0), At::End(0)].into_iter().chain((1..=64).map(At::Start))
    }
}

/// A buffer of bytes with a guard page before and after.
pub struct Guarded {
    map: *mut u8,
    map_bytes: usize,
    page: usize,
    offset: usize,
    len: usize,
}

impl Guarded {
    /// A buffer of `len` zeros at `at`.
    pub fn new(len: usize, at: At) -> Guarded {
        // SAFETY: no pointer is involved.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let slack = match at {
            At::Start(slack) | At::End(slack) => slack,
        };
        let inner = (len + slack).div_ceil(page).max(1) * page;
        let map_bytes = inner + 2 * page;
        // SAFETY: a new anonymous mapping, which nothing else knows.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                map_bytes,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED, "mmap: {}", std::io::Error::last_os_error());
        let map = map.cast::<u8>();
        // SAFETY: the pages between the guards belong to the mapping made above.
        let opened =
            unsafe { libc::mprotect(map.add(page).cast(), inner, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0, "mprotect: {}", std::io::Error::last_os_error());
        // SAFETY: those pages can be written now.
        unsafe { map.add(page).write_bytes(AROUND, inner) };
        let offset = match at {
            At::Start(slack) => page + slack,
            At::End(slack) => page + inner - slack - len,
        };
        let mut buffer = Guarded { map, map_bytes, page, offset, len };
        buffer.fill(0);
        buffer
    }

    /// A copy of `bytes` at `at`.
    pub fn of(bytes: &[u8], at: At) -> Guarded {
        let mut buffer = Guarded::new(bytes.len(), at);
        buffer.copy_from_slice(bytes);
        buffer
    }

    /// How many bytes around the buffer, on its own pages, were changed.
    pub fn strays(&self) -> usize {
        let inner = self.map_bytes - 2 * self.page;
        // SAFETY: the pages between the guards are mapped and were filled.
        let pages = unsafe { std::slice::from_raw_parts(self.map.add(self.page), inner) };
        let begin = self.offset - self.page;
        let (before, rest) = pages.split_at(begin);
        before.iter().chain(&rest[self.len..]).filter(|&&byte| byte != AROUND).count()
    }
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `offset + len` is between the guards, on pages that were filled.
        unsafe { std::slice::from_raw_parts(self.map.add(self.offset), self.len) }
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`; the mapping has one owner.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.offset), self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is this buffer's own, and its slices borrow the buffer.
        unsafe { libc::munmap(self.map.cast(), self.map_bytes) };
    }
}

#[test]
fn buffers_stand_where_they_are_told() {
    for at in At::all() {
        for len in [0, 1, 63, 4096, 5000] {
            let mut buffer = Guarded::new(len, at);
            let page = buffer.page;
            match at {
                At::Start(slack) => assert_eq!((buffer.as_ptr() as usize - slack) % page, 0),
                At::End(slack) => assert_eq!((buffer.as_ptr() as usize + len + slack) % page, 0),
            }
            buffer.fill(7);
            assert_eq!(buffer.strays(), 0);
        }
    }
    let buffer = Guarded::of(&[1, 2, 3], At::Start(3));
    assert_eq!(*buffer, [1, 2, 3]);
    // SAFETY: the byte before the buffer is on its own page, which is mapped.
    unsafe { buffer.map.add(buffer.offset - 1).write(0) };
    assert_eq!(buffer.strays(), 1);
}
