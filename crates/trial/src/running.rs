//! Runs a command to its end within limits: the program that is tried, compilers, linkers.
//!
//! Each runs in a process group of its own, which is ended as a whole: what a program started in the background must not
//! disturb the next run. Its CPU time is that of wait4(2).

use loopwright_experiment::trials::Timed;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pause between two looks at a running process: it bounds the error of the elapsed time.
const LONGEST_NAP: Duration = Duration::from_millis(1);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Exited(i32),
    Killed(i32),
    /// It was ended after this number of seconds.
    Hung(u64),
    /// The user asked to stop.
    Stopped,
}

/// Limits of one process and of all that it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    pub time: Duration,
    /// Most bytes of each file that it writes.
    pub file: u64,
    pub stop: &'a AtomicBool,
}

/// Runs `command`.
pub(crate) fn run(command: &mut Command, limits: Limits) -> io::Result<(How, Timed)> {
    let waited = waited();
    let start = Instant::now();
    // SAFETY: between fork and exec only prctl(2) is called, which is a plain system call: no memory is allocated, no lock taken.
    unsafe { command.pre_exec(end_with_parent) };
    let child = command.process_group(0).spawn()?;
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    limit_files(pid, limits.file);
    let mut nap = Duration::from_micros(50);
    let (how, used) = loop {
        if let Some((status, used)) = ended(pid, libc::WNOHANG)? {
            break (of_status(status), used);
        }
        let hung = start.elapsed() > limits.time;
        if hung || limits.stop.load(Ordering::SeqCst) {
            kill_group(pid);
            let (_, used) = ended(pid, 0)?.unwrap_or_default();
            break (if hung { How::Hung(limits.time.as_secs()) } else { How::Stopped }, used);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    };
    let elapsed = start.elapsed().as_secs_f64();
    kill_group(pid);
    // Ctrl-C of a terminal may reach the program by other ways than this process.
    let how = if limits.stop.load(Ordering::SeqCst) { How::Stopped } else { how };
    let pressure = waited
        .zip(self::waited())
        .filter(|_| elapsed > 0.0)
        .map(|(before, after)| (after.saturating_sub(before) as f64 / 1e6 / elapsed).min(1.0));
    Ok((how, Timed { cpu: used.cpu, elapsed, figure: None, preempted: Some(used.preempted), pressure }))
}

/// A second Ctrl-C ends this process at once; what it started must not go on without it.
fn end_with_parent() -> io::Result<()> {
    // SAFETY: the call has no pointers, and sets a property of the calling process alone.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    Ok(())
}

fn of_status(status: libc::c_int) -> How {
    if libc::WIFSIGNALED(status) {
        How::Killed(libc::WTERMSIG(status))
    } else {
        How::Exited(libc::WEXITSTATUS(status))
    }
}

/// Microseconds since the machine started in which some task waited for a CPU (Documentation/accounting/psi.rst); absent where the kernel
/// does not account for it.
fn waited() -> Option<u64> {
    total(&std::fs::read_to_string("/proc/pressure/cpu").ok()?)
}

fn total(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// What a process and those that it waited for used.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    cpu: f64,
    preempted: u64,
}

/// The status of our child, and what it used, once it has ended.
fn ended(pid: libc::pid_t, options: libc::c_int) -> io::Result<Option<(libc::c_int, Used)>> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value of that plain structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live local values; `pid` is our own child, which only this function reaps.
    match unsafe { libc::wait4(pid, &raw mut status, options, &raw mut usage) } {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ => {
            let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
            let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
            Ok(Some((status, Used { cpu, preempted: u64::try_from(usage.ru_nivcsw).unwrap_or_default() })))
        }
    }
}

/// Ends what is left of the group; it may be empty.
fn kill_group(pid: libc::pid_t) {
    // SAFETY: a signal to the group that our child leads touches no memory of this process.
    unsafe { libc::kill(-pid, libc::SIGKILL) };
}

/// Where the system refuses, the disk is bounded by the check after each run alone.
fn limit_files(pid: libc::pid_t, most: u64) {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: `limit` lives through the call, the old limit is not asked for, and `pid` is our own unreaped child.
    unsafe { libc::prlimit(pid, libc::RLIMIT_FSIZE, &raw const limit, std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn shell(line: &str, time: Duration) -> How {
        let limits = Limits { time, file: 1 << 20, stop: &NEVER };
        run(Command::new("sh").args(["-c", line]), limits).unwrap().0
    }

    #[test]
    fn every_end_is_seen() {
        let long = Duration::from_secs(60);
        assert_eq!(shell("exit 3", long), How::Exited(3));
        assert_eq!(shell("kill -SEGV $$", long), How::Killed(libc::SIGSEGV));
        assert_eq!(shell("sleep 100", Duration::from_millis(20)), How::Hung(0));
        let stop = AtomicBool::new(true);
        let limits = Limits { time: long, file: 1 << 20, stop: &stop };
        assert_eq!(run(Command::new("sleep").arg("100"), limits).unwrap().0, How::Stopped);
    }

    #[test]
    fn pressure_is_the_sum_of_what_waited() {
        let text = "some avg10=0.12 avg60=0.00 avg300=0.00 total=158761459\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n";
        assert_eq!(total(text), Some(158_761_459));
        for damaged in ["", "some", "some total=", "full total=5", "some total=-1"] {
            assert_eq!(total(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn files_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let line = format!("sleep 0.1; head -c 4000000 /dev/zero > {}", file.display());
        shell(&line, Duration::from_secs(60));
        assert!(std::fs::metadata(file).unwrap().len() <= 1 << 20);
    }
}
