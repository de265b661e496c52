use super::*;

const OPEN_MPI: &[u8] = include_bytes!("../../tests/data/network/openmpi-one-node.txt");
const MPICH: &[u8] = include_bytes!("../../tests/data/network/mpich-one-node.txt");
const SIMGRID: &[u8] = include_bytes!("../../tests/data/network/simgrid-16-nodes.txt");
const ONE_CPU: &[u8] = include_bytes!("../../tests/data/network/mpich-one-cpu.txt");

/// The sizes that the program sends.
fn sizes() -> Vec<u64> {
    let mut sizes = vec![0];
    for power in 3..=22 {
        sizes.push(1 << power);
        if (19..22).contains(&power) {
            sizes.push((1 << power) / 2 * 3);
        }
    }
    sizes
}

/// What the program prints of a network that takes this time for each size; samples are up to `spread` times as slow.
fn printed(what: &str, spread: f64, seconds: impl Fn(u64) -> f64) -> Vec<u8> {
    let mut text = "mpirun: a note\nloopwright-network 1\nlibrary Test MPI  1.0\nranks 4 2\n".to_owned();
    for bytes in sizes() {
        text.push_str(&format!("{what} {bytes}"));
        for k in 0..40 {
            let disturbed = 1.0 + (spread - 1.0) * f64::from(k) / 39.0;
            text.push_str(&format!(" {:.0}", seconds(bytes) * 2e9 * disturbed));
        }
        text.push('\n');
    }
    (text + "end\n").into_bytes()
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found / wanted - 1.0).abs() <= tolerance, "{found} found, {wanted} wanted");
}

#[test]
fn one_line_is_found_again() {
    let network = fit(&printed("between", 1.0, |bytes| 2e-6 + bytes as f64 / 10e9)).unwrap();
    let path = network.between_nodes.unwrap();
    assert_eq!((network.library.as_str(), network.ranks, network.nodes), ("Test MPI 1.0", 4, 2));
    assert_eq!((path.eager_limit_bytes, path.large, path.chunks), (None, None, None));
    near(path.small.latency_seconds, 2e-6, 1e-3);
    near(path.small.bandwidth().unwrap(), 10e9, 1e-3);
    assert_eq!((network.within_node, network.barrier_seconds), (None, None));
    assert!(path.error < 1e-3 && path.points.len() == sizes().len(), "{path:?}");
}

#[test]
fn the_line_of_large_messages_begins_at_the_eager_limit() {
    let seconds = |bytes: u64| {
        if bytes <= 4096 { 1e-6 + bytes as f64 / 5e9 } else { 6e-6 + bytes as f64 / 12e9 }
    };
    // All samples but the quickest ones are slower, by up to a half.
    let path = fit(&printed("between", 1.5, seconds)).unwrap().between_nodes.unwrap();
    assert_eq!((path.eager_limit_bytes, path.chunks), (Some(4096), None));
    near(path.small.latency_seconds, 1e-6, 0.06);
    let large = path.large.unwrap();
    near(large.latency_seconds, 6e-6, 0.06);
    near(large.bandwidth().unwrap(), 12e9, 0.06);
    near(path.seconds_by_lines(4096), seconds(4096), 0.06);
    near(path.seconds_by_lines(8192), seconds(8192), 0.06);
    // Between measured sizes, and above the largest one.
    let at = |bytes| path.points.iter().find(|point| point.bytes == bytes).unwrap().seconds;
    near(path.seconds(6144), (at(4096) + at(8192)) / 2.0, 1e-9);
    near(path.seconds(8192), at(8192), 1e-9);
    near(path.seconds(16 << 20), seconds(16 << 20), 0.06);
}

#[test]
fn chunks_are_fitted_between_nodes_where_bandwidth_overshoots() {
    // Three connections of 4 GB/s that take chunks of 256 KiB: of 4 MiB, one has six.
    let of = Chunks { chunk_bytes: 1 << 18, connections: 3, latency_seconds: 5e-6, byte_seconds: 0.25e-9 };
    let seconds = |bytes: u64| {
        if bytes <= 1 << 18 { 5e-6 + bytes as f64 * 0.25e-9 } else { of.seconds(bytes) }
    };
    let network = fit(&printed("between", 1.0, seconds)).unwrap();
    let path = network.between_nodes.unwrap();
    let found = path.chunks.unwrap();
    assert_eq!((found.chunk_bytes, found.connections), (1 << 18, 3));
    near(found.byte_seconds, 0.25e-9, 0.02);
    near(path.seconds_by_lines(3 << 20), seconds(3 << 20), 0.02);
    // Within a node there are no connections.
    assert_eq!(fit(&printed("node", 1.0, seconds)).unwrap().within_node.unwrap().chunks, None);
}

#[test]
fn recorded_messages_of_open_mpi_show_its_eager_limit() {
    let network = fit(OPEN_MPI).unwrap();
    let path = network.within_node.unwrap();
    assert_eq!((network.library.as_str(), network.ranks, network.nodes), ("Open MPI v4.1.4", 2, 1));
    // btl_vader_eager_limit is 4096 with the header of a message, so that the largest measured size below is 2048.
    assert_eq!(path.eager_limit_bytes, Some(2048));
    near(path.small.latency_seconds, 0.25e-6, 0.2);
    let large = path.large.unwrap();
    near(large.latency_seconds, 2.8e-6, 0.2);
    near(large.bandwidth().unwrap(), 8e9, 0.2);
    // 64 messages in 7.9 us.
    near(path.gap_seconds.unwrap(), 0.12e-6, 0.2);
    near(network.allreduce_seconds.unwrap(), 0.41e-6, 0.1);
    assert!(path.error < 0.15 && network.between_nodes.is_none(), "{path:?}");
}

#[test]
fn recorded_messages_of_mpich_show_its_eager_limit() {
    let path = fit(MPICH).unwrap().within_node.unwrap();
    // MPIR_CVAR_CH4_SHM_POSIX_EAGER: cells of 16 KiB, with a header.
    assert_eq!(path.eager_limit_bytes, Some(8192));
    assert!(path.error < 0.25, "{path:?}");
}

#[test]
fn a_simulated_cluster_has_both_paths() {
    let network = fit(SIMGRID).unwrap();
    assert_eq!((network.ranks, network.nodes), (64, 16));
    let (within, between) = (network.within_node.unwrap(), network.between_nodes.unwrap());
    assert!(within.small.latency_seconds < between.small.latency_seconds / 4.0, "{within:?} {between:?}");
    // The platform's links have 12.5 GB/s, of which SMPI's own model leaves 94 %.
    near(between.large.unwrap().bandwidth().unwrap(), 12.5e9 * 0.940694, 0.05);
    near(network.barrier_seconds.unwrap(), 9e-6, 0.15);
}

#[test]
fn samples_that_differ_too_much_are_refused() {
    let wide = printed("node", 40.0, |bytes| 1e-6 + bytes as f64 / 1e9);
    let refused = fit(&wide).unwrap_err();
    assert!(matches!(refused, NetworkRefused::Spread { bytes: 0, .. }), "{refused}");
    assert!(refused.to_string().contains("quiet nodes"), "{refused}");
}

/// Two ranks that spin on one CPU: each waits for the end of the other's slice, and samples hardly differ.
#[test]
fn a_recorded_run_on_one_cpu_is_refused() {
    let refused = fit(ONE_CPU).unwrap_err();
    assert!(matches!(refused, NetworkRefused::SharedCpu { seconds } if seconds > 3e-3), "{refused}");
    assert!(refused.to_string().contains("takes 4.0 ms"), "{refused}");
}

#[test]
fn collective_calls_that_differ_too_much_have_no_figure() {
    let text = String::from_utf8(printed("node", 1.0, |bytes| 1e-6 + bytes as f64 / 1e9)).unwrap();
    let disturbed: String = (1..=40).map(|k| format!(" {}", k * k * 100)).collect();
    let steady: String = (0..40).map(|k| format!(" {}", 3000 + k)).collect();
    let more = format!("barrier 0{disturbed}\nallreduce 8{steady}\nend\n");
    let network = fit(text.replace("end\n", &more).as_bytes()).unwrap();
    assert_eq!(network.barrier_seconds, None);
    near(network.allreduce_seconds.unwrap(), 3.004e-6, 1e-6);
}

#[test]
fn what_is_no_whole_measurement_is_refused() {
    let head = "loopwright-network 1\nlibrary x\nranks 2 1\n";
    let few: String = (0..3).map(|k| format!("node {k} {}\n", "500 ".repeat(20))).collect();
    for (text, refused) in [
        (String::new(), NetworkRefused::Unfinished),
        ("a\nb\n".to_owned(), NetworkRefused::Unfinished),
        (head.to_owned(), NetworkRefused::Unfinished),
        (head.to_owned() + "end\n", NetworkRefused::TooFew { sizes: 0 }),
        (head.to_owned() + &few + "end\n", NetworkRefused::TooFew { sizes: 3 }),
        (head.to_owned() + "node 8 1 2 3\nend\n", NetworkRefused::TooFew { sizes: 0 }),
        (head.replace("ranks 2", "ranks 1") + "end\n", NetworkRefused::OneRank),
        (
            head.to_owned() + "node x\n",
            NetworkRefused::Damaged { line: 4, what: "its second word is no number of bytes" },
        ),
        (
            head.to_owned() + "node 8 NaN\n",
            NetworkRefused::Damaged { line: 4, what: "a sample is no time, or there are too many" },
        ),
    ] {
        assert_eq!(fit(text.as_bytes()), Err(refused), "{text}");
    }
}

#[test]
fn what_a_program_prints_never_makes_it_panic() {
    for recorded in [OPEN_MPI, SIMGRID] {
        for at in (0..recorded.len()).step_by(recorded.len() / 150) {
            for byte in [0, b' ', b'\n', b'9', b'-', 0xff] {
                let mut changed = recorded.to_vec();
                changed[at] = byte;
                let network = fit(&changed);
                if let Ok(network) = network {
                    let path = network.within_node.or(network.between_nodes).unwrap();
                    assert!(path.seconds(u64::MAX).is_finite() && path.seconds(0) >= 0.0, "{path:?}");
                }
            }
            let _ = fit(&recorded[..at]);
        }
    }
    let huge = printed("between", 1.0, |bytes| if bytes == 0 { 1e300 } else { 1e-300 });
    let _ = fit(&huge);
}

#[test]
fn figures_are_stored_and_read_back() {
    let network = fit(SIMGRID).unwrap();
    let text = serde_json::to_string(&network).unwrap();
    let back: Network = serde_json::from_str(&text).unwrap();
    assert_eq!((back.library, back.ranks), (network.library, network.ranks));
}
