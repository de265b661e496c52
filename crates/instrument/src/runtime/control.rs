//! The shared memory, from the tool's side: requests of the program, and the areas.

use super::areas::trace::{MOST_SHARES, SHARES};
use super::areas::{CONTROL, IDENTITY, STRIDE, TABLE, fitting, pool};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Offsets of the control words.
pub mod word {
    /// Held by the thread that makes a request.
    pub const LOCK: u64 = 0x00;
    /// 1 while a request waits to be taken, 2 while it is worked on.
    pub const STATE: u64 = 0x04;
    /// What is asked; see [`super::Request`].
    pub const KIND: u64 = 0x08;
    /// Process that asks.
    pub const PROCESS: u64 = 0x0c;
    /// Thread that asks.
    pub const THREAD: u64 = 0x10;
    /// 1: go on; 2: make the system call that is written below and come back.
    pub const REPLY: u64 = 0x14;
    /// The tool's process id, to notice its end.
    pub const TOOL: u64 = 0x18;
    /// Not 0 once nobody answers any more.
    pub const CLOSED: u64 = 0x1c;
    /// Not 0 once a thread found no free area.
    pub const FULL: u64 = 0x20;
    /// Number of the program image that asks.
    pub const IMAGE: u64 = 0x24;
    /// Argument of the request.
    pub const ARGUMENT: u64 = 0x28;
    /// Number and arguments of the system call, then its result.
    pub const CALL: u64 = 0x30;
}

/// What the program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The loader has changed the list of modules.
    Modules,
    /// A thread is about to execute another program; the argument points to its path.
    Exec,
    /// That failed.
    ExecFailed,
    /// A function is called for the first time; the argument is the number of the module instance and,
    /// in the lower half, the index of the function.
    Function,
    /// The thread's part of the trace is full, or it has none, and everything is to be traced.
    Room,
}

impl Request {
    /// As written by the stubs.
    pub fn code(self) -> u32 {
        match self {
            Self::Modules => 1,
            Self::Exec => 2,
            Self::ExecFailed => 3,
            Self::Function => 4,
            Self::Room => 5,
        }
    }

    fn of(code: u32) -> Option<Self> {
        [Self::Modules, Self::Exec, Self::ExecFailed, Self::Function, Self::Room]
            .into_iter()
            .find(|r| r.code() == code)
    }
}

/// A request with who made it.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// What.
    pub request: Request,
    /// Process.
    pub process: i32,
    /// Thread.
    pub thread: i32,
    /// Number of its program image.
    pub image: u32,
    /// Argument.
    pub argument: u64,
}

/// The shared memory as the tool sees it.
#[derive(Debug)]
pub struct Shared {
    descriptor: OwnedFd,
    base: *mut u8,
    areas: u64,
    length: u64,
}

// SAFETY: the mapping lives as long as the value and is only accessed through atomics and volatile reads of
// plain words, which any thread may do.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// Makes and maps it, with room for `trace` bytes of a trace. Pages cost memory when they are touched, not before.
    pub fn new(trace: u64) -> io::Result<Self> {
        let areas = fitting(address_limit());
        let length = pool(areas) + trace;
        // SAFETY: the name is a NUL-terminated string.
        let fd = unsafe { libc::memfd_create(c"loopwright-counts".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and belongs to nobody else.
        let descriptor = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: changes the size of our own file.
        if unsafe { libc::ftruncate(fd, length as i64) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                fd,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // A core dump of the tool need not hold the counters.
        // SAFETY: advice about our own mapping.
        unsafe { libc::madvise(base, length as usize, libc::MADV_DONTDUMP) };
        let this = Self { descriptor, base: base.cast(), areas, length };
        this.word(word::TOOL).store(std::process::id(), Ordering::Relaxed);
        Ok(this)
    }

    /// Bytes of all of it.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Areas of threads.
    pub fn area_count(&self) -> u64 {
        self.areas
    }

    /// The path by which another process of this user can open it.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.descriptor.as_raw_fd())
    }

    fn word(&self, offset: u64) -> &AtomicU32 {
        // SAFETY: `offset` is one of the aligned words inside the mapping, which outlives `self`.
        unsafe { AtomicU32::from_ptr(self.base.add(offset as usize).cast()) }
    }

    fn long(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: as for `word`; callers pass 8-byte aligned offsets below the mapping's length.
        unsafe { AtomicU64::from_ptr(self.base.add(offset as usize).cast()) }
    }

    /// Waits up to `milliseconds` for a request and takes it.
    pub fn next_request(&self, milliseconds: u32) -> Option<Asked> {
        let state = self.word(word::STATE);
        if state.load(Ordering::Acquire) != 1 {
            let timeout = libc::timespec {
                tv_sec: i64::from(milliseconds / 1000),
                tv_nsec: i64::from(milliseconds % 1000) * 1_000_000,
            };
            let now = state.load(Ordering::Acquire);
            if now != 1 {
                // SAFETY: waits on an aligned word of the mapping; the timeout outlives the call.
                unsafe {
                    libc::syscall(libc::SYS_futex, state.as_ptr(), libc::FUTEX_WAIT, now, &raw const timeout);
                }
            }
        }
        if state.compare_exchange(1, 2, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return None;
        }
        Some(Asked {
            request: Request::of(self.word(word::KIND).load(Ordering::Relaxed))?,
            process: self.word(word::PROCESS).load(Ordering::Relaxed) as i32,
            thread: self.word(word::THREAD).load(Ordering::Relaxed) as i32,
            image: self.word(word::IMAGE).load(Ordering::Relaxed),
            argument: self.long(word::ARGUMENT).load(Ordering::Relaxed),
        })
    }

    fn reply(&self, value: u32) {
        let reply = self.word(word::REPLY);
        reply.store(value, Ordering::Release);
        // SAFETY: wakes waiters on an aligned word of the mapping.
        unsafe {
            libc::syscall(libc::SYS_futex, reply.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
        }
    }

    /// Lets the thread that asked go on.
    pub fn release(&self) {
        self.reply(1);
    }

    /// Has the thread that asked make a system call. `None` when it died or did not come back.
    pub fn call(&self, process: i32, number: i64, arguments: [u64; 6]) -> Option<i64> {
        self.long(word::CALL).store(number as u64, Ordering::Relaxed);
        for (k, a) in arguments.iter().enumerate() {
            self.long(word::CALL + 8 + 8 * k as u64).store(*a, Ordering::Relaxed);
        }
        self.reply(2);
        /// Waits of 10 ms for a system call that takes microseconds.
        const PATIENCE: u32 = 500;
        for _ in 0..PATIENCE {
            if self.next_request(10).is_some() {
                return Some(self.long(word::CALL + 56).load(Ordering::Acquire) as i64);
            }
            // SAFETY: signal 0 only asks whether the process exists.
            if unsafe { libc::kill(process, 0) } != 0 {
                return None;
            }
        }
        None
    }

    /// Frees the lock when the thread that held it has died.
    pub fn free_dead_lock(&self) {
        let thread = self.word(word::THREAD).load(Ordering::Acquire);
        let held = self.word(word::LOCK).load(Ordering::Acquire) != 0;
        if held && thread != 0 && !std::path::Path::new(&format!("/proc/{thread}")).exists() {
            self.word(word::THREAD).store(0, Ordering::Release);
            self.word(word::STATE).store(0, Ordering::Release);
            self.word(word::LOCK).store(0, Ordering::Release);
        }
    }

    /// Tells all stubs that nobody answers any more.
    pub fn close(&self) {
        self.word(word::CLOSED).store(1, Ordering::Release);
        self.reply(1);
    }

    /// Whether a thread found no free area.
    pub fn ran_out_of_areas(&self) -> bool {
        self.word(word::FULL).load(Ordering::Relaxed) != 0
    }

    /// Whether a process that counted is still there.
    pub fn has_living_processes(&self) -> bool {
        (0..self.areas).map(|k| self.long(TABLE + 8 * k).load(Ordering::Acquire)).take_while(|p| *p != 0).any(
            |p| {
                let stat = std::fs::read_to_string(format!("/proc/{p}/stat")).unwrap_or_default();
                let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
                state.is_some_and(|s| !matches!(s, 'Z' | 'X'))
            },
        )
    }

    /// Words of the trace, from a byte offset in the pool.
    pub fn trace_words(&self, offset: u64, count: u64) -> Vec<u64> {
        let first = pool(self.areas) + offset;
        let count = count.min(self.length.saturating_sub(first) / 8);
        (0..count).map(|k| self.long(first + 8 * k).load(Ordering::Relaxed)).collect()
    }

    /// Sets words of the trace to zero.
    pub fn clear_trace(&self, offset: u64, count: u64) {
        let first = pool(self.areas) + offset;
        let count = count.min(self.length.saturating_sub(first) / 8);
        for k in 0..count {
            self.long(first + 8 * k).store(0, Ordering::Relaxed);
        }
    }

    /// Offset of the pool from the beginning of the shared memory.
    pub fn pool(&self) -> u64 {
        pool(self.areas)
    }

    /// Areas in use, and the one for nobody.
    pub fn areas(&self) -> Vec<Area<'_>> {
        let used = (0..self.areas).filter(|&k| self.long(TABLE + 8 * k).load(Ordering::Acquire) != 0);
        used.chain([self.areas]).map(|index| Area { shared: self, index }).collect()
    }
}

/// The limit of this process's address space, which programs that it starts inherit.
fn address_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for writing.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: unmaps what `new` mapped; no reference into it outlives `self`.
        unsafe {
            libc::munmap(self.base.cast(), self.length as usize);
        }
    }
}

/// One thread's counters.
#[derive(Clone, Copy, Debug)]
pub struct Area<'a> {
    shared: &'a Shared,
    index: u64,
}

impl Area<'_> {
    fn at(&self, offset: u64) -> u64 {
        self.shared.long(CONTROL + self.index * STRIDE + offset).load(Ordering::Relaxed)
    }

    /// A counter, by its offset.
    pub fn counter(&self, offset: i32) -> u64 {
        self.at(offset as u64)
    }

    /// Its index.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// A word of the thread's tracing state.
    pub fn trace(&self, offset: i32) -> &AtomicU64 {
        self.shared.long(CONTROL + self.index * STRIDE + offset as u64)
    }

    /// Says of each of the first `count` shares whether it is traced, and asks for room.
    pub fn choose(&self, count: u32, state: impl Fn(u32) -> u8) {
        for first in (0..count.min(MOST_SHARES)).step_by(8) {
            let word = (0..8).map(|k| u64::from(state(first + k)) << (8 * k)).fold(0, |a, b| a | b);
            self.trace(SHARES + first as i32).store(word, Ordering::Relaxed);
        }
    }

    /// Clears bits of eight shares from `first` on, which is a multiple of eight.
    pub fn clear_marks(&self, first: u32, bits: u64) {
        if bits != 0 && first < MOST_SHARES {
            let word = self.trace(SHARES + first as i32);
            if word.load(Ordering::Relaxed) & bits != 0 {
                word.fetch_and(!bits, Ordering::Relaxed);
            }
        }
    }

    /// Sets bits of one share.
    pub fn mark(&self, share: u32, bits: u8) {
        if share < MOST_SHARES {
            let word = self.trace(SHARES + (share / 8 * 8) as i32);
            word.fetch_or(u64::from(bits) << (8 * (share % 8)), Ordering::Relaxed);
        }
    }

    /// Belongs to no thread: counted before the running thread had an area.
    pub fn is_nobodys(&self) -> bool {
        self.index == self.shared.areas
    }

    /// Process, thread and image that counted here.
    pub fn identity(&self) -> (u32, u32, u32) {
        let i = IDENTITY as u64;
        (self.at(i) as u32, self.at(i + 8) as u32, self.at(i + 16) as u32)
    }
}
