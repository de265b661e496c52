use super::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn cache(level: u32, size_bytes: u64, cpus: &[usize]) -> Cache {
    Cache { level, kind: CacheKind::Data, size_bytes, line_bytes: 64, ways: 8, sets: 64, cpus: cpus.to_vec() }
}

/// Two sockets of two cores; private L1 and L2; an L3 per socket.
fn two_sockets() -> Vec<Cache> {
    let mut caches = Vec::new();
    for cpu in 0..4 {
        caches.push(cache(1, 32 << 10, &[cpu]));
        caches.push(cache(2, 1 << 20, &[cpu]));
    }
    caches.push(cache(3, 32 << 20, &[0, 1]));
    caches.push(cache(3, 32 << 20, &[2, 3]));
    caches
}

#[test]
fn working_sets_fit_their_level_and_exceed_the_one_below() {
    let mut warnings = Vec::new();
    let sets = WorkingSets::new(&two_sockets(), &[0, 1, 2, 3], 64 << 30, &mut warnings);
    assert_eq!(sets.of(MemoryLevel::L1), Some(20 << 10));
    assert_eq!(sets.of(MemoryLevel::L2), Some(640 << 10));
    assert_eq!(sets.of(MemoryLevel::L3), Some(8 << 20));
    // Four times both L3s together, divided among the CPUs.
    assert_eq!(sets.of(MemoryLevel::Dram), Some(64 << 20));
    assert_eq!(warnings, []);
}

#[test]
fn a_shared_cache_smaller_than_the_private_ones_is_left_out_with_a_reason() {
    let all: Vec<usize> = (0..16).collect();
    let mut caches: Vec<Cache> = all.iter().map(|&cpu| cache(2, 1 << 20, &[cpu])).collect();
    caches.push(cache(3, 22 << 20, &all));
    let mut warnings = Vec::new();
    let sets = WorkingSets::new(&caches, &all, 64 << 30, &mut warnings);
    assert_eq!(sets.of(MemoryLevel::L3), None);
    assert!(matches!(&warnings[..], [Warning::TooNear { level: MemoryLevel::L3, .. }]), "{warnings:?}");
}

#[test]
fn little_memory_shrinks_the_set_and_says_so() {
    let mut warnings = Vec::new();
    let sets = WorkingSets::new(&two_sockets(), &[0], 400 << 20, &mut warnings);
    assert_eq!(sets.of(MemoryLevel::Dram), Some(100 << 20));
    assert!(matches!(warnings[0], Warning::LittleMemory { .. }), "{warnings:?}");
}

#[test]
fn the_plan_covers_every_level_pattern_and_kernel() {
    let sets = WorkingSets(vec![(MemoryLevel::L1, 20 << 10), (MemoryLevel::Dram, 1 << 20)]);
    let list = points(&sets, 1, true);
    let titles: std::collections::HashSet<_> = list.iter().map(|p| p.title.as_str()).collect();
    assert_eq!(titles.len(), list.len(), "titles select points, so each has its own");
    for pattern in Pattern::ALL {
        assert!(titles.contains(format!("L1 {}, 1 core", pattern.name()).as_str()));
    }
    assert!(titles.contains("scalar f64, 1 core") && titles.contains("latency 4096 B, 1 core"));
}

/// A tiny measurement: all parts run, the report is filled, nothing is asserted about its speed.
#[test]
fn a_tiny_measurement_reports_every_kind_of_ceiling() {
    let options = Options {
        budget: Duration::from_millis(50),
        only: ["scalar", "SSE f32", "L1", "latency 4096 B", "latency 65536 B"].map(str::to_owned).to_vec(),
        ..Options::default()
    };
    let mut seen = Vec::new();
    let report = measure(&options, &mut |p| seen.push(p)).unwrap();
    assert!(report.flops.iter().any(|f| f.cores == 1 && f.gflops > 0.0));
    assert!(
        report
            .bandwidths
            .iter()
            .any(|b| b.level == MemoryLevel::L1 && b.kernel == "triad-nt" && b.gbytes > 0.0)
    );
    assert_eq!(report.latencies.iter().map(|l| l.bytes).collect::<Vec<_>>(), [4096, 65536]);
    assert!(report.latencies.iter().all(|l| l.ns > 0.0 && l.cycles > 0.0 && l.spread >= 1.0));
    assert!(report.bandwidths.iter().all(|b| b.spread > 0.0 && b.spread <= 1.0 && !b.variant.is_empty()));
    assert!(seen.windows(2).all(|w| w[0].fraction <= w[1].fraction), "progress never goes back");
    assert!(report.measured_unix > 0);
}

#[test]
fn cancelling_ends_it_with_an_error() {
    let cancel = Arc::new(AtomicBool::new(false));
    let options =
        Options { only: vec!["L1 load".to_owned()], cancel: Some(cancel.clone()), ..Options::default() };
    let result = measure(&options, &mut |_| cancel.store(true, Ordering::Relaxed));
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn an_unknown_point_and_a_spent_limit_are_errors() {
    let unknown = Options { only: vec!["L9 load".to_owned()], ..Options::default() };
    assert!(matches!(measure(&unknown, &mut |_| ()), Err(Error::Nothing { .. })));
    let late = Options { only: vec!["L1 load, 1".to_owned()], limit: Duration::ZERO, ..Options::default() };
    assert!(matches!(measure(&late, &mut |_| ()), Err(Error::Nothing { .. })));
}

#[test]
fn a_busy_machine_is_told() {
    let point = |spread| FlopCeiling {
        level: loopwright_vocabulary::VectorWidth::Bits128,
        element: crate::Element::F64,
        fma: false,
        cores: 1,
        gflops: 1.0,
        spread,
    };
    let disturbed = |spreads: &[f64]| {
        Ceilings { flops: spreads.iter().map(|&s| point(s)).collect(), ..Ceilings::default() }.disturbed()
    };
    assert_eq!(disturbed(&[]), None);
    assert_eq!(disturbed(&[0.95; 20]), None);
    let mut some = [0.95; 20];
    some[..2].fill(0.4);
    assert_eq!(disturbed(&some), None, "a tenth is chance");
    some[..3].fill(0.4);
    assert!(disturbed(&some).unwrap().contains("3 of 20 points varied"));
}
