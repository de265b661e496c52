//! The processor's frequency and the clock source.

use super::{Check, Condition, Context, Finding};
use std::collections::BTreeSet;

pub(super) const CHECKS: &[Check] = &[governor, boost, clocksource];

const CPUS: &str = "/sys/devices/system/cpu";

fn governor(c: &Context) -> Condition {
    let file = |id: usize, name: &str| c.tree.text(&format!("{CPUS}/cpu{id}/cpufreq/{name}"));
    let all = |name: &str| -> BTreeSet<String> {
        c.topology.cpus.iter().filter_map(|cpu| file(cpu.id, name)).collect()
    };
    let governors = all("scaling_governor");
    let drivers = all("scaling_driver").into_iter().collect::<Vec<_>>().join(", ");
    let text = governors.iter().cloned().collect::<Vec<_>>().join(", ");
    let with_driver = if drivers.is_empty() { text.clone() } else { format!("{text} ({drivers})") };
    // Drivers with hardware control set the frequency themselves; "powersave" is their normal, fast mode.
    let hardware = drivers.contains("intel_pstate") || drivers.contains("amd-pstate-epp");
    let remedy = "as root: cpupower frequency-set -g performance";
    let finding = match text.as_str() {
        "" if c.hypervisor.is_some() => Finding::neutral("decided by the host"),
        "" => Finding::unknown("the kernel shows no frequency scaling"),
        "performance" => Finding::good(with_driver),
        "powersave" if hardware => Finding::neutral(with_driver).or(remedy),
        _ => Finding::bad(with_driver, remedy),
    };
    finding.condition(
        "frequency-governor",
        "CPU frequency governor",
        "a clock that follows the load makes short runs look slow and cycles differ from time; warm up before timing",
    )
}

fn boost(c: &Context) -> Condition {
    let no_turbo = c.tree.number::<u32>(&format!("{CPUS}/intel_pstate/no_turbo"));
    let boost = c.tree.number::<u32>(&format!("{CPUS}/cpufreq/boost"));
    let on = no_turbo.map(|off| off == 0).or(boost.map(|on| on != 0));
    let finding = match on {
        Some(true) => Finding::neutral("on: the clock depends on temperature and on how many cores work")
            .or("as root, for stable comparisons: echo 0 > /sys/devices/system/cpu/cpufreq/boost (intel_pstate: echo 1 > .../intel_pstate/no_turbo)"),
        Some(false) => Finding::good("off: a steady clock, below the peak"),
        None if c.hypervisor.is_some() => Finding::neutral("decided by the host"),
        None => Finding::unknown("the kernel does not show it"),
    };
    finding.condition(
        "boost",
        "turbo / boost",
        "one busy core runs faster than all busy cores, so parallel speed-up looks worse than it is, and a hot machine is a slower one",
    )
}

fn clocksource(c: &Context) -> Condition {
    let current = c.tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let finding = match current.as_deref() {
        Some(source @ ("tsc" | "kvm-clock" | "arch_sys_counter" | "hyperv_clocksource_tsc_page")) => {
            Finding::good(source)
        }
        Some(source) => Finding::bad(
            format!("{source}: every reading of the clock is slow"),
            "boot with tsc=reliable where the TSC is invariant; see dmesg for why the kernel left it",
        ),
        None => Finding::unknown("not shown"),
    };
    finding.condition(
        "clock-source",
        "clock source",
        "reading the TSC takes tens of nanoseconds; hpet and acpi_pm take a microsecond and distort programs that time themselves",
    )
}
