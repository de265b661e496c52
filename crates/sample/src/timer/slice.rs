//! The sampler's wish to be given a CPU soon, where other threads keep them all.
//!
//! Source: `sched(7)` and `kernel/sched/syscalls.c` of Linux 6.12 and later: a thread of the normal policy may ask for slices of 0.1 ms to
//! 100 ms, and a thread that wakes with a shorter slice than the running one preempts it. That needs no privilege, and
//! shares of the CPUs stay what they are. Older kernels ignore the wish.

/// The calling thread has short slices until this is dropped.
#[derive(Debug)]
pub struct ShortSlices {
    /// To be set again.
    before: Option<libc::sched_attr>,
}

impl ShortSlices {
    /// Asks for them; without effect where the thread has a policy of its own or the kernel refuses.
    pub fn begin() -> Self {
        /// The least that is allowed.
        const SLICE_NS: u64 = 100_000;
        let normal = |attributes: &libc::sched_attr| {
            i32::try_from(attributes.sched_policy).is_ok_and(|policy| policy == libc::SCHED_OTHER)
        };
        let Some(before) = attributes().filter(normal) else { return Self { before: None } };
        set(&libc::sched_attr { sched_runtime: SLICE_NS, ..before });
        Self { before: Some(before) }
    }
}

impl Drop for ShortSlices {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            set(&before);
        }
    }
}

fn attributes() -> Option<libc::sched_attr> {
    // SAFETY: plain data for which all-zero bytes are valid.
    let mut all: libc::sched_attr = unsafe { std::mem::zeroed() };
    let size = u32::try_from(size_of::<libc::sched_attr>()).ok()?;
    // SAFETY: the call writes at most `size` bytes to the valid place given; thread 0 is the calling one.
    let got = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut all, size, 0) };
    (got == 0).then_some(all)
}

fn set(attributes: &libc::sched_attr) {
    // SAFETY: the call reads the valid structure given, which holds its own size; thread 0 is the calling one.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(attributes), 0) };
}
