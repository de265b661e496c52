//! One traced thread: its ptrace requests and its CPU time.
//!
//! Sources: `ptrace(2)` (PTRACE_SEIZE and group-stops), `proc(5)` (stat, schedstat).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::ptr::null_mut;

use crate::perf::records::Registers;

/// What a wait status of a traced thread means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Exited or was killed.
    Ended,
    /// Created a thread or process.
    Created,
    /// Became another program.
    Executed,
    /// Is about to end.
    Exiting,
    /// Stopped because it was asked to, or because it is new.
    Trapped,
    /// Stopped by job control.
    GroupStopped,
    /// A signal is to be delivered.
    Signalled(libc::c_int),
    /// Anything else.
    Other,
}

/// Decodes a wait status.
pub fn classify(status: libc::c_int) -> Event {
    if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
        return Event::Ended;
    }
    if !libc::WIFSTOPPED(status) {
        return Event::Other;
    }
    let signal = libc::WSTOPSIG(status);
    match status >> 16 {
        libc::PTRACE_EVENT_CLONE | libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK => Event::Created,
        libc::PTRACE_EVENT_EXEC => Event::Executed,
        libc::PTRACE_EVENT_EXIT => Event::Exiting,
        libc::PTRACE_EVENT_STOP
            if matches!(signal, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) =>
        {
            Event::GroupStopped
        }
        libc::PTRACE_EVENT_STOP => Event::Trapped,
        0 => Event::Signalled(signal),
        _ => Event::Trapped,
    }
}

/// The type of a request: glibc declares an enumeration, musl an `int`.
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;
#[cfg(target_env = "musl")]
type Request = libc::c_int;

/// A request that passes only a number.
fn request(what: Request, tid: libc::pid_t, data: usize) -> bool {
    // SAFETY: the requests made through here read no memory of this process; `data` is a plain number for
    // them. On a thread that is not stopped or has gone they only fail.
    unsafe { libc::ptrace(what, tid, null_mut::<libc::c_void>(), data as *mut libc::c_void) == 0 }
}

/// Attaches without stopping, and follows everything the thread creates.
pub fn seize(pid: libc::pid_t) -> io::Result<()> {
    let follow = libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACEEXIT;
    if request(libc::PTRACE_SEIZE, pid, follow as usize) { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Asks a running thread to stop.
pub fn interrupt(tid: libc::pid_t) -> bool {
    request(libc::PTRACE_INTERRUPT, tid, 0)
}

/// Resumes a stopped thread, delivering `signal` if it is not 0.
pub fn resume(tid: libc::pid_t, signal: libc::c_int) {
    request(libc::PTRACE_CONT, tid, signal as usize);
}

/// Leaves a thread stopped by job control stopped, and requests an event when it is continued.
pub fn listen(tid: libc::pid_t) {
    request(libc::PTRACE_LISTEN, tid, 0);
}

/// Stops tracing a stopped thread.
pub fn detach(tid: libc::pid_t, signal: libc::c_int) {
    request(libc::PTRACE_DETACH, tid, signal as usize);
}

/// The number that came with an event.
pub fn message(tid: libc::pid_t) -> Option<libc::pid_t> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the request writes one `unsigned long` to the valid pointer given.
    let got =
        unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, tid, null_mut::<libc::c_void>(), &raw mut message) };
    if got == 0 { libc::pid_t::try_from(message).ok() } else { None }
}

/// User registers of a stopped thread, and the system call that it was in.
pub fn registers(tid: libc::pid_t) -> Option<(Registers, Option<u32>)> {
    // SAFETY: plain data for which all-zero bytes are valid.
    let mut all: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    // SAFETY: the request writes one `user_regs_struct` to the valid pointer given.
    let got = unsafe { libc::ptrace(libc::PTRACE_GETREGS, tid, null_mut::<libc::c_void>(), &raw mut all) };
    // Outside of system calls the kernel sets orig_rax to -1 (arch/x86/entry).
    let call = u32::try_from(all.orig_rax as i64).ok();
    (got == 0).then_some((Registers { ip: all.rip, sp: all.rsp, bp: all.rbp }, call))
}

/// A traced thread.
#[derive(Debug)]
pub struct Thread {
    pub process: u32,
    /// Its process's parent when it was first seen.
    pub parent: u32,
    /// CPU it was last seen on.
    pub cpu: u32,
    /// Its parent had ended before it, so that the collector has to reap it.
    pub fell_to_us: bool,
    tid: libc::pid_t,
    schedstat: Option<File>,
    stat: Option<File>,
    seen: Scheduled,
    sampled_ns: u64,
    /// It was asked to stop, for the sample that was due at this time.
    asked: Option<u64>,
}

/// What the scheduler counts for a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Scheduled {
    cpu_ns: u64,
    /// Time that it waited for a CPU; `None` where the kernel does not count it.
    waited: Option<Waits>,
}

#[derive(Clone, Copy, Debug)]
struct Waits {
    total_ns: u64,
    /// How often it has been given a CPU.
    arrivals: u64,
}

/// Where threads wait for CPUs, most are preempted at certain places: the kernel looks whether a thread has had its share when a tick of
/// the scheduler comes, and when the thread wakes another or asks for its CPU time. A sample of a waiting thread would be of one of these
/// places. It shows where the thread spends its time only if it had a CPU when the sample was due: if it kept its CPU until
/// it stopped (on another CPU than the sampler), or lost it after that moment, to the sampler.
fn was_running(before: Scheduled, now: Scheduled, due_ns: u64, stopped_ns: u64) -> bool {
    let Some((before, now)) = before.waited.zip(now.waited) else { return true };
    let waited_ns = now.total_ns.saturating_sub(before.total_ns);
    match now.arrivals.saturating_sub(before.arrivals) {
        0 => true,
        // It stops as soon as it has a CPU again.
        1 => stopped_ns.saturating_sub(waited_ns) >= due_ns,
        _ => false,
    }
}

impl Thread {
    /// Opens the files that are read at each tick. `None` when the thread has ended.
    pub fn open(tid: libc::pid_t) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
        let field =
            |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u32>().ok());
        let process = field("Tgid:")?;
        let folder = format!("/proc/{process}/task/{tid}");
        let mut thread = Self {
            process,
            parent: field("PPid:")?,
            cpu: 0,
            fell_to_us: false,
            tid,
            schedstat: File::open(format!("{folder}/schedstat")).ok(),
            stat: File::open(format!("{folder}/stat")).ok(),
            seen: Scheduled::default(),
            sampled_ns: 0,
            asked: None,
        };
        thread.seen = thread.scheduled();
        thread.sampled_ns = thread.seen.cpu_ns;
        Some(thread)
    }

    fn read(file: Option<&File>, buffer: &mut [u8]) -> usize {
        file.and_then(|file| file.read_at(buffer, 0).ok()).unwrap_or(0)
    }

    /// From schedstat (exact), else from stat (clock ticks).
    fn scheduled(&self) -> Scheduled {
        let mut buffer = [0_u8; 512];
        let read = Self::read(self.schedstat.as_ref(), &mut buffer);
        let text = String::from_utf8_lossy(buffer.get(..read).unwrap_or_default());
        if let Some(scheduled) = schedstat(&text) {
            return scheduled;
        }
        let read = Self::read(self.stat.as_ref(), &mut buffer);
        let text = String::from_utf8_lossy(buffer.get(..read).unwrap_or_default());
        // SAFETY: sysconf has no preconditions.
        let hertz = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1);
        let cpu_ns = stat_field(&text, 14)
            .zip(stat_field(&text, 15))
            .map_or(0, |(user, system)| (user + system).saturating_mul(1_000_000_000 / hertz));
        Scheduled { cpu_ns, waited: None }
    }

    /// Asks it to stop for a sample, if it used CPU time since the last tick and is running now.
    pub fn ask(&mut self, due_ns: u64) {
        if self.asked.is_none() && self.has_run() && self.is_running() && interrupt(self.tid) {
            self.asked = Some(due_ns);
        }
    }

    /// Whether it stopped for a sample, and that shows where it spends its time.
    pub fn shows_its_place(&mut self, stopped_ns: u64) -> bool {
        let Some(due_ns) = self.asked.take() else { return false };
        let asked = self.seen;
        self.seen = self.scheduled();
        was_running(asked, self.seen, due_ns, stopped_ns)
    }

    /// Whether it used CPU time since the last tick.
    fn has_run(&mut self) -> bool {
        let before = self.seen.cpu_ns;
        self.seen = self.scheduled();
        self.seen.cpu_ns > before
    }

    /// Whether it is running (or ready to) now; notes its CPU.
    fn is_running(&mut self) -> bool {
        let mut buffer = [0_u8; 512];
        let read = Self::read(self.stat.as_ref(), &mut buffer);
        let text = String::from_utf8_lossy(buffer.get(..read).unwrap_or_default());
        if let Some(cpu) = stat_field(&text, 39) {
            self.cpu = u32::try_from(cpu).unwrap_or(0);
        }
        after_name(&text).is_some_and(|rest| rest.starts_with('R'))
    }

    /// CPU time between the last sample and the stop for this one.
    pub fn take_cpu_time(&mut self) -> u32 {
        let passed = self.seen.cpu_ns.saturating_sub(self.sampled_ns);
        self.sampled_ns = self.seen.cpu_ns;
        u32::try_from(passed).unwrap_or(u32::MAX)
    }

    /// Notes, while it still exists, whether its process has become the collector's child.
    pub fn note_parent(&mut self) {
        if self.tid as u32 == self.process {
            let mut buffer = [0_u8; 512];
            let read = Self::read(self.stat.as_ref(), &mut buffer);
            let text = String::from_utf8_lossy(buffer.get(..read).unwrap_or_default());
            self.fell_to_us = stat_field(&text, 4) == Some(u64::from(std::process::id()));
        }
    }
}

/// What `/proc/PID/task/TID/schedstat` holds. Kernels without these statistics write zeros.
fn schedstat(text: &str) -> Option<Scheduled> {
    let mut words = text.split_whitespace().map(str::parse::<u64>);
    let cpu_ns = words.next()?.ok()?;
    let waited = match (words.next(), words.next()) {
        (Some(Ok(total_ns)), Some(Ok(arrivals))) if arrivals > 0 => Some(Waits { total_ns, arrivals }),
        _ => None,
    };
    Some(Scheduled { cpu_ns, waited })
}

/// The text after the name, which is in parentheses and may hold anything.
fn after_name(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, rest)| rest)
}

/// A field of `/proc/PID/stat` by its number in `proc(5)` (from 4 on).
fn stat_field(stat: &str, number: usize) -> Option<u64> {
    after_name(stat)?.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        let stop = |signal: libc::c_int, event: libc::c_int| event << 16 | signal << 8 | 0x7f;
        assert_eq!(classify(0), Event::Ended);
        assert_eq!(classify(libc::SIGKILL), Event::Ended);
        assert_eq!(classify(stop(libc::SIGTRAP, libc::PTRACE_EVENT_EXEC)), Event::Executed);
        assert_eq!(classify(stop(libc::SIGTRAP, libc::PTRACE_EVENT_VFORK)), Event::Created);
        assert_eq!(classify(stop(libc::SIGTRAP, libc::PTRACE_EVENT_STOP)), Event::Trapped);
        assert_eq!(classify(stop(libc::SIGTSTP, libc::PTRACE_EVENT_STOP)), Event::GroupStopped);
        assert_eq!(classify(stop(libc::SIGSEGV, 0)), Event::Signalled(libc::SIGSEGV));
        assert_eq!(classify(stop(libc::SIGSTOP, 0)), Event::Signalled(libc::SIGSTOP));
    }

    #[test]
    fn a_thread_that_waited_for_a_cpu_shows_nothing() {
        let scheduled = |total_ns, arrivals| schedstat(&format!("1000 {total_ns} {arrivals}\n")).unwrap();
        let before = scheduled(100, 5);
        let due = 10_000;
        // It kept its CPU; lost it to the sampler, 40 ns after the sample was due; had lost it before; was given it twice.
        assert!(was_running(before, scheduled(100, 5), due, 10_060));
        assert!(was_running(before, scheduled(160, 6), due, 10_100));
        assert!(!was_running(before, scheduled(1_100, 6), due, 10_100));
        assert!(!was_running(before, scheduled(110, 7), due, 10_100));
        // Without statistics every sample is taken.
        let (unknown, time_only) = (schedstat("1000 0 0\n").unwrap(), schedstat("1000\n").unwrap());
        assert_eq!(time_only.cpu_ns, 1000);
        assert!(unknown.waited.is_none() && time_only.waited.is_none());
        assert!(was_running(unknown, unknown, due, 10_100));
        assert!(schedstat("").is_none() && schedstat("x 1 2").is_none());
    }

    #[test]
    fn stat_with_a_name_that_misleads() {
        let stat = "42 (a) R 1 (x) y) S 7 42 42 0 -1 0 1 2 3 4 5 6 7 8";
        assert_eq!(stat_field(stat, 4), Some(7));
        assert_eq!(stat_field(stat, 14), Some(5));
        assert_eq!(stat_field("junk", 4), None);
        assert!(after_name(stat).unwrap().starts_with('S'));
    }
}
