//! System calls: their names, what a thread that is blocked in one waits for, and `/proc/PID/task/TID/syscall`.
//!
//! Sources: `proc(5)`, the kernel's `arch/x86/entry/syscalls/syscall_64.tbl` (numbers as `libc` has them).

use super::WaitKind;

macro_rules! names {
    ($($call:ident $name:literal)*) => {
        /// Name of a system call by its number on this architecture; absent for those that programs rarely use.
        pub fn name(number: u32) -> Option<&'static str> {
            const NAMES: &[(libc::c_long, &str)] = &[$((libc::$call, $name)),*];
            NAMES.iter().find(|(call, _)| *call == libc::c_long::from(number)).map(|(_, name)| *name)
        }
    };
}

names! {
    SYS_read "read" SYS_write "write" SYS_pread64 "pread" SYS_pwrite64 "pwrite" SYS_readv "readv" SYS_writev "writev"
    SYS_preadv "preadv" SYS_pwritev "pwritev" SYS_openat "openat" SYS_open "open" SYS_close "close" SYS_fstat "fstat"
    SYS_stat "stat" SYS_newfstatat "fstatat" SYS_statx "statx" SYS_lseek "lseek" SYS_fsync "fsync"
    SYS_fdatasync "fdatasync" SYS_sync "sync" SYS_syncfs "syncfs" SYS_sync_file_range "sync_file_range" SYS_msync "msync"
    SYS_ftruncate "ftruncate" SYS_fallocate "fallocate" SYS_sendfile "sendfile" SYS_splice "splice"
    SYS_copy_file_range "copy_file_range" SYS_getdents64 "getdents" SYS_unlink "unlink" SYS_unlinkat "unlinkat"
    SYS_rename "rename" SYS_mkdir "mkdir" SYS_flock "flock" SYS_fcntl "fcntl" SYS_ioctl "ioctl" SYS_access "access"
    SYS_mmap "mmap" SYS_munmap "munmap" SYS_mprotect "mprotect" SYS_madvise "madvise" SYS_mremap "mremap" SYS_brk "brk"
    SYS_futex "futex" SYS_nanosleep "nanosleep" SYS_clock_nanosleep "clock_nanosleep" SYS_sched_yield "sched_yield"
    SYS_poll "poll" SYS_ppoll "ppoll" SYS_select "select" SYS_pselect6 "pselect" SYS_epoll_wait "epoll_wait"
    SYS_epoll_pwait "epoll_pwait" SYS_io_uring_enter "io_uring_enter" SYS_io_getevents "io_getevents"
    SYS_wait4 "wait4" SYS_waitid "waitid" SYS_clone "clone" SYS_clone3 "clone3" SYS_fork "fork" SYS_vfork "vfork"
    SYS_execve "execve" SYS_exit "exit" SYS_exit_group "exit_group" SYS_kill "kill" SYS_tgkill "tgkill"
    SYS_pause "pause" SYS_rt_sigsuspend "sigsuspend" SYS_rt_sigtimedwait "sigtimedwait"
    SYS_rt_sigaction "sigaction" SYS_rt_sigprocmask "sigprocmask" SYS_socket "socket" SYS_connect "connect"
    SYS_accept "accept" SYS_accept4 "accept4" SYS_sendto "sendto" SYS_recvfrom "recvfrom" SYS_sendmsg "sendmsg"
    SYS_recvmsg "recvmsg" SYS_recvmmsg "recvmmsg" SYS_sendmmsg "sendmmsg" SYS_shutdown "shutdown"
    SYS_msgrcv "msgrcv" SYS_msgsnd "msgsnd" SYS_semop "semop" SYS_semtimedop "semtimedop" SYS_mq_timedreceive "mq_receive"
    SYS_getrandom "getrandom" SYS_clock_gettime "clock_gettime" SYS_gettimeofday "gettimeofday" SYS_getpid "getpid"
    SYS_process_vm_readv "process_vm_readv" SYS_ptrace "ptrace" SYS_membarrier "membarrier"
}

/// What a thread does, from its file `syscall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It runs, or is about to.
    Running,
    /// It is blocked: in which call and with what first argument (neither when it is blocked outside of calls), with
    /// which user registers.
    Blocked {
        /// Number of the call, and its first argument.
        call: Option<(u32, u64)>,
        /// User stack pointer.
        sp: u64,
        /// User instruction pointer.
        ip: u64,
    },
}

/// Reads the text of the file; `None` for text of another form.
pub fn parse(text: &str) -> Option<Doing> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    if first == "running" {
        return Some(Doing::Running);
    }
    let hexadecimal = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let number: i64 = first.parse().ok()?;
    let rest: Vec<u64> = words.map(hexadecimal).collect::<Option<_>>()?;
    let [.., sp, ip] = *rest.as_slice() else { return None };
    let call = match u32::try_from(number) {
        Ok(number) if rest.len() == 8 => Some((number, *rest.first()?)),
        // "-1 SP PC": blocked, but not in a system call.
        Err(_) if rest.len() == 2 => None,
        _ => return None,
    };
    Some(Doing::Blocked { call, sp, ip })
}

/// What a file descriptor refers to, by the text of its link under `/proc/PID/fd` (`proc(5)`).
fn kind_of_file(link: &str) -> WaitKind {
    if link.starts_with("socket:") {
        WaitKind::Network
    } else if link.starts_with("pipe:") {
        WaitKind::Pipe
    } else if link.starts_with("/dev/pts/") || link.starts_with("/dev/tty") || link == "/dev/console" {
        WaitKind::Terminal
    } else if link.starts_with('/') && !link.starts_with("/dev/") && !link.starts_with("/proc/") {
        WaitKind::Storage
    } else {
        // Timers, event counters, inotify and the like: the event comes from elsewhere.
        WaitKind::Event
    }
}

/// What a thread that is blocked in this call waits for; `link` reads the link of a descriptor.
pub fn kind(call: Option<(u32, u64)>, link: impl FnOnce(u64) -> Option<String>) -> WaitKind {
    let Some((number, argument)) = call else { return WaitKind::Page };
    match libc::c_long::from(number) {
        libc::SYS_futex => WaitKind::Thread,
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => WaitKind::Sleep,
        libc::SYS_fsync
        | libc::SYS_fdatasync
        | libc::SYS_sync
        | libc::SYS_syncfs
        | libc::SYS_sync_file_range
        | libc::SYS_msync
        | libc::SYS_unlink
        | libc::SYS_unlinkat
        | libc::SYS_rename
        | libc::SYS_open
        | libc::SYS_openat
        | libc::SYS_ftruncate
        | libc::SYS_fallocate
        | libc::SYS_getdents64
        | libc::SYS_mkdir => WaitKind::Storage,
        libc::SYS_read
        | libc::SYS_write
        | libc::SYS_pread64
        | libc::SYS_pwrite64
        | libc::SYS_readv
        | libc::SYS_writev
        | libc::SYS_preadv
        | libc::SYS_pwritev
        | libc::SYS_close
        | libc::SYS_sendfile
        | libc::SYS_splice
        | libc::SYS_ioctl => link(argument).map_or(WaitKind::Other, |link| kind_of_file(&link)),
        libc::SYS_connect
        | libc::SYS_accept
        | libc::SYS_accept4
        | libc::SYS_sendto
        | libc::SYS_recvfrom
        | libc::SYS_sendmsg
        | libc::SYS_recvmsg
        | libc::SYS_recvmmsg
        | libc::SYS_sendmmsg => WaitKind::Network,
        libc::SYS_poll
        | libc::SYS_ppoll
        | libc::SYS_select
        | libc::SYS_pselect6
        | libc::SYS_epoll_wait
        | libc::SYS_epoll_pwait
        | libc::SYS_io_uring_enter
        | libc::SYS_io_getevents => WaitKind::Event,
        libc::SYS_wait4 | libc::SYS_waitid | libc::SYS_vfork => WaitKind::Child,
        libc::SYS_pause | libc::SYS_rt_sigsuspend | libc::SYS_rt_sigtimedwait => WaitKind::Signal,
        libc::SYS_mmap | libc::SYS_munmap | libc::SYS_mprotect | libc::SYS_madvise | libc::SYS_brk => {
            WaitKind::Page
        }
        _ => WaitKind::Other,
    }
}

/// How far from the cause a wait is: a thread that waits for a disk blocks the program more directly than one
/// that waits for that thread. Of several blocked threads all wait for the first in this order.
pub fn distance(kind: WaitKind) -> u8 {
    match kind {
        WaitKind::Storage | WaitKind::Page | WaitKind::Network | WaitKind::Pipe | WaitKind::Terminal => 0,
        WaitKind::Sleep | WaitKind::Other => 1,
        WaitKind::Event | WaitKind::Signal => 2,
        WaitKind::Child => 3,
        WaitKind::Thread => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_thread() {
        assert_eq!(parse("running\n"), Some(Doing::Running));
        assert_eq!(
            parse("74 0x3 0x0 0x0 0x0 0x0 0x0 0x7ffe37e0c8b8 0x7f6757e282ad\n"),
            Some(Doing::Blocked { call: Some((74, 3)), sp: 0x7ffe_37e0_c8b8, ip: 0x7f67_57e2_82ad })
        );
        assert_eq!(parse("-1 0x10 0x20"), Some(Doing::Blocked { call: None, sp: 16, ip: 32 }));
        for text in ["", "1", "1 2 3", "x 0x1 0x2", "1 0x1 0x2", "-1 0x1 0x2 0x3"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_read_waits_for_what_its_file_is() {
        let read = Some((libc::SYS_read as u32, 3));
        for (link, expected) in [
            ("socket:[17]", WaitKind::Network),
            ("pipe:[3]", WaitKind::Pipe),
            ("/dev/pts/3", WaitKind::Terminal),
            ("/tmp/x", WaitKind::Storage),
            ("anon_inode:[eventfd]", WaitKind::Event),
        ] {
            assert_eq!(kind(read, |_| Some(link.to_owned())), expected, "{link}");
        }
        assert_eq!(kind(read, |_| None), WaitKind::Other);
        assert_eq!(kind(None, |_| None), WaitKind::Page);
        assert_eq!(kind(Some((libc::SYS_fsync as u32, 3)), |_| None), WaitKind::Storage);
        assert_eq!(name(libc::SYS_fsync as u32), Some("fsync"));
        assert_eq!(name(9999), None);
    }
}
