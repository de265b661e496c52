//! Opens counters of the kernel's perf_event (`perf_event_open(2)`).

use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};

/// Whose events are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    /// Of this thread, in user mode.
    ThisThread,
    /// Of everything on a CPU; the kernel's own work cannot be left out of a counter that is not the core's.
    Cpu(usize),
}

/// `struct perf_event_attr` of its first version (include/uapi/linux/perf_event.h, PERF_ATTR_SIZE_VER0):
/// type, size, config, period, sample type, read format, flags, and two more words.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    words: [u64; 7],
}

/// disabled (bit 0), exclude_kernel (5), exclude_hv (6).
const USER_ONLY: u64 = 1 | 1 << 5 | 1 << 6;
/// PERF_FLAG_FD_CLOEXEC.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// A counter of an event: the type is that of a driver, or of the kernel's own numbering.
#[cfg(target_os = "linux")]
pub(crate) fn open(kind: u32, event: u64, of: Of) -> io::Result<OwnedFd> {
    let (process, cpu, flags): (libc::pid_t, libc::c_int, u64) = match of {
        Of::ThisThread => (0, -1, USER_ONLY),
        Of::Cpu(cpu) => (-1, libc::c_int::try_from(cpu).map_err(io::Error::other)?, 0),
    };
    let attributes = Attributes { kind, size: 64, words: [event, 0, 0, 0, flags, 0, 0] };
    // SAFETY: the kernel reads `size` bytes through the pointer, which is the size of `Attributes`; the other arguments are plain
    // numbers.
    let descriptor = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, process, cpu, -1, CLOSE_ON_EXEC)
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    let descriptor = libc::c_int::try_from(descriptor).map_err(io::Error::other)?;
    // SAFETY: the call above returned this descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open(_: u32, _: u64, _: Of) -> io::Result<OwnedFd> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
