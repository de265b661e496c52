//! Arrays in pieces, one per thread, the same for every call.
//!
//! On machines whose memory is attached to several nodes a page lives where it was first written. What gains from
//! that is work whose piece `k` is always the same part of an array and always done by the same thread: so the pieces
//! are static, cut at pages, and given to the threads of rayon's pool by number, not stolen.

mod pool;

use pool::Pool;
use std::ops::Range;

/// Where pieces are cut, so that no page has two writers.
const PAGE: usize = 4096;

/// Piece `index` of `count` of the `bytes` bytes at address `begin`: a range of offsets, cut at page boundaries
/// rounded down to whole elements of `unit` bytes. The pieces of all indices are the whole, in order.
pub(crate) fn piece(begin: usize, bytes: usize, unit: usize, index: usize, count: usize) -> Range<usize> {
    let cut = |index: usize| {
        if index == 0 {
            return 0;
        }
        if index == count {
            return bytes;
        }
        // u128: an array may be larger than 2^64 over the number of threads.
        let even = (bytes as u128 * index as u128 / count as u128) as usize;
        let at_page = even.saturating_sub(begin.wrapping_add(even) % PAGE);
        at_page - at_page % unit
    };
    cut(index)..cut(index + 1)
}

/// Runs `work` with the piece of each thread of rayon's current pool, on that thread; returns when all are done. In a
/// process that was forked from one with such a pool, and lacks its threads, they are those of a pool of its own; where
/// there can be no threads, the caller's does all.
pub(crate) fn each_piece(begin: usize, bytes: usize, unit: usize, work: impl Fn(Range<usize>) + Sync) {
    let own = |thread: rayon::BroadcastContext<'_>| {
        let own = piece(begin, bytes, unit, thread.index(), thread.num_threads());
        if !own.is_empty() {
            work(own);
        }
    };
    match pool::current() {
        Pool::Rayons => drop(rayon::broadcast(own)),
        Pool::Own(pool) => drop(pool.broadcast(own)),
        Pool::None if bytes > 0 => work(0..bytes),
        Pool::None => {}
    }
}

/// A pointer that the threads share; each uses the part that is its piece.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(*mut T);

// SAFETY: whoever makes one promises that threads use disjoint parts (`Shared::new`).
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    /// Threads that write through it must write to disjoint parts, which nothing else reads meanwhile.
    pub(crate) unsafe fn new(pointer: *mut T) -> Shared<T> {
        Shared(pointer)
    }

    pub(crate) fn get(self) -> *mut T {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_whole_in_order_cut_at_pages() {
        for begin in [0, 8, 4096, 12345 * 8] {
            for bytes in [0, 8, 4096, 100_000, 1 << 20] {
                for count in [1, 2, 3, 7, 64] {
                    let mut end = 0;
                    for index in 0..count {
                        let piece = piece(begin, bytes, 8, index, count);
                        assert_eq!(piece.start, end, "{begin} {bytes} {index}/{count}");
                        assert!(piece.end >= piece.start);
                        let inner = piece.end != bytes && piece.end != 0;
                        assert!(
                            !inner || (begin + piece.end).is_multiple_of(PAGE),
                            "{begin} {bytes} {index}/{count}"
                        );
                        end = piece.end;
                    }
                    assert_eq!(end, bytes);
                }
            }
        }
    }

    #[test]
    fn cuts_keep_elements_whole_where_pages_do_not() {
        for index in 0..3 {
            assert_eq!(piece(5, 1 << 16, 8, index, 3).start % 8, 0);
        }
    }

    #[test]
    fn every_piece_is_done_once() {
        let sum = std::sync::atomic::AtomicUsize::new(0);
        each_piece(64, 1 << 20, 4, |piece| {
            sum.fetch_add(piece.len(), std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 1 << 20);
    }

    #[test]
    fn a_piece_is_the_same_threads_in_every_call() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let owners = || {
            let owners = std::sync::Mutex::new(Vec::new());
            pool.install(|| {
                each_piece(4096, 1 << 20, 8, |piece| {
                    owners.lock().unwrap().push((piece.start, piece.end, std::thread::current().id()));
                });
            });
            let mut owners = owners.into_inner().unwrap();
            owners.sort_by_key(|owner| owner.0);
            owners
        };
        let first = owners();
        assert_eq!(first.len(), 3);
        for _ in 0..20 {
            assert_eq!(owners(), first);
        }
    }

    /// All pieces are done, on more than one thread where there are several.
    #[cfg(unix)]
    fn work() -> bool {
        let sum = std::sync::atomic::AtomicUsize::new(0);
        let threads = std::sync::Mutex::new(std::collections::BTreeSet::new());
        each_piece(64, 1 << 20, 4, |piece| {
            sum.fetch_add(piece.len(), std::sync::atomic::Ordering::Relaxed);
            // SAFETY: a system call without arguments.
            threads.lock().unwrap().insert(unsafe { libc::gettid() });
        });
        let all = std::thread::available_parallelism().map_or(1, |count| count.get());
        sum.into_inner() == 1 << 20 && (threads.lock().unwrap().len() > 1 || all == 1)
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_forked_process_has_threads_of_its_own() {
        if std::env::var_os("LOOPWRIGHT_EMULATED").is_some_and(|value| value == "1") {
            println!("skipped: qemu's user emulation loses its locks when a process with threads forks");
            return;
        }
        assert!(work());
        // SAFETY: the child allocates and starts threads, which glibc permits, and leaves without running anything
        // of this process. A child of its own does the same.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above; without an answer in time the child ends.
            unsafe {
                libc::alarm(60);
                let right = work() && work();
                let grandchild = libc::fork();
                if grandchild == 0 {
                    libc::alarm(60);
                    libc::_exit(i32::from(!work()));
                }
                let mut status = 1;
                libc::waitpid(grandchild, &raw mut status, 0);
                libc::_exit(i32::from(!right) + 2 * i32::from(status != 0));
            }
        }
        let mut status = -1;
        // SAFETY: the place is there.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!(status, 0, "256: the child went wrong; 512: its child; 14: no answer in time");
        assert!(work());
    }
}
