//! Other users of the CPUs: siblings, other virtual machines, limits, other programs.

use super::{Check, Condition, Context, Finding};
use crate::tree::format_list;

pub(super) const CHECKS: &[Check] = &[smt, hypervisor, steal, cpuset, quota, isolated, load];

fn smt(c: &Context) -> Condition {
    let finding = if c.topology.smt {
        let threads = c.topology.cpus.iter().map(|cpu| cpu.siblings.len()).max().unwrap_or(1);
        Finding::neutral(format!("on: {threads} logical CPUs per core"))
            .or("one thread per core: OMP_PLACES=cores, or taskset; as root: echo off > /sys/devices/system/cpu/smt/control")
    } else if c.hypervisor.is_some() {
        Finding::neutral("not visible: the host may still put two virtual CPUs on one core")
    } else {
        Finding::good("off, or not there")
    };
    finding.condition(
        "smt",
        "simultaneous multithreading",
        "two threads on one core share its units and caches: neither runs at full speed, and time per thread is not comparable",
    )
}

fn hypervisor(c: &Context) -> Condition {
    let finding = match c.hypervisor {
        Some(name) => Finding::neutral(name).or("measure several times and compare within one session; for hardware counters use a host or a metal instance"),
        None => Finding::good("none found"),
    };
    finding.condition(
        "hypervisor",
        "virtual machine",
        "neighbours share caches, memory bandwidth and clock; counters and frequencies are often hidden",
    )
}

/// CPU time since boot that the host gave to others: the eighth number of `/proc/stat`'s first line.
fn steal(c: &Context) -> Condition {
    let line = c.tree.field("/proc/stat", "cpu").unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let finding = match ticks.get(7) {
        Some(&steal) => {
            // Guest time (9th, 10th) is already part of user time.
            let busy_and_idle: u64 = ticks.iter().take(8).fold(0, |sum, &t| sum.saturating_add(t));
            let busy = busy_and_idle.saturating_sub(ticks.get(3).copied().unwrap_or(0));
            let share = 100.0 * steal as f64 / busy.max(1) as f64;
            let text = format!("{share:.2} % of busy time since boot");
            if share > 1.0 {
                Finding::bad(text, "repeat the measurement at a quieter time or on a dedicated host")
            } else {
                Finding::good(text)
            }
        }
        None => Finding::unknown("/proc/stat does not state it"),
    };
    finding.condition(
        "steal-time",
        "stolen CPU time",
        "time in which this machine wanted to run and the host ran another: pauses in the middle of a loop",
    )
}

fn cpuset(c: &Context) -> Condition {
    let online = c.topology.cpus.len();
    let allowed = &c.topology.allowed;
    let text = format!("{} of {online} CPUs ({})", allowed.len(), format_list(allowed));
    let finding = if allowed.len() == online {
        Finding::good(text)
    } else {
        Finding::neutral(text)
            .or("start from a shell with the full set (taskset -p $$), or ask the container for more CPUs")
    };
    finding.condition(
        "cpuset",
        "CPUs that may be used",
        "more threads than allowed CPUs take turns; the ceilings of \"all\" CPUs are those of the allowed ones",
    )
}

/// The tightest CPU limit of this process's control groups, in CPUs.
fn quota_in_cpus(c: &Context) -> Option<f64> {
    let groups = c.tree.text("/proc/self/cgroup")?;
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let unified = controllers.is_empty();
        let roots: &[&str] = if unified {
            &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        } else if controllers.split(',').any(|name| name == "cpu") {
            &["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"]
        } else {
            continue;
        };
        for root in roots {
            // A limit applies at any level of the path. Inside a container the path may not exist; its root does.
            let mut path = path.trim_end_matches('/');
            loop {
                let file = |name: &str| c.tree.text(&format!("{root}{path}/{name}"));
                let limit = if unified {
                    file("cpu.max").and_then(|text| {
                        let (quota, period) = text.split_once(' ')?;
                        Some((quota.parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?))
                    })
                } else {
                    let number = |name: &str| file(name)?.parse::<f64>().ok();
                    number("cpu.cfs_quota_us").zip(number("cpu.cfs_period_us"))
                };
                if let Some((quota, period)) = limit
                    && quota > 0.0
                    && period > 0.0
                {
                    limits.push(quota / period);
                }
                match path.rfind('/') {
                    Some(at) => path = &path[..at],
                    None => break,
                }
            }
        }
    }
    limits.into_iter().min_by(f64::total_cmp)
}

fn quota(c: &Context) -> Condition {
    let cpus = c.topology.allowed.len() as f64;
    let finding = match quota_in_cpus(c) {
        Some(limit) if limit < cpus => Finding::bad(
            format!("{limit:.2} CPUs"),
            "raise the container's limit (docker --cpus, Kubernetes resources.limits.cpu, systemd CPUQuota=)",
        ),
        Some(limit) => Finding::good(format!("{limit:.2} CPUs, no less than may be used")),
        None => Finding::good("no limit"),
    };
    finding.condition(
        "cpu-quota",
        "CPU quota of the control group",
        "a group that has used its share is stopped until the next period (usually 100 ms): threads pause together and elapsed time exceeds CPU time",
    )
}

fn isolated(c: &Context) -> Condition {
    let list = |name: &str| c.tree.list(&format!("/sys/devices/system/cpu/{name}")).unwrap_or_default();
    let (isolated, tickless) = (list("isolated"), list("nohz_full"));
    let finding = if isolated.is_empty() && tickless.is_empty() {
        Finding::neutral("none")
            .or("for the quietest measurements boot with isolcpus= and nohz_full= and bind with taskset")
    } else {
        let show = |list: &[usize]| if list.is_empty() { "none".to_owned() } else { format_list(list) };
        Finding::good(format!("isolated {}, without tick {}", show(&isolated), show(&tickless)))
    };
    finding.condition(
        "isolated-cpus",
        "isolated CPUs",
        "CPUs that the scheduler and the timer tick leave alone run undisturbed, but programs must be bound to them to use them",
    )
}

fn load(c: &Context) -> Condition {
    let cpus = c.topology.cpus.len().max(1) as f64;
    let finding = match c.tree.number::<f64>("/proc/loadavg") {
        Some(load) => {
            let text = format!("{load:.2} on {cpus} CPUs");
            if load > 0.5 * cpus {
                Finding::bad(text, "wait for other programs to end (top, uptime), or keep enough CPUs free")
            } else if load > 0.2 {
                Finding::neutral(text)
            } else {
                Finding::good(text)
            }
        }
        None => Finding::unknown("/proc/loadavg cannot be read"),
    };
    finding.condition(
        "load",
        "load average (1 minute)",
        "other running programs take CPU time, caches and memory bandwidth from the measured one",
    )
}
