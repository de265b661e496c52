//! The memory through which the program sends requests to the tool, from the tool's side.
//!
//! A thread that makes a request writes it into a block on its own stack and takes a free slot of the shared page, both
//! at once: one instruction (`lock cmpxchg16b`) writes the request's ticket and the block's address. There is no lock
//! that a thread could hold when it is killed, and nothing depends on process or thread ids, which mean something else
//! in another namespace: the tool finds the requester by looking for the ticket at this address in the memory of the
//! program's processes. If no process has it, the requester has died, and its slot is freed. Only the tool frees a
//! slot, which is the answer; before that it may order system calls. Signals wait meanwhile: a handler that made a
//! request itself would keep the thread from its order until the tool gave up.
//!
//! The tool's end is detected without a system call: the kernel marks a word that a thread of the tool holds
//! as a robust futex (kernel documentation, robust-futex-ABI) when this thread ends for any reason.

use super::segment::Segment;
use super::tracee::Memory;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Offsets in the shared page.
pub mod word {
    /// Not 0 once the tool answers no more requests.
    pub const CLOSED: u64 = 0x00;
    /// The robust futex that the tool holds.
    pub const ALIVE: u64 = 0x04;
    /// Number of events that the tool must handle; it sleeps on this word.
    pub const DOORBELL: u64 = 0x08;
    /// Not 0 while it sleeps.
    pub const SLEEPING: u64 = 0x0c;
    /// Not 0 once a thread may be under seccomp: threads then make only ordered system calls.
    pub const DOUBT: u64 = 0x10;
    /// Number of the last ticket.
    pub const TICKETS: u64 = 0x18;
    pub const SLOTS: u64 = 0x1000;
}

/// The bit of [`word::ALIVE`] that the kernel sets (`FUTEX_OWNER_DIED`).
pub const DIED: u32 = 0x4000_0000;
/// Most requests at the same time; a power of two.
pub const SLOT_COUNT: u64 = 64;
/// Bytes from one slot to the next.
pub const SLOT_BYTES: u64 = 128;
/// Bytes of the shared page.
pub const CONTROL: u64 = word::SLOTS + SLOT_COUNT * SLOT_BYTES;

/// Offsets in a slot.
pub mod slot {
    /// The ticket of the request; 0: free.
    pub const TICKET: u64 = 0;
    /// Address of its block; the upper 16 bits hold the number of the area that the thread's GS base points to.
    pub const ADDRESS: u64 = 8;
    /// Number of events that the thread must handle; it sleeps on this word.
    pub const BELL: u64 = 16;
    /// Number of the order; 0 for none.
    pub const ORDER: u64 = 20;
    /// Number and arguments of the ordered system call.
    pub const CALL: u64 = 24;
}

/// Offsets in the block on the stack of the requesting thread.
pub mod block {
    /// The ticket; 0 once the request is over.
    pub const TICKET: i32 = 0;
    /// Kind of the request; see [`super::Request`].
    pub const KIND: i32 = 8;
    /// Number of the program image.
    pub const IMAGE: i32 = 12;
    /// Argument of the request.
    pub const ARGUMENT: i32 = 16;
    /// Identifies the thread within its process: its FS base.
    pub const OWNER: i32 = 24;
    /// Thread id in the thread's own namespace; 0: not read.
    pub const THREAD: i32 = 32;
    /// Number of the last order that was carried out. Written after the result, and read before it.
    pub const DONE: i32 = 40;
    /// Result of the ordered system call; at the end the tool's answer.
    pub const RESULT: i32 = 48;
    /// A value that must survive system calls.
    pub const KEPT: i32 = 56;
    /// The signals that the thread blocked before the request.
    pub const BLOCKED: i32 = 64;
    /// Not 0 while all signals are blocked.
    pub const QUIET: i32 = 72;
    /// Second argument of the request: rsi of the thread that made it.
    pub const SECOND: i32 = 80;
    /// Size in bytes; a multiple of 16.
    pub const BYTES: usize = 96;
}

/// A request of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The loader has changed the list of modules.
    Modules,
    /// A thread is about to execute another program; the argument points to its path.
    Exec,
    /// That exec failed.
    ExecFailed,
    /// A function is called for the first time; the argument is the number of the module instance and,
    /// in the lower half, the index of the function.
    Function,
    /// The thread's chunk of the trace is full, or it has none, and everything is traced.
    Room,
    /// The thread has no area yet. The answer is the GS base, or 0.
    Area,
    /// A thread is about to make instrumented code writable; the arguments are the address and the number of bytes.
    Writable,
}

impl Request {
    /// The number that the stubs write.
    pub fn code(self) -> u32 {
        match self {
            Self::Modules => 1,
            Self::Exec => 2,
            Self::ExecFailed => 3,
            Self::Function => 4,
            Self::Room => 5,
            Self::Area => 6,
            Self::Writable => 7,
        }
    }

    fn of(code: u32) -> Option<Self> {
        use Request::{Area, Exec, ExecFailed, Function, Modules, Room, Writable};
        let all = [Modules, Exec, ExecFailed, Function, Room, Area, Writable];
        all.into_iter().find(|r| r.code() == code)
    }
}

/// A posted request. Its process is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Number of its slot.
    pub slot: u64,
    pub ticket: u64,
    /// Address of its block.
    pub address: u64,
    /// The area that the thread's GS base points to, which may be its parent's.
    pub number: u64,
}

/// The content of a block.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Kind of the request.
    pub request: Request,
    /// Number of the program image.
    pub image: u32,
    /// Argument of the request.
    pub argument: u64,
    /// Its second argument.
    pub second: u64,
    /// The thread's FS base.
    pub owner: u64,
    /// Its id in its own namespace, or 0.
    pub thread: i32,
}

impl Block {
    /// Reads it from the memory of a process, if this process posted it.
    pub fn read(memory: &Memory, posted: &Posted) -> Option<Self> {
        let bytes = memory.read(posted.address, block::BYTES).ok()?;
        let long = |at: i32| {
            let at = at as usize;
            bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes)
        };
        if long(block::TICKET)? != posted.ticket {
            return None;
        }
        let kind = long(block::KIND)?;
        Some(Self {
            request: Request::of(kind as u32)?,
            image: (kind >> 32) as u32,
            argument: long(block::ARGUMENT)?,
            second: long(block::SECOND)?,
            owner: long(block::OWNER)?,
            thread: long(block::THREAD)? as i32,
        })
    }
}

/// The shared page as the tool sees it.
#[derive(Debug)]
pub struct Control {
    page: Arc<Segment>,
    /// Tickets in progress, by slot.
    busy: Mutex<[u64; SLOT_COUNT as usize]>,
    last: Mutex<Instant>,
    holder: Option<Holder>,
}

/// The thread that holds the robust futex.
#[derive(Debug)]
struct Holder {
    ended: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Control {
    /// Creates the page.
    pub fn new() -> io::Result<Self> {
        let page = Arc::new(Segment::new(CONTROL)?);
        let holder = hold(&page)?;
        let busy = Mutex::new([0; SLOT_COUNT as usize]);
        Ok(Self { page, busy, last: Mutex::new(Instant::now()), holder: Some(holder) })
    }

    /// The segment's number.
    pub fn id(&self) -> i32 {
        self.page.id
    }

    fn at(slot: u64, offset: u64) -> u64 {
        word::SLOTS + slot * SLOT_BYTES + offset
    }

    fn take(&self) -> Option<Posted> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        for slot in 0..SLOT_COUNT {
            // Ticket and address are written at once; only the tool clears them.
            let ticket = self.page.long(Self::at(slot, slot::TICKET)).load(Ordering::Acquire);
            if ticket != 0 && busy[slot as usize] != ticket {
                busy[slot as usize] = ticket;
                let word = self.page.long(Self::at(slot, slot::ADDRESS)).load(Ordering::Acquire);
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                return Some(Posted { slot, ticket, address: word << 16 >> 16, number: word >> 48 });
            }
        }
        None
    }

    /// Waits up to `milliseconds` for a request and takes it.
    pub fn next(&self, milliseconds: u32) -> Option<Posted> {
        self.take().or_else(|| self.sleep(milliseconds, || self.take()))
    }

    /// Sleeps until the doorbell rings; calls `look` once more before and after.
    fn sleep<T>(&self, milliseconds: u32, look: impl Fn() -> Option<T>) -> Option<T> {
        let (bell, sleeping) = (self.page.word(word::DOORBELL), self.page.word(word::SLEEPING));
        let now = bell.load(Ordering::SeqCst);
        sleeping.store(1, Ordering::SeqCst);
        let found = look();
        if found.is_none() {
            let most = Duration::from_millis(u64::from(milliseconds));
            futex_wait(bell.as_ptr(), now, if self.is_in_doubt() { most.min(self.nap()) } else { most });
        }
        sleeping.store(0, Ordering::SeqCst);
        found.or_else(look)
    }

    /// How long to sleep when the doorbell cannot be rung: a small part of the time since the last request,
    /// so that the program waits briefly and the tool looks rarely while there are no requests.
    fn nap(&self) -> Duration {
        const PART: u32 = 16;
        const LEAST: Duration = Duration::from_micros(20);
        (self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed() / PART).max(LEAST)
    }

    /// Lets the requesting thread continue.
    pub fn answer(&self, posted: &Posted) {
        let ticket = self.page.long(Self::at(posted.slot, slot::TICKET));
        if ticket.load(Ordering::Acquire) != posted.ticket {
            return;
        }
        self.page.word(Self::at(posted.slot, slot::ORDER)).store(0, Ordering::Relaxed);
        // A free slot is 0 in both words: the ticket goes last.
        self.page.long(Self::at(posted.slot, slot::ADDRESS)).store(0, Ordering::Release);
        ticket.store(0, Ordering::Release);
        self.ring(posted.slot);
    }

    fn ring(&self, slot: u64) {
        let bell = self.page.word(Self::at(slot, slot::BELL));
        bell.fetch_add(1, Ordering::SeqCst);
        // SAFETY: wakes waiters on an aligned word of the mapping.
        unsafe {
            libc::syscall(libc::SYS_futex, bell.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
        }
    }

    /// Makes the requesting thread execute a system call. `None` when it died or did not answer.
    pub fn order(&self, posted: &Posted, memory: &Memory, number: i64, arguments: [u64; 6]) -> Option<i64> {
        /// Much longer than a system call that changes mappings takes; a thread that was stopped meanwhile
        /// (`SIGSTOP`) must not block the others for ever.
        const PATIENCE: Duration = Duration::from_secs(2);
        let call = Self::at(posted.slot, slot::CALL);
        self.page.long(call).store(number as u64, Ordering::Relaxed);
        for (k, a) in arguments.iter().enumerate() {
            self.page.long(call + 8 + 8 * k as u64).store(*a, Ordering::Relaxed);
        }
        let order = self.page.word(Self::at(posted.slot, slot::ORDER));
        let wanted = order.load(Ordering::Relaxed) + 1;
        order.store(wanted, Ordering::Release);
        self.ring(posted.slot);
        let begin = Instant::now();
        loop {
            let word = |at: i32| memory.word(posted.address + at as u64).ok();
            if word(block::TICKET) != Some(posted.ticket) {
                return None;
            }
            if word(block::DONE) == Some(u64::from(wanted)) {
                return word(block::RESULT).map(|r| r as i64);
            }
            if begin.elapsed() > PATIENCE {
                return None;
            }
            self.sleep(1, || (word(block::DONE) == Some(u64::from(wanted))).then_some(()));
        }
    }

    /// Signals to all stubs that there will be no more answers.
    pub fn close(&self) {
        self.page.word(word::CLOSED).store(1, Ordering::SeqCst);
        while let Some(posted) = self.take() {
            self.answer(&posted);
        }
    }

    /// Whether a thread of the program may be under seccomp, so that its requests make no system call.
    pub fn is_in_doubt(&self) -> bool {
        self.page.word(word::DOUBT).load(Ordering::Relaxed) != 0
    }

    /// Sets this state for good.
    pub fn doubt(&self) {
        self.page.word(word::DOUBT).store(1, Ordering::SeqCst);
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.close();
        if let Some(holder) = self.holder.take() {
            holder.ended.store(true, Ordering::Release);
            holder.thread.thread().unpark();
            let _ = holder.thread.join();
        }
    }
}

fn futex_wait(word: *mut u32, seen: u32, most: Duration) {
    let timeout =
        libc::timespec { tv_sec: most.as_secs() as libc::time_t, tv_nsec: most.subsec_nanos().into() };
    // SAFETY: waits on an aligned word of a living mapping; the timeout outlives the call.
    unsafe {
        libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, seen, &raw const timeout);
    }
}

/// `struct robust_list` and `struct robust_list_head` (linux/futex.h).
#[repr(C)]
struct RobustList {
    next: *mut RobustList,
}

#[repr(C)]
struct RobustHead {
    list: RobustList,
    offset: libc::c_long,
    pending: *mut RobustList,
}

/// Starts the thread that holds [`word::ALIVE`] for as long as this process lives. Its list of robust futexes
/// replaces the C library's, which holds none in this thread.
fn hold(page: &Arc<Segment>) -> io::Result<Holder> {
    let ended = Arc::new(AtomicBool::new(false));
    let (page, until) = (Arc::clone(page), Arc::clone(&ended));
    let (sender, ready) = std::sync::mpsc::channel();
    let thread = std::thread::Builder::new().name("presence".to_owned()).spawn(move || {
        let alive = page.word(word::ALIVE);
        // SAFETY: gettid has no arguments and always succeeds.
        let me = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        alive.store(me, Ordering::SeqCst);
        let mut node = RobustList { next: std::ptr::null_mut() };
        let mut head = RobustHead {
            list: RobustList { next: &raw mut node },
            offset: (alive.as_ptr() as isize - &raw const node as isize) as libc::c_long,
            pending: std::ptr::null_mut(),
        };
        node.next = &raw mut head.list;
        // SAFETY: the kernel reads `head` and `node` when this thread ends; both are on its stack, which lives until then.
        let result =
            unsafe { libc::syscall(libc::SYS_set_robust_list, &raw const head, size_of::<RobustHead>()) };
        let _ = sender.send(if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) });
        while !until.load(Ordering::Acquire) {
            std::thread::park();
        }
        alive.fetch_or(DIED, Ordering::SeqCst);
        // SAFETY: an empty list: the registered one goes out of scope.
        unsafe {
            libc::syscall(libc::SYS_set_robust_list, std::ptr::null::<RobustHead>(), size_of::<RobustHead>())
        };
        std::hint::black_box((&node, &head));
    })?;
    ready.recv().unwrap_or_else(|_| Err(io::Error::other("its thread ended")))?;
    Ok(Holder { ended, thread })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that ends without notice is detected by the mark that the kernel sets.
    #[test]
    fn the_end_of_the_holder_is_marked() {
        let page = Arc::new(Segment::new(CONTROL).unwrap());
        let holder = hold(&page).unwrap();
        let held = page.word(word::ALIVE).load(Ordering::SeqCst);
        assert!(held != 0 && held & DIED == 0);
        // A thread that ends while it still holds the word.
        let other = Arc::clone(&page);
        std::thread::spawn(move || {
            let at = other.word(0x40);
            // SAFETY: gettid has no arguments.
            at.store(unsafe { libc::syscall(libc::SYS_gettid) } as u32, Ordering::SeqCst);
            let mut node = Box::new(RobustList { next: std::ptr::null_mut() });
            let head = Box::leak(Box::new(RobustHead {
                list: RobustList { next: &raw mut *node },
                offset: (at.as_ptr() as isize - &raw const *node as isize) as libc::c_long,
                pending: std::ptr::null_mut(),
            }));
            Box::leak(node).next = &raw mut head.list;
            // SAFETY: both are leaked and so outlive the thread.
            unsafe {
                libc::syscall(libc::SYS_set_robust_list, std::ptr::from_ref(head), size_of::<RobustHead>())
            };
        })
        .join()
        .unwrap();
        assert_eq!(page.word(0x40).load(Ordering::SeqCst) & DIED, DIED);
        holder.ended.store(true, Ordering::Release);
        holder.thread.thread().unpark();
        holder.thread.join().unwrap();
        assert_eq!(page.word(word::ALIVE).load(Ordering::SeqCst) & DIED, DIED);
    }

    /// A request is taken once, and its slot is free after the answer.
    #[test]
    fn a_posted_request_is_taken_once() {
        let control = Control::new().unwrap();
        assert_eq!(control.next(0), None);
        control.page.long(Control::at(3, slot::ADDRESS)).store(0x7ff0_1234_5670 | 9 << 48, Ordering::SeqCst);
        control.page.long(Control::at(3, slot::TICKET)).store(77, Ordering::SeqCst);
        let posted = control.next(0).unwrap();
        assert_eq!(posted, Posted { slot: 3, ticket: 77, address: 0x7ff0_1234_5670, number: 9 });
        assert_eq!(control.next(0), None);
        control.answer(&posted);
        assert_eq!(control.page.long(Control::at(3, slot::TICKET)).load(Ordering::SeqCst), 0);
        assert_eq!(control.page.long(Control::at(3, slot::ADDRESS)).load(Ordering::SeqCst), 0);
        // A repeated answer does not affect the present owner of the slot.
        control.page.long(Control::at(3, slot::ADDRESS)).store(0x10, Ordering::SeqCst);
        control.page.long(Control::at(3, slot::TICKET)).store(78, Ordering::SeqCst);
        control.answer(&posted);
        assert_eq!(control.page.long(Control::at(3, slot::TICKET)).load(Ordering::SeqCst), 78);
    }
}
