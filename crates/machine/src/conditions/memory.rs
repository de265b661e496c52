//! Pages, placement and free memory.

use super::{Check, Condition, Context, Finding, bytes, chosen};
use crate::topology::{memory_available, memory_total};

pub(super) const CHECKS: &[Check] = &[
    huge_pages,
    transparent_huge_pages,
    transparent_huge_page_defrag,
    numa_balancing,
    free_memory,
    swap,
    aslr,
];

/// Reserved huge pages by size.
fn huge_pages(c: &Context) -> Condition {
    let folder = "/sys/kernel/mm/hugepages";
    let mut pools = Vec::new();
    let mut reserved = 0;
    for name in c.tree.names(folder) {
        let Some(kilobytes) = name.strip_prefix("hugepages-").and_then(|n| n.strip_suffix("kB")) else {
            continue;
        };
        let Ok(kilobytes) = kilobytes.parse::<u64>() else { continue };
        let count = |file: &str| c.tree.number::<u64>(&format!("{folder}/{name}/{file}")).unwrap_or(0);
        let total = count("nr_hugepages");
        reserved += total;
        pools.push((kilobytes, total, count("free_hugepages")));
    }
    pools.sort_unstable();
    let text = pools
        .iter()
        .map(|(kb, total, free)| format!("{total} of {} ({free} free)", bytes(kb.saturating_mul(1024))))
        .collect::<Vec<_>>()
        .join(", ");
    let finding = match (pools.is_empty(), reserved) {
        (true, _) => Finding::unknown("the kernel shows no huge-page pools"),
        (false, 0) => Finding::neutral(text).or(
            "as root: sysctl vm.nr_hugepages=N, for programs that ask for them (MAP_HUGETLB, libhugetlbfs)",
        ),
        _ => Finding::good(text),
    };
    finding.condition(
        "huge-pages",
        "reserved huge pages",
        "one TLB entry covers 2 MiB or 1 GiB instead of 4 KiB; programs with large, scattered data lose much time to TLB misses without them",
    )
}

fn transparent_huge_pages(c: &Context) -> Condition {
    let text = c.tree.text("/sys/kernel/mm/transparent_hugepage/enabled");
    let finding = match text.as_deref().and_then(chosen) {
        Some("always") => Finding::good("always"),
        Some("madvise") => Finding::neutral("madvise: only for programs that ask (madvise(MADV_HUGEPAGE); glibc: GLIBC_TUNABLES=glibc.malloc.hugetlb=1)")
            .or("as root: echo always > /sys/kernel/mm/transparent_hugepage/enabled"),
        Some("never") => Finding::bad("never", "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"),
        Some(other) => Finding::unknown(other),
        None => Finding::unknown("the kernel has no transparent huge pages"),
    };
    finding.condition(
        "transparent-huge-pages",
        "transparent huge pages",
        "decides whether large arrays get 2 MiB pages by themselves; comparisons across machines differ by it, and ceilings are measured with them where granted",
    )
}

fn transparent_huge_page_defrag(c: &Context) -> Condition {
    let text = c.tree.text("/sys/kernel/mm/transparent_hugepage/defrag");
    let finding = match text.as_deref().and_then(chosen) {
        Some("always") => Finding::bad(
            "always: a page fault may stall while memory is compacted",
            "as root: echo defer+madvise > /sys/kernel/mm/transparent_hugepage/defrag",
        ),
        Some(mode) => Finding::good(mode),
        None => Finding::unknown("not shown"),
    };
    finding.condition(
        "transparent-huge-page-defrag",
        "huge-page compaction",
        "compaction inside a page fault shows as random pauses of the program that first touches memory",
    )
}

fn numa_balancing(c: &Context) -> Condition {
    let several = c.topology.nodes.len() > 1;
    let finding = match c.tree.number::<u32>("/proc/sys/kernel/numa_balancing") {
        _ if !several => Finding::good("one NUMA node, nothing to balance"),
        Some(0) => Finding::good("off: pages stay where they were first touched"),
        Some(_) => Finding::bad(
            "on",
            "bind memory yourself (numactl --localalloc) or, as root: sysctl kernel.numa_balancing=0",
        ),
        None => Finding::unknown("not shown"),
    };
    finding.condition(
        "numa-balancing",
        "automatic NUMA balancing",
        "the kernel unmaps and moves pages while the program runs: extra page faults, and different placement from run to run",
    )
}

fn free_memory(c: &Context) -> Condition {
    let finding = match (memory_total(c.tree), memory_available(c.tree)) {
        (Some(total), Some(available)) => {
            let text = format!("{} of {} available", bytes(available), bytes(total));
            if available < total / 10 {
                Finding::bad(text, "end other programs, or drop caches as root: sysctl vm.drop_caches=3")
            } else {
                Finding::good(text)
            }
        }
        _ => Finding::unknown("/proc/meminfo cannot be read"),
    };
    finding.condition(
        "free-memory",
        "free memory",
        "with little left the kernel reclaims or swaps during the run, and huge pages or near NUMA memory are not available",
    )
}

fn swap(c: &Context) -> Condition {
    let kilobytes = |key: &str| -> Option<u64> {
        c.tree.field("/proc/meminfo", key)?.split_whitespace().next()?.parse().ok()
    };
    let finding = match (kilobytes("SwapTotal"), kilobytes("SwapFree")) {
        (Some(0), _) => Finding::good("no swap"),
        (Some(total), Some(free)) => {
            let used = total.saturating_sub(free).saturating_mul(1024);
            let text = format!("{} of {} used", bytes(used), bytes(total.saturating_mul(1024)));
            if used > (256 << 20) {
                Finding::neutral(text).or("as root: swapoff -a && swapon -a, when enough memory is free")
            } else {
                Finding::good(text)
            }
        }
        _ => Finding::unknown("/proc/meminfo does not state it"),
    };
    finding.condition(
        "swap",
        "swap",
        "a page that comes back from disk costs more than a million instructions",
    )
}

fn aslr(c: &Context) -> Condition {
    let finding = match c.tree.number::<u32>("/proc/sys/kernel/randomize_va_space") {
        Some(0) => Finding::good("off: the same addresses in every run"),
        Some(_) => {
            Finding::neutral("on: addresses differ from run to run").or("for one command: setarch -R COMMAND")
        }
        None => Finding::unknown("not shown"),
    };
    finding.condition(
        "address-randomisation",
        "address-space randomisation",
        "alignment and cache or TLB conflicts change with the addresses: repeat runs and compare medians, not single runs",
    )
}
