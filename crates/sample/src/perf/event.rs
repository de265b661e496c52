//! Choosing and opening the perf events.
//!
//! Source: `perf_event_open(2)`. Hardware cycles where the machine has them, else the kernel's CPU clock;
//! kernel code only where it is allowed. Every refusal is kept as one sentence for the fallback's warning.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use perf_event_open_sys as sys;
use sys::bindings::{self, perf_event_attr};

use super::records::RecordFormat;

/// The sampled event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Hardware cycles; a sample's period is in cycles.
    Cycles,
    /// The CPU clock; a sample's period is in nanoseconds.
    CpuClock,
}

/// One configuration to try.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The event.
    pub source: Source,
    /// Sample in the kernel too.
    pub kernel: bool,
    /// Samples per second of CPU time.
    pub frequency_hz: u32,
    /// The fields of a sample.
    pub format: RecordFormat,
    /// Bytes in the buffer after which the collector is woken.
    pub watermark_bytes: u32,
    /// Request build ids in the mappings (Linux 5.12).
    pub build_ids: bool,
}

impl Plan {
    fn attributes(&self) -> perf_event_attr {
        let mut attr = perf_event_attr::default();
        attr.size = size_of::<perf_event_attr>() as u32;
        attr.sample_type = self.format.sample_type();
        attr.sample_regs_user = self.format.user_registers();
        attr.sample_stack_user = self.format.stack_bytes;
        attr.clockid = libc::CLOCK_MONOTONIC;
        (attr.type_, attr.config) = match self.source {
            Source::Cycles => (bindings::PERF_TYPE_HARDWARE, u64::from(bindings::PERF_COUNT_HW_CPU_CYCLES)),
            Source::CpuClock => (bindings::PERF_TYPE_SOFTWARE, u64::from(bindings::PERF_COUNT_SW_CPU_CLOCK)),
        };
        attr.__bindgen_anon_1.sample_freq = u64::from(self.frequency_hz);
        attr.set_freq(1);
        attr.__bindgen_anon_2.wakeup_watermark = self.watermark_bytes;
        attr.set_watermark(1);
        attr.set_disabled(1);
        attr.set_enable_on_exec(1);
        attr.set_inherit(1);
        attr.set_exclude_kernel(u64::from(!self.kernel));
        attr.set_exclude_hv(1);
        attr.set_exclude_callchain_kernel(1);
        attr.set_use_clockid(1);
        attr.set_sample_id_all(1);
        attr.set_mmap(1);
        attr.set_mmap2(1);
        attr.set_comm(1);
        attr.set_comm_exec(1);
        attr.set_task(1);
        attr.set_context_switch(1);
        attr.set_build_id(u64::from(self.build_ids));
        attr
    }

    /// Opens the event for `pid` (and its descendants) on `cpu`.
    pub fn open(&self, pid: libc::pid_t, cpu: u32) -> io::Result<OwnedFd> {
        let mut attr = self.attributes();
        // SAFETY: `attr` is a complete `perf_event_attr` whose `size` field is its size; the event only
        // counts and samples. The kernel may write to `attr.size`.
        let fd: RawFd = unsafe {
            sys::perf_event_open(
                &raw mut attr,
                pid,
                cpu as libc::c_int,
                -1,
                u64::from(bindings::PERF_FLAG_FD_CLOEXEC) as libc::c_ulong,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just created and has no other owner.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }
}

/// Stops an event for all tasks that inherited it.
pub fn disable(event: RawFd) {
    // SAFETY: an ioctl without pointer arguments; on a bad descriptor it only fails.
    unsafe {
        sys::ioctls::DISABLE(event, 0);
    }
}

/// Why perf_event cannot be used, with advice.
pub fn explain(error: &io::Error) -> String {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok();
    let level = level.as_deref().map(str::trim);
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => match level.and_then(|level| level.parse::<i32>().ok()) {
            Some(level) if level > 2 => format!(
                "kernel.perf_event_paranoid is {level}; set it to 2 (`sysctl kernel.perf_event_paranoid=2`)"
            ),
            _ => "perf_event_open is denied, as in most containers; allow it (`--cap-add PERFMON` or a seccomp \
                  profile with perf_event_open)"
                .to_owned(),
        },
        Some(libc::ENOSYS) => {
            "perf_event_open does not exist here (kernel without CONFIG_PERF_EVENTS, or a sandbox); run outside of it"
                .to_owned()
        }
        Some(libc::EMFILE) => "too many open files; raise the limit (`ulimit -n`)".to_owned(),
        _ => format!("perf_event_open failed: {error}"),
    }
}

/// Numbers of the CPUs that are online, from `/sys/devices/system/cpu/online`.
pub fn online_cpus() -> Vec<u32> {
    let listed = std::fs::read_to_string("/sys/devices/system/cpu/online")
        .ok()
        .map(|text| parse_cpu_list(&text))
        .unwrap_or_default();
    if !listed.is_empty() {
        return listed;
    }
    // SAFETY: sysconf has no preconditions.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    (0..u32::try_from(count).unwrap_or(1).max(1)).collect()
}

/// A CPU list of the kernel's form `0-3,8,10-11`; parts that do not parse are skipped.
fn parse_cpu_list(text: &str) -> Vec<u32> {
    const MOST: u32 = 1 << 16;
    text.trim()
        .split(',')
        .filter_map(|part| match part.split_once('-') {
            Some((first, last)) => Some(first.parse().ok()?..=last.parse::<u32>().ok()?.min(MOST)),
            None => part.parse().ok().map(|cpu| cpu..=cpu),
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists() {
        assert_eq!(parse_cpu_list("0-1\n"), [0, 1]);
        assert_eq!(parse_cpu_list("0,2-3,7"), [0, 2, 3, 7]);
        assert_eq!(parse_cpu_list("x,3-,1"), [1]);
        assert!(parse_cpu_list("").is_empty());
        assert!(!online_cpus().is_empty());
    }

    #[test]
    fn refusals_name_the_way_out() {
        for code in [libc::EACCES, libc::EPERM, libc::ENOSYS, libc::EMFILE, libc::EINVAL] {
            let text = explain(&io::Error::from_raw_os_error(code));
            assert!(text.contains("perf_event") || text.contains("ulimit"), "{text}");
        }
    }
}
