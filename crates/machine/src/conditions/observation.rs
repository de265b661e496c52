//! What the operating system allows a measurement to see.

use super::{Check, Condition, Context, Finding};
use crate::energy::powercap;
use crate::perf_event;

pub(super) const CHECKS: &[Check] = &[paranoid, counters, mlock, ptrace, energy];

fn paranoid(c: &Context) -> Condition {
    let remedy = "as root: sysctl kernel.perf_event_paranoid=1";
    let finding = match c.tree.number::<i32>("/proc/sys/kernel/perf_event_paranoid") {
        Some(level @ ..=1) => Finding::good(format!("{level}: programs may be sampled, the kernel included")),
        Some(2) => {
            Finding::good("2: one's own programs may be sampled in user mode, which is enough").or(remedy)
        }
        Some(level) => Finding::bad(format!("{level}: sampling is for root only"), remedy),
        None => Finding::bad(
            "the kernel has no perf events",
            "use a kernel with CONFIG_PERF_EVENTS; a timer-based sampler is used meanwhile",
        ),
    };
    finding.condition(
        "perf-event-level",
        "perf_event_paranoid",
        "decides whether loops can be sampled through the kernel or only by a timer inside the program",
    )
}

/// Whether a hardware cycle counter can be opened.
enum Counters {
    Open,
    Absent,
    Forbidden,
    Unknown(String),
}

fn counters(c: &Context) -> Condition {
    let found = if c.tree.is_live() {
        try_cycles()
    } else {
        let drivers = c.tree.names("/sys/bus/event_source/devices");
        // Hybrid processors have one driver per kind of core; arm names the core.
        let hardware = |name: &String| name == "cpu" || name.starts_with("cpu_") || name.starts_with("armv8");
        match drivers.iter().any(hardware) {
            _ if drivers.is_empty() => Counters::Unknown("the kernel shows no drivers".to_owned()),
            true => Counters::Open,
            false => Counters::Absent,
        }
    };
    let finding = match found {
        Counters::Open => Finding::good("hardware counters exist"),
        Counters::Absent => Finding::neutral("no hardware counters here: sampling uses the clock, counts come from instrumentation")
            .or("nothing needs them; a virtual machine's host can pass them on (KVM: -cpu host,pmu=on)"),
        Counters::Forbidden => Finding::neutral("hardware counters are forbidden")
            .or("as root: sysctl kernel.perf_event_paranoid=2; in a container add CAP_PERFMON or a seccomp profile that allows perf_event_open"),
        Counters::Unknown(why) => Finding::unknown(why),
    };
    finding.condition(
        "hardware-counters",
        "hardware counters",
        "with a cycle counter samples fall exactly where time is spent; without it they fall on clock ticks, which is enough for loops",
    )
}

/// `PERF_TYPE_HARDWARE` and `PERF_COUNT_HW_CPU_CYCLES` (include/uapi/linux/perf_event.h).
const CYCLES: (u32, u64) = (0, 0);

/// Opens a counter of user-mode cycles for this thread and closes it again.
fn try_cycles() -> Counters {
    let Err(error) = perf_event::open(CYCLES.0, CYCLES.1, perf_event::Of::ThisThread) else {
        return Counters::Open;
    };
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => Counters::Absent,
        Some(libc::EACCES | libc::EPERM) => Counters::Forbidden,
        _ => Counters::Unknown(error.to_string()),
    }
}

fn mlock(c: &Context) -> Condition {
    let finding = match c.tree.number::<u64>("/proc/sys/kernel/perf_event_mlock_kb") {
        Some(kilobytes @ 516..) => Finding::good(format!("{kilobytes} KiB per CPU")),
        Some(kilobytes) => Finding::neutral(format!("{kilobytes} KiB per CPU"))
            .or("as root: sysctl kernel.perf_event_mlock_kb=2048, when samples are reported as lost"),
        None => Finding::unknown("not shown"),
    };
    finding.condition(
        "perf-event-memory",
        "perf_event_mlock_kb",
        "bounds the buffers for samples: with little, many threads or a high rate lose samples",
    )
}

fn ptrace(c: &Context) -> Condition {
    let finding = match c.tree.number::<u32>("/proc/sys/kernel/yama/ptrace_scope") {
        None => Finding::good("no restriction"),
        Some(0) => Finding::good("0: programs of the same user"),
        Some(1) => Finding::good("1: programs started by the tool, which is enough"),
        Some(level) => Finding::bad(
            format!("{level}: {}", if level == 2 { "root only" } else { "no program" }),
            "as root: sysctl kernel.yama.ptrace_scope=1 (3 lasts until reboot)",
        ),
    };
    finding.condition(
        "ptrace-scope",
        "ptrace scope",
        "exact counting attaches to the program through ptrace; attaching to running programs needs 0",
    )
}

fn energy(c: &Context) -> Condition {
    let zones: Vec<String> = powercap::sockets(c.tree).into_iter().collect();
    let readable = |zone: &String| c.tree.text(&powercap::file(zone, "energy_uj")).is_some();
    let finding = if zones.is_empty() {
        Finding::neutral("no energy counters (RAPL) here")
            .or("`loopwright energy` takes a model of the machine's power then (--idle-watts, --core-watts)")
    } else if zones.iter().all(readable) {
        Finding::good(format!("{} readable", zones.join(", ")))
    } else {
        Finding::neutral("energy counters exist for root only").or(
            "as root: chmod a+r /sys/class/powercap/*/energy_uj (weigh it: they leak secrets, CVE-2020-8694)",
        )
    };
    finding.condition(
        "energy-counters",
        "energy counters (RAPL)",
        "show the joules of a run and of its loops (`loopwright energy`)",
    )
}
