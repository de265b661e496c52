//! Resources that the program and the collector used, as the kernel counts them.

use crate::recording::Target;

/// Sum over reaped processes. A process's figures include those of its own reaped children, so that the main
/// process and each orphan that fell to the collector add up to the tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    user_seconds: f64,
    system_seconds: f64,
    minor_faults: u64,
    major_faults: u64,
    peak_resident_bytes: u64,
    voluntary_switches: u64,
    involuntary_switches: u64,
}

impl Usage {
    /// Adds one reaped process.
    pub fn add(&mut self, usage: &libc::rusage) {
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        self.user_seconds += seconds(usage.ru_utime);
        self.system_seconds += seconds(usage.ru_stime);
        self.minor_faults += count(usage.ru_minflt);
        self.major_faults += count(usage.ru_majflt);
        // Linux counts in KiB (getrusage(2)).
        self.peak_resident_bytes = self.peak_resident_bytes.max(count(usage.ru_maxrss).saturating_mul(1024));
        self.voluntary_switches += count(usage.ru_nvcsw);
        self.involuntary_switches += count(usage.ru_nivcsw);
    }

    /// Writes the sums into the recording.
    pub fn store(&self, target: &mut Target) {
        target.user_seconds = self.user_seconds;
        target.system_seconds = self.system_seconds;
        target.minor_faults = self.minor_faults;
        target.major_faults = self.major_faults;
        target.peak_resident_bytes = self.peak_resident_bytes;
        target.voluntary_switches = self.voluntary_switches;
        target.involuntary_switches = self.involuntary_switches;
    }

    /// User time of the tree so far.
    pub fn user_seconds(&self) -> f64 {
        self.user_seconds
    }

    /// System time of the tree so far.
    pub fn system_seconds(&self) -> f64 {
        self.system_seconds
    }
}

/// The result of `wait4`.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    /// The process that changed its state.
    pub pid: libc::pid_t,
    /// Status as of `wait(2)`.
    pub status: libc::c_int,
    /// Resources; meaningful when the process has ended.
    pub usage: libc::rusage,
}

/// `wait4`: `Ok(None)` where `WNOHANG` found nothing.
pub fn wait4(pid: libc::pid_t, flags: libc::c_int) -> std::io::Result<Option<Waited>> {
    let mut status = 0;
    // SAFETY: `rusage` is plain data for which all-zero bytes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both out-pointers are valid for the call.
    let waited = unsafe { libc::wait4(pid, &raw mut status, flags, &raw mut usage) };
    match waited {
        0 => Ok(None),
        1.. => Ok(Some(Waited { pid: waited, status, usage })),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Whether a child has ended and is still to be reaped.
pub fn has_ended(pid: libc::pid_t) -> bool {
    let Ok(id) = libc::id_t::try_from(pid) else { return false };
    // SAFETY: `siginfo_t` is plain data for which all-zero bytes are valid.
    let mut found: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
    // SAFETY: the out-pointer is valid for the call; WNOWAIT leaves the child as it is.
    let waited = unsafe { libc::waitid(libc::P_PID, id, &raw mut found, flags) };
    // SAFETY: waitid filled the fields of a child's state, or left them zero when no child has ended.
    waited == 0 && unsafe { found.si_pid() } == pid
}

/// CPU time of the calling thread: the collector's own, whatever else its process does.
pub fn own_cpu_seconds() -> f64 {
    clock_seconds(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Nanoseconds of `CLOCK_MONOTONIC`, the clock of all samples.
pub fn monotonic_ns() -> u64 {
    let time = clock(libc::CLOCK_MONOTONIC);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

fn clock_seconds(id: libc::clockid_t) -> f64 {
    let time = clock(id);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn clock(id: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write; a failure (unknown clock) leaves it zero.
    unsafe {
        libc::clock_gettime(id, &raw mut time);
    }
    time
}

/// CPUs that the calling thread, and so the program it starts, may run on.
pub fn cpus_allowed() -> u32 {
    // SAFETY: `cpu_set_t` is a plain bit set for which all-zero bytes are valid.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is valid for the size given.
    let got = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
    if got == 0 {
        // SAFETY: `set` is a valid set.
        return u32::try_from(unsafe { libc::CPU_COUNT(&set) }).unwrap_or(1).max(1);
    }
    // More CPUs than a `cpu_set_t` holds (1024): the standard library grows its set.
    std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_add_and_the_peak_is_a_maximum() {
        // SAFETY: plain data for which all-zero bytes are valid.
        let mut one: libc::rusage = unsafe { std::mem::zeroed() };
        one.ru_utime.tv_sec = 1;
        one.ru_utime.tv_usec = 500_000;
        one.ru_maxrss = 10;
        one.ru_minflt = 3;
        let mut usage = Usage::default();
        usage.add(&one);
        one.ru_maxrss = 5;
        usage.add(&one);
        let mut target = Target::default();
        usage.store(&mut target);
        assert_eq!(target.user_seconds, 3.0);
        assert_eq!(target.minor_faults, 6);
        assert_eq!(target.peak_resident_bytes, 10 * 1024);
    }

    #[test]
    fn there_is_a_cpu_and_time_passes() {
        assert!(cpus_allowed() >= 1);
        let before = monotonic_ns();
        assert!(monotonic_ns() >= before && before > 0);
        assert!(own_cpu_seconds() > 0.0);
    }
}
