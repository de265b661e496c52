use super::*;
use crate::fixture;
use loopwright_machine::{
    BandwidthCeiling, Cache, FlopCeiling, Latency, LogicalCpu, NumaNode, Processor, Warning,
};

fn feature(id: &str, group: &str, present: bool, enabled: bool) -> Feature {
    Feature {
        id: id.into(),
        name: id.to_uppercase(),
        group: group.into(),
        purpose: format!("what {id} is for, in one line that says it all"),
        present,
        enabled,
        note: (present && !enabled).then(|| "the kernel was started with clearcpuid; remove it".to_owned()),
    }
}

fn condition(title: &str, verdict: Verdict) -> Condition {
    Condition {
        id: title.into(),
        title: title.into(),
        value: "always".into(),
        verdict,
        explain: "the clock varies with load and temperature".into(),
        remedy: (verdict == Verdict::Bad).then(|| "cpupower frequency-set -g performance".to_owned()),
    }
}

fn example() -> Machine {
    let cache = |level, kind, size_bytes, cpus: Vec<usize>| Cache {
        level,
        kind,
        size_bytes,
        line_bytes: 64,
        ways: 8,
        sets: 64,
        cpus,
    };
    let node = |id, cpus| NumaNode {
        id,
        cpus,
        memory_bytes: Some(32 << 30),
        free_bytes: None,
        distances: vec![10, 21],
    };
    Machine {
        processor: Processor {
            name: "Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz".into(),
            vendor: "GenuineIntel".into(),
            family: Some(6),
            model: Some(85),
            stepping: Some(4),
            microcode: None,
            tsc_hz: Some(2_300_000_000),
        },
        topology: Topology {
            sockets: 1,
            cores: 2,
            cpus: (0..4)
                .map(|id| LogicalCpu { id, socket: 0, core: id % 2, siblings: vec![id % 2, id % 2 + 2] })
                .collect(),
            allowed: vec![0, 1, 2, 3],
            smt: true,
            nodes: vec![node(0, vec![0, 1]), node(1, vec![2, 3])],
            caches: vec![
                cache(1, CacheKind::Data, 32 << 10, vec![0, 2]),
                cache(1, CacheKind::Data, 32 << 10, vec![1, 3]),
                cache(3, CacheKind::Unified, 11 << 20, vec![0, 1, 2, 3]),
            ],
            tlbs: Vec::new(),
        },
        features: vec![
            feature("avx2", "vector", true, true),
            feature("avx512f", "vector", true, false),
            feature("amx", "matrix", false, false),
        ],
        conditions: vec![
            condition("Governor", Verdict::Bad),
            condition("Huge pages", Verdict::Good),
            condition("Turbo", Verdict::Unknown),
        ],
        hypervisor: Some("KVM".into()),
        kernel: Some("6.1.0".into()),
        memory_bytes: Some(64 << 30),
        memory_available_bytes: Some(50 << 30),
    }
}

fn ceilings() -> Ceilings {
    let flop = |level, fma, cores, gflops| FlopCeiling {
        level,
        element: Element::F64,
        fma,
        cores,
        gflops,
        spread: 1.0,
    };
    let bandwidth = |level: &str, kernel: &str, cores, gbytes| BandwidthCeiling {
        level: level.parse().unwrap(),
        kernel: kernel.into(),
        cores,
        gbytes,
        working_set_bytes: 16 << 10,
        variant: "256 bits".into(),
        spread: 0.97,
    };
    Ceilings {
        flops: vec![
            flop(VectorWidth::Scalar, false, 1, 4.6),
            flop(VectorWidth::Bits256, true, 1, 36.8),
            flop(VectorWidth::Bits256, true, 4, 147.2),
        ],
        bandwidths: vec![
            bandwidth("L1", "load", 1, 140.0),
            bandwidth("DRAM", "load", 1, 11.2),
            bandwidth("DRAM", "triad-nt", 4, 38.0),
        ],
        latencies: vec![
            Latency { bytes: 16 << 10, ns: 1.74, cycles: 4.0, spread: 1.0 },
            Latency { bytes: 256 << 20, ns: 92.0, cycles: 211.6, spread: 1.0 },
        ],
        measured_unix: 0,
        seconds: 21.4,
        warnings: vec![Warning::Said("the machine was busy".into())],
        conditions: None,
    }
}

#[test]
fn pages_at_common_widths() {
    let (machine, ceilings) = (example(), ceilings());
    for style in fixture::styles() {
        let text = super::machine(&machine, Some(&ceilings), None, &style);
        fixture::assert_fits(&text, &style);
        insta::assert_snapshot!(fixture::label("machine", &style), fixture::visible(&text));
    }
}

#[test]
fn missing_ceilings_say_how_to_measure_them() {
    assert!(
        super::machine(&example(), None, None, &TerminalStyle::plain(100))
            .contains("loopwright machine --measure")
    );
}

#[test]
fn this_machine_fits_its_width() {
    let machine = Machine::detect();
    for style in fixture::styles() {
        fixture::assert_fits(&super::machine(&machine, None, None, &style), &style);
    }
}

#[test]
fn lists_are_written_as_the_kernel_does() {
    assert_eq!(list(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    assert_eq!(list(&[]), "");
}

#[test]
fn what_communication_takes_is_shown_with_both_lines() {
    use loopwright_machine::network::{Chunks, HockneyLine, Network, NetworkPath};
    let line = |latency_seconds, byte_seconds| HockneyLine { latency_seconds, byte_seconds };
    let network = Network {
        library: "Open MPI v4.1.4".into(),
        ranks: 64,
        nodes: 2,
        within_node: Some(NetworkPath {
            small: line(0.25e-6, 0.2e-9),
            eager_limit_bytes: Some(4096),
            large: Some(line(2.8e-6, 0.125e-9)),
            gap_seconds: Some(0.12e-6),
            error: 0.04,
            ..NetworkPath::default()
        }),
        between_nodes: Some(NetworkPath {
            small: line(1.5e-6, 0.0),
            chunks: Some(Chunks { chunk_bytes: 1 << 20, connections: 3, ..Chunks::default() }),
            ..NetworkPath::default()
        }),
        barrier_seconds: Some(9e-6),
        allreduce_seconds: None,
        measured_unix: 1,
    };
    crate::contract::assert_valid("Network", &serde_json::to_value(&network).unwrap());
    for style in fixture::styles() {
        fixture::assert_fits(&super::machine(&example(), None, Some(&network), &style), &style);
    }
    let text = super::machine(&example(), None, Some(&network), &TerminalStyle::plain(120));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Open MPI v4.1.4, 64 ranks on 2 nodes",
        "one node 0.250 5.00 4 KiB 2.80 8.00 0.120 4.0",
        "two nodes 1.50",
        "Barrier 9.00 us",
        "messages above 1 MiB on two nodes go in chunks of it over 3 connections",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains("Allreduce"), "{text}");
}
