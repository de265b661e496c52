//! Reads recorded machines: a two-socket server and a container on a virtual machine.
//!
//! A line of a recording is a file's name, a tab, and a line of the file: what `grep -rT "" FILES` prints,
//! without the colons.

use super::*;
use crate::{CacheKind, Verdict};

/// The machine of a recording below `tests/data`.
pub(crate) fn recorded(name: &str) -> Machine {
    let root = tempfile::tempdir().unwrap();
    unpack(name, root.path());
    Machine::detect_in(root.path())
}

/// Writes a recording's files below `root`.
fn unpack(name: &str, root: &Path) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).with_extension("txt");
    let recording = std::fs::read_to_string(&path).unwrap();
    let mut files: std::collections::BTreeMap<&str, String> = Default::default();
    for line in recording.lines() {
        let (name, content) = line.split_once('\t').unwrap();
        let text = files.entry(name).or_default();
        text.push_str(content);
        text.push('\n');
    }
    for (name, text) in files {
        let path = root.join(name.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn verdict(machine: &Machine, id: &str) -> (Verdict, String) {
    let condition = machine.condition(id).unwrap_or_else(|| panic!("no condition {id}"));
    (condition.verdict, condition.value.clone())
}

#[test]
fn a_two_socket_server_with_four_numa_nodes() {
    let machine = recorded("two-socket-xeon");
    let p = &machine.processor;
    assert_eq!((p.name.as_str(), p.vendor.as_str()), ("Intel(R) Xeon(R) Platinum 8480+", "GenuineIntel"));
    assert_eq!((p.family, p.model, p.stepping), (Some(6), Some(143), Some(8)));
    assert_eq!(p.microcode.as_deref(), Some("0x2b000571"));
    let t = &machine.topology;
    assert_eq!((t.sockets, t.cores, t.cpus.len(), t.smt), (2, 8, 16, true));
    assert_eq!(t.cpus[13].siblings, [5, 13]);
    assert_eq!(t.allowed.len(), 16);
    assert_eq!(t.nodes.len(), 4);
    assert_eq!(t.nodes[2].cpus, [4, 5, 12, 13]);
    assert_eq!(t.nodes[2].distances, [21, 21, 10, 12]);
    assert_eq!(t.nodes[2].memory_bytes, Some(65_536_000 * 1024));
    assert_eq!(t.nodes[2].free_bytes, Some(60_000_002 * 1024));
    let count = |level, kind| t.caches.iter().filter(|c| c.level == level && c.kind == kind).count();
    assert_eq!(count(1, CacheKind::Data), 8);
    assert_eq!(count(1, CacheKind::Instruction), 8);
    assert_eq!(count(2, CacheKind::Unified), 8);
    assert_eq!(count(3, CacheKind::Unified), 2);
    let last = t.caches.last().unwrap();
    assert_eq!((last.size_bytes, last.ways, last.line_bytes), (107_520 << 10, 15, 64));
    assert_eq!(last.cpus, [4, 5, 6, 7, 12, 13, 14, 15]);
    assert_eq!(t.cache_sizes(), [48 << 10, 2 << 20, 105 << 20]);
    assert_eq!((machine.hypervisor.as_deref(), machine.kernel.as_deref()), (None, Some("6.8.0-45-generic")));
}

#[test]
fn its_features_and_what_the_system_allows() {
    let machine = recorded("two-socket-xeon");
    for id in [
        "sse4_2",
        "avx2",
        "fma",
        "bmi2",
        "adx",
        "avx512f",
        "avx512_fp16",
        "avx_vnni",
        "vaes",
        "sha",
        "amx_tile",
        "amx_bf16",
        "rdseed",
        "prefetchw",
        "clwb",
        "umwait",
        "erms",
        "fsrm",
        "intel_pt",
        "invariant_tsc",
        "cmt",
        "mbm_total",
        "cat_l3",
        "mba",
        "fsgsbase",
        "cet_ss",
        "ept_ad",
        "apicv",
    ] {
        assert!(machine.usable(id), "{id}: {:?}", machine.feature(id));
    }
    for id in ["sse4a", "monitorx", "rtm", "avx512_vp2intersect", "ibs", "clzero"] {
        assert!(!machine.feature(id).unwrap().present, "{id}");
    }
    // CDP is there, but resctrl was mounted without it; KVM was configured not to shadow.
    for (id, reason) in [("cdp_l3", "L3CODE"), ("shadow_vmcs", "enable_shadow_vmcs")] {
        let feature = machine.feature(id).unwrap();
        assert!(feature.present && !feature.enabled, "{feature:?}");
        assert!(feature.note.as_deref().unwrap().contains(reason), "{feature:?}");
    }
    let summary = machine.summary();
    assert_eq!((summary.isa.as_deref(), summary.vector_bits, summary.fma), (Some("AVX512F"), 512, true));
    assert_eq!((summary.cpus, summary.allowed_cpus, summary.line_bytes), (16, 16, 64));
}

#[test]
fn its_conditions() {
    let machine = recorded("two-socket-xeon");
    let expected = [
        ("smt", Verdict::Neutral, "on: 2 logical CPUs per core"),
        ("hypervisor", Verdict::Good, "none found"),
        ("cpu-quota", Verdict::Good, "no limit"),
        ("isolated-cpus", Verdict::Good, "isolated 3, without tick 3"),
        ("frequency-governor", Verdict::Neutral, "powersave (intel_pstate)"),
        ("boost", Verdict::Neutral, "on: the clock depends on temperature and on how many cores work"),
        ("clock-source", Verdict::Good, "tsc"),
        ("huge-pages", Verdict::Good, "512 of 2 MiB (500 free), 0 of 1 GiB (0 free)"),
        ("transparent-huge-pages", Verdict::Good, "always"),
        ("numa-balancing", Verdict::Bad, "on"),
        ("swap", Verdict::Good, "0 B of 8.0 GiB used"),
        ("hardware-counters", Verdict::Good, "hardware counters exist"),
        ("ptrace-scope", Verdict::Good, "1: programs started by the tool, which is enough"),
        ("energy-counters", Verdict::Good, "intel-rapl:0, intel-rapl:1 readable"),
        ("load", Verdict::Good, "0.08 on 16 CPUs"),
        ("steal-time", Verdict::Good, "0.00 % of busy time since boot"),
    ];
    for (id, expected_verdict, value) in expected {
        assert_eq!(verdict(&machine, id), (expected_verdict, value.to_owned()), "{id}");
    }
}

#[test]
fn a_container_on_a_virtual_machine() {
    let machine = recorded("cloud-container");
    assert_eq!(machine.hypervisor.as_deref(), Some("KVM (Google)"));
    let t = &machine.topology;
    assert_eq!((t.sockets, t.cores, t.cpus.len(), t.smt), (1, 4, 4, false), "cpuinfo alone gives these");
    assert_eq!((t.allowed.as_slice(), t.nodes.len(), t.caches.len()), ([1, 2].as_slice(), 1, 0));
    assert_eq!(verdict(&machine, "cpuset"), (Verdict::Neutral, "2 of 4 CPUs (1-2)".to_owned()));
    assert_eq!(verdict(&machine, "cpu-quota"), (Verdict::Bad, "1.50 CPUs".to_owned()));
    assert_eq!(verdict(&machine, "perf-event-level").0, Verdict::Bad);
    assert_eq!(verdict(&machine, "free-memory").0, Verdict::Bad);
    assert_eq!(verdict(&machine, "load").0, Verdict::Bad);
    assert_eq!(verdict(&machine, "steal-time").0, Verdict::Bad);
    assert_eq!(verdict(&machine, "huge-pages").0, Verdict::Unknown);
    let rtm = machine.feature("rtm").unwrap();
    assert!(rtm.present && !rtm.enabled && rtm.note.as_deref().unwrap().contains("aborts"), "{rtm:?}");
    let summary = machine.summary();
    assert_eq!((summary.isa.as_deref(), summary.vector_bits), (Some("AVX2"), 256));
    assert_eq!(summary.line_bytes, 64);
}

#[test]
fn nothing_to_read_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::detect_in(folder.path());
    assert_eq!((machine.topology.sockets, machine.topology.cpus.len()), (1, 0));
    assert!(machine.features.iter().all(|f| !f.present));
    assert_eq!(machine.summary().isa, None);
    assert!(!machine.conditions.is_empty());
}

#[test]
fn a_machine_survives_json() {
    for machine in [Machine::detect(), recorded("two-socket-xeon"), recorded("cloud-container")] {
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
    }
}

#[test]
fn the_running_machine_is_whole() {
    let machine = Machine::detect();
    assert!(!machine.topology.cpus.is_empty() && !machine.topology.allowed.is_empty());
    assert!(machine.summary().cpus >= machine.summary().allowed_cpus);
    if cfg!(target_arch = "x86_64") {
        assert!(machine.usable("sse2"), "every x86-64 has it");
        assert!(machine.summary().vector_bits >= 128);
    }
}

/// For any content of the kernel's, a container's or a file system's files, no reader panics.
#[test]
fn damaged_files_never_panic() {
    let root = tempfile::tempdir().unwrap();
    unpack("two-socket-xeon", root.path());
    let mut files = Vec::new();
    let mut folders = vec![root.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    let features = Machine::detect_in(root.path()).features.len();
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for _ in 0..60 {
        // Damage accumulates: later rounds read a tree with few intact files.
        for _ in 0..20 {
            let path = &files[random(files.len())];
            let mut bytes = std::fs::read(path).unwrap();
            match random(4) {
                0 => bytes.clear(),
                1 => bytes.extend_from_slice(b"99999999999999999999999-\xff,:"),
                _ => {
                    for _ in 0..3 {
                        let at = random(bytes.len());
                        if let Some(byte) = bytes.get_mut(at) {
                            *byte = random(256) as u8;
                        }
                    }
                }
            }
            std::fs::write(path, bytes).unwrap();
        }
        let machine = Machine::detect_in(root.path());
        assert_eq!(machine.features.len(), features);
    }
}
