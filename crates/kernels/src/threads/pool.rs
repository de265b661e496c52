//! Which threads there are: rayon's pool, or one that replaces it after a fork.
//!
//! fork() copies the memory of a process and one thread. A pool that was started before is still there, but for its
//! threads: work given to it is never done. Python's multiprocessing forks, so this is no rare case.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// The threads that work is given to.
pub enum Pool {
    /// Rayon's current pool.
    Rayons,
    /// The pool of this process, which was forked.
    Own(&'static ThreadPool),
    /// Threads cannot be started.
    None,
}

/// The process that asked first. Rayon's pool is good for it; a copy of it must not be touched elsewhere, whatever state it
/// was forked in.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// The threads to use here and now.
pub fn current() -> Pool {
    // On a thread of a pool: it runs, and so does the pool.
    if rayon::current_thread_index().is_some() {
        return Pool::Rayons;
    }
    let process = std::process::id();
    match FIRST.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => rayons(),
        Err(first) if first == process => rayons(),
        Err(_) => own(process),
    }
}

/// Rayon's pool, unless it cannot be started: asking rayon itself would panic then.
fn rayons() -> Pool {
    static STARTS: OnceLock<bool> = OnceLock::new();
    // An error without a cause is that the pool is there already.
    let starts =
        || ThreadPoolBuilder::new().build_global().map_or_else(|error| error.source().is_none(), |()| true);
    if *STARTS.get_or_init(starts) { Pool::Rayons } else { Pool::None }
}

/// The pool of a forked process.
struct Own {
    process: u32,
    /// `None` where threads cannot be started.
    pool: Option<ThreadPool>,
}

fn own(process: u32) -> Pool {
    // No lock: it might have been held by another thread when the process was forked.
    static OWN: AtomicPtr<Own> = AtomicPtr::new(null_mut());
    let found = OWN.load(Ordering::Acquire);
    // SAFETY: what is put there is never freed; a pool of a process before cannot be, for its threads are not here to end.
    let mut own = unsafe { found.as_ref() };
    if own.is_none_or(|own| own.process != process) {
        let made = Box::into_raw(Box::new(Own { process, pool: ThreadPoolBuilder::new().build().ok() }));
        let put = OWN.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire);
        // Another thread of this process may have been faster.
        if put.is_err() {
            // SAFETY: made here, and put nowhere.
            drop(unsafe { Box::from_raw(made) });
        }
        // SAFETY: as above.
        own = unsafe { put.map_or_else(|others| others, |_| made).as_ref() };
    }
    own.and_then(|own| own.pool.as_ref()).map_or(Pool::None, Pool::Own)
}
