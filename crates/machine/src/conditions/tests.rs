use super::*;
use std::collections::HashSet;

#[test]
fn ids_are_unique_and_texts_complete() {
    let tree = Tree::live();
    let conditions = read(&tree, &Topology::read(&tree), None);
    let mut ids = HashSet::new();
    for condition in &conditions {
        assert!(ids.insert(&condition.id), "{} twice", condition.id);
        assert!(condition.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", condition.id);
        assert!(!condition.value.is_empty() && !condition.title.is_empty(), "{}", condition.id);
        assert!(condition.explain.len() > 30, "{} explains why it matters", condition.id);
        assert!(
            condition.verdict != Verdict::Bad || condition.remedy.is_some(),
            "{}: bad, and no way out",
            condition.id
        );
    }
}

/// Writes files below a root and reads the condition with this id.
fn condition(files: &[(&str, &str)], hypervisor: Option<&str>, id: &str) -> Condition {
    let folder = tempfile::tempdir().unwrap();
    let base = [("/sys/devices/system/cpu/online", "0-3")];
    for (name, text) in base.iter().chain(files) {
        let path = folder.path().join(name.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let tree = Tree::at(folder.path());
    let all = read(&tree, &Topology::read(&tree), hypervisor);
    all.into_iter().find(|c| c.id == id).unwrap_or_else(|| panic!("no condition {id}"))
}

#[test]
fn a_quota_on_the_way_up_is_found() {
    let unified = [
        ("/proc/self/cgroup", "0::/system.slice/job.scope\n"),
        ("/sys/fs/cgroup/system.slice/job.scope/cpu.max", "max 100000\n"),
        ("/sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n"),
    ];
    let found = condition(&unified, None, "cpu-quota");
    assert_eq!((found.verdict, found.value.as_str()), (Verdict::Bad, "1.50 CPUs"));
    let first_version = [
        ("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n"),
        ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "800000\n"),
        ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
    ];
    let found = condition(&first_version, None, "cpu-quota");
    assert_eq!((found.verdict, found.value.as_str()), (Verdict::Good, "8.00 CPUs, no less than may be used"));
    let none = [("/proc/self/cgroup", "0::/\n"), ("/sys/fs/cgroup/cpu.max", "max 100000")];
    assert_eq!(condition(&none, None, "cpu-quota").value, "no limit");
    // Both kinds say "no limit" in their own way; malformed lines are not a limit either.
    let odd = [
        ("/proc/self/cgroup", "1:cpu:/\n:::\nx\n"),
        ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"),
        ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"),
    ];
    assert_eq!(condition(&odd, None, "cpu-quota").value, "no limit");
}

#[test]
fn governors_are_judged_by_driver() {
    let with = |governor: &str, driver: &str| {
        let files = [
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", driver),
        ];
        condition(&files, None, "frequency-governor")
    };
    assert_eq!(with("performance", "acpi-cpufreq").verdict, Verdict::Good);
    assert_eq!(with("powersave", "acpi-cpufreq").verdict, Verdict::Bad);
    assert_eq!(with("powersave", "intel_pstate").verdict, Verdict::Neutral);
    assert_eq!(with("schedutil", "acpi-cpufreq").value, "schedutil (acpi-cpufreq)");
    assert_eq!(condition(&[], None, "frequency-governor").verdict, Verdict::Unknown);
    assert_eq!(condition(&[], Some("KVM"), "frequency-governor").value, "decided by the host");
}

#[test]
fn stolen_time_is_a_share_of_busy_time() {
    // 900 user, 50 system, 9000 idle, 50 stolen: 5 % of the 1000 that were not idle.
    let stat = [("/proc/stat", "cpu  900 0 50 9000 0 0 0 50 0 0\ncpu0 1 2 3\n")];
    let found = condition(&stat, Some("KVM"), "steal-time");
    assert_eq!((found.verdict, found.value.as_str()), (Verdict::Bad, "5.00 % of busy time since boot"));
    assert_eq!(condition(&[("/proc/stat", "cpu 1 2")], None, "steal-time").verdict, Verdict::Unknown);
}

#[test]
fn choices_in_brackets() {
    assert_eq!(chosen("always [madvise] never"), Some("madvise"));
    assert_eq!(chosen("always madvise"), None);
    assert_eq!(chosen("] ["), None);
    let thp = [("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n")];
    assert_eq!(condition(&thp, None, "transparent-huge-pages").verdict, Verdict::Bad);
}

#[test]
fn levels_of_perf_and_ptrace() {
    let paranoid = |level: &str| {
        condition(&[("/proc/sys/kernel/perf_event_paranoid", level)], None, "perf-event-level").verdict
    };
    assert_eq!([paranoid("-1"), paranoid("2"), paranoid("4")], [Verdict::Good, Verdict::Good, Verdict::Bad]);
    let ptrace = |level: &str| {
        condition(&[("/proc/sys/kernel/yama/ptrace_scope", level)], None, "ptrace-scope").verdict
    };
    assert_eq!([ptrace("1"), ptrace("2"), ptrace("3")], [Verdict::Good, Verdict::Bad, Verdict::Bad]);
}

#[test]
fn sizes_for_people() {
    assert_eq!([bytes(0), bytes(2 << 20), bytes(3 << 29)], ["0 B", "2 MiB", "1.5 GiB"]);
}
